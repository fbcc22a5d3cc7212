/* Sends messages with the same peer and tag on two communicators at once: a tool that matches them
 * by peer and tag alone confuses them. Each rank sends on one communicator and on its duplicate,
 * after it has posted the receives in the other order. A token goes round a third communicator,
 * which has the ranks reversed.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=4 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm copy, reversed;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);

    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int out[2] = {100 + rank, 200 + rank}, in[2] = {-1, -1};
    MPI_Request all[4];
    MPI_Irecv(&in[1], 1, MPI_INT, left, 9, copy, &all[0]);
    MPI_Irecv(&in[0], 1, MPI_INT, left, 9, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(&out[0], 1, MPI_INT, right, 9, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(&out[1], 1, MPI_INT, right, 9, copy, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    int wrong = in[0] != 100 + left || in[1] != 200 + left;

    int turned, token = rank, got = -1;
    MPI_Comm_rank(reversed, &turned);
    MPI_Sendrecv(&token, 1, MPI_INT, (turned + 1) % size, 9, &got, 1, MPI_INT,
                 (turned + size - 1) % size, 9, reversed, MPI_STATUS_IGNORE);
    wrong |= got != right;
    printf("rank %d: %s\n", rank, wrong ? "wrong" : "right");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return wrong;
}
