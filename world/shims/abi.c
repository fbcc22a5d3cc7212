/* The part of libmpi_abi that programs and libraries of the standard ABI need besides functions
 * that take handles. */
#include "world/shims/shim.h"

int MPI_Abi_get_version(int *major, int *minor);
int MPI_Abi_get_version(int *major, int *minor)
{
    *major = SHIM_MPI_ABI_VERSION;
    *minor = SHIM_MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

/* Defines conversions between a handle and a number, which are the same. The names in C are ours,
 * as an mpi.h of MPI 5 declares the functions with its own types. */
#define NUMBERED(Name)                                                              \
    int shim_##Name##_toint(shim_handle handle) __asm__("MPI_" #Name "_toint");     \
    int shim_##Name##_toint(shim_handle handle)                                     \
    {                                                                               \
        return (int)(intptr_t)handle;                                               \
    }                                                                               \
    shim_handle shim_##Name##_fromint(int number) __asm__("MPI_" #Name "_fromint"); \
    shim_handle shim_##Name##_fromint(int number)                                   \
    {                                                                               \
        return (shim_handle)(intptr_t)number;                                       \
    }
NUMBERED(Comm)
NUMBERED(Errhandler)
NUMBERED(File)
NUMBERED(Group)
NUMBERED(Info)
NUMBERED(Message)
NUMBERED(Op)
NUMBERED(Request)
NUMBERED(Session)
NUMBERED(Type)
NUMBERED(Win)
