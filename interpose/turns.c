/* See the header.
 *
 * Invariants: 1. `lock` is held by whoever looks at what is kept here, and by nobody who waits. 2.
 * A turn is counted by who had it, so of each row of turns one process writes at a time. */
#include "interpose/turns.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/life.h"

enum { WINDOWS = 64, ROWS = 2 * WINDOWS }; /* of a rank; a window has turns and locks */
enum { THREADS = 500, QUEUES = 256, RUNNING = 4 };
enum { GIVE_UP_MS = 5000, LOOK_MS = 1000, EARLY_MS = 100, BEGUN_MS = 100 };

struct operation {
    struct operation *next;
    unsigned call; /* CALL_Put... */
    const void *origin;
    const void *compare;
    void *result;
    int count, result_count, target, target_count;
    MPI_Datatype type, result_type, target_type; /* our own, to be freed, but named ones */
    MPI_Aint disp;
    MPI_Op op;
    MPI_Request *request;
    void *copy;     /* of the origin's data, once its buffer is the program's again */
    uint32_t place; /* its turn; 0: behind those that are named */
};

struct window {
    struct window *next;
    MPI_Win win;
    int size, rank;
    uint32_t object;
    uint32_t *objects; /* by member: what the window is called there */
    int32_t *world;
    uint32_t *named; /* by member: operations and looks so far */
    uint8_t *held;   /* by member: a lock that this rank has */
    struct operation *pending, **pending_end;
};

struct queue { /* of threads */
    uint32_t first, given;
    bool running;
    uint64_t begun_ms;
};

struct turns turns;

