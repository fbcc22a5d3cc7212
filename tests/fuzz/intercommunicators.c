/* Collectives between the two groups of an intercommunicator: of each kind one with a planted
 * defect, which intercommunicators.sh names, and its correct twin. Each function is twice there:
 * the parameter `wrong` makes the difference. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define TAG 77
#define STATUS MPI_STATUS_IGNORE

static int both_sizes(MPI_Comm comm, int *size, int *others)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, size);
    MPI_Comm_remote_size(comm, others);
    return rank;
}

static char *at(const void *buffer, MPI_Aint elements, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return (char *)buffer + elements * extent;
}

/* Room for n elements; *base is to be freed. */
static char *room(int n, MPI_Datatype type, void **base)
{
    MPI_Aint lower, extent, low, reach;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &low, &reach);
    *base = malloc(n ? (size_t)((n - 1) * extent + reach) : 1);
    return (char *)*base - low;
}

/* --- without data, and from one to a group ---------------------------------------------------- */

/* Wrong: waits for one rank of the other group, not for all. */
static int barrier_tokens(int wrong, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others);
    MPI_Request request[128];
    for (int i = 0; i < others; i++) {
        MPI_Isend(NULL, 0, MPI_INT, i, TAG, comm, &request[2 * i]);
        MPI_Irecv(NULL, 0, MPI_INT, i, TAG, comm, &request[2 * i + 1]);
    }
    if (wrong)
        MPI_Wait(&request[2 * (rank % others) + 1], STATUS);
    else
        MPI_Waitall(2 * others, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 * others && wrong; i++)
        if (request[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&request[i]);
    return MPI_SUCCESS;
}

/* Wrong: is none where the groups have equally many ranks. */
static int barrier_request(int wrong, MPI_Comm comm, MPI_Request *request)
{
    int size, others;
    both_sizes(comm, &size, &others);
    *request = MPI_REQUEST_NULL;
    return wrong && size == others && size > 1 ? MPI_Ibarrier(MPI_COMM_SELF, request)
                                               : MPI_Ibarrier(comm, request);
}

/* A chain through the other group, over one communicator for all. Wrong: the receivers take their
 * own group to be as large as the root's. */
static int bcast_chain(int wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others);
    int sends = root == MPI_ROOT || root == MPI_PROC_NULL;
    MPI_Comm all;
    MPI_Intercomm_merge(comm, !sends, &all); /* the root's group comes first */
    int first = sends || wrong ? size : others, me = first + rank;
    if (root == MPI_ROOT) {
        MPI_Send(buffer, n, type, first, TAG, all);
    } else if (!sends) {
        MPI_Recv(buffer, n, type, rank ? me - 1 : root, TAG, all, STATUS);
        if (rank + 1 < size)
            MPI_Send(buffer, n, type, me + 1, TAG, all);
    }
    return MPI_Comm_free(&all);
}

/* For both sorts of communicators. Wrong: takes each for one of a single group. */
static int bcast_any(int wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int size, others, rank, inter;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    others = size;
    if (inter && !wrong)
        MPI_Comm_remote_size(comm, &others);
    if (root == MPI_PROC_NULL && !wrong)
        return MPI_SUCCESS;
    if (inter && !wrong ? root != MPI_ROOT : rank != root)
        return MPI_Recv(buffer, n, type, root, TAG, comm, STATUS);
    for (int i = 0; i < others; i++)
        if (inter || i != rank)
            MPI_Send(buffer, n, type, i, TAG, comm);
    return MPI_SUCCESS;
}

/* Wrong: counts to its own group's size. */
static int gather_linear(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                         MPI_Datatype u, int root, MPI_Comm comm)
{
    int size, others;
    both_sizes(comm, &size, &others);
    if (root != MPI_ROOT)
        return MPI_Send(s, n, t, root, TAG, comm);
    for (int i = 0; i < (wrong ? size : others); i++)
        MPI_Recv(at(r, (MPI_Aint)i * m, u), m, u, i, TAG, comm, STATUS);
    return MPI_SUCCESS;
}

