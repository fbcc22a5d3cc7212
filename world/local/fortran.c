/* Handles as numbers, for Fortran and for programs of other ABIs. One table holds all kinds; a
 * handle keeps its number. */
#include "world/exchange/file.h"
#include "world/exchange/rma.h"
#include "world/state.h"
#include "world_newer.h"
#ifdef WORLD_SHIM
#include "world/shims/numbers.h"
#endif

/* mpi.h does not always declare these. */
extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub, ompi_mpi_integer16;

/* The numbers of predefined handles in programs: in Fortran, those of Open MPI's mpif.h; behind a
 * shim, those of the other ABI's mpi.h. */
static const struct {
    enum world_handle_kind kind;
    MPI_Fint number;
    void *handle;
} predefined[] = {
#ifdef WORLD_SHIM
#include "shim_handles.h"
#else
    {HANDLE_COMM, 0, MPI_COMM_WORLD},
    {HANDLE_COMM, 1, MPI_COMM_SELF},
    {HANDLE_COMM, 2, MPI_COMM_NULL},
    {HANDLE_GROUP, 0, MPI_GROUP_NULL},
    {HANDLE_GROUP, 1, MPI_GROUP_EMPTY},
    {HANDLE_TYPE, 0, MPI_DATATYPE_NULL},
    {HANDLE_TYPE, 1, MPI_BYTE},
    {HANDLE_TYPE, 2, MPI_PACKED},
    {HANDLE_TYPE, 3, &ompi_mpi_ub},
    {HANDLE_TYPE, 4, &ompi_mpi_lb},
    {HANDLE_TYPE, 5, MPI_CHARACTER},
    {HANDLE_TYPE, 6, MPI_LOGICAL},
    {HANDLE_TYPE, 7, MPI_INTEGER},
    {HANDLE_TYPE, 8, MPI_INTEGER1},
    {HANDLE_TYPE, 9, MPI_INTEGER2},
    {HANDLE_TYPE, 10, MPI_INTEGER4},
    {HANDLE_TYPE, 11, MPI_INTEGER8},
    {HANDLE_TYPE, 12, &ompi_mpi_integer16},
    {HANDLE_TYPE, 13, MPI_REAL},
    {HANDLE_TYPE, 14, MPI_REAL4},
    {HANDLE_TYPE, 15, MPI_REAL8},
    {HANDLE_TYPE, 16, MPI_REAL16},
    {HANDLE_TYPE, 17, MPI_DOUBLE_PRECISION},
    {HANDLE_TYPE, 18, MPI_COMPLEX},
    {HANDLE_TYPE, 19, MPI_COMPLEX8},
    {HANDLE_TYPE, 20, MPI_COMPLEX16},
    {HANDLE_TYPE, 21, MPI_COMPLEX32},
    {HANDLE_TYPE, 22, MPI_DOUBLE_COMPLEX},
    {HANDLE_TYPE, 23, MPI_2REAL},
    {HANDLE_TYPE, 24, MPI_2DOUBLE_PRECISION},
    {HANDLE_TYPE, 25, MPI_2INTEGER},
    {HANDLE_TYPE, 26, MPI_2COMPLEX},
    {HANDLE_TYPE, 27, MPI_2DOUBLE_COMPLEX},
    {HANDLE_TYPE, 29, MPI_LOGICAL1},
    {HANDLE_TYPE, 30, MPI_LOGICAL2},
    {HANDLE_TYPE, 31, MPI_LOGICAL4},
    {HANDLE_TYPE, 32, MPI_LOGICAL8},
    {HANDLE_TYPE, 33, MPI_WCHAR},
    {HANDLE_TYPE, 34, MPI_CHAR},
    {HANDLE_TYPE, 35, MPI_UNSIGNED_CHAR},
    {HANDLE_TYPE, 36, MPI_SIGNED_CHAR},
    {HANDLE_TYPE, 37, MPI_SHORT},
    {HANDLE_TYPE, 38, MPI_UNSIGNED_SHORT},
    {HANDLE_TYPE, 39, MPI_INT},
    {HANDLE_TYPE, 40, MPI_UNSIGNED},
    {HANDLE_TYPE, 41, MPI_LONG},
    {HANDLE_TYPE, 42, MPI_UNSIGNED_LONG},
    {HANDLE_TYPE, 43, MPI_LONG_LONG},
    {HANDLE_TYPE, 44, MPI_UNSIGNED_LONG_LONG},
    {HANDLE_TYPE, 45, MPI_FLOAT},
    {HANDLE_TYPE, 46, MPI_DOUBLE},
    {HANDLE_TYPE, 47, MPI_LONG_DOUBLE},
    {HANDLE_TYPE, 48, MPI_FLOAT_INT},
    {HANDLE_TYPE, 49, MPI_DOUBLE_INT},
    {HANDLE_TYPE, 50, MPI_LONG_DOUBLE_INT},
    {HANDLE_TYPE, 51, MPI_LONG_INT},
    {HANDLE_TYPE, 52, MPI_2INT},
    {HANDLE_TYPE, 53, MPI_SHORT_INT},
    {HANDLE_TYPE, 54, MPI_CXX_BOOL},
    {HANDLE_TYPE, 55, MPI_CXX_FLOAT_COMPLEX},
    {HANDLE_TYPE, 56, MPI_CXX_DOUBLE_COMPLEX},
    {HANDLE_TYPE, 57, MPI_CXX_LONG_DOUBLE_COMPLEX},
    {HANDLE_TYPE, 58, MPI_INT8_T},
    {HANDLE_TYPE, 59, MPI_UINT8_T},
    {HANDLE_TYPE, 60, MPI_INT16_T},
    {HANDLE_TYPE, 61, MPI_UINT16_T},
    {HANDLE_TYPE, 62, MPI_INT32_T},
    {HANDLE_TYPE, 63, MPI_UINT32_T},
    {HANDLE_TYPE, 64, MPI_INT64_T},
    {HANDLE_TYPE, 65, MPI_UINT64_T},
    {HANDLE_TYPE, 66, MPI_AINT},
    {HANDLE_TYPE, 67, MPI_OFFSET},
    {HANDLE_TYPE, 68, MPI_C_BOOL},
    {HANDLE_TYPE, 69, MPI_C_FLOAT_COMPLEX},
    {HANDLE_TYPE, 70, MPI_C_DOUBLE_COMPLEX},
    {HANDLE_TYPE, 71, MPI_C_LONG_DOUBLE_COMPLEX},
    {HANDLE_TYPE, 72, MPI_COUNT},
    {HANDLE_OP, 0, MPI_OP_NULL},
    {HANDLE_OP, 1, MPI_MAX},
    {HANDLE_OP, 2, MPI_MIN},
    {HANDLE_OP, 3, MPI_SUM},
    {HANDLE_OP, 4, MPI_PROD},
    {HANDLE_OP, 5, MPI_LAND},
    {HANDLE_OP, 6, MPI_BAND},
    {HANDLE_OP, 7, MPI_LOR},
    {HANDLE_OP, 8, MPI_BOR},
    {HANDLE_OP, 9, MPI_LXOR},
    {HANDLE_OP, 10, MPI_BXOR},
    {HANDLE_OP, 11, MPI_MAXLOC},
    {HANDLE_OP, 12, MPI_MINLOC},
    {HANDLE_OP, 13, MPI_REPLACE},
    {HANDLE_OP, 14, MPI_NO_OP},
    {HANDLE_ERRHANDLER, 0, MPI_ERRHANDLER_NULL},
    {HANDLE_ERRHANDLER, 1, MPI_ERRORS_ARE_FATAL},
    {HANDLE_ERRHANDLER, 2, MPI_ERRORS_RETURN},
    {HANDLE_INFO, 0, MPI_INFO_NULL},
    {HANDLE_INFO, 1, MPI_INFO_ENV},
    {HANDLE_REQUEST, 0, MPI_REQUEST_NULL},
    {HANDLE_MESSAGE, 0, MPI_MESSAGE_NULL},
    {HANDLE_MESSAGE, 1, MPI_MESSAGE_NO_PROC},
    {HANDLE_WIN, 0, MPI_WIN_NULL},
    {HANDLE_FILE, 0, MPI_FILE_NULL},
    {HANDLE_SESSION, 0, MPI_SESSION_NULL},
#endif
};
_Static_assert(sizeof(MPI_Status) % sizeof(MPI_Fint) == 0, "a status is an array of integers");

