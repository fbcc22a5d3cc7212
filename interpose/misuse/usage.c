/* Checks objects and arguments (usage.h).
 *
 *  1. An object is in the table from the call that made it; freed objects stay, until the library
 *     uses their address again.
 *  2. A handle that is not in the table is predefined, was made by an unrecorded call, or is no
 *     object: the first word of each of the library's objects points at its class, which
 *     distinguishes the last case. */
#include "interpose/library/library.h"
#include "interpose/misuse/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/objects/contents.h"
#include "interpose/objects/handles.h"

static struct object {
    const void *handle; /* NULL: no entry */
    uint64_t seq;       /* of the call that made it, or freed it */
    uint32_t references;
    uint8_t kind;
    bool freed, uncommitted;
    bool refused; /* the program called to free it, and MPI refused */
    bool used;    /* keys: attributes were set with it */
    bool unsure;  /* made by an unrecorded call: its number of references is unknown */
    bool doubted; /* made by a call with an invalid handle: its content in the library is unknown */
    uint8_t of;   /* enum usage_of */
} * object;
static uint32_t object_room, object_count;
static unsigned said;
unsigned usage_uncommitted;

static const enum misuse_object object_of[OBJECT_KINDS] = {
    [OBJECT_COMM] = MISUSE_OBJECT_COMM,     [OBJECT_GROUP] = MISUSE_OBJECT_GROUP,
    [OBJECT_TYPE] = MISUSE_OBJECT_TYPE,     [OBJECT_OP] = MISUSE_OBJECT_OP,
    [OBJECT_WIN] = MISUSE_OBJECT_WIN,       [OBJECT_FILE] = MISUSE_OBJECT_FILE,
    [OBJECT_INFO] = MISUSE_OBJECT_INFO,     [OBJECT_ERRHANDLER] = MISUSE_OBJECT_ERRHANDLER,
    [OBJECT_KEYVAL] = MISUSE_OBJECT_KEYVAL, [OBJECT_BUFFER] = MISUSE_OBJECT_BUFFER,
    [OBJECT_MEMORY] = MISUSE_OBJECT_MEMORY,
};

void usage_keep(struct lane *lane, uint64_t seq, const struct misuse *misuse)
{
    bool access = misuse->kind >= MISUSE_WINDOW_READ; /* accesses have a limit of their own */
    size_t bytes = 0, length[MISUSE_NAMES];
    if (!seq || (!access && /* usage.h invariant 2 */
                 __atomic_fetch_add(&said, 1, __ATOMIC_RELAXED) >= USAGE_MAX))
        return;
    for (int i = 0; i < MISUSE_NAMES; i++) {
        length[i] = misuse->name[i] ? strnlen(misuse->name[i], USAGE_NAME_MAX) : 0;
        bytes += length[i] + 1;
    }
    uint32_t words = (uint32_t)((sizeof(struct spool_misuse) + bytes + 7) / 8);
    struct spool_misuse *record = spool_reserve(&lane->writer, words);
    if (!record)
        return;
    *record = (struct spool_misuse){
        {SPOOL_MISUSE, (uint16_t)words, (uint16_t)misuse->kind, (uint16_t)misuse->object},
        seq,
        misuse->other,
        (uint32_t)misuse->site,
        (uint32_t)bytes,
        {0}};
    memcpy(record->value, misuse->value, sizeof record->value);
    char *at = (char *)(record + 1);
    for (int i = 0; i < MISUSE_NAMES; i++) {
        memcpy(at, misuse->name[i] ? misuse->name[i] : "", length[i]);
        at += length[i];
        *at++ = '\0';
    }
}

/* --- the table -------------------------------------------------------------------------------- */

static uint32_t usage_place_of(const void *handle, enum recorder_object kind, uint32_t room)
{
    return (uint32_t)((((uintptr_t)handle ^ (uintptr_t)kind << 56) * 0x9E3779B97F4A7C15u) >> 32) &
           (room - 1);
}

static struct object *usage_find(enum recorder_object kind, const void *handle)
{
    if (!object_room)
        return NULL;
    for (uint32_t at = usage_place_of(handle, kind, object_room); object[at].handle;
         at = (at + 1) & (object_room - 1))
        if (object[at].handle == handle && object[at].kind == kind)
            return &object[at];
    return NULL;
}

static struct object *usage_add(enum recorder_object kind, const void *handle)
{
    struct object *found = usage_find(kind, handle);
    if (found)
        return found;
    if (object_count * 2 >= object_room) {
        uint32_t room = object_room ? object_room * 2 : 256;
        struct object *fresh = calloc(room, sizeof *fresh);
        if (!fresh)
            return NULL;
        for (uint32_t i = 0; i < object_room; i++)
            if (object[i].handle) {
                uint32_t at = usage_place_of(object[i].handle, object[i].kind, room);
                while (fresh[at].handle)
                    at = (at + 1) & (room - 1);
                fresh[at] = object[i];
            }
        free(object);
        object = fresh;
        object_room = room;
    }
    uint32_t at = usage_place_of(handle, kind, object_room);
    while (object[at].handle)
        at = (at + 1) & (object_room - 1);
    object[at] = (struct object){.handle = handle, .kind = (uint8_t)kind, .freed = true};
    object_count++;
    return &object[at];
}