static const struct replay_policy *policy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* invariant 1 */
static _Atomic uint32_t *shared;                         /* by rank and row: turns that were had */
static struct window *windows;
static uint32_t window_count, comm_count = 1;
static struct {
    MPI_Comm comm;
    uint32_t object;
} * comms;
static uint32_t comms_count, comms_room;
static struct queue queues[QUEUES];
static uint32_t queue_count;
static long thread_id[THREADS], first_id;
static uint32_t thread_count;
static __thread struct queue *running[RUNNING];
static __thread uint32_t running_count, own_index;
static __thread bool own_known;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The library gets on meanwhile. */
static void pause_once(void)
{
    int flag;
    REAL(Iprobe)(0, 0, recorder_handle.comm_self, &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

/* --- the schedule ----------------------------------------------------------------------------- */

/* The first turn behind `from` that the answer names, 0: none does; *out_last: how many there are.
 * first: of turn 1. */
static uint32_t place_of(uint32_t rank, uint32_t first, uint32_t from, int32_t answer,
                         uint32_t *out_last)
{
    uint32_t place = 0, at = 1;
    const struct replay_name *name;
    for (; (name = replay_policy_find(&policy->forced, rank, false, first + at - 1)); at++)
        if (!place && at > from && name->source == answer)
            place = at;
    *out_last = at - 1;
    return place;
}

static bool names_turns(uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < policy->forced.count; i++) {
        uint64_t id = policy->forced.name[i].id, within = id % REPLAY_TURN_OBJECT;
        if (id < REPLAY_BUFFER_NUMBERS && within >= low && within < high &&
            (low || id >= REPLAY_TURN_OBJECT))
            return true;
    }
    return false;
}

static void said(const char *what)
{
    char text[256];
    snprintf(text, sizeof text,
             "rank %d waited for its turn %s, and nobody came: it goes on "
             "without, and the run may not be what the schedule says",
             recorder.world_rank, what);
    recorder_warn(text);
}

static _Atomic uint32_t *memory_shared(size_t bytes)
{
    char name[4200];
    snprintf(name, sizeof name, "%s/turns", recorder_folder());
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *memory = file < 0 || ftruncate(file, (off_t)bytes)
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    REAL(Barrier)(recorder_handle.comm_world);
    if (recorder.world_rank == 0)
        unlink(name);
    return memory == MAP_FAILED ? NULL : memory;
}

void turns_start(const struct replay_policy *given)
{
    policy = given;
    if (policy->order != REPLAY_ORDER_EXPLORE)
        return;
    turns.windows = false;
    for (uint32_t i = 0; i < policy->forced.count; i++) {
        uint64_t id = policy->forced.name[i].id;
        turns.windows |= id < REPLAY_BUFFER_NUMBERS && id / REPLAY_TURN_OBJECT % 2;
    }
    turns.threads = names_turns(REPLAY_TURN_LOCKS, REPLAY_TURN_OBJECT);
    if (turns.windows && recorder.several) {
        recorder_warn("turns at windows cannot be had where ranks are on several machines");
        turns.windows = false;
    }
    if (turns.windows)
        shared = memory_shared((size_t)recorder.world_size * ROWS * sizeof *shared);
    turns.windows &= shared != NULL;
    turns.on = turns.windows || turns.threads;
    first_id = -1;
    turns_thread_first();
}

/* --- threads ---------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const long *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Those that the program made, in the order it made them; the library's own were there before.
 * Under the lock. */
static void threads_find(void)
{
    long id[THREADS], known = thread_count ? thread_id[thread_count - 1] : first_id;
    uint32_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    while (tasks && (task = readdir(tasks)) && count < THREADS) {
        id[count] = strtol(task->d_name, NULL, 10);
        count += id[count] > known;
    }
    if (tasks)
        closedir(tasks);
    qsort(id, count, sizeof *id, by_id);
    if (first_id < 0)
        first_id = count ? id[count - 1] : getpid();
    else
        for (uint32_t i = 0; i < count && thread_count < THREADS; i++)
            thread_id[thread_count++] = id[i];
}

static uint32_t thread_index(void)
{
    if (own_known)
        return own_index;
    long self = syscall(SYS_gettid);
    threads_find();
    for (uint32_t i = 0; i < thread_count; i++)
        if (thread_id[i] == self)
            own_index = i + 1;
    own_known = true;
    return own_index;
}

uint64_t turns_thread_first(void)
{
    pthread_mutex_lock(&lock);
    uint64_t index = thread_index();
    pthread_mutex_unlock(&lock);
    return index * REPLAY_THREAD_NUMBERS;
}

static struct queue *queue_of(uint32_t object, uint32_t number)
{
    uint32_t first = replay_turn_first(object, true, number);
    for (uint32_t i = 0; i < queue_count; i++)
        if (queues[i].first == first)
            return &queues[i];
    if (queue_count == QUEUES)
        return NULL;
    queues[queue_count] = (struct queue){.first = first};
    return &queues[queue_count++];
}

/* True: it has its turn. */
static bool queue_enter(struct queue *queue)
{
    uint32_t last, place = place_of((uint32_t)recorder.world_rank, queue->first, queue->given,
                                    (int32_t)thread_index(), &last);
    bool begun = !queue->running || now_ms() - queue->begun_ms >= BEGUN_MS;
    if (!begun || (place ? place != queue->given + 1 : queue->given < last))
        return false;
    queue->given = place ? place : queue->given;
    return true;
}

static void thread_turn(uint32_t object, uint32_t number)
{
    uint64_t until = now_ms() + GIVE_UP_MS;
    pthread_mutex_lock(&lock);
    if (!thread_count)
        threads_find();
    struct queue *queue = thread_count ? queue_of(object, number) : NULL;
    uint32_t given = queue ? queue->given : 0;
    while (queue && !queue_enter(queue)) {
        if (given != queue->given)
            until = now_ms() + GIVE_UP_MS;
        given = queue->given;
        pthread_mutex_unlock(&lock);
        sched_yield();
        if (now_ms() >= until) {
            said("among its threads");
            return;
        }
        pthread_mutex_lock(&lock);
    }
    if (queue && running_count < RUNNING) {
        queue->running = true;
        queue->begun_ms = now_ms();
        running[running_count++] = queue;
    }
    pthread_mutex_unlock(&lock);
}

void turns_after(void)
{
    if (!running_count)
        return;
    pthread_mutex_lock(&lock);
    while (running_count)
        running[--running_count]->running = false;
    pthread_mutex_unlock(&lock);
}

void turns_comm_made(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    if (comms_count == comms_room) {
        uint32_t room = comms_room ? 2 * comms_room : 16;
        void *larger = realloc(comms, room * sizeof *comms);
        if (larger) {
            comms = larger;
            comms_room = room;
        }
    }
    uint32_t object = replay_turn_comm(++comm_count);
    uint32_t at = 0;
    while (at < comms_count && comms[at].comm != comm)
        at++;
    if (at < comms_room) {
        comms[at].comm = comm;
        comms[at].object = object;
        comms_count += at == comms_count;
    }
    pthread_mutex_unlock(&lock);
}

static uint32_t object_of(MPI_Comm comm)
{
    uint32_t object = replay_turn_comm(comm == recorder_handle.comm_self);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < comms_count; i++)
        if (comms[i].comm == comm)
            object = comms[i].object;
    pthread_mutex_unlock(&lock);
    return object;
}

