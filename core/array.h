/* The one growable array: a typed pointer, a count and a room (both uint32_t) that stand beside
 * each other in whatever owns them; all zero is an empty array. Nobody else calls realloc.
 *
 * Whatever returns a status has reported why: "out of memory for WHAT", or that there would be
 * more elements than UINT32_MAX. An array that could not grow is as it was. Growing moves the
 * elements: a pointer to one holds until the next call here.
 *
 * Invariants
 *  1. Elements [0, room) are allocated, and [0, count) are in use: count <= room.
 *  2. Growing doubles, so that n elements one by one cost O(n); only CORE_ARRAY_FIT does not. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/status.h"

enum core_array_growth { CORE_ARRAY_DOUBLE, CORE_ARRAY_DOUBLE_ZERO, CORE_ARRAY_EXACT };

/* Room for `need` elements; what is new has no value. */
#define CORE_ARRAY_ROOM(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_DOUBLE, what)

/* The same, and what is new is zero. */
#define CORE_ARRAY_ROOM_ZERO(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_DOUBLE_ZERO, what)

/* Room for `need` elements and no more, where the owner knows how many there will be. */
#define CORE_ARRAY_FIT(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_EXACT, what)

/* One more element, with the value given last (which may be a compound literal). */
#define CORE_ARRAY_PUSH(array, count, room, what, ...)         \
    (CORE_ARRAY_ROOM(array, room, (uint64_t)(count) + 1, what) \
         ?: ((array)[(count)++] = (__VA_ARGS__), CORE_OK))

/* Returns what grew too much to the system, when an array will grow no more. */
#define CORE_ARRAY_TRIM(array, count, room) \
    core_array_trim(&(array), sizeof *(array), count, &(room))

/* Frees the elements; the array is empty again. */
#define CORE_ARRAY_DONE(array, count, room) (free(array), (array) = NULL, (count) = (room) = 0)

/* An array of fixed size, all zero, for which `count` may be 0; free() it. */
#define CORE_ARRAY_NEW(array, count, what) core_array_new(&(array), sizeof *(array), count, what)

/* The first index of [first, end) for which a condition of `at` no longer holds; `end` if it holds
 * for all. It holds for the first ones and for no others, as in an array that is sorted. Takes
 * O(log n) steps. */
#define CORE_ARRAY_FIND(at, first, end, condition)   \
    ({                                               \
        uint32_t low_ = (first), high_ = (end);      \
        while (low_ < high_) {                       \
            uint32_t at = low_ + (high_ - low_) / 2; \
            low_ = (condition) ? at + 1 : low_;      \
            high_ = low_ > at ? high_ : at;          \
        }                                            \
        low_;                                        \
    })

/* Functions behind the macros: `array` is the address of the typed pointer. */
#define CORE_ARRAY_GROW(array, room, need, growth, what) \
    ((uint64_t)(need) <= (room)                          \
         ? CORE_OK                                       \
         : core_array_grow(&(array), sizeof *(array), &(room), need, growth, what))
enum core_status core_array_grow(void *array, size_t element_bytes, uint32_t *room, uint64_t need,
                                 enum core_array_growth growth, const char *what);
void core_array_trim(void *array, size_t element_bytes, uint64_t count, uint32_t *room);
enum core_status core_array_new(void *array, size_t element_bytes, uint64_t count,
                                const char *what);

#endif
