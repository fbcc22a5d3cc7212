/* Planted defects, each with its correct twin, that only one value of a dimension of scenarios
 * shows: values.sh says which. Each function is twice there: the parameter `wrong` makes the
 * difference. */
#include <mpi.h>
#include <stdlib.h>

#define TAG 77
#define STATUS MPI_STATUS_IGNORE
#define ROOTED BUFFERS, int root, MPI_Comm comm
#define BUFFERS const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u
#define VECTOR                                                                             \
    const void *s, int n, MPI_Datatype t, void *r, const int counts[], const int displs[], \
        MPI_Datatype u, int root, MPI_Comm comm

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

/* --- where blocks lie ------------------------------------------------------------------------- */

typedef int (*place_fn)(const int counts[], const int displs[], int size, int block);

static int gatherv(VECTOR, place_fn place)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, TAG, comm);
    for (int i = 0; i < size; i++) {
        char *at = (char *)r + place(counts, displs, size, i) * extent_of(u);
        if (i != root)
            MPI_Recv(at, counts[i], u, i, TAG, comm, STATUS);
        else if (s != MPI_IN_PLACE)
            copy(s, n, t, at, counts[i], u);
    }
    return MPI_SUCCESS;
}

static int as_told(const int counts[], const int displs[], int size, int block)
{
    return (void)counts, (void)size, displs[block];
}

/* Takes the blocks to lie side by side, in whatever order. */
static int side_by_side(const int counts[], const int displs[], int size, int block)
{
    int at = displs[0];
    for (int i = 0; i < size; i++)
        at = displs[i] < at ? displs[i] : at;
    for (int i = 0; i < size; i++)
        at += displs[i] < displs[block] ? counts[i] : 0;
    return counts[block] ? at : displs[block];
}

/* Takes them to lie in the order of ranks, with whatever gaps. */
static int in_order(const int counts[], const int displs[], int size, int block)
{
    int at = displs[0];
    (void)size;
    for (int i = 1; i <= block; i++)
        at = displs[i] > at + counts[i - 1] ? displs[i] : at + counts[i - 1];
    return counts[block] ? at : displs[block];
}

static int gatherv_gaps(int wrong, VECTOR)
{
    return gatherv(s, n, t, r, counts, displs, u, root, comm, wrong ? side_by_side : as_told);
}

static int gatherv_order(int wrong, VECTOR)
{
    return gatherv(s, n, t, r, counts, displs, u, root, comm, wrong ? in_order : as_told);
}

/* --- where data begin ------------------------------------------------------------------------- */

/* Receives into a buffer of its own; what is wrong with a type whose data begin there. */
static int gather(ROOTED, int wrong_before, int wrong_behind)
{
    int rank, size;
    MPI_Aint low, reach, extent = extent_of(u), shift;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, TAG, comm);
    MPI_Type_get_true_extent(u, &low, &reach);
    shift = (low < 0 && wrong_before) || (low > 0 && wrong_behind) ? 0 : low;
    char *own = malloc(m ? (size_t)((m - 1) * extent + reach) : 1);
    for (int i = 0; i < size; i++) {
        if (i == root && s != MPI_IN_PLACE)
            copy(s, n, t, (char *)r + (MPI_Aint)i * m * extent, m, u);
        if (i == root)
            continue;
        MPI_Recv(own - shift, m, u, i, TAG, comm, STATUS);
        copy(own - shift, m, u, (char *)r + (MPI_Aint)i * m * extent, m, u);
    }
    free(own);
    return MPI_SUCCESS;
}

static int gather_before(int wrong, ROOTED)
{
    return gather(s, n, t, r, m, u, root, comm, wrong, 0);
}

static int gather_behind(int wrong, ROOTED)
{
    return gather(s, n, t, r, m, u, root, comm, 0, wrong);
}

/* --- from call to call ------------------------------------------------------------------------ */

#define BCAST void *r, int n, MPI_Datatype t, int root, MPI_Comm comm

static int flat(BCAST, int rank, int size)
{
    if (rank != root)
        return MPI_Recv(r, n, t, root, TAG, comm, STATUS);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(r, n, t, i, TAG, comm);
    return MPI_SUCCESS;
}

static int size_known;

