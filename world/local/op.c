/* Reduction operations: predefined ones on basic types, the user's on any type. */
#include "world/state.h"

#include <complex.h>

enum builtin {
    OP_USER,
    OP_MIN,
    OP_MAX,
    OP_SUM,
    OP_PROD,
    OP_LAND,
    OP_BAND,
    OP_LOR,
    OP_BOR,
    OP_LXOR,
    OP_BXOR,
    OP_MAXLOC,
    OP_MINLOC,
    OP_REPLACE,
    OP_NO_OP
};

#define OP(symbol, kind, call)                                   \
    struct ompi_predefined_op_t ompi_mpi_op_##symbol = {         \
        {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_OP, \
                    .references = 1,                             \
                    .made_by = call},                            \
         .builtin = kind,                                        \
         .commutative = true}};
OP(min, OP_MIN, "MPI_MIN")
OP(max, OP_MAX, "MPI_MAX")
OP(sum, OP_SUM, "MPI_SUM")
OP(prod, OP_PROD, "MPI_PROD")
OP(land, OP_LAND, "MPI_LAND")
OP(band, OP_BAND, "MPI_BAND")
OP(lor, OP_LOR, "MPI_LOR")
OP(bor, OP_BOR, "MPI_BOR")
OP(lxor, OP_LXOR, "MPI_LXOR")
OP(bxor, OP_BXOR, "MPI_BXOR")
OP(maxloc, OP_MAXLOC, "MPI_MAXLOC")
OP(minloc, OP_MINLOC, "MPI_MINLOC")
OP(replace, OP_REPLACE, "MPI_REPLACE")
OP(no_op, OP_NO_OP, "MPI_NO_OP")
struct ompi_predefined_op_t ompi_mpi_op_null = {{.handle = {.magic = HANDLE_DEAD}}};

/* Computes sums and products of signed integers as unsigned, so that they wrap as in the library.
 */
#define EACH(expression)              \
    for (int i = 0; i < count; i++) { \
        expression;                   \
    }                                 \
    return true;

#define ORDERED(T)                         \
    case OP_MIN:                           \
        EACH(if (a[i] < b[i]) b[i] = a[i]) \
    case OP_MAX:                           \
        EACH(if (a[i] > b[i]) b[i] = a[i])

#define LOGICAL(T)                     \
    case OP_LAND:                      \
        EACH(b[i] = (T)(a[i] && b[i])) \
    case OP_LOR:                       \
        EACH(b[i] = (T)(a[i] || b[i])) \
    case OP_LXOR:                      \
        EACH(b[i] = (T)(!a[i] != !b[i]))

#define BITS(T)                       \
    case OP_BAND:                     \
        EACH(b[i] = (T)(a[i] & b[i])) \
    case OP_BOR:                      \
        EACH(b[i] = (T)(a[i] | b[i])) \
    case OP_BXOR:                     \
        EACH(b[i] = (T)(a[i] ^ b[i]))

#define ARITHMETIC(T, U)                    \
    case OP_SUM:                            \
        EACH(b[i] = (T)((U)a[i] + (U)b[i])) \
    case OP_PROD:                           \
        EACH(b[i] = (T)((U)a[i] * (U)b[i]))

#define FUNCTION(name, T, cases)                                           \
    static bool apply_##name(enum builtin op, const T *a, T *b, int count) \
    {                                                                      \
        switch (op) {                                                      \
            cases default : return false;                                  \
        }                                                                  \
    }

#define INTEGER(name, T, U) FUNCTION(name, T, ORDERED(T) LOGICAL(T) BITS(T) ARITHMETIC(T, U))
INTEGER(i8, int8_t, unsigned)
INTEGER(i16, int16_t, unsigned)
INTEGER(i32, int32_t, uint32_t)
INTEGER(i64, int64_t, uint64_t)
INTEGER(u8, uint8_t, unsigned)
INTEGER(u16, uint16_t, unsigned)
INTEGER(u32, uint32_t, uint32_t)
INTEGER(u64, uint64_t, uint64_t)
FUNCTION(f32, float, ORDERED(float) ARITHMETIC(float, float))
FUNCTION(f64, double, ORDERED(double) ARITHMETIC(double, double))
FUNCTION(f80, long double, ORDERED(long double) ARITHMETIC(long double, long double))
FUNCTION(c32, float complex, ARITHMETIC(float complex, float complex))
FUNCTION(c64, double complex, ARITHMETIC(double complex, double complex))
FUNCTION(c80, long double complex, ARITHMETIC(long double complex, long double complex))
FUNCTION(bool, uint8_t, LOGICAL(uint8_t))
FUNCTION(byte, uint8_t, BITS(uint8_t))

