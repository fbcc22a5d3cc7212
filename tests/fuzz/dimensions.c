/* Planted defects, each with its correct twin, that only one dimension of scenarios shows, or only
 * one of the kinds of collectives: dimensions.sh says which. Each function is twice there: the
 * parameter `wrong` makes the difference. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define TAG 77
#define STATUS MPI_STATUS_IGNORE

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

static void copy(const void *from, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u)
{
    MPI_Sendrecv(from, n, t, 0, TAG, to, m, u, 0, TAG, MPI_COMM_SELF, STATUS);
}

/* --- the root changes from call to call ------------------------------------------------------- */

static int cached_root = -1, cached_size;

/* The tree is made once for a communicator's size, and again when the root is another: not if
 * wrong. */
static int bcast_tree(int wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (cached_root < 0 || cached_size != size || (!wrong && cached_root != root)) {
        cached_root = root;
        cached_size = size;
    }
    int me = (rank - cached_root + size) % size, mask = 1;
    for (; mask < size && !(me & mask); mask *= 2)
        continue;
    if (me)
        MPI_Recv(buffer, n, type, (me - mask + cached_root) % size, TAG, comm, STATUS);
    while ((mask /= 2) > 0)
        if (me + mask < size)
            MPI_Send(buffer, n, type, (me + mask + cached_root) % size, TAG, comm);
    return MPI_SUCCESS;
}

/* --- where a type's data begin ---------------------------------------------------------------- */

/* Receives into a buffer of its own, as long as the true extent, from which wrong does not take the
 * true lower bound. */
static int gather_scratch(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                          MPI_Datatype u, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Aint low, reach, extent = extent_of(u);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, TAG, comm);
    MPI_Type_get_true_extent(u, &low, &reach);
    char *own = malloc(m ? (size_t)((m - 1) * extent + reach) : 1),
         *place = own - (wrong ? 0 : low);
    for (int i = 0; i < size; i++) {
        if (i == root && s != MPI_IN_PLACE)
            copy(s, n, t, (char *)r + (MPI_Aint)i * m * extent, m, u);
        if (i == root)
            continue;
        MPI_Recv(place, m, u, i, TAG, comm, STATUS);
        copy(place, m, u, (char *)r + (MPI_Aint)i * m * extent, m, u);
    }
    free(own);
    return MPI_SUCCESS;
}

/* --- where blocks lie ------------------------------------------------------------------------- */

/* Wrong: takes the blocks to lie one behind the other from the first one's place on. */
static int gatherv_packed(int wrong, const void *s, int n, MPI_Datatype t, void *r,
                          const int counts[], const int places[], MPI_Datatype u, int root,
                          MPI_Comm comm)
{
    int rank, size, at = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, TAG, comm);
    for (int i = 0; i < size; at += counts[i++]) {
        char *place = (char *)r + (wrong ? at : places[i]) * extent_of(u);
        if (i != root)
            MPI_Recv(place, counts[i], u, i, TAG, comm, STATUS);
        else if (s != MPI_IN_PLACE)
            copy(s, n, t, place, counts[i], u);
    }
    return MPI_SUCCESS;
}

/* --- displacements beyond 32 bits ------------------------------------------------------------- */

static int allgather_int(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                         MPI_Datatype u, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        MPI_Aint at = (MPI_Aint)i * m * extent_of(u);
        if (wrong)
            at = (int)(unsigned)at;
        if (i == rank && s != MPI_IN_PLACE)
            copy(s, n, t, (char *)r + at, m, u);
        MPI_Bcast((char *)r + at, m, u, i, comm);
    }
    return MPI_SUCCESS;
}

/* --- two collectives of one file in turn ------------------------------------------------------ */

static int generation;

/* Nobody may be taken for another: each call of this one has a tag of its own. */
static int gather_any(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                      int root, MPI_Comm comm)
{
    int rank, size, tag = 1000 + generation++;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, tag, comm);
    for (int i = 1; i < size; i++) {
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
        MPI_Recv((char *)r + (MPI_Aint)status.MPI_SOURCE * m * extent_of(u), m, u,
                 status.MPI_SOURCE, tag, comm, STATUS);
    }
    if (s != MPI_IN_PLACE)
        copy(s, n, t, (char *)r + (MPI_Aint)rank * m * extent_of(u), m, u);
    return MPI_SUCCESS;
}

