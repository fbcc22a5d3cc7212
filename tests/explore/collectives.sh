# expected
# Counts, types and roots of collectives that do not agree among the ranks, also where every call
# would return: too little data, and roots of intercommunicators. Their right twins stay silent.
cat >prog.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, row[64] = {0}, count[4] = {1, 1, 1, 1}, at[4] = {0, 2, 4, 6};
    const char *how = argv[1];
    const int wrong = argc == 2;
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    int *all = row + 32, one = wrong && rank == 1 ? 1 : 2; /* rank 1 has less */
    MPI_Request request;
#define IS(name) (!strcmp(how, name))
    count[1] = wrong ? 2 : 1; /* or more is expected of it */
    if (IS("gather"))
        MPI_Gather(row, one, MPI_INT, all, 2, MPI_INT, 0, world);
    if (IS("gatherv"))
        MPI_Gatherv(row, 1, MPI_INT, all, count, at, MPI_INT, 0, world);
    if (IS("igatherv")) {
        MPI_Igatherv(row, 1, MPI_INT, all, count, at, MPI_INT, 0, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (IS("own")) { /* of the root itself */
        count[0] = wrong ? 2 : 1;
        count[1] = 1;
        MPI_Gatherv(row, 1, MPI_INT, all, count, at, MPI_INT, 0, world);
    }
    if (IS("scatterv"))
        MPI_Scatterv(all, (int[]){2, 2, 2, 2}, at, MPI_INT, row, rank == 1 && wrong ? 3 : 2,
                     MPI_INT, 0, world);
    if (IS("allgatherv"))
        MPI_Allgatherv(row, 1, MPI_INT, all, count, at, MPI_INT, world);
    if (IS("alltoall"))
        MPI_Alltoall(row, one, MPI_INT, all, one, MPI_INT, world);
    if (IS("reduce"))
        MPI_Reduce(row, all, one, MPI_INT, MPI_SUM, 0, world);
    if (IS("type"))
        MPI_Allreduce(row, all, 1, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, world);
    if (IS("bytes")) /* the same data by another name */
        MPI_Bcast(row, rank == 1 ? 8 : 2, rank == 1 ? MPI_BYTE : MPI_INT, 0, world);
    if (IS("inter") || IS("roots") || IS("alone")) {
        MPI_Comm local, inter;
        MPI_Comm_split(world, rank % 2, rank, &local);
        MPI_Intercomm_create(local, 0, world, 1 - rank % 2, 3, &inter);
        int root = rank == 0 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 0;
        if (wrong && IS("inter") && rank == 3)
            root = 1;
        if (wrong && IS("roots") && rank == 2)
            root = MPI_ROOT;
        if (wrong && IS("alone") && rank == 3)
            root = MPI_PROC_NULL;
        MPI_Bcast(row, 1, MPI_INT, root, inter);
        MPI_Reduce(row, all, 1, MPI_INT, MPI_SUM, root, inter);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
for how in gather gatherv igatherv own scatterv allgatherv alltoall reduce type \
    inter roots alone; do
    echo "$how: $(crosswait explore -n 4 -- ./prog $how | grep ^error)"
    crosswait explore -q -n 4 -- ./prog $how right || echo "$how is blamed"
done
crosswait explore -q -n 4 -- ./prog bytes && echo 'other names of the same data: fine'
