# timeout: 120
# idle
# MPICH catches SIGUSR1. The launcher still proves a hang of ranks with an idle thread if nobody
# else can have installed a handler that wakes the thread; if the program has one, the launcher does
# not end the job.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
cat >waiters.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#ifdef WAKES
#include <signal.h>
#endif
static sem_t wanted;
static int rank, sent, got;
static void *sender(void *argument)
{
    while (sem_wait(&wanted))
        ;
    MPI_Send(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return argument;
}
#ifdef WAKES
static void wake(int number)
{
    (void)number;
    sem_post(&wanted);
}
#endif
int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_init(&wanted, 0, 0);
    pthread_create(&thread, NULL, sender, NULL);
#ifdef WAKES
    signal(SIGUSR1, wake);
    if (fork() == 0) {
        sleep(2);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
#endif
    MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
C
mpicc.mpich -pthread -o hangs waiters.c && mpicc.mpich -pthread -DWAKES -o wakes waiters.c || exit 1
bad=0
timeout 30 crosswait record -o T.db -- mpiexec.mpich -n 2 ./hangs >out 2>&1
grep -q '^crosswait: deadlock: rank 0 waits in MPI_Recv for rank 1, rank 1 .* for rank 0' out ||
    { echo "not proven:"; cat out; bad=1; }
timeout 30 crosswait record -o T.db -- mpiexec.mpich -n 2 ./wakes >out 2>&1 ||
    { echo "ended, though it goes on:"; cat out; bad=1; }
exit $bad
