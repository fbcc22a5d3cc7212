/* Runs the registered collectives under real MPI and compares every byte of every buffer with what
 * MPI defines.
 *
 * usage: mpirun -n N verify_collectives [--full | --brief | --grid] [--from=P] [--name=NAME]...
 *        [--synchronous] [--defects] [--patience=SECONDS] [--list-defects] [--list-rows]
 *
 * For P = 1 (or --from) to N, on communicators of P ranks, numbered forwards and backwards: every
 * collective in its domain, over counts, roots, datatypes, operations, in place and not, and sides
 * that describe the same signature differently; outside its domain it must return an error on all
 * ranks. Buffers have gaps and margins that must stay as they were. The reference is a definition
 * written out here, one element at a time; it communicates nothing. Prints the number of cases and
 * of failures; exit status 1 if there was one. With --defects the planted defects run instead of
 * the correct functions (only their failing is of interest). --grid is for many ranks: counts 0, 1,
 * P - 1, P, a prime and a large one (not for the all-to-alls above 16 ranks and what moves a block
 * of each rank above 32); above 16 ranks four
 * roots instead of all, and above 32 two of the six counts, in turn.
 */
#include "corpus/collectives/registry.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MARGIN = 64, FILL = 0xa5, COUNTS_MAX = 8, FAILURES_SHOWN = 20, GRID_EVERY_ROOT = 16 };

static struct {
    MPI_Comm comm;
    int rank, size, full, backwards;
    int synchronous, brief, grid;
    unsigned patience; /* seconds for one call */
    long cases, failures;
    char now[256];
} world;

/* --- datatypes: an element is one or two items, each an int or a double, at given places ------ */

struct type_case {
    const char *name;
    MPI_Datatype type;
    int items, is_double;
    MPI_Aint place[2], extent;
};

static struct type_case types[4];
enum { INTS, DOUBLES, STRIDED, PAIRS };

static void types_make(void)
{
    MPI_Datatype vector, strided, pair;
    MPI_Type_vector(2, 1, 2, MPI_INT,
                    &vector); /* ints 0 and 2 of 5, the lower bound one int before */
    MPI_Type_create_resized(vector, -(MPI_Aint)sizeof(int), 5 * sizeof(int), &strided);
    MPI_Type_commit(&strided);
    MPI_Type_free(&vector);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    types[INTS] = (struct type_case){"int", MPI_INT, 1, 0, {0}, sizeof(int)};
    types[DOUBLES] = (struct type_case){"double", MPI_DOUBLE, 1, 1, {0}, sizeof(double)};
    types[STRIDED] =
        (struct type_case){"strided", strided, 2, 0, {0, 2 * sizeof(int)}, 5 * sizeof(int)};
    types[PAIRS] = (struct type_case){"pair", pair, 2, 0, {0, sizeof(int)}, 2 * sizeof(int)};
}

