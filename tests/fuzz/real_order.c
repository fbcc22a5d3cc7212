/* A reduction in the order in which messages arrive, told of it in each of the ways that MPI has.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
enum how {
    WAITANY,
    WAITSOME,
    TESTANY,
    TESTSOME,
    TEST,
    PROBE,
    IPROBE,
    MPROBE,
    IMPROBE,
    RECV,
    IRECV
};

static int next_of(enum how how, int n, MPI_Request *requests, char *in, MPI_Aint block, int count,
                   MPI_Datatype type, MPI_Comm comm, int *queue, int *queued)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, some = 0;
    switch (how) {
    case WAITANY:
        MPI_Waitany(n, requests, &some, &status);
        return some;
    case TESTANY:
        while (!flag)
            MPI_Testany(n, requests, &some, &flag, MPI_STATUS_IGNORE);
        return some;
    case WAITSOME:
        if (!*queued)
            MPI_Waitsome(n, requests, queued, queue, MPI_STATUSES_IGNORE);
        return queue[--*queued];
    case TESTSOME:
        while (!*queued)
            MPI_Testsome(n, requests, queued, queue, MPI_STATUSES_IGNORE);
        return queue[--*queued];
    case TEST:
        for (;; some = (some + 1) % n) {
            if (requests[some] == MPI_REQUEST_NULL)
                continue;
            MPI_Test(&requests[some], &flag, &status);
            if (flag)
                return some;
        }
    case IPROBE:
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &flag, &status);
        break;
    case PROBE:
        MPI_Probe(MPI_ANY_SOURCE, 7, comm, &status);
        break;
    case MPROBE:
        MPI_Mprobe(MPI_ANY_SOURCE, 7, comm, &message, &status);
        MPI_Mrecv(in + status.MPI_SOURCE * block, count, type, &message, &status);
        return status.MPI_SOURCE;
    case IMPROBE:
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &message, &status);
        MPI_Mrecv(in + status.MPI_SOURCE * block, count, type, &message, &status);
        return status.MPI_SOURCE;
    case RECV:
        MPI_Recv(in, count, type, MPI_ANY_SOURCE, 7, comm, &status);
        memcpy(in + status.MPI_SOURCE * block, in, (size_t)block);
        return status.MPI_SOURCE;
    case IRECV:
        MPI_Irecv(in, count, type, MPI_ANY_SOURCE, 7, comm, &request);
        MPI_Wait(&request, &status);
        memcpy(in + status.MPI_SOURCE * block, in, (size_t)block);
        return status.MPI_SOURCE;
    }
    MPI_Recv(in + status.MPI_SOURCE * block, count, type, status.MPI_SOURCE, 7, comm, &status);
    return status.MPI_SOURCE;
}

static int in_order_of_arrival(enum how how, const void *sendbuf, void *recvbuf, int count,
                               MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, queue[64], queued = 0;
    MPI_Aint lb, extent;
    MPI_Request requests[64];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    if (rank)
        return MPI_Send(sendbuf, count, type, 0, 7, comm);
    MPI_Aint block = count * extent + 64;
    char *in = calloc((size_t)size, (size_t)block);
    memcpy(recvbuf, sendbuf, (size_t)(count * extent));
    for (int i = 0; i < size; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (int i = 1; i < size && how <= TEST; i++)
        MPI_Irecv(in + i * block, count, type, i, 7, comm, &requests[i]);
    for (int i = 1; i < size; i++) {
        int source = next_of(how, size, requests, in, block, count, type, comm, queue, &queued);
        MPI_Reduce_local(recvbuf, in + source * block, count, type, op);
        memcpy(recvbuf, in + source * block, (size_t)(count * extent));
    }
    free(in);
    return MPI_SUCCESS;
}

#define BY(name, how)                                                                       \
    static int by_##name(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, int root, \
                         MPI_Comm c)                                                        \
    {                                                                                       \
        (void)root;                                                                         \
        return in_order_of_arrival(how, s, r, n, t, o, c);                                  \
    }                                                                                       \
    COLLECTIVE(reduce, "", by_##name, .root_zero_only = 1)
BY(waitany, WAITANY)
BY(waitsome, WAITSOME)
BY(testany, TESTANY)
BY(testsome, TESTSOME)
BY(test, TEST)
BY(probe, PROBE)
BY(iprobe, IPROBE)
BY(mprobe, MPROBE)
BY(improbe, IMPROBE)
BY(recv, RECV)
BY(irecv, IRECV)