/* Wrong: the tag that the other one has for its first call. */
static int scan_ring(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                     MPI_Comm comm)
{
    int rank, size, tag = wrong ? 1000 : 900;
    MPI_Aint low, reach;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_true_extent(t, &low, &reach);
    char *own = malloc(n ? (size_t)((n - 1) * extent_of(t) + reach) : 1);
    if (s != MPI_IN_PLACE)
        copy(s, n, t, r, n, t);
    if (rank > 0) {
        MPI_Recv(own - low, n, t, rank - 1, tag, comm, STATUS);
        MPI_Reduce_local(own - low, r, n, t, op);
    }
    if (rank + 1 < size)
        MPI_Send(r, n, t, rank + 1, tag, comm);
    free(own);
    return MPI_SUCCESS;
}

/* --- two of them overlapping in time ---------------------------------------------------------- */

static int early_count, lazy_count;

struct flat {
    MPI_Request request[64];
    int count, waits, n, root, tag;
    void *buffer;
    MPI_Datatype type;
    MPI_Comm comm;
};

/* The root sends to all; the others receive at once, or when they are first asked. */
static int flat_start(int tag, int lazy, void *buffer, int n, MPI_Datatype type, int root,
                      MPI_Comm comm, void **state)
{
    struct flat *f = *state = malloc(sizeof *f);
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *f = (struct flat){{0}, 0, rank != root, n, root, tag, buffer, type, comm};
    for (int i = 0; i < size && rank == root; i++)
        if (i != root)
            MPI_Isend(buffer, n, type, i, tag, comm, &f->request[f->count++]);
    if (f->waits && !lazy)
        MPI_Irecv(buffer, n, type, root, tag, comm, &f->request[f->count++]);
    f->waits &= lazy;
    return MPI_SUCCESS;
}

static int flat_test(void *state, int *done)
{
    struct flat *f = state;
    if (f->waits)
        MPI_Irecv(f->buffer, f->n, f->type, f->root, f->tag, f->comm, &f->request[f->count++]);
    f->waits = 0;
    MPI_Testall(f->count, f->request, done, MPI_STATUSES_IGNORE);
    if (*done)
        free(f);
    return MPI_SUCCESS;
}

static int flat_early(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm, void **state)
{
    return flat_start(1000 + early_count++, 0, buffer, n, type, root, comm, state);
}

/* Wrong: the tags that the other one has. */
static int flat_lazy(int wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm,
                     void **state)
{
    return flat_start((wrong ? 1000 : 2000) + lazy_count++, 1, buffer, n, type, root, comm, state);
}

/* --- who comes first -------------------------------------------------------------------------- */

/* Wrong: takes those that arrive to come in the order of their ranks. */
static int gather_arrival(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                          MPI_Datatype u, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        MPI_Ssend(s, n, t, root, TAG, comm);
    for (int i = 0; i < size && rank == root; i++) {
        if (i == root)
            continue;
        MPI_Probe(MPI_ANY_SOURCE, TAG, comm, &status);
        int place = wrong ? i : status.MPI_SOURCE;
        MPI_Recv((char *)r + (MPI_Aint)place * m * extent_of(u), m, u, status.MPI_SOURCE, TAG, comm,
                 STATUS);
    }
    if (rank == root && s != MPI_IN_PLACE)
        copy(s, n, t, (char *)r + (MPI_Aint)rank * m * extent_of(u), m, u);
    return MPI_Barrier(comm); /* the next call's messages come when these have been taken */
}

/* --- several communicators -------------------------------------------------------------------- */

static int known_rank = -1, known_size;

