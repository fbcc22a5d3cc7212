/* Folds integers in the type's own width (sums wrap as in two's complement) and floating point in
 * long double. */
#include "checkers/collective/reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/check.h"

static const struct {
    const char *name;
    enum { SIGNED, UNSIGNED, FLOATING } kind;
} types[] = {
    {"MPI_CHAR", SIGNED},
    {"MPI_SIGNED_CHAR", SIGNED},
    {"MPI_UNSIGNED_CHAR", UNSIGNED},
    {"MPI_BYTE", UNSIGNED},
    {"MPI_SHORT", SIGNED},
    {"MPI_UNSIGNED_SHORT", UNSIGNED},
    {"MPI_INT", SIGNED},
    {"MPI_UNSIGNED", UNSIGNED},
    {"MPI_LONG", SIGNED},
    {"MPI_UNSIGNED_LONG", UNSIGNED},
    {"MPI_LONG_LONG", SIGNED},
    {"MPI_LONG_LONG_INT", SIGNED},
    {"MPI_UNSIGNED_LONG_LONG", UNSIGNED},
    {"MPI_INT8_T", SIGNED},
    {"MPI_INT16_T", SIGNED},
    {"MPI_INT32_T", SIGNED},
    {"MPI_INT64_T", SIGNED},
    {"MPI_UINT8_T", UNSIGNED},
    {"MPI_UINT16_T", UNSIGNED},
    {"MPI_UINT32_T", UNSIGNED},
    {"MPI_UINT64_T", UNSIGNED},
    {"MPI_INTEGER", SIGNED},
    {"MPI_FLOAT", FLOATING},
    {"MPI_DOUBLE", FLOATING},
    {"MPI_REAL", FLOATING},
    {"MPI_DOUBLE_PRECISION", FLOATING},
    {"MPI_AINT", SIGNED},
    {"MPI_COUNT", SIGNED},
};

/* Integer types are in pairs by width, the signed one first: reference_basic_find, load and combine
 * rely on this. */
_Static_assert(REFERENCE_UINT8 == REFERENCE_INT8 + 1 && REFERENCE_INT8 % 2 == 0, "even: signed");
_Static_assert(REFERENCE_INT64 == REFERENCE_INT8 + 6 && REFERENCE_UINT64 == REFERENCE_INT8 + 7,
               "by width");
_Static_assert(REFERENCE_FLOAT == REFERENCE_UINT64 + 1, "reals come behind all of them");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "as the names of types mean them");

bool reference_basic_find(const char *mpi_name, size_t size, enum reference_basic *out_basic)
{
    for (size_t i = 0; mpi_name && i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, mpi_name) != 0)
            continue;
        if (types[i].kind == FLOATING) {
            *out_basic = size == sizeof(float) ? REFERENCE_FLOAT : REFERENCE_DOUBLE;
            return size == sizeof(float) || size == sizeof(double);
        }
        int width = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
        *out_basic = (enum reference_basic)(2 * width + (types[i].kind == UNSIGNED));
        return width >= 0;
    }
    return false;
}

bool reference_op_find(const char *mpi_name, enum reference_op *out_op)
{
    static const char *const name[REFERENCE_OP_COUNT] = {
        "MPI_SUM", "MPI_PROD", "MPI_MAX",  "MPI_MIN", "MPI_LAND",
        "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR"};

    for (int i = 0; mpi_name && i < REFERENCE_OP_COUNT; i++)
        if (strcmp(name[i], mpi_name) == 0) {
            *out_op = (enum reference_op)i;
            return true;
        }
    return false;
}

size_t reference_basic_size(enum reference_basic basic)
{
    static const size_t size[REFERENCE_BASIC_COUNT] = {
        1, 1, 2, 2, 4, 4, 8, 8, sizeof(float), sizeof(double)};

    CORE_CHECK(basic < REFERENCE_BASIC_COUNT);
    return size[basic];
}