/* Wrong: receives nothing from a rank without elements, which sends an empty message. */
static int gatherv_skip(int wrong, const void *s, int n, MPI_Datatype t, void *r, const int rc[],
                        const int rd[], MPI_Datatype u, int root, MPI_Comm comm)
{
    int size, others;
    both_sizes(comm, &size, &others);
    if (root != MPI_ROOT)
        return MPI_Send(s, n, t, root, TAG, comm);
    for (int i = 0; i < others; i++)
        if (rc[i] || !wrong)
            MPI_Recv(at(r, rd[i], u), rc[i], u, i, TAG, comm, STATUS);
    return MPI_SUCCESS;
}

/* Wrong: leaves out the rank that has its own number, as if it were itself. */
static int scatter_itself(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                          MPI_Datatype u, int root, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others);
    if (root != MPI_ROOT)
        return MPI_Recv(r, m, u, root, TAG, comm, STATUS);
    for (int i = 0; i < others; i++)
        if (i != rank || !wrong)
            MPI_Send(at(s, (MPI_Aint)i * n, t), n, t, i, TAG, comm);
    return MPI_SUCCESS;
}

/* Wrong: the rank's own place in the lists, not the receiver's. */
static int scatterv_place(int wrong, const void *s, const int sc[], const int sd[], MPI_Datatype t,
                          void *r, int m, MPI_Datatype u, int root, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others);
    if (root != MPI_ROOT)
        return MPI_Recv(r, m, u, root, TAG, comm, STATUS);
    for (int i = 0; i < others; i++)
        MPI_Send(at(s, sd[wrong && rank < others ? (rank + i) % others : i], t), sc[i], t, i, TAG,
                 comm);
    return MPI_SUCCESS;
}

/* --- from everyone to everyone ---------------------------------------------------------------- */

struct blocks {
    const void *from;
    void *to;
    const int *send_count, *send_at, *recv_count, *recv_at;
    MPI_Datatype send_type, recv_type;
};

static int exchange(const struct blocks *b, int others, MPI_Comm comm)
{
    MPI_Request request[128];
    for (int i = 0; i < others; i++) {
        MPI_Irecv(at(b->to, b->recv_at[i], b->recv_type), b->recv_count[i], b->recv_type, i, TAG,
                  comm, &request[2 * i]);
        MPI_Isend(at(b->from, b->send_at[i], b->send_type), b->send_count[i], b->send_type, i, TAG,
                  comm, &request[2 * i + 1]);
    }
    return MPI_Waitall(2 * others, request, MPI_STATUSES_IGNORE);
}

/* Wrong: takes what comes to be as long as what goes. */
static int allgather_counts(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                            MPI_Datatype u, MPI_Comm comm)
{
    int size, others, sc[64], rc[64], rd[64], zero[64] = {0};
    both_sizes(comm, &size, &others);
    for (int i = 0; i < others; i++) {
        sc[i] = n;
        rc[i] = m;
        rd[i] = i * (wrong && t == u ? n : m);
    }
    return exchange(&(struct blocks){s, r, sc, zero, rc, rd, t, u}, others, comm);
}

/* Wrong: leaves the last of the other group's blocks to the other sort of communicator. */
static int allgatherv_last(int wrong, const void *s, int n, MPI_Datatype t, void *r, const int rc[],
                           const int rd[], MPI_Datatype u, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others);
    MPI_Request send[64];
    for (int i = 0; i < others; i++)
        MPI_Isend(s, n, t, i, TAG, comm, &send[i]);
    for (int k = 0; k < others; k++) {
        int i = wrong && others > size && k + 1 == others ? rank : k;
        MPI_Recv(at(r, rd[k], u), rc[k], u, i, TAG, comm, STATUS);
    }
    return MPI_Waitall(others, send, MPI_STATUSES_IGNORE);
}

/* Steps through the other group; the first rank to be written to is the one that has its number.
 * Wrong: those that write to it step as if both groups were as large. */
static int alltoall_steps(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                          MPI_Datatype u, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others), most = size > others ? size : others;
    for (int step = 0; step < most; step++) {
        int to = (rank + step) % most, from = (rank - step + most) % most;
        if (wrong)
            from = (rank - step % others + others) % others;
        MPI_Sendrecv(at(s, (MPI_Aint)to * n, t), n, t, to < others ? to : MPI_PROC_NULL, TAG,
                     at(r, (MPI_Aint)from * m, u), m, u, from < others ? from : MPI_PROC_NULL, TAG,
                     comm, STATUS);
    }
    return MPI_SUCCESS;
}