#ifndef WORLD_SHIM
enum { NUMBER_FIRST = 128 }; /* first number of a handle that a program makes */

static MPI_Fint number_made(enum world_handle_kind kind, int index)
{
    (void)kind;
    return NUMBER_FIRST + index;
}

/* Returns the index of a handle that a program made; negative if the number is no such handle. */
static int number_index(enum world_handle_kind kind, MPI_Fint number)
{
    (void)kind;
    return number - NUMBER_FIRST;
}
#endif

static void *predefined_handle(enum world_handle_kind kind, MPI_Fint number)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (predefined[i].kind == kind && predefined[i].number == number)
            return predefined[i].handle;
    return NULL;
}

/* Returns the number of a predefined handle; false if it is not predefined. */
static bool predefined_number(const void *handle, MPI_Fint *out_number)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (predefined[i].handle == handle) {
            *out_number = predefined[i].number;
            return true;
        }
    return false;
}

static int handle_put(void *handle)
{
    struct world_extra *extra = world_extra();
    if (extra->fortran_count == extra->fortran_room) {
        int room = extra->fortran_room ? 2 * extra->fortran_room : 16;
        void **bigger = world_alloc((size_t)room * sizeof *bigger);
        if (extra->fortran_count)
            memcpy(bigger, extra->fortran, (size_t)extra->fortran_count * sizeof *bigger);
        extra->fortran = bigger;
        extra->fortran_room = room;
    }
    CORE_CHECK(extra->fortran_count < extra->fortran_room);
    extra->fortran[extra->fortran_count] = handle;
    return extra->fortran_count++;
}

