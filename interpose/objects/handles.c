/* Assigns ids with definitions to communicators, groups, operations, windows and files.
 *
 *  1. An id is defined before the first event that names it. A freed handle loses its id, so that a
 *     reuse of its address gets a new one. It loses the id before the call, since another thread
 *     may get the address at once; a refused call restores it.
 *  2. The global id of a communicator is computed alike on all its members, without communication:
 *     from its parent, its members, and the number of communicators that these members made so
 *     before.
 *  3. With MPI_THREAD_MULTIPLE everything here runs under the lock. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/library/library.h"
#include "interpose/objects/handles.h"
#include "interpose/misuse/usage.h"

struct slot {
    const void *handle; /* NULL: free */
    uint32_t id;
};
static struct map {
    struct slot *slot;
    uint32_t capacity, used;
    uint32_t last_id;
} map[OBJECT_KINDS];

enum { COMM_CHUNK = 256, COMM_CHUNKS_MAX = 1 << 16 };
static struct comm_info *comm_chunk[COMM_CHUNKS_MAX]; /* by id; entries never move */
static uint16_t comm_live[COMM_CHUNKS_MAX]; /* communicators in each chunk that are not freed; a
                                               chunk without any is freed */
static struct creation {                    /* [0] is unused */
    uint64_t key, count;
    uint32_t next;    /* in its bucket, or in the free list */
    uint32_t sibling; /* next of the same communicator */
} * creation;
static uint32_t creation_count, creation_room, creation_free;
static uint32_t *creation_bucket; /* as many buckets as there is room for creations */
static MPI_Group world_group;
static bool world_group_known;

static uint32_t hash_pointer(const void *p)
{
    return (uint32_t)(((uintptr_t)p * 0x9E3779B97F4A7C15u) >> 32);
}

static uint32_t map_find(enum recorder_object kind, const void *handle)
{
    struct map *m = &map[kind];
    if (!m->capacity)
        return 0;
    for (uint32_t at = hash_pointer(handle) & (m->capacity - 1); m->slot[at].handle;
         at = (at + 1) & (m->capacity - 1))
        if (m->slot[at].handle == handle)
            return m->slot[at].id;
    return 0;
}

static bool map_grow(struct map *m)
{
    uint32_t capacity = m->capacity ? m->capacity * 2 : 64;
    struct slot *fresh = calloc(capacity, sizeof *fresh);
    if (!fresh)
        return false;
    m->used = 0;
    for (uint32_t i = 0; i < m->capacity; i++)
        if (m->slot[i].handle) {
            uint32_t at = hash_pointer(m->slot[i].handle) & (capacity - 1);
            while (fresh[at].handle)
                at = (at + 1) & (capacity - 1);
            fresh[at] = m->slot[i];
            m->used++;
        }
    free(m->slot);
    m->slot = fresh;
    m->capacity = capacity;
    return true;
}

/* Empties a slot, and moves entries behind it up, since a program may make and free any number of
 * objects, a few at a time. */
static void map_remove(struct map *m, uint32_t at)
{
    uint32_t mask = m->capacity - 1;
    for (uint32_t from = (at + 1) & mask; m->slot[from].handle; from = (from + 1) & mask) {
        uint32_t home = hash_pointer(m->slot[from].handle) & mask;
        if (((from - home) & mask) >= ((from - at) & mask)) {
            m->slot[at] = m->slot[from];
            at = from;
        }
    }
    m->slot[at].handle = NULL;
    m->used--;
}

/* Adds a handle without an id. id: the given one; 0: a new one. Returns 0 if memory ran out. */
static uint32_t map_add(enum recorder_object kind, const void *handle, uint32_t id)
{
    struct map *m = &map[kind];
    if (m->used * 2 >= m->capacity && !map_grow(m))
        return 0;
    uint32_t at = hash_pointer(handle) & (m->capacity - 1);
    while (m->slot[at].handle)
        at = (at + 1) & (m->capacity - 1);
    m->slot[at] = (struct slot){handle, id ? id : ++m->last_id};
    m->used++;
    return m->slot[at].id;
}

uint32_t handles_type_find(MPI_Datatype type)
{
    return map_find(OBJECT_TYPE, HANDLE(type));
}

uint32_t handles_type_known(MPI_Datatype type)
{
    recorder_lock();
    uint32_t id = map_find(OBJECT_TYPE, HANDLE(type));
    recorder_unlock();
    return id;
}

