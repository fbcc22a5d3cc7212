/* Datatypes: ids, type maps and signatures, from MPI_Type_get_envelope and _get_contents at first sight.
 *
 *  1. A map is the type's sequence of basic elements in the order of its definition, as segments of equal consecutive elements.
 *  2. A map that would need more than SEGMENTS_MAX segments is not kept; its signature still is, as long as its runs fit RUNS_MAX. */
#include <stdlib.h>
#include <string.h>

#include "core/signature.h"
#include "interpose/handles.h"
#include "interpose/payload.h"

enum { SEGMENTS_MAX = 2000, RUNS_MAX = 1 << 20, DEPTH_MAX = 64 };

struct map {
    struct spool_segment *segment;
    uint32_t segment_count, segment_capacity;
    struct signature_run *run;
    uint32_t run_count, run_capacity;
    bool segments_lost, runs_lost, failed;
    struct lane *lane;
};

/* What is remembered of a type, by id. */
enum { TYPE_CHUNK = 256, TYPE_CHUNKS_MAX = 4096 };
struct known {
    uint64_t signature;            /* of a basic type */
    int64_t size, extent;
    bool holes, contiguous;
    struct spool_segment *segment; /* kept when contents are asked for */
    int64_t *basic_size;
    uint32_t segment_count;
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

/* For digests. Takes the map's segments. */
static void keep_layout(struct known *known, struct map *map, int64_t lb)
{
    uint32_t n = map->segment_count;
    int64_t *size = recorder.payload && n ? malloc(n * sizeof *size) : NULL;
    known->contiguous = n == 1 && !map->segment[0].displacement && lb == 0 && known->size == known->extent && !known_at(map->segment[0].basic)->holes;
    for (uint32_t i = 0; i < n; i++) {
        known->holes |= known_at(map->segment[i].basic)->holes;
        if (size)
            size[i] = known_at(map->segment[i].basic)->size;
    }
    if (!size)
        return;
    known->basic_size = size;
    known->segment = map->segment;
    known->segment_count = n;
    map->segment = NULL;
}

bool datatypes_layout(uint32_t type, struct datatype_layout *out)
{
    const struct known *known = type ? known_at(type) : NULL;
    if (!known || known->holes || !known->size)
        return false;
    *out = (struct datatype_layout){known->size, known->extent, known->contiguous, known->segment, known->basic_size, known->segment_count};
    return true;
}

static void add(struct map *map, int64_t displacement, uint32_t basic, int64_t extent, uint64_t signature, uint64_t count)
{
    if (!count)
        return;
    if (map->run_count && map->run[map->run_count - 1].basic == signature) {
        map->run[map->run_count - 1].count += count;
    } else if (!map->runs_lost) {
        if (map->run_count == map->run_capacity) {
            uint32_t capacity = map->run_capacity ? map->run_capacity * 2 : 16;
            struct signature_run *fresh = capacity > RUNS_MAX ? NULL : realloc(map->run, capacity * sizeof *fresh);
            if (!fresh) {
                map->runs_lost = true;
                return;
            }
            map->run = fresh;
            map->run_capacity = capacity;
        }
        map->run[map->run_count++] = (struct signature_run){signature, count};
    }
    if (map->segments_lost)
        return;
    struct spool_segment *last = map->segment_count ? &map->segment[map->segment_count - 1] : NULL;
    if (last && last->basic == basic && last->displacement + (int64_t)last->count * extent == displacement &&
        last->count + count <= UINT32_MAX) {
        last->count += (uint32_t)count;
        return;
    }
    if (map->segment_count == SEGMENTS_MAX || count > UINT32_MAX) {
        map->segments_lost = true;
        return;
    }
    if (map->segment_count == map->segment_capacity) {
        uint32_t capacity = map->segment_capacity ? map->segment_capacity * 2 : 16;
        struct spool_segment *fresh = realloc(map->segment, capacity * sizeof *fresh);
        if (!fresh) {
            map->segments_lost = true;
            return;
        }
        map->segment = fresh;
        map->segment_capacity = capacity;
    }
    map->segment[map->segment_count++] = (struct spool_segment){displacement, basic, (uint32_t)count};
}

static uint32_t define(struct lane *lane, MPI_Datatype type);
static void walk(struct map *map, MPI_Datatype type, int64_t at, int depth);

static int64_t extent_of(MPI_Datatype type)
{
    MPI_Aint lb = 0, extent = 0;
    REAL(Type_get_extent)(type, &lb, &extent);
    return extent;
}

/* `count` elements of type one after another, beginning at displacement `at`. */
static void walk_block(struct map *map, MPI_Datatype type, int64_t at, int64_t count, int depth)
{
    int ni, na, nd, combiner;
    if (map->segments_lost && map->runs_lost)
        return;
    if (REAL(Type_get_envelope)(type, &ni, &na, &nd, &combiner) != MPI_SUCCESS) {
        map->failed = true;
        return;
    }
    int64_t extent = extent_of(type);
    if (combiner == MPI_COMBINER_NAMED) {
        uint32_t id = handles_type_find(type);
        if (!id)
            id = define(map->lane, type);
        int size = 0;
        REAL(Type_size)(type, &size);
        if (id && size)
            add(map, at, id, extent, known_at(id)->signature, (uint64_t)count);
        return;
    }
    for (int64_t i = 0; i < count && !(map->segments_lost && map->runs_lost); i++)
        walk(map, type, at + i * extent, depth);
}

/* MPI_Type_create_subarray: the elements of the part, in storage order. */
static void walk_subarray(struct map *map, const int *in, MPI_Datatype old, int64_t at, int depth)
{
    int n = in[0];
    const int *size = in + 1, *part = size + n, *start = part + n;
    bool fortran = in[1 + 3 * n] == MPI_ORDER_FORTRAN;
    int64_t extent = extent_of(old), rows = 1;
    if (n < 1 || n > 16)
        return;
    int fast = fortran ? 0 : n - 1, step = fortran ? 1 : -1, index[16] = {0};
    for (int d = 0; d < n; d++)
        rows *= d == fast ? 1 : part[d];
    for (int64_t r = 0; r < rows && !(map->segments_lost && map->runs_lost); r++) {
        int64_t offset = 0, stride = 1;
        for (int d = fast, k = 0; k < n; d += step, k++) {
            offset += (start[d] + index[d]) * stride;
            stride *= size[d];
        }
        walk_block(map, old, at + offset * extent, part[fast], depth);
        for (int d = fast + step, k = 1; k < n; d += step, k++) {
            if (++index[d] < part[d])
                break;
            index[d] = 0;
        }
    }
}

static void walk_contents(struct map *map, int combiner, const int *in, const MPI_Aint *ad, const MPI_Datatype *dt, int64_t at, int depth)
{
    int64_t extent = extent_of(dt[0]);
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        walk_block(map, dt[0], at, 1, depth);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        walk_block(map, dt[0], at, in[0], depth);
        break;
    case MPI_COMBINER_VECTOR:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + (int64_t)i * in[2] * extent, in[1], depth);
        break;
    case MPI_COMBINER_HVECTOR:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + (int64_t)i * ad[0], in[1], depth);
        break;
    case MPI_COMBINER_INDEXED:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + in[1 + in[0] + i] * extent, in[1 + i], depth);
        break;
    case MPI_COMBINER_HINDEXED:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + ad[i], in[1 + i], depth);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + in[2 + i] * extent, in[1], depth);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[0], at + ad[i], in[1], depth);
        break;
    case MPI_COMBINER_STRUCT:
        for (int i = 0; i < in[0]; i++)
            walk_block(map, dt[i], at + ad[i], in[1 + i], depth);
        break;
    case MPI_COMBINER_SUBARRAY:
        walk_subarray(map, in, dt[0], at, depth);
        break;
    default: /* distributed arrays, Fortran's parametrised types: size and extent are kept, the map is not */
        map->failed = true;
    }
}

