/* The predefined datatypes of mpi.h, as Open MPI defines them on x86-64. */
#include "world/state.h"

#define HANDLE_OF(kind)                                                                  \
    {                                                                                    \
        .magic = (uint32_t)HANDLE_MAGIC + (kind), .references = 1, .made_by = "MPI_Init" \
    }

#define BASIC(symbol, title, kind, bytes)                            \
    _Static_assert((bytes) > 0 && ((bytes) & ((bytes)-1)) == 0,      \
                   "a basic is a power of two, so it is aligned");   \
    struct ompi_predefined_datatype_t ompi_mpi_##symbol = {          \
        {.handle = HANDLE_OF(HANDLE_TYPE),                           \
         .predefined = true,                                         \
         .committed = true,                                          \
         .dense = true,                                              \
         .uniform = true,                                            \
         .align = (bytes) > 16 ? 16 : (bytes),                       \
         .size = (bytes),                                            \
         .ub = (bytes),                                              \
         .true_ub = (bytes),                                         \
         .run = (struct world_run[]){{0, 1, BASIC_##kind, (bytes)}}, \
         .run_count = 1,                                             \
         .basic_count = 1,                                           \
         .name = title}};

/* A value followed by an int, for MINLOC and MAXLOC. */
#define PAIR(symbol, title, kind, value_bytes, int_at, bytes, extent)     \
    _Static_assert((bytes) == (value_bytes) + 4, "a value and an int");   \
    _Static_assert((int_at) >= (value_bytes) && (int_at) + 4 <= (extent), \
                   "the int lies behind the value, inside of the pair");  \
    struct ompi_predefined_datatype_t ompi_mpi_##symbol = {               \
        {.handle = HANDLE_OF(HANDLE_TYPE),                                \
         .predefined = true,                                              \
         .committed = true,                                               \
         .dense = (bytes) == (extent),                                    \
         .align = (value_bytes) > 4 ? (value_bytes) : 4,                  \
         .pair = BASIC_##kind,                                            \
         .size = (bytes),                                                 \
         .ub = (extent),                                                  \
         .true_ub = (int_at) + 4,                                         \
         .run = (struct world_run[]){{0, 1, BASIC_##kind, (value_bytes)}, \
                                     {(int_at), 1, BASIC_I32, 4}},        \
         .run_count = 2,                                                  \
         .basic_count = 2,                                                \
         .name = title}};

#define TWO(symbol, title, kind, bytes)                              \
    struct ompi_predefined_datatype_t ompi_mpi_##symbol = {          \
        {.handle = HANDLE_OF(HANDLE_TYPE),                           \
         .predefined = true,                                         \
         .committed = true,                                          \
         .dense = true,                                              \
         .uniform = true,                                            \
         .align = (bytes),                                           \
         .pair = BASIC_##kind,                                       \
         .size = 2 * (bytes),                                        \
         .ub = 2 * (bytes),                                          \
         .true_ub = 2 * (bytes),                                     \
         .run = (struct world_run[]){{0, 2, BASIC_##kind, (bytes)}}, \
         .run_count = 1,                                             \
         .basic_count = 2,                                           \
         .name = title}};

struct ompi_predefined_datatype_t ompi_mpi_datatype_null = {
    {.handle = {.magic = HANDLE_DEAD}, .name = "MPI_DATATYPE_NULL"}};
/* The old markers MPI_LB and MPI_UB, which have only a bound. */
#define MARKER(symbol, title, bound)                                                          \
    struct ompi_predefined_datatype_t ompi_mpi_##symbol = {{.handle = HANDLE_OF(HANDLE_TYPE), \
                                                            .predefined = true,               \
                                                            .align = 1,                       \
                                                            bound = true,                     \
                                                            .name = title}};
MARKER(lb, "MPI_LB", .lb_given)
MARKER(ub, "MPI_UB", .ub_given)