/* Wrong: who am I, asked once for all communicators. */
static int allreduce_known(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                           MPI_Comm comm)
{
    if (known_rank < 0 || !wrong) {
        MPI_Comm_rank(comm, &known_rank);
        MPI_Comm_size(comm, &known_size);
    }
    if (s != MPI_IN_PLACE)
        copy(s, n, t, r, n, t);
    scan_ring(0, MPI_IN_PLACE, r, n, t, op, comm);
    return MPI_Bcast(r, n, t, known_size - 1, comm);
}

/* --- sizes that grow -------------------------------------------------------------------------- */

static int pieces;

/* Wrong: the number of pieces is that of the first call. */
static int allreduce_pieces(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                            MPI_Comm comm)
{
    if (!pieces || !wrong)
        pieces = n / 4 + 1;
    for (int k = 0; k < pieces; k++) {
        int left = n - 4 * k < 4 ? n - 4 * k : 4;
        MPI_Aint at = 4 * k * extent_of(t);
        if (left > 0)
            MPI_Allreduce(s == MPI_IN_PLACE ? s : (const char *)s + at, (char *)r + at, left, t, op,
                          comm);
    }
    return MPI_SUCCESS;
}

/* --- in place --------------------------------------------------------------------------------- */

/* Wrong: what is received in place overwrites what is still to be sent. */
static int alltoallv_in_place(int wrong, const void *s, const int sc[], const int sd[],
                              MPI_Datatype t, void *r, const int rc[], const int rd[],
                              MPI_Datatype u, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Aint extent = extent_of(u);
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        if (s != MPI_IN_PLACE)
            MPI_Sendrecv((const char *)s + sd[to] * extent_of(t), sc[to], t, to, TAG,
                         (char *)r + rd[from] * extent, rc[from], u, from, TAG, comm, STATUS);
        else if (wrong)
            MPI_Sendrecv((char *)r + rd[to] * extent, rc[to], u, to, TAG,
                         (char *)r + rd[from] * extent, rc[from], u, from, TAG, comm, STATUS);
    }
    for (int i = 0; i < size && s == MPI_IN_PLACE && !wrong; i++) /* pair by pair */
        for (int k = 0; k <= i; k++)
            if (i != k && (rank == i || rank == k))
                MPI_Sendrecv_replace((char *)r + rd[rank == i ? k : i] * extent,
                                     rc[rank == i ? k : i], u, rank == i ? k : i, TAG,
                                     rank == i ? k : i, TAG, comm, STATUS);
    if (s != MPI_IN_PLACE)
        copy((const char *)s + sd[rank] * extent_of(t), sc[rank], t, (char *)r + rd[rank] * extent,
             rc[rank], u);
    return MPI_SUCCESS;
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Wrong: sends nothing to a rank without elements, which waits for it. */
static int scatterv_skip(int wrong, const void *s, const int counts[], const int places[],
                         MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(r, m, u, root, TAG, comm, STATUS);
    for (int i = 0; i < size; i++) {
        const char *place = (const char *)s + places[i] * extent_of(t);
        if (i == root && r != MPI_IN_PLACE)
            copy(place, counts[i], t, r, m, u);
        else if (i != root && (counts[i] || !wrong))
            MPI_Send(place, counts[i], t, i, TAG, comm);
    }
    return MPI_SUCCESS;
}

/* Wrong: passes on what it received instead of its own combination. */
static int exscan_chain(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op,
                        MPI_Comm comm)
{
    int rank, size;
    MPI_Aint low, reach;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_true_extent(t, &low, &reach);
    char *own = malloc(n ? (size_t)((n - 1) * extent_of(t) + reach) : 1);
    copy(s == MPI_IN_PLACE ? r : s, n, t, own - low, n, t);
    if (rank) {
        MPI_Recv(r, n, t, rank - 1, TAG, comm, STATUS);
        MPI_Reduce_local(r, own - low, n, t, op);
    }
    if (rank + 1 < size)
        MPI_Send(wrong && rank ? r : own - low, n, t, rank + 1, TAG, comm);
    free(own);
    return MPI_SUCCESS;
}

