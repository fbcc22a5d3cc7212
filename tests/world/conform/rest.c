/* Attributes of everything with callbacks, error codes of the program's own, types by range,
 * external32, handles as numbers, distributed graphs, windows and their mistakes. For 4 ranks. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static MPI_Comm world;
static char line[8192];

#define SAY(...) sprintf(line + strlen(line), __VA_ARGS__)

static void flush_line(const char *title)
{
    printf("%s %d:%s\n", title, rank, line);
    line[0] = 0;
}

static void say(const char *what, int code)
{
    int class;
    MPI_Error_class(code, &class);
    SAY(" %s %d", what, class);
}

/* --- attributes ------------------------------------------------------------------------------- */

static int type_copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key;
    SAY(" copy %d", *(int *)extra);
    *(void **)out = (char *)in + 4;
    *flag = *(int *)extra != 2;
    return MPI_SUCCESS;
}

static int type_drop(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key;
    SAY(" drop %d of %d", *(int *)value, *(int *)extra);
    return MPI_SUCCESS;
}

static int win_drop(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    SAY(" drop %d", *(int *)value);
    return MPI_SUCCESS;
}

static void attributes(void)
{
    static int numbers[4] = {10, 11, 12, 13}, extras[3] = {1, 2, 3};
    int keys[3], flag, *value, cell = 5;
    MPI_Datatype one, two, three;
    for (int i = 0; i < 3; i++)
        MPI_Type_create_keyval(i == 2 ? MPI_TYPE_DUP_FN : type_copy, type_drop, &keys[i],
                               &extras[i]);
    MPI_Type_contiguous(3, MPI_INT, &one);
    MPI_Type_set_attr(one, keys[0], &numbers[0]);
    MPI_Type_dup(one, &two);
    MPI_Type_get_attr(two, keys[0], &value, &flag);
    SAY(" got %d %d", flag, flag ? *value : -1);
    MPI_Type_set_attr(two, keys[0], &numbers[3]); /* drops the copy */
    MPI_Type_delete_attr(two, keys[0]);
    MPI_Type_get_attr(two, keys[0], &value, &flag);
    SAY(" gone %d", flag);
    MPI_Type_set_attr(two, keys[1], &numbers[1]);
    MPI_Type_dup(two, &three);
    MPI_Type_get_attr(three, keys[1], &value, &flag);
    SAY(" not copied %d", flag);
    MPI_Type_set_attr(three, keys[2], &numbers[2]);
    MPI_Type_free(&three);
    MPI_Type_free(&two);
    MPI_Type_free(&one);
    for (int i = 0; i < 3; i++)
        MPI_Type_free_keyval(&keys[i]);
    MPI_Win win;
    int key, *base, *unit, *flavor;
    MPI_Aint *bytes;
    MPI_Win_create(&cell, 4, 2, MPI_INFO_NULL, world, &win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_drop, &key, NULL);
    MPI_Win_set_attr(win, key, &numbers[2]);
    MPI_Win_get_attr(win, key, &value, &flag);
    SAY(" window %d %d", flag, *value);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    SAY(" base %d", base == &cell);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    SAY(" size %d unit %d flavor %d", (int)*bytes, *unit, *flavor);
    MPI_Win_free(&win);
    MPI_Win_free_keyval(&key);
    flush_line("attributes");
}

/* --- errors of the program's own -------------------------------------------------------------- */

static int handled;

static void on_win(MPI_Win *win, int *code, ...)
{
    int class;
    (void)win;
    MPI_Error_class(*code, &class);
    SAY(" handler %d", class);
    handled++;
}

static void errors(void)
{
    int class, code, again, length, flag, *last;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(class, "a class");
    MPI_Add_error_string(code, "a code");
    MPI_Error_class(code, &again);
    SAY(" its class %d", again == class);
    MPI_Error_string(code, text, &length);
    SAY(" '%s'", text);
    MPI_Error_string(class, text, &length);
    SAY(" '%s'", text);
    MPI_Comm_get_attr(world, MPI_LASTUSEDCODE, &last, &flag);
    SAY(" last %d", *last == code);
    flush_line("errors");
}

