/* Elements of the scenario's datatypes in memory: places of their items, writing, comparing; the
 * operations on them. */
#ifndef FUZZ_SCENARIO_ELEMENTS_H
#define FUZZ_SCENARIO_ELEMENTS_H

#include <mpi.h>
#include <stddef.h>
#include <string.h>

#include "fuzz/scenario/scenario.h"

enum { ELEMENT_ITEMS_MAX = 3 };

struct element_layout {
    int items;
    char kind[ELEMENT_ITEMS_MAX]; /* i, d, b */
    ptrdiff_t place[ELEMENT_ITEMS_MAX], extent;
    ptrdiff_t end;          /* after the last byte of one element's data */
    ptrdiff_t start, lower; /* its first byte; its lower bound */
};

extern const struct element_layout element_layouts[SCENARIO_TYPES];

static inline const struct element_layout *element_layout(enum scenario_type type)
{
    return &element_layouts[type];
}

/* Writes one item of the element at an address. */
static inline void element_put(const struct element_layout *layout, char *element, int item,
                               uint32_t value)
{
    char *at = element + layout->place[item];
    double wide = value;
    if (layout->kind[item] == 'i')
        memcpy(at, &value, sizeof value);
    else if (layout->kind[item] == 'd')
        memcpy(at, &wide, sizeof wide);
    else
        *at = (char)value;
}

/* how: constructor of a strided type: struct, vector, subarray, array in parts, or nested. */
MPI_Datatype element_type_new(enum scenario_type type, unsigned how);
void element_type_free(MPI_Datatype *type);
uint32_t element_get(const struct element_layout *layout, const char *data, long item);

/* Elements from address `data` on: their bytes between low and high exist, with a margin before and
 * after them. */
struct element_buffer {
    char *memory, *data;
    size_t size, margin;
    int mapped; /* too large to fill or compare as a whole */
};
enum { ELEMENT_FILL = 0xa5 };
/* Allocates a buffer filled with a pattern, exactly as long as the elements need. */
struct element_buffer element_buffer_new(ptrdiff_t low, ptrdiff_t high, size_t margin);
void element_buffer_free(struct element_buffer *buffer);

MPI_Op element_op_new(enum scenario_op op);
void element_op_free(MPI_Op *op);
/* Computes right = left op right on one element's items. */
void element_op_apply(enum scenario_op op, const uint32_t *left, uint32_t *right);

#endif
