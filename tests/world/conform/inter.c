/* Collectives between the two groups of an intercommunicator, of two and of four ranks, every one
 * blocking and not; splitting, duplicating and creating intercommunicators; waits for what an idup
 * makes. For 6 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, mine, here, there, first, nonblocking;
static MPI_Comm inter;
static char line[4096];

#define SAY(...) sprintf(line + strlen(line), __VA_ARGS__)
#define DO(Name, iname, ...)                       \
    do {                                           \
        MPI_Request request;                       \
        if (nonblocking) {                         \
            MPI_I##iname(__VA_ARGS__, &request);   \
            MPI_Wait(&request, MPI_STATUS_IGNORE); \
        } else {                                   \
            MPI_##Name(__VA_ARGS__);               \
        }                                          \
    } while (0)

static void show(const char *what, const int *data, int count)
{
    SAY(" %s", what);
    for (int i = 0; i < count; i++)
        SAY(" %d", data[i]);
}

static void flush_line(const char *title)
{
    printf("%s%d rank %d:%s\n", title, nonblocking, rank, line);
    line[0] = 0;
}

/* The root is rank 1 of the first group. */
static int root(void)
{
    return !first ? 1 : mine == 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(void)
{
    int in[32], out[32], counts[4], places[4];
    for (int i = 0; i < 32; i++)
        out[i] = 100 * rank + i, in[i] = -1;
    for (int i = 0; i < 4; i++)
        counts[i] = i + 1, places[i] = 5 * i + 1;
    int data[3] = {rank, rank + 1, rank + 2};
    DO(Barrier, barrier, inter);
    DO(Bcast, bcast, data, 3, MPI_INT, root(), inter);
    show("bcast", data, 3);
    DO(Reduce, reduce, out, in, 3, MPI_INT, MPI_SUM, root(), inter);
    show("reduce", in, 4);
    DO(Gather, gather, out, 2, MPI_INT, in, 2, MPI_INT, root(), inter);
    show("gather", in, 9);
    DO(Gatherv, gatherv, out, mine + 1, MPI_INT, in, counts, places, MPI_INT, root(), inter);
    show("gatherv", in, 21);
    DO(Scatter, scatter, out, 2, MPI_INT, in, 2, MPI_INT, root(), inter);
    show("scatter", in, 3);
    DO(Scatterv, scatterv, out, counts, places, MPI_INT, in, mine + 1, MPI_INT, root(), inter);
    show("scatterv", in, 5);
    flush_line("rooted");
}

static void all(void)
{
    int in[64], out[64], send[4], recv[4], sends[4], recvs[4], bytes_out[4], bytes_in[4], counts[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    for (int i = 0; i < 64; i++)
        out[i] = 100 * rank + i, in[i] = -1;
    for (int i = 0; i < 4; i++) {
        send[i] = (mine + i) % 3; /* to i of the others */
        recv[i] = (mine + i) % 3;
        sends[i] = 3 * i + 1;
        recvs[i] = 4 * i;
        bytes_out[i] = 4 * sends[i];
        bytes_in[i] = 4 * recvs[i];
    }
    DO(Allreduce, allreduce, out, in, 3, MPI_INT, MPI_SUM, inter);
    show("allreduce", in, 4);
    DO(Allgather, allgather, out, 2, MPI_INT, in, 2, MPI_INT, inter);
    show("allgather", in, 9);
    for (int i = 0; i < 4; i++)
        counts[i] = i + 1;
    DO(Allgatherv, allgatherv, out, mine + 1, MPI_INT, in, counts, recvs, MPI_INT, inter);
    show("allgatherv", in, 17);
    DO(Alltoall, alltoall, out, 2, MPI_INT, in, 2, MPI_INT, inter);
    show("alltoall", in, 9);
    DO(Alltoallv, alltoallv, out, send, sends, MPI_INT, in, recv, recvs, MPI_INT, inter);
    show("alltoallv", in, 17);
    DO(Alltoallw, alltoallw, out, send, bytes_out, types, in, recv, bytes_in, types, inter);
    show("alltoallw", in, 17);
    for (int i = 0; i < 4; i++)
        counts[i] =
            here == 2 ? 2 + 4 * i : 1 + 2 * (i % 2) - (i == 2) + (i == 0); /* 8 in both groups */
    int total = 0;
    for (int i = 0; i < here; i++)
        total += counts[i];
    SAY(" total %d", total);
    DO(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, inter);
    show("reduce_scatter", in, 7);
    DO(Reduce_scatter_block, reduce_scatter_block, out, in, 8 / here, MPI_INT, MPI_MAX, inter);
    show("block", in, 5);
    flush_line("all");
}

static void describe(const char *what, MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) {
        SAY(" %s null", what);
        return;
    }
    int r, n, others, sum = 0, is;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Comm_test_inter(comm, &is);
    if (is) {
        MPI_Comm_remote_size(comm, &others);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        SAY(" %s %d of %d against %d, whose sum is %d", what, r, n, others, sum);
    } else {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        SAY(" %s %d of %d, sum %d", what, r, n, sum);
    }
}

static void made(void)
{
    MPI_Comm copy, later, part, some, merged;
    MPI_Group local, few;
    MPI_Request request;
    int result, two[2] = {0, 1};
    MPI_Comm_dup(inter, &copy);
    describe("dup", copy);
    MPI_Comm_compare(inter, copy, &result);
    SAY(" compare %d", result);
    MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    describe("idup", later);
    MPI_Comm_split(inter, mine % 2, -mine, &part);
    describe("split", part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_split(inter, mine, 0, &part); /* the colours 2 and 3 are in one group only */
    describe("split", part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_group(inter, &local);
    MPI_Group_incl(
        local, 2, two,
        &few); /* in another order Open MPI 4.1 makes one whose members wait for each other */
    MPI_Comm_create(inter, few, &some);
    describe("create", some);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Intercomm_merge(inter, first, &merged);
    describe("merge", merged);
    MPI_Comm_free(&merged);
    MPI_Group_free(&few);
    MPI_Group_free(&local);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    flush_line("made");
}

int main(int argc, char **argv)
{
    MPI_Comm group;
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? 2 : 0, 5, &inter);
    MPI_Comm_rank(inter, &mine);
    MPI_Comm_size(inter, &here);
    MPI_Comm_remote_size(inter, &there);
    for (nonblocking = 0; nonblocking < 2; nonblocking++) {
        rooted();
        all();
    }
    made();
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
