/* Maps request handles to ids that never repeat.
 *
 * A library may give the same handle to several requests that are complete from the start (Open
 * MPI: ompi_request_empty, for every eager send). So a handle names a queue of requests, oldest
 * first. The variable that holds the handle, which in C programs distinguishes such requests, is
 * tried first.
 *
 *  1. A node is in exactly one bucket's chain: by its handle, or by its variable if requests share
 *     the handle.
 *  2. A node with a shared handle is in the queue of that handle and its thread, in order of age:
 *     programs that copy handles, and Fortran's binding, wait from other variables. Until the first
 *     such wait it is among the loose nodes, which saves a call.
 *  3. With MPI_THREAD_MULTIPLE every access is made under the lock. */
#include <stdlib.h>
#include <string.h>

#include "interpose/decide.h"
#include "interpose/library/library.h"
#include "interpose/lock.h"
#include "interpose/misuse/usage.h"
#include "program/memory.h"

struct node {
    MPI_Request handle;
    const void *variable;
    const void *thread; /* that made the request, or last looked it up */
    uint32_t id;
    uint32_t kind;
    uint32_t next, previous; /* in the bucket's chain; 0: none */
    uint32_t older, younger; /* in its queue; 0: none */
    uint32_t mark;           /* taken by the list being looked up */
    uint32_t bucket;         /* of its chain */
    uint64_t seq;            /* of the application's call that made it; 0: made by the library */
    uint64_t cancelled;      /* its MPI_Cancel; 0: none */
    bool persistent, active, started;
    bool waited, listed; /* waited for although never started: alone, or with others */
    bool polled;         /* tested without success since it was made or started */
    bool wildcard;       /* persistent: a receive of any source */
    enum { UNSHARED, LOOSE, QUEUED } place;
};

bool recorder_persistent;
/* The library freed a persistent request that completed with an error, as Open MPI does: from then
 * on a null handle is not the program's mistake. */
static atomic_bool null_by_library;
enum { BUCKETS_FIRST = 1024, NODES_MAX = 1u << 28, QUEUES_FIRST = 16, AWAITED_MAX = 64 };

struct queue {
    MPI_Request handle;
    const void *thread; /* NULL: free */
    uint32_t first, last;
    uint32_t mark, from; /* of the current list lookup: nodes older than `from` are taken */
};

static struct {
    struct node *node; /* index 0 is unused */
    uint32_t node_count, node_capacity, free;
    struct {
        uint32_t first, last;
    } * bucket;
    uint32_t bucket_count; /* power of two */
    uint32_t live;
    uint32_t last_id;
    uint32_t newest; /* node */
    uint32_t mark;
    struct queue loose;  /* loose nodes of all handles and threads */
    struct queue *queue; /* open addressing */
    uint32_t queue_room, queue_count;
    struct awaited { /* by a thread in MPI_Wait */
        const void *variable, *thread;
        uint64_t seq;
    } awaited[AWAITED_MAX];
    uint32_t awaited_count;
    struct lock lock;
} map;

static void requests_lock(void)
{
    if (UNLIKELY(recorder.threads))
        lock_take(&map.lock);
}

static void requests_unlock(void)
{
    if (UNLIKELY(recorder.threads))
        lock_leave(&map.lock);
}

/* Handles that the library gives to many requests which are complete from the start: those of its
 * mpi.h, and those that two requests had at the same time. */
enum { LEARNT_MAX = 16 };
static struct {
    MPI_Request handle[LEARNT_MAX];
    unsigned count;
    bool asked; /* recorder_requests_learn */
} learnt;

static bool is_shared(MPI_Request handle)
{
    for (unsigned i = 0; i < learnt.count; i++)
        if (learnt.handle[i] == handle)
            return true;
    return library_request_shared(handle);
}

#ifndef OPEN_MPI
static void requests_learn(int first, int second, MPI_Request request[2])
{
    bool made = first == MPI_SUCCESS && second == MPI_SUCCESS;

    if (made && request[0] == request[1] && !is_shared(request[0]))
        learnt.handle[learnt.count++] = request[0];
    for (int i = 0; i < 2; i++)
        if (made)
            OWN(Wait)(&request[i], MPI_STATUS_IGNORE);
}
#endif

/* Makes pairs of requests of this process with no partner or with itself. Open MPI's single shared
 * handle is known. */
