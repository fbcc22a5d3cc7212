/* Makes every one-sided call: windows of all kinds, puts, gets, accumulates, all ways to
 * synchronise. Each rank prints how often it made each call, which depends on what MPI_Win_test
 * finds.
 *
 * Arguments: none. Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=0 verdict=race
 * TEST: ranks=3 args= job=0 verdict=race
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, size, right, left;
static MPI_Comm world;

static void fences(void)
{
    int cells[4] = {0}, value = rank + 100, got = -1;
    MPI_Win win;
    MPI_Group group;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CALL(MPI_Win_create, cells, sizeof(cells), sizeof(int), MPI_INFO_NULL, world, &win);
    CALL(MPI_Win_set_name, win, "cells");
    CALL(MPI_Win_get_name, win, name, &length);
    EXPECT(!strcmp(name, "cells"));
    CALL(MPI_Win_get_group, win, &group);
    CALL(MPI_Group_free, &group);
    CALL(MPI_Win_get_info, win, &info);
    CALL(MPI_Win_set_info, win, info);
    CALL(MPI_Info_free, &info);
    CALL(MPI_Win_fence, 0, win);
    CALL(MPI_Put, &value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    CALL(MPI_Accumulate, &value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    CALL(MPI_Win_fence, 0, win);
    EXPECT(cells[0] == left + 100);
    CALL(MPI_Get, &got, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    CALL(MPI_Win_fence, 0, win);
    EXPECT(got == value);
    CALL(MPI_Win_free, &win);
}

static void locks(void)
{
    int *cells, value = rank, result = -1, zero = 0, one = 1;
    MPI_Win win;
    MPI_Request r;
    CALL(MPI_Win_allocate, 8 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &cells, &win);
    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, rank, 0, win);
    memset(cells, 0, 8 * sizeof(int));
    CALL(MPI_Win_unlock, rank, win);
    CALL(MPI_Barrier, world);
    CALL(MPI_Win_lock, MPI_LOCK_SHARED, right, 0, win);
    CALL(MPI_Get_accumulate, &one, 1, MPI_INT, &result, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM,
         win);
    CALL(MPI_Win_flush, right, win);
    EXPECT(result == 0);
    CALL(MPI_Fetch_and_op, &one, &result, MPI_INT, right, 1, MPI_SUM, win);
    CALL(MPI_Win_flush_local, right, win);
    CALL(MPI_Compare_and_swap, &one, &zero, &result, MPI_INT, right, 2, win);
    CALL(MPI_Win_unlock, right, win);
    CALL(MPI_Win_lock_all, 0, win);
    CALL(MPI_Rput, &value, 1, MPI_INT, right, 3, 1, MPI_INT, win, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_Win_flush_all, win);
    CALL(MPI_Rget, &result, 1, MPI_INT, right, 3, 1, MPI_INT, win, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    EXPECT(result == rank);
    CALL(MPI_Raccumulate, &one, 1, MPI_INT, right, 4, 1, MPI_INT, MPI_SUM, win, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_Rget_accumulate, &one, 1, MPI_INT, &result, 1, MPI_INT, right, 5, 1, MPI_INT, MPI_SUM,
         win, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_Win_flush_local_all, win);
    CALL(MPI_Win_sync, win);
    CALL(MPI_Win_unlock_all, win);
    CALL(MPI_Barrier, world);
    CALL(MPI_Win_free, &win);
}

/* Each rank exposes its window to its left neighbour and accesses the window of the right one. */
static void post_start(void)
{
    int cell = -1, value = rank, flag = 0;
    MPI_Win win;
    MPI_Group all, to, from;
    CALL(MPI_Comm_group, world, &all);
    CALL(MPI_Group_incl, all, 1, &right, &to);
    CALL(MPI_Group_incl, all, 1, &left, &from);
    CALL(MPI_Win_create, &cell, sizeof(cell), sizeof(int), MPI_INFO_NULL, world, &win);
    for (int turn = 0; turn < 2; turn++) {
        CALL(MPI_Win_post, from, 0, win);
        CALL(MPI_Win_start, to, 0, win);
        CALL(MPI_Put, &value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
        CALL(MPI_Win_complete, win);
        if (turn)
            CALL(MPI_Win_wait, win);
        else
            while (!flag)
                CALL(MPI_Win_test, win, &flag);
        EXPECT(cell == left);
    }
    CALL(MPI_Win_free, &win);
    CALL(MPI_Group_free, &all);
    CALL(MPI_Group_free, &to);
    CALL(MPI_Group_free, &from);
}

static void other_windows(void)
{
    MPI_Win win;
    MPI_Aint bytes, place, places[64];
    int unit, *cells, *other, value = rank, local = -1;
    CALL(MPI_Win_allocate_shared, sizeof(int), sizeof(int), MPI_INFO_NULL, world, &cells, &win);
    CALL(MPI_Win_shared_query, win, right, &bytes, &unit, &other);
    CALL(MPI_Win_fence, 0, win);
    *cells = rank;
    CALL(MPI_Win_fence, 0, win);
    EXPECT(*other == right);
    CALL(MPI_Win_fence, 0, win);
    CALL(MPI_Win_free, &win);

    CALL(MPI_Win_create_dynamic, MPI_INFO_NULL, world, &win);
    CALL(MPI_Win_attach, win, &local, sizeof(local));
    CALL(MPI_Get_address, &local, &place);
    CALL(MPI_Allgather, &place, 1, MPI_AINT, places, 1, MPI_AINT, world);
    CALL(MPI_Win_fence, 0, win);
    CALL(MPI_Put, &value, 1, MPI_INT, right, places[right], 1, MPI_INT, win);
    CALL(MPI_Win_fence, 0, win);
    EXPECT(local == left);
    CALL(MPI_Win_detach, win, &local);
    CALL(MPI_Win_free, &win);
}

static void handler(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
}

static void attributes(void)
{
    int cell = 0, key, number = 7, flag, *found;
    MPI_Win win;
    MPI_Errhandler errors;
    CALL(MPI_Win_create, &cell, sizeof(cell), sizeof(int), MPI_INFO_NULL, world, &win);
    CALL(MPI_Win_create_keyval, MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
    CALL(MPI_Win_set_attr, win, key, &number);
    CALL(MPI_Win_get_attr, win, key, &found, &flag);
    EXPECT(flag && *found == 7);
    CALL(MPI_Win_delete_attr, win, key);
    CALL(MPI_Win_free_keyval, &key);
    CALL(MPI_Win_create_errhandler, handler, &errors);
    CALL(MPI_Win_set_errhandler, win, errors);
    CALL(MPI_Win_call_errhandler, win, MPI_ERR_OTHER);
    CALL(MPI_Errhandler_free, &errors);
    CALL(MPI_Win_get_errhandler, win, &errors);
    CALL(MPI_Errhandler_free, &errors);
    EXPECT(CALL(MPI_Win_f2c, CALL(MPI_Win_c2f, win)) == win);
    CALL(MPI_Win_free, &win);
}

int main(int argc, char **argv)
{
#if OMPI_MAJOR_VERSION < 5
    /* Debian's Open MPI 4.1 disables the only one-sided component that works without special
     * hardware. Version 5 has no such component and needs none. */
    setenv("OMPI_MCA_osc", "^ucx,rdma", 0);
#endif
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    EXPECT(size >= 2 && size <= 64);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    fences();
    locks();
    post_start();
    other_windows();
    attributes();
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