static const struct type_case *type_of(MPI_Datatype type)
{
    for (int i = 0; i < 4; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

static uint32_t item_get(const struct type_case *t, const char *data, long item)
{
    const char *p = data + item / t->items * t->extent + t->place[item % t->items];
    if (t->is_double) {
        double d;
        memcpy(&d, p, sizeof(d));
        return (uint32_t)d;
    }
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static void item_put(const struct type_case *t, char *data, long item, uint32_t value)
{
    char *p = data + item / t->items * t->extent + t->place[item % t->items];
    double d = value;
    memcpy(p, t->is_double ? (void *)&d : (void *)&value, t->is_double ? sizeof(d) : sizeof(value));
}

/* --- operations ------------------------------------------------------------------------------- */
/* Sum item by item, or the composition of affine maps (a, b): x -> a x + b, in rank order. */

struct op_case {
    const char *name;
    MPI_Op op;
    const struct type_case *type;
    int affine;
};

static struct op_case ops[5];

static void combine_values(int affine, const uint32_t *left, uint32_t *right)
{
    if (affine) {
        uint32_t a = left[0] * right[0], b = left[0] * right[1] + left[1];
        right[0] = a;
        right[1] = b;
    } else {
        right[0] += left[0];
        right[1] += left[1];
    }
}

static void user_op(void *in, void *inout, const int *count, const MPI_Datatype *type, int affine)
{
    const struct type_case *t = type_of(*type);
    if (!t || t->items != 2)
        MPI_Abort(MPI_COMM_WORLD, 9);
    for (long e = 0; e < *count; e++) {
        uint32_t left[2] = {item_get(t, in, 2 * e), item_get(t, in, 2 * e + 1)};
        uint32_t right[2] = {item_get(t, inout, 2 * e), item_get(t, inout, 2 * e + 1)};
        combine_values(affine, left, right);
        item_put(t, inout, 2 * e, right[0]);
        item_put(t, inout, 2 * e + 1, right[1]);
    }
}

static void user_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    user_op(in, inout, count, type, 0);
}

static void user_affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    user_op(in, inout, count, type, 1);
}

static void ops_make(void)
{
    MPI_Op sum, affine;
    MPI_Op_create(user_sum, 1, &sum);
    MPI_Op_create(user_affine, 0, &affine);
    ops[0] = (struct op_case){"sum", MPI_SUM, &types[INTS], 0};
    ops[1] = (struct op_case){"sum", MPI_SUM, &types[DOUBLES], 0};
    ops[2] = (struct op_case){"user sum", sum, &types[STRIDED], 0};
    ops[3] = (struct op_case){"affine", affine, &types[PAIRS], 1};
    ops[4] = (struct op_case){"affine", affine, &types[STRIDED], 1};
}

/* --- buffers ---------------------------------------------------------------------------------- */

struct image {
    char *memory, *data;
    size_t size;
};

static struct image image_new(const struct type_case *t, long elements)
{
    struct image i = {.size = (size_t)(elements * t->extent) + 2 * MARGIN};
    i.memory = malloc(i.size);
    memset(i.memory, FILL + world.rank, i.size); /* so that an overrun brings something new */
    i.data = i.memory + MARGIN;
    return i;
}

static struct image image_copy(const struct image *from)
{
    struct image i = {.size = from->size, .memory = malloc(from->size)};
    memcpy(i.memory, from->memory, i.size);
    i.data = i.memory + MARGIN;
    return i;
}

static void image_free(struct image *i)
{
    free(i->memory);
}

/* Returns the value of rank `source` at item `i` of its block for `block`. */
static uint32_t value(int source, int block, long i)
{
    uint32_t x = (uint32_t)source * 7919u + (uint32_t)block * 104729u + (uint32_t)i * 31u + 5u;
    return (x ^ x >> 7) % 100003u;
}

static void put_block(const struct type_case *t, struct image *image, long first_element,
                      long elements, int source, int block)
{
    for (long i = 0; i < elements * t->items; i++)
        item_put(t, image->data, first_element * t->items + i, value(source, block, i));
}

/* Stores the combination over the ranks 0..last of elements of their block. */
static void put_reduced(const struct op_case *o, struct image *image, long first_element,
                        long elements, int last, int block)
{
    const struct type_case *t = o->type;
    for (long e = 0; e < elements; e++) {
        uint32_t sum[2] = {0, 0};
        for (int r = last; r >= 0; r--) {
            uint32_t left[2] = {value(r, block, e * t->items), value(r, block, e * t->items + 1)};
            if (r == last)
                memcpy(sum, left, sizeof(sum));
            else
                combine_values(o->affine, left, sum);
        }
        for (int j = 0; j < t->items; j++)
            item_put(t, image->data, (first_element + e) * t->items + j, sum[j]);
    }
}

/* --- one case --------------------------------------------------------------------------------- */

#ifndef IN_PROCESS /* the in-process MPI has its own ways not to buffer */

/* Replaces the MPI library's function. */
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return (world.synchronous ? PMPI_Ssend : PMPI_Send)(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return (world.synchronous ? PMPI_Issend : PMPI_Isend)(buffer, count, type, to, tag, comm,
                                                          request);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    MPI_Request both[2];
    MPI_Status statuses[2];
    if (!world.synchronous)
        return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                             in_tag, comm, status);
    PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &both[0]);
    PMPI_Issend(out, out_count, out_type, to, out_tag, comm, &both[1]);
    int error = PMPI_Waitall(2, both, statuses);
    if (status != MPI_STATUS_IGNORE)
        *status = statuses[0];
    return error;
}

#endif

static void on_alarm(int signal)
{
    (void)signal;
    if (write(2, world.now, strlen(world.now)) < 0 || write(2, ": no end\n", 9) < 0)
        _exit(8);
    _exit(7);
}

