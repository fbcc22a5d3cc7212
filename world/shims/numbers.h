/* The numbers of handles that programs make, in another ABI; local/fortran.c has those of
 * predefined handles, and the table of both. */
#ifndef WORLD_SHIMS_NUMBERS_H
#define WORLD_SHIMS_NUMBERS_H

#include "world/state.h"

#ifdef SHIM_mpich
/* Storage class, kind and index: 2, 4 and 26 bits. Each null handle contains its kind. The first
 * few datatypes, of pairs, are predefined. */
enum {
    NUMBER_KEPT = (int)0x80000000,
    NUMBER_KIND = 0x3c000000,
    NUMBER_INDEX = 0x3ffffff,
    NUMBER_LEAST = 16
};
_Static_assert((SHIM_MPI_LONG_DOUBLE_INT & NUMBER_INDEX) < NUMBER_LEAST, "the last of them");

static inline MPI_Fint number_first(enum world_handle_kind kind)
{
    static const MPI_Fint null[HANDLE_KIND_COUNT] = {
        [HANDLE_COMM] = SHIM_MPI_COMM_NULL,       [HANDLE_GROUP] = SHIM_MPI_GROUP_NULL,
        [HANDLE_TYPE] = SHIM_MPI_DATATYPE_NULL,   [HANDLE_OP] = SHIM_MPI_OP_NULL,
        [HANDLE_INFO] = SHIM_MPI_INFO_NULL,       [HANDLE_ERRHANDLER] = SHIM_MPI_ERRHANDLER_NULL,
        [HANDLE_REQUEST] = SHIM_MPI_REQUEST_NULL, [HANDLE_MESSAGE] = SHIM_MPI_MESSAGE_NULL,
        [HANDLE_WIN] = SHIM_MPI_WIN_NULL,         [HANDLE_SESSION] = SHIM_MPI_SESSION_NULL,
    };
    return NUMBER_KEPT | (null[kind] & NUMBER_KIND);
}

static inline MPI_Fint number_made(enum world_handle_kind kind, int index)
{
    CORE_CHECK(index <= NUMBER_INDEX - NUMBER_LEAST);
    return number_first(kind) | (index + NUMBER_LEAST);
}

static inline int number_index(enum world_handle_kind kind, MPI_Fint number)
{
    bool made = (number & ~NUMBER_INDEX) == number_first(kind);
    return made ? (number & NUMBER_INDEX) - NUMBER_LEAST : -1;
}
#else
/* Numbers follow all that the standard gives to predefined handles: the kind, and the index above
 * it. */
enum { NUMBER_FIRST = 4096, NUMBER_KINDS = 16 };

static inline MPI_Fint number_made(enum world_handle_kind kind, int index)
{
    CORE_CHECK((int)kind < NUMBER_KINDS && index < INT32_MAX / NUMBER_KINDS - NUMBER_FIRST);
    return NUMBER_FIRST + index * NUMBER_KINDS + (MPI_Fint)kind;
}

static inline int number_index(enum world_handle_kind kind, MPI_Fint number)
{
    MPI_Fint made = number - NUMBER_FIRST;
    return made >= 0 && made % NUMBER_KINDS == (MPI_Fint)kind ? made / NUMBER_KINDS : -1;
}
#endif

#endif