void recorder_requests_learn(void)
{
#ifndef OPEN_MPI
    const MPI_Comm self = recorder_handle.comm_self;
    const MPI_Datatype byte = recorder_handle.type_byte;
    MPI_Message nobody[2] = {recorder_handle.message_no_proc, recorder_handle.message_no_proc};
    MPI_Request r[2];
    char none = 0;

    learnt.asked = true;
    requests_learn(OWN(Isend)(&none, 1, byte, MPI_PROC_NULL, 0, self, &r[0]),
                   OWN(Isend)(&none, 1, byte, MPI_PROC_NULL, 0, self, &r[1]), r);
    requests_learn(OWN(Irecv)(&none, 1, byte, MPI_PROC_NULL, 0, self, &r[0]),
                   OWN(Irecv)(&none, 1, byte, MPI_PROC_NULL, 0, self, &r[1]), r);
    requests_learn(OWN(Imrecv)(&none, 1, byte, &nobody[0], &r[0]),
                   OWN(Imrecv)(&none, 1, byte, &nobody[1], &r[1]), r);
    requests_learn(OWN(Ibarrier)(self, &r[0]), OWN(Ibarrier)(self, &r[1]), r);
#endif
}

/* Requests that share a handle are spread by their variables. */
static uint32_t bucket_of(MPI_Request handle, const void *variable)
{
    uint64_t key = is_shared(handle) ? (uintptr_t)variable : (uintptr_t)handle;
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 40) & (map.bucket_count - 1);
}

static void chain_append(uint32_t at, uint32_t b)
{
    struct node *node = &map.node[at];
    node->next = 0;
    node->bucket = b;
    node->previous = map.bucket[b].last;
    if (node->previous)
        map.node[node->previous].next = at;
    else
        map.bucket[b].first = at;
    map.bucket[b].last = at;
}

static bool grow_buckets(void)
{
    uint32_t count = map.bucket_count ? map.bucket_count * 2 : BUCKETS_FIRST,
             old_count = map.bucket_count;
    void *fresh = calloc(count, sizeof *map.bucket);
    if (!fresh)
        return old_count != 0;
    void *old = map.bucket;
    struct {
        uint32_t first, last;
    } *old_bucket = old;
    map.bucket = fresh;
    map.bucket_count = count;
    for (uint32_t b = 0; b < old_count; b++)
        for (uint32_t at = old_bucket[b].first; at;) {
            uint32_t next = map.node[at].next;
            chain_append(at, bucket_of(map.node[at].handle, map.node[at].variable));
            at = next;
        }
    free(old);
    return true;
}

/* --- queues ----------------------------------------------------------------------------------- */

static struct queue *queue_slot(struct queue *queue, uint32_t room, MPI_Request handle,
                                const void *thread)
{
    uint64_t key = ((uintptr_t)handle * 31 ^ (uintptr_t)thread) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(key >> 32) & (room - 1);

    while (queue[at].thread && (queue[at].thread != thread || queue[at].handle != handle))
        at = (at + 1) & (room - 1);
    return &queue[at];
}

/* Returns the queue of the handle and this thread; NULL: none. */
static struct queue *queue_find(MPI_Request handle, const void *thread)
{
    struct queue *queue =
        map.queue_room ? queue_slot(map.queue, map.queue_room, handle, thread) : NULL;

    return queue && queue->thread ? queue : NULL;
}

/* Returns the same queue, and makes it if missing. NULL: out of memory. */
static struct queue *queue_have(MPI_Request handle, const void *thread)
{
    struct queue *queue = queue_find(handle, thread);

    if (queue)
        return queue;
    if (map.queue_count * 2 >= map.queue_room) {
        uint32_t room = map.queue_room ? map.queue_room * 2 : QUEUES_FIRST;
        struct queue *fresh = calloc(room, sizeof *fresh);
        if (!fresh)
            return NULL;
        for (uint32_t i = 0; i < map.queue_room; i++)
            if (map.queue[i].thread)
                *queue_slot(fresh, room, map.queue[i].handle, map.queue[i].thread) = map.queue[i];
        free(map.queue);
        map.queue = fresh;
        map.queue_room = room;
    }
    map.queue_count++;
    queue = queue_slot(map.queue, map.queue_room, handle, thread);
    *queue = (struct queue){.handle = handle, .thread = thread};
    return queue;
}

static void link_behind(struct queue *queue, uint32_t at, uint32_t older)
{
    struct node *node = &map.node[at];

    node->older = older;
    node->younger = older ? map.node[older].younger : queue->first;
    *(older ? &map.node[older].younger : &queue->first) = at;
    *(node->younger ? &map.node[node->younger].older : &queue->last) = at;
}

static inline void take_out(struct queue *queue, const struct node *node)
{
    *(node->older ? &map.node[node->older].younger : &queue->first) = node->younger;
    *(node->younger ? &map.node[node->younger].older : &queue->last) = node->older;
}

