/* Collectives over memory that ranks share by a window: one that reads before the others have
 * written, the correct one beside it, one that waits for a flag in that memory; a barrier whose
 * rank loads what another one puts, with nothing that orders the two, and the correct one. */
#include <mpi.h>

enum { FLAG_BYTES = 8, READS_EARLY = 0, WAITS_IN_BARRIER, WAITS_FOR_FLAG };
#define SIDES \
    const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm
#define PASSED in, n, type, out, m, to, comm

static char *segment_of(MPI_Win win, int rank)
{
    MPI_Aint bytes;
    int unit;
    char *base;
    MPI_Win_shared_query(win, rank, &bytes, &unit, &base);
    return base;
}

/* Puts a flag and its own block into its segment, then takes the blocks out of all of them. */
static int allgather(SIDES, int how)
{
    int rank, size, bytes, at = 0;
    MPI_Win win;
    MPI_Aint lower, extent;
    char *mine;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(to, &lower, &extent);
    if (in == MPI_IN_PLACE) {
        in = (char *)out + rank * m * extent;
        n = m;
        type = to;
    }
    MPI_Pack_size(n, type, comm, &bytes);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT, MPI_MAX, comm);
    MPI_Win_allocate_shared(bytes + FLAG_BYTES, 1, MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    *(volatile int *)mine = 0;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    MPI_Pack(in, n, type, mine + FLAG_BYTES, bytes, &at, comm);
    MPI_Win_sync(win);
    *(volatile int *)mine = 1;
    if (how == WAITS_IN_BARRIER)
        MPI_Barrier(comm);
    MPI_Win_sync(win);
    for (int i = 0; i < size; i++) {
        char *theirs = segment_of(win, i);
        while (how == WAITS_FOR_FLAG && !*(volatile int *)theirs)
            MPI_Win_sync(win);
        at = 0;
        MPI_Unpack(theirs + FLAG_BYTES, bytes, &at, (char *)out + i * m * extent, m, to, comm);
    }
    MPI_Win_unlock_all(win);
    return MPI_Win_free(&win);
}
static int wrong_allgather(SIDES)
{
    return allgather(PASSED, READS_EARLY);
}
static int right_allgather(SIDES)
{
    return allgather(PASSED, WAITS_IN_BARRIER);
}
static int flag_allgather(SIDES)
{
    return allgather(PASSED, WAITS_FOR_FLAG);
}

/* Wrong: rank 1 takes the one that rank 0 puts for an error, if it is there already. */
static int barrier(MPI_Comm comm, int looks)
{
    int rank, size, one = 1, *mine;
    MPI_Win win;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_allocate(sizeof one, 1, MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    *(volatile int *)mine = 0;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    if (rank == 0 && size > 1) {
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
    }
    if (rank == 1 && looks && *(volatile int *)mine)
        MPI_Abort(comm, 3);
    MPI_Barrier(comm);
    MPI_Win_unlock_all(win);
    return MPI_Win_free(&win);
}
static int wrong_barrier(MPI_Comm comm)
{
    return barrier(comm, 1);
}
static int right_barrier(MPI_Comm comm)
{
    return barrier(comm, 0);
}

COLLECTIVE(allgather, "", wrong_allgather)
COLLECTIVE(allgather, "", right_allgather)
COLLECTIVE(allgather, "", flag_allgather)
COLLECTIVE(barrier, "", wrong_barrier)
COLLECTIVE(barrier, "", right_barrier)
