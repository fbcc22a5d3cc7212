/* Datatypes: ids, type maps and signatures, from MPI_Type_get_envelope and _get_contents at the
 * first use of a type.
 *
 *  1. A map (typemap.h) is the type's sequence of basic elements in the order of its definition, as
 *     loops.
 *  2. The record has it as segments of equal consecutive elements, unless that takes more than
 *     SEGMENTS_MAX of them; the signature exists for every length. crosswait-trace(5) says what
 *     cannot be checked without segments.
 *  3. Derived types that are alike share an id: a program may make and free any number of them.
 *     Layouts are kept for as many different types as LAYOUT_BYTES hold; later ones are treated
 *     like types of too many segments. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "interpose/library/library.h"
#include "interpose/objects/contents.h"
#include "interpose/objects/handles.h"
#include "interpose/misuse/payload.h"
#include "interpose/objects/typemap.h"
#include "interpose/misuse/usage.h"

enum { SEGMENTS_MAX = 2000, BLOCKS_MAX = 16, DEPTH_MAX = 64, DIMENSIONS_MAX = 16 };

/* The state of a type, by id. */
enum { TYPE_CHUNK = 256, TYPE_CHUNKS_MAX = 512, LAYOUT_BYTES = 32 << 20 };
static uint64_t layout_bytes;
struct known {
    uint64_t signature; /* of a basic type */
    int64_t size, extent;
    bool holes, contiguous;
    struct typemap *map; /* kept if contents are recorded */
    struct datatype_span span;
    bool spanned;
};
static struct known *known_chunk[TYPE_CHUNKS_MAX]; /* entries never move */

static struct known *known_at(uint32_t id)
{
    if (id / TYPE_CHUNK >= TYPE_CHUNKS_MAX)
        return NULL;
    struct known **chunk = &known_chunk[id / TYPE_CHUNK];
    if (!*chunk)
        *chunk = calloc(TYPE_CHUNK, sizeof **chunk);
    return *chunk ? *chunk + id % TYPE_CHUNK : NULL;
}

bool datatypes_layout(uint32_t type, struct datatype_layout *out)
{
    const struct known *known = type ? known_at(type) : NULL;
    if (!known || known->holes || !known->size)
        return false;
    *out = (struct datatype_layout){known->size, known->extent, known->contiguous, known->map};
    return true;
}

/* --- maps ------------------------------------------------------------------------------------- */

static uint32_t datatypes_define(struct lane *lane, MPI_Datatype type);

