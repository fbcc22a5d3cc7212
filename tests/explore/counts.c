/* How many behaviours there are: of programs for which it is known. Every world that is run is a
 * behaviour of its own: that is what the reduction is for (explore/search.h invariants 1 and 2). */
#include <mpi.h>

#include "tests/explore/fibers.h"

static struct fibers fibers;
static int faults;

static void expect(const char *what, int ranks, world_rank_fn program, uint64_t behaviours,
                   uint32_t outcomes)
{
    struct explore_search search;
    fibers.program = program;
    fibers.rank_count = ranks;
    if (explore_search(fibers_run, &fibers, ranks, &(struct explore_options){.worlds_max = 200000},
                       &search) != CORE_OK)
        faults++;
    bool right = search.complete && search.behaviours == behaviours &&
                 search.class_count == outcomes && search.met.count == search.behaviours;
    printf("%s: %llu behaviours, %u outcomes%s\n", what, (unsigned long long)search.behaviours,
           search.class_count, search.complete ? "" : ", not all");
    if (!right || search.worlds != search.behaviours + search.unbuffered) {
        printf("  wrong: %llu worlds, %llu cut, %llu without buffers; %llu and %u are right\n",
               (unsigned long long)search.worlds, (unsigned long long)search.cut,
               (unsigned long long)search.unbuffered, (unsigned long long)behaviours, outcomes);
        faults++;
    }
    explore_search_done(&search);
}