static void walk(struct map *map, MPI_Datatype type, int64_t at, int depth)
{
    int ni, na, nd, combiner;
    if (depth == DEPTH_MAX || REAL(Type_get_envelope)(type, &ni, &na, &nd, &combiner) != MPI_SUCCESS) {
        map->failed = true;
        return;
    }
    if (combiner == MPI_COMBINER_NAMED) {
        walk_block(map, type, at, 1, depth);
        return;
    }
    int *in = calloc((size_t)ni + 1, sizeof *in);
    MPI_Aint *ad = calloc((size_t)na + 1, sizeof *ad);
    MPI_Datatype *dt = calloc((size_t)nd + 1, sizeof *dt);
    if (!in || !ad || !dt || nd < 1 || REAL(Type_get_contents)(type, ni, na, nd, in, ad, dt) != MPI_SUCCESS) {
        map->failed = true;
    } else {
        walk_contents(map, combiner, in, ad, dt, at, depth + 1);
        for (int i = 0; i < nd; i++) {
            int a, b, c, kind;
            if (REAL(Type_get_envelope)(dt[i], &a, &b, &c, &kind) == MPI_SUCCESS && kind != MPI_COMBINER_NAMED &&
                kind != MPI_COMBINER_F90_INTEGER && kind != MPI_COMBINER_F90_REAL && kind != MPI_COMBINER_F90_COMPLEX)
                REAL(Type_free)(&dt[i]);
        }
    }
    free(in);
    free(ad);
    free(dt);
}

