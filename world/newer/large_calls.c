/* The large-count forms of MPI 4 (MPI_Send_c), generated from calls.table by newer.py; and those
 * that differ from their small forms in more than the width of numbers. */
#include "world/newer/counts.h"

#include "world_large_calls.h"

int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    ENTER("MPI_Get_count_c");
    int code = world_type_check(datatype, false);
    if (code)
        return world_error(NULL, code, "the datatype is null or freed");
    const size_t bytes = status->_ucount, one = datatype->size;
    *count = one == 0      ? (bytes == 0 ? 0 : MPI_UNDEFINED)
             : bytes % one ? MPI_UNDEFINED
                           : (MPI_Count)(bytes / one);
    return MPI_SUCCESS;
}

int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
    ALONE("MPI_Op_create_c")
    MPI_User_function *function;
    memcpy(&function, &user_fn, sizeof function);
    int code = MPI_Op_create(function, commute, op);
    CORE_CHECK(code || (*op)->function == function);
    if (code == MPI_SUCCESS)
        (*op)->wide = true;
    return code;
}

int MPI_Register_datarep_c(const char *datarep,
                           MPI_Datarep_conversion_function_c *read_conversion_fn,
                           MPI_Datarep_conversion_function_c *write_conversion_fn,
                           MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
    ALONE("MPI_Register_datarep_c")
    (void)read_conversion_fn, (void)write_conversion_fn;
    return MPI_Register_datarep(datarep, NULL, NULL, dtype_file_extent_fn, extra_state);
}

int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ALONE("MPI_Type_contiguous_c")
    int code = world_type_contiguous(count, oldtype, newtype);
    if (code == MPI_SUCCESS)
        (*newtype)->envelope->wide = true;
    return code;
}

/* The numbers of an envelope as a large-count form takes them. A type that such a form made has its
 * integers and addresses among the large counts; of subarrays and distributed arrays only those
 * that are sizes, which are integers [first, last). */
struct numbers {
    int integers, addresses, counts, first, last;
};

static struct numbers numbers_of(const struct world_envelope *e)
{
    struct numbers n = {0};
    if (!e)
        return n;
    n = (struct numbers){.integers = e->integer_count, .addresses = e->address_count};
    if (!e->wide)
        return n;
    if (e->combiner == MPI_COMBINER_SUBARRAY)
        n.first = 1, n.last = 1 + 3 * e->integer[0];
    else if (e->combiner == MPI_COMBINER_DARRAY)
        n.first = 3, n.last = 3 + e->integer[2];
    else
        n.last = n.integers, n.addresses = 0;
    n.counts = n.last - n.first + e->address_count - n.addresses;
    CORE_CHECK(n.first <= n.last && n.last <= n.integers);
    n.integers -= n.last - n.first;
    return n;
}

int MPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                            MPI_Count *num_addresses, MPI_Count *num_large_counts,
                            MPI_Count *num_datatypes, int *combiner)
{
    ALONE("MPI_Type_get_envelope_c")
    int integers, addresses, types = 0;
    int code = MPI_Type_get_envelope(datatype, &integers, &addresses, &types, combiner);
    if (code)
        return code;
    const struct numbers n = numbers_of(datatype->envelope);
    CORE_CHECK(n.counts >= 0 && n.integers + n.addresses + n.counts == integers + addresses);
    *num_integers = n.integers;
    *num_addresses = n.addresses;
    *num_large_counts = n.counts;
    *num_datatypes = types;
    return MPI_SUCCESS;
}

int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes,
                            int array_of_integers[], MPI_Aint array_of_addresses[],
                            MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[])
{
    ENTER_LOCAL("MPI_Type_get_contents_c");
    const struct world_envelope *e = world_type_check(datatype, false) ? NULL : datatype->envelope;
    if (!e)
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null, freed or predefined");
    const struct numbers n = numbers_of(e);
    if (max_integers < n.integers || max_addresses < n.addresses || max_large_counts < n.counts ||
        max_datatypes < e->type_count)
        return world_error(NULL, MPI_ERR_ARG, "the arrays are too small");
    int integers = 0, counts = 0;
    for (int i = 0; i < e->integer_count; i++)
        if (i < n.first || i >= n.last)
            array_of_integers[integers++] = e->integer[i];
        else
            array_of_large_counts[counts++] =
                e->combiner == MPI_COMBINER_CONTIGUOUS ? e->count : e->integer[i];
    for (int i = 0; i < e->address_count; i++)
        if (n.addresses)
            array_of_addresses[i] = e->address[i];
        else
            array_of_large_counts[counts++] = e->address[i];
    CORE_CHECK(integers == n.integers && counts == n.counts);
    for (int i = 0; i < e->type_count; i++)
        array_of_datatypes[i] = world_type_again(e->type[i]);
    return MPI_SUCCESS;
}
