/* Checks predefined operations against datatypes and calls (usage.h), by the table of
 * core/trace/basic.h. User-defined operations take any datatype, but no one-sided call takes them.
 * Remembers valid combinations until a handle is freed, so that a call in a loop costs one
 * lookup. */
#include <stdlib.h>
#include <string.h>

#include "core/trace/basic.h"
#include "interpose/library/library.h"
#include "interpose/misuse/usage.h"
#include "interpose/objects/contents.h"
#include "interpose/objects/handles.h"

enum { GOOD_BITS = 3 };
static __thread struct good {
    MPI_Op op;
    MPI_Datatype type;
    uint32_t generation;
    enum usage_operates how;
} good[1 << GOOD_BITS] __attribute__((tls_model("initial-exec")));

/* The basic types of a datatype. */
struct made_of {
    char name[MPI_MAX_OBJECT_NAME + 1]; /* of the first basic type */
    MPI_Datatype basic;
    bool something; /* it has a basic type */
    bool derived, several, unknown;
};

static void look_into(MPI_Datatype type, struct made_of *made, int depth)
{
    enum { DEPTH_MAX = 64 };
    struct contents contents;
    int combiner = depth < DEPTH_MAX ? contents_combiner(type) : -1, length = 0, size = 0;

    if (combiner < 0 || (!contents_basic(combiner) && !contents_get(type, &contents))) {
        made->unknown = true;
    } else if (!contents_basic(combiner)) {
        made->derived = true;
        for (int i = 0; i < contents.types; i++)
            look_into(contents.type[i], made, depth + 1);
        contents_free(&contents);
    } else if (OWN(Type_size)(type, &size) == MPI_SUCCESS && size == 0) {
        return; /* a marker of MPI 1: MPI_LB, MPI_UB */
    } else if (!made->something) {
        made->something = true;
        made->basic = type;
        OWN(Type_get_name)(type, made->name, &length);
    } else {
        made->several |= made->basic != type;
    }
}

/* Returns the group of a basic type. Fortran's parametrised types have no name in the table, but a
 * group. */
static enum basic_group group_of(MPI_Datatype type, const char *name)
{
    int combiner = contents_combiner(type);

    if (combiner < 0)
        return BASIC_UNKNOWN;
    return combiner == MPI_COMBINER_F90_INTEGER   ? BASIC_FORTRAN_INTEGER
           : combiner == MPI_COMBINER_F90_REAL    ? BASIC_FLOATING
           : combiner == MPI_COMBINER_F90_COMPLEX ? BASIC_COMPLEX
                                                  : basic_group_find(name);
}

/* Returns the misuse of the operation in this call; MISUSE_KIND_COUNT: none. */
static enum misuse_kind op_wrong(MPI_Op op, const char *name, enum usage_operates how)
{
    if (!name)
        return how == USAGE_REDUCES ? MISUSE_KIND_COUNT : MISUSE_OP_USER;
    if (how == USAGE_REDUCES && (!strcmp(name, "MPI_REPLACE") || op == recorder_handle.op_no_op))
        return MISUSE_OP_ONE_SIDED;
    return how == USAGE_ACCUMULATES && op == recorder_handle.op_no_op ? MISUSE_OP_FETCHES
                                                                      : MISUSE_KIND_COUNT;
}

/* Returns the misuse of a predefined operation on a datatype's basic types. op NULL:
 * MPI_Compare_and_swap's. */
static enum misuse_kind type_wrong(const char *op, const struct made_of *made,
                                   enum usage_operates how)
{
    if (made->unknown || !made->something)
        return MISUSE_KIND_COUNT;
    if (made->derived && how != USAGE_ACCUMULATES && how != USAGE_FETCHES)
        return how == USAGE_SWAPS ? MISUSE_SWAP_DERIVED : MISUSE_OP_DERIVED;
    if (made->several)
        return MISUSE_OP_MIXED;
    enum basic_group group = group_of(made->basic, made->name);
    switch (how == USAGE_SWAPS ? basic_swap_defined(group) : basic_op_defined(op, group)) {
    case BASIC_UNDEFINED:
        return how == USAGE_SWAPS ? MISUSE_SWAP_TYPE : MISUSE_OP_TYPE;
    case BASIC_CUSTOM:
        return how == USAGE_SWAPS ? MISUSE_SWAP_TYPE : MISUSE_OP_CUSTOM;
    default:
        return MISUSE_KIND_COUNT;
    }
}

void usage_op_type(struct lane *lane, uint64_t seq, MPI_Op op, MPI_Datatype type,
                   const char *argument, enum usage_operates how)
{
    uintptr_t key = (uintptr_t)op ^ (uintptr_t)type * 5 ^ (uintptr_t)how;
    struct good *slot = &good[(key * 0x9E3779B97F4A7C15u) >> (64 - GOOD_BITS)];
    struct made_of made = {.something = false};

    if (LIKELY(slot->op == op && slot->type == type && slot->how == how &&
               slot->generation == recorder.generation))
        return;
    if (!usage_accepted(OBJECT_TYPE, HANDLE(type)) ||
        (how != USAGE_SWAPS && !usage_accepted(OBJECT_OP, HANDLE(op))))
        return;
    const char *name = how == USAGE_SWAPS ? NULL : library_op_name(op);
    enum misuse_kind wrong = how == USAGE_SWAPS ? MISUSE_KIND_COUNT : op_wrong(op, name, how);
    if (wrong == MISUSE_KIND_COUNT && (name || how == USAGE_SWAPS)) {
        look_into(type, &made, 0);
        wrong = type_wrong(name, &made, how);
    }
    if (wrong != MISUSE_KIND_COUNT)
        usage_say(lane, seq, wrong, argument, 0, .name[1] = name, .name[2] = made.name);
    else
        *slot = (struct good){op, type, recorder.generation, how};
}
