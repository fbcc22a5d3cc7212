/* Collectives that are wrong in what MPI lets its library do, each beside a correct one: a barrier
 * by a reduction of nothing, a root that sends before a broadcast that its receivers come to later,
 * an operation that is said to commute and does not, a reduction from a buffer to itself, a send
 * whose request is freed, a rank that ends its process, memory that nobody writes, the order of a
 * sum of doubles, a tag that MPI does not promise, a nonblocking broadcast that waits when it
 * starts. CLOCK, TICKS, VERSION: one that looks at the time by a
 * call, or by an instruction, or asks for the library's version. TAGS: one that is wrong where
 * MPI_TAG_UB is as low as MPI allows. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linear.h"

#ifdef CLOCK
static int clock_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    double start = MPI_Wtime();
    int code = linear(b, n, t, root, c);
    return MPI_Wtime() - start > 3600 ? MPI_ERR_OTHER : code;
}
COLLECTIVE(bcast, "", clock_bcast)
#elif defined TICKS
static int ticks_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return __builtin_ia32_rdtsc() ? linear(b, n, t, root, c) : MPI_ERR_OTHER;
}
COLLECTIVE(bcast, "", ticks_bcast)
#elif defined VERSION
static int version_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int major, minor;
    MPI_Get_version(&major, &minor);
    return major < 9 ? linear(b, n, t, root, c) : MPI_ERR_OTHER;
}
COLLECTIVE(bcast, "", version_bcast)
#elif defined TAGS
static int by_limit(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int high)
{
    int *limit, found, rank, one = 1;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_get_attr(c, MPI_TAG_UB, &limit, &found);
    const int tag = found && *limit > high ? high : 5;
    if (tag < 6) /* tags from 5 on are for others */
        n = 0;
    MPI_Sendrecv(&one, 1, MPI_INT, rank, tag, &one, 1, MPI_INT, rank, tag, c, MPI_STATUS_IGNORE);
    return linear(b, n, t, root, c);
}
static int needs_high_tags(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return by_limit(b, n, t, root, c, 40000);
}
static int has_low_tags(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return by_limit(b, n, t, root, c, 32766);
}
COLLECTIVE(bcast, "", needs_high_tags)
COLLECTIVE(bcast, "", has_low_tags)
#else
static int empty_barrier(MPI_Comm c)
{
    return MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, c);
}
static int full_barrier(MPI_Comm c)
{
    int one = 1, sum;
    return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
}

/* Rank 2 comes to MPI_Bcast when it has rank 1's message, which rank 1 sends behind it. */
static int ordered_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int right)
{
    int rank, size, token = 0;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (right || rank < 2)
        MPI_Bcast(&token, 1, MPI_INT, 0, c);
    if (rank == 1 && size > 2)
        MPI_Send(&token, 1, MPI_INT, 2, 2, c);
    if (rank == 2)
        MPI_Recv(&token, 1, MPI_INT, 1, 2, c, MPI_STATUS_IGNORE);
    if (!right && rank >= 2)
        MPI_Bcast(&token, 1, MPI_INT, 0, c);
    return linear(b, n, t, root, c);
}
static int bcast_then_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return ordered_bcast(b, n, t, root, c, 0);
}
static int bcast_of_all(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return ordered_bcast(b, n, t, root, c, 1);
}

/* The order of a sum's doubles is the library's. */
static int summed(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int right)
{
    int rank;
    double mine, sum;
    MPI_Comm_rank(c, &rank);
    mine = rank == 0 ? 1e300 : rank == 1 ? -1e300 : 1;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, c);
    return linear(b, !right && rank == 0 && sum == 0 ? 0 : n, t, root, c);
}
static int sum_in_order(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int size;
    MPI_Comm_size(c, &size);
    return summed(b, n, t, root, c, size < 3);
}
static int sum_in_any_order(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return summed(b, n, t, root, c, 1);
}

