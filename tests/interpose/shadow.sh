# The recorder asks MemorySanitizer about sent bytes and tells it which bytes were received:
# unwritten bytes are found, and bytes that MPI has filled are not taken for unwritten. It tells
# ThreadSanitizer of buffers in flight: a thread that touches one races with the call that uses it,
# reported with both stacks, whatever lock the two take. Twins stay silent. Holds shadow.h
# invariants 1, 2 and 3.
# timeout: 300
fail() { echo "$*"; exit 1; }
cat >sends.c <<'P'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, *x = malloc(40), y[10], z[10], bad;
    struct { char c; double d; } *s = malloc(sizeof *s);
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bad = !strcmp(argv[1], "bad");
    for (int i = 0; i < 10 - bad; i++) x[i] = i;
    s->c = 1;
    s->d = 2;
    if (rank == 0) {
        MPI_Isend(x, 10, MPI_INT, 1, 1, MPI_COMM_WORLD, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        MPI_Send(s, sizeof *s, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(y, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(s, sizeof *s, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(y, 10, MPI_INT, 0, 2, z, 10, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(x, z, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(z, 5, MPI_INT, 0, MPI_COMM_WORLD);
    free(x);
    free(s);
    MPI_Finalize();
    return 0;
}
P
OMPI_CC=clang mpicc -g -w -fsanitize=memory -fsanitize-recover=memory -o sends sends.c || exit 1
export MSAN_OPTIONS=halt_on_error=0:report_umrs=0:exitcode=0
crosswait run -o T.db -- mpirun -n 2 ./sends good >out 2>&1 || fail "the twin: $(cat out)"
grep -q "note\[buffer\]: MPI_Send: byte 1 of the 16 sent from 'buf' was never written" out ||
    fail "$(cat out)"
crosswait run -o T.db -- mpirun -n 2 ./sends bad >out 2>&1 && fail "nothing is found: $(cat out)"
grep -q "^warning\[buffer\]: MPI_Isend: byte 36 of the 40 sent from 'buf' was never written" out ||
    fail "$(cat out)"
[ $(grep -c '^warning\|^error' out) = 1 ] || fail "$(cat out)"
cat >touches.c <<'P'
#include <mpi.h>
#include <pthread.h>
#include <string.h>
static int buffer[16], other[16], bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *touch(void *x)
{
    pthread_mutex_lock(&lock);
    (bad ? buffer : other)[3] += 5;
    pthread_mutex_unlock(&lock);
    return x;
}
int main(int argc, char **argv)
{
    int rank, level;
    pthread_t thread;
    MPI_Request q;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bad = !strcmp(argv[1], "bad");
    for (int round = 0; round < 2; round++) {
        if (rank == 0) {
            pthread_mutex_lock(&lock);
            MPI_Irecv(buffer, 16, MPI_INT, 1, 1, MPI_COMM_WORLD, &q);
            pthread_mutex_unlock(&lock);
            pthread_create(&thread, 0, touch, 0);
            pthread_join(thread, 0);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
            buffer[2]++;
        } else
            MPI_Send(buffer, 16, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    pthread_create(&thread, 0, touch, 0);
    pthread_join(thread, 0);
    MPI_Finalize();
    return 0;
}
P
cat >openmp.c <<'P'
#include <mpi.h>
#include <omp.h>
static int a[64];
int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
    {
        int t = omp_get_thread_num(), x[8] = {t};
        MPI_Request q;
        for (int i = 0; i < 20; i++) {
            MPI_Irecv(a + t * 8, 8, MPI_INT, 1 - rank, t, MPI_COMM_WORLD, &q);
            MPI_Send(x, 8, MPI_INT, 1 - rank, t, MPI_COMM_WORLD);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
            x[1] += a[t * 8];
        }
    }
    MPI_Finalize();
    return 0;
}
P
for compiler in gcc clang; do
    OMPI_CC=$compiler mpicc -g -w -fsanitize=thread -o touches touches.c -lpthread || exit 1
    export TSAN_OPTIONS=ignore_noninstrumented_modules=1
    crosswait run -o T.db -- mpirun -n 2 ./touches good >out 2>&1 ||
        fail "$compiler, the twin: $(cat out)"
    crosswait run -o T.db -- mpirun -n 2 ./touches bad >out 2>&1 &&
        fail "$compiler: nothing is found: $(cat out)"
    grep -q 'WARNING: ThreadSanitizer: data race' out || fail "$compiler: $(cat out)"
    grep -q '#0 touch .*touches.c:9' out && grep -q '#0 main .*touches.c:2[45]' out ||
        fail "$compiler: $(cat out)"
    export TSAN_OPTIONS=exitcode=0
    crosswait run -o T.db -- mpirun -n 2 ./touches good >out 2>&1 ||
        fail "$compiler, without the option: $(cat out)"
done
OMPI_CC=gcc mpicc -g -w -fopenmp -fsanitize=thread -o openmp openmp.c || exit 1
export TSAN_OPTIONS=ignore_noninstrumented_modules=1
CROSSWAIT_BUFFERS=on crosswait record -o T.db -- mpirun -n 2 ./openmp >out 2>&1 &&
    crosswait check T.db >>out || fail "OpenMP: $(cat out)"
grep -q ThreadSanitizer out && fail "OpenMP: $(cat out)"
exit 0