void turns_sends(MPI_Comm comm, int dest)
{
    if (turns.threads && dest >= 0)
        thread_turn(object_of(comm), replay_turn_sends(dest));
}

void turns_receives(MPI_Comm comm)
{
    if (turns.threads)
        thread_turn(object_of(comm), REPLAY_TURN_RECEIVES);
}

void turns_collective(MPI_Comm comm)
{
    if (turns.threads)
        thread_turn(object_of(comm), REPLAY_TURN_COLLECTIVES);
}

/* --- windows ---------------------------------------------------------------------------------- */

static struct window *window_of(MPI_Win win)
{
    struct window *w = windows;
    while (w && w->win != win)
        w = w->next;
    return w;
}

static _Atomic uint32_t *had(const struct window *w, int target, bool locks)
{
    return &shared[(uint32_t)w->world[target] * ROWS + (w->objects[target] / 2) % WINDOWS * 2 +
                   locks];
}

/* Whose turn comes next is that of the place; 0: those that are named had theirs. */
static bool is_next(const struct window *w, int target, bool locks, uint32_t place)
{
    uint32_t last;
    uint32_t first = replay_turn_first(w->objects[target], locks, 0);
    if (place)
        return *had(w, target, locks) + 1 >= place;
    place_of((uint32_t)w->world[target], first, 0, -1, &last);
    return *had(w, target, locks) >= last;
}

static void has_had(const struct window *w, int target, bool locks, uint32_t place)
{
    if (place > *had(w, target, locks))
        *had(w, target, locks) = place; /* invariant 2 */
}

/* False: nobody came for so long. The lock is not held meanwhile. */
static bool await(const struct window *w, int target, bool locks, uint32_t place, uint64_t ms)
{
    uint32_t before = *had(w, target, locks);
    uint64_t until = now_ms() + ms;
    while (!is_next(w, target, locks, place)) {
        pause_once();
        if (*had(w, target, locks) != before) {
            before = *had(w, target, locks);
            until = now_ms() + ms;
        } else if (now_ms() >= until) {
            return false;
        }
    }
    return true;
}

void turns_window_made(struct lane *lane, MPI_Win win, MPI_Comm comm)
{
    struct window *w = calloc(1, sizeof *w);
    if (!w || !turns.windows)
        return;
    w->win = win;
    w->object = replay_turn_window(window_count++);
    if (window_count > WINDOWS) {
        recorder_warn("turns at more than 64 windows of a rank cannot be had");
        free(w);
        return;
    }
    REAL(Comm_size)(comm, &w->size);
    REAL(Comm_rank)(comm, &w->rank);
    size_t count = (size_t)w->size;
    w->objects = calloc(count, sizeof *w->objects);
    w->world = calloc(count, sizeof *w->world);
    w->named = calloc(count, sizeof *w->named);
    w->held = calloc(count, 1);
    if (!w->objects || !w->world || !w->named || !w->held)
        abort();
    w->pending_end = &w->pending;
    REAL(Allgather)
    (&w->object, sizeof w->object, recorder_handle.type_byte, w->objects, sizeof w->object,
     recorder_handle.type_byte, comm);
    for (int i = 0; i < w->size; i++)
        w->world[i] = recorder_comm_world(lane, comm, i);
    pthread_mutex_lock(&lock);
    w->next = windows;
    windows = w;
    pthread_mutex_unlock(&lock);
}