static void queue_insert(uint32_t at)
{
    struct node *node = &map.node[at];
    struct queue *queue = queue_have(node->handle, node->thread);
    uint32_t older = queue ? queue->last : 0;

    node->place = queue ? QUEUED : UNSHARED;
    while (older && map.node[older].id > node->id)
        older = map.node[older].older;
    if (queue)
        link_behind(queue, at, older);
}

static void queue_remove(uint32_t at)
{
    struct node *node = &map.node[at];
    struct queue *queue = node->place == QUEUED ? queue_find(node->handle, node->thread) : NULL;

    if (!queue)
        return;
    if (queue->from == at)
        queue->from = node->younger;
    take_out(queue, node);
}

static void queue_loose_ones(void)
{
    for (uint32_t at = map.loose.first, next; at; at = next) {
        next = map.node[at].younger;
        queue_insert(at);
    }
    map.loose.first = map.loose.last = 0;
}

/* Returns the oldest node, from this one on, that the current list lookup has not taken; 0:
 * none. */
static uint32_t queue_from(uint32_t at, uint32_t mark)
{
    while (at && mark && map.node[at].mark == mark)
        at = map.node[at].younger;
    return at;
}

static uint32_t queue_oldest(struct queue *queue, uint32_t mark)
{
    uint32_t from = mark && queue->mark == mark ? queue->from : queue->first;

    queue->mark = mark;
    queue->from = queue_from(from, mark);
    return queue->from;
}

/* Returns the oldest of the thread's own nodes, or else of all. *out_several: it is not the only
 * one. */
