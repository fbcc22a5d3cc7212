/* See typemap.h. Adjacent rows become one row, and repetitions without gaps one longer row, so that
 * a contiguous type is one part. */
#include "interpose/objects/typemap.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 1 << 22, SPLICED_MAX = 4 };

struct typemap *typemap_new(void)
{
    return calloc(1, sizeof(struct typemap));
}

void typemap_free(struct typemap *map)
{
    if (!map)
        return;
    for (uint32_t i = 0; i < map->child_count; i++)
        typemap_free(map->child[i]);
    free(map->child);
    free(map->part);
    free(map->sequence.run);
    free(map);
}

uint64_t typemap_bytes(const struct typemap *map)
{
    uint64_t bytes = sizeof *map + map->child_room * sizeof *map->child +
                     map->room * (sizeof *map->part + sizeof *map->sequence.run);

    for (uint32_t i = 0; i < map->child_count; i++)
        bytes += typemap_bytes(map->child[i]);
    return bytes;
}

static void typemap_append(struct typemap *map, struct typemap_part part, struct signature_run run)
{
    if (map->sequence.count == map->room) {
        uint32_t room = map->room ? map->room * 2 : 4;
        struct typemap_part *parts =
            room > PARTS_MAX ? NULL : realloc(map->part, room * sizeof *parts);
        struct signature_run *runs;
        if (parts)
            map->part = parts;
        runs = parts ? realloc(map->sequence.run, room * sizeof *runs) : NULL;
        if (!runs) {
            map->failed = true;
            return;
        }
        map->sequence.run = runs;
        map->room = room;
    }
    map->part[map->sequence.count] = part;
    map->sequence.run[map->sequence.count++] = run;
}

void typemap_add_basic(struct typemap *map, int64_t displacement, uint32_t basic,
                       uint64_t signature, int64_t extent, int64_t count)
{
    size_t n = map->sequence.count;
    if (count <= 0)
        return;
    if (n && !map->part[n - 1].inner && map->part[n - 1].basic == basic &&
        map->part[n - 1].displacement + extent * (int64_t)map->sequence.run[n - 1].count ==
            displacement)
        map->sequence.run[n - 1].count += (uint64_t)count;
    else
        typemap_append(map, (struct typemap_part){displacement, extent, NULL, basic},
                       (struct signature_run){signature, (uint64_t)count, NULL});
}

void typemap_add(struct typemap *map, const struct typemap *inner, int64_t displacement,
                 int64_t count, int64_t stride)
{
    if (!inner || count <= 0 || !inner->sequence.elements)
        return;
    const struct typemap_part *only = inner->part;
    const struct signature_run *run = inner->sequence.run;
    if (inner->sequence.count == 1 && !only->inner &&
        (count == 1 || (run->count <= (uint64_t)INT64_MAX / (uint64_t)count &&
                        stride == only->stride * (int64_t)run->count))) {
        typemap_add_basic(map, displacement + only->displacement, only->basic, run->basic,
                          only->stride, count * (int64_t)run->count);
        return;
    }
    if (count == 1 && inner->sequence.count <= SPLICED_MAX) {
        for (size_t i = 0; i < inner->sequence.count; i++) {
            const struct typemap_part *part = &inner->part[i];
            if (part->inner)
                typemap_add(map, part->inner, displacement + part->displacement,
                            (int64_t)inner->sequence.run[i].count, part->stride);
            else
                typemap_add_basic(map, displacement + part->displacement, part->basic,
                                  inner->sequence.run[i].basic, part->stride,
                                  (int64_t)inner->sequence.run[i].count);
        }
        return;
    }
    typemap_append(map, (struct typemap_part){displacement, stride, inner, 0},
                   (struct signature_run){0, (uint64_t)count, &inner->sequence});
}

const struct typemap *typemap_own(struct typemap *map, struct typemap *inner)
{
    if (inner && map->child_count == map->child_room) {
        uint32_t room = map->child_room ? map->child_room * 2 : 2;
        struct typemap **more = realloc(map->child, room * sizeof *more);
        if (more) {
            map->child = more;
            map->child_room = room;
        }
    }
    if (!inner || map->child_count == map->child_room || !typemap_close(inner)) {
        typemap_free(inner);
        map->failed = true;
        return NULL;
    }
    return map->child[map->child_count++] = inner;
}

bool typemap_close(struct typemap *map)
{
    if (!map->failed && signature_close(&map->sequence))
        map->failed = true;
    return !map->failed;
}

bool typemap_each(const struct typemap *map, int64_t at, typemap_fn fn, void *context)
{
    for (size_t i = 0; i < map->sequence.count; i++) {
        const struct typemap_part *part = &map->part[i];
        uint64_t count = map->sequence.run[i].count;
        if (!part->inner) {
            if (!fn(at + part->displacement, part->basic, part->stride, count, context))
                return false;
            continue;
        }
        for (uint64_t k = 0; k < count; k++)
            if (!typemap_each(part->inner, at + part->displacement + (int64_t)k * part->stride, fn,
                              context))
                return false;
    }
    return true;
}
