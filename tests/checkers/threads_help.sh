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
# Two threads find one message, and the one that receives later gets a longer one.
cat >probes.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t both;
static void *take(void *second)
{
    MPI_Status status;
    MPI_Message message;
    int count, *in;
    if (!MATCHED) MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    else MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    in = malloc(count * sizeof *in);
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&both);
        if (i != (second != NULL)) continue;
        if (!MATCHED) MPI_Recv(in, count, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        else MPI_Mrecv(in, count, MPI_INT, &message, &status);
    }
    free(in);
    return second;
}
int main(int argc, char **argv)
{
    int rank, level, data[90] = {0};
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    if (rank) {
        pthread_create(&thread, NULL, take, data);
        take(NULL);
        pthread_join(thread, NULL);
    } else {
        MPI_Request request[2];
        MPI_Isend(data, 10, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(data, 90, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
for matched in 0 1; do
    echo "== MATCHED=$matched"
    mpicc -g -w -pthread -DMATCHED=$matched -o probes probes.c || exit 1
    crosswait record -o T.db -- mpirun -n 2 ./probes >/dev/null 2>&1
    crosswait check T.db | grep -E '^[a-z]*\[|^ *= (help|MPI_Probe)|^verdict'
done
# Two threads of rank 0 receive messages of different lengths under one tag. The short receive is
# posted first, the long message sent first.
cat >tags.c <<'END'
#include <mpi.h>
#include <pthread.h>
static int rank;
static pthread_barrier_t both;
static void *exchange(void *second)
{
    int in[90], out[90] = {0}, count = second ? 90 : 10;
    MPI_Request request;
    if (!rank && second)
        pthread_barrier_wait(&both);
    MPI_Irecv(in, rank ? 90 : count, MPI_INT, !rank, TAG * (second != NULL), MPI_COMM_WORLD,
              &request);
    if (!rank && !second)
        pthread_barrier_wait(&both);
    if (rank && !second)
        pthread_barrier_wait(&both);
    MPI_Send(out, count, MPI_INT, !rank, TAG * (second != NULL), MPI_COMM_WORLD);
    if (rank && second)
        pthread_barrier_wait(&both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return second;
}
int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, exchange, &rank);
    exchange(NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
END
for tag in 0 1; do
    echo "== TAG=$tag"
    mpicc -g -pthread -DTAG=$tag -o tags tags.c || exit 1
    crosswait record -o T.db -- mpirun -n 2 ./tags >/dev/null 2>&1
    crosswait check T.db | grep -E '^[a-z]*\[|^ *= (help|another)|^verdict'
done
exit 0
