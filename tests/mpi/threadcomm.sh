# A communicator of threads (MPICH 5's MPIX_Threadcomm_init) has more ranks than its group has
# processes: the job ends as it does without us, and the functions that are not modelled are named.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there mpich
cat >threads.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static MPI_Comm comm;
static void *work(void *unused)
{
    int rank, size, x = -1;
    MPIX_Threadcomm_start(comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        MPI_Send(&size, 1, MPI_INT, size - 1, 3, comm);
    if (rank == size - 1) {
        MPI_Recv(&x, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
        printf("the last of %d\n", x);
    }
    MPI_Barrier(comm);
    MPIX_Threadcomm_finish(comm);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPIX_Threadcomm_init(MPI_COMM_WORLD, 2, &comm);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    MPIX_Threadcomm_free(&comm);
    MPI_Finalize();
    return 0;
}
C
compiled mpich threads threads.c
with mpich crosswait run -o T.db -- mpirun -n 2 ./threads >out 2>err
status=$?
[ $status = 0 ] && grep -qx 'the last of 4' out && ! grep -qE '^(error|warning)\[' out &&
    grep -q 'does not know what .*MPIX_Threadcomm_start' out ||
    { cat out err; fail "exit status $status"; }
exit $failed
