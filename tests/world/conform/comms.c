/* Groups, communicators, intercommunicators, topologies, attributes. For 6 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static char line[4096];

#define SAY(...) sprintf(line + strlen(line), __VA_ARGS__)

static void flush_lines(const char *title)
{
    char all[6][4096];
    MPI_Gather(line, 4096, MPI_CHAR, all, 4096, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%s %d:%s\n", title, i, all[i]);
    line[0] = 0;
}

static void say_comm(const char *name, MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) {
        SAY(" %s null", name);
        return;
    }
    int r, n, sum = 0, world = rank;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Allreduce(&world, &sum, 1, MPI_INT, MPI_SUM, comm);
    SAY(" %s %d/%d sum %d", name, r, n, sum);
}

static void groups(void)
{
    MPI_Group all, a, b, c, d;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int odd[] = {1, 3, 5}, some[] = {3, 0, 1}, range[1][3] = {{5, 0, -2}}, result, out[6],
        in[] = {0, 1, MPI_PROC_NULL};
    MPI_Group_incl(all, 3, odd, &a);
    MPI_Group_incl(all, 3, some, &b);
    MPI_Group_union(a, b, &c);
    MPI_Group_translate_ranks(c, 3, in, all, out);
    MPI_Group_size(c, &result);
    SAY(" union %d: %d %d %d", result, out[0], out[1], out[2]);
    MPI_Group_rank(c, &result);
    SAY(" rank %d", result == MPI_UNDEFINED ? -9 : result);
    MPI_Group_free(&c);
    MPI_Group_intersection(a, b, &c);
    MPI_Group_translate_ranks(c, 2, in, all, out);
    SAY(" common %d %d", out[0], out[1]);
    MPI_Group_difference(a, b, &d);
    MPI_Group_translate_ranks(d, 1, in, all, out);
    SAY(" only %d", out[0]);
    MPI_Group_free(&c);
    MPI_Group_free(&d);
    MPI_Group_range_incl(all, 1, range, &c);
    MPI_Group_compare(a, c, &result);
    SAY(" compare %d", result);
    MPI_Group_compare(a, a, &result);
    SAY(" same %d", result);
    MPI_Group_compare(a, all, &result);
    SAY(" other %d", result);
    MPI_Group_range_excl(all, 1, range, &d);
    MPI_Group_translate_ranks(d, 1, in, c, out);
    SAY(" not there %d", out[0] == MPI_UNDEFINED);
    MPI_Comm made;
    MPI_Comm_create(MPI_COMM_WORLD, b, &made);
    say_comm("create", made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Comm_create_group(MPI_COMM_WORLD, a, 5, &made);
    say_comm("create_group", made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&c);
    MPI_Group_free(&d);
    MPI_Group_free(&all);
    flush_lines("groups");
}

static void split(void)
{
    MPI_Comm half, back, twin;
    int result;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    say_comm("split", half);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &back);
    say_comm("but one", back);
    MPI_Comm_dup(half, &twin);
    MPI_Comm_compare(half, twin, &result);
    SAY(" dup %d", result);
    MPI_Comm_compare(half, half, &result);
    SAY(" self %d", result);
    MPI_Comm_compare(half, MPI_COMM_WORLD, &result);
    SAY(" world %d", result);
    int right, n, r, got = -1;
    MPI_Comm_rank(twin, &r);
    MPI_Comm_size(twin, &n);
    right = (r + 1) % n;
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, twin, &status);
    SAY(" ring got %d from %d", got, status.MPI_SOURCE);
    MPI_Comm inter, merged;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 4 : 5, 12, &inter);
    int remote, flag;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_rank(inter, &r);
    MPI_Sendrecv(&rank, 1, MPI_INT, r, 1, &got, 1, MPI_INT, r, 1, inter, &status);
    SAY(" inter %d remote %d flag %d got %d from %d", r, remote, flag, got, status.MPI_SOURCE);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    say_comm("merged", merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    if (back != MPI_COMM_NULL)
        MPI_Comm_free(&back);
    flush_lines("split");
}

static void grid(void)
{
    int dims[2] = {2, 3}, periods[2] = {1, 0}, coords[2], from, to, kind, n;
    MPI_Comm cart, row;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cartdim_get(cart, &n);
    MPI_Topo_test(cart, &kind);
    MPI_Cart_get(cart, 2, dims, periods, coords);
    SAY(" dims %d kind %d at %d,%d", n, kind, coords[0], coords[1]);
    for (int d = 0; d < 2; d++)
        for (int s = -1; s < 3; s++) {
            MPI_Cart_shift(cart, d, s, &from, &to);
            SAY(" %d:%d<%d>", s, from, to);
        }
    int at[2] = {-1, 2};
    MPI_Cart_rank(cart, at, &n);
    SAY(" rank at -1,2 is %d", n);
    MPI_Cart_coords(cart, 4, 2, coords);
    SAY(" 4 is %d,%d", coords[0], coords[1]);
    int remain[2] = {0, 1}, in[4] = {-1, -1, -1, -1};
    MPI_Cart_sub(cart, remain, &row);
    say_comm("row", row);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, cart);
    SAY(" neighbours %d %d %d %d", in[0], in[1], in[2], in[3]);
    int out[4] = {rank * 10, rank * 10 + 1, rank * 10 + 2, rank * 10 + 3};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, cart);
    SAY(" alltoall %d %d %d %d", in[0], in[1], in[2], in[3]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
    int shapes[][2] = {{6, 1}, {6, 2}, {12, 2}, {12, 3}, {60, 3}, {64, 3}, {7, 2}, {36, 4}, {1, 2}};
    for (int i = 0; i < 9; i++) {
        int made[4] = {0, 0, 0, 0};
        MPI_Dims_create(shapes[i][0], shapes[i][1], made);
        SAY(" %d=%dx%dx%dx%d", shapes[i][0], made[0], made[1], made[2], made[3]);
    }
    int fixed[3] = {0, 3, 0};
    MPI_Dims_create(24, 3, fixed);
    SAY(" fixed %dx%dx%d", fixed[0], fixed[1], fixed[2]);
    flush_lines("grid");
}

static int copied, dropped;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copied++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    dropped++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    static char place[8];
    int key, flag, length;
    char *value = NULL, name[MPI_MAX_OBJECT_NAME];
    MPI_Comm twin;
    copied = dropped = 0;
    MPI_Comm_create_keyval(copy, drop, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, place);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_get_attr(twin, key, &value, &flag);
    SAY(" copied %d moved %d", flag, (int)(value - place));
    MPI_Comm_free(&twin);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    SAY(" left %d", flag);
    MPI_Comm_free_keyval(&key);
    SAY(" invalid %d", key == MPI_KEYVAL_INVALID);
    int *bound;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    SAY(" tag bound %d %d", flag, *bound);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    SAY(" %s", name);
    flush_lines("attributes");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    groups();
    split();
    grid();
    attributes();
    MPI_Finalize();
    return 0;
}
