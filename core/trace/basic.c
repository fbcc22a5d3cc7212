/* Tables of the predefined datatypes' groups and of the operations on them (basic.h). */
#include "core/trace/basic.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Datatype names without "MPI_". The first row that a name begins with gives its group. */
static const struct {
    const char *begins;
    enum basic_group group;
} names[] = {
    {"2", BASIC_PAIR},
    {"FLOAT_INT", BASIC_PAIR},
    {"DOUBLE_INT", BASIC_PAIR},
    {"LONG_INT", BASIC_PAIR},
    {"SHORT_INT", BASIC_PAIR},
    {"LONG_DOUBLE_INT", BASIC_PAIR},
    {"C_BOOL", BASIC_LOGICAL},
    {"CXX_BOOL", BASIC_LOGICAL},
    {"LOGICAL", BASIC_LOGICAL},
    {"C_", BASIC_COMPLEX},
    {"CXX_", BASIC_COMPLEX},
    {"COMPLEX", BASIC_COMPLEX},
    {"DOUBLE_COMPLEX", BASIC_COMPLEX},
    {"FLOAT", BASIC_FLOATING},
    {"DOUBLE", BASIC_FLOATING},
    {"LONG_DOUBLE", BASIC_FLOATING},
    {"REAL", BASIC_FLOATING},
    {"INTEGER", BASIC_FORTRAN_INTEGER},
    {"BYTE", BASIC_BYTE},
    {"PACKED", BASIC_PACKED},
    {"AINT", BASIC_MULTI_LANGUAGE},
    {"OFFSET", BASIC_MULTI_LANGUAGE},
    {"COUNT", BASIC_MULTI_LANGUAGE},
    {"CHAR", BASIC_CHARACTER},
    {"WCHAR", BASIC_CHARACTER},
    {"INT", BASIC_C_INTEGER},
    {"UINT", BASIC_C_INTEGER},
    {"LONG", BASIC_C_INTEGER},
    {"SHORT", BASIC_C_INTEGER},
    {"SIGNED_CHAR", BASIC_C_INTEGER},
    {"UNSIGNED", BASIC_C_INTEGER},
};

#define GROUP(name) ((uint32_t)1 << BASIC_##name)
#define INTEGERS (GROUP(C_INTEGER) | GROUP(FORTRAN_INTEGER))
static const struct {
    const char *op;
    uint32_t groups;
} ops[] = {
    {"MPI_MAX", INTEGERS | GROUP(FLOATING) | GROUP(MULTI_LANGUAGE)},
    {"MPI_MIN", INTEGERS | GROUP(FLOATING) | GROUP(MULTI_LANGUAGE)},
    {"MPI_SUM", INTEGERS | GROUP(FLOATING) | GROUP(COMPLEX) | GROUP(MULTI_LANGUAGE)},
    {"MPI_PROD", INTEGERS | GROUP(FLOATING) | GROUP(COMPLEX) | GROUP(MULTI_LANGUAGE)},
    {"MPI_LAND", GROUP(C_INTEGER) | GROUP(LOGICAL)},
    {"MPI_LOR", GROUP(C_INTEGER) | GROUP(LOGICAL)},
    {"MPI_LXOR", GROUP(C_INTEGER) | GROUP(LOGICAL)},
    {"MPI_BAND", INTEGERS | GROUP(BYTE) | GROUP(MULTI_LANGUAGE)},
    {"MPI_BOR", INTEGERS | GROUP(BYTE) | GROUP(MULTI_LANGUAGE)},
    {"MPI_BXOR", INTEGERS | GROUP(BYTE) | GROUP(MULTI_LANGUAGE)},
    {"MPI_MAXLOC", GROUP(PAIR)},
    {"MPI_MINLOC", GROUP(PAIR)},
};
_Static_assert(BASIC_GROUP_COUNT <= 32, "a bit per group");

enum basic_group basic_group_find(const char *name)
{
    static const char prefix[] = "MPI_";

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return BASIC_UNKNOWN;
    name += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i].begins, strlen(names[i].begins)))
            return names[i].group;
    return BASIC_UNKNOWN;
}

static enum basic_defined defined_on(uint32_t groups, enum basic_group group)
{
    if (group == BASIC_UNKNOWN || groups >> group & 1)
        return BASIC_DEFINED;
    return group == BASIC_CHARACTER && groups & GROUP(C_INTEGER) ? BASIC_CUSTOM : BASIC_UNDEFINED;
}

enum basic_defined basic_op_defined(const char *op, enum basic_group group)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].op, op))
            return defined_on(ops[i].groups, group);
    return BASIC_DEFINED;
}

enum basic_defined basic_swap_defined(enum basic_group group)
{
    return defined_on(INTEGERS | GROUP(LOGICAL) | GROUP(MULTI_LANGUAGE) | GROUP(BYTE), group);
}