/* Under the lock. */
static uint32_t define(struct lane *lane, MPI_Datatype type)
{
    int ni, na, nd, combiner, size = 0, length = 0;
    MPI_Aint lb = 0, extent = 0;
    MPI_Count big = 0;
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    if (REAL(Type_get_envelope)(type, &ni, &na, &nd, &combiner) != MPI_SUCCESS ||
        REAL(Type_get_extent)(type, &lb, &extent) != MPI_SUCCESS)
        return 0;
    if (REAL(Type_size_x)(type, &big) != MPI_SUCCESS && REAL(Type_size)(type, &size) == MPI_SUCCESS)
        big = size;
    REAL(Type_get_name)(type, name, &length);
    name[length] = 0;
    uint32_t id = handles_type_add(type);
    if (!id)
        return 0;
    struct known *known = known_at(id);
    if (!known)
        return 0;
    known->size = big;
    known->extent = extent;
    struct map map = {.lane = lane};
    if (combiner == MPI_COMBINER_NAMED) {
        known->signature = signature_basic(name);
        known->holes = big != extent; /* pairs such as MPI_SHORT_INT */
        known->contiguous = !known->holes;
        if (big)
            add(&map, 0, id, extent, known->signature, 1);
    } else {
        walk(&map, type, 0, 0);
    }
    uint64_t signature = map.runs_lost || map.failed ? 0 : signature_hash(map.run, map.run_count);
    bool lost = map.segments_lost || map.failed;
    uint32_t segments = lost ? 0 : map.segment_count;
    uint32_t words = (uint32_t)((sizeof(struct spool_def_type) + segments * sizeof *map.segment + (size_t)length + 7) / 8);
    struct spool_def_type *def = spool_reserve(recorder_definitions(lane), words);
    if (def) {
        *def = (struct spool_def_type){{SPOOL_DEF_TYPE, (uint16_t)words, (uint16_t)combiner, (uint16_t)length}, id,
                                       lost ? UINT32_MAX : segments, big, lb, extent, signature};
        memcpy(def + 1, map.segment, segments * sizeof *map.segment);
        memcpy((char *)(def + 1) + segments * sizeof *map.segment, name, (size_t)length);
    }
    if (!lost)
        keep_layout(known, &map, lb);
    free(map.segment);
    free(map.run);
    return id;
}

uint32_t recorder_type_slow(struct lane *lane, MPI_Datatype type)
{
    if (type == recorder_handle.type_null || !type)
        return 0;
    recorder_lock();
    uint32_t id = handles_type_find(type);
    if (!id)
        id = define(lane, type);
    if (id) {
        lane->type_cache.generation = recorder.generation;
        lane->type_cache.handle = type;
        lane->type_cache.id = id;
    }
    recorder_unlock();
    return id;
}
