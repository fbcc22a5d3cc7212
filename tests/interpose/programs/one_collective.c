/* Collectives by name, each a few times with different counts and roots: `one_collective
 * NAME[:NUMBER][@SIZES] ... [COUNT...]`. SIZES, e.g. 2-5,8: over communicators of so many of the
 * ranks; otherwise over all. NUMBER: of the algorithm that coll/tuned is told to take (the library
 * looks when a communicator is made). */
#include <ctype.h>
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* has them as extensions */
#include <mpi-ext.h>
#else
#define MPIX_Allreduce_init MPI_Allreduce_init
#define MPIX_Alltoall_init MPI_Alltoall_init
#define MPIX_Barrier_init MPI_Barrier_init
#define MPIX_Bcast_init MPI_Bcast_init
#define MPIX_Gather_init MPI_Gather_init
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm w;
static int rank, size, world_rank, world_size;
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

/* Persistent collectives, started twice. */
static int run_persistent(const char *name, int n, int root)
{
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
    MPI_Request q = MPI_REQUEST_NULL;
    int nb = name[0] == 'i';
    const char *base = name + nb;
#define CALL(blocking, nonblocking) (nb ? nonblocking : blocking)
    if (!strcmp(base, "bcast"))
        CALL(MPI_Bcast(in, n, MPI_INT, root, w), MPI_Ibcast(in, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "barrier"))
        CALL(MPI_Barrier(w), MPI_Ibarrier(w, &q));
    else if (!strcmp(base, "reduce"))
        CALL(MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, w),
             MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, root, w, &q));
    else if (!strcmp(base, "allreduce"))
        CALL(MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, w),
             MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "scan"))
        CALL(MPI_Scan(in, out, n, MPI_INT, MPI_SUM, w),
             MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "exscan"))
        CALL(MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, w),
             MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "gather"))
        CALL(MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, w),
             MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "scatter"))
        CALL(MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, w),
             MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, root, w, &q));
    else if (!strcmp(base, "allgather"))
        CALL(MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, w),
             MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, w, &q));
    else if (!strcmp(base, "allgatherv"))
        CALL(MPI_Allgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, w),
             MPI_Iallgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, w, &q));
    else if (!strcmp(base, "alltoall"))
        CALL(MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, w),
             MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, w, &q));
    else if (!strcmp(base, "alltoallv"))
        CALL(MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, w),
             MPI_Ialltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, w, &q));
    else if (!strcmp(base, "reduce_scatter"))
        CALL(MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w),
             MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w, &q));
    else if (!strcmp(base, "reduce_scatter_block"))
        CALL(MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, w),
             MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, w, &q));
    else {
        fprintf(stderr, "no such collective: %s\n", name);
        return 2;
    }
    if (nb)
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    return 0;
}

static void force(const char *name, int number)
{
    char variable[128];
    int index, count, provided;
    MPI_T_cvar_handle handle;
    snprintf(variable, sizeof variable, "coll_tuned_%s_algorithm", name);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) || MPI_T_cvar_get_index(variable, &index) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) ||
        MPI_T_cvar_write(handle, &number)) {
        fprintf(stderr, "the library cannot be told what %s is to do\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_T_cvar_handle_free(&handle);
    MPI_T_finalize();
}

static int all_counts(const char *name, char **count)
{
    int bad = 0;
    MPI_Comm_rank(w, &rank);
    MPI_Comm_size(w, &size);
    for (; *count && !bad; count++) {
        int n = atoi(*count);
        in = malloc(((size_t)n * size + 1) * sizeof *in);
        out = malloc(((size_t)n * size + 1) * sizeof *out);
        for (int root = 0; root < size && !bad; root += size > 1 ? size - 1 : 1) {
            prepare(n);
            bad = run(name, n, root);
        }
        free(in);
        free(out);
    }
    return bad;
}

static int has_size(const char *sizes, int p)
{
    while (*sizes) {
        char *end;
        long first = strtol(sizes, &end, 10),
             last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (first <= p && p <= last)
            return 1;
        sizes = end + (*end == ',');
        if (end == sizes && *end)
            return 0;
    }
    return 0;
}

static int all_sizes(char *name, char **count)
{
    char *sizes = strchr(name, '@'), *number = strchr(name, ':');
    int bad = 0;
    if (sizes)
        *sizes++ = 0;
    if (number)
        *number++ = 0;
    if (number)
        force(name, atoi(number));
    w = MPI_COMM_WORLD;
    if (!sizes)
        return all_counts(name, count);
    for (int p = 2; p <= world_size && !bad; p++) {
        if (!has_size(sizes, p))
            continue;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < p ? 0 : MPI_UNDEFINED, 0, &w);
        if (w == MPI_COMM_NULL)
            continue;
        bad = all_counts(name, count);
        MPI_Comm_free(&w);
    }
    if (number)
        force(name, 0);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = argc < 2 ? 2 : 0, names = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    while (names < argc && !isdigit((unsigned char)argv[names][0]))
        names++;
    for (int i = 1; i < names && !bad; i++)
        bad = all_sizes(argv[i], argv + names);
    MPI_Finalize();
    return bad;
}