static int compare_parts(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

const struct datatype_span *datatypes_spans[DATATYPES_SPANS];

const struct datatype_span *datatypes_span_slow(uint32_t type)
{
    const struct known *known = type ? known_at(type) : NULL;
    return known && known->spanned ? &known->span : NULL;
}

static int64_t extent_of(MPI_Datatype type)
{
    MPI_Aint lb = 0, extent = 0;
    OWN(Type_get_extent)(type, &lb, &extent);
    return extent;
}

/* Tells whether the program gave displacements in bytes, as in struct types or distances between
 * variables. */
static bool is_placed(MPI_Datatype type, int depth)
{
    struct contents contents;
    bool placed;
    int combiner = depth < DEPTH_MAX ? contents_combiner(type) : -1;
    if (contents_basic(combiner))
        return false;
    if (combiner < 0 || combiner == MPI_COMBINER_STRUCT || combiner == MPI_COMBINER_HINDEXED ||
        combiner == MPI_COMBINER_HINDEXED_BLOCK || combiner == MPI_COMBINER_HVECTOR ||
        !contents_get(type, &contents))
        return true;
    placed = contents.types != 1 || is_placed(contents.type[0], depth + 1);
    contents_free(&contents);
    return placed;
}

/* Translates the combiner (core/trace/event.h), independent of the library's numbers. */
static uint16_t recorded_combiner(int combiner)
{
#define X(name, number) {MPI_COMBINER_##name, number},
    static const struct {
        int combiner;
        uint16_t recorded;
    } combiners[] = {EVENT_COMBINERS(X)};
#undef X

    for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
        if (combiners[i].combiner == combiner)
            return combiners[i].recorded;
    return UINT16_MAX;
}

/* Adds `rows` rows, `stride` apart, each with `length` elements of old. */
static void add_rows(struct typemap *map, const struct typemap *old, int64_t at, int64_t rows,
                     int64_t stride, int64_t length, int64_t extent)
{
    struct typemap *row;
    if (rows <= 0 || length <= 0)
        return;
    if (rows == 1 || length == 1) {
        typemap_add(map, old, at, rows == 1 ? length : rows, rows == 1 ? extent : stride);
        return;
    }
    row = typemap_new();
    if (row)
        typemap_add(row, old, 0, length, extent);
    typemap_add(map, typemap_own(map, row), at, rows, stride);
}

/* Adds a subarray dimension by dimension, from the one whose elements are adjacent. */
static void add_subarray(struct typemap *map, const struct typemap *old, const int *in,
                         int64_t extent)
{
    int n = in[0];
    const int *size = in + 1, *part = size + n, *start = part + n;
    bool fortran = in[1 + 3 * n] == MPI_ORDER_FORTRAN;
    for (int k = 0; k < n; k++) {
        int d = fortran ? k : n - 1 - k;
        struct typemap *plane = k < n - 1 ? typemap_new() : map;
        if (!plane) {
            map->failed = true;
            return;
        }
        typemap_add(plane, old, start[d] * extent, part[d], extent);
        if (plane != map && !(old = typemap_own(map, plane)))
            return;
        extent *= size[d];
    }
}

/* Adds the share of `size` indices that process `me` of `count` has. */
static void add_distributed(struct typemap *map, const struct typemap *old, int64_t stride,
                            int size, int distribution, int argument, int count, int me)
{
    int64_t block = size, start = 0;
    if (distribution == MPI_DISTRIBUTE_BLOCK)
        block =
            argument == MPI_DISTRIBUTE_DFLT_DARG ? ((int64_t)size + count - 1) / count : argument;
    else if (distribution == MPI_DISTRIBUTE_CYCLIC)
        block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
    start = distribution == MPI_DISTRIBUTE_NONE ? 0 : block * me;
    if (block <= 0 || start >= size)
        return;
    int64_t round = distribution == MPI_DISTRIBUTE_CYCLIC ? block * count
                                                          : size; /* distance between its blocks */
    int64_t whole = size - start >= block ? (size - start - block) / round + 1 : 0,
            next = start + whole * round;
    add_rows(map, old, start * stride, whole, round * stride, block, stride);
    if (next < size)
        typemap_add(map, old, next * stride, size - next < block ? size - next : block, stride);
}

/* Adds a darray. The processes form a grid whose last dimension varies fastest, whatever the
 * array's order. */
static void add_darray(struct typemap *map, const struct typemap *old, const int *in,
                       int64_t extent)
{
    int n = in[2], rank = in[1], me[DIMENSIONS_MAX];
    const int *size = in + 3, *distribution = size + n, *argument = distribution + n,
              *count = argument + n;
    bool fortran = in[3 + 4 * n] == MPI_ORDER_FORTRAN;
    if (n > DIMENSIONS_MAX) {
        map->failed = true;
        return;
    }
    for (int d = n - 1; d >= 0; d--) {
        me[d] = rank % count[d];
        rank /= count[d];
    }
    for (int k = 0; k < n; k++) {
        int d = fortran ? k : n - 1 - k;
        struct typemap *plane = k < n - 1 ? typemap_new() : map;
        if (!plane) {
            map->failed = true;
            return;
        }
        add_distributed(plane, old, extent, size[d], distribution[d], argument[d], count[d], me[d]);
        if (plane != map && !(old = typemap_own(map, plane)))
            return;
        extent *= size[d];
    }
}

static struct typemap *map_of(struct lane *lane, MPI_Datatype type, int depth);

/* Returns the map of contents' type i, owned by map. */
static const struct typemap *old_of(struct lane *lane, struct typemap *map, MPI_Datatype type,
                                    int depth)
{
    return typemap_own(map, map_of(lane, type, depth + 1));
}

static void add_contents(struct lane *lane, struct typemap *map, int combiner, const int *in,
                         const MPI_Aint *ad, const MPI_Datatype *dt, int depth)
{
    int64_t extent = extent_of(dt[0]);
    const struct typemap *old =
        combiner == MPI_COMBINER_STRUCT ? NULL : old_of(lane, map, dt[0], depth);
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        typemap_add(map, old, 0, 1, 0);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        typemap_add(map, old, 0, in[0], extent);
        break;
    case MPI_COMBINER_VECTOR:
        add_rows(map, old, 0, in[0], in[2] * extent, in[1], extent);
        break;
    case MPI_COMBINER_HVECTOR:
        add_rows(map, old, 0, in[0], ad[0], in[1], extent);
        break;
    case MPI_COMBINER_INDEXED:
        for (int i = 0; i < in[0]; i++)
            typemap_add(map, old, in[1 + in[0] + i] * extent, in[1 + i], extent);
        break;
    case MPI_COMBINER_HINDEXED:
        for (int i = 0; i < in[0]; i++)
            typemap_add(map, old, ad[i], in[1 + i], extent);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (int i = 0; i < in[0]; i++)
            typemap_add(map, old, in[2 + i] * extent, in[1], extent);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (int i = 0; i < in[0]; i++)
            typemap_add(map, old, ad[i], in[1], extent);
        break;
    case MPI_COMBINER_STRUCT:
        for (int i = 0; i < in[0]; i++)
            typemap_add(map, old_of(lane, map, dt[i], depth), ad[i], in[1 + i], extent_of(dt[i]));
        break;
    case MPI_COMBINER_SUBARRAY:
        add_subarray(map, old, in, extent);
        break;
    case MPI_COMBINER_DARRAY:
        add_darray(map, old, in, extent);
        break;
    default:
        map->failed = true;
    }
}

