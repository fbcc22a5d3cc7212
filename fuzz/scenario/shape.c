/* See shape.h: one function for each family of kinds. Holds no state, communicates nothing. */
#include "fuzz/scenario/shape.h"

#include <stdlib.h>
#include <string.h>

bool shape_is_neighbour(int kind)
{
    return kind >= collective_kind_neighbor_allgather && kind <= collective_kind_neighbor_alltoallw;
}

bool shape_has_blocks_of_sizes(int kind)
{
    return kind == collective_kind_allgatherv || kind == collective_kind_gatherv ||
           kind == collective_kind_scatterv || kind == collective_kind_alltoallv ||
           kind == collective_kind_alltoallw || kind == collective_kind_reduce_scatter ||
           kind == collective_kind_neighbor_allgatherv ||
           kind == collective_kind_neighbor_alltoallv || kind == collective_kind_neighbor_alltoallw;
}

/* --- sizes and places ------------------------------------------------------------------------- */

static inline uint32_t hash_of(uint32_t a, uint32_t b, uint32_t seed)
{
    return (a * 73u + b * 151u + seed * 7u + 1u) * 2654435761u >> 16;
}

long shape_lists(int sizes, int sum)
{
    long lists = sizes > 0 || sum == 0;
    for (int i = 1; sizes > 1 && i <= sum && lists < SHAPE_LISTS_MAX; i++)
        lists = lists * (sizes - 1 + i) / i; /* C(sizes - 1 + i, i) */
    return lists < SHAPE_LISTS_MAX ? lists : SHAPE_LISTS_MAX;
}

/* Returns the size at a place in list number `number`, from 0, of all lists sorted by their sums.
 * Skips whole sums, then values at one place after the other: each value starts as many lists as
 * the later places have with the rest of the sum. */
static int shape_list_size(long number, int sizes, int place)
{
    int sum = 0;
    while (number >= shape_lists(sizes, sum))
        number -= shape_lists(sizes, sum++);
    for (int i = 0;; i++) {
        int size = 0;
        if (i == place && i == sizes - 1)
            return sum;
        while (number >= shape_lists(sizes - 1 - i, sum - size))
            number -= shape_lists(sizes - 1 - i, sum - size++);
        if (i == place)
            return size;
        sum -= size;
    }
}

/* Returns a size from list `blocks`: one for each rank, or for each pair of ranks. */
static int block_size_of_list(const struct shape *c, int from, int to)
{
    const int ranks = c->size + c->other_size, place = from * ranks + to;
    const bool pairs = c->collective->kind == collective_kind_alltoallv ||
                       c->collective->kind == collective_kind_alltoallw;
    const int sizes = pairs ? ranks * ranks : ranks,
              size = place < sizes ? shape_list_size(c->s->blocks - 1, sizes, place) : 0;
    return size < c->count ? size : c->count;
}

/* Returns the elements of the block from one rank to another. */
static inline int block_size(const struct shape *c, int from, int to)
{
    const struct scenario *s = c->s;
    uint32_t hash = hash_of((uint32_t)from, (uint32_t)to, s->sizes_seed);
    if (__builtin_expect(s->blocks != 0, 0))
        return block_size_of_list(c, from, to);
    switch (s->sizes) {
    case SIZES_UNEVEN:
        return c->count ? (int)(hash % (uint32_t)(2 * c->count)) : 0;
    case SIZES_MANY_ZERO:
        return hash % 4 ? 0 : c->count;
    case SIZES_ONE:
        return (int)(s->sizes_seed % (unsigned)(c->size + c->other_size)) == to ? c->count : 0;
    default:
        return c->count;
    }
}

/* Returns the size for a pair: in place both ends share one buffer, and so one size. */
static inline int pair_size(const struct shape *c, int from, int to)
{
    return c->s->in_place && from > to ? block_size(c, to, from) : block_size(c, from, to);
}

/* Returns a step that visits all of n places. */
static int step_of(enum scenario_places places, int n, unsigned seed)
{
    int step = places == PLACES_BACKWARDS ? n - 1 : 1;
    for (int k = 2 + (int)seed % 5; places >= PLACES_MIXED && k < n; k++) {
        int a = n, b = k;
        while (b) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return k;
    }
    return step;
}

