/* The one growable array: a typed pointer, a count and a room (both uint32_t), which the owner
 * keeps side by side; all zero is an empty array. No other code calls realloc.
 *
 * A function that fails reports why: "out of memory for WHAT", or more than UINT32_MAX elements. An
 * array that could not grow is unchanged. Growing moves the elements: a pointer to an element is
 * valid until the next call here.
 *
 * Invariants
 *  1. Elements [0, room) are allocated, and [0, count) are in use: count <= room.
 *  2. Growing doubles the room, so that adding n elements one by one costs O(n); only
 *     CORE_ARRAY_FIT does not double. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/status.h"

enum core_array_growth { CORE_ARRAY_DOUBLE, CORE_ARRAY_DOUBLE_ZERO, CORE_ARRAY_EXACT };

/* Makes room for `need` elements; new elements are uninitialized. */
#define CORE_ARRAY_ROOM(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_DOUBLE, what)

/* Like CORE_ARRAY_ROOM; new elements are zero. */
#define CORE_ARRAY_ROOM_ZERO(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_DOUBLE_ZERO, what)

/* Makes room for exactly `need` elements, for owners who know their final number. */
#define CORE_ARRAY_FIT(array, room, need, what) \
    CORE_ARRAY_GROW(array, room, need, CORE_ARRAY_EXACT, what)

/* Appends one element with the value of the last argument (which may be a compound literal). */
#define CORE_ARRAY_PUSH(array, count, room, what, ...)         \
    (CORE_ARRAY_ROOM(array, room, (uint64_t)(count) + 1, what) \
         ?: ((array)[(count)++] = (__VA_ARGS__), CORE_OK))

/* Returns unused room to the system, for an array that will grow no more. */
#define CORE_ARRAY_TRIM(array, count, room) \
    core_array_trim(&(array), sizeof *(array), count, &(room))

/* Frees the elements; the array is empty again. */
#define CORE_ARRAY_DONE(array, count, room) (free(array), (array) = NULL, (count) = (room) = 0)

/* Allocates an array of fixed size, all zero; `count` may be 0. Free with free(). */
#define CORE_ARRAY_NEW(array, count, what) core_array_new(&(array), sizeof *(array), count, what)

/* Finds the first index of [first, end) at which a condition on `at` is false; `end` if there is
 * none. The condition must hold for a prefix of the range only, as in a sorted array. Takes O(log
 * n) steps. */
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

/* The functions behind the macros. `array` is the address of the typed pointer. */
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
