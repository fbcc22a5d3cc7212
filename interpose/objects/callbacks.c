/* Callbacks of attributes: what they call is the application's own, although the library called
 * them. The keyval is made with functions of ours, which say that the application runs, and call
 * its functions; a small piece of memory says which, and is never given back, since attributes may
 * outlive their keyval. Keyvals of the same functions and state share it: a program may make and
 * free them for ever.
 *
 * Functions of operations: while a collective of the sample goes on, what each was given and what
 * it made of that is kept as digests, so that the order in which the library combined can be told
 * (checkers/collective/applied.h). Nothing of them says which operation they belong to: there is a
 * function of ours for each of the first OPS. */
#include <stdlib.h>

#include "interpose/recorder.h"

typedef void (*any_fn)(void);

struct callback {
    any_fn copy, gone;
    void *extra;
};

struct before { /* the call that runs it */
    uint32_t callback;
    void **cfa;
    const void *back;
};

/* NULL: the call that runs the callback is not recorded, and what the callback calls is not either.
 */
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

/* NULL: no memory. */
static struct callback *callback_of(struct callback wanted)
{
    enum { SHARED = 256 };
    static struct callback *shared[SHARED]; /* the newest of those with the same place */
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
            callback_of((struct callback){(any_fn)*copy, (any_fn)*gone, *extra});                  \
        if (!callback)                                                                             \
            return;                                                                                \
        *copy = *copy ? kind##_copy : NULL;                                                        \
        *gone = *gone ? kind##_delete : NULL;                                                      \
        *extra = callback;                                                                         \
    }

KIND(comm, MPI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
KIND(win, MPI_Win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)
KIND(type, MPI_Datatype, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)

/* --- operations ------------------------------------------------------------------------------- */

enum { OPS = 16 };
static MPI_User_function *function_of[OPS];
static uint32_t functions;

static void apply(uint32_t op, void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct lane *lane = recorder_thread.current;
    bool kept = lane && lane != recorder_nobody && lane->depth && lane->applying &&
                lane->applying == lane->open[0].seq;

    if (kept)
        payload_applied(lane, lane->applying, in, *count, *type, SPOOL_BUFFER_IN);
    if (kept)
        payload_applied(lane, lane->applying, inout, *count, *type, SPOOL_BUFFER_INOUT);
    function_of[op](in, inout, count, type);
    if (kept)
        payload_applied(lane, lane->applying, inout, *count, *type, SPOOL_BUFFER_OUT);
}

#define OP(n)                                                                 \
    static void op_##n(void *in, void *inout, int *count, MPI_Datatype *type) \
    {                                                                         \
        apply(n, in, inout, count, type);                                     \
    }
OP(0);
OP(1);
OP(2);
OP(3);
OP(4);
OP(5);
OP(6);
OP(7);
OP(8);
OP(9);
OP(10);
OP(11);
OP(12);
OP(13);
OP(14);
OP(15);

void callback_op(MPI_User_function **function)
{
    static MPI_User_function *const ours[OPS] = {op_0,  op_1,  op_2,  op_3, op_4,  op_5,
                                                 op_6,  op_7,  op_8,  op_9, op_10, op_11,
                                                 op_12, op_13, op_14, op_15};

    if (!*function)
        return;
    recorder_lock();
    if (functions < OPS) {
        function_of[functions] = *function;
        *function = ours[functions++];
    }
    recorder_unlock();
}