static void places_make(const struct scenario *s, const int *counts, int n, int *places)
{
    int at = 0, step = step_of(s->places, n, s->sizes_seed), first = -1;
    int block = s->places == PLACES_BACKWARDS ? n - 1 : 0;
    for (int i = 0; i < n && s->places == PLACES_BELOW; i++)
        at -= (counts[i] + 1) / 2 + 1;
    for (int i = 0; i < n; i++, block += block + step < n ? step : step - n) {
        if (s->places >= PLACES_GAPS)
            at += (int)(hash_of((uint32_t)block, 3, s->sizes_seed) % 3);
        places[block] = at;
        if (s->places == PLACES_SHARED && !counts[block])
            places[block] = first = first < 0 ? at : first;
        at += counts[block];
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

static struct shape_block *blocks_take(const struct shape *c, int blocks)
{
    return c->memory->take((size_t)blocks * sizeof(struct shape_block));
}

static void blocks_give(const struct shape *c, struct shape_block *block, int blocks)
{
    if (block)
        c->memory->give(block, (size_t)blocks * sizeof *block);
}

static void side_open(const struct shape *c, struct shape_side *side, int blocks)
{
    side->given = true;
    side->block = blocks_take(c, blocks);
    side->block_room = blocks;
}

static inline struct shape_block *block_add(struct shape_side *side, enum scenario_type type,
                                            ptrdiff_t at, long count, int source, int mark)
{
    const struct element_layout *layout = element_layout(type);
    struct shape_block *made = &side->block[side->block_count++];
    *made = (struct shape_block){type, at, count, source, 0, 0, mark};
    if (count > 0) {
        ptrdiff_t low = at + layout->start, high = at + (count - 1) * layout->extent + layout->end;
        bool first = side->low == side->high;
        side->low = first || low < side->low ? low : side->low;
        side->high = first || high > side->high ? high : side->high;
    }
    return made;
}

/* Adds a block of equal size: number b is at b * count. */
static void block_even(const struct shape *c, struct shape_side *side, int b, int source, int mark)
{
    bool sends = side == &c->send;
    enum scenario_type type = sends ? c->types->type_send : c->types->type;
    long count = sends ? c->count_send : c->count;
    block_add(side, type, b * count * element_layout(type)->extent, count, source, mark);
}

static int *numbers_new(int n)
{
    int *made = malloc((size_t)(n + !n) * sizeof *made);
    if (!made)
        abort();
    return made;
}

/* Checks that elements of the sender's type fill each of these blocks, and converts the counts to
 * such elements. Blocks of a w-form have types of their own. */
static enum scenario_type type_of_sent(const struct shape *c, int *counts, int n)
{
    const struct shape_types *t = c->types;
    int items = scenario_type_items(t->type), sent = scenario_type_items(t->type_send);
    int kind = c->collective->kind;
    if (kind == collective_kind_alltoallw || kind == collective_kind_neighbor_alltoallw)
        return t->type;
    if (items == sent)
        return t->type_send;
    for (int b = 0; b < n; b++)
        if (counts[b] * items % sent)
            return t->type;
    for (int b = 0; b < n; b++)
        counts[b] = counts[b] * items / sent;
    return t->type_send;
}

/* Adds blocks of given sizes: counts[] is filled; sets places[] and adds the blocks that source and
 * mark describe. */
static void blocks_sized(struct shape *c, struct shape_side *side, int n, const int *source,
                         const int *mark)
{
    bool sends = side == &c->send;
    enum scenario_type type = sends ? type_of_sent(c, side->counts, n) : c->types->type;
    ptrdiff_t extent = element_layout(type)->extent;
    if (sends)
        c->arguments.sendtype =
            type == c->types->type ? c->types->mpi_type : c->types->mpi_type_send;
    side->places = numbers_new(n);
    places_make(c->s, side->counts, n, side->places);
    for (int b = 0; b < n; b++)
        block_add(side, type, side->places[b] * extent, side->counts[b],
                  source[b] < 0 ? SHAPE_NOBODY : source[b], mark[b]);
}

/* Makes a w-form: every other block has the other type, if its elements fit; displacements are in
 * bytes. */
static void side_widen(struct shape *c, struct shape_side *side, int n, int parity)
{
    const struct shape_types *t = c->types;
    ptrdiff_t extent = element_layout(t->type)->extent,
              other_extent = element_layout(t->type_send)->extent;
    side->types = malloc((size_t)(n + !n) * sizeof(MPI_Datatype));
    side->addresses = malloc((size_t)(n + !n) * sizeof(MPI_Aint));
    if (!side->types || !side->addresses)
        abort();
    side->low = side->high = side->block_count = 0;
    for (int b = 0; b < n; b++) {
        struct shape_block old = side->block[b];
        int items = side->counts[b] * scenario_type_items(t->type);
        bool other = (b + parity) % 2 && items % scenario_type_items(t->type_send) == 0;
        /* Three times as far apart: room for the type with one item in an element. */
        ptrdiff_t at = side->places[b] * (extent > other_extent ? extent : other_extent) * 3;
        side->types[b] = other ? t->mpi_type_send : t->mpi_type;
        side->addresses[b] = at;
        side->places[b] = (int)at;
        if (other)
            side->counts[b] = items / scenario_type_items(t->type_send);
        block_add(side, other ? t->type_send : t->type, at, side->counts[b], old.source, old.mark);
    }
}

/* Adds a block that combines the values of all peers. */
static struct shape_block *block_add_reduced(const struct shape *c, struct shape_side *side,
                                             long count, int mark)
{
    struct shape_block *made = block_add(side, c->types->type, 0, count, SHAPE_REDUCED, mark);
    made->first = c->peers_first;
    made->last = c->peers_first + c->peers_count - 1;
    return made;
}

/* Opens the contents of the receive buffer before the call: the caller's part of a call in place.
 */
static void initial_open(struct shape *c, int blocks)
{
    c->initial = blocks_take(c, blocks);
    c->initial_room = blocks;
}

/* --- the root and the others ------------------------------------------------------------------ */

static bool is_peer(const struct shape *c, int member)
{
    return member >= c->peers_first && member < c->peers_first + c->peers_count;
}

/* Tells whether the root sends to the caller, or receives from it. */
static bool serves_root(const struct shape *c)
{
    return is_peer(c, c->root) && !(c->other_size == 0 && c->member == c->root);
}

/* Returns the argument for the root. */
static int root_argument(const struct shape *c)
{
    if (is_peer(c, c->root))
        return c->root - c->peers_first;
    return c->member == c->root ? MPI_ROOT : MPI_PROC_NULL;
}

/* --- the kinds -------------------------------------------------------------------------------- */

static void make_bcast(struct shape *c)
{
    bool other_side = c->member % 2 == 0; /* neighbours describe the message by different types */
    enum scenario_type type = other_side ? c->types->type_send : c->types->type;
    c->arguments.recvcount = other_side ? c->count_send : c->count;
    c->arguments.recvtype = other_side ? c->types->mpi_type_send : c->types->mpi_type;
    if (c->member != c->root && !serves_root(c))
        return;
    side_open(c, &c->recv, 1);
    block_add(&c->recv, type, 0, c->arguments.recvcount, c->root, 0);
    if (c->member == c->root) {
        initial_open(c, 1);
        c->initial[c->initial_count++] = c->recv.block[0];
    }
}

/* Sets a side that is one block, of the sender's or the receiver's type. */
static void side_single(struct shape *c, struct shape_side *side, int n, int source, int mark)
{
    const struct shape_types *t = c->types;
    int items = n * scenario_type_items(t->type);
    bool send = side == &c->send, other = send && items % scenario_type_items(t->type_send) == 0;
    enum scenario_type type = other ? t->type_send : t->type;
    int count = other ? items / scenario_type_items(type) : n;
    side_open(c, side, 1);
    block_add(side, type, 0, count, source, mark);
    *(send ? &c->arguments.sendcount : &c->arguments.recvcount) = count;
    *(send ? &c->arguments.sendtype : &c->arguments.recvtype) =
        other ? t->mpi_type_send : t->mpi_type;
}

/* Makes scatter, gather and their v-forms. */
static void make_rooted(struct shape *c, bool scatter, bool sized)
{
    struct shape_side *all = scatter ? &c->send : &c->recv, *one = scatter ? &c->recv : &c->send;
    bool at_root = c->member == c->root;
    int own = sized ? block_size(c, 0, c->member) : c->count, sources[SCENARIO_RANKS_MAX],
        marks[SCENARIO_RANKS_MAX];
    c->in_place = at_root && c->s->in_place;
    if (serves_root(c) || (at_root && is_peer(c, c->root) && !c->in_place))
        side_single(c, one, own, scatter ? c->root : c->member, scatter ? c->member : 0);
    if (!at_root)
        return;
    side_open(c, all, c->peers_count);
    if (sized)
        all->counts = numbers_new(c->peers_count);
    for (int b = 0; b < c->peers_count; b++) {
        sources[b] = scatter ? c->member : c->peers_first + b;
        marks[b] = scatter ? c->peers_first + b : 0;
        if (sized)
            all->counts[b] = block_size(c, 0, c->peers_first + b);
        else
            block_even(c, all, b, sources[b], marks[b]);
    }
    if (sized)
        blocks_sized(c, all, c->peers_count, sources, marks);
    if (c->in_place && !scatter) {
        initial_open(c, 1);
        c->initial[c->initial_count++] = all->block[c->rank];
    }
}

static void make_allgather(struct shape *c, bool sized)
{
    int sources[SCENARIO_RANKS_MAX], marks[SCENARIO_RANKS_MAX];
    c->in_place = c->s->in_place;
    if (!c->in_place)
        side_single(c, &c->send, sized ? block_size(c, 0, c->member) : c->count_own, c->member, 0);
    side_open(c, &c->recv, c->peers_count);
    if (sized)
        c->recv.counts = numbers_new(c->peers_count);
    for (int b = 0; b < c->peers_count; b++) {
        sources[b] = c->peers_first + b;
        marks[b] = 0;
        if (sized)
            c->recv.counts[b] = block_size(c, 0, c->peers_first + b);
        else
            block_even(c, &c->recv, b, sources[b], 0);
    }
    if (sized)
        blocks_sized(c, &c->recv, c->peers_count, sources, marks);
    if (c->in_place) {
        initial_open(c, 1);
        c->initial[c->initial_count++] = c->recv.block[c->rank];
    }
}

static void make_alltoall(struct shape *c)
{
    c->in_place = c->s->in_place;
    side_open(c, &c->recv, c->peers_count);
    if (!c->in_place)
        side_open(c, &c->send, c->peers_count);
    for (int b = 0; b < c->peers_count; b++) {
        block_even(c, &c->recv, b, c->peers_first + b, c->member);
        if (!c->in_place)
            block_even(c, &c->send, b, c->member, c->peers_first + b);
    }
}

static void make_alltoall_sized(struct shape *c, bool wide)
{
    int all[SCENARIO_RANKS_MAX], mine[SCENARIO_RANKS_MAX];
    c->in_place = c->s->in_place;
    side_open(c, &c->recv, c->peers_count);
    c->recv.counts = numbers_new(c->peers_count);
    for (int b = 0; b < c->peers_count; b++) {
        all[b] = c->peers_first + b;
        mine[b] = c->member;
        c->recv.counts[b] = pair_size(c, all[b], c->member);
    }
    blocks_sized(c, &c->recv, c->peers_count, all, mine);
    if (!c->in_place) {
        side_open(c, &c->send, c->peers_count);
        c->send.counts = numbers_new(c->peers_count);
        for (int b = 0; b < c->peers_count; b++)
            c->send.counts[b] = pair_size(c, c->member, all[b]);
        blocks_sized(c, &c->send, c->peers_count, mine, all);
    }
    if (wide)
        side_widen(c, &c->recv, c->peers_count, c->rank);
    if (wide && !c->in_place)
        side_widen(c, &c->send, c->peers_count, c->rank + 1);
}

/* Sets the initial buffer of an all-to-all in place: the block for a rank is where the block from
 * it will be. */
static void initial_of_alltoall(struct shape *c)
{
    initial_open(c, c->recv.block_count);
    for (int b = 0; b < c->recv.block_count; b++) {
        struct shape_block own = c->recv.block[b];
        own.mark = own.source;
        own.source = c->rank;
        c->initial[c->initial_count++] = own;
    }
}

static void make_reduction(struct shape *c)
{
    int kind = c->collective->kind;
    bool has_result = kind != collective_kind_reduce || c->member == c->root;
    bool gives = kind != collective_kind_reduce || is_peer(c, c->root);
    enum scenario_type type = c->types->type;
    c->in_place = c->s->in_place && has_result;
    if (c->in_place) {
        initial_open(c, 1);
        c->initial[c->initial_count++] =
            (struct shape_block){type, 0, c->count, c->member, 0, 0, 0};
    } else if (gives) {
        side_open(c, &c->send, 1);
        block_add(&c->send, type, 0, c->count, c->member, 0);
    }
    if (!has_result)
        return;
    side_open(c, &c->recv, 1);
    struct shape_block *all = block_add_reduced(c, &c->recv, c->count, 0);
    if (kind == collective_kind_scan || kind == collective_kind_exscan)
        all->last = c->rank - (kind == collective_kind_exscan);
    if (kind == collective_kind_exscan && c->rank == 0) {
        c->recv.block_count = 0;
        c->unspecified = (struct shape_block){type, 0, c->count, c->member, 0, 0, 0};
    }
}

/* Computes how many elements of a reduce-scatter's result each member of a group gets, from `first`
 * on. Both groups of an intercommunicator get the same total. */
static void scatter_counts(const struct shape *c, bool sized, int first, int count, int *out)
{
    int other = c->size + c->other_size - count, all = 0, one = other;
    for (int rest = count; rest > 0 && c->other_size;) { /* the greatest common divisor */
        int next = one % rest;
        one = rest;
        rest = next;
    }
    for (int i = 0; i < first && sized && c->other_size; i++)
        all += block_size(c, 0, i);
    for (int i = 0; i < count; i++) {
        out[i] = sized ? block_size(c, 0, first + i) : c->count * (c->other_size ? other / one : 1);
        if (sized && first > 0 && (out[i] > all || i + 1 == count))
            out[i] = all;
        all -= out[i];
    }
}

/* Makes a reduce-scatter. In place, elements after a rank's own block are undefined. */
static void make_reduce_scatter(struct shape *c, bool sized)
{
    enum scenario_type type = c->types->type;
    ptrdiff_t extent = element_layout(type)->extent, at = 0;
    struct shape_side *own = c->s->in_place ? &c->recv : &c->send;
    int sent[SCENARIO_RANKS_MAX], received[SCENARIO_RANKS_MAX];
    c->in_place = c->s->in_place;
    scatter_counts(c, sized, c->peers_first, c->peers_count, sent);
    scatter_counts(c, sized, c->member - c->rank, c->size, received);
    if (sized) {
        c->recv.counts = numbers_new(c->size);
        memcpy(c->recv.counts, received, (size_t)c->size * sizeof *received);
    }
    side_open(c, own, c->peers_count);
    for (int b = 0; b < c->peers_count; b++) {
        block_add(own, type, at, sent[b], c->member, c->peers_first + b);
        at += sent[b] * extent;
    }
    int n = received[c->rank];
    if (c->in_place) {
        c->initial = c->recv.block;
        c->initial_room = c->recv.block_room;
        c->initial_count = c->size;
        c->recv.block_count = 0;
        c->unspecified =
            (struct shape_block){type, n * extent, at / extent - n, c->member, 0, 0, 0};
    }
    ptrdiff_t low = c->recv.low, high = c->recv.high;
    side_open(c, &c->recv, 1);
    block_add_reduced(c, &c->recv, n, c->member);
    if (c->in_place) {
        c->recv.low = low;
        c->recv.high = high;
    }
    c->arguments.recvcount = n;
}

static void make_shift(struct shape *c)
{
    c->arguments.parameter = c->s->parameter % (2 * c->size) - c->size / 2;
    int from = ((c->rank - c->arguments.parameter) % c->size + c->size) % c->size;
    c->in_place = c->s->in_place;
    side_open(c, &c->recv, 1);
    block_even(c, &c->recv, 0, from, 0);
    if (!c->in_place) {
        side_open(c, &c->send, 1);
        block_even(c, &c->send, 0, c->rank, 0);
        return;
    }
    initial_open(c, 1);
    c->initial[0] = c->recv.block[0];
    c->initial[c->initial_count++].source = c->rank;
}

static void make_custom(struct shape *c)
{
    const struct collective *collective = c->collective;
    long sends = collective->sends ? collective->sends(c->rank, c->size, c->count)
                                   : (long)c->count * c->size,
         receives = collective->receives ? collective->receives(c->rank, c->size, c->count)
                                         : (long)c->count * c->size;
    side_open(c, &c->send, 1);
    side_open(c, &c->recv, 1);
    block_add(&c->send, TYPE_INT, 0, sends, c->rank, 0);
    block_add(&c->recv, TYPE_INT, 0, receives, 0, 0);
}

enum { DOUBLED_SEED = 192, DOUBLED_RANKS = SCENARIO_RANKS_MAX / 2 };

/* --- neighbours ------------------------------------------------------------------------------- */

/* Returns the number of edges of the scenario's graph from one rank to another: 0 or 1, but up to 2
 * in small graphs with high numbers. Of several edges the n-th of one rank is the n-th of the
 * other. */
static int edges_of(const struct scenario *s, int from, int to, int size)
{
    const uint32_t hash = hash_of((uint32_t)from, (uint32_t)to, s->sizes_seed ^ 0x55);
    const bool is_one = hash % 3 == 0 || to == (from + 1) % size;
    const bool doubled = s->sizes_seed >= DOUBLED_SEED && size <= DOUBLED_RANKS;
    return is_one + (is_one && doubled && hash / 3 % 2);
}

static void neighbours_of_graph(const struct scenario *s, int rank, int size,
                                struct shape_neighbours *out)
{
    out->in_count = out->out_count = 0;
    for (int i = 0; i < size; i++) {
        int mark = 0;
        for (int edge = edges_of(s, rank, i, size); edge > 0; edge--)
            out->out[out->out_count++] = i;
        for (int before = 0; before < rank; before++)
            mark += edges_of(s, i, before, size);
        for (int edge = edges_of(s, i, rank, size); edge > 0; edge--) {
            out->in_mark[out->in_count] = mark++;
            out->in[out->in_count++] = i;
        }
    }
}

void shape_neighbours(const struct scenario *s, MPI_Comm comm, int rank, int size,
                      struct shape_neighbours *out)
{
    int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, coords[3] = {0, 0, 0}, dimensions;
    if (s->graph) {
        neighbours_of_graph(s, rank, size, out);
        return;
    }
    MPI_Cart_get(comm, 3, dims, periods, coords);
    MPI_Cartdim_get(comm, &dimensions);
    out->in_count = out->out_count = 2 * dimensions;
    for (int b = 0; b < 2 * dimensions; b++) {
        /* Block b comes from the neighbour at -1 (even b) or +1 in dimension b / 2, which sent it
         * in the opposite direction. */
        int at[3] = {coords[0], coords[1], coords[2]}, d = b / 2;
        at[d] += b % 2 ? 1 : -1;
        if (periods[d])
            at[d] = (at[d] + dims[d]) % dims[d];
        out->in[b] = MPI_PROC_NULL;
        if (at[d] >= 0 && at[d] < dims[d])
            MPI_Cart_rank(comm, at, &out->in[b]);
        out->out[b] = out->in[b];
        out->in_mark[b] = b ^ 1;
    }
}

static void make_neighbour(struct shape *c)
{
    struct shape_neighbours n;
    int kind = c->collective->kind, mine[SCENARIO_RANKS_MAX], number[SCENARIO_RANKS_MAX];
    bool all =
        kind == collective_kind_neighbor_allgather || kind == collective_kind_neighbor_allgatherv;
    bool sized = shape_has_blocks_of_sizes(kind);
    shape_neighbours(c->s, c->comm, c->rank, c->size, &n);
    side_open(c, &c->recv, n.in_count);
    if (sized)
        c->recv.counts = numbers_new(n.in_count);
    for (int b = 0; b < n.in_count; b++) {
        int from = n.in[b] < 0 ? 0 : n.in[b];
        int source = n.in[b] < 0 ? SHAPE_NOBODY : n.in[b];
        n.in_mark[b] = all ? 0 : n.in_mark[b];
        if (sized)
            c->recv.counts[b] = all ? block_size(c, 0, from) : block_size(c, from, n.in_mark[b]);
        else
            block_even(c, &c->recv, b, source, n.in_mark[b]);
    }
    if (sized)
        blocks_sized(c, &c->recv, n.in_count, n.in, n.in_mark);
    if (all) {
        side_single(c, &c->send, sized ? block_size(c, 0, c->rank) : c->count, c->rank, 0);
    } else {
        side_open(c, &c->send, n.out_count);
        if (sized)
            c->send.counts = numbers_new(n.out_count);
        for (int b = 0; b < n.out_count; b++) {
            mine[b] = c->rank;
            number[b] = b;
            if (sized)
                c->send.counts[b] = block_size(c, c->rank, b);
            else
                block_even(c, &c->send, b, c->rank, b);
        }
        if (sized)
            blocks_sized(c, &c->send, n.out_count, mine, number);
    }
    if (kind == collective_kind_neighbor_alltoallw) {
        side_widen(c, &c->recv, n.in_count, c->rank);
        side_widen(c, &c->send, n.out_count, c->rank + 1);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void make_by_kind(struct shape *c)
{
    switch (c->collective->kind) {
    case collective_kind_bcast_k:
        c->arguments.parameter = 2 + c->s->parameter % 7;
        make_bcast(c);
        break;
    case collective_kind_bcast:
        make_bcast(c);
        break;
    case collective_kind_scatter:
    case collective_kind_scatterv:
        make_rooted(c, true, c->collective->kind == collective_kind_scatterv);
        break;
    case collective_kind_gather:
    case collective_kind_gatherv:
        make_rooted(c, false, c->collective->kind == collective_kind_gatherv);
        break;
    case collective_kind_allgather:
    case collective_kind_allgatherv:
        make_allgather(c, c->collective->kind == collective_kind_allgatherv);
        break;
    case collective_kind_alltoall:
        make_alltoall(c);
        break;
    case collective_kind_alltoallv:
    case collective_kind_alltoallw:
        make_alltoall_sized(c, c->collective->kind == collective_kind_alltoallw);
        break;
    case collective_kind_reduce:
    case collective_kind_allreduce:
    case collective_kind_scan:
    case collective_kind_exscan:
        make_reduction(c);
        break;
    case collective_kind_reduce_scatter:
    case collective_kind_reduce_scatter_block:
        make_reduce_scatter(c, c->collective->kind == collective_kind_reduce_scatter);
        break;
    case collective_kind_shift:
        make_shift(c);
        break;
    case collective_kind_custom:
        make_custom(c);
        break;
    case collective_kind_barrier:
        break;
    default:
        make_neighbour(c);
        break;
    }
}

/* Multiplies counts, as MPI counts several units for each element. */
static void shape_multiply(int units, const struct shape_side *side, int n)
{
    for (int b = 0; b < n; b++) {
        if (side->counts)
            side->counts[b] *= units;
        if (side->places)
            side->places[b] *= units;
    }
}

void shape_make(struct shape *c)
{
    struct collective_arguments *a = &c->arguments;
    *a = (struct collective_arguments){.comm = c->comm,
                                       .sendcount = c->count_send,
                                       .sendtype = c->types->mpi_type_send,
                                       .recvcount = c->count,
                                       .recvtype = c->types->mpi_type,
                                       .op = c->types->op,
                                       .root = root_argument(c),
                                       .parameter = c->s->parameter};
    make_by_kind(c);
    bool alltoall = c->collective->kind == collective_kind_alltoall ||
                    c->collective->kind == collective_kind_alltoallv ||
                    c->collective->kind == collective_kind_alltoallw;
    if (alltoall && c->in_place)
        initial_of_alltoall(c);
    int units = scenario_type_units(c->types->type);
    if (units > 1) {
        a->sendcount *= units;
        a->recvcount *= units;
        shape_multiply(units, &c->send, c->send.block_count);
        shape_multiply(units, &c->recv, c->recv.block_count);
    }
    a->sendcounts = c->send.counts;
    a->sdispls = c->send.places;
    a->sendtypes = c->send.types;
    a->saddresses = c->send.addresses;
    a->recvcounts = c->recv.counts;
    a->rdispls = c->recv.places;
    a->recvtypes = c->recv.types;
    a->raddresses = c->recv.addresses;
}

static void side_free(const struct shape *c, struct shape_side *side)
{
    blocks_give(c, side->block, side->block_room);
    free(side->counts);
    free(side->places);
    free(side->types);
    free(side->addresses);
}

void shape_free(struct shape *c)
{
    side_free(c, &c->send);
    side_free(c, &c->recv);
    blocks_give(c, c->initial, c->initial_room);
}
