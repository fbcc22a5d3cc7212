/* Cartesian, graph and distributed graph topologies. Ranks keep their order, as with Open MPI; MPI
 * allows another one (world_explore_layout). */
#include "world/exchange/explore.h"

/* Notes that the library may give the ranks another order, which is not explored. */
static void topology_orders(MPI_Comm comm, int reorder)
{
    CORE_CHECK(comm->size > 0);
    if (reorder && comm->size > 1)
        world_explore_layout();
}

/* Meets to make a topology that each rank knows by itself. */
static const struct world_meeting *topology_meet(MPI_Comm comm, int reorder)
{
    topology_orders(comm, reorder);
    return world_meet_for(comm, NULL, MEET_NOBODY);
}

static int topology_check(MPI_Comm handle, int kind, MPI_Comm *out_comm)
{
    int code = world_comm_check(handle, out_comm);
    if (code)
        return code;
    if (!(*out_comm)->topology || (*out_comm)->topology->kind != kind)
        return world_error(*out_comm, MPI_ERR_TOPOLOGY, "the communicator has no such topology");
    return MPI_SUCCESS;
}

static int check_ranks(MPI_Comm comm, const int *rank, int count, int size)
{
    for (int i = 0; i < count; i++)
        if (rank[i] < 0 || rank[i] >= size)
            return world_error(comm, MPI_ERR_RANK, "rank %d of %d", rank[i], size);
    return MPI_SUCCESS;
}

static int *topology_copied(const int *from, int count)
{
    CORE_CHECK(count >= 0);
    int *copy = world_alloc(((size_t)count + 1) * sizeof *copy);
    for (int i = 0; i < count; i++)
        copy[i] = from[i];
    return copy;
}

static struct world_topology *topology_new(int kind)
{
    struct world_topology *made = world_alloc(sizeof *made);
    memset(made, 0, sizeof *made);
    made->kind = kind;
    return made;
}

static void topology_coordinates(int count, const int *dims, int rank, int *out_coords)
{
    for (int d = count - 1; d >= 0; d--) {
        out_coords[d] = rank % dims[d];
        rank /= dims[d];
    }
    CORE_CHECK(rank == 0); /* it was a rank of the grid */
}

static int rank_at(const struct world_topology *topology, const int *coords);

int MPI_Topo_test(MPI_Comm handle, int *status)
{
    ENTER("MPI_Topo_test");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        *status = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
    return code;
}

/* --- Cartesian -------------------------------------------------------------------------------- */

int MPI_Cart_create(MPI_Comm handle, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm *comm_cart)
{
    ENTER("MPI_Cart_create");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (ndims < 0)
        return world_error(comm, MPI_ERR_ARG, "%d dimensions", ndims);
    long long product = 1;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 1)
            return world_error(comm, MPI_ERR_ARG, "dimension %d of size %d", d, dims[d]);
        product *= dims[d];
        if (product > comm->size)
            return world_error(comm, MPI_ERR_ARG, "a grid of %lld ranks on %d", product,
                               comm->size);
    }
    CORE_CHECK(product >= 1 && product <= comm->size);
    uint32_t context = topology_meet(comm, reorder)->context;
    *comm_cart = MPI_COMM_NULL;
    if (comm->rank >= product)
        return MPI_SUCCESS;
    MPI_Comm made = world_comm_new(context, comm->rank, (int)product, comm->member, comm);
    struct world_topology *topology = made->topology = topology_new(MPI_CART);
    topology->dimension_count = ndims;
    topology->dims = topology_copied(dims, ndims);
    topology->periods = topology_copied(periods, ndims);
    topology->coords = topology_copied(dims, ndims);
    topology_coordinates(ndims, dims, comm->rank, topology->coords);
    CORE_CHECK(rank_at(topology, topology->coords) == comm->rank); /* the inverse */
    *comm_cart = made;
    return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm handle, int *ndims)
{
    ENTER("MPI_Cartdim_get");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    if (code == MPI_SUCCESS)
        *ndims = comm->topology->dimension_count;
    return code;
}

