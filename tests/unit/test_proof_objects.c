/* Tests the launcher's proof with calls on communicators, windows and files: collectives, epochs,
 * locks. Writes spools of blocked jobs by hand, each with a twin that can continue. */
#include "core/trace/misuse.h"
#include "tests/unit/proof_job.h"

enum { SIDED = INTERCOMM_CREATE + 1, IBCAST, NEIGHBOR };

static void named_define(uint16_t call, uint16_t class, const char *name)
{
    const struct call_meaning *meaning = meaning_of(name, class);
    struct spool_def_call def = {
        .name_bytes = (uint16_t)strlen(name), .verb = meaning->verb, .traits = meaning->traits};

    for (uint32_t r = 0; r < rank_count; r++)
        put(r, SPOOL_DEF_CALL, call, class, &def, sizeof def, name, strlen(name));
}

static void collectives_wait_for_who_is_missing(void **state)
{
    (void)state;
    job_start(3); /* only rank 0 reduces; the others are done */
    inside(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    inside(2, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    expect_proven(3);
    expect_need(ENDING_NEED_COLLECTIVE, ENDING_OBJECT_COMM, EVENT_NONE);

    job_start(3); /* all have entered: the library is at work */
    for (uint32_t r = 0; r < 3; r++)
        inside(r, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    expect_nothing();

    job_start(3); /* one is a collective behind, in a receive from one who waits there */
    did(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    did(1, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    did(2, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(1, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(2);

    standing[2] = PROOF_UNKNOWN; /* it may enter */
    expect_nothing();
}

/* All have entered and had time to finish; but the sizes differ. */
static void collectives_that_all_have_entered_and_that_rest(void **state)
{
    enum { TYPE = 1 };
    (void)state;
    for (int twin = 0; twin < 5; twin++) {
        job_start(3);
        for (uint32_t r = 0; r < 3; r++)
            standing[r] = PROOF_IDLE_64MIB;
        for (uint32_t r = 0; r < 3; r++) {
            struct spool_def_type def = {.id = TYPE, .size = r || twin == 4 ? 4 : 8};
            put(r, SPOOL_DEF_TYPE, 0, 0, &def, sizeof def, NULL, 0);
        }
        inside(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
        lane[0].header.open[0].type = TYPE;
        for (uint32_t r = 1; r < 3; r++) {
            struct spool_event event = event_of(r, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
            event.t_leave = 2;
            event.type = TYPE;
            put(r, SPOOL_EVENT, EVENT_CLASS_COLL, 0, &event, sizeof event, NULL, 0);
            inside(r, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        }
        if (twin == 1) /* not for long */
            standing[0] = PROOF_IDLE;
        else if (twin == 2)
            standing[1] = PROOF_IDLE;
        else if (twin == 3) /* it computes */
            standing[2] = PROOF_UNKNOWN;
        if (twin) {
            expect_nothing();
            continue;
        }
        expect_proven(3);
        expect_need(ENDING_NEED_PART, ENDING_OBJECT_COMM, EVENT_NONE);
    }
}

/* Ranks 0 and 1 are in a collective of `bytes` bytes; rank 2 is not, and waits for rank 0. */
static void large_start(uint16_t call, int32_t root, int64_t bytes, uint8_t all_stand)
{
    enum { TYPE = 1 };

    job_start(3);
    names_define();
    for (uint32_t r = 0; r < 3; r++) {
        struct spool_def_type def = {.id = TYPE, .size = 1};

        standing[r] = all_stand;
        put(r, SPOOL_DEF_TYPE, 0, 0, &def, sizeof def, NULL, 0);
        named_inside(r, call, root);
        lane[r].header.open[0].type = TYPE;
        lane[r].header.open[0].count = bytes;
    }
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
}

/* Data between the ranks that have entered may still be in flight, and be all that they wait for.
 */
static void collectives_in_which_others_are_at_work(void **state)
{
    static const struct {
        int64_t bytes;
        uint8_t standing;
        bool proven;
    } row[] = {{1000, PROOF_STILL, true},         {1 << 18, PROOF_STILL, false},
               {1 << 18, PROOF_IDLE, false},      {1 << 18, PROOF_IDLE_1MIB, true},
               {1 << 24, PROOF_IDLE_1MIB, false}, {1 << 24, PROOF_IDLE_64MIB, true},
               {1 << 28, PROOF_IDLE_64MIB, false}};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        large_start(BCAST, 1, row[i].bytes, row[i].standing);
        if (row[i].proven)
            expect_proven(2);
        else
            expect_nothing();
        large_start(REDUCE, 0, row[i].bytes, row[i].standing); /* the root needs all */
        expect_proven(2);
        large_start(BCAST, 2, row[i].bytes, row[i].standing); /* all need the root */
        expect_proven(2);
    }
    large_start(BCAST, 1, 1 << 18, PROOF_IDLE_1MIB);
    standing[1] = PROOF_STILL;
    expect_nothing();
    standing[1] = PROOF_ENDED;
    expect_proven(2);
}

/* A rank outside of MPI forwards nothing. */
static void collectives_in_which_others_are_outside(void **state)
{
    (void)state;
    for (int twin = 0; twin < 4; twin++) {
        job_start(4);
        named_define(IBCAST, EVENT_CLASS_ICOLL, "MPI_Ibcast");
        for (uint32_t r = 0; r < 4; r++) {
            if (r == 1)
                continue;
            struct spool_event event = event_of(r, EVENT_CLASS_ICOLL, 0, EVENT_NONE, 5);

            event.t_leave = 2;
            put(r, SPOOL_EVENT, IBCAST, 0, &event, sizeof event, NULL, 0);
        }
        inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 5);
        inside(1, EVENT_CLASS_RECV, 3, 5, 0);
        inside(3, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 5);
        if (twin == 0) /* it has the message that rank 3 waits for, and computes */
            standing[2] = PROOF_UNKNOWN;
        if (twin == 1) /* it has forwarded the message */
            inside(2, EVENT_CLASS_RECV, 1, 5, 0);
        if (twin == 2)
            standing[2] = PROOF_ENDED;
        if (twin == 3) { /* the same: it is done with it */
            did_completing(2, EVENT_CLASS_WAIT, 5, EVENT_NONE, EVENT_NONE);
            standing[2] = PROOF_UNKNOWN;
        }
        if (twin == 0)
            expect_nothing();
        else
            expect_proven(2);
    }
}

/* Each rank's edges, as bits of world ranks: those it sends to, and those it receives from. */
struct edges {
    uint32_t gives, takes;
};
static void edges_define(uint32_t rank, const struct edges *edges)
{
    int32_t world[8];
    struct spool_def_neighbors def = {.comm = WORLD};

    for (int32_t r = 0; r < 4; r++)
        if (edges->gives >> r & 1)
            world[def.gives++] = r;
    for (int32_t r = 0; r < 4; r++)
        if (edges->takes >> r & 1)
            world[def.gives + def.takes++] = r;
    def.count = def.gives + def.takes;
    if (!def.count) {
        put(rank, SPOOL_DEF_NEIGHBORS, 0, 0, &def, sizeof def, NULL, 0);
        return;
    }
    for (uint32_t part = 0; part < 2; part++) { /* in two parts */
        def.first = part;
        def.count = part ? def.gives + def.takes - 1 : 1;
        put(rank, SPOOL_DEF_NEIGHBORS, 0, 0, &def, sizeof def, world + part, def.count * 4);
    }
}

/* Starts four ranks; those in the bits `in` are in the call, the others wait for rank 0. */
static void edges_start(const struct edges edges[4], uint32_t in)
{
    job_start(4);
    named_define(NEIGHBOR, EVENT_CLASS_COLL, "MPI_Neighbor_allgather");
    for (uint32_t r = 0; r < 4; r++) {
        edges_define(r, &edges[r]);
        if (in >> r & 1)
            named_inside(r, NEIGHBOR, EVENT_NONE);
        else
            inside(r, EVENT_CLASS_RECV, 0, 5, 0);
    }
}

static void neighbors_wait_for_each_other_alone(void **state)
{
    const struct edges ring[4] = {{2, 8}, {4, 1}, {8, 2}, {1, 4}};
    const struct edges pairs[4] = {{2, 2}, {1, 1}, {8, 8}, {4, 4}};
    struct edges other[4];

    (void)state;
    edges_start(ring, 15);
    expect_nothing();
    edges_start(ring, 7); /* 0 waits for 3 */
    expect_proven(2);
    expect_need(ENDING_NEED_COLLECTIVE, ENDING_OBJECT_COMM, EVENT_NONE);
    edges_start(pairs, 7); /* 0 is none of 3's neighbors: 0 and 1 are at work */
    expect_nothing();
    edges_start(pairs, 14); /* 0 waits for itself, and 1 for it */
    expect_proven(1);

    memcpy(other, ring, sizeof other); /* 1 sends nothing to 2, which waits for it */
    other[1].gives = 0;
    edges_start(other, 15);
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2) {
            named_did(r, NEIGHBOR, EVENT_NONE, 0, 0);
            inside(r, EVENT_CLASS_RECV, 2, 5, 0);
        }
    expect_proven(2);
    edges_start(other, 15);
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2) {
            named_did(r, NEIGHBOR, EVENT_NONE, 0, 0);
            inside(r, EVENT_CLASS_RECV, 2, 5, 0);
        }
    standing[1] = PROOF_UNKNOWN;
    expect_nothing();
    edges_start(ring, 15); /* the twin: it is at work */
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2) {
            named_did(r, NEIGHBOR, EVENT_NONE, 0, 0);
            inside(r, EVENT_CLASS_RECV, 2, 5, 0);
        }
    expect_nothing();
}

/* --- sizes of two sides ----------------------------------------------------------------------- */

enum { BYTE_TYPE = 1, LISTED_MAX = 4 };

struct sided { /* counts; -1: one count for all, at [0]; -2: nothing (in place, not the root)
                */
    int32_t gives[LISTED_MAX], takes[LISTED_MAX];
    int lists; /* bits: 1 gives, 2 takes */
};

static void sided_start(const char *name, uint16_t class)
{
    job_start(3);
    named_define(SIDED, class, name);
    for (uint32_t r = 0; r < 3; r++) {
        struct spool_def_type type = {.id = BYTE_TYPE, .size = 1};

        put(r, SPOOL_DEF_TYPE, 0, 0, &type, sizeof type, NULL, 0);
        standing[r] = PROOF_IDLE_64MIB;
    }
    names_define();
}

/* Writes the records that precede the event, and returns the event. */
static struct spool_event sided_event(uint32_t rank, int32_t root, const struct sided *s)
{
    uint64_t seq = lane[rank].seq + 1;
    struct spool_list list = {.seq = seq, .total = 3, .count = 3};
    struct spool_recv_half recv_half = {
        .seq = seq, .type = BYTE_TYPE, .count = s->lists & 2 ? EVENT_NONE : s->takes[0]};
    struct spool_event event;

    if (s->takes[0] != -2)
        put(rank, SPOOL_RECV_HALF, 0, 0, &recv_half, sizeof recv_half, NULL, 0);
    if (s->lists & 1 && s->gives[0] != -2)
        put(rank, SPOOL_LIST, SPOOL_LIST_SEND_COUNTS, 4, &list, sizeof list, s->gives, 12);
    if (s->lists & 2 && s->takes[0] != -2)
        put(rank, SPOOL_LIST, SPOOL_LIST_RECV_COUNTS, 4, &list, sizeof list, s->takes, 12);
    event = event_of(rank, EVENT_CLASS_COLL, root, EVENT_NONE, 0);
    event.head.a = SIDED;
    event.type = BYTE_TYPE;
    event.count = s->lists & 1 || s->gives[0] == -2 ? EVENT_NONE : s->gives[0];
    return event;
}

/* Rank `stuck` is in the call; the others have left it and are in a barrier. */
static void sided_calls(const char *name, int32_t root, const struct sided *s, uint32_t stuck)
{
    sided_start(name, EVENT_CLASS_COLL);
    for (uint32_t r = 0; r < 3; r++) {
        struct spool_event event = sided_event(r, root, &s[r]);

        if (r == stuck) {
            lane[r].header.open[0] = event;
            lane[r].header.depth = 1;
            continue;
        }
        event.t_leave = 2;
        put(r, SPOOL_EVENT, SIDED, 0, &event, sizeof event, NULL, 0);
        named_inside(r, BARRIER, EVENT_NONE);
    }
}

static const struct sided_row {
    const char *name;
    int32_t root;
    struct sided side[3];
    uint32_t stuck;
    int rank, gives, at, value; /* the difference of the bad case */
} sided_rows[] = {
    {"MPI_Gatherv", 0, {{{5}, {5, 5, 5}, 2}, {{5}, {-2}, 2}, {{5}, {-2}, 2}}, 1, 0, 0, 1, 0},
    {"MPI_Gatherv", 0, {{{-2}, {9, 5, 6}, 2}, {{5}, {-2}, 2}, {{6}, {-2}, 2}}, 0, 1, 1, 0, 0},
    {"MPI_Gather", 2, {{{5}, {-2}, 0}, {{5}, {-2}, 0}, {{5}, {5}, 0}}, 2, 1, 1, 0, 4},
    {"MPI_Scatterv", 1, {{{-2}, {5}, 1}, {{5, 5, 5}, {-2}, 1}, {{-2}, {5}, 1}}, 0, 1, 1, 0, 0},
    {"MPI_Scatter", 0, {{{5}, {5}, 0}, {{-2}, {5}, 0}, {{-2}, {5}, 0}}, 1, 2, 0, 0, 7},
    {"MPI_Allgather", -1, {{{5}, {5}, 0}, {{5}, {5}, 0}, {{-2}, {5}, 0}}, 1, 0, 1, 0, 6},
    {"MPI_Allgatherv",
     -1,
     {{{1}, {1, 2, 3}, 2}, {{2}, {1, 2, 3}, 2}, {{-2}, {1, 2, 3}, 2}},
     1,
     0,
     0,
     2,
     4},
    {"MPI_Alltoall", -1, {{{5}, {5}, 0}, {{5}, {5}, 0}, {{-2}, {5}, 0}}, 0, 1, 0, 0, 4},
    {"MPI_Alltoallv",
     -1,
     {{{1, 2, 3}, {1, 4, 5}, 3}, {{4, 0, 6}, {2, 9, 7}, 3}, {{5, 7, 1}, {3, 6, 1}, 3}},
     2,
     0,
     1,
     2,
     4},
    {"MPI_Alltoallv",
     -1,
     {{{1, 2, 3}, {1, 2, 3}, 3}, {{2, 0, 6}, {2, 9, 6}, 3}, {{-2}, {3, 6, 1}, 3}},
     2,
     0,
     1,
     2,
     4},
    {"MPI_Reduce_scatter",
     -1,
     {{{-2}, {1, 2, 3}, 2}, {{-2}, {1, 2, 3}, 2}, {{-2}, {1, 2, 3}, 2}},
     0,
     1,
     0,
     1,
     1},
};

/* All have left the call or are idle in it; a rank is stuck if the sizes of two sides differ. */
static void sizes_that_one_side_gives_and_another_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sided_rows / sizeof *sided_rows; i++) {
        const struct sided_row *row = &sided_rows[i];
        struct sided side[3];

        memcpy(side, row->side, sizeof side);
        sided_calls(row->name, row->root, side, row->stuck);
        expect_nothing();
        (row->gives ? side[row->rank].gives : side[row->rank].takes)[row->at] = row->value;
        sided_calls(row->name, row->root, side, row->stuck);
        expect_proven(3);
        for (uint32_t r = 0; r < 3; r++) { /* it may still do something */
            sided_calls(row->name, row->root, side, row->stuck);
            standing[r] = r == row->stuck ? PROOF_IDLE : PROOF_STILL;
            expect_nothing();
        }
    }
}

/* Two differences can cancel in the sum of all sizes; and nobody waits for a rank's data for
 * itself. */
static void sizes_are_compared_pair_by_pair(void **state)
{
    struct sided side[3];

    (void)state;
    memcpy(side, sided_rows[8].side, sizeof side);
    side[0].gives[1]++;
    side[0].gives[2]--;
    sided_calls("MPI_Alltoallv", -1, side, 1);
    expect_proven(3);
    memcpy(side, sided_rows[8].side, sizeof side);
    side[0].gives[0] += 3;
    sided_calls("MPI_Alltoallv", -1, side, 1);
    expect_nothing();
    side[0].gives[1] = 1 << 27; /* more than is delivered in the time */
    sided_calls("MPI_Alltoallv", -1, side, 1);
    expect_nothing();
}

/* Ranks open files at different paths of one machine; nothing is known of different machines. */
static void files_that_differ(void **state)
{
    enum { HERE = 5, THERE = 6 };
    static const struct {
        int64_t machine, path; /* of rank 1's */
        uint8_t standing;
        bool proven;
    } row[] = {{HERE, 9, PROOF_IDLE_64MIB, true},
               {HERE, 7, PROOF_IDLE_64MIB, false},
               {THERE, 9, PROOF_IDLE_64MIB, false},
               {HERE, 9, PROOF_IDLE, false},
               {0, 0, PROOF_IDLE_64MIB, false}};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        sided_start("MPI_File_open", EVENT_CLASS_FILE_COLL);
        for (uint32_t r = 0; r < 3; r++) {
            const struct call_meaning *meaning = meaning_of("MPI_File_open", 0);
            static const char text[] = "MPI_File_openamode,place,device,inode";
            struct spool_def_call def = {.name_bytes = 13,
                                         .names_bytes = 24,
                                         .verb = meaning->verb,
                                         .traits = meaning->traits};
            int64_t machine = r == 1 ? row[i].machine : HERE, path = r == 1 ? row[i].path : 7;
            int64_t value[] = {8, machine << EVENT_PLACE_MACHINE_SHIFT | path, 0, 0};
            struct spool_args args = {.seq = lane[r].seq + 1};

            put(r, SPOOL_DEF_CALL, SIDED, EVENT_CLASS_FILE_COLL, &def, sizeof def, text, 37);
            put(r, SPOOL_ARGS, 4, 0, &args, sizeof args, value, sizeof value);
            inside(r, EVENT_CLASS_FILE_COLL, EVENT_NONE, EVENT_NONE, 0);
            lane[r].header.open[0].head.a = SIDED;
        }
        standing[2] = row[i].standing;
        if (row[i].proven)
            expect_proven(3);
        else
            expect_nothing();
    }
}

/* Members of a group pass different groups to the same call. */
static void groups_that_differ(void **state)
{
    (void)state;
    for (int twin = 0; twin < 4; twin++) {
        sided_start("MPI_Comm_create", EVENT_CLASS_COMM_CREATE);
        for (uint32_t r = 0; r < 3; r++) {
            const struct call_meaning *meaning = meaning_of("MPI_Comm_create", 0);
            static const char text[] = "MPI_Comm_creategroup:group";
            struct spool_def_call def = {.name_bytes = 15,
                                         .names_bytes = 11,
                                         .verb = meaning->verb,
                                         .traits = meaning->traits};
            static const int32_t two[] = {0, 1}, one[] = {1}, third[] = {2};
            bool other = r == 1 && twin == 0;
            const int32_t *member = r == 2 ? third : other ? one : two;
            uint32_t size = r == 2 || other ? 1 : 2;
            struct spool_def_group group = {.id = 7 + r, .size = size, .count = size};
            int64_t id = group.id;
            struct spool_args args = {.seq = lane[r].seq + 1};

            put(r, SPOOL_DEF_CALL, SIDED, EVENT_CLASS_COMM_CREATE, &def, sizeof def, text, 26);
            put(r, SPOOL_DEF_GROUP, 0, 0, &group, sizeof group, member, size * sizeof *member);
            if (twin != 3)
                put(r, SPOOL_ARGS, 1, 0, &args, sizeof args, &id, sizeof id);
            inside(r, EVENT_CLASS_COMM_CREATE, EVENT_NONE, EVENT_NONE, 0);
            lane[r].header.open[0].head.a = SIDED;
        }
        if (twin == 2)
            standing[1] = PROOF_IDLE;
        if (twin)
            expect_nothing();
        else
            expect_proven(3);
    }
}

static void collectives_that_differ_wait_for_each_other(void **state)
{
    (void)state;
    job_start(3);
    names_define();
    named_inside(0, REDUCE, 0);
    named_inside(1, BCAST, 0);
    named_inside(2, REDUCE, 0);
    expect_proven(3);

    job_start(2); /* the root differs */
    names_define();
    named_inside(0, BCAST, 0);
    named_inside(1, BCAST, 1);
    expect_proven(2);

    job_start(2); /* the same: the library is at work */
    names_define();
    named_inside(0, BCAST, 0);
    named_inside(1, BCAST, 0);
    expect_nothing();

    job_start(2); /* a call was refused on one rank: it is unclear which calls belong together */
    names_define();
    named_did(0, REDUCE, 0, 0, 5);
    named_inside(0, BCAST, 0);
    named_did(1, REDUCE, 0, 0, 0);
    named_inside(1, REDUCE, 0);
    expect_nothing();

    for (int sent = 0; sent < 2; sent++) { /* it sent nothing: it had no part in the call */
        job_start(2);
        names_define();
        lane[0].header.layer = SPOOL_LAYER_ON;
        if (sent) { /* it did */
            struct spool_event event = event_of(0, EVENT_CLASS_ISEND, 1, 0, 0);

            event.parent = 1;
            event.seq++; /* of the call that follows, and one more */
            put(0, SPOOL_EVENT, EVENT_CLASS_ISEND, 0, &event, sizeof event, NULL, 0);
            lane[0].seq--;
        }
        named_did(0, REDUCE, 0, 0, 5);
        inside(0, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        named_inside(1, REDUCE, 0);
        if (sent)
            expect_nothing();
        else
            expect_proven(2);
    }

    job_start(2); /* blocking and not blocking do not match, and no barrier is complete by itself */
    names_define();
    named_did(0, IBARRIER, EVENT_NONE, 1, 0);
    did(0, EVENT_CLASS_ISEND, 1, 0, 2);
    did(1, EVENT_CLASS_IRECV, 0, 0, 2);
    inside_list(0, EVENT_CLASS_WAITALL, (uint32_t[]){1, 2}, 2);
    named_inside(1, BARRIER, EVENT_NONE);
    expect_proven(2);

    job_start(2);
    names_define();
    for (uint32_t r = 0; r < 2; r++) {
        named_did(r, IBARRIER, EVENT_NONE, 1, 0);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    }
    expect_nothing();
}

/* Groups {0, 1} and {2, 3}; each rank names its root in one call. */
static void between_two_groups(const int32_t root[4])
{
    enum { INTER = 7 };

    job_start(4);
    names_define();
    for (uint32_t r = 0; r < 4; r++) {
        struct spool_def_comm comm = {.global = 200,
                                      .id = INTER,
                                      .rank = (int32_t)r % 2,
                                      .size = 2,
                                      .remote_size = 2,
                                      .count = 4};
        int32_t member[] = {0, 1, 2, 3, 0, 1};

        put(r, SPOOL_DEF_COMM, SPOOL_COMM_INTER, 0, &comm, sizeof comm, member + r / 2 * 2,
            4 * sizeof *member);
        named_inside(r, BCAST, root[r]);
        lane[r].header.open[0].comm = INTER;
    }
}

static void roots_of_two_groups_fit(void **state)
{
    (void)state;
    between_two_groups((int32_t[]){EVENT_PROC_NULL, EVENT_ROOT, 1, 1});
    expect_nothing();
    between_two_groups((int32_t[]){0, 0, EVENT_ROOT, EVENT_PROC_NULL});
    expect_nothing();
    between_two_groups((int32_t[]){EVENT_NONE, EVENT_NONE, EVENT_NONE, EVENT_NONE});
    expect_nothing();

    between_two_groups((int32_t[]){EVENT_ROOT, EVENT_PROC_NULL, 1, 1}); /* another is the root */
    expect_proven(4);
    between_two_groups((int32_t[]){EVENT_ROOT, EVENT_ROOT, 0, 0}); /* two are */
    expect_proven(4);
    between_two_groups((int32_t[]){EVENT_ROOT, EVENT_PROC_NULL, 0, 1}); /* one names another */
    expect_proven(4);
    between_two_groups((int32_t[]){1, 1, 0, 0}); /* nobody is */
    expect_proven(4);
    between_two_groups((int32_t[]){EVENT_ROOT, EVENT_PROC_NULL, EVENT_ROOT, EVENT_PROC_NULL});
    expect_proven(4);
}

/* history/history.h invariant 1 */
static void calls_of_a_part_do_not_count(void **state)
{
    (void)state;
    job_start(3); /* ranks 1 and 2 make a communicator of their own; then all are in a barrier */
    names_define();
    named_did(1, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_did(2, CREATE_GROUP, EVENT_NONE, 0, 0);
    for (uint32_t r = 0; r < 3; r++)
        named_inside(r, BARRIER, EVENT_NONE);
    expect_nothing();

    job_start(3); /* they still make it: its members are unknown here */
    names_define();
    named_inside(0, BARRIER, EVENT_NONE);
    named_inside(1, CREATE_GROUP, EVENT_NONE);
    named_inside(2, CREATE_GROUP, EVENT_NONE);
    expect_nothing();

    job_start(3);
    names_define();
    named_did(1, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_did(2, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_inside(0, BARRIER, EVENT_NONE);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(3);
}

/* The rank is making a communicator of ranks `first` and `second`. */
static void party_inside(uint32_t rank, int32_t first, int32_t second, int32_t tag)
{
    struct spool_def_group def = {.id = 4, .size = 2, .count = 2};
    struct spool_args args = {.seq = lane[rank].seq + 1};
    int32_t member[] = {first, second};
    int64_t group = 4;

    put(rank, SPOOL_DEF_GROUP, 0, 0, &def, sizeof def, member, sizeof member);
    put(rank, SPOOL_ARGS, 1, 0, &args, sizeof args, &group, sizeof group);
    named_inside(rank, CREATE_GROUP, EVENT_NONE);
    lane[rank].header.open[0].tag = tag;
}

static void parts_that_make_a_communicator(void **state)
{
    (void)state;
    for (int twin = 0; twin < 12; twin++) {
        bool of_none = twin >= 6; /* MPI_Comm_create_from_group */
        int how = twin % 6;

        job_start(3);
        names_define();
        named_inside(2, BARRIER, EVENT_NONE);
        party_inside(0, 0, 1, 5);
        if (how == 0) /* both are there */
            party_inside(1, 0, 1, 5);
        else if (how == 1) /* with another tag */
            party_inside(1, 0, 1, 6);
        else if (how == 2) /* with another group */
            party_inside(1, 1, 2, 5);
        else
            named_inside(1, BARRIER, EVENT_NONE);
        if (how == 4) { /* it has made it, and rank 0 is about to */
            struct spool_def_comm comm = {.global = 300, .id = 9, .size = 2, .count = 2};
            put(1, SPOOL_DEF_COMM, SPOOL_COMM_INTRA, 0, &comm, sizeof comm, (int32_t[]){0, 1},
                2 * sizeof(int32_t));
        }
        for (uint32_t r = 0; r < 2 && of_none; r++)
            if (lane[r].header.open[0].head.a == CREATE_GROUP)
                lane[r].header.open[0].comm = 0;
        if (how == 5)
            standing[1] = PROOF_UNKNOWN;
        if (how == 0 || how >= 4) {
            expect_nothing();
            continue;
        }
        expect_proven(how == 2 ? 3 : 2);
        expect_need(ENDING_NEED_COLLECTIVE, of_none ? ENDING_OBJECT_NONE : ENDING_OBJECT_COMM,
                    EVENT_NONE);
    }
}

/* Groups {0, 2} and {1, 3}, led by ranks 0 and 1, make an intercommunicator; rank 3 is in a
 * barrier. */
static void sides_that_are_not_whole(void **state)
{
    (void)state;
    for (int twin = 0; twin < 4; twin++) {
        job_start(4);
        names_define();
        for (uint32_t r = 0; r < 4; r++) {
            struct spool_def_comm half = {
                .global = 50 + r % 2, .id = 8, .rank = (int32_t)r / 2, .size = 2, .count = 2};
            struct spool_args args = {.seq = lane[r].seq + 1};
            int64_t scalar[] = {0, WORLD, 1 - r % 2};

            put(r, SPOOL_DEF_COMM, SPOOL_COMM_INTRA, 0, &half, sizeof half,
                (int32_t[]){(int32_t)r % 2, (int32_t)r % 2 + 2}, 2 * sizeof(int32_t));
            if (r == 3 && twin != 1) {
                named_inside(r, BARRIER, EVENT_NONE);
            } else {
                put(r, SPOOL_ARGS, 3, 0, &args, sizeof args, scalar, sizeof scalar);
                named_inside(r, INTERCOMM_CREATE, EVENT_NONE);
                lane[r].header.open[0].comm = 8;
            }
            standing[r] = twin == 2 ? PROOF_STILL : PROOF_IDLE;
        }
        if (twin == 3) /* it may come */
            standing[3] = PROOF_UNKNOWN;
        if (twin)
            expect_nothing();
        else
            expect_proven(4);
    }
}

static void windows_and_files(void **state)
{
    (void)state;
    for (int other = 0; other < 2;
         other++) { /* rank 0 has made windows of its own: its numbers differ */
        job_start(2);
        object_define(0, SPOOL_DEF_WIN, 1, 70);
        object_define(0, SPOOL_DEF_WIN, 2, 71);
        object_define(1, SPOOL_DEF_WIN, 1, 71);
        on_object(0, EVENT_CLASS_WIN_CREATE, 2, EVENT_NONE, 0, false);
        on_object(1, EVENT_CLASS_WIN_CREATE, 1, EVENT_NONE, 0, false);
        inside(0, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
        if (other) {
            on_object(1, EVENT_CLASS_WIN_FREE, 1, EVENT_NONE, 0, true);
            expect_proven(2);
        } else {
            inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
            expect_nothing();
        }
    }

    job_start(2);
    object_define(0, SPOOL_DEF_FILE, 1, 90);
    object_define(1, SPOOL_DEF_FILE, 1, 90);
    on_object(0, EVENT_CLASS_FILE_COLL, 1, EVENT_NONE, 0, true);
    on_object(1, EVENT_CLASS_FILE_COLL, 1, EVENT_NONE, 0, true);
    expect_nothing();
    inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
    expect_proven(2);
}

static void posts_and_starts(void **state)
{
    (void)state;
    for (int crossed = 0; crossed < 3; crossed++) {
        job_start(2);
        for (uint32_t r = 0; r < 2; r++) {
            object_define(r, SPOOL_DEF_WIN, 1, 70);
            group_define(r, 1, 1 - (int32_t)r);
        }
        for (int round = 0; round < 2; round++) { /* rank 0 is the target, and all is well */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, false);
        }
        if (crossed == 0) { /* each starts before it posts */
            on_object(0, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, true);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, true);
            expect_proven(2);
            expect_need(ENDING_NEED_POST, ENDING_OBJECT_WIN, EVENT_NONE);
        } else if (crossed == 1) { /* the target waits for a completion that is under way */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, true);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, true);
            expect_nothing();
        } else { /* for one that never comes */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, true);
            inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
            expect_proven(2);
            expect_need(ENDING_NEED_COMPLETE, ENDING_OBJECT_WIN, EVENT_NONE);
        }
    }
}

static void locks(void **state)
{
    (void)state;
    for (int held = 0; held < 3; held++) {
        job_start(3);
        for (uint32_t r = 0; r < 3; r++)
            object_define(r, SPOOL_DEF_WIN, 1, 70);
        on_object(1, EVENT_CLASS_RMA_LOCK, 1, 2, 1, false);
        if (held == 0) /* given back in time */
            on_object(1, EVENT_CLASS_RMA_UNLOCK, 1, 2, 0, false);
        on_object(0, EVENT_CLASS_RMA_LOCK, 1, held == 2 ? 1 : 2, 1,
                  true); /* held 2: another target's */
        inside(1, EVENT_CLASS_RECV, 0, 0, 0);
        inside(2, EVENT_CLASS_RECV, 0, 0, 0);
        if (held != 1) {
            expect_nothing();
            continue;
        }
        expect_proven(3);
        expect_need(ENDING_NEED_LOCK, ENDING_OBJECT_WIN, EVENT_NONE);
    }
}

/* Rank 1 holds a lock; rank 0 accesses the window under a lock that excludes it. */
static void locks_that_are_taken_late(void **state)
{
    (void)state;
    for (int twin = 0; twin < 7; twin++) {
        uint16_t flush = twin == 5 ? FLUSH_LOCAL : EVENT_CLASS_RMA_FLUSH;

        job_start(2);
        names_define();
        for (uint32_t r = 0; r < 2; r++)
            object_define(r, SPOOL_DEF_WIN, 1, 200);
        on_object(1, EVENT_CLASS_RMA_LOCK, 1, 1, twin == 1 ? 2 : 1, false);
        if (twin != 2)
            on_object(1, EVENT_CLASS_RMA, 1, 1, 0, false);
        if (twin != 3) /* else it may lack it */
            on_object(1, (enum event_class)flush, 1, 1, 0, false);
        if (twin == 4)
            on_object(1, EVENT_CLASS_RMA_UNLOCK, 1, 1, 0, false);
        inside(1, EVENT_CLASS_RECV, 0, 0, 0);
        on_object(0, EVENT_CLASS_RMA_LOCK, 1, 1, twin == 1 ? 2 : 1, false);
        on_object(0, EVENT_CLASS_RMA, 1, 1, 0, false);
        on_object(0, twin == 6 ? EVENT_CLASS_RMA_UNLOCK : EVENT_CLASS_RMA_FLUSH, 1, 1, 0, true);
        if (twin == 0 || twin == 6)
            expect_proven(2);
        else
            expect_nothing();
    }
}

/* A thread waits for a complete request and does not return: for a send whose message was received,
 * or for a receive whose completion another thread got. */
static void a_wait_for_a_request_that_is_complete(void **state)
{
    enum { RECEIVED, TOLD, STUCK, EARLY = STUCK, MOVES, REDUCES, UNKNOWN, TWINS };

    (void)state;
    for (int twin = 0; twin < TWINS; twin++) {
        job_start(2);
        uint32_t second = thread_of(0);

        did(0, EVENT_CLASS_ISEND, 1, 7, 5);
        did(second, EVENT_CLASS_ISEND, 1, 8, 6);
        did_completing(1, EVENT_CLASS_RECV, 0, 0, 7);
        did_completing(1, EVENT_CLASS_RECV, 0, 0, 8);
        if (twin != RECEIVED && twin != REDUCES)
            did_completing(second, EVENT_CLASS_WAIT, 5, EVENT_NONE, EVENT_NONE);
        if (twin == REDUCES) /* in one of two: the other one may go on */
            inside(second, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
        inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, twin == UNKNOWN ? 7 : 5);
        inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        standing[0] = twin == EARLY ? PROOF_IDLE_1MIB : PROOF_IDLE_64MIB;
        standing[1] = twin == MOVES ? PROOF_UNKNOWN : PROOF_IDLE_64MIB;
        if (twin >= STUCK) {
            expect_nothing();
            continue;
        }
        expect_proven(2);
        expect_need(ENDING_NEED_OVER, ENDING_OBJECT_NONE, EVENT_NONE);
    }
}

/* Threads of both ranks wait for their sends, whose receives are posted: no call will return the
 * completions any more. */
static void waits_for_sends_whose_receives_are_posted(void **state)
{
    enum { STUCK, FEWER, WILD, ELSEWHERE, EARLY, TWINS };

    (void)state;
    for (int twin = 0; twin < TWINS; twin++) {
        job_start(2);
        for (uint32_t r = 0; r < 2; r++) {
            thread_of(r);
            if (twin != ELSEWHERE)
                did(r, EVENT_CLASS_IRECV, twin == WILD ? EVENT_ANY : (int32_t)(1 - r), 7, 3);
            if (twin == ELSEWHERE)
                did(r, EVENT_CLASS_IRECV, (int32_t)(1 - r), 8, 3);
            did(r, EVENT_CLASS_ISEND, (int32_t)(1 - r), 7, 4);
            if (twin == FEWER)
                did(r, EVENT_CLASS_ISEND, (int32_t)(1 - r), 7, 5);
            inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, twin == FEWER ? 5 : 4);
            standing[r] = twin == EARLY ? PROOF_IDLE_1MIB : PROOF_IDLE_64MIB;
        }
        if (twin == STUCK) {
            expect_proven(2);
            expect_need(ENDING_NEED_OVER, ENDING_OBJECT_NONE, EVENT_NONE);
        } else if (twin == WILD || twin == EARLY)
            expect_nothing();
        else /* the send has no receive */
            expect_proven(2);
    }
}

/* Rank 0 calls MPI_Get with a null pointer, and rank 1 waits for rank 0 in the next fence. */
static void a_call_with_a_null_pointer(void **state)
{
    enum { STUCK, EARLY, GOOD, EARLIER, OTHER, MOVES, TWINS };

    (void)state;
    for (int twin = 0; twin < TWINS; twin++) {
        job_start(3);
        for (uint32_t r = 0; r < 3; r++) {
            object_define(r, SPOOL_DEF_WIN, 3, 300);
            on_object(r, EVENT_CLASS_RMA_FENCE, 3, EVENT_NONE, 0, false);
            standing[r] = twin == EARLY ? PROOF_IDLE_1MIB : PROOF_IDLE_64MIB;
            if (r)
                on_object(r, EVENT_CLASS_RMA_FENCE, 3, EVENT_NONE, 0, true);
        }
        struct spool_misuse misuse = {.seq = lane[0].seq + (twin != EARLIER)};
        if (twin != GOOD) /* EARLIER: of another call; OTHER: another misuse */
            put(0, SPOOL_MISUSE, twin == OTHER ? MISUSE_BUFFERS_OVERLAP : MISUSE_NULL_RECEIVED, 0,
                &misuse, sizeof misuse, NULL, 0);
        on_object(0, EVENT_CLASS_RMA, 3, 1, 0, true);
        if (twin == MOVES) /* a rank that is not even waited for may do something */
            standing[2] = PROOF_UNKNOWN;
        if (twin) {
            expect_nothing();
            continue;
        }
        expect_proven(3);
        expect_need(ENDING_NEED_NULL, ENDING_OBJECT_NONE, EVENT_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_for_a_request_that_is_complete),
        cmocka_unit_test(waits_for_sends_whose_receives_are_posted),
        cmocka_unit_test(a_call_with_a_null_pointer),
        cmocka_unit_test(collectives_wait_for_who_is_missing),
        cmocka_unit_test(roots_of_two_groups_fit),
        cmocka_unit_test(collectives_in_which_others_are_at_work),
        cmocka_unit_test(collectives_in_which_others_are_outside),
        cmocka_unit_test(neighbors_wait_for_each_other_alone),
        cmocka_unit_test(collectives_that_all_have_entered_and_that_rest),
        cmocka_unit_test(sizes_that_one_side_gives_and_another_takes),
        cmocka_unit_test(sizes_are_compared_pair_by_pair),
        cmocka_unit_test(files_that_differ),
        cmocka_unit_test(groups_that_differ),
        cmocka_unit_test(collectives_that_differ_wait_for_each_other),
        cmocka_unit_test(calls_of_a_part_do_not_count),
        cmocka_unit_test(sides_that_are_not_whole),
        cmocka_unit_test(parts_that_make_a_communicator),
        cmocka_unit_test(windows_and_files),
        cmocka_unit_test(posts_and_starts),
        cmocka_unit_test(locks),
        cmocka_unit_test(locks_that_are_taken_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
