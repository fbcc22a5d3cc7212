/* Sums up a binary tree and sends the result down again, as libraries did before MPI_Allreduce:
 * each rank posts a wildcard receive for the result before it sends its own part, so that its
 * parent can answer with a ready send.
 *
 *     TEST: ranks=4 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 5; round++) {
        int sum = rank + round, answer = -1, part,
            children = (2 * rank + 1 < size) + (2 * rank + 2 < size);
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank)
            MPI_Irecv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
        for (int i = 0; i < children; i++, sum += part)
            MPI_Recv(&part, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank)
            MPI_Send(&sum, 1, MPI_INT, (rank - 1) / 2, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (!rank)
            answer = sum;
        for (int i = 0; i < children; i++)
            MPI_Rsend(&answer, 1, MPI_INT, 2 * rank + 1 + i, 2, MPI_COMM_WORLD);
        if (round == 4)
            printf("rank %d has %d\n", rank, answer);
        MPI_Barrier(
            MPI_COMM_WORLD); /* separates the rounds: no receive takes a later round's message */
    }
    MPI_Finalize();
    return 0;
}