/* Calls, then compares both buffers with what they must hold. */
static void run_case(const struct collective *c, const struct collective_arguments *a,
                     const struct image *send, const struct image *recv,
                     const struct image *expected, const char *what)
{
    snprintf(world.now, sizeof(world.now), "%s P=%d%s rank %d count %d/%d root %d parameter %d, %s",
             c->name, world.size, world.backwards ? " backwards" : "", world.rank, a->sendcount,
             a->recvcount, a->root, a->parameter, what);
    struct image before = {0};
    if (send)
        before = image_copy(send);
    world.cases++;
    alarm(world.patience);
    int error = collective_call(c, a);
    alarm(0);
    const char *problem = NULL;
    if (error)
        problem = "returned an error";
    else if (recv && memcmp(recv->memory, expected->memory, recv->size))
        problem = "wrong receive buffer";
    else if (send && memcmp(send->memory, before.memory, send->size))
        problem = "changed the send buffer";
    if (problem && world.failures++ < FAILURES_SHOWN)
        fprintf(stderr, "%s: %s\n", world.now, problem);
    if (send)
        image_free(&before);
}

/* --- the kinds -------------------------------------------------------------------------------- */

/* Two sides of a message: the same signature, perhaps described differently. */
struct sides {
    const struct type_case *send, *recv;
    int send_count, recv_count;
    const char *what;
};

static int sides_make(int which, int count, struct sides *out)
{
    switch (which) {
    case 0:
    case 1:
    case 2:
        *out = (struct sides){&types[which], &types[which], count, count, types[which].name};
        return 1;
    case 3:
        *out = (struct sides){&types[INTS], &types[STRIDED], 2 * count, count, "int to strided"};
        return 1;
    case 4:
        *out = (struct sides){&types[STRIDED], &types[PAIRS], count, count, "strided to pair"};
        return 1;
    }
    return 0;
}

static struct collective_arguments arguments_of(const struct sides *s)
{
    return (struct collective_arguments){.comm = world.comm,
                                         .sendcount = s->send_count,
                                         .sendtype = s->send->type,
                                         .recvcount = s->recv_count,
                                         .recvtype = s->recv->type};
}

static void verify_bcast(const struct collective *c, int count, int root, int k)
{
    struct sides s;
    for (int which = 0; sides_make(which, count, &s); which++) {
        struct collective_arguments a = arguments_of(&s);
        int uses_send = world.rank % 2 == 0; /* neighbours describe the message differently */
        const struct type_case *t = uses_send ? s.send : s.recv;
        a.recvcount = uses_send ? s.send_count : s.recv_count;
        a.recvtype = t->type;
        a.root = root;
        a.parameter = k;
        struct image buffer = image_new(t, a.recvcount), expected = image_new(t, a.recvcount);
        put_block(t, &expected, 0, a.recvcount, root, 0);
        if (world.rank == root)
            put_block(t, &buffer, 0, a.recvcount, root, 0);
        a.recvbuf = buffer.data;
        run_case(c, &a, NULL, &buffer, &expected, s.what);
        image_free(&buffer);
        image_free(&expected);
    }
}