uint32_t handles_type_add(MPI_Datatype type, uint32_t id)
{
    return map_add(OBJECT_TYPE, HANDLE(type), id);
}

/* --- communicators ---------------------------------------------------------------------------- */

static uint64_t handles_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9FB21C651E98DF25u;
    return hash ^ (hash >> 29);
}

static uint32_t *creation_bucket_of(uint64_t key)
{
    return &creation_bucket[key >> 32 & (creation_room - 1)];
}

static bool creation_grow(void)
{
    enum { FIRST = 32 };
    uint32_t room = creation_room ? creation_room * 2 : FIRST;
    struct creation *fresh = realloc(creation, room * sizeof *fresh);
    creation = fresh ? fresh : creation;
    uint32_t *bucket = fresh ? calloc(room, sizeof *bucket) : NULL;
    if (!bucket)
        return false;
    free(creation_bucket);
    creation_bucket = bucket;
    creation_room = room;
    for (uint32_t at = 1; at < creation_count; at++) { /* all entries are in use */
        uint32_t *first = creation_bucket_of(creation[at].key);
        creation[at].next = *first;
        *first = at;
    }
    creation_count += !creation_count;
    return true;
}

static uint32_t creation_new(void)
{
    uint32_t at = creation_free;
    if (at)
        creation_free = creation[at].next;
    else if (creation_count < creation_room || creation_grow())
        at = creation_count++;
    return at;
}

/* Returns how often an object was made with this key before, and counts it. of: the communicator in
 * the key, with which the count is forgotten; NULL: never forgotten. */
static uint64_t creation_number(uint64_t key, struct comm_info *of)
{
    for (uint32_t at = creation_room ? *creation_bucket_of(key) : 0; at; at = creation[at].next)
        if (creation[at].key == key)
            return ++creation[at].count;
    uint32_t at = creation_new();
    if (!at)
        return 0;
    uint32_t *first = creation_bucket_of(key);
    creation[at] = (struct creation){.key = key, .next = *first};
    *first = at;
    if (of) {
        creation[at].sibling = of->creation;
        of->creation = at;
    }
    return 0;
}

static void creations_forget(struct comm_info *of)
{
    for (uint32_t at = of->creation, sibling; at; at = sibling) {
        uint32_t *link = creation_bucket_of(creation[at].key);
        sibling = creation[at].sibling;
        while (*link != at)
            link = &creation[*link].next;
        *link = creation[at].next;
        creation[at].next = creation_free;
        creation_free = at;
    }
    of->creation = 0;
}

/* Translates a group's members to world ranks; -1 for processes of other jobs, and for ranks that
 * the group lacks: MPICH's communicators of threads have more ranks than their group has processes.
 */
static bool handles_translate(MPI_Group group, int size, int32_t *out)
{
    int *rank = malloc((size_t)(size ? size : 1) * 2 * sizeof *rank), members = 0;
    if (!rank)
        return false;
    for (int i = 0; i < size; i++)
        rank[i] = i;
    bool good = world_group_known && OWN(Group_size)(group, &members) == MPI_SUCCESS;
    members = members < size ? members : size;
    good = good && OWN(Group_translate_ranks)(group, members, rank, world_group, rank + size) ==
                       MPI_SUCCESS;
    for (int i = 0; i < size; i++)
        out[i] = good && i < members && rank[size + i] != MPI_UNDEFINED ? rank[size + i] : -1;
    free(rank);
    return true;
}

