# expected
# The trace of a job that hangs contains the proof, and the check accepts it.
. $SOURCE/tests/launch/lib.bash
checked() { # ranks program arguments
    local n=$1 program=$2
    shift 2
    [ -x ./cw.$program ] || own $program cw.$program
    crosswait record -o T.db -- mpirun -n $n ./cw.$program "$@" >out 2>err
    crosswait report --no-check --format=proof T.db >proof
    echo "$program: $? $(tail -n 1 proof)"
    sed -n '/^Rank [0-9]* is in/,/^  It waits/p' proof
    rm T.db
}
checked 2 quiz 1048576
checked 3 reduce_alone
checked 3 hangs collectives
checked 2 hangs_more icolls
# A receive from any rank, while its own rank's other thread waits for that thread.
cat >serve.c <<'C'
#include <mpi.h>
#include <pthread.h>
static void *serve(void *unused)
{
    int got, any = MPI_ANY_SOURCE;
    MPI_Recv(&got, 1, MPI_INT, any, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}
int main(int argc, char **argv)
{
    int level, rank;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&thread, NULL, serve, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
C
mpicc -pthread -o cw.serve serve.c || exit 1
checked 2 serve
exit 0
