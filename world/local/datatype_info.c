/* Queries of datatypes. */
#include "world/state.h"

static int datatype_info_check(MPI_Datatype type)
{
    return world_type_check(type, false)
               ? world_error(NULL, MPI_ERR_TYPE, "the datatype is null or freed")
               : MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    ENTER_LOCAL("MPI_Type_size");
    int code = datatype_info_check(type);
    if (code == MPI_SUCCESS)
        *size = type->size > 0x7fffffff ? MPI_UNDEFINED : (int)type->size;
    return code;
}

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    ENTER_LOCAL("MPI_Type_size_x");
    int code = datatype_info_check(type);
    if (code == MPI_SUCCESS)
        *size = (MPI_Count)type->size;
    return code;
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    ENTER_LOCAL("MPI_Type_get_extent");
    int code = datatype_info_check(type);
    if (code == MPI_SUCCESS) {
        *lb = type->lb;
        *extent = type_extent(type);
    }
    return code;
}

int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
    MPI_Aint low, reach;
    int code = MPI_Type_get_extent(type, &low, &reach);
    if (code == MPI_SUCCESS) {
        *lb = low;
        *extent = reach;
    }
    return code;
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
    ENTER_LOCAL("MPI_Type_get_true_extent");
    int code = datatype_info_check(type);
    if (code == MPI_SUCCESS) {
        *true_lb = type->true_lb;
        *true_extent = type->true_ub - type->true_lb;
    }
    return code;
}

int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *true_lb, MPI_Count *true_extent)
{
    MPI_Aint low, reach;
    int code = MPI_Type_get_true_extent(type, &low, &reach);
    if (code == MPI_SUCCESS) {
        *true_lb = low;
        *true_extent = reach;
    }
    return code;
}

int MPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types,
                          int *combiner)
{
    ENTER_LOCAL("MPI_Type_get_envelope");
    int code = datatype_info_check(type);
    if (code)
        return code;
    const struct world_envelope *envelope = type->envelope;
    CORE_CHECK(envelope || type->predefined);
    *integers = envelope ? envelope->integer_count : 0;
    *addresses = envelope ? envelope->address_count : 0;
    *types = envelope ? envelope->type_count : 0;
    *combiner = envelope ? envelope->combiner : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

MPI_Datatype world_type_again(MPI_Datatype type)
{
    if (type->predefined)
        return type;
    MPI_Datatype copy = world_handle_new(HANDLE_TYPE, sizeof *copy);
    struct world_handle handle = copy->handle;
    CORE_CHECK(type->envelope); /* only predefined types have none */
    *copy = *type;
    copy->handle = handle;
    return copy;
}

int MPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_types,
                          int integers[], MPI_Aint addresses[], MPI_Datatype types[])
{
    ENTER_LOCAL("MPI_Type_get_contents");
    int code = datatype_info_check(type);
    if (code)
        return code;
    const struct world_envelope *envelope = type->envelope;
    if (!envelope)
        return world_error(NULL, MPI_ERR_TYPE, "a predefined datatype has no contents");
    CORE_CHECK(envelope->combiner != MPI_COMBINER_NAMED); /* it has no contents */
    if (max_integers < envelope->integer_count || max_addresses < envelope->address_count ||
        max_types < envelope->type_count)
        return world_error(NULL, MPI_ERR_ARG, "the arrays are too small");
    for (int i = 0; i < envelope->integer_count; i++)
        integers[i] = envelope->integer[i];
    for (int i = 0; i < envelope->address_count; i++)
        addresses[i] = envelope->address[i];
    for (int i = 0; i < envelope->type_count; i++)
        types[i] = world_type_again(envelope->type[i]);
    return MPI_SUCCESS;
}

static const char *name_of(MPI_Datatype type)
{
    const struct world_type_name *given = ME->extra ? ME->extra->type_name : NULL;
    while (given && given->type != type)
        given = given->next;
    return given ? given->name : type->name;
}

int MPI_Type_get_name(MPI_Datatype type, char *type_name, int *resultlen)
{
    ENTER_LOCAL("MPI_Type_get_name");
    if (type == MPI_DATATYPE_NULL || world_type_check(type, false))
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null or freed");
    const char *name = name_of(type);
    size_t length = strlen(name);
    CORE_CHECK(length < MPI_MAX_OBJECT_NAME);
    memcpy(type_name, name, length + 1);
    *resultlen = (int)length;
    return MPI_SUCCESS;
}

int MPI_Type_set_name(MPI_Datatype type, const char *type_name)
{
    ENTER_LOCAL("MPI_Type_set_name");
    int code = datatype_info_check(type);
    if (code == MPI_SUCCESS) {
        char *name = world_strdup(type_name);
        if (strlen(name) >= MPI_MAX_OBJECT_NAME)
            name[MPI_MAX_OBJECT_NAME - 1] = 0;
        CORE_CHECK(strlen(name) < MPI_MAX_OBJECT_NAME);
        struct world_type_name *given = type->predefined ? world_alloc(sizeof *given) : NULL;
        if (given) {
            *given = (struct world_type_name){world_extra()->type_name, type, name};
            world_extra()->type_name = given;
        } else {
            type->name = name;
        }
    }
    return code;
}

int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type)
{
    ENTER_LOCAL("MPI_Type_match_size");
    MPI_Datatype found = NULL;
    if (typeclass == MPI_TYPECLASS_INTEGER)
        found = size == 1   ? MPI_INT8_T
                : size == 2 ? MPI_INT16_T
                : size == 4 ? MPI_INT32_T
                : size == 8 ? MPI_INT64_T
                            : NULL;
    else if (typeclass == MPI_TYPECLASS_REAL)
        found = size == 4    ? MPI_FLOAT
                : size == 8  ? MPI_DOUBLE
                : size == 16 ? MPI_LONG_DOUBLE
                             : NULL;
    else if (typeclass == MPI_TYPECLASS_COMPLEX)
        found = size == 8    ? MPI_C_FLOAT_COMPLEX
                : size == 16 ? MPI_C_DOUBLE_COMPLEX
                : size == 32 ? MPI_C_LONG_DOUBLE_COMPLEX
                             : NULL;
    if (!found)
        return world_error(NULL, MPI_ERR_ARG, "class %d, size %d", typeclass, size);
    CORE_CHECK(found->size == (size_t)size);
    *type = found;
    return MPI_SUCCESS;
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    ENTER_LOCAL("MPI_Get_address");
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}
