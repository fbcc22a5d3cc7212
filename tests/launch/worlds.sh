# A rank of one world of processes that ends the job also ends the ranks of the others: these are
# not blamed, whichever rank mpirun ends first. Ranks that another mpirun of the command started end
# by themselves.
# timeout: 300
# needs: openmpi<5: what spawns on Debian 13's Open MPI 5.0.7 crashes its mpirun, or never ends
. "$SOURCE/tests/launch/lib.bash"
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
cat >worlds.c <<'P'
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static void ends(const char *how)
{
    if (!strcmp(how, "aborts"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(how, "crashes"))
        raise(SIGSEGV);
    if (!strcmp(how, "killed"))
        raise(SIGKILL);
    for (;;)
        pause();
}
/* HOW (of the parents' rank 0) HOW (of the children's); without: one world. */
int main(int argc, char **argv)
{
    MPI_Comm between;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&between);
    int child = between != MPI_COMM_NULL;
    if (!child && argc > 2)
        MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    /* Both have begun, and what ends one finds the other there. */
    MPI_Barrier(between != MPI_COMM_NULL ? between : MPI_COMM_WORLD);
    ends(rank ? "stays" : argv[child ? 2 : 1]);
}
P
mpicc -o worlds worlds.c || exit 1
told() { # how the job ended, as its traces and the verdict say; first of the world that spawns
    for trace in $(ls T*.db | while read -r db; do
        echo "$(crosswait dump $db | grep -c MPI_Comm_spawn) $(crosswait dump $db | wc -l) $db"
    done | sort -k1,1nr -k2,2nr | cut -d' ' -f3); do
        echo "a world"
        ranks $trace
        crosswait check $trace | grep -o '^[a-z]*\[[a-z]*\]: .*' |
            sed 's/ at worlds.*//; s/ in application code.*//'
    done
    rm -f T*.db
}
for how in "stays aborts" "stays crashes" "aborts stays" "crashes stays"; do
    echo "$ $how"
    crosswait record -o T.db -- mpirun -n 2 ./worlds $how >out 2>&1
    echo "[$?]"
    told
done
echo "$ two mpiruns"
crosswait record -o T.db -- sh -c 'mpirun -n 2 ./worlds aborts; mpirun -n 1 ./worlds killed' \
    >out 2>&1
told
exit 0