/* --- what is done to them --------------------------------------------------------------------- */

static MPI_Datatype type_keep(MPI_Datatype type, bool keep)
{
    int integers, addresses, types, combiner;
    if (type == recorder_handle.type_null ||
        REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner == MPI_COMBINER_NAMED)
        return type;
    if (keep)
        REAL(Type_dup)(type, &type);
    else
        REAL(Type_free)(&type);
    return type;
}

/* keep: until they are freed. */
static void types_keep(struct operation *o, bool keep)
{
    o->type = type_keep(o->type, keep);
    o->result_type = type_keep(o->result_type, keep);
    o->target_type = type_keep(o->target_type, keep);
}

static int issue(const struct operation *o, MPI_Win win)
{
    switch (o->call) {
    case CALL_Put:
        return REAL(Put)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                         o->target_type, win);
    case CALL_Get:
        return REAL(Get)(o->result, o->count, o->type, o->target, o->disp, o->target_count,
                         o->target_type, win);
    case CALL_Accumulate:
        return REAL(Accumulate)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                                o->target_type, o->op, win);
    case CALL_Get_accumulate:
        return REAL(Get_accumulate)(o->origin, o->count, o->type, o->result, o->result_count,
                                    o->result_type, o->target, o->disp, o->target_count,
                                    o->target_type, o->op, win);
    case CALL_Fetch_and_op:
        return REAL(Fetch_and_op)(o->origin, o->result, o->type, o->target, o->disp, o->op, win);
    case CALL_Compare_and_swap:
        return REAL(Compare_and_swap)(o->origin, o->compare, o->result, o->type, o->target, o->disp,
                                      win);
    case CALL_Rput:
        return REAL(Rput)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                          o->target_type, win, o->request);
    case CALL_Rget:
        return REAL(Rget)(o->result, o->count, o->type, o->target, o->disp, o->target_count,
                          o->target_type, win, o->request);
    case CALL_Raccumulate:
        return REAL(Raccumulate)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                                 o->target_type, o->op, win, o->request);
    default:
        return REAL(Rget_accumulate)(o->origin, o->count, o->type, o->result, o->result_count,
                                     o->result_type, o->target, o->disp, o->target_count,
                                     o->target_type, o->op, win, o->request);
    }
}

static int perform(struct window *w, const struct operation *o)
{
    int returned = issue(o, w->win);
    if (returned == MPI_SUCCESS && w->held[o->target])
        returned = REAL(Win_flush)(o->target, w->win);
    has_had(w, o->target, false, o->place);
    return returned;
}

/* It leaves the list. */
static void perform_at(struct window *w, struct operation **link)
{
    struct operation *o = *link;
    if (!(*link = o->next))
        w->pending_end = link;
    perform(w, o);
    types_keep(o, false);
    free(o->copy);
    free(o);
}

/* Those whose turn has come; `all`, also those that come behind what is named. */
static void perform_ready(struct window *w, int target, bool all)
{
    for (struct operation **link = &w->pending; *link;) {
        const struct operation *o = *link;
        if ((target < 0 || o->target == target) && (o->place || all) &&
            is_next(w, o->target, false, o->place)) {
            perform_at(w, link);
            link = &w->pending;
        } else {
            link = &(*link)->next;
        }
    }
}

static struct operation **pending_to(struct window *w, int target)
{
    struct operation **link = &w->pending;
    while (*link && target >= 0 && (*link)->target != target)
        link = &(*link)->next;
    return link;
}