static int compare_ranks(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static uint64_t global_id(const struct comm_info *info, struct comm_info *parent,
                          enum comm_origin origin, int tag)
{
    uint64_t hash = handles_mix(0x63726F7373776169u, origin);
    bool own = origin == COMM_ORIGIN_INTER || origin == COMM_ORIGIN_MERGE ||
               origin == COMM_ORIGIN_SPAWN || origin == COMM_ORIGIN_TAGGED ||
               origin == COMM_ORIGIN_UNKNOWN;
    bool tagged = origin == COMM_ORIGIN_INTER || origin == COMM_ORIGIN_TAGGED ||
                  origin == COMM_ORIGIN_UNKNOWN;
    if (!own) {
        hash = handles_mix(hash, parent ? parent->global : 0);
        hash = handles_mix(hash, origin == COMM_ORIGIN_GROUP ? (uint64_t)tag : 0);
    }
    if (own || info->inter) { /* the two sides have no common order: hash the sorted union */
        int32_t total = info->size + info->remote_size;
        int32_t *all = malloc((size_t)(total ? total : 1) * sizeof *all);
        if (all) {
            memcpy(all, info->member, (size_t)total * sizeof *all);
            qsort(all, (size_t)total, sizeof *all, compare_ranks);
            for (int32_t i = 0; i < total; i++)
                hash = handles_mix(hash, (uint64_t)all[i] + 1);
            free(all);
        }
        hash = handles_mix(hash, tagged ? (uint64_t)tag : 0);
    } else {
        for (int32_t i = 0; i < info->size; i++)
            hash = handles_mix(hash, (uint64_t)info->member[i] + 1);
    }
    hash = handles_mix(hash, creation_number(hash, own ? NULL : parent));
    return hash >> 1; /* fits into a signed column */
}

static void write_comm(struct lane *lane, const struct comm_info *info, const char *name)
{
    int32_t total = info->size + info->remote_size, first = 0;
    size_t name_bytes = strlen(name);
    do {
        enum { AT_ONCE = 4096 };
        int32_t count = total - first < AT_ONCE ? total - first : AT_ONCE;
        size_t names = first == 0 ? name_bytes : 0;
        uint32_t words = (uint32_t)((sizeof(struct spool_def_comm) + (size_t)count * 4 + 7) / 8 +
                                    (names + 7) / 8);
        struct spool_def_comm *def = spool_reserve(recorder_definitions(lane), words);
        if (!def)
            return;
        *def = (struct spool_def_comm){.head = {SPOOL_DEF_COMM, (uint16_t)words,
                                                info->inter ? SPOOL_COMM_INTER : SPOOL_COMM_INTRA,
                                                (uint16_t)names},
                                       .global = info->global,
                                       .id = info->id,
                                       .parent = info->parent,
                                       .rank = info->rank,
                                       .size = (uint32_t)info->size,
                                       .remote_size = (uint32_t)info->remote_size,
                                       .first = (uint32_t)first,
                                       .count = (uint32_t)count,
                                       .topology = info->topology};
        memcpy(def + 1, info->member + first, (size_t)count * 4);
        memcpy((char *)(def + 1) + ((size_t)count * 4 + 7) / 8 * 8, name, names);
        first += count;
    } while (first < total);
}

/* --- neighbors of this rank in a topology ----------------------------------------------------- */

struct neighbours { /* ranks of the communicator: destinations, then sources */
    int gives, takes, *rank;
};

static bool graph_neighbours(MPI_Comm comm, int me, struct neighbours *neighbours)
{
    if (ASK(COMM, Graph_neighbors_count, comm, me, &neighbours->gives))
        return false;
    neighbours->takes = neighbours->gives;
    neighbours->rank = malloc(((size_t)neighbours->gives * 2 + 1) * sizeof *neighbours->rank);
    if (!neighbours->rank ||
        ASK(COMM, Graph_neighbors, comm, me, neighbours->gives, neighbours->rank))
        return false;
    memcpy(neighbours->rank + neighbours->gives, neighbours->rank,
           (size_t)neighbours->gives * sizeof *neighbours->rank);
    return true;
}

static bool dist_graph_neighbours(MPI_Comm comm, struct neighbours *neighbours)
{
    int weighted;
    if (ASK(COMM, Dist_graph_neighbors_count, comm, &neighbours->takes, &neighbours->gives,
            &weighted))
        return false;
    size_t all = (size_t)neighbours->gives + (size_t)neighbours->takes;
    neighbours->rank = malloc((all * 2 + 1) * sizeof *neighbours->rank); /* also room for the
                                                                            weights */
    return neighbours->rank &&
           !ASK(COMM, Dist_graph_neighbors, comm, neighbours->takes,
                neighbours->rank + neighbours->gives, neighbours->rank + all + neighbours->gives,
                neighbours->gives, neighbours->rank, neighbours->rank + all);
}

static bool cart_neighbours(MPI_Comm comm, struct neighbours *neighbours)
{
    int dims;
    if (ASK(COMM, Cartdim_get, comm, &dims) || dims < 0)
        return false;
    neighbours->gives = neighbours->takes = 2 * dims;
    neighbours->rank = malloc(((size_t)dims * 4 + 1) * sizeof *neighbours->rank);
    for (int d = 0; neighbours->rank && d < dims; d++)
        if (ASK(COMM, Cart_shift, comm, d, 1, &neighbours->rank[2 * d],
                &neighbours->rank[2 * d + 1]))
            return false;
    if (neighbours->rank)
        memcpy(neighbours->rank + neighbours->gives, neighbours->rank,
               (size_t)neighbours->gives * sizeof *neighbours->rank);
    return neighbours->rank != NULL;
}

/* Writes the neighbors. A communicator that is still being duplicated is not asked, but its
 * original. */
static void write_neighbors(struct lane *lane, MPI_Comm comm, const struct comm_info *info)
{
    enum { AT_ONCE = 4096 };
    struct neighbours neighbours = {0};
    bool known = info->topology == 1   ? cart_neighbours(comm, &neighbours)
                 : info->topology == 2 ? graph_neighbours(comm, info->rank, &neighbours)
                                       : dist_graph_neighbours(comm, &neighbours);
    int total = neighbours.gives + neighbours.takes, first = 0;
    while (known) {
        int count = total - first < AT_ONCE ? total - first : AT_ONCE;
        uint32_t words =
            (uint32_t)((sizeof(struct spool_def_neighbors) + (size_t)count * 4 + 7) / 8);
        struct spool_def_neighbors *def = spool_reserve(recorder_definitions(lane), words);
        if (!def)
            break;
        *def = (struct spool_def_neighbors){.head = {SPOOL_DEF_NEIGHBORS, (uint16_t)words, 0, 0},
                                            .comm = info->id,
                                            .gives = (uint32_t)neighbours.gives,
                                            .takes = (uint32_t)neighbours.takes,
                                            .first = (uint32_t)first,
                                            .count = (uint32_t)count};
        for (int i = 0; i < count; i++) {
            int rank = neighbours.rank[first + i];
            ((int32_t *)(def + 1))[i] = rank >= 0 && rank < info->size ? info->member[rank] : -1;
        }
        first += count;
        known = first < total;
    }
    free(neighbours.rank);
}

/* Returns the communicator with the id that is not freed. */
static struct comm_info *comm_slot(uint32_t id)
{
    struct comm_info *chunk =
        id / COMM_CHUNK < COMM_CHUNKS_MAX ? comm_chunk[id / COMM_CHUNK] : NULL;
    return chunk ? chunk + id % COMM_CHUNK : NULL;
}

static void comm_chunk_leave(uint32_t chunk)
{
    if (comm_live[chunk] || chunk == map[OBJECT_COMM].last_id / COMM_CHUNK)
        return;
    free(comm_chunk[chunk]);
    comm_chunk[chunk] = NULL;
}

/* Assigns the next id and its comm_info. Returns 0 if memory or ids ran out. */
static uint32_t comm_new(MPI_Comm comm)
{
    uint32_t chunk = (map[OBJECT_COMM].last_id + 1) / COMM_CHUNK;
    if (chunk >= COMM_CHUNKS_MAX ||
        (!comm_chunk[chunk] && !(comm_chunk[chunk] = calloc(COMM_CHUNK, sizeof **comm_chunk))))
        return 0;
    uint32_t id = map_add(OBJECT_COMM, HANDLE(comm), 0);
    comm_live[chunk] += id != 0;
    if (id && chunk && id % COMM_CHUNK == 0)
        comm_chunk_leave(chunk - 1);
    return id;
}

static void comm_forget(uint32_t id)
{
    struct comm_info *info = comm_slot(id);
    creations_forget(info);
    free(info->member);
    *info = (struct comm_info){.member = NULL};
    comm_live[id / COMM_CHUNK]--;
    comm_chunk_leave(id / COMM_CHUNK);
}

uint32_t recorder_freeing(enum recorder_object kind, const void *handle)
{
    struct map *m = &map[kind];
    uint32_t id = 0;
    recorder_lock();
    if (m->capacity)
        for (uint32_t at = hash_pointer(handle) & (m->capacity - 1); m->slot[at].handle;
             at = (at + 1) & (m->capacity - 1))
            if (m->slot[at].handle == handle) {
                id = m->slot[at].id;
                map_remove(m, at);
                recorder.generation++;
                break;
            }
    recorder_unlock();
    return id;
}

void recorder_freed(enum recorder_object kind, uint32_t id, const void *kept)
{
    recorder_lock();
    if (kept && !map_find(kind, kept))
        map_add(kind, kept, id);
    else if (kind == OBJECT_COMM)
        comm_forget(id);
    recorder_unlock();
}

/* Asks the library for members, sizes, rank and topology. */
static bool handles_ask(MPI_Comm comm, struct comm_info *info)
{
    int inter = 0, size = 0, remote = 0, rank = 0, topology = MPI_UNDEFINED;
    MPI_Group group, remote_group;
    if (ASK(COMM, Comm_test_inter, comm, &inter) || ASK(COMM, Comm_size, comm, &size) ||
        ASK(COMM, Comm_rank, comm, &rank) ||
        (inter && ASK(COMM, Comm_remote_size, comm, &remote)) ||
        ASK(COMM, Comm_group, comm, &group))
        return false;
    if (!inter)
        ASK(COMM, Topo_test, comm, &topology);
    info->inter = inter;
    info->size = size;
    info->remote_size = remote;
    info->rank = rank;
    info->topology = topology == MPI_CART         ? 1
                     : topology == MPI_GRAPH      ? 2
                     : topology == MPI_DIST_GRAPH ? 3
                                                  : 0;
    info->member = malloc((size_t)(size + remote + 1) * sizeof *info->member);
    bool good = info->member && handles_translate(group, size, info->member);
    OWN(Group_free)(&group);
    if (good && inter && ASK(COMM, Comm_remote_group, comm, &remote_group) == MPI_SUCCESS) {
        good = handles_translate(remote_group, remote, info->member + size);
        OWN(Group_free)(&remote_group);
    }
    return good;
}

/* Errors may return on MPI_COMM_WORLD, on MPI_COMM_SELF, on a window. */
static atomic_bool world_handled, self_handled, windows_handled;

/* Returns NULL for other communicators. */
static atomic_bool *comm_predefined(MPI_Comm comm)
{
    return comm == recorder_handle.comm_world  ? &world_handled
           : comm == recorder_handle.comm_self ? &self_handled
                                               : NULL;
}

/* Requires the lock. */
static uint32_t comm_define(struct lane *lane, MPI_Comm comm, uint32_t parent_id,
                            enum comm_origin origin, int tag)
{
    uint32_t id = comm_new(comm);
    if (!id)
        return 0;
    struct comm_info *parent = parent_id ? comm_slot(parent_id) : NULL;
    struct comm_info info = {0};
    if (origin == COMM_ORIGIN_COPY &&
        parent) { /* not asked: a duplicate in the making has no context yet */
        info = *parent;
        info.creation = 0;
        size_t bytes = (size_t)(info.size + info.remote_size + 1) * sizeof *info.member;
        info.member = malloc(bytes);
        if (!info.member || !parent->member)
            return 0;
        memcpy(info.member, parent->member, bytes);
    } else if (!handles_ask(comm, &info)) {
        free(info.member);
        return 0;
    }
    /* Open MPI 5.0 claims that a communicator made from a grid is a grid, and crashes when asked
     * for its dimensions. */
    if (origin == COMM_ORIGIN_DIST_GRAPH)
        info.topology = 3;
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    if (origin == COMM_ORIGIN_UNKNOWN)
        ASK(COMM, Comm_get_name, comm, name, &length);
    name[length] = 0;
    if ((origin == COMM_ORIGIN_PARENT || origin == COMM_ORIGIN_DIST_GRAPH) && parent)
        memcpy(info.making, parent->making, sizeof info.making);
    info.id = id;
    info.handled = parent ? parent->handled : !comm_predefined(comm); /* it inherits the handler */
    info.parent = parent_id;
    info.handle = comm;
    info.global = comm == recorder_handle.comm_self
                      ? handles_mix(0x53656C66, (uint64_t)recorder.world_rank) >> 1
                      : global_id(&info, parent, origin, tag);
    *comm_slot(id) = info;
    write_comm(lane, &info, name);
    if (info.topology)
        write_neighbors(lane, origin == COMM_ORIGIN_COPY && parent ? parent->handle : comm, &info);
    return id;
}

uint32_t recorder_comm_slow(struct lane *lane, MPI_Comm comm)
{
    return handles_comm(lane, comm, 0);
}

uint32_t handles_comm(struct lane *lane, MPI_Comm comm, uint32_t number)
{
    if (comm == recorder_handle.comm_null || !comm)
        return 0;
    recorder_lock();
    uint32_t id = map_find(OBJECT_COMM, HANDLE(comm));
    if (!id && usage_accepted(OBJECT_COMM, HANDLE(comm)))
        id = comm_define(lane, comm, 0, COMM_ORIGIN_UNKNOWN, (int)number);
    if (id) {
        const struct comm_info *info = comm_slot(id);
        lane->comm_cache.peers = (uint32_t)(info->inter ? info->remote_size : info->size);
        lane->comm_cache.generation = recorder.generation;
        lane->comm_cache.handle = HANDLE(comm);
        lane->comm_cache.id = id;
    }
    recorder_unlock();
    return id;
}

uint32_t recorder_comm_made(struct lane *lane, MPI_Comm made, MPI_Comm parent,
                            enum comm_origin origin, int tag)
{
    if (made == recorder_handle.comm_null)
        return 0;
    uint32_t parent_id = recorder_comm(lane, parent);
    recorder_lock();
    uint32_t id = map_find(OBJECT_COMM, HANDLE(made));
    if (!id && usage_accepted(OBJECT_COMM, HANDLE(made))) /* MPI_Comm_get_parent returns the same
                                                              handle again */
        id = comm_define(lane, made, parent_id, origin, tag);
    recorder_unlock();
    return id;
}

bool handles_comm_is(uint32_t id, MPI_Comm comm)
{
    return map_find(OBJECT_COMM, HANDLE(comm)) == id;
}

uint32_t handles_comm_making(uint32_t comm, unsigned call)
{
    recorder_lock();
    struct comm_info *info = comm ? comm_slot(comm) : NULL;
    uint32_t number = info ? ++info->making[call % COMM_MAKINGS] : 0;
    recorder_unlock();
    return number;
}

const struct comm_info *handles_comm_info(struct lane *lane, MPI_Comm comm)
{
    uint32_t id = recorder_comm(lane, comm);
    return id ? comm_slot(id) : NULL;
}

void recorder_comm_handled(struct lane *lane, MPI_Comm comm, MPI_Errhandler handler)
{
    atomic_bool *predefined = comm_predefined(comm);
    uint32_t id = recorder_comm(lane, comm);

    if (predefined)
        *predefined = !library_fatal(handler);
    if (id)
        comm_slot(id)->handled = !library_fatal(handler);
}

bool handles_comm_fatal(MPI_Comm comm)
{
    const atomic_bool *predefined = comm_predefined(comm);
    const struct lane *lane = recorder_thread.current;

    if (recorder.filter) /* the recorder may have missed calls */
        return false;
    if (predefined)
        return !*predefined;
    return lane && lane != recorder_nobody && lane->comm_cache.handle == HANDLE(comm) &&
           lane->comm_cache.generation == recorder.generation && lane->comm_cache.id &&
           !comm_slot(lane->comm_cache.id)->handled;
}

void recorder_win_handled(void)
{
    windows_handled = true;
}

bool handles_win_fatal(void)
{
    return !recorder.filter && !windows_handled;
}

void handles_init(struct lane *lane, MPI_Group all)
{
    world_group = all;
    world_group_known = all != recorder_handle.group_null ||
                        OWN(Comm_group)(recorder_handle.comm_world, &world_group) == MPI_SUCCESS;
    if (all == recorder_handle.group_null)
        recorder_world_known(lane);
}

int recorder_text_number(const char *text)
{
    uint64_t hash = 0;

    for (const char *at = memory_text(text); at && *at; at++)
        hash = handles_mix(hash, (unsigned char)*at);
    return (int)(hash & INT32_MAX);
}

void handles_finalize(void)
{
    if (world_group_known)
        OWN(Group_free)(&world_group);
    world_group_known = false;
}

/* --- the communicator of a collective --------------------------------------------------------- */

static unsigned handles_sides(struct lane *lane, MPI_Comm comm, int root, unsigned at_root,
                              unsigned elsewhere)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    if (!info)
        return 0;
    if (info->inter)
        return root == MPI_ROOT ? at_root : root == MPI_PROC_NULL ? 0 : elsewhere;
    return info->rank == root ? SIDE_SEND | SIDE_RECV : elsewhere;
}
unsigned recorder_sides_gather(struct lane *lane, MPI_Comm comm, int root)
{
    return handles_sides(lane, comm, root, SIDE_RECV, SIDE_SEND);
}
unsigned recorder_sides_scatter(struct lane *lane, MPI_Comm comm, int root)
{
    return handles_sides(lane, comm, root, SIDE_SEND, SIDE_RECV);
}
int recorder_comm_size(struct lane *lane, MPI_Comm comm)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return !info ? 0 : info->inter ? info->remote_size : info->size;
}
int recorder_own(struct lane *lane, MPI_Comm comm, const int *value)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return info && value ? value[info->rank] : 0;
}
int recorder_comm_local_size(struct lane *lane, MPI_Comm comm)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return info ? info->size : 0;
}

