/* usage: paced SECONDS: each rank sends a message to itself 100 times a second. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 10, sent = 0, received;

    MPI_Init(&argc, &argv);
    for (double start = MPI_Wtime(); MPI_Wtime() - start < seconds; sent++) {
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        usleep(10000);
    }
    MPI_Finalize();
    return 0;
}
