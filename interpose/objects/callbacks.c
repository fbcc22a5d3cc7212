/* Replaces functions of the program that the library calls by functions of the recorder, which note
 * that the application runs.
 *
 * Callbacks of attributes and of generalized requests make calls of the application, although the
 * library called them. A small piece of memory identifies them. That of an attribute is never
 * freed, since attributes may outlive their keyval. Keyvals with the same functions and state share
 * it, since a program may make and free any number of them.
 *
 * Functions of operations and error handlers do not learn to which operation or handler they
 * belong: the recorder has one function for each of the first SLOTS. During a sampled collective,
 * the inputs and the output of an operation are kept as digests, which show the order in which the
 * library combined (checkers/collective/reduce_order.h). */
#include <stdlib.h>

#include "interpose/recorder.h"

struct callback {
    callback_fn copy, gone;
    void *extra;
};

struct before { /* the call that runs the callback */
    uint32_t callback;
    void **cfa;
    const void *back;
};

/* Begins a callback. Returns NULL if the call that runs it is not recorded; then its calls are not
 * recorded either. */
static struct lane *begin(struct before *out_before)
{
    struct lane *lane = recorder_thread.current;

    if (!lane || lane == recorder_nobody || !lane->depth)
        return NULL;
    if (lane->depth + 2 >= SPOOL_DEPTH_MAX) {
        recorder_missed(lane, 1);
        return NULL;
    }
    *out_before =
        (struct before){atomic_load_explicit(&lane->writer.header->callback, memory_order_relaxed),
                        recorder_thread.cfa, recorder_thread.back};
    atomic_store_explicit(&lane->writer.header->callback, lane->depth, memory_order_release);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
    return lane;
}

static void end(struct lane *lane, struct before before)
{
    if (!lane)
        return;
    recorder_inside(lane, before.cfa, before.back);
    atomic_store_explicit(&lane->writer.header->callback, before.callback, memory_order_release);
}

/* Returns a callback; NULL: out of memory. */
static struct callback *callback_of(struct callback wanted)
{
    enum { SHARED = 256 };
    static struct callback *shared[SHARED]; /* the newest with the same hash */
    uint64_t key = (uintptr_t)wanted.copy ^ (uintptr_t)wanted.gone << 21 ^ (uintptr_t)wanted.extra;
    struct callback **place = &shared[(key * 0x9FB21C651E98DF25u) >> 32 & (SHARED - 1)];
    struct callback *is;

    recorder_lock();
    is = *place;
    if (!is || is->copy != wanted.copy || is->gone != wanted.gone || is->extra != wanted.extra) {
        is = malloc(sizeof *is);
        if (is) {
            *is = wanted;
            *place = is;
        }
    }
    recorder_unlock();
    return is;
}

/* Tells whether the value is an address. In the standard ABI small numbers stand for functions of
 * the library: MPI_COMM_DUP_FN is 1. */
static bool is_function(callback_fn given)
{
    enum { STAND_FOR_FUNCTIONS = 16 };
    return (uintptr_t)given >= STAND_FOR_FUNCTIONS;
}

#define KIND(kind, handle, copy_type, delete_type)                                                 \
    static int kind##_copy(handle object, int keyval, void *extra, void *in, void *out, int *flag) \
    {                                                                                              \
        struct callback *callback = extra;                                                         \
        struct before before;                                                                      \
        struct lane *lane = begin(&before);                                                        \
        int returned =                                                                             \
            ((copy_type *)callback->copy)(object, keyval, callback->extra, in, out, flag);         \
        end(lane, before);                                                                         \
        return returned;                                                                           \
    }                                                                                              \
    static int kind##_delete(handle object, int keyval, void *value, void *extra)                  \
    {                                                                                              \
        struct callback *callback = extra;                                                         \
        struct before before;                                                                      \
        struct lane *lane = begin(&before);                                                        \
        int returned = ((delete_type *)callback->gone)(object, keyval, value, callback->extra);    \
        end(lane, before);                                                                         \
        return returned;                                                                           \
    }                                                                                              \
    void callback_##kind(copy_type **copy, delete_type **gone, void **extra)                       \
    {                                                                                              \
        struct callback *callback =                                                                \
            callback_of((struct callback){(callback_fn)*copy, (callback_fn)*gone, *extra});        \
        if (!callback)                                                                             \
            return;                                                                                \
        *copy = is_function((callback_fn)*copy) ? kind##_copy : *copy;                             \
        *gone = is_function((callback_fn)*gone) ? kind##_delete : *gone;                           \
        *extra = callback;                                                                         \
    }