static int receive(int rank, int source, int tag)
{
    int got;
    MPI_Status status;
    MPI_Recv(&got, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
    fibers_saw(rank, got * 100 + status.MPI_SOURCE);
    return status.MPI_SOURCE;
}

static void post(int rank, int dest, int tag)
{
    MPI_Send(&rank, 1, MPI_INT, dest, tag, MPI_COMM_WORLD);
}

static int size_of(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* All send to rank 0, which takes what comes. */
static int senders(int rank, void *context)
{
    (void)context;
    for (int i = 1; i < size_of(); i++)
        rank ? (void)(i == rank && (post(rank, 0, 0), 1)) : (void)receive(0, MPI_ANY_SOURCE, 0);
    return 0;
}

/* The same with requests posted before. */
static int posted(int rank, void *context)
{
    (void)context;
    int size = size_of(), got[FIBERS_RANKS];
    MPI_Request request[FIBERS_RANKS];
    if (rank) {
        post(rank, 0, 0);
        return 0;
    }
    for (int i = 1; i < size; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(size - 1, request + 1, MPI_STATUSES_IGNORE);
    for (int i = 1; i < size; i++)
        fibers_saw(0, got[i]);
    return 0;
}

/* Even ranks take from the two behind them, whoever comes first: groups of three know nothing of
 * each other. */
static int groups(int rank, void *context)
{
    (void)context;
    if (rank % 3)
        post(rank, rank - rank % 3, 0);
    else
        for (int i = 0; i < 2; i++)
            receive(rank, MPI_ANY_SOURCE, 0);
    return 0;
}

/* Two tags at one rank: the receives do not disturb each other. */
static int tags(int rank, void *context)
{
    (void)context;
    int got[2];
    MPI_Request request[2];
    if (rank) {
        post(rank, 0, rank % 2);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 2; i++) {
            fibers_saw(0, got[i]);
            receive(0, MPI_ANY_SOURCE, i);
        }
    }
    return 0;
}

/* Rank 2 sends to rank 0 only after it has received from 3 or 4: put off for long enough, rank 0's
 * first receive may have that message too. 0 takes from 1 and 2 in two orders, 2 from 3 and 4 in
 * two. */
static int chain(int rank, void *context)
{
    (void)context;
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            receive(0, MPI_ANY_SOURCE, 0);
    else if (rank == 2)
        for (int i = 0; i < 2; i++) {
            int from = receive(2, MPI_ANY_SOURCE, 0);
            if (!i)
                MPI_Send(&from, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    else
        post(rank, rank == 1 ? 0 : 2, 0);
    return 0;
}

/* What rank 1 sends after rank 0's word cannot be had before it: 1a 1b 2, 1a 2 1b, 2 1a 1b. */
static int answered(int rank, void *context)
{
    (void)context;
    if (rank == 0) {
        receive(0, MPI_ANY_SOURCE, 0);
        post(0, 1, 1);
        receive(0, MPI_ANY_SOURCE, 0);
        receive(0, MPI_ANY_SOURCE, 0);
        return 0;
    }
    post(rank, 0, 0);
    if (rank == 1) {
        receive(1, 0, 1);
        post(1, 0, 0);
    }
    return 0;
}

/* Any of n requests that are complete, until all were reported: n! again. */
static int waitany(int rank, void *context)
{
    (void)context;
    int size = size_of(), got[FIBERS_RANKS];
    MPI_Request request[FIBERS_RANKS];
    if (rank) {
        post(rank, 0, 0);
        return 0;
    }
    for (int i = 1; i < size; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 1; i < size; i++) {
        int index;
        MPI_Waitany(size - 1, request + 1, &index, MPI_STATUS_IGNORE);
        fibers_saw(0, index);
    }
    return 0;
}

/* Of two requests: both, or one and then the other. */
static int waitsome(int rank, void *context)
{
    (void)context;
    int got[2], left = 2;
    MPI_Request request[2];
    if (rank) {
        post(rank, 0, 0);
        return 0;
    }
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
    while (left) {
        int count, index[2];
        MPI_Waitsome(2, request, &count, index, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            fibers_saw(0, index[i]);
        fibers_saw(0, -1);
        left -= count;
    }
    return 0;
}

/* It is there, or it is not yet. */
static int test(int rank, void *context)
{
    (void)context;
    int got, flag;
    MPI_Request request;
    if (rank) {
        post(rank, 0, 0);
        return 0;
    }
    MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    fibers_saw(0, flag);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 0;
}

/* A probe that may take its time, then what it found. */
static int iprobe(int rank, void *context)
{
    (void)context;
    int found = 0, flag, polls = 0;
    MPI_Status status;
    if (rank) {
        post(rank, 0, 0);
        return 0;
    }
    while (found < 2) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
        polls += !flag;
        if (flag) {
            receive(0, status.MPI_SOURCE, 0);
            found++;
        }
    }
    fibers_saw(0, polls);
    return 0;
}

/* A probe looks for a message that is not known to be there, or is: it was found before, or a later
 * one of the same rank was found, or received. */
static int looked(int rank, const char *how)
{
    int flag[2];
    MPI_Request request[3];
    if (rank) {
        for (int tag = 0; tag < 3; tag++)
            MPI_Isend(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request[tag]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        return 0;
    }
    if (*how == 'p')
        MPI_Probe(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (*how == 'r')
        receive(0, 1, 2);
    for (int tag = 0; tag < 2; tag++)
        MPI_Iprobe(1, tag, MPI_COMM_WORLD, &flag[tag], MPI_STATUS_IGNORE);
    fibers_saw(0, flag[0] * 2 + flag[1]);
    for (int tag = 0; tag < (*how == 'r' ? 2 : 3); tag++)
        receive(0, 1, tag);
    return 0;
}

static int unknown(int rank, void *context)
{
    (void)context;
    return looked(rank, "nothing came before");
}

static int probed(int rank, void *context)
{
    (void)context;
    return looked(rank, "probed");
}

static int received(int rank, void *context)
{
    (void)context;
    return looked(rank, "received");
}

/* Both send first: a deadlock without buffers. */
static int exchange(int rank, void *context)
{
    (void)context;
    post(rank, 1 - rank, 0);
    receive(rank, 1 - rank, 0);
    return 0;
}

/* All ranks but 0 reach its window, each as `what` says, once or at its own place. */
enum reach { TICKET_LOCKED, TICKET, PUT, PUT_APART, SUM, ROUNDED_SUM, GET };
static int window(int rank, enum reach what)
{
    int *memory, got = -1, at = what == PUT_APART ? rank : 0;
    float part[] = {0, 1e8f, 1, -1e8f};
    MPI_Win win;
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 16 * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    bool passive = what <= TICKET;
    if (passive && rank)
        MPI_Win_lock(what == TICKET ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (!passive)
        MPI_Win_fence(0, win);
    if (rank && passive)
        MPI_Fetch_and_op(&rank, &got, MPI_INT, 0, 0, MPI_SUM, win);
    else if (rank && what == SUM)
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    else if (rank && what == ROUNDED_SUM)
        MPI_Accumulate(&part[rank], 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win);
    else if (rank && what == GET)
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    else if (rank)
        MPI_Put(&rank, 1, MPI_INT, 0, at, 1, MPI_INT, win);
    if (passive && rank)
        MPI_Win_unlock(0, win);
    if (!passive)
        MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    fibers_saw(rank, got);
    for (int i = 0; i < 16; i++)
        fibers_saw(rank, memory[i]);
    MPI_Win_free(&win);
    return 0;
}

static int ticket_locked(int rank, void *context)
{
    (void)context;
    return window(rank, TICKET_LOCKED);
}

static int ticket(int rank, void *context)
{
    (void)context;
    return window(rank, TICKET);
}

static int put(int rank, void *context)
{
    (void)context;
    return window(rank, PUT);
}

static int put_apart(int rank, void *context)
{
    (void)context;
    return window(rank, PUT_APART);
}

static int sum(int rank, void *context)
{
    (void)context;
    return window(rank, SUM);
}

static int rounded_sum(int rank, void *context)
{
    (void)context;
    return window(rank, ROUNDED_SUM);
}

static int get(int rank, void *context)
{
    (void)context;
    return window(rank, GET);
}

/* Rank 1 looks at a word of rank 0 until rank 2 has put it there. */
static int spin(int rank, void *context)
{
    (void)context;
    int *memory, got = 0, one = 1;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    while (rank == 1 && !got) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    if (rank == 2) {
        receive(2, 3, 0);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    if (rank == 3) { /* polls for what never comes, once more than it must */
        int flag;
        for (int i = 0; i < 3; i++)
            MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        post(3, 2, 0);
    }
    MPI_Win_free(&win);
    return 0;
}

/* Rank 0 looks at each of its sends three times; their receives come only behind that. */
static int looked_at(int rank, void *context)
{
    int size = size_of(), flag[FIBERS_RANKS] = {0};
    MPI_Request request[FIBERS_RANKS];
    (void)context;
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 1; i < size && rank == 0; i++)
        for (int look = 0; look < 3 && !flag[i]; look++) {
            MPI_Test(&request[i], &flag[i], MPI_STATUS_IGNORE);
            fibers_saw(0, flag[i]);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank)
        receive(rank, 0, 0);
    else
        MPI_Waitall(size - 1, request + 1, MPI_STATUSES_IGNORE);
    return 0;
}

/* The same, and they are received without that: whether they have buffers makes no difference. */
static int looked_at_early(int rank, void *context)
{
    int flag = 0;
    MPI_Request request;
    (void)context;
    if (rank == 0) {
        MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
        receive(1, 0, 0);
    }
    return 0;
}

enum { WHOLE, STAGGERED, APART, IN_ORDER, LOOSE };

/* All but rank 0 replace two elements of its memory: the same ones, ones of which two ranks share
 * one, or their own; or one rank replaces one element twice. */
static int replaced(int rank, int what)
{
    int *memory, data[] = {rank, rank},
                 at = what == WHOLE       ? 0
                      : what == STAGGERED ? rank
                                          : 2 * rank;
    MPI_Win win;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", what == LOOSE ? "rar,raw" : "rar,raw,war,waw");
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &win);
    MPI_Info_free(&info);
    memset(memory, 0, 16 * sizeof(int));
    MPI_Win_fence(0, win);
    if (rank && what <= APART)
        MPI_Accumulate(data, 2, MPI_INT, 0, at, 2, MPI_INT, MPI_REPLACE, win);
    for (int i = 1; i < 3 && rank == 1 && what > APART; i++)
        MPI_Accumulate(&i, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 16; i++)
        fibers_saw(rank, memory[i]);
    MPI_Win_free(&win);
    return 0;
}

static int replaced_whole(int rank, void *context)
{
    (void)context;
    return replaced(rank, WHOLE);
}

static int replaced_staggered(int rank, void *context)
{
    (void)context;
    return replaced(rank, STAGGERED);
}

static int replaced_apart(int rank, void *context)
{
    (void)context;
    return replaced(rank, APART);
}

static int replaced_in_order(int rank, void *context)
{
    (void)context;
    return replaced(rank, IN_ORDER);
}

static int replaced_loose(int rank, void *context)
{
    (void)context;
    return replaced(rank, LOOSE);
}

/* A program of which more is possible than is run: the search says so. */
static void expect_more(const char *what, int ranks, world_rank_fn program)
{
    struct explore_search search;
    fibers.program = program;
    fibers.rank_count = ranks;
    if (explore_search(fibers_run, &fibers, ranks, &(struct explore_options){.worlds_max = 400},
                       &search) != CORE_OK ||
        search.complete || search.heap_count) {
        printf("%s: %u outcomes, all there are\n", what, search.class_count);
        faults++;
    }
    explore_search_done(&search);
}

/* A program for which it only matters that every world comes to its end. */
static void expect_end(const char *what, int ranks, world_rank_fn program)
{
    struct explore_search search;
    fibers.program = program;
    fibers.rank_count = ranks;
    if (explore_search(fibers_run, &fibers, ranks, &(struct explore_options){.worlds_max = 400},
                       &search) != CORE_OK ||
        search.class_count != 1 || fibers.outcome.finding_count) {
        printf("%s: %u outcomes, %s\n", what, search.class_count,
               fibers.outcome.finding_count ? fibers.outcome.finding[0].text : "");
        faults++;
    }
    explore_search_done(&search);
}

int main(void)
{
    expect("2 senders", 3, senders, 2, 2);
    expect("3 senders", 4, senders, 6, 6);
    expect("4 senders", 5, senders, 24, 24);
    expect("5 senders", 6, senders, 120, 120);
    expect("3 senders, receives posted before", 4, posted, 6, 6);
    expect("2 groups", 6, groups, 4, 4);
    expect("4 groups", 12, groups, 16, 16);
    expect("2 tags of 2 senders", 5, tags, 4, 4);
    expect("chain", 5, chain, 4, 4);
    expect("waitany of 3", 4, waitany, 6, 6);
    expect("waitsome of 2", 3, waitsome, 3, 3);
    expect("test", 2, test, 2, 2);
    expect("iprobe", 3, iprobe, 8, 6);
    expect("2 probes", 2, unknown, 4, 4);
    expect("2 probes for what was found", 2, probed, 1, 1);
    expect("2 probes for what came before a message", 2, received, 1, 1);
    expect("a send that is looked at", 2, looked_at, 3, 3);
    expect("2 sends that are looked at", 3, looked_at, 9, 9);
    expect("a send that is looked at and received", 2, looked_at_early, 2, 1);
    expect("exchange", 2, exchange, 1, 2);
    expect("answered", 3, answered, 3, 4);
    expect("3 tickets behind a lock", 4, ticket_locked, 6, 6);
    expect("3 tickets", 4, ticket, 6, 6);
    expect("3 puts to one place", 4, put, 6, 3);
    expect("3 puts to their own places", 4, put_apart, 1, 1);
    expect("3 sums", 4, sum, 1, 1);
    expect("3 sums that are rounded", 4, rounded_sum, 6, 2);
    expect("3 gets", 4, get, 1, 1);
    expect_more("2 accumulates of the same 2 elements", 3, replaced_whole);
    expect("2 accumulates that share an element", 3, replaced_staggered, 2, 2);
    expect("2 accumulates of their own elements", 3, replaced_apart, 1, 1);
    expect("2 accumulates of one rank", 2, replaced_in_order, 1, 1);
    expect_more("2 accumulates of one rank whose order is given up", 2, replaced_loose);
    expect_end("spin", 4, spin);
    world_done();
    printf("%d faults\n", faults);
    return faults != 0;
}