static bool is_null(enum recorder_object kind, const void *handle)
{
    switch (kind) {
    case OBJECT_COMM:
        return handle == HANDLE(recorder_handle.comm_null);
    case OBJECT_GROUP:
        return handle == HANDLE(recorder_handle.group_null);
    case OBJECT_TYPE:
        return handle == HANDLE(recorder_handle.type_null);
    case OBJECT_OP:
        return handle == HANDLE(recorder_handle.op_null);
    case OBJECT_WIN:
        return handle == HANDLE(recorder_handle.win_null);
    case OBJECT_FILE:
        return handle == HANDLE(recorder_handle.file_null);
    case OBJECT_INFO:
        return handle == HANDLE(recorder_handle.info_null);
    case OBJECT_ERRHANDLER:
        return handle == HANDLE(recorder_handle.errhandler_null);
    default:
        return false;
    }
}

static bool usage_named(MPI_Datatype type)
{
    return contents_basic(contents_combiner(type));
}

bool usage_predefined(enum recorder_object kind, const void *handle)
{
    return library_predefined(kind, handle) ||
           (kind == OBJECT_TYPE && usage_accepted(kind, handle) &&
            usage_named((MPI_Datatype)(uintptr_t)handle));
}

/* Tells whether MPI_Init makes the communicator, which does not exist without it: some libraries
 * accept it all the same, others end the job. */
static bool is_of_init(enum recorder_object kind, const void *handle)
{
    return recorder.by_session && kind == OBJECT_COMM &&
           (handle == HANDLE(recorder_handle.comm_world) ||
            handle == HANDLE(recorder_handle.comm_self));
}

bool usage_accepted(enum recorder_object kind, const void *handle)
{
    if (!handle || is_null(kind, handle) || is_of_init(kind, handle))
        return false;
    recorder_lock();
    const struct object *found = usage_find(kind, handle);
    bool good = (!found || (!found->freed && !found->doubted)) &&
                library_may_be(kind, handle); /* both conditions: the library reuses the addresses
                                                 of freed groups */
    recorder_unlock();
    return good;
}

const void *usage_object_find(enum recorder_object kind, uint32_t lower)
{
    const void *found = NULL;
    recorder_lock();
    for (uint32_t i = 0; i < object_room && !found; i++)
        if (object[i].handle && object[i].kind == kind && !object[i].freed &&
            (uint32_t)(uintptr_t)object[i].handle == lower)
            found = object[i].handle;
    recorder_unlock();
    return found && usage_accepted(kind, found) ? found : NULL;
}

enum misuse_object usage_object(enum recorder_object kind)
{
    return object_of[kind];
}

static bool frees_in_finalize; /* attributes of MPI_COMM_SELF may have delete functions that free
                                  objects in MPI_Finalize */

void usage_attribute(MPI_Comm comm)
{
    frees_in_finalize |= comm == recorder_handle.comm_self;
}

static void usage_made_by(struct lane *lane, enum recorder_object kind, const void *handle,
                          uint64_t seq, bool uncommitted)
{
    recorder_lock();
    struct object *o = usage_add(kind, handle);
    if (o && o->freed)
        *o = (struct object){.handle = handle,
                             .seq = seq,
                             .references = 1,
                             .kind = (uint8_t)kind,
                             .uncommitted = uncommitted,
                             .doubted = seq && seq == lane->doubted};
    else if (o)
        o->references++; /* calls return groups and error handlers again and again */
    usage_uncommitted += uncommitted;
    recorder_unlock();
}

void usage_made(struct lane *lane, enum recorder_object kind, const void *handle, uint64_t seq)
{
    (void)lane;
    if (handle && !is_null(kind, handle) && !usage_predefined(kind, handle))
        usage_made_by(lane, kind, handle, seq, false);
}

void usage_handed_out(struct lane *lane, enum recorder_object kind, const void *handle,
                      uint64_t seq)
{
    recorder_lock();
    bool unseen = !usage_find(kind, handle);
    recorder_unlock();
    usage_made(lane, kind, handle, seq);
    recorder_lock();
    struct object *o = unseen ? usage_find(kind, handle) : NULL;
    if (o) {
        o->unsure = true;
        o->seq = 0;
    }
    recorder_unlock();
}

void usage_given(struct lane *lane, enum recorder_object kind, const void *handle)
{
    (void)lane;
    recorder_lock();
    struct object *o = usage_find(kind, handle);
    if (o && o->freed)
        *o = (struct object){.handle = handle, .references = 1, .kind = (uint8_t)kind};
    recorder_unlock();
}