static int handles_neighbors(struct lane *lane, MPI_Comm comm, bool in)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    int a = 0, b = 0, weighted;
    if (!info)
        return 0;
    if (info->topology == 1)
        return ASK(COMM, Cartdim_get, comm, &a) ? 0 : 2 * a;
    if (info->topology == 2)
        return ASK(COMM, Graph_neighbors_count, comm, info->rank, &a) ? 0 : a;
    if (info->topology == 3)
        return ASK(COMM, Dist_graph_neighbors_count, comm, &a, &b, &weighted) ? 0 : in ? a : b;
    return 0;
}
int recorder_neighbors_in(struct lane *lane, MPI_Comm comm)
{
    return handles_neighbors(lane, comm, true);
}
int recorder_neighbors_out(struct lane *lane, MPI_Comm comm)
{
    return handles_neighbors(lane, comm, false);
}
int32_t recorder_comm_world(struct lane *lane, MPI_Comm comm, int rank)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    int32_t first = info && info->inter ? info->size : 0,
            count = info ? info->inter ? info->remote_size : info->size : 0;
    return rank >= 0 && rank < count && info->member ? info->member[first + rank] : -1;
}
bool recorder_comm_is(struct lane *lane, MPI_Comm comm, int rank)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return info && (info->inter ? rank == MPI_ROOT : info->rank == rank);
}
int recorder_comm_own(struct lane *lane, MPI_Comm comm)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return info && info->rank > 0 ? info->rank : 0;
}
int recorder_comm_rank_of(struct lane *lane, MPI_Comm comm, int32_t world)
{
    for (int rank = 0, n = recorder_comm_size(lane, comm); rank < n; rank++)
        if (recorder_comm_world(lane, comm, rank) == world)
            return rank;
    return -1;
}
uint64_t recorder_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    return count > 0 && ASK(TYPE, Type_size, type, &size) == MPI_SUCCESS
               ? (uint64_t)count * (uint64_t)size
               : 0;
}
uint64_t recorder_bytes_external(const char *representation, int count, MPI_Datatype type)
{
    char external[] = "external32";
    const char *asked = memory_text(representation);
    MPI_Aint size = 0;
    return count > 0 && asked && !strcmp(asked, external) &&
                   usage_accepted(OBJECT_TYPE, HANDLE(type)) &&
                   OWN(Pack_external_size)(external, count, type, &size) == MPI_SUCCESS
               ? (uint64_t)size
               : 0;
}
int recorder_cart_dims(struct lane *lane, MPI_Comm comm)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    int dims = 0;
    return info && info->topology == 1 && ASK(COMM, Cartdim_get, comm, &dims) == MPI_SUCCESS ? dims
                                                                                             : 0;
}
static void graph_sizes(struct lane *lane, MPI_Comm comm, int *nodes, int *edges)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    if (!info || info->topology != 2 || ASK(COMM, Graphdims_get, comm, nodes, edges))
        *nodes = *edges = 0;
}
int recorder_graph_nodes(struct lane *lane, MPI_Comm comm)
{
    int nodes, edges;
    graph_sizes(lane, comm, &nodes, &edges);
    return nodes;
}
int recorder_graph_edges(struct lane *lane, MPI_Comm comm)
{
    int nodes, edges;
    graph_sizes(lane, comm, &nodes, &edges);
    return edges;
}
int recorder_graph_neighbors(struct lane *lane, MPI_Comm comm, int rank)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    int count = 0;
    return info && info->topology == 2 && rank >= 0 && rank < info->size &&
                   ASK(COMM, Graph_neighbors_count, comm, rank, &count) == MPI_SUCCESS
               ? count
               : 0;
}

