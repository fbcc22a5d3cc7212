#include "world/newer/counts.h"

#include "world/exchange/coll.h"

const char *world_form;

int world_large_int(MPI_Count number)
{
    if (number >= INT32_MIN && number <= INT32_MAX)
        return (int)number;
    if (number < 0)
        return -1; /* refused as any negative number */
    world_found(WORLD_PROCESSES ? WORLD_RULE_UNSUPPORTED : WORLD_RULE_LIMIT, ME->rank,
                "crosswait's own MPI does not support the number %lld of a large-count form, "
                "which is above 2147483647",
                (long long)number);
    world_stop();
}

/* Makes a datatype of so many elements, which no handle names. */
static MPI_Datatype large_type(MPI_Count count, MPI_Datatype old)
{
    MPI_Datatype made = world_type_open(), kept = world_alloc(sizeof *kept);
    world_type_append(made, 0, (size_t)count, old);
    world_type_close(made);
    made->committed = true;
    CORE_CHECK(count > INT32_MAX && made->basic_count == (size_t)count * old->basic_count);
    *kept = *made;
    kept->large_of = old;
    kept->large_count = (size_t)count;
    world_handle_kill(&made->handle);
    return kept;
}

int world_large_count(MPI_Count count, MPI_Datatype *type)
{
    if (count <= INT32_MAX)
        return world_large_int(count);
    if (world_type_check(*type, true))
        return INT32_MAX; /* the call refuses the datatype */
    *type = large_type(count, *type);
    CORE_CHECK((*type)->committed && (*type)->large_of);
    return 1;
}

#define NARROW(name, Type)                                            \
    const int *world_large_##name(const Type *array, MPI_Count count) \
    {                                                                 \
        if (!array)                                                   \
            return NULL;                                              \
        size_t length = count > 0 ? (size_t)count : 0;                \
        int *narrow = world_alloc((length + 1) * sizeof *narrow);     \
        for (size_t i = 0; i < length; i++)                           \
            narrow[i] = world_large_int(array[i]);                    \
        return narrow;                                                \
    }
NARROW(counts, MPI_Count)
NARROW(aints, MPI_Aint)

int world_large_partners(MPI_Comm handle, enum world_large_group group, bool sends, int root,
                         const void *buffer)
{
    if (WORLD_PROCESSES && UNLIKELY(world_process_early))
        world_process_begin(); /* the root is one of the ranks */
    MPI_Comm comm = comm_of(handle);
    struct world_coll coll = {
        .kind = group == WORLD_NEIGHBOURS  ? COLL_NEIGHBOR_ALLTOALLW
                : group == WORLD_OWN_GROUP ? COLL_REDUCE_SCATTER
                                           : COLL_ALLTOALLW,
        .comm = comm,
    };
    int in = 0, out = 0;
    if (!comm || (group == WORLD_NEIGHBOURS && !comm->topology) || buffer == MPI_IN_PLACE)
        return 0;
    if (root != WORLD_NO_ROOT && root != (comm->remote_size ? MPI_ROOT : comm->rank))
        return 0;
    world_coll_partners(&coll, &in, &out);
    CORE_CHECK(in >= 0 && out >= 0);
    return sends ? out : in;
}
