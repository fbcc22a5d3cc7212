/* Collectives that --exhaustive judges: one that is wrong in a single schedule of three ranks, one
 * that asks its sends and is wrong where one has a buffer and the next has none, one that crashes,
 * one that loops, one that forgets memory, one that writes where there are no elements, one that
 * writes to the receive buffer of a rank that is not the root; and the correct one beside each. */
#include <mpi.h>
#include <stdlib.h>

static void copy(const void *from, int n, MPI_Datatype type, void *to)
{
    MPI_Sendrecv(from, n, type, 0, 7, to, n, type, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Rank 0 adds what comes first to what comes last; it forgets a summand when the ranks come in
 * falling order. */
static int reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm, int wrong)
{
    int rank, size, before = 1 << 30, falling = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Aint lower, extent, first, reach;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &first, &reach);
    if (rank != root) {
        MPI_Send(in, n, type, root, 3, comm);
        return MPI_Barrier(comm); /* so that no message of the next call comes first */
    }
    char *memory = calloc(1, (size_t)(size * n * extent + reach)), *each = memory - first;
    copy(in == MPI_IN_PLACE ? out : in, n, type, each + rank * n * extent);
    for (int i = 1; i < size; i++) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 3, comm, &status);
        MPI_Recv(each + status.MPI_SOURCE * n * extent, n, type, status.MPI_SOURCE, 3, comm,
                 MPI_STATUS_IGNORE);
        falling &= status.MPI_SOURCE < before;
        before = status.MPI_SOURCE;
    }
    copy(each + (size - 1) * n * extent, n, type, out);
    for (int i = size - 2; i >= 0; i--)
        if (!wrong || !falling || size < 3 || i != 0)
            MPI_Reduce_local(each + i * n * extent, out, n, type, op);
    free(memory);
    return MPI_Barrier(comm);
}
static int wrong_reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm)
{
    return reduce(in, out, n, type, op, root, comm, 1);
}
static int right_reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm)
{
    return reduce(in, out, n, type, op, root, comm, 0);
}

/* Two messages; when the first is gone, the second is waited for before anything is received. */
static int barrier(MPI_Comm comm, int looks)
{
    int rank, size, gone = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Request request[2];
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int round = 1; round < size; round++) {
        MPI_Isend(NULL, 0, MPI_BYTE, next, 5, comm, &request[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, next, 5, comm, &request[1]);
        if (looks)
            MPI_Test(&request[0], &gone, MPI_STATUS_IGNORE);
        if (gone)
            MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_BYTE, last, 5, comm, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_BYTE, last, 5, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    return MPI_SUCCESS;
}
static int wrong_barrier(MPI_Comm comm)
{
    return barrier(comm, 1);
}
static int right_barrier(MPI_Comm comm)
{
    return barrier(comm, 0);
}

static int bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm, int how)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    volatile int always = 1;
    char *own = malloc(8);
    if (how == 1 && size == 3 && n == 2)
        *(volatile char *)(own + 8) = 1;
    while (how == 2 && size == 3 && n == 2 && always)
        continue;
    if (how != 3 || rank != 1)
        free(own);
    if (rank != root)
        return MPI_Recv(buffer, n, type, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(buffer, n, type, i, 1, comm);
    return MPI_SUCCESS;
}
static int wrong_bcast_crash(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return bcast(b, n, t, root, c, 1);
}
static int wrong_bcast_loop(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return bcast(b, n, t, root, c, 2);
}
static int wrong_bcast_leak(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return bcast(b, n, t, root, c, 3);
}
static int wrong_bcast_empty(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    if (n == 0 && b)
        *(char *)b = 1; /* of a buffer of no elements */
    return bcast(b, n, t, root, c, 0);
}
static int right_bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    return bcast(b, n, t, root, c, 0);
}

/* Each block is its owner's bcast. Wrong: the first of three elements is lost where the sizes are
 * 3, 0 and 2. */
static int allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int counts[],
                      const int places[], MPI_Datatype to, MPI_Comm comm, int wrong)
{
    int rank, size;
    MPI_Aint lower, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(to, &lower, &extent);
    for (int i = 0; i < size; i++) {
        char *place = (char *)out + places[i] * extent;
        int lost = wrong && i == 0 && size == 3 && counts[0] == 3 && !counts[1] && counts[2] == 2;
        if (i == rank && in != MPI_IN_PLACE)
            MPI_Sendrecv(in, n, type, 0, 7, place, counts[i], to, 0, 7, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        bcast(place + lost * extent, counts[i] - lost, to, i, comm, 0);
    }
    return MPI_SUCCESS;
}
static int wrong_allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int counts[],
                            const int places[], MPI_Datatype to, MPI_Comm comm)
{
    return allgatherv(in, n, type, out, counts, places, to, comm, 1);
}
static int right_allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int counts[],
                            const int places[], MPI_Datatype to, MPI_Comm comm)
{
    return allgatherv(in, n, type, out, counts, places, to, comm, 0);
}

static int gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype out_type,
                  int root, MPI_Comm comm, int wrong)
{
    int rank, size;
    MPI_Aint low, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root) {
        if (wrong && out)
            *(char *)out = 1;
        return MPI_Send(in, n, type, root, 6, comm);
    }
    MPI_Type_get_extent(out_type, &low, &extent);
    for (int i = 0; i < size; i++) {
        char *to = (char *)out + i * m * extent;
        if (i != root)
            MPI_Recv(to, m, out_type, i, 6, comm, MPI_STATUS_IGNORE);
        else if (in != MPI_IN_PLACE)
            MPI_Sendrecv(in, n, type, root, 7, to, m, out_type, root, 7, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}
static int wrong_gather(const void *in, int n, MPI_Datatype type, void *out, int m,
                        MPI_Datatype out_type, int root, MPI_Comm comm)
{
    return gather(in, n, type, out, m, out_type, root, comm, 1);
}
static int right_gather(const void *in, int n, MPI_Datatype type, void *out, int m,
                        MPI_Datatype out_type, int root, MPI_Comm comm)
{
    return gather(in, n, type, out, m, out_type, root, comm, 0);
}

COLLECTIVE(allgatherv, "", wrong_allgatherv)
COLLECTIVE(allgatherv, "", right_allgatherv)
COLLECTIVE(reduce, "", wrong_reduce)
COLLECTIVE(reduce, "", right_reduce)
COLLECTIVE(barrier, "", wrong_barrier)
COLLECTIVE(barrier, "", right_barrier)
COLLECTIVE(bcast, "", wrong_bcast_crash)
COLLECTIVE(bcast, "", wrong_bcast_loop)
COLLECTIVE(bcast, "", wrong_bcast_leak)
COLLECTIVE(bcast, "", wrong_bcast_empty)
COLLECTIVE(bcast, "", right_bcast)
COLLECTIVE(gather, "", wrong_gather)
COLLECTIVE(gather, "", right_gather)
