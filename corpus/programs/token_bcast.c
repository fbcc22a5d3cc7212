/* A token goes from rank to rank; its holder works alone, and a broadcast from the last rank ends
 * every turn. The next rank receives the token after the broadcast (0) or before it (1). In case 0
 * the library must buffer the token, unless rank r + 1 can leave the broadcast before rank r has
 * entered it, which MPI leaves open.
 *
 *     TEST: ranks=3 args=0 job=0 verdict=deadlock-unbuffered
 *     SAFE-FROM: 0
 *     TEST: ranks=3 args=1 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, early = argc > 1 && atoi(argv[1]), turns = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 4; round++)
        for (int turn = 0; turn < size; turn++) {
            if (rank == turn && turn > 0 && !early)
                MPI_Recv(NULL, 0, MPI_BYTE, turn - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            turns += rank == turn;
            if (rank == turn && turn < size - 1)
                MPI_Send(NULL, 0, MPI_BYTE, turn + 1, 1, MPI_COMM_WORLD);
            if (rank == turn + 1 && early)
                MPI_Recv(NULL, 0, MPI_BYTE, turn, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Bcast(NULL, 0, MPI_BYTE, size - 1, MPI_COMM_WORLD);
        }
    printf("rank %d had %d turns\n", rank, turns);
    MPI_Finalize();
    return 0;
}
