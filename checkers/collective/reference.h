/* Computes the result of a collective by its definition, element by element in rank order, and so
 * independently of any algorithm. */
#ifndef CHECKERS_COLLECTIVE_REFERENCE_H
#define CHECKERS_COLLECTIVE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reference_basic { /* types of elements */
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

/* Finds a type or operation by MPI's name; false: this file cannot compute it. size: bytes of the
 * type, needed for types like long. */
bool reference_basic_find(const char *mpi_name, size_t size, enum reference_basic *out_basic);
bool reference_op_find(const char *mpi_name, enum reference_op *out_op);
size_t reference_basic_size(enum reference_basic basic);

/* Compares `got` with x[0] op x[1] op ... op x[count-1], element `index` of each. Integers must be
 * equal. Floating point may differ by the rounding of another order: count * epsilon times the sum
 * (product) of magnitudes. */
bool reference_fold_equals(enum reference_basic basic, enum reference_op op,
                           const unsigned char *const *x, uint32_t count, uint64_t index,
                           const unsigned char *got);

#endif