void usage_doubt(void)
{
    recorder_lock();
    for (uint32_t i = 0; i < object_room; i++)
        if (object[i].handle && object[i].freed)
            object[i] = (struct object){
                .handle = object[i].handle, .references = 1, .kind = object[i].kind};
    recorder_unlock();
}

void usage_type_made(struct lane *lane, MPI_Datatype type, uint64_t seq, MPI_Datatype copied)
{
    (void)lane;
    bool copy = copied != recorder_handle.type_null;
    if (!type || type == recorder_handle.type_null)
        return;
    recorder_lock();
    const struct object *old = copy ? usage_find(OBJECT_TYPE, HANDLE(copied)) : NULL,
                        *stale = usage_find(OBJECT_TYPE, HANDLE(type));
    bool uncommitted = copy ? old && old->uncommitted : true, fresh = !stale || stale->freed;
    recorder_unlock();
    if (fresh)
        usage_made_by(lane, OBJECT_TYPE, HANDLE(type), seq, uncommitted);
}

void usage_contents(struct lane *lane, MPI_Datatype of, uint64_t seq, const MPI_Datatype *type)
{
    (void)lane;
    int types = type ? contents_types(of) : 0;
    for (int i = 0; i < types; i++)
        if (type[i] && !is_null(OBJECT_TYPE, HANDLE(type[i])) &&
            !usage_named(type[i])) /* types are references that must be freed, like new ones */
            usage_made_by(lane, OBJECT_TYPE, HANDLE(type[i]), seq, false);
}

void usage_committed(struct lane *lane, const void *type)
{
    (void)lane;
    recorder_lock();
    struct object *o = usage_find(OBJECT_TYPE, type);
    if (o && o->uncommitted) {
        o->uncommitted = false;
        usage_uncommitted--;
    }
    recorder_unlock();
}

void usage_gone(struct lane *lane, enum recorder_object kind, const void *handle)
{
    if (library_predefined(kind, handle)) /* a call may have returned it: freeing it is allowed, and
                                             it stays valid */
        return;
    recorder_lock();
    struct object *o = is_null(kind, handle) ? NULL : usage_add(kind, handle);
    if (o && !o->unsure && (o->freed || --o->references == 0)) {
        usage_uncommitted -= o->uncommitted;
        o->uncommitted = false;
        o->freed = true;
        if (o->seq && lane->depth && lane->depth <= SPOOL_DEPTH_MAX)
            o->seq = lane->open[lane->depth - 1].seq; /* the call that frees it */
    }
    recorder_unlock();
}

void usage_kept(struct lane *lane, enum recorder_object kind, const void *handle)
{
    (void)lane;
    recorder_lock();
    struct object *o = usage_find(kind, handle);
    if (o && !o->freed)
        o->refused = true;
    recorder_unlock();
}

static const void *of_keyval(int keyval)
{
    return (const void *)((uintptr_t)(unsigned)keyval + 1);
}
void usage_made_for(enum recorder_object kind, const void *handle, enum usage_of of)
{
    recorder_lock();
    struct object *o = usage_find(kind, handle);
    if (o && !o->freed)
        o->of = (uint8_t)of;
    recorder_unlock();
}
void usage_keyval_given(struct lane *lane, int keyval)
{
    usage_handed_out(lane, OBJECT_KEYVAL, of_keyval(keyval), 0);
}
void usage_keyval_made(struct lane *lane, int keyval, uint64_t seq, enum usage_of of)
{
    (void)lane;
    usage_made_by(lane, OBJECT_KEYVAL, of_keyval(keyval), seq, false);
    usage_made_for(OBJECT_KEYVAL, of_keyval(keyval), of);
}
void usage_keyval_gone(struct lane *lane, int keyval)
{
    usage_gone(lane, OBJECT_KEYVAL, of_keyval(keyval));
}
void usage_keyval_used(struct lane *lane, int keyval)
{
    (void)lane;
    recorder_lock();
    struct object *o = usage_find(OBJECT_KEYVAL, of_keyval(keyval));
    if (o)
        o->used = true;
    recorder_unlock();
}

/* --- handles ---------------------------------------------------------------------------------- */

void usage_handle(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                  const char *argument, bool null_allowed)
{
    enum misuse_object what = object_of[kind];
    if (!null_allowed || !is_null(kind, handle))
        lane->wrong = seq; /* or not: usage_swapped looks at it again */
    if (is_null(kind, handle)) {
        if (!null_allowed)
            usage_say(lane, seq, MISUSE_HANDLE_NULL, argument, 0, .object = what);
    } else if (!handle && kind != OBJECT_KEYVAL) {
        usage_say(lane, seq, MISUSE_HANDLE_POINTER, argument, 0, .object = what);
    } else if (!usage_accepted(kind, handle)) {
        recorder_lock();
        const struct object *o = usage_find(kind, handle);
        uint64_t made_by = o ? o->seq : 0;
        bool said_before = o && !o->freed && o->doubted;
        recorder_unlock();
        lane->doubted = seq;
        if (said_before)
            return;
        usage_say(lane, seq, made_by ? MISUSE_HANDLE_FREED : MISUSE_HANDLE_UNKNOWN, argument,
                  made_by, .object = what);
    }
}

