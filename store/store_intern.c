/* Assigns small numbers to contents, so that repeated ones are stored once.
 *
 * Invariants
 * 1. Ids are assigned in order, 1, 2, 3..., and never twice. A full table starts again: then a
 *     content may get a second id. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.h"
#include "store/store_part.h"

struct content {
    XXH128_hash_t hash;
    uint32_t id;
};

enum core_status store_intern(struct store_intern *intern, const void *content, size_t bytes,
                              uint32_t *out_id, bool *out_new)
{
    XXH128_hash_t hash = XXH3_128bits(content, bytes);
    struct core_table *table = &intern->content;
    struct content *found;

    if (!table->entry_bytes)
        *table = (struct core_table)CORE_TABLE(struct content, hash);
    if (intern->bounded && table->count >= STORE_INTERN_MAX)
        core_table_clear(table);
    if (intern->next == UINT32_MAX)
        return core_report(CORE_LIMIT, "cannot write the trace: more than %u different calls",
                           UINT32_MAX);
    enum core_status status = core_table_put(table, &hash, "the trace", &found);
    if (status != CORE_OK)
        return status;
    *out_new = !found->id;
    if (*out_new)
        found->id = ++intern->next;
    CORE_CHECK(found->id > 0);
    CORE_CHECK(found->id <= intern->next);                            /* invariant 1 */
    CORE_CHECK(!intern->bounded || table->count <= STORE_INTERN_MAX); /* store invariant 3 */
    *out_id = found->id;
    return CORE_OK;
}

void store_intern_done(struct store_intern *intern)
{
    core_table_done(&intern->content);
    memset(intern, 0, sizeof *intern);
}

enum core_status store_map_set(struct store_map *map, uint32_t id, uint32_t value)
{
    if (id >= STORE_IDS_MAX)
        return CORE_OK;
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(map->value, map->room, (uint64_t)id + 1, "the trace");
    if (status != CORE_OK)
        return status;
    CORE_CHECK(id < map->room);
    map->value[id] = value;
    return CORE_OK;
}
