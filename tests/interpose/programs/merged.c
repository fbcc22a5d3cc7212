/* A window of MPI_COMM_WORLD, or, with an argument, of these ranks and two more that they start:
 * each rank puts its number into the next one's. Two ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, both, comm = MPI_COMM_WORLD;
    int rank, size, got = -1;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (argc > 1 && parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                       MPI_ERRCODES_IGNORE);
    else
        both = parent;
    if (both != MPI_COMM_NULL)
        MPI_Intercomm_merge(both, parent != MPI_COMM_NULL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_create(&got, sizeof got, sizeof got, MPI_INFO_NULL, comm, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_unlock((rank + 1) % size, window);
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    printf("%d has %d\n", rank, got);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    if (comm != MPI_COMM_WORLD) {
        MPI_Comm_free(&comm);
        MPI_Comm_disconnect(&both);
    }
    MPI_Finalize();
    return 0;
}