void usage_for(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
               const char *argument, enum usage_of of)
{
    static const char *const words[] = {
        "objects of another kind", "communicators", "windows", "files", "datatypes", "sessions"};
    recorder_lock();
    const struct object *o = usage_find(kind, handle);
    unsigned made_of = o && !o->freed && !o->unsure ? o->of : USAGE_OF_NONE;
    uint64_t made_by = o ? o->seq : 0;
    recorder_unlock();
    if (made_of && made_of != of && !recorder.unseen)
        usage_say(lane, seq, MISUSE_OF_OTHERS, argument, made_by, .object = object_of[kind],
                  .name[1] = words[made_of], .name[2] = words[of]);
}

void usage_comm(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument,
                uint32_t known, bool null_allowed)
{
    uint64_t made_by = recorder_duplicating ? recorder_duplicate_made(comm) : 0;
    if (made_by)
        usage_say(lane, seq, MISUSE_COMM_INCOMPLETE, argument, made_by);
    else if (!known)
        usage_handle(lane, seq, OBJECT_COMM, HANDLE(comm), argument, null_allowed);
}

void usage_freeing(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                   const char *argument)
{
    usage_handle(lane, seq, kind, handle, argument, false);
    recorder_lock();
    bool ours = usage_find(kind, handle) != NULL;
    recorder_unlock();
    if (!ours && handle && kind != OBJECT_ERRHANDLER && kind != OBJECT_GROUP &&
        !is_null(kind, handle) && usage_predefined(kind, handle))
        usage_say(lane, seq, MISUSE_HANDLE_PREDEFINED, argument, 0, .object = object_of[kind]);
}

void usage_type_slow(struct lane *lane, uint64_t seq, MPI_Datatype type, const char *argument,
                     bool committed)
{
    unsigned slot = recorder_type_slot(type);
    if (lane->type_cache[slot].handle != HANDLE(type) ||
        lane->type_cache[slot].generation != recorder.generation) {
        if (!usage_accepted(OBJECT_TYPE, HANDLE(type))) {
            usage_handle(lane, seq, OBJECT_TYPE, HANDLE(type), argument, false);
            return;
        }
    }
    if (!committed || !usage_uncommitted)
        return;
    recorder_lock();
    const struct object *o = usage_find(OBJECT_TYPE, HANDLE(type));
    uint64_t made_by = o && o->uncommitted ? o->seq : 0;
    recorder_unlock();
    if (made_by)
        usage_say(lane, seq, MISUSE_TYPE_UNCOMMITTED, argument, made_by);
}

void usage_types(struct lane *lane, uint64_t seq, const void *given, const MPI_Datatype *type,
                 const int *count, int n, const char *argument, bool committed)
{
    usage_pointer(lane, seq, n > 0 ? given : "", argument);
    for (int i = 0; type && i < n; i++)
        if (!count || count[i] > 0)
            usage_type_slow(lane, seq, type[i], argument, committed);
}

static void objects_left(struct lane *lane, uint64_t seq)
{
    if (UNLIKELY(recorder.partial))
        return;
    recorder_request_finalizing(lane, seq);
    for (uint32_t i = 0; i < object_room; i++) {
        const struct object *o = &object[i];
        if (o->handle && !o->freed && o->seq)
            usage_say(lane, seq, o->kind == OBJECT_BUFFER ? MISUSE_BUFFER_LEFT : MISUSE_OBJECT_LEFT,
                      NULL, o->seq, .object = object_of[o->kind], .value = {o->refused});
    }
}

void usage_finalizing(struct lane *lane, uint64_t seq)
{
    if (!frees_in_finalize)
        objects_left(lane, seq);
}

void usage_finalized(struct lane *lane, uint64_t seq)
{
    if (frees_in_finalize)
        objects_left(lane, seq);
}

/* --- numbers ---------------------------------------------------------------------------------- */

void usage_peer_slow(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                     const char *argument, enum usage_peer what)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    if (info && what == USAGE_SOURCE && value == MPI_ANY_SOURCE) {
        usage_against(lane, seq, info->id, USAGE_NO_ANY_SOURCE, argument);
        return;
    }
    if (!info || (what != USAGE_ROOT && value == MPI_PROC_NULL) ||
        (what == USAGE_ROOT && info->inter && (value == MPI_ROOT || value == MPI_PROC_NULL)))
        return;
    int size = info->inter ? info->remote_size : info->size;
    enum misuse_kind kind =
        value == MPI_ANY_SOURCE && what == USAGE_DEST ? MISUSE_PEER_ANY : MISUSE_PEER_RANGE;
    if (value < 0 || value >= size)
        usage_say(lane, seq, kind, argument, 0, .value = {value, size});
}

