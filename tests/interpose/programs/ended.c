/* Sends to itself and receives, for ever or for a while, and keeps count in a shared file of the
 * calls that have returned: `ended COUNTFILE HOW [MICROSECONDS|CALLS]`. HOW: kill segv abort
 * abort_libc mpi_abort exit: end so, rank 1 only, at that time or after so many calls; others go on
 * until they are ended. run: CALLS calls, then MPI_Finalize, each rank prints a line. nofds: the
 * same, with every descriptor taken. noenv: the same, without an environment. fsize: the same,
 * where no file may grow past 500 kB. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void *killer(void *argument)
{
    usleep((useconds_t)(long)argument);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *how = argv[2];
    long limit = atol(argv[3]);
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argv[1], me);
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, 4096))
        return 2;
    volatile unsigned long *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD); /* all are there when one ends */
    int mine = me == 1, run = !strcmp(how, "run") || !strcmp(how, "nofds") ||
                              !strcmp(how, "noenv") || !strcmp(how, "fsize");
    if (!strcmp(how, "noenv"))
        clearenv();
    if (!strcmp(how, "fsize")) {
        struct rlimit r = {500000, 500000};
        setrlimit(RLIMIT_FSIZE, &r);
    }
    if (mine && !strcmp(how, "kill")) {
        pthread_t thread;
        pthread_create(&thread, NULL, killer, (void *)limit);
    }
    if (!strcmp(how, "nofds")) { /* the descriptor that drains must be there already */
        struct rlimit r = {20, 20};
        setrlimit(RLIMIT_NOFILE, &r);
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    }
    long in = 0, out = me;
    for (long i = 0; !run || i < limit; i++) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &request);
        ++*count;
        MPI_Send(&out, 1, MPI_LONG, 0, 5, MPI_COMM_SELF);
        ++*count;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ++*count;
        if (!run && (!mine || !strcmp(how, "kill")))
            usleep(mine ? 20 : 500); /* time enough for few calls */
        if (mine && i == limit) {
            if (!strcmp(how, "segv"))
                *(volatile int *)(in - out) = 1;
            else if (!strcmp(how, "abort"))
                abort();
            else if (!strcmp(how, "mpi_abort"))
                MPI_Abort(MPI_COMM_WORLD, 9);
            else if (!strcmp(how, "exit"))
                exit(4);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld\n", me, in);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
