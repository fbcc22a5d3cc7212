/* See the header. */
#include "fuzz/scenario/communicators.h"

#include "fuzz/scenario/shape.h"

enum { GROUPS_TAG = 4712 };

static MPI_Comm grid_make(const struct scenario *s, MPI_Comm comm)
{
    int dims[3] = {0, 0, 0},
        periods[3] = {s->periods & 1, s->periods >> 1 & 1, s->periods >> 2 & 1};
    MPI_Comm grid;
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Dims_create(size, s->dims, dims);
    MPI_Cart_create(comm, s->dims, dims, periods, 0, &grid);
    return grid;
}

static MPI_Comm graph_make(const struct scenario *s, MPI_Comm comm)
{
    struct shape_neighbours n;
    int rank, size;
    MPI_Comm graph;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    shape_neighbours(s, comm, rank, size, &n);
    /* Weights have no effect here: any will do. */
    MPI_Dist_graph_create_adjacent(comm, n.in_count, n.in, n.in, n.out_count, n.out, n.out,
                                   MPI_INFO_NULL, 0, &graph);
    return graph;
}

static MPI_Comm comm_make(const struct scenario *s, MPI_Comm world)
{
    MPI_Comm comm = world;
    int rank;
    MPI_Comm_rank(world, &rank);
    switch (s->comm) {
    case COMM_DUP:
        MPI_Comm_dup(world, &comm);
        break;
    case COMM_BACKWARDS:
        MPI_Comm_split(world, 0, -rank, &comm);
        break;
    case COMM_PART: /* the first two world ranks are not members */
        MPI_Comm_split(world, rank < 2 ? MPI_UNDEFINED : 0, rank, &comm);
        break;
    case COMM_GRID:
        comm = grid_make(s, world);
        break;
    default:
        break;
    }
    return comm;
}

/* Makes the second communicator, of the same ranks; returns the first one if there is none. */
static MPI_Comm also_make(const struct scenario *s, MPI_Comm comm)
{
    MPI_Comm also = comm;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (s->also == ALSO_DUP)
        MPI_Comm_dup(comm, &also);
    else if (s->also == ALSO_BACKWARDS)
        MPI_Comm_split(comm, 0, -rank, &also);
    else if (s->also == ALSO_HALVES)
        MPI_Comm_split(comm, rank % 2, rank, &also);
    return also;
}

/* Makes the intercommunicator between the first ranks and the others. */
static MPI_Comm groups_make(const struct scenario *s, MPI_Comm comm, int *out_group)
{
    MPI_Comm own, between;
    int rank;
    MPI_Comm_rank(comm, &rank);
    *out_group = rank >= s->first_group;
    MPI_Comm_split(comm, *out_group, rank, &own);
    MPI_Intercomm_create(own, 0, comm, *out_group ? 0 : s->first_group, GROUPS_TAG, &between);
    MPI_Comm_free(&own);
    return between;
}

/* Replaces a communicator that was made for this. */
static void comm_take(MPI_Comm world, MPI_Comm *comm, MPI_Comm made)
{
    if (*comm != world)
        MPI_Comm_free(comm);
    *comm = made;
}

static MPI_Errhandler handler_of(MPI_Comm comm)
{
    MPI_Errhandler handler;

    MPI_Comm_get_errhandler(comm, &handler);
    return handler;
}

bool communicators_make(const struct scenario *s, MPI_Comm world, bool neighbours,
                        struct communicators *out)
{
    MPI_Comm comm = comm_make(s, world);

    *out = (struct communicators){.group = 0};
    if (comm == MPI_COMM_NULL)
        return false;
    if (neighbours)
        comm_take(world, &comm, s->graph ? graph_make(s, comm) : grid_make(s, comm));
    if (s->first_group)
        comm_take(world, &comm, groups_make(s, comm, &out->group));
    out->comm[0] = comm;
    out->comm[1] = also_make(s, comm);
    for (int i = 0; i < 2; i++)
        out->handler[i] = handler_of(out->comm[i]);
    return true;
}

int communicators_changed(const struct communicators *made)
{
    for (int i = 0; i < 2; i++)
        if (handler_of(made->comm[i]) != made->handler[i])
            return i;
    return -1;
}

void communicators_free(struct communicators *made, MPI_Comm world)
{
    if (made->comm[1] != made->comm[0])
        MPI_Comm_free(&made->comm[1]);
    if (made->comm[0] != world)
        MPI_Comm_free(&made->comm[0]);
}