void usage_target(struct lane *lane, uint64_t seq, MPI_Win win, int value, const char *argument,
                  bool none)
{
    static __thread struct {
        MPI_Win win;
        uint32_t generation;
        int size;
    } last __attribute__((tls_model("initial-exec")));
    if (value == MPI_PROC_NULL && none)
        return;
    if (last.win != win || last.generation != recorder.generation) {
        MPI_Group group;
        int size = 0;
        if (ASK(WIN, Win_get_group, win, &group) != MPI_SUCCESS ||
            OWN(Group_size)(group, &size) != MPI_SUCCESS)
            return;
        OWN(Group_free)(&group);
        last.win = win;
        last.generation = recorder.generation;
        last.size = size;
    }
    if (value < 0 || value >= last.size)
        usage_say(lane, seq, MISUSE_TARGET_RANGE, argument, 0, .value = {value, last.size});
}

void usage_tag_slow(struct lane *lane, uint64_t seq, uint32_t comm, int value, const char *argument,
                    bool any)
{
    if (any && value == MPI_ANY_TAG)
        usage_against(lane, seq, comm, USAGE_NO_ANY_TAG, argument);
    else
        usage_say(lane, seq, MISUSE_TAG_NEGATIVE, argument, 0, .value = {value});
}

void usage_least_slow(struct lane *lane, uint64_t seq, long long value, const char *argument,
                      int64_t least)
{
    usage_say(lane, seq, least ? MISUSE_LEAST : MISUSE_NEGATIVE, argument, 0,
              .value = {value, least});
}

void usage_counts(struct lane *lane, uint64_t seq, const void *given, const int *value, int n,
                  const char *argument)
{
    usage_pointer(lane, seq, n > 0 ? given : "", argument);
    for (int i = 0; value && i < n; i++)
        if (value[i] < 0) {
            usage_say(lane, seq, MISUSE_NEGATIVE_ENTRY, argument, 0, .value = {i, value[i]});
            return;
        }
}

void usage_pointer_slow(struct lane *lane, uint64_t seq, const char *argument)
{
    usage_say(lane, seq, MISUSE_NULL_POINTER, argument, 0);
}

void usage_cart(struct lane *lane, uint64_t seq, MPI_Comm comm, int ndims, const int *dims)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    long long product = 1;
    for (int i = 0; dims && i < ndims; i++) {
        if (dims[i] <= 0) {
            usage_say(lane, seq, MISUSE_DIMS_ENTRY, "dims", 0, .value = {i, dims[i]});
            return;
        }
        product *= dims[i];
    }
    if (info && product > info->size)
        usage_say(lane, seq, MISUSE_DIMS_PRODUCT, "dims", 0, .value = {product, info->size});
}

void usage_subarray(struct lane *lane, uint64_t seq, int ndims, const int *size, const int *subsize,
                    const int *start)
{
    for (int i = 0; size && subsize && start && i < ndims; i++)
        if (subsize[i] < 0 || start[i] < 0 || subsize[i] > size[i] ||
            (subsize[i] && start[i] > size[i] - subsize[i])) {
            usage_say(lane, seq, MISUSE_SUBARRAY, "start_array", 0,
                      .value = {i, start[i], subsize[i], size[i]});
            return;
        }
}

void usage_darray(struct lane *lane, uint64_t seq, int size, int rank, int ndims, const int *grid)
{
    long long product = 1;
    for (int i = 0; grid && i < ndims && product > 0 && product <= size; i++)
        product *= grid[i];
    if (rank < 0 || rank >= size)
        usage_say(lane, seq, MISUSE_DARRAY_RANK, "rank", 0, .value = {rank, size});
    else if (grid && product != size)
        usage_say(lane, seq, MISUSE_DARRAY_GRID, "psize_array", 0, .value = {product, size});
}

void usage_contents_asked(struct lane *lane, uint64_t seq, MPI_Datatype type, const char *argument,
                          const struct contents_shape *room, bool large)
{
    struct contents_shape needed;
    int combiner = usage_accepted(OBJECT_TYPE, HANDLE(type)) ? contents_shape(type, &needed) : -1;
    if (combiner < 0 || (needed.larges && !large))
        return;
    if (combiner == MPI_COMBINER_NAMED) {
        usage_say(lane, seq, MISUSE_CONTENTS_BASIC, argument, 0);
        return;
    }
    usage_least(lane, seq, room->integers, "max_integers", needed.integers);
    usage_least(lane, seq, room->addresses, "max_addresses", needed.addresses);
    usage_least(lane, seq, room->larges, "max_large_counts", needed.larges);
    usage_least(lane, seq, room->types, "max_datatypes", needed.types);
}