#define LOCATED(name, T)                                                                 \
    struct located_##name {                                                              \
        T value;                                                                         \
        int index;                                                                       \
    };                                                                                   \
    static bool located_##name(enum builtin op, const struct located_##name *a,          \
                               struct located_##name *b, int count)                      \
    {                                                                                    \
        for (int i = 0; i < count; i++)                                                  \
            if ((op == OP_MAXLOC ? a[i].value > b[i].value : a[i].value < b[i].value) || \
                (a[i].value == b[i].value && a[i].index < b[i].index)) {                 \
                b[i].value = a[i].value;                                                 \
                b[i].index = a[i].index;                                                 \
            }                                                                            \
        return true;                                                                     \
    }
LOCATED(i16, int16_t)
LOCATED(i32, int32_t)
LOCATED(i64, int64_t)
LOCATED(f32, float)
LOCATED(f64, double)
LOCATED(f80, long double)

/* The memory layout of the predefined pairs of datatype_named.c. */
_Static_assert(sizeof(struct located_i16) == 8, "MPI_SHORT_INT");
_Static_assert(sizeof(struct located_i32) == 8, "MPI_2INT");
_Static_assert(sizeof(struct located_i64) == 16, "MPI_LONG_INT");
_Static_assert(sizeof(struct located_f32) == 8, "MPI_FLOAT_INT");
_Static_assert(sizeof(struct located_f64) == 16, "MPI_DOUBLE_INT");
_Static_assert(sizeof(struct located_f80) == 32, "MPI_LONG_DOUBLE_INT");

static bool apply_pair(enum builtin op, enum world_basic basic, const void *a, void *b, int count)
{
    CORE_CHECK(op == OP_MAXLOC || op == OP_MINLOC);
    switch (basic) {
    case BASIC_I16:
        return located_i16(op, a, b, count);
    case BASIC_I32:
        return located_i32(op, a, b, count);
    case BASIC_I64:
        return located_i64(op, a, b, count);
    case BASIC_F32:
        return located_f32(op, a, b, count);
    case BASIC_F64:
        return located_f64(op, a, b, count);
    case BASIC_F80:
        return located_f80(op, a, b, count);
    default:
        return false;
    }
}

static bool apply_basic(enum builtin op, enum world_basic basic, const void *a, void *b, int count)
{
    switch (basic) {
    case BASIC_I8:
        return apply_i8(op, a, b, count);
    case BASIC_I16:
        return apply_i16(op, a, b, count);
    case BASIC_I32:
        return apply_i32(op, a, b, count);
    case BASIC_I64:
        return apply_i64(op, a, b, count);
    case BASIC_U8:
        return apply_u8(op, a, b, count);
    case BASIC_U16:
        return apply_u16(op, a, b, count);
    case BASIC_U32:
        return apply_u32(op, a, b, count);
    case BASIC_U64:
        return apply_u64(op, a, b, count);
    case BASIC_F32:
        return apply_f32(op, a, b, count);
    case BASIC_F64:
        return apply_f64(op, a, b, count);
    case BASIC_F80:
        return apply_f80(op, a, b, count);
    case BASIC_C32:
        return apply_c32(op, a, b, count);
    case BASIC_C64:
        return apply_c64(op, a, b, count);
    case BASIC_C80:
        return apply_c80(op, a, b, count);
    case BASIC_BOOL:
        return apply_bool(op, a, b, count);
    case BASIC_BYTE:
        return apply_byte(op, a, b, count);
    default:
        return false;
    }
}

_Static_assert(OP_NO_OP <= UINT8_MAX, "a byte of an operation holds it");

static bool op_apply(MPI_Op op, const void *a, void *b, int count, MPI_Datatype type)
{
    CORE_CHECK(!type->large_of); /* the callers take it apart */
    if (op->builtin == OP_REPLACE)
        return world_type_copy(b, (size_t)count, type, a, (size_t)count, type) || true;
    if (op->builtin == OP_NO_OP)
        return true;
    if (!type->predefined)
        return false;
    if (op->builtin == OP_MAXLOC || op->builtin == OP_MINLOC)
        return type->pair &&
               apply_pair((enum builtin)op->builtin, (enum world_basic)type->pair, a, b, count);
    CORE_CHECK(type->run_count <= 1 || type->pair); /* datatype_named.c */
    return !type->pair && type->run_count == 1 &&
           apply_basic((enum builtin)op->builtin, (enum world_basic)type->run[0].basic, a, b,
                       count);
}

bool world_op_apply_basic(MPI_Op op, uint32_t basic, const void *a, void *b, int count)
{
    return apply_basic((enum builtin)op->builtin, (enum world_basic)basic, a, b, count);
}

