/* Lists the memory that a world's ranks keep when all have returned. The leak check treats an
 * allocation that can be reached from there as used. See world.h. */
#include "world/state.h"

void world_kept_ranges(world_range_fn visit, void *context)
{
    CORE_CHECK(WORLD->running && WORLD->live_count == 0); /* nothing is freed yet */
    world_keyvals_each(visit, context);
    for (int i = 0; i < WORLD->rank_count; i++) {
        const struct world_rank *rank = &WORLD->rank[i];
        const uint8_t *globals = world_globals_bytes ? world_globals_of(rank) : NULL;
        if (globals) {
            visit(context, globals, world_globals_bytes);
            world_numbers_each(rank, globals, world_globals_bytes, visit, context);
        }
        world_attributes_each(rank->world.attribute, visit, context);
        world_attributes_each(rank->self.attribute, visit, context);
        visit(context, &rank->bsend_buffer, sizeof rank->bsend_buffer);
    }
}

/* Tells whether MPI allows the handle to live until MPI_Finalize. */
static bool may_stay(const struct world_handle *handle)
{
    const struct ompi_request_t *request = (const struct ompi_request_t *)handle;
    switch (handle->magic - (uint32_t)HANDLE_MAGIC) {
    case HANDLE_COMM:
    case HANDLE_GROUP:
    case HANDLE_TYPE:
    case HANDLE_OP:
    case HANDLE_ERRHANDLER:
    case HANDLE_INFO:
        return true;
    case HANDLE_REQUEST:
        return request->persistent && !request->active;
    default: /* windows and files were closed before, messages received; or it is dead */
        return false;
    }
}

void world_left_handles(world_range_fn visit, void *context)
{
    CORE_CHECK(WORLD->running && WORLD->live_count == 0);
    for (int i = 0; WORLD->handle_count && i < WORLD->rank_count; i++)
        for (struct world_handle *handle = WORLD->rank[i].handles; handle; handle = handle->next)
            if (may_stay(handle))
                visit(context, handle, sizeof *handle);
}

void world_handle_keep(void *kept, world_range_fn visit, void *context)
{
    struct world_handle *handle = kept;
    CORE_CHECK(may_stay(handle));
    if (handle->magic == (uint32_t)HANDLE_MAGIC + HANDLE_COMM)
        world_attributes_each(((MPI_Comm)kept)->attribute, visit, context);
    if (handle->magic == (uint32_t)HANDLE_MAGIC + HANDLE_TYPE)
        world_attributes_each(((MPI_Datatype)kept)->attribute, visit, context);
    world_handle_kill(handle); /* no leak: report_handles skips it */
}