/* Returns the type's map, not closed. NULL: out of memory. */
static struct typemap *map_of(struct lane *lane, MPI_Datatype type, int depth)
{
    struct typemap *map = typemap_new();
    struct contents contents;
    int combiner = map && depth < DEPTH_MAX ? contents_combiner(type) : -1;
    if (combiner < 0) {
        typemap_free(map);
        return NULL;
    }
    if (contents_basic(combiner)) {
        uint32_t id = handles_type_find(type);
        if (!id)
            id = datatypes_define(lane, type);
        const struct known *known = id ? known_at(id) : NULL;
        if (known && known->size)
            typemap_add_basic(map, 0, id, known->signature, known->extent, 1);
        else
            map->failed = !known;
        return map;
    }
    if (!contents_get(type, &contents)) {
        map->failed = true;
        return map;
    }
    if (contents.types < 1)
        map->failed = true;
    else
        add_contents(lane, map, combiner, contents.integer, contents.address, contents.type, depth);
    contents_free(&contents);
    return map;
}

/* --- definitions ------------------------------------------------------------------------------ */

/* Maps 128-bit digests of definitions to ids. */
static struct alike {
    XXH128_hash_t content;
    uint32_t id; /* 0: free */
} * alike;
static uint32_t alike_count, alike_capacity;