static uint32_t queues_oldest(MPI_Request handle, uint32_t mark, bool *out_several)
{
    queue_loose_ones();
    struct queue *own = queue_find(handle, &recorder_thread);
    uint32_t found = own ? queue_oldest(own, mark) : 0;
    bool several = found && queue_from(map.node[found].younger, mark), is_own = found != 0;

    for (uint32_t i = 0; i < map.queue_room && !(is_own && several); i++) {
        struct queue *queue = &map.queue[i];
        uint32_t at = queue->thread && queue->handle == handle && queue != own
                          ? queue_oldest(queue, mark)
                          : 0;
        if (!at)
            continue;
        several |= found || queue_from(map.node[at].younger, mark);
        if (!found || (!is_own && map.node[at].id < map.node[found].id))
            found = at;
    }
    *out_several = several;
    return found;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static uint32_t node_new(void)
{
    uint32_t at = map.free;
    if (LIKELY(at != 0)) {
        map.free = map.node[at].next;
        return at;
    }
    if (map.node_count + 1 >= map.node_capacity) {
        uint32_t capacity = map.node_capacity ? map.node_capacity * 2 : 512;
        struct node *fresh =
            capacity > NODES_MAX ? NULL : realloc(map.node, capacity * sizeof *fresh);
        if (!fresh)
            return 0;
        map.node = fresh;
        map.node_capacity = capacity;
    }
    return ++map.node_count;
}

static void chain_remove(const struct node *node)
{
    uint32_t b = node->bucket;
    if (node->previous)
        map.node[node->previous].next = node->next;
    else
        map.bucket[b].first = node->next;
    if (node->next)
        map.node[node->next].previous = node->previous;
    else
        map.bucket[b].last = node->previous;
}

static void node_remove(uint32_t at)
{
    struct node *node = &map.node[at];
    if (LIKELY(node->place == LOOSE))
        take_out(&map.loose, node);
    else if (UNLIKELY(node->place == QUEUED))
        queue_remove(at);
    chain_remove(node);
    node->id = 0;
    node->handle = recorder_handle.request_null;
    node->next = map.free;
    map.free = at;
    map.live--;
}

static bool is_message(uint32_t kind)
{
    return (kind & REQUEST_KIND_MASK) == REQUEST_MESSAGE;
}

/* Drops requests that ended unobserved: their handle was given out again. Shared handles always
 * are. A message drops messages only: another thread's MPI_Mrecv has received that one, and has not
 * returned to the recorder yet. */
static void drop_stale(MPI_Request handle, uint32_t bucket, bool messages)
{
    for (uint32_t at = map.bucket[bucket].first, next; at; at = next) {
        next = map.node[at].next;
        if (map.node[at].handle == handle && (!messages || is_message(map.node[at].kind)))
            node_remove(at);
    }
}

#ifndef OPEN_MPI
/* Says whether two requests have this handle now: the variable of the earlier one still has it, or
 * it is of a kind that nobody completes unseen, and the new request is complete. The caller has the
 * lock, which is given back while the library is asked. */
static bool comes_for_another(MPI_Request handle, const void *variable, unsigned kind, uint32_t at)
{
    MPI_Request held = recorder_handle.request_null;
    int complete = 0;

    while (at && map.node[at].handle != handle)
        at = map.node[at].next;
    if (!at || map.node[at].persistent || learnt.count == LEARNT_MAX)
        return false;
    const void *before = map.node[at].variable;
    if (before == variable ? kind != REQUEST_OTHER && learnt.asked
                           : !memory_copy(&held, before, sizeof held) || held != handle)
        return false;
    requests_unlock();
    int error = OWN(Request_get_status)(handle, &complete, MPI_STATUS_IGNORE);
    requests_lock();
    return error == MPI_SUCCESS && complete && learnt.count < LEARNT_MAX;
}

/* From now on requests share the handle, as those do that have it (invariants 1 and 2). */
static void learn_handle(MPI_Request handle, uint32_t bucket)
{
    if (is_shared(handle))
        return;
    learnt.handle[learnt.count++] = handle;
    for (uint32_t at = map.bucket[bucket].first, next; at; at = next) {
        struct node *node = &map.node[at];
        uint32_t older = map.loose.last;
        next = node->next;
        if (node->handle != handle)
            continue;
        chain_remove(node);
        chain_append(at, bucket_of(handle, node->variable));
        while (older && map.node[older].id > node->id)
            older = map.node[older].older;
        node->place = LOOSE;
        link_behind(&map.loose, at, older);
    }
}
#endif

static void made_generalized(void)
{
    recorder_lock();
    if (recorder.lanes)
        recorder.lanes->writer.header->flags |= SPOOL_FLAG_GENERALIZED;
    recorder_unlock();
}

uint32_t recorder_request_id(void)
{
    requests_lock();
    uint32_t id = ++map.last_id;
    requests_unlock();
    return id;
}

uint32_t recorder_request_new(MPI_Request handle, const void *variable, unsigned kind, uint64_t seq)
{
    if (handle == recorder_handle.request_null)
        return 0;
    if (UNLIKELY(kind == REQUEST_GENERALIZED))
        made_generalized();
    requests_lock();
    uint32_t id = ++map.last_id, at = 0;
    if (UNLIKELY(map.live >= map.bucket_count) && !grow_buckets()) {
        requests_unlock();
        return id; /* out of memory: its completion will not find it */
    }
    uint32_t bucket = bucket_of(handle, variable);
    bool shared = is_shared(handle);
    if (UNLIKELY(kind == REQUEST_MESSAGE)) {
        drop_stale(handle, bucket, true);
    } else if (map.bucket[bucket].first && !shared) {
#ifndef OPEN_MPI
        if (comes_for_another(handle, variable, kind, map.bucket[bucket].first))
            learn_handle(handle, bucket_of(handle, variable));
        shared = is_shared(handle);
#endif
        bucket = bucket_of(handle, variable);
        if (!shared)
            drop_stale(handle, bucket, false);
    }
    if (!(at = node_new())) {
        requests_unlock();
        return id;
    }
    bool persistent = seq && kind & REQUEST_PERSISTENT;
    map.live++;
    map.node[at] = (struct node){.handle = handle,
                                 .variable = variable,
                                 .thread = &recorder_thread,
                                 .id = id,
                                 .kind = kind,
                                 .seq = seq,
                                 .persistent = persistent,
                                 .active = seq && !persistent};
    recorder_persistent |= persistent;
    map.newest = at;
    chain_append(at, bucket);
    if (LIKELY(shared)) {
        map.node[at].place = LOOSE;
        link_behind(&map.loose, at, map.loose.last);
    }
    requests_unlock();
    return id;
}

/* Returns the oldest unmarked request with this handle and variable; else the oldest with this
 * handle. Among those with a shared handle, whose variable is a copy or belongs to Fortran's
 * binding, the thread's own come first: two threads must not find the same one. */
static uint32_t requests_find_node(MPI_Request handle, const void *variable, uint32_t mark,
                                   bool *blurred)
{
    if (UNLIKELY(!map.bucket_count))
        return 0;
    uint32_t any = 0;
    for (uint32_t at = map.bucket[bucket_of(handle, variable)].first; at; at = map.node[at].next) {
        struct node *node = &map.node[at];
        if (node->handle != handle || (mark && node->mark == mark))
            continue;
        if (node->variable == variable)
            return at;
        if (!any || node->id < map.node[any].id)
            any = at;
    }
    if (!is_shared(handle))
        return any;
    bool several;
    any = queues_oldest(handle, mark, &several);
    if (any && map.node[any].thread != &recorder_thread) {
        queue_remove(any);
        map.node[any].thread = &recorder_thread;
        queue_insert(any);
    }
    *blurred |= several; /* any of them may be meant */
    return any;
}

static struct request_info info_of(MPI_Request handle, uint32_t at)
{
    return at ? (struct request_info){handle, map.node[at].id, map.node[at].kind, at}
              : (struct request_info){handle, 0, REQUEST_OTHER, 0};
}

/* Finds a request, and releases the lock that the caller holds: forgetting buffers takes the
 * recorder's lock, whose holder may wait for this one. */
static __attribute__((noinline)) struct request_info find_elsewhere(MPI_Request handle,
                                                                    const void *variable)
{
    bool blurred = false;
    struct request_info info = info_of(handle, requests_find_node(handle, variable, 0, &blurred));

    requests_unlock();
    if (blurred)
        usage_blurred();
    return info;
}

struct request_info recorder_request_find(MPI_Request handle, const void *variable)
{
    if (handle == recorder_handle.request_null || UNLIKELY(!map.bucket_count))
        return info_of(handle, 0);
    requests_lock();
    uint32_t at = map.bucket[bucket_of(handle, variable)].first;
    if (UNLIKELY(!at || map.node[at].handle != handle || map.node[at].variable != variable))
        return find_elsewhere(handle, variable);
    struct request_info info = info_of(handle, at);
    requests_unlock();
    return info;
}

struct request_info *recorder_request_list(struct lane *lane, int count, const MPI_Request *request)
{
    if (count > lane->info_count) {
        struct request_info *fresh = realloc(lane->info, (size_t)count * sizeof *fresh);
        if (!fresh)
            return NULL;
        lane->info = fresh;
        lane->info_count = count;
    }
    bool blurred = false;
    requests_lock();
    uint32_t mark = ++map.mark ? map.mark : ++map.mark;
    for (int i = 0; i < count; i++) {
        uint32_t at = request[i] == recorder_handle.request_null
                          ? 0
                          : requests_find_node(request[i], &request[i], mark, &blurred);
        if (at)
            map.node[at].mark = mark;
        lane->info[i] = info_of(request[i], at);
    }
    requests_unlock();
    if (UNLIKELY(blurred))
        usage_blurred();
    return lane->info;
}

static bool null_by_program(MPI_Request handle)
{
    return handle == recorder_handle.request_null && !null_by_library;
}

static uint32_t node_of(struct request_info info)
{
    return info.id && map.node[info.node].id == info.id ? info.node : 0;
}

void recorder_request_starting(struct lane *lane, uint64_t seq, struct request_info info)
{
    if (UNLIKELY(recorder.partial))
        return;
    if (!info.id) {
        if (null_by_program(info.handle))
            usage_say(lane, seq, MISUSE_START_NULL, "request", 0);
        else if (info.handle != recorder_handle.request_null)
            usage_say(lane, seq, MISUSE_START_UNKNOWN, "request", 0);
        return;
    }
    requests_lock();
    uint32_t at = node_of(info);
    struct node node = map.node[at];
    if (at) {
        map.node[at].active = map.node[at].started = true;
        map.node[at].cancelled = 0;
        map.node[at].polled = false;
    }
    requests_unlock();
    bool again = at && node.seq && node.persistent && node.active;
    if (at && node.seq && !node.persistent)
        usage_say(lane, seq, MISUSE_START_ONCE, "request", node.seq);
    else if (again)
        usage_say(lane, seq, MISUSE_START_ACTIVE, "request", node.seq);
    if (UNLIKELY(recorder_partitioned) && at)
        recorder_partitions_started(info.id);
    if (at && !again) /* otherwise MPI already owns its buffers: they would overlap themselves */
        usage_started(lane, seq, info.id);
    if (UNLIKELY(recorder.perturb) && at && node.wildcard && !again && decide_on())
        decide_started(lane, info.handle);
}

void recorder_request_started(struct request_info info, const MPI_Request *variable)
{
    if (!info.id || !variable || LIKELY(*variable == info.handle) ||
        *variable == recorder_handle.request_null)
        return;
    requests_lock();
    uint32_t at = node_of(info), bucket = bucket_of(*variable, variable);
    if (at && !is_shared(*variable)) {
        drop_stale(*variable, bucket, false);
        chain_remove(&map.node[at]);
        map.node[at].handle = *variable;
        chain_append(at, bucket);
    }
    requests_unlock();
}

void recorder_request_wildcard(uint32_t id)
{
    requests_lock();
    if (id && map.newest && map.node[map.newest].id == id)
        map.node[map.newest].wildcard = true;
    requests_unlock();
}

struct request_state recorder_request_state(struct request_info info)
{
    struct request_state state = {.idle = info.handle == recorder_handle.request_null};

    requests_lock();
    uint32_t at = node_of(info);
    if (at) { /* otherwise there may be no nodes at all */
        const struct node *node = &map.node[at];
        state = (struct request_state){.idle = node->persistent && !node->active,
                                       .active = node->active,
                                       .polled = node->polled,
                                       .made = node->seq};
    }
    requests_unlock();
    return state;
}

void recorder_request_poll(struct request_info info, bool in_vain)
{
    requests_lock();
    uint32_t at = node_of(info);
    if (at)
        map.node[at].polled = in_vain;
    requests_unlock();
}

void recorder_request_waiting(struct lane *lane, uint64_t seq, struct request_info info, bool alone)
{
    if (info.handle == recorder_handle.request_null || UNLIKELY(recorder.partial))
        return;
    if (!info.id) {
        usage_say(lane, seq, MISUSE_WAIT_UNKNOWN, "request", 0);
        return;
    }
    if (LIKELY(!recorder_persistent))
        return;
    requests_lock();
    uint32_t at = node_of(info);
    if (at && map.node[at].persistent && !map.node[at].started)
        *(alone ? &map.node[at].waited : &map.node[at].listed) = true;
    requests_unlock();
}

/* Returns the call that made an active request in this variable, which now holds another one; 0:
 * none. */
static uint64_t requests_overwritten(const MPI_Request *variable)
{
    for (uint32_t at = 1; at <= map.node_count; at++) {
        const struct node *node = &map.node[at];
        if (node->id && node->active && node->variable == variable && node->handle != *variable)
            return node->seq;
    }
    return 0;
}

/* Notes that the calling thread is no longer in MPI_Wait, even if it left an earlier one by a
 * jump. */
static void awaited_end(void)
{
    for (uint32_t i = 0; i < map.awaited_count; i++)
        if (map.awaited[i].thread == &recorder_thread) {
            map.awaited[i] = map.awaited[--map.awaited_count];
            return;
        }
}

void recorder_request_await(struct lane *lane, uint64_t seq, struct request_info info,
                            const MPI_Request *variable)
{
    uint64_t other = 0, lost = 0;

    if (UNLIKELY(recorder.partial))
        return;
    requests_lock();
    awaited_end();
    uint32_t found = node_of(info);
    bool active = found && map.node[found].active;
    for (uint32_t i = 0; active && i < map.awaited_count; i++)
        if (map.awaited[i].variable == variable)
            other = map.awaited[i].seq;
    if (other)
        lost = requests_overwritten(variable);
    if (active && map.awaited_count < AWAITED_MAX)
        map.awaited[map.awaited_count++] = (struct awaited){variable, &recorder_thread, seq};
    requests_unlock();
    if (other)
        usage_say(lane, seq, lost ? MISUSE_OVERWRITTEN : MISUSE_WAITED_TWICE, "request", other,
                  .value = {(int64_t)lost});
}

void recorder_request_awaited(void)
{
    requests_lock();
    awaited_end();
    requests_unlock();
}

void recorder_request_cancelling(struct lane *lane, uint64_t seq, struct request_info info)
{
    requests_lock();
    uint32_t at = info.id ? node_of(info) : 0, kind = info.kind & REQUEST_KIND_MASK;
    uint64_t made_by = at ? map.node[at].seq : 0;
    if (at)
        map.node[at].cancelled = seq;
    requests_unlock();
    if (UNLIKELY(recorder.partial))
        return;
    if (null_by_program(info.handle))
        usage_say(lane, seq, MISUSE_CANCEL_NULL, "request", 0);
    else if (made_by && (kind == REQUEST_COLL || kind == REQUEST_DUP || kind == REQUEST_OTHER))
        usage_say(lane, seq, MISUSE_CANCEL_OTHER, "request", made_by);
}

/* An unknown request may be a copy of a freed handle: the request is reported in any case. */
void recorder_request_told_complete(struct lane *lane, uint64_t seq, struct request_info info)
{
    if (UNLIKELY(recorder.partial))
        return;
    if (info.handle == recorder_handle.request_null)
        usage_say(lane, seq, MISUSE_COMPLETE_NULL, "request", 0);
    struct request_state state = recorder_request_state(info);
    if (info.id && state.made && (info.kind & REQUEST_KIND_MASK) != REQUEST_GENERALIZED)
        usage_say(lane, seq, MISUSE_NOT_GENERALIZED, "request", state.made);
}

void recorder_request_freeing(struct lane *lane, uint64_t seq, struct request_info info)
{
    if (UNLIKELY(recorder.partial))
        return;
    if (!info.id) {
        if (null_by_program(info.handle))
            usage_say(lane, seq, MISUSE_FREE_NULL, "request", 0);
        else if (info.handle != recorder_handle.request_null)
            usage_say(lane, seq, MISUSE_FREE_UNKNOWN, "request", 0);
        return;
    }
    requests_lock();
    uint32_t at = node_of(info), kind = info.kind & REQUEST_KIND_MASK;
    struct node node = map.node[at];
    requests_unlock();
    if (!at || !node.seq)
        return;
    if (node.active && (kind == REQUEST_COLL || kind == REQUEST_DUP))
        usage_say(lane, seq, MISUSE_FREE_COLLECTIVE, "request", node.seq);
    else if (node.active && kind == REQUEST_RECV && !node.cancelled)
        usage_say(lane, seq, MISUSE_FREE_RECEIVE, "request", node.seq);
    else if (node.active && kind == REQUEST_SEND)
        usage_say(lane, seq, MISUSE_FREE_SEND, "request", node.seq);
    if ((node.waited || node.listed) && !node.started)
        usage_say(lane, seq, node.waited ? MISUSE_NEVER_STARTED : MISUSE_NEVER_STARTED_ONE,
                  "request", node.seq);
    usage_completed(lane, 0, info.id, false);
    if (UNLIKELY(recorder_partitioned))
        recorder_partitions_gone(info.id);
}

void recorder_request_finalizing(struct lane *lane, uint64_t seq)
{
    if (UNLIKELY(recorder.partial))
        return;
    requests_lock();
    for (uint32_t at = 1; at <= map.node_count; at++) {
        const struct node *node = &map.node[at];
        if (!node->id || !node->seq)
            continue;
        enum misuse_kind left = is_message(node->kind)            ? MISUSE_MESSAGE_LEFT
                                : node->active && node->cancelled ? MISUSE_CANCELLED_LEFT
                                : node->active                    ? MISUSE_REQUEST_LEFT
                                : node->waited && !node->started  ? MISUSE_PERSISTENT_UNSTARTED
                                                                  : MISUSE_PERSISTENT_LEFT;
        usage_say(lane, seq, left, NULL, node->seq, .value = {(int64_t)node->cancelled});
    }
    requests_unlock();
}

void recorder_request_forget(struct request_info info)
{
    if (!info.id)
        return;
    requests_lock();
    if (map.node[info.node].id == info.id) /* unless it was dropped as stale meanwhile */
        node_remove(info.node);
    requests_unlock();
}

/* Tells whether the program cancelled the request: for files and windows libraries leave parts of
 * the status unset, which then holds garbage. */
static bool was_cancelled(struct request_info info)
{
    requests_lock();
    uint32_t at = info.node ? node_of(info) : 0; /* a blocking call has none */
    bool cancelled = at && map.node[at].cancelled;
    requests_unlock();
    return cancelled;
}

uint32_t recorder_message_new(MPI_Message message, uint64_t seq)
{
    return message == recorder_handle.message_no_proc
               ? 0
               : recorder_request_new((MPI_Request)message, NULL, REQUEST_MESSAGE, seq);
}

bool recorder_message_taken(const MPI_Message *left, int error)
{
    return recorder_error(error) == EVENT_ERROR_TRUNCATE ||
           (recorder_seen(left, sizeof *left) && *left == recorder_handle.message_null);
}

enum { DUPLICATES_MAX = 16 };
static struct duplicate { /* duplicates of communicators whose requests are not complete */
    MPI_Comm made;
    uint32_t request;
    uint64_t seq;
} duplicate[DUPLICATES_MAX];
unsigned recorder_duplicating;

void recorder_duplicate_begun(MPI_Comm made, uint32_t request, uint64_t seq)
{
    if (!request || !seq || UNLIKELY(recorder.partial))
        return;
    requests_lock();
    unsigned count = recorder_duplicating;
    if (count < DUPLICATES_MAX) {
        duplicate[count] = (struct duplicate){made, request, seq};
        __atomic_store_n(&recorder_duplicating, count + 1, __ATOMIC_RELAXED);
    }
    requests_unlock();
}

uint64_t recorder_duplicate_made(MPI_Comm comm)
{
    uint64_t seq = 0;

    requests_lock();
    for (unsigned i = 0; i < recorder_duplicating; i++)
        if (duplicate[i].made == comm)
            seq = duplicate[i].seq;
    requests_unlock();
    return seq;
}

static __attribute__((noinline)) void duplicate_done(uint32_t request)
{
    requests_lock();
    for (unsigned i = 0; i < recorder_duplicating; i++)
        if (duplicate[i].request == request) {
            duplicate[i] = duplicate[recorder_duplicating - 1];
            __atomic_store_n(&recorder_duplicating, recorder_duplicating - 1, __ATOMIC_RELAXED);
            break;
        }
    requests_unlock();
}

static inline void write_done(struct lane *lane, uint64_t seq, uint32_t index,
                              struct request_info info, const MPI_Status *status, int error)
{
    uint32_t kind = info.kind & REQUEST_KIND_MASK;
    int32_t source = EVENT_NONE, tag = EVENT_NONE;
    uint64_t bytes = 0;
    bool cancelled = false;
    if (UNLIKELY(recorder_duplicating))
        duplicate_done(info.id);
    if (recorder_status_there(status)) {
        cancelled = UNLIKELY(library_status_cancelled(status)) && was_cancelled(info);
        if (kind != REQUEST_SEND && kind != REQUEST_COLL &&
            (kind != REQUEST_BOTH || LIBRARY_SETS_STATUS_OF_BOTH)) {
            source = recorder_peer(status->MPI_SOURCE);
            tag = recorder_tag(status->MPI_TAG);
            bytes = library_status_bytes(status);
        }
    }
    const struct spool_done done = {{SPOOL_DONE, sizeof done / 8, cancelled, recorder_error(error)},
                                    .seq = seq,
                                    .index = index,
                                    .request = info.id,
                                    .source = source,
                                    .tag = tag,
                                    .bytes = bytes};
    spool_put_done(&lane->writer, &done);
}

void recorder_done(struct lane *lane, uint64_t seq, uint32_t index, struct request_info info,
                   const MPI_Request *variable, const MPI_Status *status, int error)
{
    if (!info.id)
        return;
    write_done(lane, seq, index, info, status, error);
    bool over = variable && *variable == recorder_handle.request_null;
    usage_completed(lane, seq, info.id, variable && !over);
    if (UNLIKELY(recorder_persistent) && !over && variable) {
        requests_lock();
        uint32_t at = node_of(info);
        if (at)
            map.node[at].active = false;
        requests_unlock();
    }
    if (UNLIKELY(recorder.payload || payload_held) && variable)
        payload_done(lane, info.id,
                     (info.kind & REQUEST_KIND_MASK) == REQUEST_RECV ? recorder_status_bytes(status)
                                                                     : UINT64_MAX,
                     !over);
    if (UNLIKELY(over && info.kind & REQUEST_PERSISTENT))
        null_by_library = true;
    if (over)
        recorder_request_forget(info);
}

void recorder_done_all(struct lane *lane, uint64_t seq, int count, const struct request_info *info,
                       const MPI_Request *variable, const MPI_Status *status)
{
    if (recorder.payload || payload_held || recorder_persistent) {
        for (int i = 0; i < count; i++)
            recorder_done(lane, seq, (uint32_t)i, info[i], &variable[i],
                          recorder_status_there(status) ? &status[i] : MPI_STATUS_IGNORE,
                          MPI_SUCCESS);
        return;
    }
    for (int i = 0; i < count; i++)
        if (LIKELY(info[i].id != 0))
            write_done(lane, seq, (uint32_t)i, info[i],
                       recorder_status_there(status) ? &status[i] : MPI_STATUS_IGNORE, MPI_SUCCESS);
    for (int i = 0; usage_in_flight.count && i < count; i++)
        usage_completed(lane, seq, info[i].id, false);
    requests_lock();
    for (int i = 0; i < count; i++)
        if (LIKELY(info[i].id != 0 && variable[i] == recorder_handle.request_null &&
                   map.node[info[i].node].id == info[i].id))
            node_remove(info[i].node);
    requests_unlock();
}

uint64_t recorder_status_value(const MPI_Status *status)
{
    if (!recorder_status_there(status))
        return 0;
    return ((uint64_t)(uint32_t)recorder_peer(status->MPI_SOURCE) << 32 |
            (uint32_t)recorder_tag(status->MPI_TAG)) *
               0x9E3779B97F4A7C15u +
           library_status_bytes(status);
}

void recorder_status(struct lane *lane, uint64_t seq, uint32_t message, const MPI_Status *status,
                     int error)
{
    if (error == MPI_SUCCESS || recorder_error(error) == EVENT_ERROR_TRUNCATE)
        write_done(lane, seq, 0, (struct request_info){.id = message, .kind = REQUEST_RECV}, status,
                   error);
}