BASIC(byte, "MPI_BYTE", BYTE, 1)
BASIC(packed, "MPI_PACKED", PACKED, 1)
BASIC(char, "MPI_CHAR", CHAR, 1)
BASIC(signed_char, "MPI_SIGNED_CHAR", I8, 1)
BASIC(unsigned_char, "MPI_UNSIGNED_CHAR", U8, 1)
BASIC(short, "MPI_SHORT", I16, 2)
BASIC(unsigned_short, "MPI_UNSIGNED_SHORT", U16, 2)
BASIC(int, "MPI_INT", I32, 4)
BASIC(unsigned, "MPI_UNSIGNED", U32, 4)
BASIC(long, "MPI_LONG", I64, 8)
BASIC(unsigned_long, "MPI_UNSIGNED_LONG", U64, 8)
BASIC(long_long_int, "MPI_LONG_LONG", I64, 8)
BASIC(unsigned_long_long, "MPI_UNSIGNED_LONG_LONG", U64, 8)
BASIC(float, "MPI_FLOAT", F32, 4)
BASIC(double, "MPI_DOUBLE", F64, 8)
BASIC(long_double, "MPI_LONG_DOUBLE", F80, 16)
BASIC(wchar, "MPI_WCHAR", WCHAR, 4)
BASIC(cxx_bool, "MPI_CXX_BOOL", BOOL, 1)
BASIC(cxx_cplex, "MPI_CXX_FLOAT_COMPLEX", C32, 8)
BASIC(cxx_dblcplex, "MPI_CXX_DOUBLE_COMPLEX", C64, 16)
BASIC(cxx_ldblcplex, "MPI_CXX_LONG_DOUBLE_COMPLEX", C80, 32)
BASIC(logical, "MPI_LOGICAL", I32, 4)
BASIC(character, "MPI_CHARACTER", CHAR, 1)
BASIC(integer, "MPI_INTEGER", I32, 4)
BASIC(real, "MPI_REAL", F32, 4)
BASIC(dblprec, "MPI_DOUBLE_PRECISION", F64, 8)
BASIC(cplex, "MPI_COMPLEX", C32, 8)
BASIC(dblcplex, "MPI_DOUBLE_COMPLEX", C64, 16)
BASIC(ldblcplex, "MPI_LONG_DOUBLE_COMPLEX", C80, 32)
BASIC(logical1, "MPI_LOGICAL1", I8, 1)
BASIC(logical2, "MPI_LOGICAL2", I16, 2)
BASIC(logical4, "MPI_LOGICAL4", I32, 4)
BASIC(logical8, "MPI_LOGICAL8", I64, 8)
BASIC(integer1, "MPI_INTEGER1", I8, 1)
BASIC(integer2, "MPI_INTEGER2", I16, 2)
BASIC(integer4, "MPI_INTEGER4", I32, 4)
BASIC(integer8, "MPI_INTEGER8", I64, 8)
BASIC(integer16, "MPI_INTEGER16", I128, 16)
BASIC(real4, "MPI_REAL4", F32, 4)
BASIC(real8, "MPI_REAL8", F64, 8)
BASIC(real16, "MPI_REAL16", F80, 16)
BASIC(complex8, "MPI_COMPLEX8", C32, 8)
BASIC(complex16, "MPI_COMPLEX16", C64, 16)
BASIC(complex32, "MPI_COMPLEX32", C80, 32)
BASIC(int8_t, "MPI_INT8_T", I8, 1)
BASIC(uint8_t, "MPI_UINT8_T", U8, 1)
BASIC(int16_t, "MPI_INT16_T", I16, 2)
BASIC(uint16_t, "MPI_UINT16_T", U16, 2)
BASIC(int32_t, "MPI_INT32_T", I32, 4)
BASIC(uint32_t, "MPI_UINT32_T", U32, 4)
BASIC(int64_t, "MPI_INT64_T", I64, 8)
BASIC(uint64_t, "MPI_UINT64_T", U64, 8)
BASIC(aint, "MPI_AINT", I64, 8)
BASIC(offset, "MPI_OFFSET", I64, 8)
BASIC(count, "MPI_COUNT", I64, 8)
BASIC(c_bool, "MPI_C_BOOL", BOOL, 1)
BASIC(c_float_complex, "MPI_C_FLOAT_COMPLEX", C32, 8)
BASIC(c_double_complex, "MPI_C_DOUBLE_COMPLEX", C64, 16)
BASIC(c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX", C80, 32)

PAIR(2int, "MPI_2INT", I32, 4, 4, 8, 8)
PAIR(2integer, "MPI_2INTEGER", I32, 4, 4, 8, 8)
PAIR(float_int, "MPI_FLOAT_INT", F32, 4, 4, 8, 8)
PAIR(double_int, "MPI_DOUBLE_INT", F64, 8, 8, 12, 16)
PAIR(longdbl_int, "MPI_LONG_DOUBLE_INT", F80, 16, 16, 20, 32)
PAIR(short_int, "MPI_SHORT_INT", I16, 2, 4, 6, 8)
PAIR(long_int, "MPI_LONG_INT", I64, 8, 8, 12, 16)
TWO(2real, "MPI_2REAL", F32, 4)
TWO(2dblprec, "MPI_2DOUBLE_PRECISION", F64, 8)
TWO(2cplex, "MPI_2COMPLEX", C32, 8)
TWO(2dblcplex, "MPI_2DOUBLE_COMPLEX", C64, 16)