/* Wrong: how many there are, asked once for all communicators. */
static int bcast_halves(int wrong, BCAST)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (!size_known || !wrong)
        MPI_Comm_size(comm, &size_known);
    return flat(r, n, t, root, comm, rank, size_known);
}

/* Wrong: the rank in the world is taken for that in the communicator. */
static int bcast_ranks(int wrong, BCAST)
{
    int rank, size;
    MPI_Comm_rank(wrong ? MPI_COMM_WORLD : comm, &rank);
    MPI_Comm_size(comm, &size);
    return flat(r, n, t, root, comm, rank, size);
}

static char *kept;
static int kept_bytes;

/* Through a packed copy that is kept for the next call. Wrong: as large as it was for the first. */
static int bcast_up(int wrong, BCAST)
{
    int rank, size, bytes, at = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Pack_size(n, t, comm, &bytes);
    if (!kept || (bytes > kept_bytes && !wrong))
        kept = realloc(kept, (size_t)(kept_bytes = bytes) + 1);
    if (rank == root)
        MPI_Pack(r, n, t, kept, bytes, &at, comm);
    flat(kept, bytes, MPI_PACKED, root, comm, rank, size);
    at = 0;
    if (rank != root)
        MPI_Unpack(kept, bytes, &at, r, n, t, comm);
    return MPI_SUCCESS;
}

static int count_known;

/* Wrong: never tells of fewer elements than it did before. */
static int bcast_down(int wrong, BCAST)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    count_known = wrong && count_known > n ? count_known : n;
    return flat(r, count_known, t, root, comm, rank, size);
}

/* --- places before the buffer's address ------------------------------------------------------- */

#define WIDE                                                                         \
    const void *s, const int sc[], const int sd[], const MPI_Datatype st[], void *r, \
        const int rc[], const int rd[], const MPI_Datatype rt[], MPI_Comm comm

/* Wrong: takes a place below 0 for one that was not given. */
static int alltoallw_below(int wrong, WIDE)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        MPI_Sendrecv((const char *)s + (wrong && sd[to] < 0 ? 0 : sd[to]), sc[to], st[to], to, TAG,
                     (char *)r + rd[from], rc[from], rt[from], from, TAG, comm, STATUS);
    }
    return MPI_SUCCESS;
}

/* --- another type on each side ---------------------------------------------------------------- */

#define SIZED                                                                               \
    const void *s, const int sc[], const int sd[], MPI_Datatype t, void *r, const int rc[], \
        const int rd[], MPI_Datatype u, MPI_Comm comm

/* Wrong: what is sent lies as far apart as what is received. */
static int alltoallv_types(int wrong, SIZED)
{
    int rank, size;
    MPI_Aint extent = extent_of(wrong ? u : t);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        MPI_Sendrecv((const char *)s + sd[to] * extent, sc[to], t, to, TAG,
                     (char *)r + rd[from] * extent_of(u), rc[from], u, from, TAG, comm, STATUS);
    }
    return MPI_SUCCESS;
}

static int scatterv_types(int wrong, const void *s, const int sc[], const int sd[], MPI_Datatype t,
                          void *r, int m, MPI_Datatype u, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; rank == root && i < size; i++) {
        const char *place = (const char *)s + sd[i] * extent_of(wrong ? u : t);
        if (i != root)
            MPI_Send(place, sc[i], t, i, TAG, comm);
        else
            copy(place, sc[i], t, r, m, u);
    }
    return rank == root ? MPI_SUCCESS : MPI_Recv(r, m, u, root, TAG, comm, STATUS);
}

static int neighbor_types(int wrong, SIZED)
{
    int dims, peer[6];
    MPI_Request request[12];
    MPI_Cartdim_get(comm, &dims);
    for (int d = 0; d < dims; d++)
        MPI_Cart_shift(comm, d, 1, &peer[2 * d], &peer[2 * d + 1]);
    for (int i = 0; i < 2 * dims; i++) {
        MPI_Irecv((char *)r + rd[i] * extent_of(u), rc[i], u, peer[i], TAG + i, comm,
                  &request[2 * i]);
        MPI_Isend((const char *)s + sd[i] * extent_of(wrong ? u : t), sc[i], t, peer[i],
                  TAG + (i ^ 1), comm, &request[2 * i + 1]);
    }
    return MPI_Waitall(4 * dims, request, MPI_STATUSES_IGNORE);
}