/* Wrong: sends its blocks in the order of its own group's ranks. */
static int alltoallv_order(int wrong, const void *s, const int sc[], const int sd[], MPI_Datatype t,
                           void *r, const int rc[], const int rd[], MPI_Datatype u, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others), place[64];
    for (int i = 0; i < others; i++)
        place[i] = sd[wrong && size > others && rank >= others ? others - 1 - i : i];
    return exchange(&(struct blocks){s, r, sc, place, rc, rd, t, u}, others, comm);
}

/* Wrong: the first datatype stands for all. */
static int alltoallw_first(int wrong, const void *s, const int sc[], const int sd[],
                           const MPI_Datatype t[], void *r, const int rc[], const int rd[],
                           const MPI_Datatype u[], MPI_Comm comm)
{
    int size, others;
    MPI_Request request[128];
    both_sizes(comm, &size, &others);
    for (int i = 0; i < others; i++) {
        MPI_Irecv((char *)r + rd[i], rc[i], u[wrong ? 0 : i], i, TAG, comm, &request[2 * i]);
        MPI_Isend((const char *)s + sd[i], sc[i], t[i], i, TAG, comm, &request[2 * i + 1]);
    }
    return MPI_Waitall(2 * others, request, MPI_STATUSES_IGNORE);
}

/* --- reductions ------------------------------------------------------------------------------- */

/* Receives from each of the others n elements and combines them in their order; from the last to
 * the first if wrong. */
static int combine_others(int wrong, void *result, int n, MPI_Datatype t, MPI_Op op, int others,
                          MPI_Comm comm)
{
    void *base;
    char *next = room(n, t, &base);
    for (int k = 0; k < others; k++) {
        int i = wrong ? k : others - 1 - k;
        MPI_Recv(k ? next : result, n, t, i, TAG, comm, STATUS);
        if (k)
            MPI_Reduce_local(next, result, n, t, op);
    }
    free(base);
    return MPI_SUCCESS;
}

/* Wrong: in the order of arrival of a chain that runs backwards. */
static int reduce_backwards(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                            int root, MPI_Comm comm)
{
    int size, others;
    both_sizes(comm, &size, &others);
    if (root != MPI_ROOT)
        return MPI_Send(s, n, t, root, TAG, comm);
    return combine_others(wrong, r, n, t, op, others, comm);
}

static int everybody_combines(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                              MPI_Comm comm)
{
    int size, others;
    MPI_Request send[64];
    both_sizes(comm, &size, &others);
    for (int i = 0; i < others; i++)
        MPI_Isend(s, n, t, i, TAG, comm, &send[i]);
    combine_others(0, r, n, t, op, others, comm);
    return MPI_Waitall(others, send, MPI_STATUSES_IGNORE);
}

/* Wrong: combines what both groups have. */
static int allreduce_merged(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                            MPI_Comm comm)
{
    MPI_Comm all;
    if (!wrong)
        return everybody_combines(s, r, n, t, op, comm);
    MPI_Intercomm_merge(comm, 0, &all);
    MPI_Allreduce(s, r, n, t, op, all);
    return MPI_Comm_free(&all);
}

/* Takes its part of the whole result. Wrong: its part begins where it would in the other group. */
static int reduce_scatter_part(int wrong, const void *s, void *r, const int counts[],
                               MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others), all = 0, before = 0;
    void *base;
    for (int i = 0; i < size; i++) {
        before += i < rank ? counts[i] : 0;
        all += counts[i];
    }
    char *whole = room(all, t, &base);
    everybody_combines(s, whole, all, t, op, comm);
    if (wrong && size > 1)
        before = rank * (all / size);
    if (before + counts[rank] <= all)
        MPI_Sendrecv(at(whole, before, t), counts[rank], t, 0, TAG, r, counts[rank], t, 0, TAG,
                     MPI_COMM_SELF, STATUS);
    free(base);
    return MPI_SUCCESS;
}