int MPI_Cart_get(MPI_Comm handle, int maxdims, int dims[], int periods[], int coords[])
{
    ENTER("MPI_Cart_get");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    for (int d = 0; !code && d < comm->topology->dimension_count && d < maxdims; d++) {
        dims[d] = comm->topology->dims[d];
        periods[d] = comm->topology->periods[d];
        coords[d] = comm->topology->coords[d];
    }
    return code;
}

int MPI_Cart_coords(MPI_Comm handle, int rank, int maxdims, int coords[])
{
    ENTER("MPI_Cart_coords");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    if (code)
        return code;
    if (rank < 0 || rank >= comm->size)
        return world_error(comm, MPI_ERR_RANK, "rank %d of %d", rank, comm->size);
    int count = comm->topology->dimension_count;
    if (maxdims < count)
        return world_error(comm, MPI_ERR_DIMS, "room for %d of %d", maxdims, count);
    topology_coordinates(count, comm->topology->dims, rank, coords);
    CORE_CHECK(rank_at(comm->topology, coords) == rank);
    return MPI_SUCCESS;
}

static int rank_at(const struct world_topology *topology, const int *coords)
{
    int rank = 0;
    for (int d = 0; d < topology->dimension_count; d++) {
        int size = topology->dims[d], at = coords[d];
        if (at < 0 || at >= size) {
            if (!topology->periods[d])
                return MPI_PROC_NULL;
            at = (at % size + size) % size;
        }
        CORE_CHECK(at >= 0 && at < size);
        rank = rank * size + at;
    }
    return rank;
}

int MPI_Cart_rank(MPI_Comm handle, const int coords[], int *rank)
{
    ENTER("MPI_Cart_rank");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    if (code)
        return code;
    int found = rank_at(comm->topology, coords);
    if (found == MPI_PROC_NULL)
        return world_error(comm, MPI_ERR_ARG,
                           "a coordinate outside of a dimension that is not periodic");
    *rank = found;
    return MPI_SUCCESS;
}

int MPI_Cart_shift(MPI_Comm handle, int direction, int disp, int *rank_source, int *rank_dest)
{
    ENTER("MPI_Cart_shift");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    if (code)
        return code;
    const struct world_topology *topology = comm->topology;
    if (direction < 0 || direction >= topology->dimension_count)
        return world_error(comm, MPI_ERR_DIMS, "direction %d of %d", direction,
                           topology->dimension_count);
    int *coords = topology_copied(topology->coords, topology->dimension_count);
    coords[direction] = topology->coords[direction] + disp;
    *rank_dest = rank_at(topology, coords);
    coords[direction] = topology->coords[direction] - disp;
    *rank_source = rank_at(topology, coords);
    return MPI_SUCCESS;
}

/* Tells whether a rank of the grid has the caller's coordinates in the dimensions that are dropped.
 */
static bool cart_is_beside(const struct world_topology *topology, const int *kept, int rank)
{
    CORE_CHECK(topology->kind == MPI_CART && rank >= 0);
    int *coords = topology_copied(topology->coords, topology->dimension_count);
    topology_coordinates(topology->dimension_count, topology->dims, rank, coords);
    for (int d = 0; d < topology->dimension_count; d++)
        if (!kept[d] && coords[d] != topology->coords[d])
            return false;
    return true;
}