static void verify_scatter_gather(const struct collective *c, int count, int root, int in_place)
{
    struct sides s;
    int scatter = c->kind == collective_kind_scatter, at_root = world.rank == root;
    for (int which = 0; sides_make(which, count, &s); which++) {
        struct collective_arguments a = arguments_of(&s);
        long send_blocks = !scatter  ? 1
                           : at_root ? world.size
                                     : 0,
             recv_blocks = scatter   ? 1
                           : at_root ? world.size
                                     : 0;
        struct image send = image_new(s.send, send_blocks * s.send_count);
        struct image recv = image_new(s.recv, recv_blocks * s.recv_count);
        for (int b = 0; b < send_blocks; b++)
            put_block(s.send, &send, (long)b * s.send_count, s.send_count, world.rank,
                      scatter ? b : 0);
        a.root = root;
        a.sendbuf = send_blocks ? send.data : NULL;
        a.recvbuf = recv_blocks ? recv.data : NULL;
        if (in_place && at_root && scatter) {
            a.recvbuf = MPI_IN_PLACE;
        } else if (in_place && at_root) {
            put_block(s.recv, &recv, (long)root * s.recv_count, s.recv_count, root, 0);
            a.sendbuf = MPI_IN_PLACE;
        }
        struct image expected = image_copy(&recv);
        for (int b = 0; b < recv_blocks && a.recvbuf != MPI_IN_PLACE; b++)
            put_block(s.recv, &expected, (long)b * s.recv_count, s.recv_count, scatter ? root : b,
                      scatter ? world.rank : 0);
        run_case(c, &a, &send, &recv, &expected, s.what);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

static void verify_allgather_alltoall(const struct collective *c, int count, int in_place)
{
    struct sides s;
    int alltoall = c->kind == collective_kind_alltoall,
        vector = c->kind == collective_kind_allgatherv;
    int displs[64], counts[64];
    for (int which = 0; sides_make(which, count, &s); which++) {
        struct collective_arguments a = arguments_of(&s);
        int size = world.size;
        struct image send = image_new(s.send, (long)size * s.send_count);
        struct image recv = image_new(s.recv, (long)size * s.recv_count);
        for (int b = 0; b < (alltoall ? size : 1); b++)
            put_block(s.send, &send, (long)b * s.send_count, s.send_count, world.rank,
                      alltoall ? b : 0);
        for (int b = 0; b < size; b++) {
            counts[b] = s.recv_count;
            displs[b] = (size - 1 - b) * s.recv_count; /* backwards, so that displacements matter */
        }
        a.sendbuf = send.data;
        a.recvbuf = recv.data;
        a.recvcounts = counts;
        a.rdispls = displs;
        if (in_place) {
            a.sendbuf = MPI_IN_PLACE;
            for (int b = 0; b < size; b++)
                if (alltoall || b == world.rank)
                    put_block(s.recv, &recv, vector ? displs[b] : (long)b * s.recv_count,
                              s.recv_count, world.rank, alltoall ? b : 0);
        }
        struct image expected = image_copy(&recv);
        for (int b = 0; b < size; b++)
            put_block(s.recv, &expected, vector ? displs[b] : (long)b * s.recv_count, s.recv_count,
                      b, alltoall ? world.rank : 0);
        run_case(c, &a, &send, &recv, &expected, s.what);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

/* Blocks of different sizes, some of them empty. */
static int uneven(int count, int from, int to)
{
    return (from + to) % 3 == 0 ? 0 : count + (2 * from + to) % 4;
}

static void verify_alltoallv(const struct collective *c, int count)
{
    int size = world.size, sendcounts[64], sdispls[64], recvcounts[64], rdispls[64], sends = 0,
        recvs = 0;
    for (int i = 0; i < size; i++) {
        sdispls[i] = sends;
        rdispls[i] = recvs;
        sends += sendcounts[i] = uneven(count, world.rank, i);
        recvs += recvcounts[i] = uneven(count, i, world.rank);
    }
    for (int which = 0; which < 3; which++) {
        const struct type_case *t = &types[which];
        struct image send = image_new(t, sends), recv = image_new(t, recvs),
                     expected = image_new(t, recvs);
        for (int i = 0; i < size; i++) {
            put_block(t, &send, sdispls[i], sendcounts[i], world.rank, i);
            put_block(t, &expected, rdispls[i], recvcounts[i], i, world.rank);
        }
        struct collective_arguments a = {.comm = world.comm,
                                         .sendbuf = send.data,
                                         .recvbuf = recv.data,
                                         .sendcounts = sendcounts,
                                         .sdispls = sdispls,
                                         .recvcounts = recvcounts,
                                         .rdispls = rdispls,
                                         .sendtype = t->type,
                                         .recvtype = t->type};
        run_case(c, &a, &send, &recv, &expected, t->name);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

static void verify_reduction(const struct collective *c, int count, int root, int in_place)
{
    int size = world.size, rooted = c->kind == collective_kind_reduce;
    int has_result = !rooted || world.rank == root;
    for (int i = 0; i < 5; i++) {
        const struct op_case *o = &ops[i];
        char what[64];
        snprintf(what, sizeof(what), "%s of %s%s", o->name, o->type->name,
                 in_place ? ", in place" : "");
        struct image send = image_new(o->type, count), recv = image_new(o->type, count);
        put_block(o->type, &send, 0, count, world.rank, 0);
        struct collective_arguments a = {.comm = world.comm,
                                         .sendbuf = send.data,
                                         .recvbuf = recv.data,
                                         .recvcount = count,
                                         .recvtype = o->type->type,
                                         .op = o->op,
                                         .root = root};
        if (in_place && has_result) {
            put_block(o->type, &recv, 0, count, world.rank, 0);
            a.sendbuf = MPI_IN_PLACE;
        }
        if (!has_result)
            a.recvbuf = NULL;
        struct image expected = image_copy(&recv);
        if (has_result)
            put_reduced(o, &expected, 0, count,
                        c->kind == collective_kind_scan ? world.rank : size - 1, 0);
        run_case(c, &a, &send, &recv, &expected, what);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

static void user_nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

/* Counts up to INT_MAX, of elements without bytes: every product of counts that does not fit an int
 * would show as a failure. */
static void verify_largest_counts(const struct collective *c)
{
    int counts[64], displs[64] = {0}, buffer[2] = {1, 2};
    struct collective_arguments a = {.comm = world.comm,
                                     .sendbuf = &buffer[0],
                                     .recvbuf = &buffer[1],
                                     .sendcount = INT_MAX,
                                     .recvcount = INT_MAX,
                                     .sendcounts = counts,
                                     .recvcounts = counts,
                                     .sdispls = displs,
                                     .rdispls = displs,
                                     .root = 0,
                                     .parameter = 2};
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Op_create(user_nothing, 1, &a.op);
    for (int i = 0; i < world.size; i++)
        counts[i] = INT_MAX;
    a.sendtype = a.recvtype = nothing;
    run_case(c, &a, NULL, NULL, NULL, "elements without bytes");
    if (buffer[0] != 1 || buffer[1] != 2)
        world.failures++;
    MPI_Op_free(&a.op);
    MPI_Type_free(&nothing);
}

/* The ranks' results must agree to the last bit, also where a sum depends on its order. */
static void verify_agreement(const struct collective *c)
{
    double mine[5], sums[5];
    unsigned char lowest[sizeof(sums)], highest[sizeof(sums)];
    for (int i = 0; i < 5; i++)
        mine[i] = value(world.rank, 0, i) / 3.0 * (world.rank % 2 ? 1e-7 : 1e7);
    struct collective_arguments a = {.comm = world.comm,
                                     .sendbuf = mine,
                                     .recvbuf = sums,
                                     .recvcount = 5,
                                     .recvtype = MPI_DOUBLE,
                                     .op = MPI_SUM};
    run_case(c, &a, NULL, NULL, NULL, "fractions");
    MPI_Allreduce(sums, lowest, sizeof(sums), MPI_UNSIGNED_CHAR, MPI_MIN, world.comm);
    MPI_Allreduce(sums, highest, sizeof(sums), MPI_UNSIGNED_CHAR, MPI_MAX, world.comm);
    if (memcmp(lowest, highest, sizeof(sums)) && world.rank == 0 &&
        world.failures++ < FAILURES_SHOWN)
        fprintf(stderr, "%s: the ranks' results differ\n", world.now);
}

/* Blocks so far apart that their places need more than 32 bits, in memory of which only those pages
 * are touched. */
static void verify_far_blocks(const struct collective *c)
{
    const MPI_Aint extent = (MPI_Aint)1 << 30;
    size_t bytes = (size_t)world.size * (size_t)extent;
    struct type_case far = {"far", MPI_DATATYPE_NULL, 1, 0, {0}, extent};
    MPI_Type_create_resized(MPI_INT, 0, extent, &far.type);
    MPI_Type_commit(&far.type);
    struct image recv = image_new(&types[INTS], 1), expected = image_new(&types[INTS], 1);
    put_block(&types[INTS], &expected, 0, 1, 0, world.rank);
    struct image send = {0};
    if (world.rank == 0) {
        send.data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        for (int b = 0; b < world.size; b++)
            put_block(&far, &send, b, 1, 0, b);
    }
    struct collective_arguments a = {.comm = world.comm,
                                     .sendbuf = send.data,
                                     .recvbuf = recv.data,
                                     .sendcount = 1,
                                     .recvcount = 1,
                                     .sendtype = far.type,
                                     .recvtype = MPI_INT};
    run_case(c, &a, NULL, &recv, &expected, "blocks 2^30 bytes apart");
    if (send.data)
        munmap(send.data, bytes);
    MPI_Type_free(&far.type);
    image_free(&recv);
    image_free(&expected);
}

static void verify_reduce_scatter(const struct collective *c, int count, int in_place, int even)
{
    int size = world.size, counts[64], total = 0;
    for (int b = 0; b < size; b++)
        total += counts[b] = even ? count : uneven(count, 0, b);
    for (int i = 0; i < 5; i++) {
        const struct op_case *o = &ops[i];
        char what[64];
        snprintf(what, sizeof(what), "%s of %s%s%s", o->name, o->type->name,
                 in_place ? ", in place" : "", even ? "" : ", uneven");
        struct image send = image_new(o->type, total),
                     recv = image_new(o->type, in_place ? total : counts[world.rank]);
        struct image *own = in_place ? &recv : &send;
        for (int b = 0, at = 0; b < size; at += counts[b++])
            put_block(o->type, own, at, counts[b], world.rank, b);
        struct collective_arguments a = {.comm = world.comm,
                                         .sendbuf = in_place ? MPI_IN_PLACE : send.data,
                                         .recvbuf = recv.data,
                                         .recvcounts = counts,
                                         .recvcount = counts[world.rank],
                                         .recvtype = o->type->type,
                                         .op = o->op};
        struct image expected = image_copy(&recv);
        put_reduced(o, &expected, 0, counts[world.rank], size - 1, world.rank);
        run_case(c, &a, &send, &recv, &expected, what);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

static void verify_shift(const struct collective *c, int count, int s, int in_place)
{
    int from = ((world.rank - s) % world.size + world.size) % world.size;
    for (int which = 0; which < 3; which++) {
        const struct type_case *t = &types[which];
        struct image send = image_new(t, count), recv = image_new(t, count),
                     expected = image_new(t, count);
        put_block(t, in_place ? &recv : &send, 0, count, world.rank, 0);
        put_block(t, &expected, 0, count, from, 0);
        struct collective_arguments a = {.comm = world.comm,
                                         .sendbuf = in_place ? MPI_IN_PLACE : send.data,
                                         .recvbuf = recv.data,
                                         .recvcount = count,
                                         .recvtype = t->type,
                                         .parameter = s};
        run_case(c, &a, &send, &recv, &expected, t->name);
        image_free(&send);
        image_free(&recv);
        image_free(&expected);
    }
}

/* On Cartesian communicators of one and two dimensions, periodic and not; the reference comes from
 * the coordinates. */
static void verify_neighbor(const struct collective *c, int count)
{
    for (int dims_n = 1; dims_n <= 2; dims_n++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            int dims[2] = {0, 0}, periods[2] = {periodic, periodic}, coords[2] = {0, 0};
            MPI_Comm grid;
            MPI_Dims_create(world.size, dims_n, dims);
            MPI_Cart_create(world.comm, dims_n, dims, periods, 0, &grid);
            int rank, blocks = 2 * dims_n;
            MPI_Comm_rank(grid, &rank);
            MPI_Cart_coords(grid, rank, dims_n, coords);
            const struct type_case *t = &types[count % 3];
            struct image send = image_new(t, (long)blocks * count),
                         recv = image_new(t, (long)blocks * count);
            struct image expected = image_copy(&recv);
            for (int b = 0; b < blocks; b++) {
                put_block(t, &send, (long)b * count, count, rank, b);
                /* Block b comes from the neighbour at -1 (even b) or +1 in dimension b / 2; it sent
                 * it the other way. */
                int at[2] = {coords[0], coords[1]}, d = b / 2, there;
                at[d] += b % 2 ? 1 : -1;
                if (periodic)
                    at[d] = (at[d] + dims[d]) % dims[d];
                if (at[d] < 0 || at[d] >= dims[d])
                    continue;
                MPI_Cart_rank(grid, at, &there);
                put_block(t, &expected, (long)b * count, count, there, b ^ 1);
            }
            struct collective_arguments a = {.comm = grid,
                                             .sendbuf = send.data,
                                             .recvbuf = recv.data,
                                             .sendcount = count,
                                             .recvcount = count,
                                             .sendtype = t->type,
                                             .recvtype = t->type};
            run_case(c, &a, &send, &recv, &expected, periodic ? "periodic" : "not periodic");
            image_free(&send);
            image_free(&recv);
            image_free(&expected);
            MPI_Comm_free(&grid);
        }
    }
}

/* Reads a clock that all ranks of this machine share, as MPI_Wtime need not be. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* No rank may leave before the last has entered: the last enters late, and the test compares the
 * times. */
static void verify_barrier(const struct collective *c)
{
    for (int late = 0; late < world.size && late < (world.full ? 16 : 3); late++) {
        MPI_Barrier(world.comm);
        if (world.rank == late)
            usleep(3000);
        double came = seconds(), last;
        struct collective_arguments a = {.comm = world.comm, .root = late};
        run_case(c, &a, NULL, NULL, NULL, "barrier");
        double left = seconds(), first;
        MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, world.comm);
        MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, world.comm);
        if (first < last && world.rank == 0 && world.failures++ < FAILURES_SHOWN)
            fprintf(stderr, "%s: a rank left before rank %d had come\n", world.now, late);
    }
}

/* --- all cases of one collective -------------------------------------------------------------- */

static void verify_refusal(const struct collective *c, int root)
{
    int zeros[64] = {0}, number = 0;
    struct collective_arguments a = {.comm = world.comm,
                                     .sendbuf = &number,
                                     .recvbuf = &number,
                                     .sendcounts = zeros,
                                     .sdispls = zeros,
                                     .recvcounts = zeros,
                                     .rdispls = zeros,
                                     .sendtype = MPI_INT,
                                     .recvtype = MPI_INT,
                                     .op = MPI_SUM,
                                     .root = root,
                                     .parameter = 2};
    world.cases++;
    if (collective_call(c, &a) == MPI_SUCCESS && world.failures++ < FAILURES_SHOWN)
        fprintf(stderr, "%s P=%d root %d: outside its domain, but no error\n", c->name, world.size,
                root);
}

static void verify_counts(const struct collective *c, int count)
{
    int size = world.size;
    int rooted = c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
                 c->kind == collective_kind_reduce || c->kind == collective_kind_scatter ||
                 c->kind == collective_kind_gather;
    int shifts[] = {0, 1, size - 1, size / 2, size / 3, -1, size + 1, 5},
        ks[] = {2, 3, 4, size > 2 ? size : 2};
    for (int root = 0; root < (rooted && !c->root_zero_only ? size : 1); root++) {
        if (world.grid && size > GRID_EVERY_ROOT && root > 1 && root != size / 2 &&
            root != size - 1)
            continue;
        for (int in_place = 0; in_place < 2; in_place++) {
            switch (c->kind) {
            case collective_kind_bcast:
                if (!in_place)
                    verify_bcast(c, count, root, 0);
                break;
            case collective_kind_bcast_k:
                for (int i = 0; i < 4 && !in_place; i++)
                    verify_bcast(c, count, root, ks[i]);
                break;
            case collective_kind_scatter:
            case collective_kind_gather:
                verify_scatter_gather(c, count, root, in_place);
                break;
            case collective_kind_allgather:
            case collective_kind_allgatherv:
            case collective_kind_alltoall:
                verify_allgather_alltoall(c, count, in_place);
                break;
            case collective_kind_alltoallv:
                if (!in_place)
                    verify_alltoallv(c, count);
                break;
            case collective_kind_reduce:
            case collective_kind_allreduce:
            case collective_kind_scan:
                verify_reduction(c, count, root, in_place);
                break;
            case collective_kind_reduce_scatter:
                verify_reduce_scatter(c, count, in_place, 1);
                verify_reduce_scatter(c, count, in_place, 0);
                break;
            case collective_kind_shift:
                for (int i = 0; i < 8; i++)
                    verify_shift(c, count, shifts[i], in_place);
                break;
            case collective_kind_neighbor_alltoall:
                if (!in_place)
                    verify_neighbor(c, count);
                break;
            case collective_kind_barrier:
            case COLLECTIVE_KINDS:
                break;
            }
        }
    }
}

/* Selects the counts of --grid, as an in-process world keeps all that it sends in memory. */
static int grid_has(const struct collective *c, int index)
{
    int alltoall = c->kind == collective_kind_alltoall || c->kind == collective_kind_alltoallv;
    int vector = c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
                 c->kind == collective_kind_reduce || c->kind == collective_kind_allreduce ||
                 c->kind == collective_kind_scan || c->kind == collective_kind_shift;
    if (index == 6 && !vector && world.size > (alltoall ? GRID_EVERY_ROOT : 32))
        return 0;
    if (index == 5 || index == 7)
        return 0;
    return world.size <= 32 || ((index == 6 ? 5 : index) + world.size) % 3 == 0;
}

static void verify_collective(const struct collective *c)
{
    int counts[COUNTS_MAX] = {0, 1, world.size - 1, world.size, 13, 100, 1009, 4 * world.size};
    int counts_n = world.full || world.grid ? 8 : world.brief ? 2 : 5;
    if (!collective_domain_holds(c, world.size)) {
        verify_refusal(c, 0);
        return;
    }
    if (c->root_zero_only && world.size > 1)
        verify_refusal(c, 1);
    if (c->kind == collective_kind_barrier)
        verify_barrier(c);
    if ((!c->expect || !strcmp(c->axis, "no bytes")) && c->kind != collective_kind_barrier &&
        c->kind != collective_kind_neighbor_alltoall)
        verify_largest_counts(c);
    if (c->kind == collective_kind_allreduce)
        verify_agreement(c);
    if (c->kind == collective_kind_scatter && world.size <= 8)
        verify_far_blocks(c);
    for (int i = 0; i < counts_n; i++) {
        if (i == 2 && world.size - 1 < 2)
            continue;
        if (world.grid && !grid_has(c, i))
            continue;
        if (c->printed && !world.synchronous && counts[i] * world.size > 128)
            continue; /* the textbook's form needs the library's buffers */
        verify_counts(c, counts[i]);
    }
}

static int selected(const struct collective *c, int argc, char **argv)
{
    int named = 0, defects = 0;
    for (int i = 1; i < argc; i++) {
        defects |= !strcmp(argv[i], "--defects");
        if (!strncmp(argv[i], "--name=", 7)) {
            named = 1;
            if (!strcmp(argv[i] + 7, c->name))
                return 1;
        }
    }
    return !named && defects == (c->expect != NULL) && !(c->printed && world.synchronous);
}

/* The planted defects, or the rows that the others claim. */
static int list(int rank, int defects)
{
    for (const struct collective *c = collective_first(); c && !rank; c = collective_next(c)) {
        if (defects && c->expect)
            printf("%s|%s|%s\n", c->name, c->expect, c->axis);
        else if (!defects && !c->expect && *c->row)
            printf("%s %s\n", c->row, c->name);
    }
    MPI_Finalize();
    return 0;
}

/* Ranks outside of this communicator wait without using the CPU that its ranks need. */
static void wait_for_all(void)
{
#ifdef IN_PROCESS
    MPI_Barrier(MPI_COMM_WORLD);
#else
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        usleep(2000);
#endif
}

int main(int argc, char **argv)
{
    int rank, size, from = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    signal(SIGALRM, on_alarm);
    types_make();
    ops_make();
    world.patience = 20;
    for (int i = 1; i < argc; i++) {
        world.full |= !strcmp(argv[i], "--full");
        world.synchronous |= !strcmp(argv[i], "--synchronous");
        world.brief |= !strcmp(argv[i], "--brief");
        world.grid |= !strcmp(argv[i], "--grid");
        if (!strcmp(argv[i], "--list-defects"))
            return list(rank, 1);
        if (!strcmp(argv[i], "--list-rows"))
            return list(rank, 0);
        if (!strncmp(argv[i], "--patience=", 11))
            world.patience = (unsigned)atoi(argv[i] + 11);
        if (!strncmp(argv[i], "--from=", 7))
            from = atoi(argv[i] + 7);
    }
    for (int p = from; p <= size; p++) {
        for (world.backwards = 0; world.backwards < 2; world.backwards++) {
            MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED,
                           world.backwards ? -rank : rank, &world.comm);
            if (rank < p) {
                MPI_Comm_rank(world.comm, &world.rank);
                MPI_Comm_size(world.comm, &world.size);
                int turn = 0;
                for (const struct collective *c = collective_first(); c;
                     c = collective_next(c), turn++)
                    if (selected(c, argc, argv) &&
                        (world.full || !world.backwards || (turn + p) % 4 == 0))
                        verify_collective(c);
                MPI_Comm_free(&world.comm);
            }
            wait_for_all();
        }
    }
    long mine[2] = {world.cases, world.failures}, all[2];
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld cases on each rank, %ld on all; %ld failures\n", world.cases, all[0], all[1]);
    long failures = rank ? 0 : all[1];
    MPI_Bcast(&failures, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Type_free(&types[STRIDED].type);
    MPI_Type_free(&types[PAIRS].type);
    MPI_Op_free(&ops[2].op);
    MPI_Op_free(&ops[3].op); /* also that of ops[4], which is the same */
    MPI_Finalize();
    return failures != 0;
}
