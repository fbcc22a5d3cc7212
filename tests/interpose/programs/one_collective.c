/* Collectives by name, each a few times with different counts and roots: `one_collective NAME,... [COUNT...]`. */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int *in, *out, counts[64], displs[64];

static void prepare(int n)
{
    for (int i = 0; i < n * size; i++) {
        in[i] = rank * 1000 + i;
        out[i] = -1;
    }
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        displs[i] = i * n;
    }
}

/* Open MPI's persistent collectives, started twice. */
static int run_persistent(const char *name, int n, int root)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    MPI_Request q;
    if (!strcmp(name, "pbcast"))
        MPIX_Bcast_init(in, n, MPI_INT, root, w, none, &q);
    else if (!strcmp(name, "pallreduce"))
        MPIX_Allreduce_init(in, out, n, MPI_INT, MPI_SUM, w, none, &q);
    else if (!strcmp(name, "pbarrier"))
        MPIX_Barrier_init(w, none, &q);
    else if (!strcmp(name, "palltoall"))
        MPIX_Alltoall_init(in, n, MPI_INT, out, n, MPI_INT, w, none, &q);
    else if (!strcmp(name, "pgather"))
        MPIX_Gather_init(in, n, MPI_INT, out, n, MPI_INT, root, w, none, &q);
    else
        return 2;
    for (int i = 0; i < 2; i++) {
        if (i)
            MPI_Startall(1, &q);
        else
            MPI_Start(&q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&q);
    return 0;
}

static int run(const char *name, int n, int root)
{
    if (name[0] == 'p')
        return run_persistent(name, n, root);
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request q = MPI_REQUEST_NULL;
    int nb = name[0] == 'i';
    const char *base = name + nb;
#define CALL(blocking, nonblocking) (nb ? nonblocking : blocking)
    if (!strcmp(base, "bcast")) CALL(MPI_Bcast(in, n, MPI_INT, root, w), MPI_Ibcast(in, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "barrier")) CALL(MPI_Barrier(w), MPI_Ibarrier(w, &q));
    else if (!strcmp(base, "reduce")) CALL(MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, w), MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, root, w, &q));
    else if (!strcmp(base, "allreduce")) CALL(MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, w), MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "scan")) CALL(MPI_Scan(in, out, n, MPI_INT, MPI_SUM, w), MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "exscan")) CALL(MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, w), MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "gather")) CALL(MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, w), MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "scatter")) CALL(MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, w), MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "allgather")) CALL(MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, w), MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, w, &q));
    else if (!strcmp(base, "allgatherv")) CALL(MPI_Allgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, w), MPI_Iallgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, w, &q));
    else if (!strcmp(base, "alltoall")) CALL(MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, w), MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, w, &q));
    else if (!strcmp(base, "alltoallv")) CALL(MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, w), MPI_Ialltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, w, &q));
    else if (!strcmp(base, "reduce_scatter")) CALL(MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w), MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "reduce_scatter_block")) CALL(MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, w), MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else {
        fprintf(stderr, "no such collective: %s\n", name);
        return 2;
    }
    if (nb)
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int bad = argc < 2 ? 2 : 0;
    for (int i = 2; i < argc && !bad; i++) {
        int n = atoi(argv[i]);
        in = malloc(((size_t)n * size + 1) * sizeof *in);
        out = malloc(((size_t)n * size + 1) * sizeof *out);
        char *names = strdup(argv[1]), *rest = names, *name;
        while ((name = strsep(&rest, ",")))
            for (int root = 0; root < size && !bad; root += size > 1 ? size - 1 : 1) {
                prepare(n);
                bad = run(name, n, root);
            }
        free(names);
        free(in);
        free(out);
    }
    MPI_Finalize();
    return bad;
}
