/* Calls of MPI 4 and 5 that ask or set little things: fields of statuses, what the machine has, the
 * binary interface, and pairs of a value and an index. */
#include "world/state.h"
#include "world_newer.h"

#define FIELD(name, Field)                                        \
    int MPI_Status_get_##name(const MPI_Status *status, int *out) \
    {                                                             \
        *out = status->Field;                                     \
        return MPI_SUCCESS;                                       \
    }                                                             \
    int MPI_Status_set_##name(MPI_Status *status, int value)      \
    {                                                             \
        status->Field = value;                                    \
        return MPI_SUCCESS;                                       \
    }
FIELD(source, MPI_SOURCE)
FIELD(tag, MPI_TAG)
FIELD(error, MPI_ERROR)

/* Defines a call that makes an info, which has no keys. */
#define EMPTY_INFO(Name)              \
    int MPI_##Name(MPI_Info *info)    \
    {                                 \
        ENTER_ANY_TIME("MPI_" #Name); \
        *info = world_info_new(NULL); \
        return MPI_SUCCESS;           \
    }
EMPTY_INFO(Get_hw_resource_info)
EMPTY_INFO(Abi_get_info)

int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
    ENTER_ANY_TIME("MPI_Info_create_env");
    (void)argc, (void)argv;
    *info = world_info_new(NULL);
    return MPI_SUCCESS;
}

int MPI_Abi_get_version(int *abi_major, int *abi_minor)
{
#ifdef SHIM_abi
    *abi_major = SHIM_MPI_ABI_VERSION;
    *abi_minor = SHIM_MPI_ABI_SUBVERSION;
#else
    *abi_major = *abi_minor = -1; /* it is not the standard's */
#endif
    return MPI_SUCCESS;
}

int MPI_Abi_get_fortran_info(MPI_Info *info)
{
    *info = MPI_INFO_NULL; /* nobody has set any */
    return MPI_SUCCESS;
}

int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                 int *is_set)
{
    (void)logical_size, (void)logical_true, (void)logical_false;
    *is_set = 0;
    return MPI_SUCCESS;
}

int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                             MPI_Datatype *pair_type)
{
    ENTER_LOCAL("MPI_Type_get_value_index");
    static const struct {
        MPI_Datatype value, pair;
    } pairs[] = {{MPI_FLOAT, MPI_FLOAT_INT}, {MPI_DOUBLE, MPI_DOUBLE_INT},
                 {MPI_LONG, MPI_LONG_INT},   {MPI_SHORT, MPI_SHORT_INT},
                 {MPI_INT, MPI_2INT},        {MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT}};
    *pair_type = MPI_DATATYPE_NULL; /* as MPI says where there is no such pair */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && index_type == MPI_INT; i++)
        if (pairs[i].value == value_type)
            *pair_type = pairs[i].pair;
    return MPI_SUCCESS;
}
