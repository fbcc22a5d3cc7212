/* Rank 0 adds up messages of ranks 2 and up. In some orders ranks 0 and 1 then exchange messages
 * for ever, without a decision. */
#include <mpi.h>
#include <stdio.h>

enum { EACH = 2, MESSAGE = 0, QUESTION = 1, ANSWER = 2 };

static int size;

static void adder(void)
{
    int value, again, first = 0, last = 0;
    long sum = 0;
    MPI_Status status;
    for (int i = 0; i < EACH * (size - 2); i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MESSAGE, MPI_COMM_WORLD, &status);
        sum += value;
        last = status.MPI_SOURCE;
        if (!first)
            first = last;
    }
    again = first == 3 && last == 2;
    MPI_Send(&again, 1, MPI_INT, 1, QUESTION, MPI_COMM_WORLD);
    while (again) {
        MPI_Recv(&value, 1, MPI_INT, 1, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&again, 1, MPI_INT, 1, QUESTION, MPI_COMM_WORLD);
    }
    printf("%ld\n", sum);
}

static void asked(void)
{
    int again;
    MPI_Recv(&again, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (again) {
        MPI_Send(&again, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD);
        MPI_Recv(&again, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        adder();
    else if (rank == 1)
        asked();
    else
        for (int i = 0; i < EACH; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, MESSAGE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