static void *handle_of(enum world_handle_kind kind, MPI_Fint number, void *null)
{
    const struct world_extra *extra = world_extra();
    int index = number_index(kind, number);
    CORE_CHECK(extra->fortran_count >= 0);
    if (index >= 0 && index < extra->fortran_count)
        return extra->fortran[index];
    void *known = predefined_handle(kind, number);
    return known ? known : null;
}

#ifdef WORLD_SHIM
/* Returns the handle's number, which never changes. */
static MPI_Fint number_of(enum world_handle_kind kind, void *handle)
{
    struct world_handle *head = handle;
    if (!head) /* no handle */
        return -1;
    CORE_CHECK(head->number || head->magic); /* it is an object of ours */
    if (!head->number && !predefined_number(handle, &head->number))
        head->number = number_made(kind, handle_put(handle));
    return head->number;
}

MPI_Fint world_handle_number(void *handle)
{
    const struct world_handle *head = handle;
    enum world_handle_kind kind =
        head ? (enum world_handle_kind)(head->magic & 0xffff) : HANDLE_COMM;
    CORE_CHECK(kind < HANDLE_KIND_COUNT);
    return number_of(kind, handle);
}

void *world_number_handle(enum world_handle_kind kind, MPI_Fint number)
{
    return handle_of(kind, number, NULL);
}
#else
static MPI_Fint number_of(enum world_handle_kind kind, void *handle)
{
    MPI_Fint number;
    if (predefined_number(handle, &number)) {
        CORE_CHECK(number < NUMBER_FIRST);
        return number;
    }
    const struct world_extra *extra = world_extra();
    for (int i = extra->fortran_count - 1; i >= 0; i--)
        if (extra->fortran[i] == handle)
            return number_made(kind, i);
    return number_made(kind, handle_put(handle));
}
#endif

