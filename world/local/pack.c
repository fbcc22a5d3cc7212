/* Moves typed data: packing, unpacking, copying, checksums, signatures. Each access to a user's
 * buffer is a memcpy of whole runs, which the address sanitizer checks even if this library is not
 * instrumented. If the sanitizer says that the program owns everything from the first to the last
 * run, it is not asked for each run. */
#include "world/state.h"

int __asan_region_is_poisoned(const void *begin, size_t size) __attribute__((weak));
void __asan_load4(uintptr_t at) __attribute__((weak));
void __asan_store4(uintptr_t at) __attribute__((weak));

/* Sizes in bytes: of the ends of a large block that are examined; of the largest block that is
 * checked as a whole; of the largest that is moved in words, each of which is checked. */
enum { CHECKED = 4096, WHOLE = 65536, WORDS = 16 };

static bool is_poisoned(const void *data, size_t bytes)
{
    return __asan_region_is_poisoned && __asan_region_is_poisoned(data, bytes);
}

/* Tells whether elements can be moved to or from these bytes without a check of each run: they are
 * whole elements, and the sanitizer accepts both sides. */
static bool is_open(const void *buffer, MPI_Datatype type, const void *packed, size_t bytes)
{
    ptrdiff_t low, high;
    world_type_reach(type, bytes / type->size, &low, &high);
    return bytes % type->size == 0 && high - low <= WHOLE && !is_poisoned(packed, bytes) &&
           !is_poisoned((const uint8_t *)buffer + low, (size_t)(high - low));
}

/* Moves a run. Most runs are one number; these sizes need no call. */
static inline void run_move(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes);
}

/* Moves contiguous data. Most messages are a few words, which are moved faster than the sanitizer's
 * memcpy checks them. */
static inline void dense_move(void *to, const void *from, size_t bytes)
{
    if (UNLIKELY(bytes >= WORLD_LARGE)) {
        world_move(to, from, bytes);
        return;
    }
    if (bytes > WORDS || (bytes | (uintptr_t)to | (uintptr_t)from) % 4) {
        memmove(to, from, bytes);
        return;
    }
    uint32_t word[WORDS / 4];
    for (size_t i = 0; i < bytes / 4; i++) {
        if (__asan_load4)
            __asan_load4((uintptr_t)from + 4 * i);
        word[i] = ((const uint32_t *)from)[i];
    }
    for (size_t i = 0; i < bytes / 4; i++) {
        if (__asan_store4)
            __asan_store4((uintptr_t)to + 4 * i);
        ((uint32_t *)to)[i] = word[i];
    }
}

size_t world_type_pack(void *packed, size_t room, const void *buffer, size_t count,
                       MPI_Datatype type)
{
    size_t bytes = count * type->size;
    if (bytes > room)
        bytes = room;
    if (bytes == 0)
        return 0;
    if (LIKELY(type->dense)) {
        dense_move(packed, buffer, bytes);
        return bytes;
    }
    uint8_t *to = packed;
    const uint8_t *base = buffer;
    size_t left = bytes;
    if (is_open(buffer, type, packed, bytes)) {
        for (; to < (uint8_t *)packed + bytes; base += type_extent(type))
            for (size_t r = 0; r < type->run_count; r++) {
                const struct world_run *run = &type->run[r];
                run_move(to, base + run->disp, run->count * run->size);
                to += run->count * run->size;
            }
        return bytes;
    }
    CORE_CHECK_HOT(type->run_count > 0); /* each round moves something */
    for (;; base += type_extent(type))
        for (size_t r = 0; r < type->run_count; r++) {
            const struct world_run *run = &type->run[r];
            size_t piece = run->count * run->size;
            if (piece > left)
                piece = left;
            memcpy(to, base + run->disp, piece);
            to += piece;
            if (!(left -= piece))
                return bytes;
        }
}