void usage_graph(struct lane *lane, uint64_t seq, int nodes, const int *index, const int *edge)
{
    for (int i = 0, before = 0; index && i < nodes; before = index[i++])
        if (index[i] < before) {
            usage_say(lane, seq, MISUSE_INDEX_FALLS, "index", 0, .value = {i, index[i]});
            return;
        }
    for (int i = 0; index && edge && nodes > 0 && i < index[nodes - 1]; i++)
        if (edge[i] < 0 || edge[i] >= nodes) {
            usage_say(lane, seq, MISUSE_EDGE_RANGE, "edges", 0, .value = {i, edge[i], nodes});
            return;
        }
}

void usage_subgroup(struct lane *lane, uint64_t seq, MPI_Comm comm, MPI_Group group,
                    const char *argument)
{
    MPI_Group members, others;
    int size = 0;
    if (!usage_accepted(OBJECT_GROUP, HANDLE(group)) ||
        ASK(COMM, Comm_group, comm, &members) != MPI_SUCCESS)
        return;
    if (ASK(GROUP, Group_difference, group, members, &others) == MPI_SUCCESS) {
        OWN(Group_size)(others, &size);
        if (size)
            OWN(Group_free)(&others);
    }
    OWN(Group_free)(&members);
    if (size)
        usage_say(lane, seq, MISUSE_NO_SUBGROUP, argument, 0, .value = {size});
}

void usage_ranks(struct lane *lane, uint64_t seq, MPI_Group group, int n, const int *rank,
                 const char *argument, bool unique)
{
    int size = 0;
    if (ASK(GROUP, Group_size, group, &size) != MPI_SUCCESS)
        return;
    for (int i = 0; rank && i < n; i++) {
        if (rank[i] < 0 || rank[i] >= size) {
            if (unique || rank[i] != MPI_PROC_NULL)
                usage_say(lane, seq, MISUSE_GROUP_RANGE, argument, 0, .value = {i, rank[i], size});
            return;
        }
        for (int k = 0; unique && k < i && n < 1000; k++)
            if (rank[k] == rank[i]) {
                usage_say(lane, seq, MISUSE_RANK_TWICE, argument, 0, .value = {rank[i]});
                return;
            }
    }
}

void usage_ranges(struct lane *lane, uint64_t seq, MPI_Group group, int n, const int range[][3],
                  const char *argument)
{
    int size = 0;
    if (ASK(GROUP, Group_size, group, &size) != MPI_SUCCESS)
        return;
    bool *named = calloc((size_t)size + 1, sizeof *named);
    for (int i = 0; named && range && i < n; i++) {
        long long first = range[i][0], last = range[i][1], stride = range[i][2];
        if (!stride) {
            usage_say(lane, seq, MISUSE_RANGE_STRIDE, argument, 0, .value = {i});
            break;
        }
        for (long long k = first; stride > 0 ? k <= last : k >= last; k += stride) {
            bool outside = k < 0 || k >= size;
            if (outside)
                usage_say(lane, seq, MISUSE_RANGE_OUTSIDE, argument, 0, .value = {i, k, size});
            else if (named[k])
                usage_say(lane, seq, MISUSE_RANK_TWICE, argument, 0, .value = {k});
            if (outside || named[k]) {
                i = n;
                break;
            }
            named[k] = true;
        }
    }
    free(named);
}

void usage_groups(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument, bool inter)
{
    const struct comm_info *info = handles_comm_info(lane, comm);

    if (UNLIKELY(info && info->inter != inter))
        usage_say(lane, seq, inter ? MISUSE_NO_INTER : MISUSE_NO_INTRA, argument, 0);
}

bool usage_datareps;

void usage_datarep(struct lane *lane, uint64_t seq, const char *datarep, const char *argument,
                   bool file)
{
    const char *seen = recorder_seen(datarep, sizeof "external32");

    bool known =
        seen &&
        (!strcmp(seen, "external32") ||
         (file && (usage_datareps || !strcmp(seen, "native") || !strcmp(seen, "internal"))));
    if (seen && !known)
        usage_say(lane, seq, MISUSE_DATAREP, argument, 0);
}

void usage_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, enum usage_topology needed)
{
    static const enum misuse_kind kinds_of[] = {
        [USAGE_ANY_TOPOLOGY] = MISUSE_NO_TOPOLOGY,
        [USAGE_CART] = MISUSE_NO_CART,
        [USAGE_GRAPH] = MISUSE_NO_GRAPH,
        [USAGE_DIST_GRAPH] = MISUSE_NO_DIST_GRAPH,
    };
    const struct comm_info *info = handles_comm_info(lane, comm);
    bool has = info && (needed == USAGE_ANY_TOPOLOGY ? info->topology != 0
                                                     : info->topology == (uint32_t)needed);
    if (UNLIKELY(info && !has))
        usage_say(lane, seq, kinds_of[needed], "comm", 0);
}

