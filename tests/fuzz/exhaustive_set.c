/* Correct collectives that append to the file $CALLS how they were called, a line each time: what
 * exhaustive_set.py compares with what it enumerates itself. Global variables are new in every
 * world, and each rank has its own. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int extent_of(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return (int)extent;
}

static void note(const char *line)
{
    if (write(9, line, strlen(line)) != (ssize_t)strlen(line)) /* the shell opened it */
        abort();
}

static int is_backwards(MPI_Comm comm)
{
    int is;
    MPI_Group group, world;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &is);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return is != MPI_IDENT;
}

static void copy(const void *in, int n, MPI_Datatype type, char *out, int m, MPI_Datatype to)
{
    if (in != MPI_IN_PLACE)
        MPI_Sendrecv(in, n, type, 0, 7, out, m, to, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static int last_root = -1; /* of the call before this one */

static int set_gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to,
                      int root, MPI_Comm comm)
{
    char line[200];
    int rank, size, before = last_root;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    last_root = root;
    if (rank != root)
        return MPI_Send(in, n, type, root, 1, comm);
    snprintf(line, sizeof line, "gather %d %d %d %d %d %d %d\n", size, before, root, m,
             extent_of(to), in == MPI_IN_PLACE ? 0 : extent_of(type), is_backwards(comm));
    note(line);
    for (int i = 0; i < size; i++) {
        char *place = (char *)out + (MPI_Aint)i * m * extent_of(to);
        if (i != root)
            MPI_Recv(place, m, to, i, 1, comm, MPI_STATUS_IGNORE);
        else
            copy(in, n, type, place, m, to);
    }
    return MPI_SUCCESS;
}

static int set_allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int counts[],
                          const int places[], MPI_Datatype to, MPI_Comm comm)
{
    char line[200];
    int rank, size, used = snprintf(line, sizeof line, "allgatherv");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %d", counts[i]);
    snprintf(line + used, sizeof line - (size_t)used, "\n");
    if (rank == 0)
        note(line);
    for (int i = 0; i < size; i++) {
        char *place = (char *)out + (MPI_Aint)places[i] * extent_of(to);
        if (i == rank)
            copy(in, n, type, place, counts[i], to);
        for (int other = 0; i == rank && other < size; other++)
            if (other != rank)
                MPI_Send(place, counts[i], to, other, 2, comm);
        if (i != rank)
            MPI_Recv(place, counts[i], to, i, 2, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

static int set_reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                      MPI_Comm comm)
{
    int rank, size;
    MPI_Aint low, extent;
    note("reduce\n");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_true_extent(type, &low, &extent);
    char *memory = calloc(1, (size_t)(n * extent_of(type) + extent)), *sum = memory - low;
    const void *mine = in == MPI_IN_PLACE ? out : in;
    if (rank + 1 < size) { /* what the ranks above have, from the last one on */
        MPI_Recv(sum, n, type, rank + 1, 3, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(mine, sum, n, type, op);
        mine = sum;
    }
    if (rank > 0)
        MPI_Send(mine, n, type, rank - 1, 3, comm);
    if (rank == 0 && root != 0)
        MPI_Send(mine, n, type, root, 4, comm);
    if (rank == root && root != 0)
        MPI_Recv(out, n, type, 0, 4, comm, MPI_STATUS_IGNORE);
    if (rank == root && root == 0 && mine != out)
        copy(mine, n, type, out, n, type);
    free(memory);
    return MPI_SUCCESS;
}

static int set_barrier(MPI_Comm comm)
{
    note("barrier\n");
    return MPI_Barrier(comm);
}

COLLECTIVE(gather, "", set_gather)
COLLECTIVE(allgatherv, "", set_allgatherv)
COLLECTIVE(reduce, "", set_reduce)
COLLECTIVE(barrier, "", set_barrier)