void turns_complete(MPI_Win win, int target)
{
    struct window *w;
    uint64_t until = now_ms() + GIVE_UP_MS;
    uint32_t before = 0;
    pthread_mutex_lock(&lock);
    w = window_of(win);
    while (w && (perform_ready(w, target, true), *pending_to(w, target))) {
        const struct operation *o = *pending_to(w, target);
        uint32_t count = *had(w, o->target, false);
        if (count != before)
            until = now_ms() + GIVE_UP_MS;
        before = count;
        if (now_ms() >= until) {
            said("at a window");
            perform_at(w, pending_to(w, target));
        }
        pthread_mutex_unlock(&lock);
        pause_once();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

/* The origin's buffer is the program's again: what it holds now is kept. */
static bool origin_keep(struct operation *o)
{
    MPI_Aint low, bytes, first, extent;
    if (o->copy || o->count < 1)
        return true;
    REAL(Type_get_true_extent)(o->type, &low, &bytes);
    REAL(Type_get_extent)(o->type, &first, &extent);
    size_t all = (size_t)((o->count - 1) * extent + bytes);
    if (extent < 0 || !(o->copy = malloc(all + 1)))
        return false;
    memcpy(o->copy, (const char *)o->origin + low, all);
    o->origin = (const char *)o->copy - low;
    return true;
}

void turns_complete_local(MPI_Win win, int target)
{
    bool kept = true;
    pthread_mutex_lock(&lock);
    struct window *w = window_of(win);
    for (struct operation *o = w ? w->pending : NULL; o; o = o->next)
        if (target < 0 || o->target == target)
            kept &= !o->result && o->origin && origin_keep(o);
    pthread_mutex_unlock(&lock);
    if (!kept)
        turns_complete(win, target);
}

void turns_held(MPI_Win win, int target, bool held)
{
    pthread_mutex_lock(&lock);
    struct window *w = window_of(win);
    for (int i = 0; w && i < w->size; i++)
        if (target < 0 || i == target)
            w->held[i] = held;
    pthread_mutex_unlock(&lock);
}

static bool any_named(const struct window *w)
{
    for (const struct operation *o = w->pending; o; o = o->next)
        if (o->place)
            return true;
    return false;
}

/* What may come before the call has its chance: once this rank waits in MPI it can do nothing. */
static void windows_before(void)
{
    uint64_t until = now_ms() + EARLY_MS;
    bool named = true;
    while (named) {
        named = false;
        pthread_mutex_lock(&lock);
        for (struct window *w = windows; w; w = w->next) {
            perform_ready(w, -1, false);
            named |= any_named(w);
        }
        pthread_mutex_unlock(&lock);
        if (named && now_ms() >= until)
            return;
        if (named)
            pause_once();
    }
}

void turns_before(void)
{
    turns_after();
    if (windows)
        windows_before();
}

static int operate(MPI_Win win, struct operation given)
{
    pthread_mutex_lock(&lock);
    struct window *w = window_of(win);
    pthread_mutex_unlock(&lock);
    if (!w || given.target < 0 || given.target >= w->size)
        return issue(&given, win);
    if (turns.threads)
        thread_turn(w->object, replay_turn_sends(given.target));
    pthread_mutex_lock(&lock);
    uint32_t last;
    int32_t name = recorder.world_rank + recorder.world_size * (int32_t)w->named[given.target]++;
    given.place = place_of((uint32_t)w->world[given.target],
                           replay_turn_first(w->objects[given.target], false, 0), 0, name, &last);
    pthread_mutex_unlock(&lock);
    if (given.request) { /* it has to be begun here */
        if (!await(w, given.target, false, given.place, LOOK_MS))
            said("at a window, for an operation with a request");
        return perform(w, &given);
    }
    struct operation *o = malloc(sizeof *o);
    if (!o)
        return perform(w, &given);
    *o = given;
    types_keep(o, true);
    pthread_mutex_lock(&lock);
    *w->pending_end = o;
    w->pending_end = &o->next;
    perform_ready(w, -1, false);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

void turns_look(MPI_Win win)
{
    uint32_t last;
    pthread_mutex_lock(&lock);
    struct window *w = window_of(win);
    pthread_mutex_unlock(&lock);
    if (!w)
        return;
    int32_t name = recorder.world_rank + recorder.world_size * (int32_t)w->named[w->rank];
    uint32_t place = place_of((uint32_t)recorder.world_rank, replay_turn_first(w->object, false, 0),
                              0, name, &last);
    bool had_turn = await(w, w->rank, false, place, LOOK_MS);
    if (had_turn && place) {
        w->named[w->rank]++;
        has_had(w, w->rank, false, place);
    }
}

int turns_Win_lock(int type, int rank, int assert, MPI_Win win)
{
    uint32_t last;
    pthread_mutex_lock(&lock);
    struct window *w = window_of(win);
    pthread_mutex_unlock(&lock);
    if (!w || rank < 0 || rank >= w->size)
        return REAL(Win_lock)(type, rank, assert, win);
    if (assert & MPI_MODE_NOCHECK) {
        turns_held(win, rank, true);
        return REAL(Win_lock)(type, rank, assert, win);
    }
    uint32_t place =
        place_of((uint32_t)w->world[rank], replay_turn_first(w->objects[rank], true, 0),
                 *had(w, rank, true), recorder.world_rank, &last);
    if (!await(w, rank, true, place, GIVE_UP_MS))
        said("for the lock of a window");
    int returned = REAL(Win_lock)(type, rank, assert, win);
    if (returned == MPI_SUCCESS) {
        turns_held(win, rank, true);
        REAL(Win_flush)(rank, win); /* some libraries wait for the lock only then */
    }
    has_had(w, rank, true, place);
    return returned;
}

void turns_window_free(MPI_Win win)
{
    turns_complete(win, -1);
    pthread_mutex_lock(&lock);
    struct window **link = &windows, *w;
    while (*link && (*link)->win != win)
        link = &(*link)->next;
    if ((w = *link))
        *link = w->next;
    pthread_mutex_unlock(&lock);
    if (!w)
        return;
    free(w->objects);
    free(w->world);
    free(w->named);
    free(w->held);
    free(w);
}

/* --- the calls -------------------------------------------------------------------------------- */

#define TO_TARGET                                                                               \
    .count = count, .type = type, .target = target, .disp = disp, .target_count = target_count, \
    .target_type = target_type, .result_type = recorder_handle.type_null

int turns_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
              int target_count, MPI_Datatype target_type, MPI_Win win)
{
    return operate(win, (struct operation){.call = CALL_Put, .origin = origin, TO_TARGET});
}

int turns_Rput(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
               int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return operate(win, (struct operation){
                            .call = CALL_Rput, .origin = origin, TO_TARGET, .request = request});
}

int turns_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
              int target_count, MPI_Datatype target_type, MPI_Win win)
{
    return operate(win, (struct operation){.call = CALL_Get, .result = origin, TO_TARGET});
}

int turns_Rget(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
               int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return operate(win, (struct operation){
                            .call = CALL_Rget, .result = origin, TO_TARGET, .request = request});
}

int turns_Accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                     int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    return operate(
        win, (struct operation){.call = CALL_Accumulate, .origin = origin, TO_TARGET, .op = op});
}