void usage_in_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                       const char *argument, bool dimension)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    if (!info || !info->topology || (dimension && info->topology != USAGE_CART))
        return;
    int limit = dimension ? recorder_cart_dims(lane, comm) : info->size;
    if (value < 0 || value >= limit)
        usage_say(lane, seq, dimension ? MISUSE_CART_DIMENSION : MISUSE_CART_RANK, argument, 0,
                  .value = {value, limit});
}

void usage_coords(struct lane *lane, uint64_t seq, MPI_Comm comm, const int *coords,
                  const char *argument)
{
    int n = recorder_cart_dims(lane, comm);
    int *grid = coords && n > 0 ? calloc((size_t)n * 3, sizeof *grid) : NULL;
    if (grid && ASK(COMM, Cart_get, comm, n, grid, grid + n, grid + 2 * (size_t)n) == MPI_SUCCESS)
        for (int i = 0; i < n; i++)
            if (!grid[n + i] && (coords[i] < 0 || coords[i] >= grid[i])) {
                usage_say(lane, seq, MISUSE_CART_COORDINATE, argument, 0,
                          .value = {i, coords[i], grid[i]});
                break;
            }
    free(grid);
}

void usage_one_of(struct lane *lane, uint64_t seq, int value, const char *argument, int n,
                  const int *allowed)
{
    for (int i = 0; i < n; i++)
        if (allowed[i] == value)
            return;
    usage_say(lane, seq, MISUSE_NONE_OF, argument, 0, .value = {value});
}