int MPI_Cart_sub(MPI_Comm handle, const int remain_dims[], MPI_Comm *newcomm)
{
    ENTER("MPI_Cart_sub");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_CART, &comm);
    if (code)
        return code;
    const struct world_topology *old = comm->topology;
    struct world_topology *topology = topology_new(MPI_CART);
    topology->dims = topology_copied(old->dims, old->dimension_count);
    topology->periods = topology_copied(old->periods, old->dimension_count);
    topology->coords = topology_copied(old->coords, old->dimension_count);
    int *kept = world_zalloc(((size_t)old->dimension_count + 1) * sizeof *kept);
    for (int d = 0; d < old->dimension_count; d++) {
        kept[d] = remain_dims[d] != 0;
        if (!kept[d])
            continue;
        int at = topology->dimension_count++;
        topology->dims[at] = old->dims[d];
        topology->periods[at] = old->periods[d];
        topology->coords[at] = old->coords[d];
    }
    const struct world_meeting *meeting = world_meet_for(comm, kept, MEET_NOBODY);
    int *member = world_alloc((size_t)comm->size * sizeof *member), size = 0;
    for (int i = 0; i < comm->size; i++) {
        const int *theirs = meeting->slot[i]; /* NULL: it has not come, and nobody waits for it */
        if (theirs && memcmp(theirs, kept, (size_t)old->dimension_count * sizeof *kept))
            return world_error(comm, MPI_ERR_ARG, "the members keep different dimensions");
        if (cart_is_beside(old, kept, i))
            member[size++] = comm->member[i];
    }
    *newcomm =
        world_comm_new(meeting->context, rank_at(topology, topology->coords), size, member, comm);
    (*newcomm)->topology = topology;
    return MPI_SUCCESS;
}

int MPI_Cart_map(MPI_Comm handle, int ndims, const int dims[], const int periods[], int *newrank)
{
    ENTER("MPI_Cart_map");
    (void)periods;
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm), product = 1;
    if (code)
        return code;
    for (int d = 0; d < ndims; d++)
        product *= dims[d];
    *newrank = comm->rank < product ? comm->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
    ENTER("MPI_Dims_create");
    if (nnodes < 1 || ndims < 0)
        return world_error(NULL, MPI_ERR_ARG, "%d ranks in %d dimensions", nnodes, ndims);
    int left = nnodes, open = 0;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0 || (dims[d] > 0 && left % dims[d]))
            return world_error(NULL, MPI_ERR_DIMS, "dimension %d of size %d does not divide %d", d,
                               dims[d], nnodes);
        if (dims[d] > 0)
            left /= dims[d];
        else
            open++;
    }
    if (!open)
        return left == 1 ? MPI_SUCCESS
                         : world_error(NULL, MPI_ERR_DIMS, "the dimensions do not make %d", nnodes);
    int factor[32], factors = 0;
    for (int p = 2; p <= left; p++)
        for (; left % p == 0; left /= p)
            factor[factors++] = p;
    CORE_CHECK(left == 1 && factors <= 31); /* an int has no more factors */
    int *bin = world_alloc((size_t)open * sizeof *bin);
    for (int i = 0; i < open; i++)
        bin[i] = 1;
    while (factors-- > 0) { /* the largest factor is assigned to the smallest dimension */
        int small = 0;
        for (int i = 1; i < open; i++)
            small = bin[i] < bin[small] ? i : small;
        bin[small] *= factor[factors];
    }
    for (int d = 0; d < ndims; d++) {
        if (dims[d] > 0)
            continue;
        int large = 0;
        for (int i = 1; i < open; i++)
            large = bin[i] > bin[large] ? i : large;
        CORE_CHECK(bin[large] > 0); /* one for each open dimension */
        dims[d] = bin[large];
        bin[large] = 0;
    }
    return MPI_SUCCESS;
}

/* --- graphs ----------------------------------------------------------------------------------- */

int MPI_Graph_create(MPI_Comm handle, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *comm_graph)
{
    ENTER("MPI_Graph_create");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (nnodes < 0 || nnodes > comm->size)
        return world_error(comm, MPI_ERR_ARG, "%d nodes on %d ranks", nnodes, comm->size);
    for (int i = 0; i < nnodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return world_error(comm, MPI_ERR_ARG, "the edges of node %d end at %d", i, index[i]);
    if (nnodes && (code = check_ranks(comm, edges, index[nnodes - 1], nnodes)))
        return code;
    uint32_t context = topology_meet(comm, reorder)->context;
    *comm_graph = MPI_COMM_NULL;
    if (comm->rank >= nnodes)
        return MPI_SUCCESS;
    MPI_Comm made = world_comm_new(context, comm->rank, nnodes, comm->member, comm);
    struct world_topology *topology = made->topology = topology_new(MPI_GRAPH);
    topology->dimension_count = nnodes;
    topology->index = topology_copied(index, nnodes);
    topology->edges = topology_copied(edges, nnodes ? index[nnodes - 1] : 0);
    *comm_graph = made;
    return MPI_SUCCESS;
}

int MPI_Graphdims_get(MPI_Comm handle, int *nnodes, int *nedges)
{
    ENTER("MPI_Graphdims_get");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_GRAPH, &comm);
    if (code == MPI_SUCCESS) {
        *nnodes = comm->topology->dimension_count;
        *nedges = *nnodes ? comm->topology->index[*nnodes - 1] : 0;
    }
    return code;
}

