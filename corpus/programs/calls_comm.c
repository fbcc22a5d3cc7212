/* Makes every call on communicators, groups, intercommunicators and topologies. Each rank prints
 * how often it made each call.
 *
 * Arguments: none. Ranks: 2 or more, up to 16.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=4 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

enum { RANKS_MAX = 16 };

static int rank, size;
static MPI_Comm world;

static void groups(void)
{
    MPI_Group all, one, rest, g;
    int n, r, result, first = 0, range[1][3] = {{0, 0, 1}};
    CALL(MPI_Comm_group, world, &all);
    CALL(MPI_Group_size, all, &n);
    CALL(MPI_Group_rank, all, &r);
    EXPECT(n == size && r == rank);
    CALL(MPI_Group_incl, all, 1, &first, &one);
    CALL(MPI_Group_excl, all, 1, &first, &rest);
    CALL(MPI_Group_union, one, rest, &g);
    CALL(MPI_Group_compare, all, g, &result);
    EXPECT(result == MPI_IDENT);
    CALL(MPI_Group_free, &g);
    CALL(MPI_Group_intersection, one, rest, &g);
    EXPECT(g == MPI_GROUP_EMPTY);
    CALL(MPI_Group_difference, all, one, &g);
    CALL(MPI_Group_translate_ranks, all, 1, &first, rest, &r);
    EXPECT(r == MPI_UNDEFINED);
    CALL(MPI_Group_free, &g);
    CALL(MPI_Group_range_incl, all, 1, range, &g);
    CALL(MPI_Group_free, &g);
    CALL(MPI_Group_range_excl, all, 1, range, &g);
    EXPECT(CALL(MPI_Group_f2c, CALL(MPI_Group_c2f, g)) == g);
    CALL(MPI_Group_free, &g);
    CALL(MPI_Group_free, &one);
    CALL(MPI_Group_free, &rest);
    CALL(MPI_Group_free, &all);
}

static void communicators(void)
{
    MPI_Comm copy, half, one;
    MPI_Group all, firsts;
    MPI_Info info;
    MPI_Request r;
    char name[MPI_MAX_OBJECT_NAME];
    int result, length, first = 0, sum, mine = 1;
    CALL(MPI_Comm_dup, world, &copy);
    CALL(MPI_Comm_compare, world, copy, &result);
    EXPECT(result == MPI_CONGRUENT);
    CALL(MPI_Comm_set_name, copy, "copy");
    CALL(MPI_Comm_get_name, copy, name, &length);
    EXPECT(!strcmp(name, "copy"));
    CALL(MPI_Comm_get_info, copy, &info);
    CALL(MPI_Comm_set_info, copy, info);
    CALL(MPI_Comm_free, &copy);
    CALL(MPI_Comm_dup_with_info, world, info, &copy);
    CALL(MPI_Info_free, &info);
    CALL(MPI_Comm_disconnect, &copy);
    CALL(MPI_Comm_idup, world, &copy, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_Allreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, copy);
    EXPECT(sum == size);
    CALL(MPI_Comm_free, &copy);
    CALL(MPI_Comm_split, world, rank % 2, -rank, &half);
    CALL(MPI_Allreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, half);
    CALL(MPI_Comm_free, &half);
    CALL(MPI_Comm_split_type, world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &half);
    CALL(MPI_Comm_free, &half);
    CALL(MPI_Comm_group, world, &all);
    CALL(MPI_Group_incl, all, 1, &first, &firsts);
    CALL(MPI_Comm_create, world, firsts, &one);
    EXPECT((one != MPI_COMM_NULL) == (rank == 0));
    if (rank == 0) {
        CALL(MPI_Comm_free, &one);
        CALL(MPI_Comm_create_group, world, firsts, 3, &one);
        CALL(MPI_Comm_free, &one);
    }
    CALL(MPI_Group_free, &firsts);
    CALL(MPI_Group_free, &all);
    EXPECT(CALL(MPI_Comm_f2c, CALL(MPI_Comm_c2f, world)) == world);
}

/* Connects the even ranks with the odd ranks. */
static void intercommunicators(void)
{
    MPI_Comm half, both, merged;
    MPI_Group remote;
    int flag, n, r, mine = rank, sum = -1;
    CALL(MPI_Comm_split, world, rank % 2, rank, &half);
    CALL(MPI_Intercomm_create, half, 0, world, 1 - rank % 2, 7, &both);
    CALL(MPI_Comm_test_inter, both, &flag);
    EXPECT(flag);
    CALL(MPI_Comm_remote_size, both, &n);
    CALL(MPI_Comm_remote_group, both, &remote);
    CALL(MPI_Group_free, &remote);
    CALL(MPI_Comm_rank, both, &r);
    if (r < n)
        CALL(MPI_Sendrecv, &mine, 1, MPI_INT, r, 1, &sum, 1, MPI_INT, r, 1, both,
             MPI_STATUS_IGNORE);
    CALL(MPI_Allreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, both);
    CALL(MPI_Barrier, both);
    CALL(MPI_Intercomm_merge, both, rank % 2, &merged);
    CALL(MPI_Comm_size, merged, &n);
    EXPECT(n == size);
    CALL(MPI_Comm_free, &merged);
    CALL(MPI_Comm_free, &both);
    CALL(MPI_Comm_free, &half);
}

