/* The counted sequence in C, in several ways of starting and ending: `counted_c
 * [funneled|serialized|multiple|atexit|fork|pmpi|noopen]`. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

static void finalize(void)
{
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int me, provided = 0, flag;
    MPI_Initialized(&flag); /* before MPI_Init: not recorded, and harmless */
    if (!strcmp(how, "funneled"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    else if (!strcmp(how, "serialized"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    else if (!strcmp(how, "multiple"))
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    if (!strcmp(how, "atexit"))
        atexit(finalize);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (!strcmp(how, "close")) /* a program that closes every descriptor it did not open itself */
        for (int fd = 3; fd < 4096; fd++)
            if (fcntl(fd, F_GETFD) >= 0) {
                char path[64], target[256] = "";
                snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
                if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, ".spool"))
                    close(fd);
            }
    if (!strcmp(how, "marks")) { /* once before, once between, once after the marks */
        counted(MPI_COMM_WORLD, me);
        MPI_Pcontrol(1);
    }
    counted(MPI_COMM_WORLD, me);
    if (!strcmp(how, "marks")) {
        MPI_Pcontrol(2);
        counted(MPI_COMM_WORLD, me);
    }
    if (!strcmp(how, "fork")) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) { /* must not write into the parent's record, even when it calls MPI, which
                             it may not */
            int size;
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            exit(size == 2 ? 7 : 8);
        }
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != 7 || system("exit 5") >> 8 != 5)
            return 1;
    }
    if (strcmp(how, "atexit") != 0)
        MPI_Finalize();
    MPI_Finalized(&flag); /* after MPI_Finalize: not recorded */
    return strcmp(how, "atexit") == 0 ? flag : !flag;
}
