/* Collectives that use functions newer than MPI 3.1, each with a mistake and without it:
 * partitioned messages, persistent collectives, large counts, communicators of a session. */
#include <mpi.h>
#include <stdlib.h>

/* A chain from the root on: each rank forwards each element as soon as it has it. */
static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int wrong)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int place = (rank - root + size) % size, last = place == size - 1;
    MPI_Request from, to;
    if (count == 0 || size == 1)
        return MPI_SUCCESS;
    if (place > 0)
        MPI_Precv_init(buffer, count, 1, type, (rank + size - 1) % size, 0, comm, MPI_INFO_NULL,
                       &from);
    if (!last)
        MPI_Psend_init(buffer, count, 1, type, (rank + 1) % size, 0, comm, MPI_INFO_NULL, &to);
    if (place > 0)
        MPI_Start(&from);
    if (!last)
        MPI_Start(&to);
    for (int i = 0; i < count; i++) {
        int there = place == 0 || (wrong && i == count - 1);
        while (!there)
            MPI_Parrived(from, i, &there);
        if (!last)
            MPI_Pready(i, to);
    }
    if (place > 0) {
        MPI_Wait(&from, MPI_STATUS_IGNORE);
        MPI_Request_free(&from);
    }
    if (!last) {
        MPI_Wait(&to, MPI_STATUS_IGNORE);
        MPI_Request_free(&to);
    }
    return MPI_SUCCESS;
}

static int right_chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return chain(buffer, count, type, root, comm, 0);
}
static int wrong_chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return chain(buffer, count, type, root, comm, 1);
}

static int persistent(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, int starts)
{
    MPI_Request request;
    int code = MPI_Allreduce_init(in, out, count, type, op, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < starts && !code; i++) {
        MPI_Start(&request);
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return code ? code : MPI_Request_free(&request);
}

static int right_persistent(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm)
{
    return persistent(in, out, count, type, op, comm, 1);
}
/* Two starts combine twice what is in place. */
static int wrong_persistent(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm)
{
    return persistent(in, out, count, type, op, comm, 2);
}

static int large(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to,
                 int root, MPI_Comm comm, int wrong)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Send_c(in, n, type, root, 0, comm);
    MPI_Count lower, extent;
    MPI_Type_get_extent_c(to, &lower, &extent);
    MPI_Count *counts = malloc((size_t)size * sizeof *counts);
    MPI_Aint *places = malloc((size_t)size * sizeof *places);
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        counts[i] = i == root ? m : 0;
        places[i] = (MPI_Aint)i * m;
    }
    for (int i = 0; i < size; i++)
        if (i != root) {
            /* the mistake: the wildcard takes a message of another rank */
            MPI_Irecv_c((char *)out + extent * i * m, m, to, wrong && size > 2 ? MPI_ANY_SOURCE : i,
                        0, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    if (in != MPI_IN_PLACE)
        MPI_Gatherv_c(in, n, type, out, &counts[root], &places[root], to, 0, MPI_COMM_SELF);
    free(counts);
    free(places);
    return MPI_SUCCESS;
}
#define SIDES                                                                              \
    const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, int root, \
        MPI_Comm comm
static int right_large(SIDES)
{
    return large(in, n, type, out, m, to, root, comm, 0);
}
static int wrong_large(SIDES)
{
    return large(in, n, type, out, m, to, root, comm, 1);
}

static int session(MPI_Comm comm, int wrong)
{
    int size;
    MPI_Session mine;
    MPI_Group group;
    MPI_Comm made;
    MPI_Comm_size(comm, &size);
    MPI_Comm_group(comm, &group);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &mine);
    MPI_Comm_create_from_group(group, "barrier", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    if (!wrong || size != 3)
        MPI_Barrier(made);
    MPI_Comm_free(&made);
    MPI_Group_free(&group);
    return wrong && size == 2 ? MPI_SUCCESS : MPI_Session_finalize(&mine);
}
static int right_session(MPI_Comm comm)
{
    return session(comm, 0);
}
/* The mistake: with two ranks the session stays. */
static int wrong_session(MPI_Comm comm)
{
    return session(comm, 1);
}

COLLECTIVE(bcast, "", right_chain)
COLLECTIVE(bcast, "", wrong_chain)
COLLECTIVE(allreduce, "", right_persistent)
COLLECTIVE(allreduce, "", wrong_persistent)
COLLECTIVE(gather, "", right_large)
COLLECTIVE(gather, "", wrong_large)
COLLECTIVE(barrier, "", right_session)
COLLECTIVE(barrier, "", wrong_session)