void usage_assert(struct lane *lane, uint64_t seq, int value, const char *argument, int allowed)
{
    static const struct {
        int bit;
        const char *name;
    } known[] = {
        {MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK"},     {MPI_MODE_NOSTORE, "MPI_MODE_NOSTORE"},
        {MPI_MODE_NOPUT, "MPI_MODE_NOPUT"},         {MPI_MODE_NOPRECEDE, "MPI_MODE_NOPRECEDE"},
        {MPI_MODE_NOSUCCEED, "MPI_MODE_NOSUCCEED"},
    };
    int wrong = value & ~allowed;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (wrong & known[i].bit) {
            usage_say(lane, seq, MISUSE_ASSERTION, argument, 0, .name[1] = known[i].name);
            return;
        }
    if (wrong)
        usage_say(lane, seq, MISUSE_NONE_OF, argument, 0, .value = {value});
}

bool usage_flavor(struct lane *lane, uint64_t seq, MPI_Win win, const char *argument, bool shared)
{
    int *flavor = NULL, found = 0;

    if (ASK(WIN, Win_get_attr, win, MPI_WIN_CREATE_FLAVOR, &flavor, &found) != MPI_SUCCESS ||
        !found)
        return true;
    /* MPI 4.1 allows other windows, too: they have no shared memory */
    bool fits = shared ? *flavor == MPI_WIN_FLAVOR_SHARED || recorder.standard > 400
                       : *flavor == MPI_WIN_FLAVOR_DYNAMIC;
    if (!fits)
        usage_say(lane, seq, shared ? MISUSE_NO_SHARED : MISUSE_NO_DYNAMIC, argument, 0);
    return fits;
}

void usage_amode(struct lane *lane, uint64_t seq, int amode, const char *argument)
{
    int ways =
        !!(amode & MPI_MODE_RDONLY) + !!(amode & MPI_MODE_WRONLY) + !!(amode & MPI_MODE_RDWR);
    if (ways != 1)
        usage_say(lane, seq, MISUSE_AMODE_ACCESS, argument, 0);
    else if ((amode & MPI_MODE_RDONLY) && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
        usage_say(lane, seq, MISUSE_AMODE_CREATE, argument, 0);
    else if ((amode & MPI_MODE_RDWR) && (amode & MPI_MODE_SEQUENTIAL))
        usage_say(lane, seq, MISUSE_AMODE_SEQUENTIAL, argument, 0);
}

void usage_keyval(struct lane *lane, uint64_t seq, int keyval, const char *argument,
                  bool attributes, enum usage_of of)
{
    recorder_lock();
    const struct object *o = usage_find(OBJECT_KEYVAL, of_keyval(keyval));
    bool bad = o ? o->freed && !(attributes && o->used) : !library_keyval_predefined(keyval);
    recorder_unlock();
    if (bad && recorder.unseen) /* Fortran code may have made it unobserved */
        bad = keyval == MPI_KEYVAL_INVALID;
    if (bad)
        usage_say(lane, seq, o ? MISUSE_KEYVAL_FREED : MISUSE_KEYVAL_UNKNOWN, argument, 0);
    else
        usage_for(lane, seq, OBJECT_KEYVAL, of_keyval(keyval), argument, of);
}

void usage_keyval_own(struct lane *lane, uint64_t seq, int keyval, const char *argument)
{
    recorder_lock();
    bool ours = usage_find(OBJECT_KEYVAL, of_keyval(keyval)) != NULL;
    recorder_unlock();
    if (!ours && !recorder.unseen && library_keyval_predefined(keyval))
        usage_say(lane, seq, MISUSE_KEYVAL_PREDEFINED, argument, 0);
}

void usage_text(struct lane *lane, uint64_t seq, const char *text, const char *argument,
                size_t bytes_max)
{
    const char *seen = memory_text(text);
    size_t bytes = seen ? strnlen(seen, MEMORY_TEXT_MAX) : 0;
    if (bytes > bytes_max)
        usage_say(lane, seq, MISUSE_TEXT_LONG, argument, 0,
                  .value = {(int64_t)bytes, (int64_t)bytes_max - 1});
}

void usage_dims(struct lane *lane, uint64_t seq, int nodes, int ndims, const int *dims)
{
    const int *seen =
        recorder_seen(dims, ndims > 0 ? ndims * (int64_t)sizeof *dims : 0) ? dims : NULL;
    long long product = 1;
    for (int i = 0; seen && i < ndims && product <= nodes; i++) {
        if (seen[i] < 0) {
            usage_say(lane, seq, MISUSE_DIMS_ENTRY, "dims", 0, .value = {i, seen[i]});
            return;
        }
        product *= seen[i] ? seen[i] : 1;
    }
    if (nodes > 0 && nodes % product)
        usage_say(lane, seq, MISUSE_DIMS_DIVIDE, "nnodes", 0, .value = {nodes, product});
}

/* The buffers attached for buffered sends: the process's, and those of communicators (MPI 4.1) and
 * sessions, which all count as one here. A message uses its communicator's buffer, if there is one;
 * else its session's, or the process's. */
enum { ATTACHED_MAX = 64 };
static struct attached {
    const void *at;
    int64_t owner, bytes;
} attached[ATTACHED_MAX];
static unsigned attached_count;
static bool attached_more; /* more than fit */

static struct attached *attached_to(int64_t owner)
{
    for (unsigned i = 0; i < attached_count; i++)
        if (attached[i].owner == owner)
            return &attached[i];
    return NULL;
}

bool usage_automatic(const void *buffer)
{
    return buffer == MPI_BUFFER_AUTOMATIC;
}

void usage_attaching(struct lane *lane, uint64_t seq, int64_t owner)
{
    if (owner != USAGE_OF_SESSIONS && attached_to(owner))
        usage_say(lane, seq, MISUSE_ATTACHED_ALREADY, NULL, 0);
}

/* Forgets the owner's buffer. Returns its address, or NULL: it has none of the program's. */
static const void *attached_forget(int64_t owner)
{
    recorder_lock();
    struct attached *found = attached_to(owner);
    const void *at = found && !usage_automatic(found->at) ? found->at : NULL;
    if (found)
        *found = attached[--attached_count];
    recorder_unlock();
    if (at)
        usage_region_gone(&usage_buffers, at);
    return at;
}

void usage_attached(struct lane *lane, uint64_t seq, int64_t owner, const void *buffer, int bytes,
                    void **cfa)
{
    if (owner != USAGE_OF_SESSIONS)
        attached_forget(owner); /* MPI detached it when it freed the communicator, or unseen */
    bool full = attached_count == ATTACHED_MAX;

    recorder_lock();
    attached_more |= full;
    if (!full)
        attached[attached_count++] =
            (struct attached){buffer, owner, usage_automatic(buffer) ? INT64_MAX : (int64_t)bytes};
    recorder_unlock();
    if (full || usage_automatic(buffer))
        return;
    usage_made_by(lane, OBJECT_BUFFER, buffer, seq, false);
    if (owner != USAGE_OF_SESSIONS && bytes > 0 && memory_mapped(buffer, (uint64_t)bytes))
        usage_region_made(&usage_buffers, buffer, bytes, seq, USAGE_REGION_BUFFER, cfa);
}

void usage_detaching(struct lane *lane, uint64_t seq, int64_t owner, void **cfa)
{
    const struct attached *own = owner == USAGE_OF_SESSIONS ? NULL : attached_to(owner);

    if (own && !recorder.partial && !recorder.unseen)
        usage_region_look(lane, seq, &usage_buffers, own->at, cfa);
}

void usage_detached(struct lane *lane, int64_t owner)
{
    const void *at = attached_forget(owner);

    if (at)
        usage_gone(lane, OBJECT_BUFFER, at);
}

void usage_bsend(struct lane *lane, uint64_t seq, uint64_t bytes, int64_t comm)
{
    const struct attached *own = attached_to(comm);

    if (!own && (attached_more || attached_to(USAGE_OF_SESSIONS)))
        return;
    own = own ? own : attached_to(USAGE_OF_PROCESS);
    if (!own && !recorder.partial)
        usage_say(lane, seq, MISUSE_NOTHING_ATTACHED, NULL, 0);
    else if (own && bytes > (uint64_t)own->bytes)
        usage_say(lane, seq, MISUSE_ATTACHED_SMALL, NULL, 0, .value = {(int64_t)bytes, own->bytes});
}