/* Wrong: gives everybody the first block when there are more than 4. */
static int reduce_scatter_block_linear(int wrong, const void *s, void *r, int n, MPI_Datatype t,
                                       MPI_Op op, MPI_Comm comm)
{
    int rank, size;
    MPI_Aint low, reach, extent = extent_of(t);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_true_extent(t, &low, &reach);
    char *own = malloc(n ? (size_t)((size * n - 1) * extent + reach) : 1);
    MPI_Allreduce(s == MPI_IN_PLACE ? r : s, own - low, size * n, t, op, comm);
    copy(own - low + (wrong && size > 4 ? 0 : rank) * n * extent, n, t, r, n, t);
    free(own);
    return MPI_SUCCESS;
}

/* Wrong: takes displacements for elements, not bytes. */
static int alltoallw_bytes(int wrong, const void *s, const int sc[], const int sd[],
                           const MPI_Datatype t[], void *r, const int rc[], const int rd[],
                           const MPI_Datatype u[], MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        MPI_Sendrecv((const char *)s + sd[to] * (wrong ? extent_of(t[to]) : 1), sc[to], t[to], to,
                     TAG, (char *)r + rd[from], rc[from], u[from], from, TAG, comm, STATUS);
    }
    return MPI_SUCCESS;
}

/* Wrong: takes those that send to it for those it sends to, as on a grid. */
static int neighbor_allgather_graph(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                                    MPI_Datatype u, MPI_Comm comm)
{
    int in, out, weighted, from[64], to[64], weight[64], topology;
    MPI_Request request[128];
    MPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        int dims = 0;
        MPI_Cartdim_get(comm, &dims);
        in = out = 2 * dims;
        for (int d = 0; d < dims; d++)
            MPI_Cart_shift(comm, d, 1, &from[2 * d], &from[2 * d + 1]);
        memcpy(to, from, sizeof to);
    } else {
        MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
        MPI_Dist_graph_neighbors(comm, in, from, weight, out, to, weight);
    }
    if (wrong)
        memcpy(to, from, (size_t)(in < out ? in : out) * sizeof *to);
    for (int i = 0; i < in; i++)
        MPI_Irecv((char *)r + (MPI_Aint)i * m * extent_of(u), m, u, from[i], TAG, comm,
                  &request[i]);
    for (int i = 0; i < out; i++)
        MPI_Isend(s, n, t, to[i], TAG, comm, &request[in + i]);
    return MPI_Waitall(in + out, request, MPI_STATUSES_IGNORE);
}

/* --- nonblocking ------------------------------------------------------------------------------ */

struct ring { /* an allgather that goes on by itself: in each step the block of the left one comes
               */
    char *r;
    int m, step, rank, size;
    MPI_Datatype u;
    MPI_Comm comm;
    int tag;
    MPI_Request request[2];
};

static void ring_step(struct ring *g)
{
    MPI_Aint extent = extent_of(g->u);
    int out = (g->rank - g->step + g->size) % g->size,
        in = (g->rank - g->step - 1 + 2 * g->size) % g->size;
    MPI_Irecv(g->r + in * g->m * extent, g->m, g->u, (g->rank - 1 + g->size) % g->size, g->tag,
              g->comm, &g->request[0]);
    MPI_Isend(g->r + out * g->m * extent, g->m, g->u, (g->rank + 1) % g->size, g->tag, g->comm,
              &g->request[1]);
}

static int tags;

static int ring_start(int wrong, const void *s, int n, MPI_Datatype t, void *r, int m,
                      MPI_Datatype u, MPI_Comm comm, void **state)
{
    struct ring *g = malloc(sizeof *g);
    *g = (struct ring){.r = r, .m = m, .u = u, .comm = comm, .tag = wrong ? TAG : 2000 + tags++};
    MPI_Comm_rank(comm, &g->rank);
    MPI_Comm_size(comm, &g->size);
    if (s != MPI_IN_PLACE)
        copy(s, n, t, (char *)r + (MPI_Aint)g->rank * m * extent_of(u), m, u);
    if (g->size > 1)
        ring_step(g);
    *state = g;
    return MPI_SUCCESS;
}

