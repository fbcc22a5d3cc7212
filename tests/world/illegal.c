/* What a program must not do is answered with an error class, or ends the world with a finding;
 * never by an assertion of ours, or a crash. Each case runs on four ranks with MPI_ERRORS_RETURN,
 * three times: in the default order, and by two seeds. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

enum { RANKS = 4, FOUND = -1 /* no class, but a finding */ };
static int got[RANKS];

static int me(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* --- requests --------------------------------------------------------------------------------- */

static int twice_complete(void)
{
    int value = 1, rank = me();
    MPI_Request both[2];
    if (rank == 0) {
        MPI_Ibsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &both[0]);
        both[1] = both[0];
        int code = MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
        return code;
    }
    return MPI_ERR_REQUEST;
}

static int twice_pending(void)
{
    int value = 1, rank = me(), index;
    MPI_Request both[2];
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % RANKS, 0, MPI_COMM_WORLD, &both[0]);
    both[1] = both[0];
    int code = MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, (rank + RANKS - 1) % RANKS, 0, MPI_COMM_WORLD);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    return code;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int forget(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static int general_twice(void)
{
    MPI_Request request;
    MPI_Grequest_start(query, forget, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    int code = MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

/* --- collectives ------------------------------------------------------------------------------ */

static int counts_negative(void)
{
    int mine = 1, all[RANKS], counts[RANKS] = {1, 1, -1, 1}, places[RANKS] = {0, 1, 2, 3};
    return MPI_Allgatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static int counts_overflow(void)
{
    int mine = 1, all[RANKS], counts[RANKS];
    for (int i = 0; i < RANKS; i++)
        counts[i] = 0x7fffffff;
    int code = MPI_Reduce_scatter(&mine, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return code == MPI_ERR_COUNT
               ? MPI_Reduce_scatter_block(&mine, all, 0x7fffffff, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
               : code;
}

static int types_null(void)
{
    int mine[RANKS] = {0}, all[RANKS], counts[RANKS] = {1, 1, 1, 1}, places[RANKS] = {0};
    MPI_Datatype types[RANKS] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Datatype bad[RANKS] = {MPI_INT, MPI_INT, MPI_DATATYPE_NULL, MPI_INT};
    return MPI_Alltoallw(mine, counts, places, types, all, counts, places, bad, MPI_COMM_WORLD);
}

static int in_place_result(void)
{
    return MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static int in_place_not_root(void)
{
    int value = 1;
    if (me() == 1)
        return MPI_ERR_ARG;
    return MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
}

static int bound_reduced(void)
{
    int a = 1, b;
    MPI_Datatype bound = MPI_Type_f2c(4); /* MPI_LB */
    MPI_Type_commit(&bound);
    return MPI_Allreduce(&a, &b, 1, bound, MPI_SUM, MPI_COMM_WORLD);
}

/* --- communicators ---------------------------------------------------------------------------- */

static int groups_differ(void)
{
    MPI_Group world, group;
    MPI_Comm made, again;
    int rank = me(), ranks[] = {0, 1, 2};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, rank == 0 ? 2 : 3, ranks, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_dup(made, &again);
    return MPI_SUCCESS;
}

static int leader_unknown(void)
{
    MPI_Comm half, made;
    int rank = me();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    int code = MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 99, 7, &made);
    MPI_Comm_free(&half);
    return rank < 2 ? code : MPI_ERR_RANK;
}

static int too_many_keys(void)
{
    int code = MPI_SUCCESS, key = MPI_KEYVAL_INVALID;
    for (int i = 0; i < 2000; i++)
        code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, 100 + 1500, NULL); /* no such key */
    return code;
}

static int info_of_all(void)
{
    MPI_Info info = MPI_INFO_ENV;
    int code = MPI_Info_free(&info), count = -1;
    MPI_Info_get_nkeys(MPI_INFO_ENV, &count);
    return count < 0 ? MPI_ERR_OTHER : code;
}

/* --- topologies ------------------------------------------------------------------------------- */

static int graph_edge(void)
{
    MPI_Comm made;
    int index[RANKS] = {1, 2, 3, 4}, edges[] = {1, 2, 99, 0};
    return MPI_Graph_create(MPI_COMM_WORLD, RANKS, index, edges, 0, &made);
}

static int graph_falls(void)
{
    MPI_Comm made;
    int index[RANKS] = {2, 1, 3, 4}, edges[] = {1, 2, 3, 0};
    return MPI_Graph_create(MPI_COMM_WORLD, RANKS, index, edges, 0, &made);
}

static int adjacent_unknown(void)
{
    MPI_Comm made;
    int to = 99, weight = 1;
    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &to, &weight, 1, &to, &weight,
                                          MPI_INFO_NULL, 0, &made);
}

static int degrees_negative(void)
{
    MPI_Comm made;
    int rank = me(), degree = -3, to = 0, weight = 1;
    return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &to, &weight, MPI_INFO_NULL, 0,
                                 &made);
}

static int grid_overflows(void)
{
    MPI_Comm made;
    int dims[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, periods[4] = {0};
    return MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 0, &made);
}

static int grid_parts(void)
{
    MPI_Comm grid, part = MPI_COMM_NULL;
    int dims[2] = {2, 2}, periods[2] = {0}, rank = me(), keep[2] = {rank != 0, rank == 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    int code = MPI_Cart_sub(grid, keep, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
    return code ? code : MPI_ERR_ARG; /* some member sees it */
}

/* --- types, files ----------------------------------------------------------------------------- */

static int type_too_large(void)
{
    MPI_Datatype type[5] = {MPI_DOUBLE};
    for (int i = 0; i < 4; i++)
        MPI_Type_contiguous(0x7fffffff, type[i], &type[i + 1]);
    return MPI_SUCCESS;
}

static int offset_too_large(void)
{
    MPI_File file;
    double value = 1;
    if (MPI_File_open(MPI_COMM_WORLD, "illegal.data",
                      MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file))
        return MPI_ERR_OTHER;
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    int code =
        MPI_File_read_at(file, (MPI_Offset)1 << 60, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_Offset place;
    if (code == MPI_ERR_ARG)
        code = MPI_File_get_byte_offset(file, (MPI_Offset)1 << 60, &place);
    MPI_File_close(&file);
    return code;
}

static int view_without_extent(void)
{
    MPI_File file;
    MPI_Datatype flat;
    if (MPI_File_open(MPI_COMM_WORLD, "illegal.data",
                      MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file))
        return MPI_ERR_OTHER;
    MPI_Type_create_resized(MPI_INT, 0, 0, &flat);
    MPI_Type_commit(&flat);
    int code = MPI_File_set_view(file, 0, MPI_INT, flat, "native", MPI_INFO_NULL);
    MPI_Type_free(&flat);
    MPI_File_close(&file);
    return code;
}

static int root_of_none(void)
{
    int all[RANKS] = {0}, mine = 0, counts[RANKS], at[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = 1;
        at[i] = i;
    }
    MPI_Request request;
    int code[] = {
        MPI_Bcast(&mine, 1, MPI_INT, -1, MPI_COMM_WORLD),
        MPI_Ibcast(&mine, 1, MPI_INT, -1, MPI_COMM_WORLD, &request),
        MPI_Reduce(&mine, all, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD),
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, -1, MPI_COMM_WORLD),
        MPI_Gatherv(&mine, 1, MPI_INT, all, counts, at, MPI_INT, -1, MPI_COMM_WORLD),
        MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, -1, MPI_COMM_WORLD),
        MPI_Scatterv(all, counts, at, MPI_INT, &mine, 1, MPI_INT, -1, MPI_COMM_WORLD),
    };
    for (size_t i = 1; i < sizeof code / sizeof *code; i++)
        if (code[i] != code[0])
            return MPI_ERR_OTHER;
    return code[0];
}

/* A legal one at the border: 1, and not what follows when the sum wraps. */
static int stride_widest(void)
{
    MPI_Group all, one;
    int range[1][3] = {{1, 2, 0x7fffffff}}, size = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int code = MPI_Group_range_incl(all, 1, range, &one);
    MPI_Group_free(&all);
    if (code)
        return code;
    MPI_Group_size(one, &size);
    MPI_Group_free(&one);
    return size == 1 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* --- all -------------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    int (*run)(void);
    int want; /* an error class on each rank, or FOUND */
    const char *rule;
} rows[] = {
    {"a request twice in a list, complete", twice_complete, MPI_ERR_REQUEST, NULL},
    {"a request twice in a list, pending", twice_pending, MPI_ERR_REQUEST, NULL},
    {"a generalised request completed twice", general_twice, MPI_ERR_REQUEST, NULL},
    {"a negative count of a list", counts_negative, MPI_ERR_COUNT, NULL},
    {"counts that are too many together", counts_overflow, MPI_ERR_COUNT, NULL},
    {"a null datatype of a list", types_null, MPI_ERR_TYPE, NULL},
    {"MPI_IN_PLACE for a result", in_place_result, MPI_ERR_ARG, NULL},
    {"MPI_IN_PLACE where nothing is", in_place_not_root, MPI_ERR_ARG, NULL},
    {"a reduction of MPI_LB", bound_reduced, MPI_ERR_OP, NULL},
    {"a communicator of groups that differ", groups_differ, FOUND, "collective-mismatch"},
    {"a remote leader that there is not", leader_unknown, FOUND, "deadlock"},
    {"more keys than there is room for", too_many_keys, MPI_ERR_NO_MEM, NULL},
    {"a predefined info freed", info_of_all, MPI_ERR_INFO, NULL},
    {"a graph with an edge to nobody", graph_edge, MPI_ERR_RANK, NULL},
    {"a graph whose index falls", graph_falls, MPI_ERR_ARG, NULL},
    {"a neighbour that there is not", adjacent_unknown, MPI_ERR_RANK, NULL},
    {"a negative degree", degrees_negative, MPI_ERR_ARG, NULL},
    {"a grid of 2^120 ranks", grid_overflows, MPI_ERR_ARG, NULL},
    {"parts of a grid that do not fit", grid_parts, MPI_ERR_ARG, NULL},
    {"a datatype of 2^127 bytes", type_too_large, FOUND, "limit"},
    {"an offset beyond all bytes", offset_too_large, MPI_ERR_ARG, NULL},
    {"-1 for a root", root_of_none, MPI_ERR_ROOT, NULL},
    {"a stride beyond all ranks", stride_widest, MPI_SUCCESS, NULL},
    {"a view without extent", view_without_extent, MPI_ERR_ARG, NULL},
};

static int rank_run(int rank, void *context)
{
    const struct row *row = context;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    got[rank] = row->run();
    return 0;
}

static int judge(const struct row *row, const struct world_outcome *outcome)
{
    bool found = false;
    for (int i = 0; i < outcome->finding_count && row->rule; i++)
        found |= !strcmp(world_rule_row(outcome->finding[i].rule)->id, row->rule);
    if (row->want == FOUND)
        return !found;
    for (int r = 0; r < RANKS; r++)
        if (got[r] != row->want) {
            printf("%s: rank %d gets %d, not %d\n", row->name, r, got[r], row->want);
            return 1;
        }
    return !outcome->finished;
}

int main(void)
{
    int failed = 0, count = (int)(sizeof rows / sizeof *rows);
    for (int i = 0; i < count; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            static struct world_outcome outcome;
            struct world_options options = {.rank_count = RANKS,
                                            .run = rank_run,
                                            .context = (void *)(uintptr_t)&rows[i],
                                            .initialized = true};
            if (seed) {
                options.policy.order = REPLAY_ORDER_RANDOM;
                replay_choice_seed(&options.choice, seed);
            }
            memset(got, 0, sizeof got);
            if (world_run(&options, &outcome) == CORE_OK && !judge(&rows[i], &outcome))
                continue;
            failed++;
            printf("%s, seed %d: %d findings, first %s: %s\n", rows[i].name, (int)seed,
                   outcome.finding_count,
                   outcome.finding_count ? world_rule_row(outcome.finding[0].rule)->id : "",
                   outcome.finding_count ? outcome.finding[0].text : "");
        }
    printf("%d illegal things, each answered: %d failed\n", count, failed);
    world_done();
    return failed != 0;
}