size_t world_type_unpack(void *buffer, size_t count, MPI_Datatype type, const void *packed,
                         size_t bytes)
{
    if (bytes > count * type->size)
        bytes = count * type->size;
    if (bytes == 0)
        return 0;
    if (LIKELY(type->dense)) {
        dense_move(buffer, packed, bytes);
        return bytes;
    }
    const uint8_t *from = packed;
    uint8_t *base = buffer;
    size_t left = bytes;
    if (is_open(buffer, type, packed, bytes)) {
        for (; from < (const uint8_t *)packed + bytes; base += type_extent(type))
            for (size_t r = 0; r < type->run_count; r++) {
                const struct world_run *run = &type->run[r];
                run_move(base + run->disp, from, run->count * run->size);
                from += run->count * run->size;
            }
        return bytes;
    }
    CORE_CHECK_HOT(type->run_count > 0);
    for (;; base += type_extent(type))
        for (size_t r = 0; r < type->run_count; r++) {
            const struct world_run *run = &type->run[r];
            size_t piece = run->count * run->size;
            if (piece > left)
                piece = left;
            memcpy(base + run->disp, from, piece);
            from += piece;
            if (!(left -= piece))
                return bytes;
        }
}

size_t world_type_copy(void *to, size_t to_count, MPI_Datatype to_type, const void *from,
                       size_t from_count, MPI_Datatype from_type)
{
    size_t bytes = from_count * from_type->size, room = to_count * to_type->size;
    if (bytes > room)
        bytes = room;
    CORE_CHECK_HOT(bytes <= room && bytes <= from_count * from_type->size);
    if (bytes == 0)
        return 0;
    if (LIKELY(to_type->dense && from_type->dense)) {
        dense_move(to, from, bytes);
        return bytes;
    }
    if (from_type->dense)
        return world_type_unpack(to, to_count, to_type, from, bytes);
    if (to_type->dense)
        return world_type_pack(to, bytes, from, from_count, from_type);
    uint8_t *packed = world_alloc(bytes);
    world_type_pack(packed, bytes, from, from_count, from_type);
    return world_type_unpack(to, to_count, to_type, packed, bytes);
}

static uint64_t pack_mix(uint64_t hash, const uint8_t *data, size_t bytes)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    }
    uint64_t word = bytes;
    if (bytes & 4) { /* usually an int */
        uint32_t half;
        memcpy(&half, data, 4);
        word |= (uint64_t)half << 8;
        data += 4;
    }
    for (size_t i = 0; i < (bytes & 3); i++)
        word |= (uint64_t)data[i] << (40 + 8 * i);
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 29;
}

uint64_t world_type_checksum(const void *buffer, size_t count, MPI_Datatype type)
{
    uint64_t hash = count;
    if (count == 0 || type->size == 0)
        return hash;
    size_t bytes = count * type->size;
    if (UNLIKELY(type->dense && bytes >= WORLD_LARGE)) /* both ends only */
        return pack_mix(pack_mix(bytes, buffer, CHECKED), (const uint8_t *)buffer + bytes - CHECKED,
                        CHECKED);
    if (LIKELY(type->dense))
        return pack_mix(hash, buffer, bytes);
    const uint8_t *base = buffer;
    CORE_CHECK_HOT(type->run_count > 0);
    for (size_t i = 0; i < count; i++, base += type_extent(type))
        for (size_t r = 0; r < type->run_count; r++)
            hash = pack_mix(hash, base + type->run[r].disp, type->run[r].count * type->run[r].size);
    return hash;
}

ptrdiff_t world_type_elements(MPI_Datatype type, size_t bytes)
{
    if (type->size == 0)
        return bytes == 0 ? 0 : -1;
    size_t whole = bytes / type->size, left = bytes % type->size;
    if (type->predefined) /* also pairs of MINLOC, as Open MPI does */
        return left ? -1 : (ptrdiff_t)whole;
    size_t elements = whole * type->basic_count;
    for (size_t r = 0; left && r < type->run_count; r++) {
        const struct world_run *run = &type->run[r];
        size_t piece = run->count * run->size < left ? run->count * run->size : left;
        if (piece % run->size)
            return -1;
        elements += piece / run->size;
        left -= piece;
    }
    CORE_CHECK(left == 0); /* datatype.c invariant 1 */
    return (ptrdiff_t)elements;
}

struct cursor {
    MPI_Datatype type;
    size_t run, left; /* basics that remain in the run */
};