/* Loads the element, extended to 64 bits by its sign or by zeros. */
static uint64_t reference_load(enum reference_basic basic, const unsigned char *at)
{
    size_t size = reference_basic_size(basic);
    uint64_t value = 0;

    CORE_CHECK(basic < REFERENCE_FLOAT);
    memcpy(&value, at, size); /* all machines that crosswait runs on are little-endian */
    if (basic % 2 == 0 && size < 8 && value >> (8 * size - 1))
        value |= ~(uint64_t)0 << (8 * size);
    return value;
}

static uint64_t reference_combine(enum reference_op op, bool is_signed, uint64_t a, uint64_t b)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

    switch (op) {
    case REFERENCE_SUM:
        return a + b;
    case REFERENCE_PROD:
        return a * b;
    case REFERENCE_MAX:
        return less ? b : a;
    case REFERENCE_MIN:
        return less ? a : b;
    case REFERENCE_LAND:
        return a && b;
    case REFERENCE_LOR:
        return a || b;
    case REFERENCE_LXOR:
        return !a != !b;
    case REFERENCE_BAND:
        return a & b;
    case REFERENCE_BOR:
        return a | b;
    default:
        CORE_CHECK(op == REFERENCE_BXOR);
        return a ^ b;
    }
}

static bool integers_equal(enum reference_basic basic, enum reference_op op,
                           const unsigned char *const *x, uint32_t count, uint64_t offset,
                           const unsigned char *got)
{
    size_t size = reference_basic_size(basic);
    uint64_t result = reference_load(basic, x[0] + offset);

    for (uint32_t i = 1; i < count; i++)
        result =
            reference_combine(op, basic % 2 == 0, result, reference_load(basic, x[i] + offset));
    return memcmp(&result, got, size) == 0;
}

static long double load_real(enum reference_basic basic, const unsigned char *at)
{
    float narrow;
    double wide;

    if (basic == REFERENCE_FLOAT) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static bool reals_equal(enum reference_basic basic, enum reference_op op,
                        const unsigned char *const *x, uint32_t count, uint64_t offset,
                        const unsigned char *got)
{
    long double result = load_real(basic, x[0] + offset), scale = fabsl(result),
                found = load_real(basic, got);
    long double epsilon = basic == REFERENCE_FLOAT ? FLT_EPSILON : DBL_EPSILON;

    for (uint32_t i = 1; i < count; i++) {
        long double next = load_real(basic, x[i] + offset);
        switch (op) {
        case REFERENCE_SUM:
            result += next;
            scale += fabsl(next);
            break;
        case REFERENCE_PROD:
            result *= next;
            scale = fabsl(result);
            break;
        case REFERENCE_MAX:
            result = fmaxl(result, next);
            break;
        case REFERENCE_MIN:
            result = fminl(result, next);
            break;
        default:
            return true; /* undefined for floating point, so nothing to compare */
        }
    }
    if (isnan(result) || isnan(found) || isinf(result) ||
        isinf(found)) /* which intermediate result overflows depends on the order */
        return true;
    if (op == REFERENCE_MAX || op == REFERENCE_MIN)
        return result == found;
    return fabsl(result - found) <=
           2 * count * epsilon * scale + (basic == REFERENCE_FLOAT ? FLT_MIN : DBL_MIN);
}

bool reference_fold_equals(enum reference_basic basic, enum reference_op op,
                           const unsigned char *const *x, uint32_t count, uint64_t index,
                           const unsigned char *got)
{
    uint64_t offset = index * reference_basic_size(basic);

    CORE_CHECK(count > 0); /* a fold of no operands has no result */
    CORE_CHECK(op < REFERENCE_OP_COUNT);
    if (basic >= REFERENCE_FLOAT)
        return reals_equal(basic, op, x, count, offset, got + offset);
    return integers_equal(basic, op, x, count, offset, got + offset);
}