static void window_errors(void)
{
    int cells[4] = {0}, x = 1;
    MPI_Aint bytes;
    int unit;
    void *base;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Errhandler handler;
    MPI_Op own;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    say("unit", MPI_Win_create(cells, 16, 0, MPI_INFO_NULL, world, &win));
    say("null", MPI_Win_fence(0, MPI_WIN_NULL));
    MPI_Win_create(cells, 16, 4, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    say("no epoch", MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
    say("no lock", MPI_Win_unlock(rank, win));
    say("no lock all", MPI_Win_unlock_all(win));
    say("no flush", MPI_Win_flush(0, win));
#if OMPI_MAJOR_VERSION < 5 /* which does not refuse it */
    say("no start", MPI_Win_complete(win));
#endif
    say("lock type", MPI_Win_lock(77, 0, 0, win));
    say("lock rank", MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
    say("flavor", MPI_Win_shared_query(win, 0, &bytes, &unit, &base));
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    say("rank", MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win));
    say("count", MPI_Put(&x, -1, MPI_INT, rank, 0, 1, MPI_INT, win));
    say("type", MPI_Put(&x, 1, MPI_DATATYPE_NULL, rank, 0, 1, MPI_INT, win));
    MPI_Op_create((MPI_User_function *)on_win, 1, &own);
    say("op", MPI_Accumulate(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, own, win));
    MPI_Op_free(&own);
    say("nobody", MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    say("fence", MPI_Win_fence(0, win));
    MPI_Win_unlock(rank, win);
    MPI_Win_create_errhandler(on_win, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    SAY(" handled %d", handled);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
    flush_line("windows");
}

/* --- types ------------------------------------------------------------------------------------ */

static void types(void)
{
    MPI_Datatype t, again;
    int integers, addresses, inner, combiner, numbers[2], bytes, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    for (int p = 1; p < 22; p += 2) {
        int code = MPI_Type_create_f90_integer(p, &t);
        if (!code)
            MPI_Type_size(t, &bytes);
        SAY(" int%d %d", p, code ? -code : bytes);
        code = MPI_Type_create_f90_real(p, MPI_UNDEFINED, &t);
        if (!code)
            MPI_Type_size(t, &bytes);
        SAY(" real%d %d", p, code ? -code : bytes);
        code = MPI_Type_create_f90_complex(MPI_UNDEFINED, p * p * 2, &t);
        if (!code)
            MPI_Type_size(t, &bytes);
        SAY(" complex%d %d", p, code ? -code : bytes);
    }
    MPI_Type_create_f90_real(6, 30, &t);
    MPI_Type_create_f90_real(6, 30, &again);
    MPI_Type_get_envelope(t, &integers, &addresses, &inner, &combiner);
    MPI_Type_get_contents(t, 2, 0, 0, numbers, NULL, NULL);
    MPI_Type_get_name(t, name, &length);
    SAY(" %d %d %d %d: %d %d, %s, same %d", integers, addresses, inner,
        combiner == MPI_COMBINER_F90_REAL, numbers[0], numbers[1], name, t == again);
    say("free", MPI_Type_free(&t));
    flush_line("types");
}

static void external(void)
{
    int in[3] = {1, -2, 0x01020304}, back[3];
    double d = 1.5, e = 0;
    unsigned char packed[64];
    MPI_Aint at = 0, need;
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    memset(packed, 0, sizeof packed);
    MPI_Pack_external_size("external32", 3, MPI_INT, &need);
    SAY(" need %d", (int)need);
    MPI_Pack_external("external32", in, 3, MPI_INT, packed, 64, &at);
    MPI_Pack_external("external32", in, 1, vector, packed, 64, &at);
    MPI_Pack_external("external32", &d, 1, MPI_DOUBLE, packed, 64, &at);
    SAY(" at %d:", (int)at);
    for (int i = 0; i < 32; i++)
        SAY(" %02x", packed[i]);
    need = at;
    at = 12;
    memset(back, 0, sizeof back);
    MPI_Unpack_external("external32", packed, need, &at, back, 1, vector);
    MPI_Unpack_external("external32", packed, need, &at, &e, 1, MPI_DOUBLE);
    SAY(" back %d %d %d %g", back[0], back[1], back[2], e);
    MPI_Type_free(&vector);
    flush_line("external");
}

/* --- graphs ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(int));
}

/* Rank 0 describes the edges of ranks 0 and 1, the others their own. */
static void graphs(void)
{
    MPI_Comm graph;
    int sources[2] = {rank, 1}, degrees[2] = {2, 3},
        targets[5] = {(rank + 1) % size, (rank + 2) % size, 0, 2, 3};
    int weights[5] = {rank * 10, rank * 10 + 1, 7, 8, 9},
        n = rank == 0   ? 2
            : rank == 1 ? 0
                        : 1,
        in, out, weighted;
    int from[8], from_weight[8], to[8], to_weight[8];
    MPI_Dist_graph_create(world, n, sources, degrees, targets, weights, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(graph, in, from, from_weight, out, to, to_weight);
    SAY(" in %d out %d weighted %d", in, out, weighted);
    int in_sum = 0, out_sum = 0;
    for (int i = 0; i < in; i++)
        in_sum += from_weight[i] * (from[i] + 1);
    for (int i = 0; i < out; i++)
        out_sum += to_weight[i] * (to[i] + 1);
    qsort(from, (size_t)in, sizeof(int), compare); /* their order is the library's */
    qsort(to, (size_t)out, sizeof(int), compare);
    for (int i = 0; i < in; i++)
        SAY(" %d", from[i]);
    for (int i = 0; i < out; i++)
        SAY(" >%d", to[i]);
    SAY(" weights %d %d", in_sum, out_sum);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create(world, n, sources, degrees, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    SAY(" unweighted %d", weighted);
    /* Different types and places for every neighbour. */
    int send[16], recv[16], counts[8];
    MPI_Aint places[8], back[8];
    MPI_Datatype kinds[8];
    for (int i = 0; i < 16; i++)
        send[i] = 100 * rank, recv[i] = -1;
    for (int i = 0; i < 8; i++) {
        counts[i] = 1;
        kinds[i] = MPI_INT;
        places[i] = 4 * (15 - i);
        back[i] = 8 * i;
    }
    MPI_Neighbor_alltoallw(send, counts, places, kinds, recv, counts, back, kinds, graph);
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += recv[i];
    SAY(" exchanged %d", sum);
    MPI_Comm_free(&graph);
    flush_line("graphs");
}

/* --- the names of MPI 1, numbers for handles -------------------------------------------------- */

static void old(void)
{
    int key, value = 3, *got, flag, lengths[2] = {1, 2};
    MPI_Aint places[2] = {0, 8}, extent, lb, ub;
    MPI_Datatype t, bounded, kinds[2] = {MPI_INT, MPI_CHAR};
    MPI_Attr_put(world, (MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL), key),
                 &value);
    MPI_Attr_get(world, key, &got, &flag);
    SAY(" %d %d", flag, *got);
    MPI_Attr_delete(world, key);
    MPI_Keyval_free(&key);
    MPI_Type_struct(2, lengths, places, kinds, &t);
    MPI_Type_extent(t, &extent);
    MPI_Type_lb(t, &lb);
    MPI_Type_ub(t, &ub);
    SAY(" struct %d %d %d", (int)extent, (int)lb, (int)ub);
    MPI_Type_free(&t);
    MPI_Type_hvector(2, 1, 12, MPI_INT, &t);
    MPI_Type_extent(t, &extent);
    SAY(" hvector %d", (int)extent);
    MPI_Type_free(&t);
    MPI_Type_hindexed(2, lengths, places, MPI_INT, &bounded);
    MPI_Type_extent(bounded, &extent);
    SAY(" hindexed %d", (int)extent);
    SAY(" same handle %d", MPI_Type_f2c(MPI_Type_c2f(bounded)) == bounded);
    MPI_Type_free(&bounded);
    SAY(" same world %d", MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    flush_line("old");
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
#if OMPI_MAJOR_VERSION < 5
    setenv("OMPI_MCA_osc", "^ucx,rdma", 0); /* what works without special hardware */
#endif
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    attributes();
    errors();
    window_errors();
    types();
    external();
    graphs();
    old();
    MPI_Finalize();
    return 0;
}