/* --- groups, operations, windows, files ------------------------------------------------------- */

uint32_t recorder_group(struct lane *lane, MPI_Group group)
{
    if (group == recorder_handle.group_null || !group)
        return 0;
    recorder_lock();
    uint32_t id = map_find(OBJECT_GROUP, HANDLE(group));
    int size = 0;
    int32_t *member = NULL;
    if (id || ASK(GROUP, Group_size, group, &size) ||
        !(member = malloc((size_t)(size + 1) * sizeof *member)) ||
        !handles_translate(group, size, member) || !(id = map_add(OBJECT_GROUP, HANDLE(group), 0)))
        goto done;
    int first = 0;
    do {
        int count = size - first < 4096 ? size - first : 4096;
        uint32_t words = (uint32_t)((sizeof(struct spool_def_group) + (size_t)count * 4 + 7) / 8);
        struct spool_def_group *def = spool_reserve(recorder_definitions(lane), words);
        if (!def)
            break;
        *def = (struct spool_def_group){{SPOOL_DEF_GROUP, (uint16_t)words, 0, 0},
                                        id,
                                        (uint32_t)size,
                                        (uint32_t)first,
                                        (uint32_t)count};
        memcpy(def + 1, member + first, (size_t)count * 4);
        first += count;
    } while (first < size);
done:
    free(member);
    recorder_unlock();
    return id;
}

