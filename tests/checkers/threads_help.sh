# expected
# The help of a finding about threads fits the mistake: it advises MPI_THREAD_MULTIPLE only if the
# program did not ask for it.
cat >prog.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <string.h>

enum { ROUNDS = 30 };
static int rank;
static const char *how;

/* Each call waits for the other rank: two threads of rank 0 are in such calls at the same time. */
static void *work(void *unused)
{
    int in, other = !rank;
    for (int i = 0; i < (rank ? 2 : 1) * ROUNDS; i++)
        if (!strcmp(how, "gather"))
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Sendrecv(&rank, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    how = argv[1];
    if (!strcmp(how, "level"))
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) {
        pthread_create(&thread, NULL, work, NULL);
        if (!strcmp(how, "level"))
            pthread_join(thread, NULL);
    }
    work(NULL);
    if (!rank && strcmp(how, "level"))
        pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -pthread -o prog prog.c || exit 1
try() { # HOW [SQL]: what is changed in the trace
    echo "== $1"
    crosswait record -o "$1.db" -- mpirun -n 2 ./prog "$1" >/dev/null 2>&1
    sqlite3 "$1.db" "$2"
    crosswait check --only=thread "$1.db" >said
    grep -E '^[a-z]*\[thread|^ *= (help|the thread level)' said
}
try level
try gather
# A library that provides less than the program asks for.
try less "UPDATE arg_set SET value = 2 WHERE name = 'provided'"
try right
exit 0
