# Threads with the least stack that the system allows, and a rank on a stack of its own: what the
# recorder looks for at a new place takes less than the program and MPI have left.
cat >prog.c <<'END'
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
static int rank, size, sum;
static ucontext_t back, here;
static void ring(void)
{
    int *own = NULL, got;
    MPI_Alloc_mem(2 * sizeof *own, MPI_INFO_NULL, &own);
    own[0] = rank;
    for (int i = 0; i < 3; i++) {
        MPI_Sendrecv(own, 1, MPI_INT, (rank + 1) % size, 0, own + 1, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(own, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += got + own[1];
    }
    MPI_Free_mem(own);
}
static void *thread_ring(void *unused)
{
    ring();
    return unused;
}
int main(int argc, char **argv)
{
    enum { STACK = 24 << 10 };
    pthread_attr_t attributes;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_create(&thread, &attributes, thread_ring, NULL);
    pthread_join(thread, NULL);
    getcontext(&here);
    here.uc_stack.ss_sp =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    here.uc_stack.ss_size = STACK;
    here.uc_link = &back;
    makecontext(&here, ring, 0);
    swapcontext(&back, &here);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -pthread -o prog prog.c || exit 1
mpirun -n 2 ./prog | sort >plain.txt
crosswait record -o T.db -- mpirun -n 2 ./prog | sort | cmp - plain.txt || exit 1
crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./prog >run.txt || { cat run.txt; exit 1; }
grep '^[0-9]' run.txt | sort | cmp - plain.txt || exit 1
grep -q '^verdict: clean' run.txt
