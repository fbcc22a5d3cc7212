/* One job a family of MPI calls, `families NAME N`: each makes calls of its family in proportion
 * to N. What judging them costs is held beside what running them costs (tests/bench/verdict.py).
 * All are correct programs. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, WINDOW_WORDS = 1024, LIVE = 64 };

static int me, ranks, other; /* other: the neighbour in pairs of ranks */

static void *list_new(long count, size_t bytes)
{
    void *list = calloc((size_t)count, bytes);

    if (!list)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return list;
}

/* --- point to point --------------------------------------------------------------------------- */

static void halo(long n)
{
    int out[2] = {me, me}, in[2];
    MPI_Request request[4];

    for (long i = 0; i < n; i++) {
        MPI_Irecv(&in[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&out[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&out[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    }
}

static void pingpong(long n)
{
    int word = me;

    for (long i = 0; i < n; i++) {
        if (me % 2 == 0)
            MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me % 2 == 1)
            MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    }
}

static void pingping(long n)
{
    int out = me, in;
    MPI_Request request;

    for (long i = 0; i < n; i++) {
        MPI_Isend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void sendrecv(long n)
{
    int out = me, in;

    for (long i = 0; i < n; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % ranks, 0, &in, 1, MPI_INT,
                     (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(long n)
{
    int out = me, in;
    MPI_Request request[2];

    MPI_Recv_init(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[1]);
    for (long i = 0; i < n; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void flood(long n)
{
    int word = me;

    if (me % 2 == 0)
        for (long i = 0; i < n; i++)
            MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me % 2 == 1)
        for (long i = 0; i < n; i++)
            MPI_Recv(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void flood_any(long n)
{
    int word = me;

    if (me)
        for (long i = 0; i < n; i++)
            MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (long i = 0; !me && i < n * (ranks - 1); i++)
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each of the messages has a tag of its own, among which a few thousand lie unexpected. */
static void flood_tags(long n)
{
    enum { BURST = 1000 };
    int word = me;

    for (long done = 0; done < n; done += BURST) {
        long burst = n - done < BURST ? n - done : BURST;
        for (long i = 0; me % 2 == 0 && i < burst; i++)
            MPI_Send(&word, 1, MPI_INT, other, (int)(done + i) % 1000000, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (long i = burst; me % 2 == 1 && i-- > 0;)
            MPI_Recv(&word, 1, MPI_INT, other, (int)(done + i) % 1000000, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

/* So many requests at once, each with a tag of its own or all with one. */
static void outstand(long n, bool tags)
{
    MPI_Request *request = list_new(2 * n, sizeof *request);
    int *word = list_new(2 * n, sizeof *word);

    for (long i = 0; i < n; i++)
        MPI_Irecv(&word[i], 1, MPI_INT, other, tags ? (int)i : 0, MPI_COMM_WORLD, &request[i]);
    for (long i = 0; i < n; i++)
        MPI_Isend(&word[n + i], 1, MPI_INT, other, tags ? (int)i : 0, MPI_COMM_WORLD,
                  &request[n + i]);
    MPI_Waitall((int)(2 * n), request, MPI_STATUSES_IGNORE);
    free(request);
    free(word);
}

static void outstanding(long n)
{
    outstand(n, false);
}

static void outstanding_tags(long n)
{
    outstand(n, true);
}

/* Receives from anybody that wait all at once; tags: each its own, and the messages come in the
 * reverse order. */
static void outstand_any(long n, bool tags)
{
    MPI_Request *request = list_new(n, sizeof *request);
    int *in = list_new(n, sizeof *in);

    if (me == 0) {
        for (long i = 0; i < n; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, tags ? (int)i : 0, MPI_COMM_WORLD,
                      &request[i]);
        MPI_Waitall((int)n, request, MPI_STATUSES_IGNORE);
    } else
        for (long i = n - me; i >= 0; i -= ranks - 1)
            MPI_Send(&me, 1, MPI_INT, 0, tags ? (int)i : 0, MPI_COMM_WORLD);
    free(request);
    free(in);
}

static void outstanding_any(long n)
{
    outstand_any(n, false);
}

static void outstanding_any_tags(long n)
{
    outstand_any(n, true);
}

/* Unexpected messages, taken from the last to the first. */
static void unexpected_tags(long n)
{
    int in;
    MPI_Request *request = list_new(n, sizeof *request);

    if (me)
        for (long i = 0; i < n; i++)
            MPI_Isend(&me, 1, MPI_INT, 0, (int)i, MPI_COMM_WORLD, &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = n - 1; i >= 0 && !me; i--)
        for (int from = 1; from < ranks; from++)
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, (int)i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me)
        MPI_Waitall((int)n, request, MPI_STATUSES_IGNORE);
    free(request);
}

static void waitany(long n)
{
    enum { SLOTS = 16 };
    MPI_Request request[SLOTS];
    int in[SLOTS], out = me, at;
    long posted = 0;

    if (me % 2 == 0) {
        for (long i = 0; i < n; i++)
            MPI_Send(&out, 1, MPI_INT, other, (int)(i % SLOTS), MPI_COMM_WORLD);
        return;
    }
    for (; posted < SLOTS && posted < n; posted++)
        MPI_Irecv(&in[posted], 1, MPI_INT, other, (int)posted, MPI_COMM_WORLD, &request[posted]);
    int slots = (int)posted;
    for (long i = 0; i < n; i++) {
        MPI_Waitany(slots, request, &at, MPI_STATUS_IGNORE);
        /* a slot takes every SLOTS-th message */
        long left = (n - at - 1) / SLOTS;
        static long taken[SLOTS];
        if (++taken[at] <= left)
            MPI_Irecv(&in[at], 1, MPI_INT, other, at, MPI_COMM_WORLD, &request[at]);
    }
}

static void polls(long n)
{
    int word = me, flag;

    for (long i = 0; i < n; i++) {
        MPI_Request request;
        if (me % 2 == 0) {
            MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            continue;
        }
        MPI_Irecv(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
        do
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag);
    }
}

static void probes(long n)
{
    int word = me, flag;
    MPI_Status status;

    for (long i = 0; i < n; i++) {
        if (me % 2 == 0) {
            MPI_Send(&word, 1, MPI_INT, other, (int)(i % 100), MPI_COMM_WORLD);
            continue;
        }
        if (i % 2)
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        else
            do
                MPI_Iprobe(other, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            while (!flag);
        MPI_Recv(&word, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void matched_probes(long n)
{
    int word = me;
    MPI_Message message;
    MPI_Request request;

    for (long i = 0; i < n; i++) {
        if (me % 2 == 0) {
            MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            continue;
        }
        MPI_Mprobe(other, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(&word, 1, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* --- collectives ------------------------------------------------------------------------------ */

static void collectives(long n)
{
    int in[WORDS] = {0}, out[WORDS];

    for (long i = 0; i < n; i++) {
        MPI_Bcast(in, WORDS, MPI_INT, (int)(i % ranks), MPI_COMM_WORLD);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The root's are refused: others met some of them, and some are made again. */
static void refused(long n)
{
    int in = 0, out[2];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (long i = 0; i < n; i++) {
        MPI_Gather(&in, 1, MPI_INT, out, me ? 1 : -1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 0 && i % 3 == 0)
            MPI_Bcast(&in, -1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void vectors(long n)
{
    int in[WORDS] = {0}, out[WORDS], count[WORDS], place[WORDS];

    for (int i = 0; i < ranks; i++) {
        count[i] = 1;
        place[i] = i;
    }
    for (long i = 0; i < n; i++) {
        MPI_Allgatherv(in, 1, MPI_INT, out, count, place, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(in, count, place, MPI_INT, out, count, place, MPI_INT, MPI_COMM_WORLD);
    }
}

static void icollectives(long n)
{
    int in[WORDS] = {0}, out[WORDS];
    MPI_Request request[2];

    for (long i = 0; i < n; i++) {
        MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
        MPI_Ibarrier(MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
}

/* Many at a time. */
static void icollectives_live(long n)
{
    int(*word)[2] = list_new(LIVE, sizeof *word);
    MPI_Request request[LIVE];

    for (long done = 0; done < n; done += LIVE) {
        int count = (int)(n - done < LIVE ? n - done : LIVE);
        for (int i = 0; i < count; i++)
            MPI_Iallreduce(&word[i][0], &word[i][1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                           &request[i]);
        MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    }
    free(word);
}

/* As a library that overlaps polls: MPI_Test until done. */
static void icollectives_polled(long n)
{
    int in = me, out, flag;
    MPI_Request request;

    for (long i = 0; i < n; i++) {
        MPI_Ibcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        do
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag);
    }
}

/* --- objects ---------------------------------------------------------------------------------- */

static void comms(long n)
{
    MPI_Comm comm, half;

    for (long i = 0; i < n; i++) {
        if (i % 2)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &comm);
        MPI_Comm_split(comm, 0, me, &half);
        MPI_Comm_free(&half);
        MPI_Comm_free(&comm);
    }
}

/* As many at a time as MPI libraries have numbers for. */
static void comms_live(long n)
{
    enum { AT_ONCE = 10000 };
    MPI_Comm *comm = list_new(AT_ONCE, sizeof *comm);
    int word = 0;

    for (long done = 0; done < n; done += AT_ONCE) {
        long count = n - done < AT_ONCE ? n - done : AT_ONCE;
        for (long i = 0; i < count; i++)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        for (long i = 0; i < count; i++)
            MPI_Bcast(&word, 1, MPI_INT, 0, comm[i]);
        for (long i = 0; i < count; i++)
            MPI_Comm_free(&comm[i]);
    }
    free(comm);
}

static void groups(long n)
{
    MPI_Group world, part;
    int first[1] = {0};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (long i = 0; i < n; i++) {
        MPI_Group_incl(world, 1, first, &part);
        MPI_Group_free(&part);
    }
    MPI_Group_free(&world);
}

static void datatypes(long n)
{
    int *word = list_new(2 * 1024, sizeof *word);
    MPI_Datatype type;

    for (long i = 0; i < n; i++) {
        MPI_Type_vector((int)(1 + i % 16), 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Sendrecv(word, 1, type, other, 0, word + 1024, 1, type, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
    }
    free(word);
}

/* All of them different. */
static void datatypes_live(long n)
{
    MPI_Datatype *type = list_new(n, sizeof *type);

    for (long i = 0; i < n; i++) {
        int length[2] = {1, 1 + (int)(i % 7)};
        MPI_Aint place[2] = {0, 8 * (1 + i)};
        MPI_Datatype of[2] = {MPI_INT, MPI_DOUBLE};
        MPI_Type_create_struct(2, length, place, of, &type[i]);
        MPI_Type_commit(&type[i]);
    }
    for (long i = 0; i < n; i++)
        MPI_Type_free(&type[i]);
    free(type);
}

static void infos(long n)
{
    MPI_Info info;
    char value[32];
    int flag;

    for (long i = 0; i < n; i++) {
        snprintf(value, sizeof value, "%ld", i);
        MPI_Info_create(&info);
        MPI_Info_set(info, "key", value);
        MPI_Info_get(info, "key", sizeof value - 1, value, &flag);
        MPI_Info_free(&info);
    }
}

static void local(long n)
{
    MPI_Aint lb, extent;
    int word = 0;

    for (long i = 0; i < n; i++) {
        MPI_Type_get_extent(MPI_INT, &lb, &extent);
        if (i % 5 == 0)
            MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void attributes(long n)
{
    int key, flag;
    void *value;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    for (long i = 0; i < n; i++) {
        MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
        MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
        MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    }
    MPI_Comm_free_keyval(&key);
}

static void packs(long n)
{
    char room[256];
    int word = me, place;

    for (long i = 0; i < n; i++) {
        place = 0;
        MPI_Pack(&word, 1, MPI_INT, room, sizeof room, &place, MPI_COMM_WORLD);
        place = 0;
        MPI_Unpack(room, sizeof room, &place, &word, 1, MPI_INT, MPI_COMM_WORLD);
    }
}

/* --- one-sided -------------------------------------------------------------------------------- */

static int *window_new(MPI_Win *out_win)
{
    int *base;

    MPI_Win_allocate(WINDOW_WORDS * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &base, out_win);
    memset(base, 0, WINDOW_WORDS * sizeof *base);
    MPI_Barrier(MPI_COMM_WORLD);
    return base;
}

/* An epoch of many accesses: each to a word of its own, as far as there are words. */
static void puts_fenced(long n)
{
    MPI_Win win;
    int word = me;

    window_new(&win);
    MPI_Win_fence(0, win);
    for (long i = 0; i < n; i++) {
        MPI_Put(&word, 1, MPI_INT, other, i % WINDOW_WORDS, 1, MPI_INT, win);
        if (i % WINDOW_WORDS == WINDOW_WORDS - 1)
            MPI_Win_fence(0, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void puts_locked(long n)
{
    MPI_Win win;
    int word = me;

    window_new(&win);
    for (long i = 0; i < n; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
        MPI_Put(&word, 1, MPI_INT, other, i % WINDOW_WORDS, 1, MPI_INT, win);
        MPI_Win_unlock(other, win);
    }
    MPI_Win_free(&win);
}

static void gets_flushed(long n)
{
    MPI_Win win;
    int word;

    window_new(&win);
    MPI_Win_lock_all(0, win);
    for (long i = 0; i < n; i++) {
        MPI_Get(&word, 1, MPI_INT, other, i % WINDOW_WORDS, 1, MPI_INT, win);
        MPI_Win_flush(other, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* Nothing between the epoch's begin and its end: all of them are under way at once. */
static void accumulates(long n)
{
    MPI_Win win;
    int word = 1;

    window_new(&win);
    MPI_Win_lock_all(0, win);
    for (long i = 0; i < n; i++)
        MPI_Accumulate(&word, 1, MPI_INT, other, i % 8, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void cas(long n)
{
    MPI_Win win;
    int value = me, compare = 0, result;

    window_new(&win);
    MPI_Win_lock_all(0, win);
    for (long i = 0; i < n; i++) {
        MPI_Compare_and_swap(&value, &compare, &result, MPI_INT, 0, 0, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void cas_fenced(long n)
{
    MPI_Win win;
    int value = me, compare = 0;
    int *result = list_new(n, sizeof *result);

    window_new(&win);
    MPI_Win_fence(0, win);
    for (long i = 0; i < n; i++)
        MPI_Compare_and_swap(&value, &compare, &result[i], MPI_INT, 0, 0, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(result);
}

/* One adds, the others look until they have seen it: n times. */
static void polling(long n)
{
    MPI_Win win;
    int one = 1, seen = 0, none = 0;

    window_new(&win);
    MPI_Win_lock_all(0, win);
    for (long i = 1; i <= n; i++) {
        if (me == 0) {
            MPI_Accumulate(&one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win);
            MPI_Win_flush(other, win);
        } else if (me == 1)
            do {
                MPI_Fetch_and_op(&none, &seen, MPI_INT, me, 0, MPI_NO_OP, win);
                MPI_Win_flush(me, win);
            } while (seen < i);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* A mutex of fetch-and-op: who draws a number waits until it is called. */
static void mutex(long n)
{
    int one = 1, zero = 0, *memory, ticket, called;
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    memory[0] = memory[1] = 0;
    MPI_Win_unlock(me, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (long i = 0; i < n; i++) {
        MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        do {
            MPI_Fetch_and_op(&zero, &called, MPI_INT, 0, 1, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        } while (called != ticket);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* Windows of shared memory, whose segments each rank asks for. */
static void windows_shared(long n)
{
    int *own, *theirs, unit;
    MPI_Aint bytes;
    MPI_Win win;

    for (long i = 0; i < n; i++) {
        MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                                &win);
        for (int rank = 0; rank < ranks; rank++)
            MPI_Win_shared_query(win, rank, &bytes, &unit, &theirs);
        MPI_Win_fence(0, win);
        *own = me;
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
}

static void post_start(long n)
{
    MPI_Win win;
    MPI_Group world, pair;
    int word = me;

    window_new(&win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &pair);
    for (long i = 0; i < n; i++) {
        MPI_Win_post(pair, 0, win);
        MPI_Win_start(pair, 0, win);
        MPI_Put(&word, 1, MPI_INT, other, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
}

static void windows(long n)
{
    MPI_Win win;
    int word[2] = {me, 0};

    for (long i = 0; i < n; i++) {
        MPI_Win_create(word, sizeof word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Put(&me, 1, MPI_INT, other, 1, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
}

static void windows_live(long n)
{
    MPI_Win *win = list_new(n, sizeof *win);
    int *word = list_new(n, sizeof *word);

    for (long i = 0; i < n; i++)
        MPI_Win_create(&word[i], sizeof *word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &win[i]);
    for (long i = 0; i < n; i++) {
        MPI_Win_fence(0, win[i]);
        MPI_Put(&me, 1, MPI_INT, other, 0, 1, MPI_INT, win[i]);
        MPI_Win_fence(0, win[i]);
    }
    for (long i = 0; i < n; i++)
        MPI_Win_free(&win[i]);
    free(win);
    free(word);
}

static void attachments(long n)
{
    MPI_Win win;
    int *word = list_new(n, sizeof *word);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (long i = 0; i < n; i++)
        MPI_Win_attach(win, &word[i], sizeof *word);
    for (long i = 0; i < n; i++)
        MPI_Win_detach(win, &word[i]);
    MPI_Win_free(&win);
    free(word);
}

#include "families_threads.h"

/* --- files ------------------------------------------------------------------------------------ */

static void files(long n)
{
    MPI_File file;
    int word = me;

    MPI_File_open(MPI_COMM_WORLD, "families.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    for (long i = 0; i < n; i++)
        MPI_File_write_at(file, (i * ranks + me) * (MPI_Offset)sizeof word, &word, 1, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct family {
    const char *name;
    void (*run)(long n);
} family[] = {
    {"halo", halo},
    {"pingpong", pingpong},
    {"pingping", pingping},
    {"sendrecv", sendrecv},
    {"persistent", persistent},
    {"flood", flood},
    {"flood_any", flood_any},
    {"flood_tags", flood_tags},
    {"outstanding", outstanding},
    {"outstanding_tags", outstanding_tags},
    {"outstanding_any", outstanding_any},
    {"outstanding_any_tags", outstanding_any_tags},
    {"unexpected_tags", unexpected_tags},
    {"waitany", waitany},
    {"polls", polls},
    {"probes", probes},
    {"matched_probes", matched_probes},
    {"collectives", collectives},
    {"refused", refused},
    {"vectors", vectors},
    {"icollectives", icollectives},
    {"icollectives_live", icollectives_live},
    {"icollectives_polled", icollectives_polled},
    {"comms", comms},
    {"comms_live", comms_live},
    {"groups", groups},
    {"datatypes", datatypes},
    {"datatypes_live", datatypes_live},
    {"infos", infos},
    {"local", local},
    {"attributes", attributes},
    {"packs", packs},
    {"puts_fenced", puts_fenced},
    {"puts_locked", puts_locked},
    {"gets_flushed", gets_flushed},
    {"accumulates", accumulates},
    {"cas", cas},
    {"cas_fenced", cas_fenced},
    {"polling", polling},
    {"post_start", post_start},
    {"windows", windows},
    {"windows_live", windows_live},
    {"attachments", attachments},
    {"thread_a_round", thread_a_round},
    {"thread_exchanges", thread_exchanges},
    {"thread_probes", thread_probes},
    {"thread_stream", thread_stream},
    {"thread_collectives", thread_collectives},
    {"thread_rounds", thread_rounds},
    {"thread_accumulates", thread_accumulates},
    {"thread_fetches", thread_fetches},
    {"mutex", mutex},
    {"windows_shared", windows_shared},
    {"files", files},
};

int main(int argc, char **argv)
{
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    const struct family *chosen = NULL;
    int threads = MPI_THREAD_SINGLE;

    for (size_t i = 0; argc > 1 && i < sizeof family / sizeof *family; i++)
        if (strcmp(family[i].name, argv[1]) == 0)
            chosen = &family[i];
    if (!chosen || n < 1) {
        fprintf(stderr, "usage: families NAME N\n");
        return 2;
    }
#if OMPI_MAJOR_VERSION < 5
    setenv("OMPI_MCA_osc", "sm,pt2pt", 0); /* MPI_Win_create, without a network */
#endif
    if (strncmp(chosen->name, "thread", 6) == 0)
        threads = MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, threads, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    other = me % 2 ? me - 1 : (me + 1) % ranks;
    chosen->run(n);
    MPI_Finalize();
    return 0;
}
