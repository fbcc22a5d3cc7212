# timeout: 120
# --last, if the cause of a hang precedes all kept records: a receive that takes the last message, a
# collective that does not match another. The launcher proves the hang from the sums of dropped
# records and names the ranks that block each other; the twin finishes. For ranks with several
# threads, where the sums do not suffice, it claims nothing.
. "$SOURCE/tests/launch/lib.bash"
bad=0
fail() { echo "$*"; bad=1; }
cat >cause.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <string.h>
static int other;
static void *exchange(void *tag)
{
    int mine = 0, theirs;
    for (int i = 0; i < 20000; i++)
        MPI_Sendrecv(&mine, 1, MPI_INT, other, *(int *)tag, &theirs, 1, MPI_INT, other, *(int *)tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}
int main(int argc, char **argv)
{
    const char *how = argv[1];
    int me, got = 0, early_got = 0, tag[2] = {1, 2}, level;
    int threads = !strcmp(how, "threads"), collective = !strcmp(how, "collective");
    int early_send = !strcmp(how, "twin"), early_receive = !early_send && !collective;
    MPI_Comm comm;
    MPI_Request early = MPI_REQUEST_NULL;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (early_receive && !me)
        MPI_Irecv(&early_got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &early);
    if (collective && !me)
        MPI_Ibarrier(comm, &early);
    if (early_send && me)
        MPI_Isend(&me, 1, MPI_INT, 0, 9, comm, &early);
    if (threads)
        pthread_create(&thread, NULL, exchange, &tag[1]);
    exchange(&tag[0]);
    if (threads)
        pthread_join(thread, NULL);
    if (collective && me)
        MPI_Bcast(&got, 1, MPI_INT, 0, comm);
    if (collective && !me)
        MPI_Wait(&early, MPI_STATUS_IGNORE);
    if (early_receive && me)
        MPI_Send(&me, 1, MPI_INT, 0, 9, comm);
    if (!collective && !me)
        MPI_Recv(&got, 1, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -pthread -o cause cause.c || exit 1
job() { # HOW, crosswait's arguments
    rm -f T.db
    crosswait run -o T.db --last=1000 "${@:2}" -- mpirun -n 2 ./cause "$1" >out 2>err
    status=$?
    [ "$(sqlite3 T.db 'select min(lost) > 5000 from rank')" = 1 ] || fail "$1: nothing was dropped"
    [ "$(sqlite3 T.db "select count(*) from event where call in ('MPI_Irecv', 'MPI_Ibarrier')")" \
        = 0 ] || fail "$1: the cause was kept"
}
proven() { # HOW, what is said
    job "$1"
    [ $status = 1 ] && grep -q "^crosswait: deadlock: $2; the job was ended" err ||
        fail "$1: exit status $status: $(cat err)"
}
proven taken "rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Barrier for rank 0"
proven collective "rank 0 waits in MPI_Wait for rank 1, rank 1 waits in MPI_Bcast for rank 0"
job twin
[ $status = 0 ] && [ "$(ranks T.db | cut -d' ' -f2 | uniq)" = finished ] ||
    fail "twin: exit status $status: $(cat out err)"
job threads --stall=3
[ $status = 5 ] && grep -q "without a proof of a hang" err && ! grep -q "^error" out ||
    fail "threads: exit status $status: $(cat out err)"
exit $bad
