/* Contents to small numbers, so that what repeats is stored once; and the growing arrays of the
 * store.
 *
 * Invariants
 *  1. A slot whose id is 0 is empty; at least half of the slots are.
 *  2. Ids are given out in order, 1, 2, 3..., and never twice. A hash that was full starts anew:
 *     then a content may get a second id. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/fault.h"
#include "core/store/store_part.h"

struct store_intern_slot {
    XXH128_hash_t hash;
    uint32_t id;
};

static enum core_status intern_grow(struct store_intern *intern)
{
    uint32_t room = intern->room ? intern->room * 2 : 64;
    struct store_intern_slot *slot = core_alloc_zero(room, sizeof *slot);

    if (!slot)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    for (uint32_t i = 0; i < intern->room; i++) {
        if (!intern->slot[i].id)
            continue;
        uint32_t at = (uint32_t)intern->slot[i].hash.low64 & (room - 1);
        while (slot[at].id)
            at = (at + 1) & (room - 1);
        slot[at] = intern->slot[i];
    }
    free(intern->slot);
    intern->slot = slot;
    intern->room = room;
    return CORE_OK;
}

enum core_status store_intern(struct store_intern *intern, const void *content, size_t bytes,
                              uint32_t *out_id, bool *out_new)
{
    XXH128_hash_t hash = XXH3_128bits(content, bytes);

    if (intern->used * 2 >= intern->room) {
        if (intern->bounded && intern->used >= STORE_INTERN_MAX) {
            memset(intern->slot, 0, intern->room * sizeof *intern->slot);
            intern->used = 0;
        } else {
            enum core_status status = intern_grow(intern);
            if (status)
                return status;
        }
    }
    uint32_t at = (uint32_t)hash.low64 & (intern->room - 1);
    for (; intern->slot[at].id; at = (at + 1) & (intern->room - 1))
        if (intern->slot[at].hash.low64 == hash.low64 &&
            intern->slot[at].hash.high64 == hash.high64) {
            *out_id = intern->slot[at].id;
            *out_new = false;
            return CORE_OK;
        }
    if (intern->next == UINT32_MAX)
        return core_report(CORE_LIMIT, "cannot write the trace: more than %u different calls",
                           UINT32_MAX);
    intern->slot[at].hash = hash;
    intern->slot[at].id = ++intern->next;
    intern->used++;
    *out_id = intern->next;
    *out_new = true;
    return CORE_OK;
}

void store_intern_done(struct store_intern *intern)
{
    free(intern->slot);
    memset(intern, 0, sizeof *intern);
}

enum core_status store_room(void *array, size_t bytes, uint64_t need, uint32_t *room)
{
    uint64_t larger = *room ? *room : 16;
    void *old, *more;

    if (need <= *room)
        return CORE_OK;
    while (larger < need)
        larger *= 2;
    if (larger > UINT32_MAX)
        return core_report(CORE_LIMIT, "cannot write the trace: a table needs more than %u entries",
                           UINT32_MAX);
    memcpy(&old, array, sizeof old);
    more = core_alloc_again(old, (size_t)larger * bytes);
    if (!more)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    memset((char *)more + *room * bytes, 0, (size_t)(larger - *room) * bytes);
    memcpy(array, &more, sizeof more);
    *room = (uint32_t)larger;
    return CORE_OK;
}

enum core_status store_map_set(struct store_map *map, uint32_t id, uint32_t value)
{
    enum core_status status;

    if (id >= STORE_IDS_MAX)
        return CORE_OK;
    status = store_room(&map->value, sizeof *map->value, (uint64_t)id + 1, &map->room);
    if (status)
        return status;
    map->value[id] = value;
    return CORE_OK;
}
