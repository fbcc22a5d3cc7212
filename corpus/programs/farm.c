/* A correct task farm: rank 0 hands out tasks. It receives from any rank that is ready and answers
 * that rank; the others work until rank 0 stops them. The rank that gets a task differs from run to
 * run.
 *
 * Arguments: [tasks] (20). Ranks: 2 or more.
 *
 * TEST: ranks=4 args= job=0 verdict=clean
 * TEST: ranks=2 args=3 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASK = 1, TASK = 2, STOP = 3 };

static void hand_out(int tasks, int workers)
{
    int sum = 0, answer;
    MPI_Status status;

    for (int task = 0; workers > 0; task++) {
        MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        sum += answer;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, task < tasks ? TASK : STOP, MPI_COMM_WORLD);
        workers -= task >= tasks;
    }
    printf("the sum is %d\n", sum);
}

static void work(void)
{
    int answer = 0, task;
    MPI_Status status;

    for (;;) {
        MPI_Send(&answer, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        answer = task * task;
    }
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        hand_out(argc > 1 ? atoi(argv[1]) : 20, size - 1);
    else
        work();
    MPI_Finalize();
    return 0;
}