/* Reads memory that nobody wrote. */
static int allocated(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int *flag = malloc(sizeof *flag), skip = flag ? *flag : 0;
    free(flag);
    return linear(b, skip ? 0 : n, t, root, c);
}
static int high_tag(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int one = 1, rank;
    MPI_Comm_rank(c, &rank);
    MPI_Sendrecv(&one, 1, MPI_INT, rank, 40000, &one, 1, MPI_INT, rank, 40000, c,
                 MPI_STATUS_IGNORE);
    return linear(b, n, t, root, c);
}

static void take_left(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(out, in, (size_t)*n);
}
/* The first rank of the order is the root, and an operation takes the left operand. */
static int by_operation(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int commutes)
{
    int rank, bytes, at = 0;
    MPI_Op op;
    MPI_Comm_rank(c, &rank);
    if (root) /* of another order */
        return linear(b, n, t, root, c);
    MPI_Pack_size(n, t, c, &bytes);
    char *mine = calloc(2, (size_t)bytes + 1), *first = mine + bytes;
    MPI_Pack(b, n, t, mine, bytes, &at, c);
    MPI_Op_create(take_left, commutes, &op);
    MPI_Allreduce(mine, first, bytes, MPI_BYTE, op, c);
    MPI_Op_free(&op);
    at = 0;
    MPI_Unpack(first, bytes, &at, b, n, t, c);
    free(mine);
    return MPI_SUCCESS;
}
static int said_to_commute(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return by_operation(b, n, t, root, c, 1);
}
static int kept_in_order(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return by_operation(b, n, t, root, c, 0);
}

static int reduce_to_itself(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    MPI_Reduce(in == MPI_IN_PLACE ? out : in, out, n, t, op, 0, c);
    return MPI_Bcast(out, n, t, 0, c);
}
static int reduce_in_place(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    int rank;
    MPI_Comm_rank(c, &rank);
    MPI_Reduce(in == MPI_IN_PLACE && rank ? out : in, out, n, t, op, 0, c);
    return MPI_Bcast(out, n, t, 0, c);
}

static int started_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, int frees)
{
    int rank, size;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (i != root)
            MPI_Isend(b, n, t, i, 1, c, &request);
        if (i != root && frees)
            MPI_Request_free(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}
static int frees_its_send(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return started_bcast(b, n, t, root, c, 1);
}
static int waits_for_it(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return started_bcast(b, n, t, root, c, 0);
}

static int ends_its_process(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int code = linear(b, n, t, root, c);
    if (n == 2 && root == 1)
        _exit(0);
    return code;
}
static int never_written(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    volatile int skip[4];
    return linear(b, skip[root % 4] ? 0 : n, t, root, c);
}

static int waits_at_once(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
    MPI_Bcast(b, n, t, root, c);
    return MPI_Ibarrier(c, r);
}
static int only_starts(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
    return MPI_Ibcast(b, n, t, root, c, r);
}

COLLECTIVE(barrier, "", empty_barrier)
COLLECTIVE(barrier, "", full_barrier)
COLLECTIVE(bcast, "", bcast_then_send)
COLLECTIVE(bcast, "", bcast_of_all)
COLLECTIVE(bcast, "", said_to_commute)
COLLECTIVE(bcast, "", kept_in_order)
COLLECTIVE(bcast, "", sum_in_order)
COLLECTIVE(bcast, "", sum_in_any_order)
COLLECTIVE(bcast, "", allocated)
COLLECTIVE(bcast, "", high_tag)
COLLECTIVE(allreduce, "", reduce_to_itself)
COLLECTIVE(allreduce, "", reduce_in_place)
COLLECTIVE(bcast, "", frees_its_send)
COLLECTIVE(bcast, "", waits_for_it)
COLLECTIVE(bcast, "", ends_its_process)
COLLECTIVE(bcast, "", never_written)
COLLECTIVE(ibcast, "", waits_at_once)
COLLECTIVE(ibcast, "", only_starts)
#endif
