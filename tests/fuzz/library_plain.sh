# timeout: 120
# needs: openmpi<5: it shows defects of Open MPI 4.1.4
# The claims of `crosswait fuzz --library` on Open MPI 4.1.4 also hold without crosswait: plain
# programs call a collective as the standard allows, with the algorithm forced and without
# (docs/library.md).
set -u
cat >show.c <<'C'
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>
enum { ROOM = 4096 };
static int rank, size, all[ROOM], some[ROOM]; /* what is written beside them spoils nothing else */

/* 51 ints from rank 0, which odd ranks name so, the others as 17 triples: one signature. */
static int bcast(void)
{
    MPI_Datatype triple;
    int bad = 0;
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    for (int i = 0; i < 51; i++)
        all[i] = rank ? -1 : i;
    if (rank % 2)
        MPI_Bcast(all, 51, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(all, 17, triple, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 51; i++)
        bad |= all[i] != i;
    MPI_Type_free(&triple);
    return bad;
}

/* One int for each, sent out of every fifth of an array, received side by side. */
static int alltoall(void)
{
    MPI_Datatype fifth;
    int bad = 0;
    MPI_Type_create_resized(MPI_INT, 0, 5 * sizeof(int), &fifth);
    MPI_Type_commit(&fifth);
    for (int i = 0; i < size; i++)
        some[ROOM / 2 + 5 * i] = 100 * rank + i;
    MPI_Alltoall(some + ROOM / 2, 1, fifth, all + ROOM / 2, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        bad |= all[ROOM / 2 + i] != 100 * i + rank;
    MPI_Type_free(&fifth);
    return bad;
}

/* Of two the first: associative, does not commute; of all ranks the result is rank 0's. */
static void first(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, *n * sizeof(int));
}

/* Persistent, and in place at the root. */
static int reduce_init(void)
{
    MPI_Op op;
    MPI_Request request;
    MPI_Op_create(first, 0, &op);
    all[0] = some[0] = rank + 1;
    MPIX_Reduce_init(rank ? some : MPI_IN_PLACE, all, 1, MPI_INT, op, 0, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Op_free(&op);
    return rank == 0 && all[0] != 1;
}

/* On a ring of one or two ranks, where both neighbours are one: what goes to the left comes from
 * the right. */
static int neighbours(int nonblocking)
{
    int ring = 1, out[2] = {10, 20}, in[2] = {0, 0};
    MPI_Comm grid;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ring, 0, &grid);
    if (nonblocking) {
        MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    }
    MPI_Comm_free(&grid);
    return in[0] != 20 || in[1] != 10;
}

int main(int argc, char **argv)
{
    int bad, any;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bad = !strcmp(argv[1], "bcast")         ? bcast()
          : !strcmp(argv[1], "alltoall")    ? alltoall()
          : !strcmp(argv[1], "reduce_init") ? reduce_init()
                                            : neighbours(argv[1][0] == 'i');
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %s\n", argv[1], any ? "wrong" : "right");
    MPI_Finalize();
    return 0;
}
C
mpicc -w -o show show.c
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
mpirun -n 4 --mca coll_tuned_bcast_algorithm 4 ./show bcast
mpirun -n 4 --mca coll_tuned_bcast_algorithm 6 ./show bcast
mpirun -n 3 --mca coll_tuned_alltoall_algorithm 3 ./show alltoall
mpirun -n 3 --mca coll_tuned_alltoall_algorithm 2 ./show alltoall
mpirun -n 3 --mca coll_libnbc_ireduce_algorithm 1 ./show reduce_init
mpirun -n 1 --mca coll_libnbc_ireduce_algorithm 1 ./show reduce_init
mpirun -n 2 --mca coll_libnbc_ireduce_algorithm 2 ./show reduce_init
mpirun -n 1 ./show ineighbor_alltoall
mpirun -n 2 ./show ineighbor_alltoall
mpirun -n 1 ./show neighbor_alltoall
mpirun -n 2 ./show neighbor_alltoall
