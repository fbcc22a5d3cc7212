/* Calls of every class of mpi.h, counted as they are made: at the end each rank writes `NAME
 * NUMBER` into ARGUMENT.RANK, for each function it called between MPI_Init and MPI_Finalize. The
 * test compares that with what was recorded. Two ranks or more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *name;
    int count;
} counts[512];
static int me, size;

static void count(const char *name)
{
    int i = 0;
    while (counts[i].name && strcmp(counts[i].name, name) != 0)
        i++;
    counts[i].name = name;
    counts[i].count++;
}
#define C(name, ...) (count("MPI_" #name), MPI_##name(__VA_ARGS__))
#ifdef MPICH_NAME /* they are macros: handles are Fortran's as they are */
#define C_CONVERTED(name, ...) MPI_##name(__VA_ARGS__)
#else
#define C_CONVERTED C
#endif
#define W MPI_COMM_WORLD

static void messages(void)
{
    int a[16] = {0}, b[16] = {0}, flag, index, n, list[4], peer = me ^ 1;
    char pool[4096];
    MPI_Request r, q[4];
    MPI_Status s, t[4];
    MPI_Message m;
    if (peer >= size)
        return;
    C(Buffer_attach, pool, sizeof pool);
    C(Irecv, b, 4, MPI_INT, peer, 1, W, &r);
    C(Send, a, 4, MPI_INT, peer, 1, W);
    C(Wait, &r, &s);
    C(Get_count, &s, MPI_INT, &n);
    C(Get_elements, &s, MPI_INT, &n);
    MPI_Count big;
    C(Get_elements_x, &s, MPI_INT, &big);
    C(Irecv, b, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &r);
    C(Bsend, a, 4, MPI_INT, peer, 2, W);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Irecv, b, 4, MPI_INT, peer, 3, W, &r);
    C(Ssend, a, 4, MPI_INT, peer, 3, W);
    do
        C(Test, &r, &flag, &s);
    while (!flag);
    C(Irecv, b, 4, MPI_INT, peer, 4, W, &r);
    C(Barrier, W);
    C(Rsend, a, 4, MPI_INT, peer, 4, W);
    C(Request_get_status, r, &flag, &s);
    C(Wait, &r, &s);
    for (int i = 0; i < 4; i++)
        C(Irecv, b + i, 1, MPI_INT, peer, 10 + i, W, &q[i]);
    C(Barrier, W);
    MPI_Request z[4];
    C(Isend, a, 1, MPI_INT, peer, 10, W, &z[0]);
    C(Ibsend, a, 1, MPI_INT, peer, 11, W, &z[1]);
    C(Issend, a, 1, MPI_INT, peer, 12, W, &z[2]);
    C(Irsend, a, 1, MPI_INT, peer, 13, W, &z[3]);
    C(Waitany, 4, q, &index, &s);
    C(Waitsome, 4, q, &n, list, t);
    do
        C(Testany, 4, q, &index, &flag, &s);
    while (!flag);
    do
        C(Testsome, 4, q, &n, list, t);
    while (n != MPI_UNDEFINED);
    C(Waitall, 4, z, t);
    do
        C(Testall, 4, z, &flag, t);
    while (!flag);
    C(Send_init, a, 2, MPI_INT, peer, 20, W, &q[0]);
    C(Bsend_init, a, 2, MPI_INT, peer, 21, W, &q[1]);
    C(Recv_init, b, 2, MPI_INT, peer, 20, W, &q[2]);
    C(Recv_init, b, 2, MPI_INT, peer, 21, W, &q[3]);
    C(Startall, 4, q);
    C(Waitall, 4, q, t);
    C(Start, &q[2]);
    C(Start, &q[0]);
    C(Wait, &q[0], &s);
    C(Wait, &q[2], &s);
    for (int i = 0; i < 4; i++)
        C(Request_free, &q[i]);
    C(Ssend_init, a, 1, MPI_INT, peer, 22, W, &q[0]);
    C(Rsend_init, a, 1, MPI_INT, peer, 23, W, &q[1]);
    C(Request_free, &q[0]);
    C(Request_free, &q[1]);
    C(Isend, a, 3, MPI_INT, peer, 30, W, &r);
    C(Probe, peer, 30, W, &s);
    do
        C(Iprobe, peer, MPI_ANY_TAG, W, &flag, &s);
    while (!flag);
    C(Mprobe, peer, 30, W, &m, &s);
    C(Mrecv, b, 3, MPI_INT, &m, &s);
    C(Wait, &r, &s);
    C(Isend, a, 3, MPI_INT, peer, 31, W, &r);
    do
        C(Improbe, peer, 31, W, &flag, &m, &s);
    while (!flag);
    C(Imrecv, b, 3, MPI_INT, &m, &q[0]);
    C(Wait, &q[0], &s);
    C(Wait, &r, &s);
    C(Sendrecv, a, 2, MPI_INT, peer, 40, b, 2, MPI_INT, peer, 40, W, &s);
    C(Sendrecv_replace, a, 2, MPI_INT, peer, 41, peer, 41, W, &s);
    C(Irecv, b, 1, MPI_INT, peer, 99, W, &r);
    C(Cancel, &r);
    C(Wait, &r, &s);
    C(Test_cancelled, &s, &flag);
    C(Send, a, 1, MPI_INT, MPI_PROC_NULL, 1, W);
    C(Recv, b, 1, MPI_INT, MPI_PROC_NULL, 1, W, &s);
    void *at;
    C(Buffer_detach, &at, &n);
    C(Status_set_cancelled, &s, 0);
    C(Status_set_elements, &s, MPI_INT, 2);
    C(Status_set_elements_x, &s, MPI_INT, 2);
    MPI_Fint f[8];
    C(Status_c2f, &s, f);
    C(Status_f2c, f, &s);
    C_CONVERTED(Request_c2f, MPI_REQUEST_NULL);
    C_CONVERTED(Request_f2c, 0);
    C(Barrier, W);
}

