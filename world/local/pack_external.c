/* external32: every basic in big-endian order, packed. Sizes are the basics' own, so MPI_LONG takes
 * 8 bytes as MPI_Pack_external_size of Open MPI says (the standard has 4); a long double becomes an
 * IEEE quadruple. */
#include "world/state.h"

static void pack_external_reverse(uint8_t *to, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[bytes - 1 - i];
}

/* Converts one number of `bytes` from native to external32 or back. */
static void pack_external_turn(uint8_t *to, const uint8_t *from, size_t bytes, bool quad, bool out)
{
    if (!quad) {
        pack_external_reverse(to, from, bytes);
        return;
    }
    CORE_CHECK(bytes == 16);
    long double native;
    __float128 wide;
    uint8_t raw[16];
    if (out) {
        memcpy(&native, from, sizeof native);
        wide = native;
        memcpy(raw, &wide, sizeof raw);
        pack_external_reverse(to, raw, sizeof raw);
    } else {
        pack_external_reverse(raw, from, sizeof raw);
        memcpy(&wide, raw, sizeof raw);
        native = (long double)wide;
        memset(to, 0, 16);
        memcpy(to, &native, sizeof native);
    }
}

static void turn_all(uint8_t *to, const uint8_t *from, size_t count, MPI_Datatype type, bool out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < type->run_count; r++) {
            const struct world_run *run = &type->run[r];
            bool complex =
                run->basic == BASIC_C32 || run->basic == BASIC_C64 || run->basic == BASIC_C80;
            bool quad = run->basic == BASIC_F80 || run->basic == BASIC_C80;
            size_t bytes = complex ? run->size / 2 : run->size,
                   numbers = run->count * run->size / bytes;
            CORE_CHECK(bytes > 0 && bytes <= 16 && numbers * bytes == run->count * run->size);
            CORE_CHECK(!quad || bytes == 16);
            for (size_t n = 0; n < numbers; n++, to += bytes, from += bytes)
                pack_external_turn(to, from, bytes, quad, out);
        }
}

static int pack_external_check(const char *datarep, MPI_Datatype type, int count)
{
    if (strcmp(datarep, "external32"))
        return world_error(NULL, MPI_ERR_ARG, "data representation '%s'", datarep);
    if (world_type_check(type, true))
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null, freed or not committed");
    return count < 0 ? world_error(NULL, MPI_ERR_COUNT, "count %d", count) : MPI_SUCCESS;
}

int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint *size)
{
    ENTER("MPI_Pack_external_size");
    int code = pack_external_check(datarep, datatype, incount);
    if (!code)
        *size = (MPI_Aint)((size_t)incount * datatype->size);
    return code;
}

int MPI_Pack_external(const char datarep[], const void *inbuf, int incount, MPI_Datatype datatype,
                      void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
    ENTER("MPI_Pack_external");
    int code = pack_external_check(datarep, datatype, incount);
    if (code)
        return code;
    size_t bytes = (size_t)incount * datatype->size;
    if (*position < 0 || *position > outsize || bytes > (size_t)(outsize - *position))
        return world_error(NULL, MPI_ERR_TRUNCATE, "%zu bytes at %td do not fit into %td", bytes,
                           *position, outsize);
    uint8_t *packed = world_alloc(bytes + 1);
    world_type_pack(packed, bytes, inbuf, (size_t)incount, datatype);
    turn_all((uint8_t *)outbuf + *position, packed, (size_t)incount, datatype, true);
    *position += (MPI_Aint)bytes;
    CORE_CHECK(*position <= outsize);
    return MPI_SUCCESS;
}

int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
                        MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
    ENTER("MPI_Unpack_external");
    int code = pack_external_check(datarep, datatype, outcount);
    if (code)
        return code;
    size_t bytes = (size_t)outcount * datatype->size;
    if (*position < 0 || *position > insize || bytes > (size_t)(insize - *position))
        return world_error(NULL, MPI_ERR_TRUNCATE,
                           "%zu bytes at %td are more than the %td there are", bytes, *position,
                           insize);
    uint8_t *packed = world_alloc(bytes + 1);
    turn_all(packed, (const uint8_t *)inbuf + *position, (size_t)outcount, datatype, false);
    world_type_unpack(outbuf, (size_t)outcount, datatype, packed, bytes);
    *position += (MPI_Aint)bytes;
    return MPI_SUCCESS;
}