/* --- completed in any order ------------------------------------------------------------------- */

struct state {
    void *r;
    int n, root, tag, started, count;
    MPI_Datatype t;
    MPI_Comm comm;
    MPI_Request request[64];
};
static int starts, looks;

/* The root sends at once, the others receive when they are first asked. */
static int lazy_start(BCAST, void **out_state)
{
    struct state *made = malloc(sizeof *made);
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *made = (struct state){r, n, root, 1000 + starts++, rank == root, 0, t, comm, {0}};
    for (int i = 0; i < size && rank == root; i++)
        if (i != root)
            MPI_Isend(r, n, t, i, made->tag, comm, &made->request[made->count++]);
    *out_state = made;
    return MPI_SUCCESS;
}

/* Wrong: numbers them in the order in which they are asked. */
static int lazy_look(void *state, int *done, int wrong)
{
    struct state *of = state;
    int number = of->started == 1 || of->count ? 0 : 1000 + looks;
    if (!of->started) {
        looks++;
        of->started = 2;
        MPI_Irecv(of->r, of->n, of->t, of->root, wrong ? number : of->tag, of->comm,
                  &of->request[of->count++]);
    } else if (of->started == 1) { /* the root's own counts too */
        looks++;
        of->started = 2;
    }
    MPI_Testall(of->count, of->request, done, MPI_STATUSES_IGNORE);
    if (*done)
        free(of);
    return MPI_SUCCESS;
}

static int wrong_look(void *state, int *done)
{
    return lazy_look(state, done, 1);
}

static int right_look(void *state, int *done)
{
    return lazy_look(state, done, 0);
}

static int wrong_bcast_tested(BCAST, void **out_state)
{
    return lazy_start(r, n, t, root, comm, out_state);
}

static int right_bcast_tested(BCAST, void **out_state)
{
    return lazy_start(r, n, t, root, comm, out_state);
}

/* --- all of them, twice ----------------------------------------------------------------------- */

#define TWICE(form, name, parameters, ...)               \
    static int wrong_##name parameters                   \
    {                                                    \
        return name(1, __VA_ARGS__);                     \
    }                                                    \
    static int right_##name parameters                   \
    {                                                    \
        return name(0, __VA_ARGS__);                     \
    }                                                    \
    COLLECTIVE(form, "", wrong_##name, .no_in_place = 1) \
    COLLECTIVE(form, "", right_##name, .no_in_place = 1)
TWICE(gatherv, gatherv_gaps, (VECTOR), s, n, t, r, counts, displs, u, root, comm)
TWICE(gatherv, gatherv_order, (VECTOR), s, n, t, r, counts, displs, u, root, comm)
TWICE(alltoallw, alltoallw_below, (WIDE), s, sc, sd, st, r, rc, rd, rt, comm)
TWICE(alltoallv, alltoallv_types, (SIZED), s, sc, sd, t, r, rc, rd, u, comm)
TWICE(scatterv, scatterv_types,
      (const void *s, const int sc[], const int sd[], MPI_Datatype t, void *r, int m,
       MPI_Datatype u, int root, MPI_Comm comm),
      s, sc, sd, t, r, m, u, root, comm)
TWICE(neighbor_alltoallv, neighbor_types, (SIZED), s, sc, sd, t, r, rc, rd, u, comm)
TWICE(gather, gather_before, (ROOTED), s, n, t, r, m, u, root, comm)
TWICE(gather, gather_behind, (ROOTED), s, n, t, r, m, u, root, comm)
TWICE(bcast, bcast_halves, (BCAST), r, n, t, root, comm)
TWICE(bcast, bcast_ranks, (BCAST), r, n, t, root, comm)
TWICE(bcast, bcast_up, (BCAST), r, n, t, root, comm)
TWICE(bcast, bcast_down, (BCAST), r, n, t, root, comm)
COLLECTIVE_STEPS(bcast, "", wrong_bcast_tested, wrong_look)
COLLECTIVE_STEPS(bcast, "", right_bcast_tested, right_look)
