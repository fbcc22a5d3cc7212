/* MPI's predefined datatypes, by their names: of which of the standard's groups each is, and which
 * predefined operations are defined on a group (MPI 3.1, 5.9.2 and 11.3.4). Holds no state. */
#ifndef CORE_TRACE_BASIC_H
#define CORE_TRACE_BASIC_H

enum basic_group {
    BASIC_UNKNOWN, /* a name that is none of MPI's */
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
    BASIC_CUSTOM, /* not by MPI, but libraries take characters for small integers */
    BASIC_UNDEFINED
};
/* Whether an operation of MPI's is defined on the group, in reductions or accumulates: those of an
 * unknown name, and any on an unknown group, are. */
enum basic_defined basic_op_defined(const char *op, enum basic_group group);
/* Whether MPI_Compare_and_swap is. */
enum basic_defined basic_swap_defined(enum basic_group group);

#endif
