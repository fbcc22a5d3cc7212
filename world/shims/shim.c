/* Lists of handles for the generated functions; functions that are macros in Open MPI. */
#include "world/shims/shim.h"

#include <stdlib.h>

#include "world/exchange/coll.h"

void shim_list_begin(struct shim_list *list, int kind, int count, const shim_handle *handles)
{
    CORE_CHECK(kind < HANDLE_KIND_COUNT);
    size_t bytes = count > 0 ? (size_t)count * sizeof *list->object : 0;
    list->object = !handles ? NULL : bytes <= sizeof list->few ? list->few : malloc(bytes);
    for (int i = 0; list->object && i < count; i++)
        list->object[i] =
            kind == HANDLE_NONE ? NULL : shim_object((enum world_handle_kind)kind, handles[i]);
}

void shim_list_end(struct shim_list *list, int count, shim_handle *handles)
{
    for (int i = 0; list->object && i < count; i++)
        if (list->object[i]) {
            CORE_CHECK(handles); /* the objects belong to these handles */
            shim_handle now = shim_number(list->object[i]);
            if (now != handles[i]) /* the program's array may be read-only */
                handles[i] = now;
        }
    if (list->object != list->few)
        free(list->object);
}

int shim_partners(shim_handle handle, bool neighbours, bool sends)
{
    int in = 0, out = 0;
    MPI_Comm comm = comm_of(shim_object(HANDLE_COMM, handle));
    struct world_coll coll = {.kind = neighbours ? COLL_NEIGHBOR_ALLTOALLW : COLL_ALLTOALLW,
                              .comm = comm};
    if (comm && (!neighbours || comm->topology))
        world_coll_partners(&coll, &in, &out);
    CORE_CHECK(in >= 0 && out >= 0);
    return sends ? out : in;
}

const MPI_Datatype *shim_types(const void *buffer, const shim_handle *types, int count)
{
    if (!types || buffer == MPI_IN_PLACE)
        return NULL;
    CORE_CHECK(count >= 0);
    MPI_Datatype *ours = world_alloc(((size_t)count + 1) * sizeof *ours);
    for (int i = 0; i < count; i++)
        ours[i] = shim_object(HANDLE_TYPE, types[i]);
    return ours;
}

#undef MPI_Aint_add
#undef MPI_Aint_diff
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint MPI_Aint_diff(MPI_Aint left, MPI_Aint right);
MPI_Aint MPI_Aint_diff(MPI_Aint left, MPI_Aint right)
{
    return (MPI_Aint)((uintptr_t)left - (uintptr_t)right);
}