static int ring_test(void *state, int *done)
{
    struct ring *g = state;
    int flag = 1;
    *done = 0;
    if (g->step < g->size - 1) {
        MPI_Testall(2, g->request, &flag, MPI_STATUSES_IGNORE);
        if (flag && ++g->step < g->size - 1)
            ring_step(g);
    }
    if (g->step >= g->size - 1) {
        *done = 1;
        free(g);
    }
    return MPI_SUCCESS;
}

/* Wrong: is no barrier where the ranks are odd in number. */
static int barrier_request(int wrong, MPI_Comm comm, MPI_Request *request)
{
    int size;
    MPI_Comm_size(comm, &size);
    *request = MPI_REQUEST_NULL;
    return wrong && size % 2 ? MPI_SUCCESS : MPI_Ibarrier(comm, request);
}

/* Wrong: a persistent send that is started by somebody who had to receive. For two ranks. */
static int bcast_pair(int wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request *request)
{
    int rank, size;
    (void)info;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int other = size < 2 || rank > 1 ? MPI_PROC_NULL : 1 - rank;
    if (rank == (wrong ? 0 : root))
        return MPI_Send_init(buffer, n, type, other, TAG, comm, request);
    return MPI_Recv_init(buffer, n, type, other, TAG, comm, request);
}

/* --- what MPI does not have ------------------------------------------------------------------- */

/* A row of `count` cells with a halo cell at each end: wrong does not close the circle. */
static int halo(int wrong, const void *s, void *r, int n, MPI_Datatype t, MPI_Comm comm)
{
    int rank, size;
    const int *cell = s;
    int *with_halo = r;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = rank || !wrong ? (rank - 1 + size) % size : MPI_PROC_NULL;
    int right = rank + 1 < size || !wrong ? (rank + 1) % size : MPI_PROC_NULL;
    if (n == 0)
        return MPI_SUCCESS;
    memcpy(with_halo + 1, cell, (size_t)n * sizeof *cell);
    MPI_Sendrecv(cell, 1, t, left, 1, with_halo + n + 1, 1, t, right, 1, comm, STATUS);
    MPI_Sendrecv(cell + n - 1, 1, t, right, 2, with_halo, 1, t, left, 2, comm, STATUS);
    return MPI_SUCCESS;
}

static long cells(int rank, int size, int count)
{
    return (void)rank, (void)size, count;
}

static long cells_and_halo(int rank, int size, int count)
{
    return (void)rank, (void)size, count ? count + 2 : 0;
}

static void halo_reference(const int *const sent[], int *received, int rank, int size, int count)
{
    if (count == 0)
        return;
    memcpy(received + 1, sent[rank], (size_t)count * sizeof *received);
    received[0] = sent[(rank - 1 + size) % size][count - 1];
    received[count + 1] = sent[(rank + 1) % size][0];
}

/* --- all of them, twice ----------------------------------------------------------------------- */