void world_numbers_each(const struct world_rank *rank, const void *begin, size_t bytes,
                        world_range_fn visit, void *context)
{
    const struct world_extra *extra = rank->extra;
    CORE_CHECK(!extra || extra->fortran_count <= extra->fortran_room);
    if (!extra || !extra->fortran_count)
        return;
    for (size_t at = 0; at + sizeof(MPI_Fint) <= bytes; at += sizeof(MPI_Fint)) {
        MPI_Fint number;
        memcpy(&number, (const char *)begin + at, sizeof number);
        for (int kind = HANDLE_COMM; kind < HANDLE_KIND_COUNT; kind++) {
            int index = number_index((enum world_handle_kind)kind, number);
            if (index >= 0 && index < extra->fortran_count) {
                visit(context, &extra->fortran[index], sizeof(void *));
                break;
            }
        }
    }
}

MPI_Fint world_group_number(MPI_Group group)
{
    bool wanted = WORLD_PROCESSES && world_extra()->from_fortran;
    return wanted ? number_of(HANDLE_GROUP, group) : 0;
}

/* Returns the number and stores it in a request: Open MPI's Fortran library reads it there after a
 * wait or test. */
static MPI_Fint numbered(enum world_handle_kind kind, void *handle)
{
    MPI_Fint number = number_of(kind, handle);
    if (kind == HANDLE_REQUEST && handle != MPI_REQUEST_NULL)
        ((struct ompi_request_t *)handle)->fortran = number;
    return number;
}

#define BOTH(Name, Type, null, KIND)          \
    MPI_Fint MPI_##Name##_c2f(Type handle)    \
    {                                         \
        ENTER_LOCAL("MPI_" #Name "_c2f");     \
        return numbered(KIND, handle);        \
    }                                         \
    Type MPI_##Name##_f2c(MPI_Fint number)    \
    {                                         \
        ENTER_LOCAL("MPI_" #Name "_f2c");     \
        world_extra()->from_fortran = true;   \
        return handle_of(KIND, number, null); \
    }                                         \
    int MPI_##Name##_toint(Type handle)       \
    {                                         \
        ENTER_LOCAL("MPI_" #Name "_toint");   \
        return numbered(KIND, handle);        \
    }                                         \
    Type MPI_##Name##_fromint(int number)     \
    {                                         \
        ENTER_LOCAL("MPI_" #Name "_fromint"); \
        return handle_of(KIND, number, null); \
    }
BOTH(Comm, MPI_Comm, MPI_COMM_NULL, HANDLE_COMM)
BOTH(Group, MPI_Group, MPI_GROUP_NULL, HANDLE_GROUP)
BOTH(Type, MPI_Datatype, MPI_DATATYPE_NULL, HANDLE_TYPE)
BOTH(Op, MPI_Op, MPI_OP_NULL, HANDLE_OP)
BOTH(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL, HANDLE_ERRHANDLER)
BOTH(Info, MPI_Info, MPI_INFO_NULL, HANDLE_INFO)
BOTH(Request, MPI_Request, MPI_REQUEST_NULL, HANDLE_REQUEST)
BOTH(Message, MPI_Message, MPI_MESSAGE_NULL, HANDLE_MESSAGE)
BOTH(Win, MPI_Win, MPI_WIN_NULL, HANDLE_WIN)
BOTH(File, MPI_File, MPI_FILE_NULL, HANDLE_FILE)
BOTH(Session, MPI_Session, MPI_SESSION_NULL, HANDLE_SESSION)

#if !WORLD_PROCESSES /* processes: ranks/mpifh.c has some */
MPI_Fint *MPI_F_STATUS_IGNORE = NULL;
MPI_Fint *MPI_F_STATUSES_IGNORE = NULL;
#endif

int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    ENTER_LOCAL("MPI_Status_c2f");
    if (!c_status || !f_status)
        return world_error(NULL, MPI_ERR_ARG, "NULL status");
    memcpy(f_status, c_status, sizeof *c_status);
    return MPI_SUCCESS;
}

int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    ENTER_LOCAL("MPI_Status_f2c");
    if (!c_status || !f_status)
        return world_error(NULL, MPI_ERR_ARG, "NULL status");
    memcpy(c_status, f_status, sizeof *c_status);
    return MPI_SUCCESS;
}
