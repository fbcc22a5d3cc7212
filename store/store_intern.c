/* Assigns small numbers to contents, so that repeated ones are stored once.
 *
 * Invariants
 * 1. Ids are assigned in order, 1, 2, 3..., and never twice. A full table starts again: then a
 *     content may get a second id.
 *
 * E.g. rank 0 sends to 1: an entry with peer 1, and a note of "1 ahead". Rank 1 sends to 2: no
 * entry has peer 2, but "1 ahead" is noted, and becomes an entry. Rank 2 sends to 3: the same
 * entry. If instead ranks 1, 2, 3... send to 0, they share the entry with peer 0. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.h"
#include "store/store_part.h"

struct content {
    XXH128_hash_t hash;
    uint32_t id;   /* 0: none; only met in this form (store_intern_near) */
    uint32_t seen; /* 1: the entry is not new */
};

static enum core_status content_get(struct store_intern *intern, const void *content, size_t bytes,
                                    struct content **out_found)
{
    XXH128_hash_t hash = XXH3_128bits(content, bytes);

    return core_table_put(&intern->content, &hash, "the trace", out_found);
}

static enum core_status content_number(struct store_intern *intern, struct content *of,
                                       uint32_t *out_id, bool *out_new)
{
    if (intern->next == UINT32_MAX)
        return core_report(CORE_LIMIT, "cannot write the trace: more than %u different calls",
                           UINT32_MAX);
    *out_new = !of->id;
    if (*out_new)
        of->id = ++intern->next;
    of->seen = 1;
    CORE_CHECK(of->id > 0 && of->id <= intern->next); /* invariant 1 */
    *out_id = of->id;
    return CORE_OK;
}

/* Forgets all contents if there are too many. */
static void contents_bound(struct store_intern *intern)
{
    struct core_table *table = &intern->content;

    if (!table->entry_bytes)
        *table = (struct core_table)CORE_TABLE(struct content, hash);
    if (intern->bounded && table->count >= STORE_INTERN_MAX - 1)
        core_table_clear(table);
    CORE_CHECK(!intern->bounded || table->count < STORE_INTERN_MAX - 1); /* store invariant 3 */
}

enum core_status store_intern(struct store_intern *intern, const void *content, size_t bytes,
                              uint32_t *out_id, bool *out_new)
{
    struct content *found;

    contents_bound(intern);
    enum core_status status = content_get(intern, content, bytes, &found);
    return status == CORE_OK ? content_number(intern, found, out_id, out_new) : status;
}

/* Returns the content's entry if it has a number; NULL: it has none. */
static struct content *content_find(const struct store_intern *intern, const void *content,
                                    size_t bytes)
{
    XXH128_hash_t hash = XXH3_128bits(content, bytes);
    struct content *found = core_table_find(&intern->content, &hash);

    return found && found->id ? found : NULL;
}

/* The first rank's content keeps its form, and the form that counts from the rank is noted. If a
 * later rank has a content that is new but for a noted form, that form gets an entry, which all
 * following ranks share. The form that was found last is looked up first. */
enum core_status store_intern_near(struct store_intern *intern, const void *content,
                                   const void *ahead, size_t bytes, uint32_t *out_id, bool *out_new,
                                   bool *out_near)
{
    struct content *found = NULL;
    enum core_status status = CORE_OK;

    contents_bound(intern);
    *out_near = ahead && intern->near && (found = content_find(intern, ahead, bytes));
    if (!found)
        found = content_find(intern, content, bytes);
    if (!found && ahead && intern->content.count < STORE_INTERN_MAX / 2) {
        status = content_get(intern, ahead, bytes, &found);
        *out_near = status == CORE_OK && found->seen;
        if (status == CORE_OK)
            found->seen = 1;
    }
    if (status == CORE_OK && (!found || (!found->id && !*out_near)))
        status = content_get(intern, content, bytes, &found);
    if (status != CORE_OK)
        return status;
    if (ahead)
        intern->near = *out_near;
    return content_number(intern, found, out_id, out_new);
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
