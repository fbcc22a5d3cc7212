/* A datatype's map as loops, of a size independent of the number of elements. Internal to
 * interpose/. A map is a sequence of core/spool/signature.h.
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
    int64_t displacement, stride; /* of the first repetition, and between repetitions */
    const struct typemap *inner;  /* NULL: basic elements */
    uint32_t basic;               /* DEF_TYPE id */
};
struct typemap {
    struct signature_sequence sequence;
    struct typemap_part *part;
    struct typemap **child; /* owned */
    uint32_t room, child_count, child_room;
    bool failed; /* out of memory, or too long: the map is incomplete */
};

struct typemap *typemap_new(void); /* NULL: out of memory */
void typemap_free(struct typemap *map);
uint64_t typemap_bytes(const struct typemap *map); /* memory that it uses */
/* Adds `count` elements of a basic type, one after another. */
void typemap_add_basic(struct typemap *map, int64_t displacement, uint32_t basic,
                       uint64_t signature, int64_t extent, int64_t count);
/* Adds `count` repetitions of a closed map that this map, or a part of it, owns. */
void typemap_add(struct typemap *map, const struct typemap *inner, int64_t displacement,
                 int64_t count, int64_t stride);
/* Closes inner and takes it over. Returns NULL if memory ran out or inner is incomplete; then inner
 * is freed and the map has failed. */
const struct typemap *typemap_own(struct typemap *map, struct typemap *inner);
/* Returns false if the map is incomplete. */
bool typemap_close(struct typemap *map);

/* Visits each row of basic elements in order, its place relative to `at`. Stops when the function
 * returns false, and returns false. */
typedef bool (*typemap_fn)(int64_t at, uint32_t basic, int64_t extent, uint64_t count,
                           void *context);
bool typemap_each(const struct typemap *map, int64_t at, typemap_fn fn, void *context);

#endif