static struct alike *alike_slot(struct alike *table, uint32_t capacity, XXH128_hash_t content)
{
    uint32_t at = (uint32_t)content.low64 & (capacity - 1);
    while (table[at].id && !XXH128_isEqual(table[at].content, content))
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

/* Returns the slot of the definition. NULL: out of memory. */
static struct alike *alike_find(XXH128_hash_t content)
{
    if (alike_count * 2 >= alike_capacity) {
        uint32_t capacity = alike_capacity ? alike_capacity * 2 : 64;
        struct alike *fresh = calloc(capacity, sizeof *fresh);
        if (!fresh)
            return NULL;
        for (uint32_t i = 0; i < alike_capacity; i++)
            if (alike[i].id)
                *alike_slot(fresh, capacity, alike[i].content) = alike[i];
        free(alike);
        alike = fresh;
        alike_capacity = capacity;
    }
    return alike_slot(alike, alike_capacity, content);
}

struct flat {
    struct spool_segment *segment; /* SEGMENTS_MAX */
    uint32_t count;
};

static bool flatten_one(int64_t at, uint32_t basic, int64_t extent, uint64_t count, void *context)
{
    struct flat *flat = context;
    struct spool_segment *last = flat->count ? &flat->segment[flat->count - 1] : NULL;
    if (count > UINT32_MAX)
        return false;
    if (last && last->basic == basic && last->displacement + (int64_t)last->count * extent == at &&
        last->count + count <= UINT32_MAX) {
        last->count += (uint32_t)count;
        return true;
    }
    if (flat->count == SEGMENTS_MAX)
        return false;
    flat->segment[flat->count++] = (struct spool_segment){at, basic, (uint32_t)count};
    return true;
}

static bool has_holes(const struct typemap *map)
{
    bool holes = false;
    for (size_t i = 0; i < map->sequence.count; i++)
        holes |= map->part[i].inner ? has_holes(map->part[i].inner)
                                    : known_at(map->part[i].basic)->holes;
    return holes;
}

/* Tells whether the layout of a type may use so much memory. */
static bool has_room(struct lane *lane, uint64_t bytes)
{
    static bool said;

    if (bytes <= LAYOUT_BYTES - layout_bytes) {
        layout_bytes += bytes;
        return true;
    }
    if (!said)
        recorder_text(recorder.definer ? recorder.definer : lane, 0, 65535,
                      "there are too many datatypes: crosswait does not keep the layout of all");
    said = true;
    return false;
}

/* Sorts the parts by place to find overlaps. */
static void find_span(struct lane *lane, struct known *known, const struct flat *flat)
{
    struct datatype_span *span = &known->span;
    uint32_t n = flat->count;
    int64_t(*part)[2] = n ? malloc(n * sizeof *part) : NULL;
    for (uint32_t i = 0; part && i < n; i++) {
        const struct known *basic = known_at(flat->segment[i].basic);
        part[i][0] = flat->segment[i].displacement;
        part[i][1] = part[i][0] + flat->segment[i].count * basic->extent;
        span->low = !i || part[i][0] < span->low ? part[i][0] : span->low;
        span->high = !i || part[i][1] > span->high ? part[i][1] : span->high;
    }
    if (part && n > 1)
        qsort(part, n, sizeof *part, compare_parts);
    for (uint32_t i = 1; part && i < n; i++)
        span->overlaps |= part[i][0] < part[i - 1][1];
    known->spanned = part != NULL;
    span->size = known->size;
    span->extent = known->extent;
    span->whole =
        part && n == 1 && span->size == span->extent && span->high - span->low == span->size;
    span->part = part;
    span->parts = n;
    if (span->whole) {
        free(part);
        span->part = NULL;
    } else if (part && !has_room(lane, n * sizeof *part)) {
        free(part);
        *span = (struct datatype_span){.part = NULL};
        known->spanned = false;
    }
}

static uint32_t datatypes_define(struct lane *lane, MPI_Datatype type);

/* Lists the blocks of a basic type at displacements that the program gave in bytes. */
static uint32_t blocks_of(struct lane *lane, MPI_Datatype type, struct datatype_block *out)
{
    struct contents contents;
    int combiner = contents_combiner(type);
    uint32_t count = 0;
    if ((combiner != MPI_COMBINER_STRUCT && combiner != MPI_COMBINER_HINDEXED &&
         combiner != MPI_COMBINER_HINDEXED_BLOCK) ||
        !contents_get(type, &contents))
        return 0;
    int blocks = contents.integer[0] <= BLOCKS_MAX ? contents.integer[0] : 0;
    for (int i = 0; i < blocks; i++) {
        MPI_Datatype of = contents.type[combiner == MPI_COMBINER_STRUCT ? i : 0];
        int length = contents.integer[combiner == MPI_COMBINER_HINDEXED_BLOCK ? 1 : 1 + i];
        if (length <= 0 || !contents_basic(contents_combiner(of)))
            continue;
        uint32_t known = handles_type_find(of), id = known ? known : datatypes_define(lane, of);
        if (id)
            out[count++] = (struct datatype_block){contents.address[i], length, id};
    }
    contents_free(&contents);
    return count;
}

static void keep_blocks(struct lane *lane, MPI_Datatype type, struct datatype_span *span)
{
    struct datatype_block block[BLOCKS_MAX] = {{0}};
    uint32_t count = blocks_of(lane, type, block);
    struct datatype_block *kept = count ? malloc(count * sizeof *kept) : NULL;
    if (kept)
        memcpy(kept, block, count * sizeof *kept);
    span->block = kept;
    span->blocks = kept ? count : 0;
}

/* Defines a type. Requires the lock. */
static uint32_t datatypes_define(struct lane *lane, MPI_Datatype type)
{
    int combiner = contents_combiner(type), size = 0;
    MPI_Aint lb = 0, extent = 0;
    MPI_Count big = 0;
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    if (combiner < 0 || OWN(Type_get_extent)(type, &lb, &extent) != MPI_SUCCESS)
        return 0;
    if (OWN(Type_size_x)(type, &big) != MPI_SUCCESS && OWN(Type_size)(type, &size) == MPI_SUCCESS)
        big = size;
    library_type_name(type, name);
    uint32_t id = contents_basic(combiner) ? handles_type_add(type, 0)
                                           : 0; /* the map of a basic type names the type */
    struct known *known = id ? known_at(id) : NULL;
    if (contents_basic(combiner)) {
        if (!known)
            return 0;
        known->signature = signature_basic(name);
        known->extent = extent;
        known->size = big;
        /* Pairs such as MPI_SHORT_INT; and 6 of a long double's 16 bytes have no value on x86. */
        known->contiguous = big == extent;
        known->holes = !known->contiguous || strstr(name, "LONG_DOUBLE");
    }
    struct typemap *map = map_of(lane, type, 0);
    struct spool_def_type *def =
        malloc(sizeof *def + SEGMENTS_MAX * sizeof(struct spool_segment) + sizeof name);
    struct flat flat = {.segment = def ? (struct spool_segment *)(def + 1) : NULL};
    bool whole = map && def && typemap_close(map),
         kept = whole && typemap_each(map, 0, flatten_one, &flat);
    size_t length = strlen(name),
           bytes = sizeof *def + (kept ? flat.count : 0) * sizeof *flat.segment + length;
    struct alike *same = NULL;
    if (!def)
        goto done;
    *def =
        (struct spool_def_type){{SPOOL_DEF_TYPE, (uint16_t)((bytes + 7) / 8),
                                 recorded_combiner(combiner), (uint16_t)length},
                                0,
                                kept ? flat.count : UINT32_MAX,
                                big,
                                lb,
                                extent,
                                whole ? signature_hash(map->sequence.run, map->sequence.count) : 0};
    memcpy((char *)def + bytes - length, name, length);
    if (!id) {
        same = kept ? alike_find(XXH3_128bits(def, bytes)) : NULL;
        id = handles_type_add(type, same ? same->id : 0);
        known = id && !(same && same->id) ? known_at(id) : NULL;
        struct known *before = id && !known ? known_at(id) : NULL;
        if (before && before->span.blocks) {
            struct datatype_block other[BLOCKS_MAX] = {{0}};
            uint32_t blocks = blocks_of(lane, type, other);
            if (blocks != before->span.blocks ||
                memcmp(other, before->span.block, blocks * sizeof *other) != 0)
                before->span.blocks = 0; /* adjacent blocks of one may be a single block of the
                                            other */
        }
    }
    if (!known)
        goto done;
    if (same) {
        *same = (struct alike){XXH3_128bits(def, bytes), id};
        alike_count++;
    }
    def->id = id;
    void *room = spool_reserve(recorder_definitions(lane), def->head.words);
    if (room)
        memcpy(room, def, bytes);
    known->size = big;
    known->extent = extent;
    if (whole && !contents_basic(combiner)) {
        known->holes = has_holes(map);
        known->contiguous = kept && flat.count == 1 && !flat.segment[0].displacement && lb == 0 &&
                            big == extent && !known->holes;
    }
    if (whole && (recorder.payload || recorder.sample) && !known->contiguous &&
        has_room(lane, typemap_bytes(map))) {
        known->map = map;
        map = NULL;
    }
    if (kept) {
        find_span(lane, known, &flat);
        known->span.placed = is_placed(type, 0);
        if (known->spanned)
            keep_blocks(lane, type, &known->span);
        if (id < DATATYPES_SPANS && known->spanned)
            datatypes_spans[id] = &known->span;
    }
done:
    typemap_free(map);
    free(def);
    return id;
}

uint32_t recorder_type_slow(struct lane *lane, MPI_Datatype type)
{
    if (type == recorder_handle.type_null || !type)
        return 0;
    recorder_lock();
    uint32_t id = handles_type_find(type);
    if (!id && usage_accepted(OBJECT_TYPE, HANDLE(type)))
        id = datatypes_define(lane, type);
    if (id) {
        unsigned slot = recorder_type_slot(type);
        lane->type_cache[slot].generation = recorder.generation;
        lane->type_cache[slot].handle = HANDLE(type);
        lane->type_cache[slot].id = id;
    }
    recorder_unlock();
    return id;
}