KIND(comm, MPI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
KIND(win, MPI_Win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)
KIND(type, MPI_Datatype, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)

/* --- generalized requests --------------------------------------------------------------------- */

struct general {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *gone;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
};

static int general_query(void *extra, MPI_Status *status)
{
    const struct general *general = extra;
    struct before before;
    struct lane *lane = begin(&before);
    int returned = general->query(general->extra, status);

    end(lane, before);
    return returned;
}

static int general_cancel(void *extra, int complete)
{
    const struct general *general = extra;
    struct before before;
    struct lane *lane = begin(&before);
    int returned = general->cancel(general->extra, complete);

    end(lane, before);
    return returned;
}

static int general_free(void *extra)
{
    struct general *general = extra;
    struct before before;
    struct lane *lane = begin(&before);
    int returned = general->gone(general->extra);

    end(lane, before);
    free(general);
    return returned;
}

void callback_general(MPI_Grequest_query_function **query, MPI_Grequest_free_function **gone,
                      MPI_Grequest_cancel_function **cancel, void **extra)
{
    struct general *general = *query && *gone && *cancel ? malloc(sizeof *general) : NULL;

    if (!general)
        return;
    *general = (struct general){*query, *gone, *cancel, *extra};
    *query = general_query;
    *gone = general_free;
    *cancel = general_cancel;
    *extra = general;
}

/* --- operations and error handlers ------------------------------------------------------------ */

enum { SLOTS = 32 };
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EACH(X) EIGHT(X, 0) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03) /* octal numbers */

/* The functions of the program, each once, each with a function of the recorder. */
static struct slots {
    callback_fn function[SLOTS];
    bool plain[SLOTS]; /* operations: with C's counts and datatypes */
    uint32_t count;
} operations, handlers;

/* Returns the slot of a function; SLOTS: none is free, so its calls are not observed. */
static uint32_t slot_of(struct slots *slots, callback_fn function, bool plain)
{
    uint32_t at = 0;

    recorder_lock();
    while (at < slots->count && slots->function[at] != function)
        at++;
    if (at < SLOTS) {
        slots->function[at] = function;
        slots->plain[at] = plain;
        slots->count += at == slots->count;
    }
    recorder_unlock();
    if (at == SLOTS)
        recorder_unseen();
    return at;
}

/* Notes that a callback runs, so the rank does not wait. Its calls are not recorded, as it may
 * never return. */
static struct lane *callbacks_run(uint32_t *out_before)
{
    struct lane *lane = recorder_thread.current;

    if (!lane || lane == recorder_nobody || !lane->depth)
        return NULL;
    *out_before = atomic_load_explicit(&lane->writer.header->callback, memory_order_relaxed);
    atomic_store_explicit(&lane->writer.header->callback, lane->depth, memory_order_release);
    return lane;
}

static void callbacks_ran(struct lane *lane, uint32_t before)
{
    if (lane)
        atomic_store_explicit(&lane->writer.header->callback, before, memory_order_release);
}

static void apply(uint32_t slot, void *in, void *inout, int *count, MPI_Datatype *type)
{
    uint32_t before = 0;
    struct lane *lane = callbacks_run(&before);
    bool kept =
        lane && operations.plain[slot] && lane->applying && lane->applying == lane->open[0].seq;

    if (kept)
        payload_applied(lane, lane->applying, in, *count, *type, SPOOL_BUFFER_IN);
    if (kept)
        payload_applied(lane, lane->applying, inout, *count, *type, SPOOL_BUFFER_INOUT);
    ((MPI_User_function *)operations.function[slot])(in, inout, count, type);
    if (kept)
        payload_applied(lane, lane->applying, inout, *count, *type, SPOOL_BUFFER_OUT);
    callbacks_ran(lane, before);
}

/* Calls the program's handler, and passes on the library's further arguments in registers: a
 * message. */
static void handle(uint32_t slot, void *object, int *code, void *const more[3])
{
    typedef void handler_fn(void *, int *, ...);
    uint32_t before = 0;
    struct lane *lane = callbacks_run(&before);

    ((handler_fn *)handlers.function[slot])(object, code, more[0], more[1], more[2]);
    callbacks_ran(lane, before);
    recorder_thread.raised = lane != NULL;
}

#define OURS(n)                                                                 \
    static void op_##n(void *in, void *inout, int *count, MPI_Datatype *type)   \
    {                                                                           \
        apply(n, in, inout, count, type);                                       \
    }                                                                           \
    static void handler_##n(void *object, int *code, void *a, void *b, void *c) \
    {                                                                           \
        handle(n, object, code, (void *[]){a, b, c});                           \
    }
EACH(OURS)

#define OP(n) (callback_fn) op_##n,
#define HANDLER(n) (callback_fn) handler_##n,

callback_fn callback_op(callback_fn function, bool plain)
{
    static const callback_fn ours[SLOTS] = {EACH(OP)};
    uint32_t slot = function ? slot_of(&operations, function, plain) : SLOTS;

    return slot < SLOTS ? ours[slot] : function;
}

callback_fn callback_handler(callback_fn function)
{
    static const callback_fn ours[SLOTS] = {EACH(HANDLER)};
    uint32_t slot = function ? slot_of(&handlers, function, false) : SLOTS;

    return slot < SLOTS ? ours[slot] : function;
}