int world_op_remote(MPI_Op op)
{
    if (!handle_good(op, HANDLE_OP) || op->function)
        return 0;
    CORE_CHECK(op->builtin != OP_USER);
    return op->builtin == OP_REPLACE ? 2 : op->builtin == OP_NO_OP ? 3 : 1;
}

bool world_op_rounds(MPI_Op op, MPI_Datatype type)
{
    CORE_CHECK(world_op_remote(op));
    if (op->builtin != OP_SUM && op->builtin != OP_PROD)
        return false;
    for (size_t i = 0; i < type->run_count; i++)
        if ((type->run[i].basic >= BASIC_F32 && type->run[i].basic <= BASIC_C80) ||
            type->run[i].basic == BASIC_F16)
            return true;
    return false;
}

const char *world_op_name(MPI_Op op)
{
    return op->builtin == OP_USER ? NULL : op->handle.made_by;
}

int world_op_check(MPI_Op op, MPI_Datatype type)
{
    if (!handle_good(op, HANDLE_OP))
        return MPI_ERR_OP;
    if (type->large_of)
        type = type->large_of;
    return op->function || op_apply(op, NULL, NULL, 0, type) ? MPI_SUCCESS : MPI_ERR_OP;
}

static void call_function(MPI_Op op, void *a, void *b, int *count, MPI_Datatype type)
{
    if (!op->fortran) {
        void *given = world_program_handle(type);
        MPI_Count wide = *count;
        op->function(a, b, op->wide ? (void *)&wide : count, (MPI_Datatype *)&given);
        return;
    }
    void (*function)(void *a, void *b, MPI_Fint *count, MPI_Fint *type);
    memcpy(&function, &op->function, sizeof function);
    MPI_Fint number = MPI_Type_c2f(type);
    function(a, b, count, &number);
}

enum { OP_ELEMENTS_MAX = 1 << 30 }; /* of one call of a function, which takes an int */

/* Combines count elements of a large type, piece by piece. */
static int apply_large(MPI_Op op, const void *a, void *b, int count, MPI_Datatype type)
{
    CORE_CHECK(count >= 0 && type->large_count > INT32_MAX);
    const size_t all = (size_t)count * type->large_count;
    const ptrdiff_t extent = type_extent(type->large_of);
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < all && !code; at += OP_ELEMENTS_MAX) {
        const ptrdiff_t place = (ptrdiff_t)at * extent;
        const size_t left = all - at;
        code = world_op_apply(op, (const uint8_t *)a + place, (uint8_t *)b + place,
                              left < OP_ELEMENTS_MAX ? (int)left : OP_ELEMENTS_MAX, type->large_of);
    }
    return code;
}

int world_op_apply(MPI_Op op, const void *a, void *b, int count, MPI_Datatype type)
{
    if (UNLIKELY(type->large_of != NULL))
        return apply_large(op, a, b, count, type);
    if (count == 0)
        return MPI_SUCCESS;
    CORE_CHECK(count > 0); /* the caller checked it */
    if (op->function) {
        call_function(op, (void *)(uintptr_t)a, b, &count, type);
        return MPI_SUCCESS;
    }
    CORE_CHECK(op->builtin != OP_USER);
    return op_apply(op, a, b, count, type) ? MPI_SUCCESS : MPI_ERR_OP;
}

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
    ENTER_LOCAL("MPI_Op_create");
    if (!function || !op)
        return world_error(NULL, MPI_ERR_ARG, "NULL argument");
    MPI_Op made = world_handle_new(HANDLE_OP, sizeof *made);
    made->function = function;
    made->commutative = commute != 0;
    *op = made;
    return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op)
{
    ENTER_LOCAL("MPI_Op_free");
    if (!op || !handle_good(*op, HANDLE_OP) || !(*op)->function)
        return world_error(NULL, MPI_ERR_OP, "the operation is null, freed or predefined");
    world_handle_kill(&(*op)->handle);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int *commute)
{
    ENTER_LOCAL("MPI_Op_commutative");
    if (!handle_good(op, HANDLE_OP))
        return world_error(NULL, MPI_ERR_OP, "the operation is null or freed");
    *commute = op->commutative;
    return MPI_SUCCESS;
}

int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
    ENTER_LOCAL("MPI_Reduce_local");
    if (world_type_check(datatype, true) || count < 0)
        return world_error(NULL, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE,
                           "count %d, or a bad datatype", count);
    int code = world_op_check(op, datatype);
    if (code)
        return world_error(NULL, code, "the operation is not defined for the datatype");
    return world_op_apply(op, inbuf, inoutbuf, count, datatype);
}
