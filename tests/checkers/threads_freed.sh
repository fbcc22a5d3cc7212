# expected
# A thread frees a communicator that another thread has used: a note, as something unseen may order
# the two; nothing if the free follows both threads.
cat >prog.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, level, a = 1, b = 0;
    volatile int step = 0;
    MPI_Comm other, same;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    same = other;
    if (rank == 0) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            MPI_Comm_rank(other, &b);
            step = 1;
            MPI_Recv(&b, 1, MPI_INT, 1, 0, other, MPI_STATUS_IGNORE);
            step = 2;
        } else {
            while (step < 1)
                usleep(1000);
            MPI_Send(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            while (step < 2)
                usleep(1000);
#ifdef APART
            MPI_Comm_free(&same);
#endif
        }
#ifdef JOINED
        MPI_Comm_free(&same);
#endif
    } else {
        MPI_Recv(&b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&a, 1, MPI_INT, 0, 0, other);
        MPI_Comm_free(&same);
    }
    MPI_Finalize();
    return 0;
}
END
for how in APART JOINED; do
    mpicc -g -fopenmp -D$how -o prog prog.c || exit 1
    crosswait record -o T.db -- mpirun -n 2 ./prog >/dev/null 2>&1
    crosswait check --only=thread T.db >said
    echo "$how: $?"
    grep -E '^[a-z]*\[|^ -->|threads of a rank' said
    rm -f T.db
done
exit 0