/* Wrong: takes the other group's blocks to be as long as its own. */
static int reduce_scatter_block_part(int wrong, const void *s, void *r, int n, MPI_Datatype t,
                                     MPI_Op op, MPI_Comm comm)
{
    int size, others, rank = both_sizes(comm, &size, &others), counts[64];
    MPI_Request send[64];
    for (int i = 0; i < size; i++)
        counts[i] = n;
    if (!wrong)
        return reduce_scatter_part(0, s, r, counts, t, op, comm);
    for (int i = 0; i < others; i++)
        MPI_Isend(at(s, (MPI_Aint)(i % size) * n, t), n, t, i, TAG, comm, &send[i]);
    combine_others(0, r, n, t, op, others, comm);
    return (void)rank, MPI_Waitall(others, send, MPI_STATUSES_IGNORE);
}

/* --- all of them, twice ----------------------------------------------------------------------- */

#define TWICE(kind, name, parameters, ...)                             \
    static int wrong_##name parameters                                 \
    {                                                                  \
        return name(1, __VA_ARGS__);                                   \
    }                                                                  \
    static int right_##name parameters                                 \
    {                                                                  \
        return name(0, __VA_ARGS__);                                   \
    }                                                                  \
    COLLECTIVE(kind, "", wrong_##name, .communicators = COMMUNICATORS) \
    COLLECTIVE(kind, "", right_##name, .communicators = COMMUNICATORS)
#define COMMUNICATORS COLLECTIVE_INTER
#define S const void *s, int n, MPI_Datatype t
#define SV const void *s, const int sc[], const int sd[], MPI_Datatype t
#define R void *r, int m, MPI_Datatype u
#define RV void *r, const int rc[], const int rd[], MPI_Datatype u
#define C MPI_Comm c
TWICE(barrier, barrier_tokens, (C), c)
TWICE(ibarrier, barrier_request, (C, MPI_Request *request), c, request)
TWICE(bcast, bcast_chain, (void *r, int n, MPI_Datatype t, int root, C), r, n, t, root, c)
TWICE(gather, gather_linear, (S, R, int root, C), s, n, t, r, m, u, root, c)
TWICE(gatherv, gatherv_skip, (S, RV, int root, C), s, n, t, r, rc, rd, u, root, c)
TWICE(scatter, scatter_itself, (S, R, int root, C), s, n, t, r, m, u, root, c)
TWICE(scatterv, scatterv_place, (SV, R, int root, C), s, sc, sd, t, r, m, u, root, c)
TWICE(allgather, allgather_counts, (S, R, C), s, n, t, r, m, u, c)
TWICE(allgatherv, allgatherv_last, (S, RV, C), s, n, t, r, rc, rd, u, c)
TWICE(alltoall, alltoall_steps, (S, R, C), s, n, t, r, m, u, c)
TWICE(alltoallv, alltoallv_order, (SV, RV, C), s, sc, sd, t, r, rc, rd, u, c)
TWICE(alltoallw, alltoallw_first,
      (const void *s, const int sc[], const int sd[], const MPI_Datatype t[], void *r,
       const int rc[], const int rd[], const MPI_Datatype u[], C),
      s, sc, sd, t, r, rc, rd, u, c)
#define REDUCTION const void *s, void *r, int n, MPI_Datatype t, MPI_Op op
TWICE(reduce, reduce_backwards, (REDUCTION, int root, C), s, r, n, t, op, root, c)
TWICE(allreduce, allreduce_merged, (REDUCTION, C), s, r, n, t, op, c)
TWICE(reduce_scatter, reduce_scatter_part,
      (const void *s, void *r, const int counts[], MPI_Datatype t, MPI_Op op, C), s, r, counts, t,
      op, c)
TWICE(reduce_scatter_block, reduce_scatter_block_part, (REDUCTION, C), s, r, n, t, op, c)
#undef COMMUNICATORS
#define COMMUNICATORS COLLECTIVE_INTRA_OR_INTER
TWICE(bcast, bcast_any, (void *r, int n, MPI_Datatype t, int root, C), r, n, t, root, c)
