# expected
# The help of a finding about threads fits the mistake: it advises MPI_THREAD_MULTIPLE only if the
# program did not ask for it.
cat >prog.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <string.h>

enum { ROUNDS = 30 };
static int rank;
static pthread_barrier_t both;
static pthread_t first;
enum { BYTES = 4 << 20 }; /* takes a while */
static char data[2][BYTES];
static const char *how;

/* Two threads of rank 0 are in a call at the same time: rank 1 answers only when it has what both
 * sent, or the call takes long. */
static void *work(void *unused)
{
    int in, two = rank && strcmp(how, "level") ? 2 : 1;
    for (int i = 0; i < (rank ? 2 : 1) * ROUNDS; i += two) {
        if (!strcmp(how, "gather")) {
            if (!rank)
                pthread_barrier_wait(&both);
            for (int j = 0; j < two; j++)
                MPI_Bcast(rank ? data[0] : data[pthread_equal(pthread_self(), first)], BYTES,
                          MPI_CHAR, 1, MPI_COMM_WORLD);
        } else if (!rank) {
            MPI_Sendrecv(&rank, 1, MPI_INT, 1, 0, &in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            for (int j = 0; j < two; j++)
                MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int j = 0; j < two; j++)
                MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    how = argv[1];
    first = pthread_self();
    pthread_barrier_init(&both, NULL, 2);
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