static void grids(void)
{
    MPI_Comm grid, row;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], keep[2] = {0, 1}, n, r, below, above,
        type;
    CALL(MPI_Dims_create, size, 2, dims);
    CALL(MPI_Cart_map, world, 2, dims, periods, &r);
    CALL(MPI_Cart_create, world, 2, dims, periods, 0, &grid);
    CALL(MPI_Topo_test, grid, &type);
    EXPECT(type == MPI_CART);
    CALL(MPI_Cartdim_get, grid, &n);
    CALL(MPI_Cart_get, grid, 2, dims, periods, coords);
    CALL(MPI_Cart_rank, grid, coords, &r);
    EXPECT(r == rank);
    CALL(MPI_Cart_coords, grid, rank, 2, coords);
    CALL(MPI_Cart_shift, grid, 0, 1, &below, &above);
    CALL(MPI_Cart_sub, grid, keep, &row);
    CALL(MPI_Comm_free, &row);
    CALL(MPI_Comm_free, &grid);
}

/* Describes a ring in each way that MPI offers. */
static void graphs(void)
{
    MPI_Comm graph;
    int index[RANKS_MAX], edges[2 * RANKS_MAX], n, e, r, left = (rank + size - 1) % size,
                                                         right = (rank + 1) % size;
    int sources[2], targets[2], weights[2], more[2], weighted, neighbours[2], degree = 1;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    CALL(MPI_Graph_map, world, size, index, edges, &r);
    CALL(MPI_Graph_create, world, size, index, edges, 0, &graph);
    CALL(MPI_Graphdims_get, graph, &n, &e);
    EXPECT(n == size && e == 2 * size);
    CALL(MPI_Graph_get, graph, n, e, index, edges);
    CALL(MPI_Graph_neighbors_count, graph, rank, &n);
    CALL(MPI_Graph_neighbors, graph, rank, n, neighbours);
    EXPECT(neighbours[0] == left && neighbours[1] == right);
    CALL(MPI_Comm_free, &graph);
    CALL(MPI_Dist_graph_create_adjacent, world, 1, &left, &degree, 1, &right, &degree,
         MPI_INFO_NULL, 0, &graph);
    CALL(MPI_Dist_graph_neighbors_count, graph, &n, &e, &weighted);
    EXPECT(n == 1 && e == 1 && weighted);
    CALL(MPI_Dist_graph_neighbors, graph, 1, sources, weights, 1, targets, more);
    CALL(MPI_Neighbor_allgather, &rank, 1, MPI_INT, sources, 1, MPI_INT, graph);
    EXPECT(sources[0] == left);
    CALL(MPI_Comm_free, &graph);
    CALL(MPI_Dist_graph_create, world, 1, &rank, &degree, &right, &degree, MPI_INFO_NULL, 0,
         &graph);
    CALL(MPI_Comm_free, &graph);
}

int main(int argc, char **argv)
{
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    EXPECT(size >= 2 && size <= RANKS_MAX);
    groups();
    communicators();
    intercommunicators();
    grids();
    graphs();
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
