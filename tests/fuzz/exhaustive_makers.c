/* Collectives that make communicators, or wait in a collective of MPI's for ranks whose data they
 * do not need. Wrong: those that take such a call for a barrier, that come to it in another order
 * than one that waits for all ranks, that rely on an order of ranks that MPI leaves open. Each kind
 * has a correct one beside it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

/* --- barriers --------------------------------------------------------------------------------- */

static int made(MPI_Comm *c)
{
    return *c == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(c);
}
static int by_dup(MPI_Comm c)
{
    MPI_Comm d;
    MPI_Comm_dup(c, &d);
    return made(&d);
}
static int by_idup(MPI_Comm c)
{
    MPI_Comm d;
    MPI_Request r;
    MPI_Comm_idup(c, &d, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return made(&d);
}
static int by_create(MPI_Comm c)
{
    MPI_Comm d;
    MPI_Group g;
    MPI_Comm_group(c, &g);
    MPI_Comm_create(c, g, &d);
    MPI_Group_free(&g);
    return made(&d);
}
static int by_create_group(MPI_Comm c)
{
    MPI_Comm d;
    MPI_Group g;
    MPI_Comm_group(c, &g);
    MPI_Comm_create_group(c, g, 3, &d);
    MPI_Group_free(&g);
    return made(&d);
}
static int by_cart(MPI_Comm c)
{
    MPI_Comm d;
    int size, periods[] = {1};
    MPI_Comm_size(c, &size);
    MPI_Cart_create(c, 1, &size, periods, 0, &d);
    return made(&d);
}
static int by_cart_sub(MPI_Comm c)
{
    MPI_Comm d, e;
    int size, periods[] = {1}, keep[] = {1};
    MPI_Comm_size(c, &size);
    MPI_Cart_create(c, 1, &size, periods, 0, &d);
    MPI_Cart_sub(d, keep, &e);
    made(&d);
    return made(&e);
}
static int by_graph(MPI_Comm c)
{
    MPI_Comm d;
    MPI_Dist_graph_create_adjacent(c, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &d);
    return made(&d);
}
static int by_split(MPI_Comm c) /* rank 0 takes no part in what is made */
{
    MPI_Comm d;
    int rank;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_split(c, rank ? 0 : MPI_UNDEFINED, 0, &d);
    return made(&d);
}
static int by_split_of_all(MPI_Comm c) /* right: each must know the members */
{
    MPI_Comm d;
    MPI_Comm_split(c, 0, 0, &d);
    return made(&d);
}
static int by_merge(MPI_Comm c) /* of an intercommunicator */
{
    MPI_Comm d, e;
    int rank, size;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (size == 1)
        return MPI_SUCCESS;
    MPI_Group g, mine;
    int first[][3] = {{0, (size - 1) / 2, 1}}, last[][3] = {{(size - 1) / 2 + 1, size - 1, 1}};
    int low = rank <= (size - 1) / 2;
    MPI_Comm_group(c, &g);
    MPI_Group_range_incl(g, 1, low ? first : last, &mine);
    MPI_Comm_create_group(c, mine, 4, &d);
    MPI_Group_free(&g);
    MPI_Group_free(&mine);
    MPI_Intercomm_create(d, 0, c, low ? (size - 1) / 2 + 1 : 0, 5, &e);
    made(&d);
    MPI_Intercomm_merge(e, !low, &d);
    made(&e);
    return made(&d);
}
static int dup_and_wait(MPI_Comm c)
{
    MPI_Comm d;
    int one = 1, sum;
    MPI_Comm_dup(c, &d);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, d);
    return made(&d);
}
static int group_twice(MPI_Comm c) /* right: the second has the same group and tag */
{
    MPI_Comm d[2];
    MPI_Group g;
    int one = 1, sum;
    MPI_Comm_group(c, &g);
    for (int i = 0; i < 2; i++)
        MPI_Comm_create_group(c, g, 3, &d[i]);
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, d[i]);
    made(&d[0]);
    MPI_Group_free(&g);
    return made(&d[1]);
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Rank 1 comes to the maker when it has rank 0's message, which rank 0 sends behind it. */
static int ordered(MPI_Comm c, int how, int right)
{
    int rank, size, token = 0;
    MPI_Comm d = MPI_COMM_NULL;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank == 1 && !right)
        MPI_Recv(&token, 1, MPI_INT, 0, 2, c, MPI_STATUS_IGNORE);
    if (how == 0)
        MPI_Comm_dup(c, &d);
    else if (how == 1)
        MPI_Comm_split(c, rank ? 0 : MPI_UNDEFINED, rank, &d);
    else {
        int periods[] = {0};
        MPI_Cart_create(c, 1, &size, periods, 0, &d);
    }
    if (rank == 0 && size > 1)
        MPI_Send(&token, 1, MPI_INT, 1, 2, c);
    if (rank == 1 && right)
        MPI_Recv(&token, 1, MPI_INT, 0, 2, c, MPI_STATUS_IGNORE);
    return made(&d);
}
static int dup_then_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    ordered(c, 0, 0);
    return linear(b, n, t, root, c);
}
static int split_then_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    ordered(c, 1, 0);
    return linear(b, n, t, root, c);
}
static int cart_then_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    ordered(c, 2, 0);
    return linear(b, n, t, root, c);
}
static int dup_of_all(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    ordered(c, 0, 1);
    ordered(c, 1, 1);
    ordered(c, 2, 1);
    return linear(b, n, t, root, c);
}
/* Rank 1 frees its duplicate when it has rank 0's message, which rank 0 sends behind its free. */
static int free_then_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int rank, size, token = 0;
    MPI_Comm d;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Comm_dup(c, &d);
    if (rank == 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 2, c, MPI_STATUS_IGNORE);
    MPI_Comm_free(&d);
    if (rank == 0 && size > 1)
        MPI_Send(&token, 1, MPI_INT, 1, 2, c);
    return linear(b, n, t, root, c);
}
static int merged(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int high)
{
    int rank, size;
    MPI_Comm d, e, f;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (size == 1)
        return MPI_SUCCESS;
    MPI_Comm_split(c, rank > 0, rank, &d);
    MPI_Intercomm_create(d, 0, c, rank ? 0 : 1, 5, &e);
    MPI_Intercomm_merge(e, high && rank, &f);
    linear(b, n, t, root, f); /* the root has the same rank there */
    made(&d);
    made(&e);
    return made(&f);
}
static int merged_equal(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return merged(b, n, t, root, c, 0);
}
static int merged_high(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return merged(b, n, t, root, c, 1);
}
static int reordered(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    MPI_Comm d;
    int size, periods[] = {1};
    MPI_Comm_size(c, &size);
    MPI_Cart_create(c, 1, &size, periods, 1, &d);
    linear(b, n, t, root, d);
    return made(&d);
}
static int one_node(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    MPI_Comm d;
    MPI_Comm_split_type(c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &d);
    linear(b, n, t, root, d);
    return made(&d);
}
static int halves(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int rank, size;
    MPI_Comm d;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    int place = (rank - root + size) % size;
    MPI_Comm_split(c, place % 2, place, &d);
    if (place == 0 && size > 1)
        MPI_Send(b, n, t, (root + 1) % size, 1, c);
    if (place == 1)
        MPI_Recv(b, n, t, root, 1, c, MPI_STATUS_IGNORE);
    linear(b, n, t, 0, d);
    return made(&d);
}
static int starts(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
    MPI_Comm d;
    MPI_Comm_dup(c, &d);
    MPI_Ibcast(b, n, t, root, d, r);
    return made(&d);
}