int turns_Raccumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                      int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                      MPI_Request *request)
{
    return operate(
        win,
        (struct operation){
            .call = CALL_Raccumulate, .origin = origin, TO_TARGET, .op = op, .request = request});
}

static struct operation fetching(unsigned call, const void *origin, void *result, int count,
                                 MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op)
{
    return (struct operation){.call = call,
                              .origin = origin,
                              .result = result,
                              .count = count,
                              .result_count = count,
                              .target_count = count,
                              .type = type,
                              .result_type = type,
                              .target_type = type,
                              .target = target,
                              .disp = disp,
                              .op = op};
}

int turns_Get_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                         int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                         int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    struct operation o =
        fetching(CALL_Get_accumulate, origin, result, count, type, target, disp, op);
    o.result_count = result_count;
    o.result_type = result_type;
    o.target_count = target_count;
    o.target_type = target_type;
    return operate(win, o);
}

int turns_Rget_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                          int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                          int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                          MPI_Request *request)
{
    struct operation o =
        fetching(CALL_Rget_accumulate, origin, result, count, type, target, disp, op);
    o.result_count = result_count;
    o.result_type = result_type;
    o.target_count = target_count;
    o.target_type = target_type;
    o.request = request;
    return operate(win, o);
}

int turns_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target,
                       MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    return operate(win, fetching(CALL_Fetch_and_op, origin, result, 1, type, target, disp, op));
}

int turns_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type,
                           int target, MPI_Aint disp, MPI_Win win)
{
    struct operation o = fetching(CALL_Compare_and_swap, origin, result, 1, type, target, disp,
                                  recorder_handle.op_null);
    o.compare = compare;
    return operate(win, o);
}