static const struct world_run *cursor_at(struct cursor *cursor)
{
    CORE_CHECK_HOT(cursor->type->run_count > 0);
    while (cursor->left == 0) {
        cursor->run = (cursor->run + 1) % cursor->type->run_count;
        cursor->left = cursor->type->run[cursor->run].count;
    }
    return &cursor->type->run[cursor->run];
}

/* Returns the kind of a basic: integers of one size are one kind, whatever their type. */
static uint32_t basic_kind(uint32_t basic)
{
    static const uint8_t integer[BASIC_COUNT] = {
        [BASIC_CHAR] = BASIC_I8, [BASIC_BOOL] = BASIC_I8, [BASIC_U8] = BASIC_I8,
        [BASIC_U16] = BASIC_I16, [BASIC_U32] = BASIC_I32, [BASIC_WCHAR] = BASIC_I32,
        [BASIC_U64] = BASIC_I64};
    CORE_CHECK_HOT(basic < BASIC_COUNT);
    return integer[basic] ? integer[basic] : basic;
}

enum world_types world_type_compare(MPI_Datatype a, MPI_Datatype b, size_t bytes)
{
    enum world_types worst = WORLD_TYPES_ALIKE;
    if (a == b || bytes == 0 || a->size == 0 || b->size == 0)
        return worst;
    if (a->uniform && b->uniform && a->run[0].basic == b->run[0].basic)
        return worst;
    struct cursor left = {a, 0, a->run[0].count}, right = {b, 0, b->run[0].count};
    while (bytes > 0) {
        const struct world_run *x = cursor_at(&left), *y = cursor_at(&right);
        /* Packed data may be received as any type; bytes stand for raw memory. */
        if (x->basic <= BASIC_PACKED || y->basic <= BASIC_PACKED)
            return worst;
        if (basic_kind(x->basic) != basic_kind(y->basic))
            return WORLD_TYPES_DIFFER;
        if (x->basic != y->basic)
            worst = WORLD_TYPES_NAMED;
        size_t step = left.left < right.left ? left.left : right.left;
        CORE_CHECK_HOT(step > 0);
        if (step * x->size >= bytes)
            return worst;
        bytes -= step * x->size;
        left.left -= step;
        right.left -= step;
        if (a->run_count == 1 && b->run_count == 1)
            return worst;
    }
    return worst;
}

/* --- the calls -------------------------------------------------------------------------------- */

static int pack_check(MPI_Datatype type, int count)
{
    int code = world_type_check(type, true);
    if (code)
        return world_error(NULL, code, "the datatype is null, freed or not committed");
    return count < 0 ? world_error(NULL, MPI_ERR_COUNT, "count %d", count) : MPI_SUCCESS;
}

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
             int *position, MPI_Comm comm)
{
    ENTER("MPI_Pack");
    int code = pack_check(datatype, incount);
    if (code)
        return code;
    size_t bytes = (size_t)incount * datatype->size;
    if (outsize < 0 || *position < 0 || *position > outsize ||
        bytes > (size_t)(outsize - *position))
        return world_error(comm_of(comm), MPI_ERR_TRUNCATE, "%zu bytes at %d do not fit into %d",
                           bytes, *position, outsize);
    world_type_pack((uint8_t *)outbuf + *position, bytes, inbuf, (size_t)incount, datatype);
    *position += (int)bytes;
    CORE_CHECK(*position >= 0 && *position <= outsize);
    return MPI_SUCCESS;
}

int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm)
{
    ENTER("MPI_Unpack");
    int code = pack_check(datatype, outcount);
    if (code)
        return code;
    size_t bytes = (size_t)outcount * datatype->size;
    if (insize < 0 || *position < 0 || *position > insize || bytes > (size_t)(insize - *position))
        return world_error(comm_of(comm), MPI_ERR_TRUNCATE,
                           "%zu bytes at %d are more than the %d there are", bytes, *position,
                           insize);
    world_type_unpack(outbuf, (size_t)outcount, datatype, (const uint8_t *)inbuf + *position,
                      bytes);
    *position += (int)bytes;
    CORE_CHECK(*position >= 0 && *position <= insize);
    return MPI_SUCCESS;
}

int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    ENTER("MPI_Pack_size");
    (void)comm;
    int code = pack_check(datatype, incount);
    if (code)
        return code;
    *size = (int)((size_t)incount * datatype->size);
    return MPI_SUCCESS;
}