static uint32_t op_define(struct lane *lane, MPI_Op op, int commute, const void *function)
{
    uint32_t id = map_add(OBJECT_OP, HANDLE(op), 0);
    const char *name = library_op_name(op);
    uint32_t site = !name && function ? recorder_function_site(lane, function) : 0;
    name = name ? name : "user";
    if (commute < 0 && ASK(OP, Op_commutative, op, &commute) != MPI_SUCCESS)
        commute = 0;
    size_t bytes = strlen(name);
    uint32_t words = (uint32_t)((sizeof(struct spool_def_op) + bytes + 7) / 8);
    struct spool_def_op *def = spool_reserve(recorder_definitions(lane), words);
    if (def) {
        *def = (struct spool_def_op){
            {SPOOL_DEF_OP, (uint16_t)words, (uint16_t)(commute != 0), (uint16_t)bytes}, id, site};
        memcpy(def + 1, name, bytes);
    }
    return id;
}

uint32_t recorder_op(struct lane *lane, MPI_Op op)
{
    if (op == recorder_handle.op_null || !op)
        return 0;
    recorder_lock();
    uint32_t id = map_find(OBJECT_OP, HANDLE(op));
    if (!id && usage_accepted(OBJECT_OP, HANDLE(op)))
        id = op_define(lane, op, -1, NULL);
    recorder_unlock();
    return id;
}