int MPI_Graph_get(MPI_Comm handle, int maxindex, int maxedges, int index[], int edges[])
{
    ENTER("MPI_Graph_get");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_GRAPH, &comm);
    if (code)
        return code;
    CORE_CHECK(comm->topology->dimension_count == comm->size);
    int nodes = comm->topology->dimension_count, all = nodes ? comm->topology->index[nodes - 1] : 0;
    for (int i = 0; i < nodes && i < maxindex; i++)
        index[i] = comm->topology->index[i];
    for (int i = 0; i < all && i < maxedges; i++)
        edges[i] = comm->topology->edges[i];
    return MPI_SUCCESS;
}

static int graph_neighbours(const struct world_topology *topology, int rank, const int **out_first)
{
    int from = rank ? topology->index[rank - 1] : 0;
    CORE_CHECK(from >= 0 && from <= topology->index[rank]); /* checked when the topology was made */
    *out_first = topology->edges + from;
    return topology->index[rank] - from;
}

int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int *nneighbors)
{
    ENTER("MPI_Graph_neighbors_count");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_GRAPH, &comm);
    if (code)
        return code;
    if (rank < 0 || rank >= comm->size)
        return world_error(comm, MPI_ERR_RANK, "rank %d of %d", rank, comm->size);
    const int *first;
    *nneighbors = graph_neighbours(comm->topology, rank, &first);
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm handle, int rank, int maxneighbors, int neighbors[])
{
    ENTER("MPI_Graph_neighbors");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_GRAPH, &comm);
    if (code)
        return code;
    if (rank < 0 || rank >= comm->size)
        return world_error(comm, MPI_ERR_RANK, "rank %d of %d", rank, comm->size);
    const int *first;
    int count = graph_neighbours(comm->topology, rank, &first);
    for (int i = 0; i < count && i < maxneighbors; i++)
        neighbors[i] = first[i];
    return MPI_SUCCESS;
}

/* One rank's part of the graph: sources with their edges; weight is NULL if it has none. */
struct said {
    int count;
    const int *source, *degree, *target, *weight;
};

/* Returns the edges that leave (or enter) this rank, in the order of the ranks that named them. */
static int edges_of(const struct world_meeting *meeting, int size, int rank, bool leaving,
                    int *out_other, int *out_weight)
{
    int found = 0;
    for (int who = 0; who < size; who++) {
        const struct said *said = meeting->slot[who];
        CORE_CHECK(said && said->count >= 0); /* every member brought its part */
        for (int i = 0, edge = 0; i < said->count; i++)
            for (int end = edge + said->degree[i]; edge < end; edge++) {
                if ((leaving ? said->source[i] : said->target[edge]) != rank)
                    continue;
                if (out_other)
                    out_other[found] = leaving ? said->target[edge] : said->source[i];
                if (out_weight)
                    out_weight[found] = said->weight ? said->weight[edge] : 0;
                found++;
            }
    }
    return found;
}

