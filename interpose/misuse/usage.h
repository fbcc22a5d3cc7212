/* Misuse that only the process itself can see, at the moment of the call: arguments that MPI does
 * not allow; handles that were freed, null or never made; objects never freed; requests in the
 * wrong state; buffers accessed while MPI owns them. Each is a record of the call (SPOOL_MISUSE),
 * from which checkers/check_usage.c makes a finding.
 *
 *  1. A check costs a comparison or two if nothing is wrong. The library is asked about a handle of
 *     the program only if usage_accepted says that the library knows the handle: ASK.
 *  2. At most USAGE_MAX of them are kept of a process. */
#ifndef INTERPOSE_MISUSE_USAGE_H
#define INTERPOSE_MISUSE_USAGE_H

#include "interpose/entry/body.h"
#include "interpose/objects/contents.h"
#include "interpose/recorder.h"

enum { USAGE_MAX = MISUSE_KEPT_MAX, USAGE_NAME_MAX = 128 };

/* Records a misuse (core/trace/misuse.h) of the call seq. misuse->site is an id of the rank; 0: the
 * call's own site. */
void usage_keep(struct lane *lane, uint64_t seq, const struct misuse *misuse);
/* Records a misuse: MISUSE_KIND, the argument's name (NULL: none), seq of another call (0: none),
 * then other fields of struct misuse: .value = {3}. */
