/* Groups MPI's predefined datatypes, given by name, as the standard does, and tells which
 * predefined operations the standard defines on a group (MPI 3.1, 5.9.2 and 11.3.4). Holds no
 * state. */
#ifndef CORE_TRACE_BASIC_H
#define CORE_TRACE_BASIC_H

enum basic_group {
    BASIC_UNKNOWN, /* not a name of MPI's */
    BASIC_C_INTEGER,
    BASIC_FORTRAN_INTEGER,
    BASIC_FLOATING,
    BASIC_LOGICAL, /* C's bool as well */
    BASIC_COMPLEX,
    BASIC_BYTE,
    BASIC_MULTI_LANGUAGE, /* addresses, offsets, counts */
    BASIC_CHARACTER,      /* printable ones */
    BASIC_PACKED,
    BASIC_PAIR, /* a value and an index */
    BASIC_GROUP_COUNT
};
enum basic_group basic_group_find(const char *name);

enum basic_defined {
    BASIC_DEFINED,
    BASIC_CUSTOM, /* not defined by MPI, but libraries accept characters as small integers */
    BASIC_UNDEFINED
};
/* Tells whether MPI defines an operation on the group, in reductions or accumulates. An unknown
 * operation, or any operation on an unknown group, counts as defined. */
enum basic_defined basic_op_defined(const char *op, enum basic_group group);
/* Tells whether MPI defines MPI_Compare_and_swap on the group. */
enum basic_defined basic_swap_defined(enum basic_group group);

#endif
