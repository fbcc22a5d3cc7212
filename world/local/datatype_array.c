/* Subarrays and distributed arrays: both are a list of owned indices for each dimension, visited in
 * storage order. */
#include "world/state.h"

enum { DIMENSIONS_MAX = 32 };

struct axis { /* indices [0, size) of which `count` are owned, ascending */
    int size;
    size_t count;
    int *index;
    bool packed; /* the owned ones are consecutive */
};

/* Appends every owned element; axis 0 varies slowest. Appends consecutive elements of the innermost
 * axis at once. */
static void datatype_array_walk(MPI_Datatype type, const struct axis *axis, int dimensions,
                                ptrdiff_t at, MPI_Datatype old)
{
    if (dimensions == 0) {
        world_type_append(type, at * type_extent(old), 1, old);
        return;
    }
    CORE_CHECK(dimensions > 0 && axis->count <= (size_t)axis->size);
    ptrdiff_t stride = 1;
    for (int d = 1; d < dimensions; d++)
        stride *= axis[d].size;
    if (dimensions == 1 && axis->packed && axis->count > 0) {
        world_type_append(type, (at + axis->index[0]) * type_extent(old), axis->count, old);
        return;
    }
    for (size_t i = 0; i < axis->count; i++)
        datatype_array_walk(type, axis + 1, dimensions - 1, at + axis->index[i] * stride, old);
}

static MPI_Datatype array_type(struct axis *axis, int dimensions, int order, MPI_Datatype old)
{
    CORE_CHECK(dimensions >= 1 && dimensions <= DIMENSIONS_MAX);
    ptrdiff_t elements = 1;
    for (int d = 0; d < dimensions; d++)
        elements *= axis[d].size;
    for (int d = 0; order == MPI_ORDER_FORTRAN && d < dimensions / 2; d++) {
        struct axis other = axis[d];
        axis[d] = axis[dimensions - 1 - d];
        axis[dimensions - 1 - d] = other;
    }
    MPI_Datatype type = world_type_open();
    datatype_array_walk(type, axis, dimensions, 0, old);
    world_type_close(type);
    type->lb = 0;
    type->ub = elements * type_extent(old);
    type->lb_given = type->ub_given = true;
    type->dense = type->run_count == 1 && type->run[0].disp == 0 && (size_t)type->ub == type->size;
    return type;
}

int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                             int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_subarray");
    if (world_type_check(oldtype, false))
        return world_error(NULL, MPI_ERR_TYPE, "the old datatype is null or freed");
    if (ndims < 1 || ndims > DIMENSIONS_MAX || (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN))
        return world_error(NULL, MPI_ERR_ARG, "%d dimensions, order %d", ndims, order);
    struct axis axis[DIMENSIONS_MAX];
    for (int d = 0; d < ndims; d++) {
        if (subsizes[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - subsizes[d])
            return world_error(NULL, MPI_ERR_ARG, "dimension %d: %d from %d of %d", d, subsizes[d],
                               starts[d], sizes[d]);
        axis[d] = (struct axis){sizes[d], (size_t)subsizes[d],
                                world_alloc((size_t)subsizes[d] * sizeof(int)), true};
        for (int i = 0; i < subsizes[d]; i++)
            axis[d].index[i] = starts[d] + i;
    }
    MPI_Datatype type = array_type(axis, ndims, order, oldtype);
    struct world_envelope *envelope =
        world_type_envelope(type, MPI_COMBINER_SUBARRAY, 3 * ndims + 2, 0, 1);
    envelope->integer[0] = ndims;
    for (int d = 0; d < ndims; d++) {
        envelope->integer[1 + d] = sizes[d];
        envelope->integer[1 + ndims + d] = subsizes[d];
        envelope->integer[1 + 2 * ndims + d] = starts[d];
    }
    envelope->integer[1 + 3 * ndims] = order;
    envelope->type[0] = oldtype;
    *newtype = type;
    return MPI_SUCCESS;
}

/* Returns the indices that process `coordinate` of `processes` owns on an axis that is distributed
 * cyclically in blocks of `block`. */
static struct axis axis_dealt(int size, int block, int processes, int coordinate)
{
    struct axis axis = {
        .size = size, .index = world_alloc(((size_t)size + 1) * sizeof(int)), .packed = true};
    for (int i = 0; i < size; i++)
        if (i / block % processes == coordinate)
            axis.index[axis.count++] = i;
    CORE_CHECK(coordinate < processes && axis.count <= (size_t)size);
    axis.packed =
        axis.count == 0 || axis.index[axis.count - 1] - axis.index[0] + 1 == (int)axis.count;
    CORE_CHECK(axis.count == 0 || axis.index[axis.count - 1] < size);
    return axis;
}

int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                           const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                           MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_darray");
    if (world_type_check(oldtype, false))
        return world_error(NULL, MPI_ERR_TYPE, "the old datatype is null or freed");
    if (ndims < 1 || ndims > DIMENSIONS_MAX || rank < 0 || rank >= size ||
        (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN))
        return world_error(NULL, MPI_ERR_ARG, "%d dimensions, rank %d of %d, order %d", ndims, rank,
                           size, order);
    struct axis axis[DIMENSIONS_MAX];
    int left = size, position = rank;
    for (int d = 0; d < ndims; d++) { /* the process grid is always in C order */
        if (gsizes[d] < 1 || psizes[d] < 1 || left % psizes[d])
            return world_error(NULL, MPI_ERR_ARG, "dimension %d", d);
        left /= psizes[d];
        CORE_CHECK(left >= 1); /* divided without remainder */
        int coordinate = position / left, block = dargs[d];
        position %= left;
        if (distribs[d] == MPI_DISTRIBUTE_NONE)
            block = gsizes[d];
        else if (distribs[d] == MPI_DISTRIBUTE_BLOCK && dargs[d] == MPI_DISTRIBUTE_DFLT_DARG)
            block = (gsizes[d] + psizes[d] - 1) / psizes[d];
        else if (distribs[d] == MPI_DISTRIBUTE_CYCLIC && dargs[d] == MPI_DISTRIBUTE_DFLT_DARG)
            block = 1;
        if (block < 1 ||
            (distribs[d] == MPI_DISTRIBUTE_BLOCK && (long long)block * psizes[d] < gsizes[d]))
            return world_error(NULL, MPI_ERR_ARG, "dimension %d: blocks of %d", d, block);
        axis[d] = axis_dealt(gsizes[d], block, psizes[d], coordinate);
    }
    MPI_Datatype type = array_type(axis, ndims, order, oldtype);
    struct world_envelope *envelope =
        world_type_envelope(type, MPI_COMBINER_DARRAY, 4 * ndims + 4, 0, 1);
    envelope->integer[0] = size;
    envelope->integer[1] = rank;
    envelope->integer[2] = ndims;
    for (int d = 0; d < ndims; d++) {
        envelope->integer[3 + d] = gsizes[d];
        envelope->integer[3 + ndims + d] = distribs[d];
        envelope->integer[3 + 2 * ndims + d] = dargs[d];
        envelope->integer[3 + 3 * ndims + d] = psizes[d];
    }
    envelope->integer[3 + 4 * ndims] = order;
    envelope->type[0] = oldtype;
    *newtype = type;
    return MPI_SUCCESS;
}