#define usage_say(lane, seq, what, argument, about, ...) \
    usage_keep(lane, seq,                                \
               &(struct misuse){.kind = what, .name[0] = argument, .other = about, ##__VA_ARGS__})

/* --- objects ---------------------------------------------------------------------------------- */

/* Notes a new object. kinds: enum recorder_object, if the object belongs to no other. */
void usage_made(struct lane *lane, enum recorder_object kind, const void *handle, uint64_t seq);
/* Notes a further reference to an object. An object whose making was not recorded (Fortran's
 * bindings make error handlers without a call in C) never counts as freed. */
void usage_handed_out(struct lane *lane, enum recorder_object kind, const void *handle,
                      uint64_t seq);
/* Notes an unknown call: it may have made new objects with any freed handle. */
void usage_doubt(void);
void usage_given(struct lane *lane, enum recorder_object kind,
                 const void *handle); /* a valid handle that need not be freed */
void usage_gone(struct lane *lane, enum recorder_object kind,
                const void *handle); /* freed: the call succeeded */
void usage_kept(struct lane *lane, enum recorder_object kind,
                const void *handle); /* not freed: the call was refused */
void usage_type_made(struct lane *lane, MPI_Datatype type, uint64_t seq,
                     MPI_Datatype copied); /* copied: by MPI_Type_dup; else the null type */
void usage_contents(struct lane *lane, MPI_Datatype of, uint64_t seq,
                    const MPI_Datatype *type); /* type: results of MPI_Type_get_contents */
void usage_attribute(MPI_Comm comm);           /* an attribute was set on it */
void usage_committed(struct lane *lane, const void *type);
/* Kinds of objects for which error handlers and attribute keys are made; NONE: unknown. */
enum usage_of {
    USAGE_OF_NONE, /* unknown */
    USAGE_OF_COMM,
    USAGE_OF_WIN,
    USAGE_OF_FILE,
    USAGE_OF_TYPE,
    USAGE_OF_SESSION
};
void usage_made_for(enum recorder_object kind, const void *handle, enum usage_of of);
/* Checks that the handler or key was made for the kind of object with which it is used. */
void usage_for(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
               const char *argument, enum usage_of of);
void usage_keyval_given(struct lane *lane, int keyval); /* made by a call that is not recorded */
void usage_keyval_made(struct lane *lane, int keyval, uint64_t seq, enum usage_of of);
/* Checks a key that is about to be set or freed: MPI's own keys are not allowed. */
void usage_keyval_own(struct lane *lane, uint64_t seq, int keyval, const char *argument);
void usage_keyval_gone(struct lane *lane, int keyval);
void usage_keyval_used(struct lane *lane, int keyval); /* an attribute was set with it */
/* Checks that the program may free the object. */
void usage_freeing(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                   const char *argument);
/* Tells whether the library may be asked about a handle of the program. False: the library does not
 * know the handle, or a call with an invalid handle made the object. Takes the lock. */
bool usage_accepted(enum recorder_object kind, const void *handle);
/* Asks the library about a handle of the program, its first argument: the only way to do so
 * (tests/house, `asked`). KIND as in OBJECT_KIND. */
#define ASK(kind, function, handle, ...)                                                \
    (usage_accepted(OBJECT_##kind, HANDLE(handle)) ? OWN(function)(handle, __VA_ARGS__) \
                                                   : MPI_ERR_ARG)
/* Checks that an argument is a valid handle, and records what it is instead. null_allowed:
 * MPI_INFO_NULL and the like. */
void usage_handle(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                  const char *argument, bool null_allowed);
/* An argument of a call with a handle that is not valid. */
struct usage_given {
    const char *argument;
    enum recorder_object kind; /* OBJECT_KINDS: a number */
    unsigned number;           /* of the argument, from 1 */
    uintptr_t value;
};
#define USAGE_GIVEN(argument, kind, number, value) \
    {                                              \
        argument, kind, number, (uintptr_t)(value) \
    }
/* Records two arguments that the program exchanged, if it did. */
void usage_swapped(struct lane *lane, uint64_t seq, const struct usage_given *given,
                   unsigned count);
bool usage_predefined(enum recorder_object kind, const void *handle);
/* Returns a valid object of the table whose handle has this lower half; NULL: none. */
const void *usage_object_find(enum recorder_object kind, uint32_t lower);
enum misuse_object usage_object(enum recorder_object kind);

/* Checks a communicator; known: its id. */
void usage_comm(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument,
                uint32_t known, bool null_allowed);
/* Report the requests and objects that are left: the first before the library's MPI_Finalize, the
 * second after it, if functions of the program may have freed some in it. */
void usage_finalizing(struct lane *lane, uint64_t seq);
void usage_finalized(struct lane *lane, uint64_t seq);

/* Number of uncommitted datatypes; if 0, checks for committed types are skipped. */
extern unsigned usage_uncommitted;
void usage_type_slow(struct lane *lane, uint64_t seq, MPI_Datatype type, const char *argument,
                     bool committed);
static inline void usage_type(struct lane *lane, uint64_t seq, MPI_Datatype type,
                              const char *argument, bool committed)
{
    unsigned slot = recorder_type_slot(type);
    if (LIKELY(lane->type_cache[slot].handle == HANDLE(type) &&
               lane->type_cache[slot].generation == recorder.generation &&
               (!usage_uncommitted || !committed)))
        return;
    usage_type_slow(lane, seq, type, argument, committed);
}
/* given: the argument itself; type: its readable part (recorder_seen). */
void usage_types(struct lane *lane, uint64_t seq, const void *given, const MPI_Datatype *type,
                 const int *count, int n, const char *argument, bool committed);

/* Checks that a text fits into bytes_max characters with its end. */
void usage_text(struct lane *lane, uint64_t seq, const char *text, const char *argument,
                size_t bytes_max);
void usage_dims(struct lane *lane, uint64_t seq, int nodes, int ndims, const int *dims);

/* --- numbers ---------------------------------------------------------------------------------- */

enum usage_peer { USAGE_DEST, USAGE_SOURCE, USAGE_ROOT };
void usage_peer_slow(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                     const char *argument, enum usage_peer what);
/* Requires an earlier recorder_comm(lane, comm). */
static inline void usage_peer(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                              const char *argument, enum usage_peer what)
{
    if (UNLIKELY((uint32_t)value >= lane->comm_cache.peers ||
                 lane->comm_cache.handle != HANDLE(comm)))
        usage_peer_slow(lane, seq, comm, value, argument, what);
}
/* none: MPI_PROC_NULL is allowed, as in accesses to the window. */
void usage_target(struct lane *lane, uint64_t seq, MPI_Win win, int value, const char *argument,
                  bool none);
/* info_hint.c: promises of the program in info keys of communicators and windows. A duplicate has
 * only those of its own info (MPI 4; older versions copied the others). A key that only a message
 * or its receive could break, or that promises nothing, is a hint in the spool instead. Keys of
 * communicators have the numbers of enum matching_hint. */
enum usage_promise {
#define X(name, key, forbids, kept) USAGE_##name = MATCHING_HINT_##name,
    MATCHING_HINTS(X)
#undef X
        USAGE_NO_LOCKS,
    USAGE_PROMISE_COUNT
};
extern bool usage_promises; /* a promise was ever made */
/* Notes the info that the call gave to the communicator or window with that id. */
void usage_promised(struct lane *lane, uint64_t seq, enum recorder_object kind, uint32_t id,
                    MPI_Info info);
/* Reports a call that breaks a promise, if there is one. */
void usage_against(struct lane *lane, uint64_t seq, uint32_t id, enum usage_promise what,
                   const char *argument);
/* comm: its id. any: MPI_ANY_TAG is allowed. */
void usage_tag_slow(struct lane *lane, uint64_t seq, uint32_t comm, int value, const char *argument,
                    bool any);
static inline void usage_tag(struct lane *lane, uint64_t seq, uint32_t comm, int value,
                             const char *argument, bool any)
{
    if (UNLIKELY(value < 0) && (!any || value != MPI_ANY_TAG || usage_promises))
        usage_tag_slow(lane, seq, comm, value, argument, any);
}
void usage_least_slow(struct lane *lane, uint64_t seq, long long value, const char *argument,
                      int64_t least);
static inline void usage_least(struct lane *lane, uint64_t seq, long long value,
                               const char *argument, int64_t least)
{
    if (UNLIKELY(value < least))
        usage_least_slow(lane, seq, value, argument, least);
}
/* Checks that `bytes` bytes packed into, or taken from, a buffer of `room` bytes fit from
 * `position` on. Returns how many bytes the call touches: none if they do not fit. */
static inline int64_t usage_packed(struct lane *lane, uint64_t seq, enum misuse_kind kind,
                                   int64_t bytes, int64_t position, int64_t room,
                                   const char *argument)
{
    bool known = room >= 0 && position >= 0, fits = bytes <= room - position;
    if (UNLIKELY(known && !fits))
        usage_say(lane, seq, kind, argument, 0, .value = {bytes, position, room});
    return known && fits ? bytes : 0;
}
void usage_counts(struct lane *lane, uint64_t seq, const void *given, const int *value, int n,
                  const char *argument);
void usage_pointer_slow(struct lane *lane, uint64_t seq, const char *argument);
static inline void usage_pointer(struct lane *lane, uint64_t seq, const void *pointer,
                                 const char *argument)
{
    if (UNLIKELY(!pointer))
        usage_pointer_slow(lane, seq, argument);
}
/* operation.c: checks an operation against its call and datatype. REDUCES: reductions; ACCUMULATES,
 * FETCHES (which also returns the old value): one-sided calls; FETCHES_ONE: one element of no
 * derived datatype; SWAPS: MPI_Compare_and_swap, which has no op. */
enum usage_operates {
    USAGE_REDUCES,
    USAGE_ACCUMULATES,
    USAGE_FETCHES,
    USAGE_FETCHES_ONE,
    USAGE_SWAPS
};
void usage_op_type(struct lane *lane, uint64_t seq, MPI_Op op, MPI_Datatype type,
                   const char *argument, enum usage_operates how);
/* spans.c: checks that a target datatype writes no byte twice. */
void usage_target_type(struct lane *lane, uint64_t seq, uint32_t type, const char *argument);
/* The next functions check values against other arguments of the same call. */
void usage_cart(struct lane *lane, uint64_t seq, MPI_Comm comm, int ndims, const int *dims);
/* Checks that the part lies inside the whole in each dimension. */
void usage_subarray(struct lane *lane, uint64_t seq, int ndims, const int *size, const int *subsize,
                    const int *start);
void usage_darray(struct lane *lane, uint64_t seq, int size, int rank, int ndims, const int *grid);
/* Checks MPI_Type_get_contents; room: sizes of its arrays; large: the form for large counts. */
void usage_contents_asked(struct lane *lane, uint64_t seq, MPI_Datatype type, const char *argument,
                          const struct contents_shape *room, bool large);
void usage_graph(struct lane *lane, uint64_t seq, int nodes, const int *index, const int *edge);
/* Checks the group of MPI_Comm_create: all its ranks are members of the communicator. */
void usage_subgroup(struct lane *lane, uint64_t seq, MPI_Comm comm, MPI_Group group,
                    const char *argument);
void usage_ranks(struct lane *lane, uint64_t seq, MPI_Group group, int n, const int *rank,
                 const char *argument, bool unique);
void usage_ranges(struct lane *lane, uint64_t seq, MPI_Group group, int n, const int range[][3],
                  const char *argument);
/* Checks that the communicator is an intercommunicator, or that it is none. */
void usage_groups(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument, bool inter);
/* file: representations of files; else those of MPI_Pack_external. */
void usage_datarep(struct lane *lane, uint64_t seq, const char *datarep, const char *argument,
                   bool file);
extern bool usage_datareps; /* the program has registered representations */
/* The topology that a call needs, numbered as in comm_info. */
enum usage_topology { USAGE_ANY_TOPOLOGY, USAGE_CART, USAGE_GRAPH, USAGE_DIST_GRAPH };
void usage_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, enum usage_topology needed);
/* Checks, if the communicator has the topology, a rank of it or a dimension of its grid. */
void usage_in_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                       const char *argument, bool dimension);
void usage_coords(struct lane *lane, uint64_t seq, MPI_Comm comm, const int *coords,
                  const char *argument);
void usage_one_of(struct lane *lane, uint64_t seq, int value, const char *argument, int n,
                  const int *allowed);
/* Checks the assertions of a one-sided call: bits of MPI_MODE_*. */
void usage_assert(struct lane *lane, uint64_t seq, int value, const char *argument, int allowed);
/* Checks the kind of window that the call needs: shared memory, or dynamic. Returns false if it is
 * another. */
bool usage_flavor(struct lane *lane, uint64_t seq, MPI_Win win, const char *argument, bool shared);
void usage_amode(struct lane *lane, uint64_t seq, int amode, const char *argument);
/* attributes: the call concerns existing attributes with the key, which keep a freed key alive. */
void usage_keyval(struct lane *lane, uint64_t seq, int keyval, const char *argument,
                  bool attributes, enum usage_of of);

/* owner: id of a communicator, or one of these. */
enum { USAGE_OF_PROCESS = -1, USAGE_OF_SESSIONS = -2 };
void usage_attaching(struct lane *lane, uint64_t seq, int64_t owner);
void usage_attached(struct lane *lane, uint64_t seq, int64_t owner, const void *buffer, int bytes,
                    void **cfa);
/* Checks that the memory of the owner's buffer is still valid while the buffer is attached. */
void usage_detaching(struct lane *lane, uint64_t seq, int64_t owner, void **cfa);
void usage_detached(struct lane *lane, int64_t owner);
void usage_bsend(struct lane *lane, uint64_t seq, uint64_t bytes, int64_t comm);
/* Tells whether the buffer is MPI_BUFFER_AUTOMATIC. */
bool usage_automatic(const void *buffer);

/* --- memory of windows (region.c) ------------------------------------------------------------- */

enum usage_region { USAGE_REGION_WINDOW, USAGE_REGION_ATTACHED, USAGE_REGION_BUFFER };
/* Stands for a window: attached buffers are not of one. */
extern const char usage_buffers;
/* Checks memory that is about to become a window, or to be attached to one (NULL: the window does
 * not exist yet): it is mapped, and not attached already. */
void usage_region(struct lane *lane, uint64_t seq, MPI_Win win, const void *base, MPI_Aint bytes);
void usage_region_made(const void *win, const void *base, MPI_Aint bytes, uint64_t seq,
                       enum usage_region is, void **cfa);
/* Finds the memory from MPI_Alloc_mem (win: NULL) that holds the address. Returns false if there is
 * none. */
bool usage_region_find(uintptr_t at, uint64_t *out_start, uint64_t *out_end);
/* Checks that the window's memory is still mapped while it is in use. */
void usage_regions_synchronized(struct lane *lane, uint64_t seq, const void *win, void **cfa);
/* unwinding.c: records whether a destructor makes the call because of an exception (C++). */
void usage_unwinding(struct lane *lane, uint64_t seq);
/* Notes that the thread has caught a C++ exception since its last collective call. */
extern uint32_t usage_caught_seen;
void usage_caught_slow(struct lane *lane, uint64_t seq);
static inline void usage_caught(struct lane *lane, uint64_t seq)
{
    if (UNLIKELY(recorder_caught->count != usage_caught_seen))
        usage_caught_slow(lane, seq);
}
/* Checks that the memory is still valid. Returns false if it is certainly not the window's. */
bool usage_region_look(struct lane *lane, uint64_t seq, const void *win, const void *base,
                       void **cfa);
/* Checks memory that is about to be detached: it is still mapped, and was attached. */
void usage_region_detaching(struct lane *lane, uint64_t seq, MPI_Win win, const void *base,
                            void **cfa);
void usage_region_gone(const void *win, const void *base);
void usage_regions_freeing(struct lane *lane, uint64_t seq, const void *win,
                           void **cfa); /* all memory of the window */
void usage_regions_gone(const void *win);

/* --- life ------------------------------------------------------------------------------------- */

/* Called for a call before MPI_Init, after MPI_Finalize, or by a thread that may not make it.
 * Returns NULL: the call is not recorded as others are; else a lane, if MPI was started by an
 * unobserved call. */
struct lane *usage_outside(unsigned call, void **cfa);

/* --- buffers ---------------------------------------------------------------------------------- */

/* A wrapper names the buffers of its call (usage_buffer), then compares them with each other and
 * with those in flight (usage_compare); a call that leaves them with MPI hands them over
 * (usage_begin). */

enum usage_access { USAGE_READ, USAGE_WRITE };
struct usage_buffer {
    const char *argument;
    uintptr_t start, end; /* [start, end): the span of the type maps */
    const void *at;
    int64_t count;
    uint32_t type; /* id; 0: only the span is known */
    uint32_t of;   /* id of the type of its elements, always known */
    enum usage_access access;
    bool array;    /* of counts or displacements, which a nonblocking collective keeps */
    bool any_time; /* a thread of the library fills it, also outside of calls: file reads */
    bool beside;   /* `at` lies outside of the accessed bytes, because of a block's displacement:
                      the memory at `at` does not describe the buffer */
};
/* If blocks lie apart, each block of a side is a buffer of its own, up to this limit. */
enum { USAGE_SIDE_MAX = 12, USAGE_BUFFERS_MAX = 2 * USAGE_SIDE_MAX };
struct usage_buffers {
    struct usage_buffer buffer[USAGE_BUFFERS_MAX];
    unsigned count;
    const void *op; /* handle of the operation that combines them; NULL: none */
};
void usage_window(struct lane *lane, MPI_Win win, const void *base, MPI_Aint bytes, int unit,
                  uint64_t seq); /* exposed by this process; unit: of displacements */
void usage_window_gone(struct lane *lane, const void *win);
enum usage_place { USAGE_NOT_IN_PLACE, USAGE_MAY_BE_IN_PLACE };
void usage_buffer(struct lane *lane, uint64_t seq, struct usage_buffers *all, const char *argument,
                  const void *at, int64_t count, uint32_t type, enum usage_access access,
                  enum usage_place place);
void usage_buffer_v(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, uint32_t type, enum usage_access access,
                    enum usage_place place);
/* Checks blocks of several types. displs or wide: in bytes. */
void usage_buffer_w(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, const MPI_Aint *wide, const MPI_Datatype *type,
                    enum usage_access access, enum usage_place place);
/* Adds an array of counts or displacements, which the program must leave alone until the collective
 * call completes. */
void usage_array(struct usage_buffers *all, const char *argument, const void *at, uint64_t bytes);
/* held: MPI owns them until the call returns, which matters to other threads
 * (usage_completed_call). */
void usage_compare(struct lane *lane, uint64_t seq, const struct usage_buffers *all, bool held);
void usage_completed_call(struct lane *lane, uint64_t seq);

extern struct usage_in_flight { /* of the process */
    uint32_t count;             /* buffers that MPI owns */
    uint32_t watched;           /* receive buffers among them whose content is compared around each
                                   call */
    uint32_t restartable;       /* persistent requests */
} usage_in_flight;
/* Announces that the coming call leaves its one buffer to be filled at any time. */
void usage_any_time(uint64_t seq, struct usage_buffers *all);
void usage_begin(struct lane *lane, uint64_t seq, uint32_t request, const struct usage_buffers *all,
                 bool persistent);
void usage_begin_window(struct lane *lane, uint64_t seq, MPI_Win win, int target, uint32_t request,
                        const struct usage_buffers *all);
void usage_started(struct lane *lane, uint64_t seq, uint32_t request);
/* Notes that the buffer of a partitioned request consists of partitions, `stride` bytes apart: MPI
 * owns those of a send from their marking on, those of a receive until they arrive. */
void usage_partitioned(uint32_t request, int partitions, int64_t stride, bool receives);
void usage_marked(struct lane *lane, uint64_t seq, uint32_t request, int partition);
void usage_arrived(struct lane *lane, uint64_t seq, uint32_t request, int partition);
void usage_completed_slow(struct lane *lane, uint64_t seq, uint32_t request, bool keep);
static inline void usage_completed(struct lane *lane, uint64_t seq, uint32_t request,
                                   bool keep) /* keep: persistent */
{
    if (usage_in_flight.count || usage_in_flight.restartable)
        usage_completed_slow(lane, seq, request, keep);
}
/* Returns a number that stands for the request, which the first half of a split access does not
 * have: a file has one split access at a time. Request ids count from the other end. */
static inline uint32_t usage_split(uint32_t file)
{
    return ~file;
}
/* Checks that the second half of a split access passes the buffer of the first. */
void usage_split_ending(struct lane *lane, uint64_t seq, uint32_t file, const void *at,
                        const char *argument);
void usage_completed_window(struct lane *lane, uint64_t seq, MPI_Win win,
                            int target);                 /* target -1: all */
void usage_look_slow(struct lane *lane, uint64_t seq);   /* called when a call enters */
void usage_relook_slow(struct lane *lane, uint64_t now); /* called when a call leaves */
/* Notes that requests can no longer be distinguished: the buffers of those that share a handle are
 * forgotten. */
void usage_blurred(void);

#endif
