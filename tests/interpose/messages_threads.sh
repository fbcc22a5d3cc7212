# MPICH gives the handle of a message that one thread has received to another thread's MPI_Mprobe,
# before the first one's MPI_Mrecv has returned to the recorder: each message is received once.
# polls
cat >prog.c <<'C'
#include <mpi.h>
#include <pthread.h>
enum { THREADS = 8, ROUNDS = 1500 };
static int rank;
static void *talk(void *number)
{
    int tag = (int)(long)number, x;
    MPI_Message message;
    for (int i = 0; i < ROUNDS; i++)
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        } else {
            MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, talk, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    MPI_Finalize();
    return 0;
}
C
mpicc.mpich -g -pthread -o prog prog.c || exit 1
crosswait record -o T.db -- mpiexec.mpich -n 2 ./prog >out 2>&1 || { cat out; exit 1; }
crosswait check --only=request,message T.db >out || { cat out; exit 1; }