#define RV void *r, const int rc[], const int rd[], MPI_Datatype u
#define TWICE(form, name, parameters, ...) \
    static int wrong_##name parameters     \
    {                                      \
        return name(1, __VA_ARGS__);       \
    }                                      \
    static int right_##name parameters     \
    {                                      \
        return name(0, __VA_ARGS__);       \
    }                                      \
    COLLECTIVE(form, "", wrong_##name) COLLECTIVE(form, "", right_##name)
#define BCAST (void *r, int n, MPI_Datatype t, int root, MPI_Comm c)
#define REDUCTION (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
TWICE(bcast, bcast_tree, BCAST, r, n, t, root, c)
TWICE(gather, gather_scratch,
      (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c),
      s, n, t, r, m, u, root, c)
TWICE(gatherv, gatherv_packed, (const void *s, int n, MPI_Datatype t, RV, int root, MPI_Comm c), s,
      n, t, r, rc, rd, u, root, c)
TWICE(allgather, allgather_int,
      (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c), s, n, t,
      r, m, u, c)
COLLECTIVE(gather, "", gather_any)
TWICE(scan, scan_ring, REDUCTION, s, r, n, t, op, c)
TWICE(gather, gather_arrival,
      (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c),
      s, n, t, r, m, u, root, c)
TWICE(allreduce, allreduce_known, REDUCTION, s, r, n, t, op, c)
TWICE(allreduce, allreduce_pieces, REDUCTION, s, r, n, t, op, c)
TWICE(alltoallv, alltoallv_in_place,
      (const void *s, const int sc[], const int sd[], MPI_Datatype t, RV, MPI_Comm c), s, sc, sd, t,
      r, rc, rd, u, c)
TWICE(scatterv, scatterv_skip,
      (const void *s, const int sc[], const int sd[], MPI_Datatype t, void *r, int m,
       MPI_Datatype u, int root, MPI_Comm c),
      s, sc, sd, t, r, m, u, root, c)
TWICE(exscan, exscan_chain, REDUCTION, s, r, n, t, op, c)
TWICE(reduce_scatter_block, reduce_scatter_block_linear, REDUCTION, s, r, n, t, op, c)
#define ALLTOALLW                                                                    \
    (const void *s, const int sc[], const int sd[], const MPI_Datatype t[], void *r, \
     const int rc[], const int rd[], const MPI_Datatype u[], MPI_Comm c)
static int wrong_alltoallw_bytes ALLTOALLW
{
    return alltoallw_bytes(1, s, sc, sd, t, r, rc, rd, u, c);
}
static int right_alltoallw_bytes ALLTOALLW
{
    return alltoallw_bytes(0, s, sc, sd, t, r, rc, rd, u, c);
}
COLLECTIVE(alltoallw, "", wrong_alltoallw_bytes, .no_in_place = 1)
COLLECTIVE(alltoallw, "", right_alltoallw_bytes, .no_in_place = 1)
#define ALLGATHER (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c)
static int wrong_neighbor_graph ALLGATHER
{
    return neighbor_allgather_graph(1, s, n, t, r, m, u, c);
}
static int right_neighbor_graph ALLGATHER
{
    return neighbor_allgather_graph(0, s, n, t, r, m, u, c);
}
COLLECTIVE(neighbor_allgather, "", wrong_neighbor_graph, .topology = COLLECTIVE_GRID_OR_GRAPH)
COLLECTIVE(neighbor_allgather, "", right_neighbor_graph, .topology = COLLECTIVE_GRID_OR_GRAPH)
static int wrong_ring(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                      MPI_Comm c, void **state)
{
    return ring_start(1, s, n, t, r, m, u, c, state);
}
static int right_ring(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                      MPI_Comm c, void **state)
{
    return ring_start(0, s, n, t, r, m, u, c, state);
}
COLLECTIVE_STEPS(allgather, "", wrong_ring, ring_test)
COLLECTIVE_STEPS(allgather, "", right_ring, ring_test)
static int wrong_flat_lazy(void *r, int n, MPI_Datatype t, int root, MPI_Comm c, void **state)
{
    return flat_lazy(1, r, n, t, root, c, state);
}
static int right_flat_lazy(void *r, int n, MPI_Datatype t, int root, MPI_Comm c, void **state)
{
    return flat_lazy(0, r, n, t, root, c, state);
}
COLLECTIVE_STEPS(bcast, "", flat_early, flat_test)
COLLECTIVE_STEPS(bcast, "", wrong_flat_lazy, flat_test)
COLLECTIVE_STEPS(bcast, "", right_flat_lazy, flat_test)
TWICE(ibarrier, barrier_request, (MPI_Comm c, MPI_Request *request), c, request)
TWICE(bcast_init, bcast_pair,
      (void *r, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Info i, MPI_Request *request), r,
      n, t, root, c, i, request)
static int wrong_halo(const void *s, void *r, int n, MPI_Datatype t, MPI_Comm c)
{
    return halo(1, s, r, n, t, c);
}
static int right_halo(const void *s, void *r, int n, MPI_Datatype t, MPI_Comm c)
{
    return halo(0, s, r, n, t, c);
}
COLLECTIVE_CUSTOM(halo, wrong_halo, halo_reference, .sends = cells, .receives = cells_and_halo)
COLLECTIVE_CUSTOM(halo, right_halo, halo_reference, .sends = cells, .receives = cells_and_halo)
