/* Forks a child that only exits, and another one that runs a helper program, both while messages
 * are pending; neither child calls MPI. Each rank prints how often it made each call: the children
 * must add nothing.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"
#include <sys/wait.h>

static void ring(int rank, int size)
{
    int in = -1;
    CALL(MPI_Sendrecv, &rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT,
         (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == (rank + size - 1) % size);
}

int main(int argc, char **argv)
{
    int rank, size, status;
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    ring(rank, size);
    pid_t child = fork();
    if (!child)
        _exit(5);
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
    ring(rank, size);
    child = fork();
    if (!child) {
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        _exit(1);
    }
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 6);
    ring(rank, size);
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