static int query(void *x, MPI_Status *s)
{
    (void)x;
    C(Status_set_elements, s, MPI_BYTE, 0);
    C(Status_set_cancelled, s, 0);
    s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int nothing(void *x)
{
    (void)x;
    return MPI_SUCCESS;
}
static int cancel(void *x, int complete)
{
    (void)x;
    (void)complete;
    return MPI_SUCCESS;
}
static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb,
                        &extent); /* from a callback: the library's business, not recorded */
    for (int i = 0; i < *n; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

static void collectives(void)
{
    int *a = calloc((size_t)size * 4, 4), *b = calloc((size_t)size * 4, 4),
        *n = calloc((size_t)size, 4), *d = calloc((size_t)size, 4), commute;
    MPI_Datatype *ts = calloc((size_t)size, sizeof *ts);
    int *bytes = calloc((size_t)size, 4);
    MPI_Op op;
    MPI_Request q[25];
    int k = 0;
    for (int i = 0; i < size; i++) {
        n[i] = 2;
        d[i] = 2 * i;
        bytes[i] = 8 * i;
        ts[i] = MPI_INT;
    }
    C(Op_create, add, 1, &op);
    C(Op_commutative, op, &commute);
    C(Bcast, a, 4, MPI_INT, size - 1, W);
    C(Gather, a, 2, MPI_INT, b, 2, MPI_INT, 0, W);
    C(Gatherv, a, 2, MPI_INT, b, n, d, MPI_INT, 0, W);
    C(Scatter, a, 2, MPI_INT, b, 2, MPI_INT, 0, W);
    C(Scatterv, a, n, d, MPI_INT, b, 2, MPI_INT, 0, W);
    C(Allgather, a, 2, MPI_INT, b, 2, MPI_INT, W);
    C(Allgatherv, a, 2, MPI_INT, b, n, d, MPI_INT, W);
    C(Alltoall, a, 2, MPI_INT, b, 2, MPI_INT, W);
    C(Alltoallv, a, n, d, MPI_INT, b, n, d, MPI_INT, W);
    C(Alltoallw, a, n, bytes, ts, b, n, bytes, ts, W);
    C(Reduce, a, b, 4, MPI_INT, op, 0, W);
    C(Allreduce, MPI_IN_PLACE, b, 4, MPI_INT, MPI_MAX, W);
    C(Reduce_scatter, a, b, n, MPI_INT, MPI_SUM, W);
    C(Reduce_scatter_block, a, b, 2, MPI_INT, MPI_SUM, W);
    C(Scan, a, b, 4, MPI_INT, op, W);
    C(Exscan, a, b, 4, MPI_INT, MPI_SUM, W);
    C(Reduce_local, a, b, 4, MPI_INT, op);
    C(Ibarrier, W, &q[k++]);
    C(Ibcast, a, 4, MPI_INT, 0, W, &q[k++]);
    C(Waitall, k, q, MPI_STATUSES_IGNORE);
    k = 0;
    C(Igather, a, 2, MPI_INT, b, 2, MPI_INT, 0, W, &q[k++]);
    C(Igatherv, a, 2, MPI_INT, b, n, d, MPI_INT, 0, W, &q[k++]);
    C(Iscatter, a, 2, MPI_INT, b, 2, MPI_INT, 0, W, &q[k++]);
    C(Iscatterv, a, n, d, MPI_INT, b, 2, MPI_INT, 0, W, &q[k++]);
    C(Iallgather, a, 2, MPI_INT, b, 2, MPI_INT, W, &q[k++]);
    C(Iallgatherv, a, 2, MPI_INT, b, n, d, MPI_INT, W, &q[k++]);
    C(Ialltoall, a, 2, MPI_INT, b, 2, MPI_INT, W, &q[k++]);
    C(Ialltoallv, a, n, d, MPI_INT, b, n, d, MPI_INT, W, &q[k++]);
    C(Ialltoallw, a, n, bytes, ts, b, n, bytes, ts, W, &q[k++]);
    C(Ireduce, a, b, 4, MPI_INT, op, 0, W, &q[k++]);
    C(Iallreduce, a, b, 4, MPI_INT, MPI_MAX, W, &q[k++]);
    C(Ireduce_scatter, a, b, n, MPI_INT, MPI_SUM, W, &q[k++]);
    C(Ireduce_scatter_block, a, b, 2, MPI_INT, MPI_SUM, W, &q[k++]);
    C(Iscan, a, b, 4, MPI_INT, MPI_SUM, W, &q[k++]);
    C(Iexscan, a, b, 4, MPI_INT, MPI_SUM, W, &q[k++]);
    C(Waitall, k, q, MPI_STATUSES_IGNORE);
    C_CONVERTED(Op_c2f, op);
    C(Op_free, &op);
    MPI_Request g;
    C(Grequest_start, query, nothing, cancel, NULL, &g);
    C(Grequest_complete, g);
    C(Wait, &g, MPI_STATUS_IGNORE);
    free(a), free(b), free(n), free(d), free(ts), free(bytes);
}

static void groups_and_communicators(void)
{
    MPI_Group g, h, u;
    MPI_Comm c, e;
    int n, list[2] = {0, 1}, out[2], range[1][3] = {{0, size - 1, 1}}, flag;
    char name[MPI_MAX_OBJECT_NAME];
    C(Comm_group, W, &g);
    C(Group_size, g, &n);
    C(Group_rank, g, &n);
    C(Group_incl, g, 2, list, &h);
    C(Group_translate_ranks, g, 2, list, h, out);
    C(Group_compare, g, h, &n);
    C(Group_union, g, h, &u);
    C(Group_free, &u);
    C(Group_intersection, g, h, &u);
    C(Group_free, &u);
    C(Group_difference, g, h, &u);
    if (u != MPI_GROUP_EMPTY)
        C(Group_free, &u);
    C(Group_excl, g, 1, list, &u);
    C(Group_free, &u);
    C(Group_range_incl, g, 1, range, &u);
    C(Group_free, &u);
    C(Group_range_excl, g, 0, NULL, &u);
    C(Group_free, &u);
    C(Comm_create, W, h, &c);
    if (c != MPI_COMM_NULL) {
        C(Comm_compare, W, c, &n);
        C(Comm_free, &c);
    }
    if (me < 2) {
        C(Comm_create_group, W, h, 5, &c);
        C(Barrier, c);
        C(Comm_disconnect, &c);
    }
    C_CONVERTED(Group_c2f, h);
    C(Group_free, &h);
    C(Group_free, &g);
    C(Comm_dup, W, &c);
    C(Comm_set_name, c, "mine");
    C(Comm_get_name, c, name, &n);
    C(Comm_test_inter, c, &flag);
    MPI_Info info;
    C(Comm_get_info, c, &info);
    C(Comm_set_info, c, info);
    C(Info_free, &info);
    C(Comm_free, &c);
    C(Comm_dup_with_info, W, MPI_INFO_NULL, &c);
    C(Comm_free, &c);
    MPI_Request r;
    C(Comm_idup, W, &c, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Barrier, c);
    C(Comm_free, &c);
    C(Comm_split_type, W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c);
    C(Comm_free, &c);
    C(Comm_split, W, me % 2, me, &c);
    C(Intercomm_create, c, 0, W, 1 - me % 2, 77, &e);
    C(Comm_remote_size, e, &n);
    C(Comm_remote_group, e, &g);
    C(Group_free, &g);
    int value = me;
    C(Bcast, &value, 1, MPI_INT, me % 2 ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL, e);
    C(Barrier, e);
    MPI_Comm merged;
    C(Intercomm_merge, e, me % 2, &merged);
    C(Comm_free, &merged);
    C(Comm_free, &e);
    C(Comm_free, &c);
    C(Comm_get_parent, &c);
    C_CONVERTED(Comm_c2f, W);
    C_CONVERTED(Comm_f2c, 0);
    int key, *at = &key;
    C(Comm_create_keyval, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    C(Comm_set_attr, W, key, at);
    C(Comm_get_attr, W, key, &at, &flag);
    C(Comm_delete_attr, W, key);
    C(Comm_free_keyval, &key);
    MPI_Errhandler eh;
    C(Comm_get_errhandler, W, &eh);
    C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
    C(Send, NULL, -1, MPI_INT, 0, 0, W); /* an error: its code is recorded */
    C(Comm_call_errhandler, W, MPI_ERR_OTHER);
    C(Comm_set_errhandler, W, eh);
    C(Errhandler_free, &eh);
}

static void topologies(void)
{
    MPI_Comm c, s;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], remain[2] = {1, 0}, n, a, b;
    C(Dims_create, size, 2, dims);
    C(Cart_create, W, 2, dims, periods, 0, &c);
    C(Topo_test, c, &n);
    C(Cartdim_get, c, &n);
    C(Cart_get, c, 2, dims, periods, coords);
    C(Cart_coords, c, me, 2, coords);
    C(Cart_rank, c, coords, &n);
    C(Cart_shift, c, 0, 1, &a, &b);
    C(Cart_map, W, 2, dims, periods, &n);
    C(Cart_sub, c, remain, &s);
    C(Comm_free, &s);
    int in[8] = {me, me, me, me}, out[32], q4[8] = {1, 1, 1, 1}, q5[8] = {0, 1, 2, 3};
    C(Neighbor_allgather, in, 1, MPI_INT, out, 1, MPI_INT, c);
    C(Neighbor_alltoall, in, 1, MPI_INT, out, 1, MPI_INT, c);
    C(Neighbor_allgatherv, in, 1, MPI_INT, out, q4, q5, MPI_INT, c);
    C(Neighbor_alltoallv, in, q4, q5, MPI_INT, out, q4, q5, MPI_INT, c);
    MPI_Aint da[4] = {0, 4, 8, 12};
    MPI_Datatype ts[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    C(Neighbor_alltoallw, in, q4, da, ts, out, q4, da, ts, c);
    MPI_Request q[5];
    C(Ineighbor_allgather, in, 1, MPI_INT, out, 1, MPI_INT, c, &q[0]);
    C(Wait, &q[0], MPI_STATUS_IGNORE);
    C(Ineighbor_alltoall, in, 1, MPI_INT, out, 1, MPI_INT, c, &q[0]);
    C(Wait, &q[0], MPI_STATUS_IGNORE);
    C(Ineighbor_allgatherv, in, 1, MPI_INT, out, q4, q5, MPI_INT, c, &q[0]);
    C(Wait, &q[0], MPI_STATUS_IGNORE);
    C(Ineighbor_alltoallv, in, q4, q5, MPI_INT, out, q4, q5, MPI_INT, c, &q[0]);
    C(Wait, &q[0], MPI_STATUS_IGNORE);
    C(Ineighbor_alltoallw, in, q4, da, ts, out, q4, da, ts, c, &q[0]);
    C(Wait, &q[0], MPI_STATUS_IGNORE);
    C(Comm_free, &c);
    int index[64], edges[64], next = (me + 1) % size, before = (me + size - 1) % size, degree = 1;
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = i ^ 1;
    }
    if (size % 2 == 0) {
        C(Graph_create, W, size, index, edges, 0, &c);
        C(Graphdims_get, c, &a, &b);
        C(Graph_get, c, size, size, index, edges);
        C(Graph_neighbors_count, c, me, &n);
        C(Graph_neighbors, c, me, 1, out);
        C(Graph_map, W, size, index, edges, &n);
        C(Comm_free, &c);
    }
    C(Dist_graph_create_adjacent, W, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
      MPI_INFO_NULL, 0, &c);
    C(Dist_graph_neighbors_count, c, &a, &b, &n);
    C(Dist_graph_neighbors, c, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED);
    C(Neighbor_alltoall, in, 1, MPI_INT, out, 1, MPI_INT, c);
    C(Comm_free, &c);
    C(Dist_graph_create, W, 1, &me, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
    C(Comm_free, &c);
}

static void datatypes(void)
{
    MPI_Datatype t, u;
    int ones[3] = {1, 1, 1}, at[3] = {0, 2, 4}, sizes[2] = {4, 4}, part[2] = {2, 2},
        start[2] = {1, 1}, n, position = 0, flag;
    MPI_Aint da[3] = {0, 8, 16}, lb, extent, address;
    MPI_Count blb, bextent, bsize;
    MPI_Datatype ts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    char buffer[256], name[MPI_MAX_OBJECT_NAME];
    C(Type_contiguous, 3, MPI_INT, &t);
    C(Type_commit, &t);
    C(Type_size, t, &n);
    C(Type_size_x, t, &bsize);
    C(Type_get_extent, t, &lb, &extent);
    C(Type_get_extent_x, t, &blb, &bextent);
    C(Type_get_true_extent, t, &lb, &extent);
    C(Type_get_true_extent_x, t, &blb, &bextent);
    C(Type_dup, t, &u);
    C(Type_set_name, u, "three");
    C(Type_get_name, u, name, &n);
    C(Type_free, &u);
    int ni, na, nd, combiner;
    C(Type_get_envelope, t, &ni, &na, &nd, &combiner);
    int in[4];
    MPI_Aint ad[4];
    C(Type_get_contents, t, ni, na, nd, in, ad, &u);
    C(Type_free, &t);
    C(Type_vector, 3, 1, 2, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_hvector, 3, 1, 12, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_indexed, 3, ones, at, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_hindexed, 3, ones, da, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_indexed_block, 3, 1, at, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_hindexed_block, 3, 1, da, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_struct, 3, ones, da, ts, &t);
    C(Type_create_resized, t, 0, 32, &u);
    C(Type_commit, &u);
    C(Pack_size, 1, u, W, &n);
    C(Pack, buffer, 1, u, buffer + 64, 128, &position, W);
    position = 0;
    C(Unpack, buffer + 64, 64, &position, buffer, 1, u, W);
    C(Type_free, &u);
    C(Type_free, &t);
    C(Type_create_subarray, 2, sizes, part, start, MPI_ORDER_C, MPI_INT, &t);
    C(Type_free, &t);
    int d2[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
        a2[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, p2[2] = {1, 1};
    C(Type_create_darray, 1, 0, 2, sizes, d2, a2, p2, MPI_ORDER_C, MPI_INT, &t);
    C(Type_free, &t);
    C(Type_create_f90_integer, 5, &t);
    C(Type_match_size, MPI_TYPECLASS_REAL, 8, &t);
    C_CONVERTED(Type_c2f, MPI_INT);
    C_CONVERTED(Type_f2c, 0);
    C(Get_address, buffer, &address);
    C(Pack_external_size, "external32", 1, MPI_INT, &extent);
    address = 0;
    C(Pack_external, "external32", at, 1, MPI_INT, buffer, 64, &address);
    address = 0;
    C(Unpack_external, "external32", buffer, 64, &address, at, 1, MPI_INT);
    int key, *value = &key;
    C(Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    C(Type_set_attr, MPI_INT, key, value);
    C(Type_get_attr, MPI_INT, key, &value, &flag);
    C(Type_delete_attr, MPI_INT, key);
    C(Type_free_keyval, &key);
}

static void one_sided(void)
{
    int *base, a[4] = {1, 2, 3, 4}, b[4], peer = (me + 1) % size, zero = 0, n, flag;
    MPI_Win w, v;
    MPI_Request r;
    MPI_Group g, h;
    C(Win_allocate, 64 * sizeof(int), sizeof(int), MPI_INFO_NULL, W, &base, &w);
    C(Win_set_name, w, "window");
    char name[MPI_MAX_OBJECT_NAME];
    C(Win_get_name, w, name, &n);
    C(Win_fence, 0, w);
    C(Put, a, 4, MPI_INT, peer, 0, 4, MPI_INT, w);
    C(Win_fence, 0, w);
    C(Get, b, 4, MPI_INT, peer, 0, 4, MPI_INT, w);
    C(Accumulate, a, 4, MPI_INT, peer, 8, 4, MPI_INT, MPI_SUM, w);
    C(Win_fence, 0, w);
    C(Win_lock, MPI_LOCK_SHARED, peer, 0, w);
    C(Get_accumulate, a, 4, MPI_INT, b, 4, MPI_INT, peer, 16, 4, MPI_INT, MPI_SUM, w);
    C(Fetch_and_op, a, b, MPI_INT, peer, 20, MPI_SUM, w);
    C(Compare_and_swap, a, &zero, b, MPI_INT, peer, 21, w);
    C(Win_flush, peer, w);
    C(Win_flush_local, peer, w);
    C(Win_unlock, peer, w);
    C(Win_lock_all, 0, w);
    C(Rput, a, 1, MPI_INT, peer, 30, 1, MPI_INT, w, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Rget, b, 1, MPI_INT, peer, 30, 1, MPI_INT, w, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Raccumulate, a, 1, MPI_INT, peer, 31, 1, MPI_INT, MPI_SUM, w, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Rget_accumulate, a, 1, MPI_INT, b, 1, MPI_INT, peer, 32, 1, MPI_INT, MPI_SUM, w, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Win_flush_all, w);
    C(Win_flush_local_all, w);
    C(Win_sync, w);
    C(Win_unlock_all, w);
    C(Barrier, W);
    C(Win_get_group, w, &g);
    C(Group_incl, g, 2, (int[]){0, 1}, &h);
    C(Group_free, &g);
    if (me < 2) {
        int other = 1 - me;
        C(Win_get_group, w, &g);
        MPI_Group one;
        C(Group_incl, g, 1, &other, &one);
        if (me == 0) {
            C(Win_start, one, 0, w);
            C(Put, a, 1, MPI_INT, 1, 40, 1, MPI_INT, w);
            C(Win_complete, w);
            C(Win_start, one, 0, w);
            C(Win_complete, w);
        } else {
            C(Win_post, one, 0, w);
            C(Win_wait, w);
            C(Win_post, one, 0, w);
            do
                C(Win_test, w, &flag);
            while (!flag);
        }
        C(Group_free, &one);
        C(Group_free, &g);
    }
    C(Group_free, &h);
    MPI_Info info;
    C(Win_get_info, w, &info);
    C(Win_set_info, w, info);
    C(Info_free, &info);
    C_CONVERTED(Win_c2f, w);
    MPI_Errhandler eh;
    C(Win_get_errhandler, w, &eh);
    C(Win_set_errhandler, w, eh);
    C(Errhandler_free, &eh);
    C(Win_free, &w);
    C(Comm_set_errhandler, W,
      MPI_ERRORS_RETURN); /* a machine may have no transport for these two */
    if (C(Win_create, a, sizeof a, sizeof(int), MPI_INFO_NULL, W, &v) == MPI_SUCCESS)
        C(Win_free, &v);
    if (C(Win_create_dynamic, MPI_INFO_NULL, W, &v) == MPI_SUCCESS) {
        C(Win_attach, v, b, sizeof b);
        C(Win_detach, v, b);
        C(Win_free, &v);
    }
    C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
    C(Win_allocate_shared, 64, 1, MPI_INFO_NULL, W, &base, &v);
    MPI_Aint bytes;
    void *p;
    C(Win_shared_query, v, 0, &bytes, &n, &p);
    C(Win_free, &v);
    C(Alloc_mem, 64, MPI_INFO_NULL, &p);
    C(Free_mem, p);
}

static void files(const char *path)
{
    MPI_File f;
    MPI_Offset at;
    MPI_Status s;
    MPI_Request r;
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8], n;
    char rep[MPI_MAX_DATAREP_STRING + 1];
    MPI_Datatype t, u;
    MPI_Group g;
    C(File_open, W, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    C(File_set_size, f, 4096);
    C(File_preallocate, f, 4096);
    C(File_get_size, f, &at);
    C(File_get_group, f, &g);
    C(Group_free, &g);
    C(File_get_amode, f, &n);
    C(File_set_view, f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    C(File_get_view, f, &at, &t, &u, rep);
    C(File_write_at, f, me * 8, a, 8, MPI_INT, &s);
    C(File_sync, f);
    C(Barrier, W);
    C(File_read_at, f, me * 8, b, 8, MPI_INT, &s);
    C(File_write_at_all, f, me * 8, a, 8, MPI_INT, &s);
    C(File_read_at_all, f, me * 8, b, 8, MPI_INT, MPI_STATUS_IGNORE);
    C(File_iwrite_at, f, me * 8, a, 8, MPI_INT, &r);
    C(Wait, &r, &s);
    C(File_iread_at, f, me * 8, b, 8, MPI_INT, &r);
    C(Wait, &r, &s);
    C(File_seek, f, me * 8, MPI_SEEK_SET);
    C(File_get_position, f, &at);
    C(File_get_byte_offset, f, at, &at);
    C(File_write, f, a, 4, MPI_INT, &s);
    C(File_seek, f, me * 8, MPI_SEEK_SET);
    C(File_read, f, b, 4, MPI_INT, &s);
    C(File_write_all, f, a, 2, MPI_INT, &s);
    C(File_read_all, f, b, 2, MPI_INT, &s);
    C(File_iwrite, f, a, 1, MPI_INT, &r);
    C(Wait, &r, &s);
    C(File_iread, f, b, 1, MPI_INT, &r);
    C(Wait, &r, &s);
    C(File_write_at_all_begin, f, me * 8, a, 4, MPI_INT);
    C(File_write_at_all_end, f, a, &s);
    C(File_read_at_all_begin, f, me * 8, b, 4, MPI_INT);
    C(File_read_at_all_end, f, b, &s);
    MPI_Aint extent;
    C(File_get_type_extent, f, MPI_INT, &extent);
    C(File_set_atomicity, f, 0);
    C(File_get_atomicity, f, &n);
    MPI_Info info;
    C(File_get_info, f, &info);
    C(File_set_info, f, info);
    C(Info_free, &info);
    C(File_c2f, f);
    C(File_close, &f);
    C(Barrier, W);
    if (me == 0)
        C(File_delete, path, MPI_INFO_NULL);
}

static void rest(void)
{
    MPI_Info i, j;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n, flag, class, code, m;
    C(Info_create, &i);
    C(Info_set, i, "key", "value");
    C(Info_get, i, "key", 10, text, &flag);
    C(Info_get_valuelen, i, "key", &n, &flag);
    C(Info_get_nkeys, i, &n);
    C(Info_get_nthkey, i, 0, text);
    C(Info_dup, i, &j);
    C(Info_delete, j, "key");
    C_CONVERTED(Info_c2f, i);
    C(Info_free, &i);
    C(Info_free, &j);
    C(Get_version, &n, &m);
    C(Get_library_version, text, &n);
    C(Get_processor_name, text, &n);
    C(Initialized, &flag);
    C(Finalized, &flag);
    C(Is_thread_main, &flag);
    C(Query_thread, &n);
    C(Wtime);
    C(Wtick);
    C(Pcontrol, 1);
    C(Error_class, MPI_ERR_TAG, &class);
    C(Error_string, MPI_ERR_TAG, text, &n);
    C(Add_error_class, &class);
    C(Add_error_code, class, &code);
    C(Add_error_string, code, "ours");
    C(T_init_thread, MPI_THREAD_SINGLE, &n);
    C(T_cvar_get_num, &n);
    C(T_pvar_get_num, &n);
    C(T_category_get_num, &n);
    C(T_finalize);
#ifndef MPICH_NAME /* which has no ports over UCX */
    if (me == 0) {
        char port[MPI_MAX_PORT_NAME];
        C(Open_port, MPI_INFO_NULL, port);
        C(Close_port, port);
    }
#endif
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    C(Comm_rank, W, &me);
    C(Comm_size, W, &size);
    messages();
    collectives();
    groups_and_communicators();
    topologies();
    datatypes();
    one_sided();
    files(argc > 1 ? argv[1] : "classes.file");
    rest();
    C(Barrier, W);
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argc > 1 ? argv[1] : "classes.file", me);
    FILE *out = fopen(path, "w");
    for (int i = 0; out && counts[i].name; i++)
        fprintf(out, "%s %d\n", counts[i].name, counts[i].count);
    if (!out || fclose(out))
        return 1;
    MPI_Finalize();
    return 0;
}