int MPI_Dist_graph_create(MPI_Comm handle, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *comm_dist_graph)
{
    ENTER("MPI_Dist_graph_create");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm), edges = 0;
    if (code)
        return code;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0 || degrees[i] > INT32_MAX - edges)
            return world_error(comm, MPI_ERR_ARG, "degree %d", degrees[i]);
        edges += degrees[i];
    }
    if (n < 0)
        return world_error(comm, MPI_ERR_ARG, "%d sources", n);
    if ((code = check_ranks(comm, sources, n, comm->size)) ||
        (code = check_ranks(comm, destinations, edges, comm->size)))
        return code;
    bool weighted = weights != MPI_UNWEIGHTED;
    struct said *mine = world_alloc(sizeof *mine);
    *mine = (struct said){n, topology_copied(sources, n), topology_copied(degrees, n),
                          topology_copied(destinations, edges),
                          weighted && edges ? topology_copied(weights, edges) : NULL};
    const struct world_meeting *meeting = world_meet(comm, mine);
    topology_orders(comm, reorder);
    MPI_Comm made = world_comm_new(meeting->context, comm->rank, comm->size, comm->member, comm);
    struct world_topology *t = made->topology = topology_new(MPI_DIST_GRAPH);
    t->in_count = edges_of(meeting, comm->size, comm->rank, false, NULL, NULL);
    t->out_count = edges_of(meeting, comm->size, comm->rank, true, NULL, NULL);
    t->in = world_zalloc(((size_t)t->in_count + 1) * sizeof(int));
    t->out = world_zalloc(((size_t)t->out_count + 1) * sizeof(int));
    t->in_weight = weighted ? world_zalloc(((size_t)t->in_count + 1) * sizeof(int)) : NULL;
    t->out_weight = weighted ? world_zalloc(((size_t)t->out_count + 1) * sizeof(int)) : NULL;
    int in = edges_of(meeting, comm->size, comm->rank, false, t->in, t->in_weight);
    int out = edges_of(meeting, comm->size, comm->rank, true, t->out, t->out_weight);
    CORE_CHECK(in == t->in_count && out == t->out_count);
    world_comm_info(made, info);
    *comm_dist_graph = made;
    return MPI_SUCCESS;
}

int MPI_Graph_map(MPI_Comm handle, int nnodes, const int index[], const int edges[], int *newrank)
{
    ENTER("MPI_Graph_map");
    (void)index, (void)edges;
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (!code)
        *newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
    return code;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *comm_dist_graph)
{
    ENTER("MPI_Dist_graph_create_adjacent");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (indegree < 0 || outdegree < 0)
        return world_error(comm, MPI_ERR_ARG, "degrees %d and %d", indegree, outdegree);
    if ((code = check_ranks(comm, sources, indegree, comm->size)) ||
        (code = check_ranks(comm, destinations, outdegree, comm->size)))
        return code;
    MPI_Comm made = world_comm_new(topology_meet(comm, reorder)->context, comm->rank, comm->size,
                                   comm->member, comm);
    struct world_topology *topology = made->topology = topology_new(MPI_DIST_GRAPH);
    topology->in_count = indegree;
    topology->out_count = outdegree;
    topology->in = topology_copied(sources, indegree);
    topology->out = topology_copied(destinations, outdegree);
    bool weighted = sourceweights != MPI_UNWEIGHTED;
    topology->in_weight = weighted ? topology_copied(sourceweights, indegree) : NULL;
    topology->out_weight = weighted ? topology_copied(destweights, outdegree) : NULL;
    world_comm_info(made, info);
    *comm_dist_graph = made;
    return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int *indegree, int *outdegree, int *weighted)
{
    ENTER("MPI_Dist_graph_neighbors_count");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_DIST_GRAPH, &comm);
    if (code == MPI_SUCCESS) {
        *indegree = comm->topology->in_count;
        *outdegree = comm->topology->out_count;
        *weighted = comm->topology->in_weight || comm->topology->out_weight;
    }
    return code;
}

int MPI_Dist_graph_neighbors(MPI_Comm handle, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[])
{
    ENTER("MPI_Dist_graph_neighbors");
    MPI_Comm comm;
    int code = topology_check(handle, MPI_DIST_GRAPH, &comm);
    if (code)
        return code;
    const struct world_topology *topology = comm->topology;
    for (int i = 0; i < topology->in_count && i < maxindegree; i++) {
        sources[i] = topology->in[i];
        if (topology->in_weight)
            sourceweights[i] = topology->in_weight[i];
    }
    for (int i = 0; i < topology->out_count && i < maxoutdegree; i++) {
        destinations[i] = topology->out[i];
        if (topology->out_weight)
            destweights[i] = topology->out_weight[i];
    }
    return MPI_SUCCESS;
}