uint32_t recorder_op_made(struct lane *lane, MPI_Op op, int commute, const void *function)
{
    recorder_lock();
    uint32_t id = op_define(lane, op, commute != 0, function);
    recorder_unlock();
    return id;
}

static uint32_t shared_define(struct lane *lane, enum recorder_object kind, const void *handle,
                              MPI_Comm comm, uint64_t bytes, const char *name)
{
    uint32_t comm_id = recorder_comm(lane, comm);
    recorder_lock();
    uint32_t id = map_find(kind, handle);
    if (!id && usage_accepted(kind, handle) && (id = map_add(kind, handle, 0))) {
        struct comm_info *of = comm_id ? comm_slot(comm_id) : NULL;
        uint64_t key = handles_mix(handles_mix(0x77696E, kind), of ? of->global : 0);
        size_t length = strlen(name) < 1024 ? strlen(name) : 1024;
        uint32_t words = (uint32_t)((sizeof(struct spool_def_win) + length + 7) / 8);
        struct spool_def_win *def = spool_reserve(recorder_definitions(lane), words);
        if (def) {
            *def = (struct spool_def_win){{kind == OBJECT_WIN ? SPOOL_DEF_WIN : SPOOL_DEF_FILE,
                                           (uint16_t)words, 0, (uint16_t)length},
                                          handles_mix(key, creation_number(key, of)) >> 1,
                                          id,
                                          comm_id,
                                          bytes};
            memcpy(def + 1, name, length);
        }
    }
    recorder_unlock();
    return id;
}

uint32_t recorder_win_made(struct lane *lane, MPI_Win win, MPI_Comm comm, MPI_Aint bytes)
{
    return win == recorder_handle.win_null
               ? 0
               : shared_define(lane, OBJECT_WIN, HANDLE(win), comm, (uint64_t)bytes, "");
}
uint32_t recorder_win(struct lane *lane, MPI_Win win)
{
    return win == recorder_handle.win_null || !win
               ? 0
               : shared_define(lane, OBJECT_WIN, HANDLE(win), recorder_handle.comm_null, 0, "");
}
uint32_t recorder_file_made(struct lane *lane, MPI_File file, MPI_Comm comm, const char *name)
{
    return file == recorder_handle.file_null
               ? 0
               : shared_define(lane, OBJECT_FILE, HANDLE(file), comm, 0, name ? name : "");
}
uint32_t recorder_file(struct lane *lane, MPI_File file)
{
    return file == recorder_handle.file_null || !file
               ? 0
               : shared_define(lane, OBJECT_FILE, HANDLE(file), recorder_handle.comm_null, 0, "");
}
