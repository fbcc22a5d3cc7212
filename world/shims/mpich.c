/* The part of libmpi that programs and libraries of MPICH's ABI need besides its functions. */
#include "world/shims/shim.h"

int shim_Comm_get_attr(int object, int key, void *value, int *flag) __asm__("MPI_Comm_get_attr");
int shim_Comm_set_attr(int object, int key, void *value) __asm__("MPI_Comm_set_attr");
int shim_Type_get_attr(int object, int key, void *value, int *flag) __asm__("MPI_Type_get_attr");
int shim_Type_set_attr(int object, int key, void *value) __asm__("MPI_Type_set_attr");
int shim_Win_get_attr(int object, int key, void *value, int *flag) __asm__("MPI_Win_get_attr");
int shim_Win_set_attr(int object, int key, void *value) __asm__("MPI_Win_set_attr");

int *const MPI_UNWEIGHTED_ __asm__("MPI_UNWEIGHTED") = MPI_UNWEIGHTED;
int *const MPI_WEIGHTS_EMPTY_ __asm__("MPI_WEIGHTS_EMPTY") = MPI_WEIGHTS_EMPTY;

static MPI_Fint ignored[sizeof(MPI_Status) / sizeof(MPI_Fint)];
MPI_Fint *MPI_F_STATUS_IGNORE = ignored, *MPI_F_STATUSES_IGNORE = ignored;

/* MPI_COMM_DUP_FN and its like; callbacks that copy nothing are NULL. */
int MPIR_Dup_fn(int object, int key, void *extra, void *in, void *out, int *flag);
int MPIR_Dup_fn(int object, int key, void *extra, void *in, void *out, int *flag)
{
    (void)object, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* --- for its Fortran library ------------------------------------------------------------------ */

/* mpi_f08 gives these to C; the library's own MPI_Init sets them. */
int *MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED, *MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;

#define ATTRIBUTES(Name)                                                               \
    int MPII_##Name##_get_attr(int object, int key, void *value, int *flag, int kind); \
    int MPII_##Name##_get_attr(int object, int key, void *value, int *flag, int kind)  \
    {                                                                                  \
        void *found;                                                                   \
        int code = shim_##Name##_get_attr(object, key, &found, flag);                  \
        if (code || !*flag)                                                            \
            return code;                                                               \
        if (kind == OF_INT)                                                            \
            *(int *)value = (int)world_attribute_number(key, found);                   \
        else                                                                           \
            *(MPI_Aint *)value = world_attribute_number(key, found);                   \
        return code;                                                                   \
    }                                                                                  \
    int MPII_##Name##_set_attr(int object, int key, void *value, int kind);            \
    int MPII_##Name##_set_attr(int object, int key, void *value, int kind)             \
    {                                                                                  \
        (void)kind;                                                                    \
        return shim_##Name##_set_attr(object, key, value);                             \
    }
enum { OF_INT = 3 }; /* an attribute that is a number of the size of an int */
ATTRIBUTES(Comm)
ATTRIBUTES(Type)
ATTRIBUTES(Win)

void MPII_Keyval_set_proxy(int key, world_copy_proxy_fn *copy, world_delete_proxy_fn *drop);
void MPII_Keyval_set_proxy(int key, world_copy_proxy_fn *copy, world_delete_proxy_fn *drop)
{
    world_keyval_proxy(key, copy, drop);
}

/* Makes the callbacks of Fortran get the program's own state. */
void MPII_Grequest_set_lang_f77(int handle);
void MPII_Grequest_set_lang_f77(int handle)
{
    MPI_Request request = shim_object(HANDLE_REQUEST, handle);
    if (!request || !request->general)
        return;
    CORE_CHECK(!request->general->fortran && request->general->state);
    request->general->fortran = true;
    request->general->state = (void *)*(MPI_Aint *)request->general->state;
}
