/* The result of a collective by definition: naive, element by element in rank order, and so
 * independent of any algorithm. */
#ifndef CHECKERS_COLLECTIVE_REFERENCE_H
#define CHECKERS_COLLECTIVE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reference_basic { /* what the elements are */
                       REFERENCE_INT8,
                       REFERENCE_UINT8,
                       REFERENCE_INT16,
                       REFERENCE_UINT16,
                       REFERENCE_INT32,
                       REFERENCE_UINT32,
                       REFERENCE_INT64,
                       REFERENCE_UINT64,
                       REFERENCE_FLOAT,
                       REFERENCE_DOUBLE,
                       REFERENCE_BASIC_COUNT
};
enum reference_op {
    REFERENCE_SUM,
    REFERENCE_PROD,
    REFERENCE_MAX,
    REFERENCE_MIN,
    REFERENCE_LAND,
    REFERENCE_LOR,
    REFERENCE_LXOR,
    REFERENCE_BAND,
    REFERENCE_BOR,
    REFERENCE_BXOR,
    REFERENCE_OP_COUNT
};

/* By MPI's names; false: not one that can be computed here. size: of the type, which tells how long
 * a long is. */
bool reference_basic_find(const char *mpi_name, size_t size, enum reference_basic *out_basic);
bool reference_op_find(const char *mpi_name, enum reference_op *out_op);
size_t reference_basic_size(enum reference_basic basic);

/* x[0] op x[1] op ... op x[count-1], element i of each, against `got`. Integers must be equal;
 * floating point may differ by what another order of combining can do: count * epsilon times the
 * sum (product) of magnitudes. */
bool reference_fold_equals(enum reference_basic basic, enum reference_op op,
                           const unsigned char *const *x, uint32_t count, uint64_t index,
                           const unsigned char *got);

#endif
