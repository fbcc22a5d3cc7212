# A hang across jobs of which one spawned the other is proven, and each one's report says for whom
# it waits; messages that no rank of the other job received are reported. The right twin, which is
# slow, is clean. Jobs that cannot be told apart (spawned at the same time, of the same size) are
# not judged.
# timeout: 200
# needs: openmpi<5: what spawns on Debian 13's Open MPI 5.0.7 crashes its mpirun, or never ends
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
cat >jobs.c <<'P'
#include <mpi.h>
#include <string.h>
#include <unistd.h>
static const char *how;
static int rank, child;
static MPI_Comm other;
static int is(const char *name) { return !strcmp(how, name); }
static void send(int to, int tag)
{
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, to, tag, other);
}
static void receive(int from, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, tag, other, MPI_STATUS_IGNORE);
}
static void spawn(char *program, MPI_Comm comm)
{
    char *words[] = {(char *)how, NULL};
    MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, comm, &other, MPI_ERRCODES_IGNORE);
}
int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&other);
    child = other != MPI_COMM_NULL;
    if (!child) {
        spawn(argv[0], is("alike") ? MPI_COMM_SELF : MPI_COMM_WORLD);
        if (is("again")) { /* the first one ends well */
            MPI_Comm_disconnect(&other);
            how = "cycle";
            spawn(argv[0], MPI_COMM_WORLD);
        }
    }
    if (is("cycle") || is("alike")) {
        if (!child && rank == 0) receive(1, 3);
        if (child && rank == 1) receive(0, 3);
    } else if (is("tag")) {
        if (!child && rank == 0) send(1, 4);
        if (child && rank == 1) receive(0, 3);
    } else if (is("coll")) {
        if (child && rank == 1) receive(0, 3);
        MPI_Barrier(other);
    } else if (is("lost")) {
        if (child && rank == 1) send(0, 3);
        if (child && rank == 1) send(0, 4);
        if (!child && rank == 0) receive(1, 4);
    } else if (is("right")) {
        if (child && rank == 0) send(1, 5);
        if (!child && rank == 1) receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!child && rank == 0) sleep(2);
        if (!child && rank == 0) send(1, 3);
        if (child && rank == 1) receive(0, 3);
        MPI_Barrier(other);
    }
    if (is("tag")) MPI_Comm_free(&other);
    else MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o jobs jobs.c || exit 1
try() { # HOW OPTION...
    echo "# $1"
    crosswait run --confirm=0 "${@:2}" -o T.db -- mpirun -n 2 ./jobs "$1" >said 2>&1
    echo "[$?]"
    # The other rank of a job may stand, or be on its way.
    grep -E '^(error|warning|note)\[|^ *= (it was|all of)' said |
        sed 's/; rank [01] cannot continue either//'
    rm -f T*.db
}
for how in cycle again tag coll lost right; do
    try $how
done
try alike --stall=3 | grep -v '^note'
