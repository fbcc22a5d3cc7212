/* Callbacks of attributes: what they call is the application's own, although the library called
 * them. The keyval is made with functions of ours, which say that the application runs, and call
 * its functions; a small piece of memory a keyval says which, and is never given back, since
 * attributes may outlive their keyval. */
#include <stdlib.h>

#include "interpose/recorder.h"

typedef void (*any_fn)(void);

struct callback {
    any_fn copy, gone;
    void *extra;
};

/* NULL: the call that runs the callback is not recorded, and what the callback calls is not either.
 */
static struct lane *begin(uint32_t *out_before)
{
    struct lane *lane = recorder_thread.current;

    if (!lane || lane == recorder_nobody || !lane->depth)
        return NULL;
    if (lane->depth + 2 >= SPOOL_DEPTH_MAX) {
        recorder_missed(lane, 1);
        return NULL;
    }
    *out_before = atomic_load_explicit(&lane->writer.header->callback, memory_order_relaxed);
    atomic_store_explicit(&lane->writer.header->callback, lane->depth, memory_order_release);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
    return lane;
}

static void end(struct lane *lane, uint32_t before)
{
    if (!lane)
        return;
    recorder_thread.ready = NULL;
    recorder_thread.current = lane;
    atomic_store_explicit(&lane->writer.header->callback, before, memory_order_release);
}

#define KIND(kind, handle, copy_type, delete_type)                                                 \
    static int kind##_copy(handle object, int keyval, void *extra, void *in, void *out, int *flag) \
    {                                                                                              \
        struct callback *callback = extra;                                                         \
        uint32_t before;                                                                           \
        struct lane *lane = begin(&before);                                                        \
        int returned =                                                                             \
            ((copy_type *)callback->copy)(object, keyval, callback->extra, in, out, flag);         \
        end(lane, before);                                                                         \
        return returned;                                                                           \
    }                                                                                              \
    static int kind##_delete(handle object, int keyval, void *value, void *extra)                  \
    {                                                                                              \
        struct callback *callback = extra;                                                         \
        uint32_t before;                                                                           \
        struct lane *lane = begin(&before);                                                        \
        int returned = ((delete_type *)callback->gone)(object, keyval, value, callback->extra);    \
        end(lane, before);                                                                         \
        return returned;                                                                           \
    }                                                                                              \
    void callback_##kind(copy_type **copy, delete_type **gone, void **extra)                       \
    {                                                                                              \
        struct callback *callback = malloc(sizeof *callback);                                      \
        if (!callback)                                                                             \
            return;                                                                                \
        *callback = (struct callback){(any_fn)*copy, (any_fn)*gone, *extra};                       \
        *copy = *copy ? kind##_copy : NULL;                                                        \
        *gone = *gone ? kind##_delete : NULL;                                                      \
        *extra = callback;                                                                         \
    }

KIND(comm, MPI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
KIND(win, MPI_Win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)
KIND(type, MPI_Datatype, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)
