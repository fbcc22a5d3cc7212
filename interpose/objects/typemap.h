/* A datatype's map as loops: what lies where, however many elements there are. Internal to
 * interpose/. Relies on core/spool/signature.h, of which a map is a sequence.
 *
 *  1. A map's parts and its sequence's runs are parallel; part i describes where the elements of
 *     run i lie.
 *  2. A part without inner is a row of `count` basic elements one after another. */
#ifndef INTERPOSE_OBJECTS_TYPEMAP_H
#define INTERPOSE_OBJECTS_TYPEMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spool/signature.h"

struct typemap;
struct typemap_part {
    int64_t displacement, stride; /* of the first repetition, and from one to the next */
    const struct typemap *inner;  /* NULL: basic elements */
    uint32_t basic;               /* DEF_TYPE id */
};
struct typemap {
    struct signature_sequence sequence;
    struct typemap_part *part;
    struct typemap **child; /* owned */
    uint32_t room, child_count, child_room;
    bool failed; /* out of memory, or too long: what is there is not all */
};

struct typemap *typemap_new(void); /* NULL: out of memory */
void typemap_free(struct typemap *map);
uint64_t typemap_bytes(const struct typemap *map); /* of memory that it takes */
/* `count` elements of a basic type, one after another. */
void typemap_add_basic(struct typemap *map, int64_t displacement, uint32_t basic,
                       uint64_t signature, int64_t extent, int64_t count);
/* `count` times a closed map that this one owns, or a part of this one's owns. */
void typemap_add(struct typemap *map, const struct typemap *inner, int64_t displacement,
                 int64_t count, int64_t stride);
/* Takes over inner, closing it. NULL: out of memory or inner was incomplete; inner is freed and the
 * map failed. */
const struct typemap *typemap_own(struct typemap *map, struct typemap *inner);
/* False: incomplete. */
bool typemap_close(struct typemap *map);

/* Each row of basic elements in order, its place counted from `at`; false ends it, and is returned.
 */
typedef bool (*typemap_fn)(int64_t at, uint32_t basic, int64_t extent, uint64_t count,
                           void *context);
bool typemap_each(const struct typemap *map, int64_t at, typemap_fn fn, void *context);

#endif
