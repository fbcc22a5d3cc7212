# What a world keeps of each pair of calls of threads is small: one with 1,000 such calls fits into
# its memory.
cat >rounds.c <<'END'
#include <mpi.h>
#include <pthread.h>
enum { THREADS = 4, ROUNDS = 60 };
static int me;
static void *exchange(void *tag)
{
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv_replace(&(int){i}, 1, MPI_INT, 1 - me, *(int *)tag, 1 - me, *(int *)tag,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}
int main(int argc, char **argv)
{
    int level, tag[THREADS];
    pthread_t thread[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        pthread_create(&thread[i], NULL, exchange, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return MPI_Finalize();
}
END
mpicc -g -pthread -o rounds rounds.c || exit 1
crosswait explore --again=order=explore -n 2 -- ./rounds
echo "[$?]"
