/* late ROUNDS good|bad: two ranks exchange messages, round after round; with bad the last receive
 * of rank 1 fits none. Every seventh round is longer. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, rounds = argc > 2 ? atoi(argv[1]) : 0, out = 1, in[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        MPI_Request request[4];
        int wrong = i == rounds - 1 && rank == 1 && !strcmp(argv[2], "bad");
        MPI_Irecv(&in[0], 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, !rank, wrong ? 7 : 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&out, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&out, 1, MPI_INT, !rank, 1, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        if (i % 7 == 0)
            MPI_Sendrecv(&out, 1, MPI_INT, !rank, 3, in, 1, MPI_INT, !rank, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
