/* See shadow.h. */
#include "interpose/misuse/shadow.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/lock.h"
#include "interpose/misuse/payload.h"

enum { PARTS_MAX = 1000, FIBERS_MAX = 64, NO_ORDER = 1 };

struct shadow shadow;
static struct {
    intptr_t (*test)(const volatile void *, size_t);
    void (*clean)(const volatile void *, size_t);
    void (*read)(void *, unsigned long, void *), (*write)(void *, unsigned long, void *);
    void *(*current)(void), *(*create)(unsigned);
    void (*change)(void *, unsigned), (*destroy)(void *);
    void (*release)(void *), (*acquire)(void *);
} api;
static __thread const void *caller;

static struct fiber {
    void *fiber;     /* NULL: not made yet */
    void *order;     /* address at which its order is noted */
    uint64_t thread; /* the only thread that has used it */
    bool busy;       /* it accesses a buffer */
} fibers[FIBERS_MAX];

static bool shadow_find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

void shadow_start(void)
{
    const char *options = getenv("TSAN_OPTIONS");

    shadow.memory =
        shadow_find("__msan_test_shadow", &api.test) && shadow_find("__msan_unpoison", &api.clean);
    shadow.threads = options && strstr(options, "ignore_noninstrumented_modules=1") &&
                     shadow_find("__tsan_read_range_pc", &api.read) &&
                     shadow_find("__tsan_write_range_pc", &api.write) &&
                     shadow_find("__tsan_get_current_fiber", &api.current) &&
                     shadow_find("__tsan_create_fiber", &api.create) &&
                     shadow_find("__tsan_destroy_fiber", &api.destroy) &&
                     shadow_find("__tsan_switch_to_fiber", &api.change) &&
                     shadow_find("__tsan_release", &api.release) &&
                     shadow_find("__tsan_acquire", &api.acquire);
}

/* --- parts ------------------------------------------------------------------------------------ */

typedef bool (*part_fn)(uintptr_t start, uintptr_t end, void *context);

/* Visits the parts that the buffer's datatype covers, until the function returns false. */
static void each_part(const struct usage_buffer *buffer, part_fn fn, void *context)
{
    const struct datatype_span *s = datatypes_span(buffer->of);
    int64_t left = PARTS_MAX;

    if (!s)
        return;
    if (s->whole) {
        fn(buffer->start, buffer->end, context);
        return;
    }
    for (int64_t i = 0; buffer->type && s->part && i < buffer->count; i++)
        for (uint32_t k = 0; k < s->parts; k++) {
            uintptr_t at = (uintptr_t)buffer->at + (uintptr_t)(i * s->extent);
            if (!left-- ||
                !fn(at + (uintptr_t)s->part[k][0], at + (uintptr_t)s->part[k][1], context))
                return;
        }
}

/* --- MemorySanitizer -------------------------------------------------------------------------- */

struct asking {
    struct lane *lane;
    uint64_t seq;
    const struct usage_buffer *buffer;
};

static bool shadow_ask(uintptr_t start, uintptr_t end, void *context)
{
    const struct asking *asking = context;
    const struct usage_buffer *b = asking->buffer;
    intptr_t bad = api.test((const void *)start, end - start);

    if (bad < 0)
        return true;
    usage_say(asking->lane, asking->seq,
              b->of == recorder_type(asking->lane, recorder_handle.type_byte)
                  ? MISUSE_SEND_BYTES_UNINITIALIZED
                  : MISUSE_SEND_UNINITIALIZED,
              b->argument, 0,
              .value = {(int64_t)(b->end - b->start), (int64_t)(start - b->start) + bad});
    return false;
}

static bool shadow_clean(uintptr_t start, uintptr_t end, void *context)
{
    (void)context;
    api.clean((const void *)start, end - start);
    return true;
}

void shadow_given(struct lane *lane, uint64_t seq, const struct usage_buffers *all,
                  const void *from)
{
    caller = from;
    for (unsigned i = 0; shadow.memory && i < all->count; i++) {
        struct asking asking = {lane, seq, &all->buffer[i]};
        if (all->buffer[i].access == USAGE_READ)
            each_part(&all->buffer[i], shadow_ask, &asking);
    }
}

void shadow_filled(const struct usage_buffer *buffer)
{
    if (buffer->access == USAGE_WRITE)
        each_part(buffer, shadow_clean, NULL);
}

/* --- ThreadSanitizer -------------------------------------------------------------------------- */

static bool shadow_touch(uintptr_t start, uintptr_t end, void *context)
{
    const struct usage_buffer *buffer = context;

    (buffer->access == USAGE_WRITE ? api.write : api.read)((void *)start, end - start,
                                                           (void *)caller);
    return true;
}

/* Returns an idle fiber of this thread, or a new one, which may replace an idle one of another
 * thread. Using another thread's fiber would order that thread's earlier accesses before this
 * thread's later ones. */
static struct fiber *fiber_for(uint64_t thread)
{
    struct fiber *room = NULL;

    for (unsigned i = 0; i < FIBERS_MAX; i++) {
        struct fiber *f = &fibers[i];
        if (f->fiber && !f->busy && f->thread == thread)
            return f;
        if (!f->busy && (!room || (room->fiber && !f->fiber)))
            room = f;
    }
    if (!room)
        return NULL;
    if (room->fiber)
        api.destroy(room->fiber);
    free(room->order);
    *room = (struct fiber){.thread = thread, .order = malloc(1)};
    room->fiber = room->order ? api.create(0) : NULL;
    return room->fiber ? room : NULL;
}

/* Orders the fiber's access by an address of the recorder, which is forgotten when freed: a switch
 * with order would use the fiber's address, where a later fiber may lie. */
void *shadow_begin(const struct usage_buffer *buffer)
{
    static uint64_t threads;
    static __thread uint64_t thread;
    unsigned hidden = hidden_pause();

    if (!thread)
        thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    struct fiber *f = fiber_for(thread);
    if (f) {
        void *own = api.current();
        f->busy = true;
        api.release(f->order);
        api.change(f->fiber, NO_ORDER);
        api.acquire(f->order);
        each_part(buffer, shadow_touch, (void *)buffer);
        api.change(own, NO_ORDER);
    }
    hidden_resume(hidden);
    return f;
}

void shadow_end(void *fiber)
{
    struct fiber *f = fiber;
    unsigned hidden = hidden_pause();
    void *own = api.current();

    api.change(f->fiber, NO_ORDER);
    api.release(f->order);
    api.change(own, NO_ORDER);
    api.acquire(f->order);
    f->busy = false;
    hidden_resume(hidden);
}