static int starts_at_once(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
    return MPI_Ibcast(b, n, t, root, c, r);
}

/* --- collectives whose data come from some ranks alone ---------------------------------------- */

/* The ranks but 0 come to rank 0's block; rank 0 hears of them by messages. */
static int by_allgatherv(MPI_Comm c)
{
    int rank, size, one = 1, counts[64] = {1}, places[64] = {0}, sum = 0;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Allgatherv(&one, rank == 0, MPI_INT, &sum, counts, places, MPI_INT, c);
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(&one, 1, MPI_INT, i, 2, c, MPI_STATUS_IGNORE);
    else
        MPI_Send(&one, 1, MPI_INT, 0, 2, c);
    if (rank == 1 && size > 2)
        MPI_Recv(&one, 1, MPI_INT, 2, 3, c, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&one, 1, MPI_INT, 1, 3, c);
    return MPI_SUCCESS;
}
static int by_reduce_scatter(MPI_Comm c)
{
    int size, in[64], out[64], counts[64];
    MPI_Comm_size(c, &size);
    for (int i = 0; i < size; i++)
        counts[i] = i > 0 || size == 1, in[i] = 1;
    return MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c);
}
static int by_reduce_scatter_of_all(MPI_Comm c)
{
    int in[64], out;
    for (int i = 0; i < 64; i++)
        in[i] = 1;
    return MPI_Reduce_scatter_block(in, &out, 1, MPI_INT, MPI_SUM, c);
}
/* Three ranks in a line: rank 2 is no neighbour of rank 0, whose message it gets first. */
static int neighbours(const void *s, int n, MPI_Datatype st, void *r, int m, MPI_Datatype rt,
                      MPI_Comm c, int right)
{
    int rank, size, token = 0, dims = 0, topology, length[3], periods[3] = {1}, at[3];
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Topo_test(c, &topology);
    if (topology == MPI_CART)
        MPI_Cartdim_get(c, &dims);
    if (dims == 1)
        MPI_Cart_get(c, 1, length, periods, at);
    const int line = dims == 1 && size == 3 && !periods[0];
    if (line && rank == 2 && !right)
        MPI_Recv(&token, 1, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE);
    int code = MPI_Neighbor_allgather(s, n, st, r, m, rt, c);
    if (line && rank == 0)
        MPI_Send(&token, 1, MPI_INT, 2, 9, c);
    if (line && rank == 2 && right)
        MPI_Recv(&token, 1, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE);
    return code;
}
static int behind_neighbours(const void *s, int n, MPI_Datatype st, void *r, int m, MPI_Datatype rt,
                             MPI_Comm c)
{
    return neighbours(s, n, st, r, m, rt, c, 0);
}
static int beside_neighbours(const void *s, int n, MPI_Datatype st, void *r, int m, MPI_Datatype rt,
                             MPI_Comm c)
{
    return neighbours(s, n, st, r, m, rt, c, 1);
}
static int between(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int right)
{
    int rank, size, others, token = 0;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Comm_remote_size(c, &others);
    const int last = root >= 0 && rank == size - 1;
    if (last && !right)
        MPI_Recv(&token, 1, MPI_INT, root, 5, c, MPI_STATUS_IGNORE);
    MPI_Bcast(&token, 1, MPI_INT, root, c);
    if (root == MPI_ROOT)
        MPI_Send(&token, 1, MPI_INT, others - 1, 5, c);
    if (last && right)
        MPI_Recv(&token, 1, MPI_INT, root, 5, c, MPI_STATUS_IGNORE);
    return MPI_Bcast(b, n, t, root, c);
}
static int behind_groups(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return between(b, n, t, root, c, 0);
}
static int beside_groups(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return between(b, n, t, root, c, 1);
}
COLLECTIVE(barrier, "", by_dup)
COLLECTIVE(barrier, "", by_idup)
COLLECTIVE(barrier, "", by_create)
COLLECTIVE(barrier, "", by_create_group)
COLLECTIVE(barrier, "", by_cart)
COLLECTIVE(barrier, "", by_cart_sub)
COLLECTIVE(barrier, "", by_graph)
COLLECTIVE(barrier, "", by_split)
COLLECTIVE(barrier, "", by_split_of_all)
COLLECTIVE(barrier, "", by_merge)
COLLECTIVE(barrier, "", dup_and_wait)
COLLECTIVE(barrier, "", group_twice)
COLLECTIVE(bcast, "", dup_then_send)
COLLECTIVE(bcast, "", split_then_send)
COLLECTIVE(bcast, "", cart_then_send)
COLLECTIVE(bcast, "", dup_of_all)
COLLECTIVE(bcast, "", free_then_send)
COLLECTIVE(bcast, "", merged_equal)
COLLECTIVE(bcast, "", merged_high)
COLLECTIVE(bcast, "", reordered)
COLLECTIVE(bcast, "", one_node)
COLLECTIVE(bcast, "", halves)
COLLECTIVE(ibcast, "", starts)
COLLECTIVE(ibcast, "", starts_at_once)
COLLECTIVE(barrier, "", by_allgatherv)
COLLECTIVE(barrier, "", by_reduce_scatter)
COLLECTIVE(barrier, "", by_reduce_scatter_of_all)
COLLECTIVE(neighbor_allgather, "", behind_neighbours)
COLLECTIVE(neighbor_allgather, "", beside_neighbours)
COLLECTIVE(bcast, "", behind_groups, .communicators = COLLECTIVE_INTER)
COLLECTIVE(bcast, "", beside_groups, .communicators = COLLECTIVE_INTER)
