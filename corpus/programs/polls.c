/* Ranks wait by polling. With an argument that selects the poll, rank 0 polls for a message that
 * nobody sends: this hang cannot be proven, since a program may stop polling at any time. Without
 * an argument rank 0 finds the message after a second, while the sender sleeps.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank, number = 0, found = 0, first = 0;
    MPI_Request request[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&number, 1, MPI_INT, 1, *what ? 9 : 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&first, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[1]);
        while (!found) {
            if (!strcmp(what, "probe"))
                MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            else
                MPI_Testall(2, request, &found, MPI_STATUSES_IGNORE);
        }
    } else if (rank == 1) {
        MPI_Send(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        sleep(!strcmp(what, "slow") ? 30 : 1);
        MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        if (*what)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
