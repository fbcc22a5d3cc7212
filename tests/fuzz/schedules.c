/* Collectives that write to file descriptor 9 what the decisions of each of their ranks were: which
 * message a receive from any source took, what was complete, what a test said. How many
 * combinations MPI allows follows from their definitions; schedules.sh compares. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

enum { RANKS = 8, ROOM = 4096, TAG = 1 };
#define SIDES const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm comm
#define PASSED s, n, t, r, m, u, comm

static void note(const char *name, int mine, MPI_Comm comm)
{
    int rank, size, all[RANKS];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    if (rank == 0) {
        char line[256];
        int used = snprintf(line, sizeof line, "%s %d", name, size);
        for (int i = 0; i < size; i++)
            used += snprintf(line + used, sizeof line - (size_t)used, " %d", all[i]);
        used += snprintf(line + used, sizeof line - (size_t)used, "\n");
        if (write(9, line, (size_t)used) != used) /* the shell opened it */
            abort();
    }
}

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

/* Takes them as they come. */
static int take_probed(void *r, int m, MPI_Datatype u, int left, MPI_Comm comm)
{
    int order = 0;
    MPI_Status status;
    while (left-- > 0) {
        MPI_Probe(MPI_ANY_SOURCE, TAG, comm, &status);
        MPI_Recv((char *)r + status.MPI_SOURCE * m * extent_of(u), m, u, status.MPI_SOURCE, TAG,
                 comm, MPI_STATUS_IGNORE);
        order = order * RANKS + status.MPI_SOURCE;
    }
    return order;
}

/* Any of them into any of the receives, which come to their ends in any order. */
static int take_any(void *r, int m, MPI_Datatype u, int left, MPI_Comm comm)
{
    char own[RANKS][ROOM];
    int order = 0, index;
    MPI_Request request[RANKS];
    MPI_Status status;
    for (int i = 0; i < left; i++)
        MPI_Irecv(own[i], m, u, MPI_ANY_SOURCE, TAG, comm, &request[i]);
    for (int k = 0; k < left; k++) {
        MPI_Waitany(left, request, &index, &status);
        memcpy((char *)r + status.MPI_SOURCE * m * extent_of(u), own[index],
               (size_t)(m * extent_of(u)));
        order = (order * RANKS + status.MPI_SOURCE) * RANKS + index;
    }
    return order;
}

/* Those that are complete, one or several at a time. */
static int take_some(void *r, int m, MPI_Datatype u, int rank, int size, MPI_Comm comm)
{
    int order = 0, posted = 0, index[RANKS], done;
    MPI_Request request[RANKS];
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Irecv((char *)r + i * m * extent_of(u), m, u, i, TAG, comm, &request[posted++]);
    for (int left = posted; left > 0; left -= done) {
        int mask = 0;
        MPI_Waitsome(posted, request, &done, index, MPI_STATUSES_IGNORE);
        for (int k = 0; k < done; k++)
            mask |= 1 << index[k];
        order = order << RANKS | mask;
    }
    return order;
}

enum how { PROBED, ANY, SOME, PROBED_TESTED, ANY_TESTED };

static int alltoall(SIDES, enum how how, const char *name)
{
    int rank, size, order, sent = 0, gone = 0;
    MPI_Request request[RANKS] = {MPI_REQUEST_NULL};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Isend((const char *)s + i * n * extent_of(t), n, t, i, TAG, comm, &request[sent++]);
    if (how >= PROBED_TESTED)
        MPI_Test(&request[0], &gone, MPI_STATUS_IGNORE);
    if (how == SOME)
        order = take_some(r, m, u, rank, size, comm);
    else if (how == ANY || how == ANY_TESTED)
        order = take_any(r, m, u, size - 1, comm);
    else
        order = take_probed(r, m, u, size - 1, comm);
    MPI_Waitall(sent, request, MPI_STATUSES_IGNORE);
    MPI_Sendrecv((const char *)s + rank * n * extent_of(t), n, t, 0, TAG,
                 (char *)r + rank * m * extent_of(u), m, u, 0, TAG, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    note(name, order * 2 + (gone && size > 1), comm);
    return MPI_SUCCESS;
}

/* Rank 0 hands out two pieces to each, to whoever asks first. */
static int master(SIDES)
{
    int rank, size, order = 0, piece;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int k = 0; rank == 0 && k < 2 * (size - 1); k++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status);
        order = order * RANKS + status.MPI_SOURCE;
        MPI_Send(&k, 1, MPI_INT, status.MPI_SOURCE, TAG, comm);
    }
    for (int k = 0; rank != 0 && k < 2; k++) {
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
        MPI_Recv(&piece, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    }
    note("master", order, comm);
    return MPI_Alltoall(PASSED);
}

/* A message of rank 0, and one that another of it, sent behind it, caused: whichever comes first.
 */
static int relay(SIDES)
{
    int rank, size, order = 0;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0 && size > 2) {
        MPI_Send(NULL, 0, MPI_BYTE, 2, TAG, comm);
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, comm);
    } else if (rank == 1 && size > 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 2, TAG, comm);
    }
    for (int k = 0; rank == 2 && k < 2; k++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status);
        order = order * RANKS + status.MPI_SOURCE;
    }
    note("relay", order, comm);
    return MPI_Alltoall(PASSED);
}

/* The others ask whether their send is complete, then send one that needs its receive. */
static int asked(SIDES)
{
    int rank, size, order = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int k = 0; rank == 0 && k < 2 * (size - 1); k++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        order = order * RANKS + status.MPI_SOURCE;
    }
    if (rank) {
        MPI_Isend(NULL, 0, MPI_BYTE, 0, TAG, comm, &request);
        MPI_Test(&request, &order, MPI_STATUS_IGNORE);
        MPI_Ssend(NULL, 0, MPI_BYTE, 0, TAG + 1, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    note("asked", order, comm);
    return MPI_Alltoall(PASSED);
}

#define ONE(name, how)                       \
    static int name(SIDES)                   \
    {                                        \
        return alltoall(PASSED, how, #name); \
    }                                        \
    COLLECTIVE(alltoall, "", name, .no_in_place = 1)
ONE(probed, PROBED)
ONE(any, ANY)
ONE(some, SOME)
ONE(probed_tested, PROBED_TESTED)
ONE(any_tested, ANY_TESTED)
COLLECTIVE(alltoall, "", master, .no_in_place = 1)
COLLECTIVE(alltoall, "", relay, .no_in_place = 1)
COLLECTIVE(alltoall, "", asked, .no_in_place = 1)
