/* 2 ranks. Between two fences each does, with the memory of its window, what its argument says: it
 * starts processes, takes signals, ends by one. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 100000, MIDDLE = CELLS / 2 };

static volatile int *volatile nowhere = (volatile int *)8;

static void caught(int number)
{
    _exit(number == SIGSEGV ? 3 : 4);
}

static void start_shell(void)
{
    char line[16] = "";
    FILE *shell = popen("echo 7", "r");
    if (!shell || !fgets(line, sizeof line, shell) || pclose(shell) != 0 || atoi(line) != 7 ||
        system("exit 2") != 2 << 8)
        abort();
}

static void start_copy(int *cell)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        cell[0]++;
        _exit(cell[0] != 1);
    }
    if (waitpid(child, &status, 0) != child || status)
        abort();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank, size, seven = 7, *cell;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    memset(cell, 0, CELLS * sizeof(int));
    MPI_Win_fence(0, win);
    MPI_Put(&seven, 1, MPI_INT, (rank + 1) % size, MIDDLE, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (!strcmp(what, "handles"))
        signal(SIGSEGV, caught);
    if (!strcmp(what, "shell"))
        start_shell();
    if (!strcmp(what, "copy"))
        start_copy(cell);
    if (!strcmp(what, "ends") || !strcmp(what, "handles"))
        *nowhere = 1;
    if (cell[MIDDLE] != 7)
        abort();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
