/* Misuse that only the process itself can see, at the moment of the call: arguments that MPI does
 * not allow, handles that were freed, null or never made, objects never freed, requests in the
 * wrong state, buffers touched while MPI owns them. What is found becomes a record of the call
 * (SPOOL_MISUSE); checkers/check_usage.c makes findings of it.
 *
 *  1. A check costs a comparison or two where nothing is wrong. The library is asked about a
 *     handle of the program's only where usage_accepted says that it knows the handle: ASK.
 *  2. At most USAGE_MAX of them are kept of a process. */
#ifndef INTERPOSE_MISUSE_USAGE_H
#define INTERPOSE_MISUSE_USAGE_H

#include "interpose/objects/contents.h"
#include "interpose/recorder.h"

enum { USAGE_MAX = MISUSE_KEPT_MAX, USAGE_NAME_MAX = 128 };

/* Keeps the record (core/trace/misuse.h), for the call seq. misuse->site is an id of the rank's; 0
 * the call's own place. */
void usage_keep(struct lane *lane, uint64_t seq, const struct misuse *misuse);
/* MISUSE_KIND, the argument's name (NULL none), seq of another call (0 none), then any other fields
 * of struct misuse: .value = {3}. */
#define usage_say(lane, seq, what, argument, about, ...) \
    usage_keep(lane, seq,                                \
               &(struct misuse){.kind = what, .name[0] = argument, .other = about, ##__VA_ARGS__})

/* --- objects ---------------------------------------------------------------------------------- */

/* kinds: enum recorder_object, where the object is no other's */
void usage_made(struct lane *lane, enum recorder_object kind, const void *handle, uint64_t seq);
/* A further reference to an object; one that was made unseen (Fortran's bindings make error
 * handlers without a call in C) is never taken for freed. */
void usage_handed_out(struct lane *lane, enum recorder_object kind, const void *handle,
                      uint64_t seq);
/* An unknown call may have given out again any handle that was freed. */
void usage_doubt(void);
void usage_given(struct lane *lane, enum recorder_object kind,
                 const void *handle); /* a good one, that need not be freed */
void usage_gone(struct lane *lane, enum recorder_object kind,
                const void *handle); /* it was freed: the call succeeded */
void usage_kept(struct lane *lane, enum recorder_object kind,
                const void *handle); /* it was not freed: the call was refused */
void usage_type_made(struct lane *lane, MPI_Datatype type, uint64_t seq,
                     MPI_Datatype copied); /* copied: of MPI_Type_dup; else the null type */
void usage_contents(struct lane *lane, MPI_Datatype of, uint64_t seq,
                    const MPI_Datatype *type); /* what MPI_Type_get_contents gave */
void usage_attribute(MPI_Comm comm);           /* it got one */
void usage_committed(struct lane *lane, const void *type);
/* Kinds of objects for which error handlers and attribute keys are made. */
enum usage_of {
    USAGE_OF_NONE, /* not known */
    USAGE_OF_COMM,
    USAGE_OF_WIN,
    USAGE_OF_FILE,
    USAGE_OF_TYPE,
    USAGE_OF_SESSION
};
void usage_made_for(enum recorder_object kind, const void *handle, enum usage_of of);
/* About to be used with an object of that kind: is it made for these? */
void usage_for(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
               const char *argument, enum usage_of of);
void usage_keyval_given(struct lane *lane, int keyval); /* by a call that is not recorded */
void usage_keyval_made(struct lane *lane, int keyval, uint64_t seq, enum usage_of of);
/* About to be set or freed: MPI's own must not be. */
void usage_keyval_own(struct lane *lane, uint64_t seq, int keyval, const char *argument);
void usage_keyval_gone(struct lane *lane, int keyval);
void usage_keyval_used(struct lane *lane, int keyval); /* an attribute was set with it */
/* About to be freed: is it one that the program may free? */
void usage_freeing(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                   const char *argument);
/* Whether the library may be asked about a handle of the program's. False: it would not know the
 * handle either, or a call made the object of a handle that is none. Takes the lock. */
bool usage_accepted(enum recorder_object kind, const void *handle);
/* The library's answer about a handle of the program's, its first argument: the one way to ask
 * (tests/house, `asked`). KIND, as in OBJECT_KIND. */
#define ASK(kind, function, handle, ...)                                                \
    (usage_accepted(OBJECT_##kind, HANDLE(handle)) ? OWN(function)(handle, __VA_ARGS__) \
                                                   : MPI_ERR_ARG)
/* An argument that must be a good handle: says what it is instead. null_allowed: MPI_INFO_NULL and
 * the like. */
void usage_handle(struct lane *lane, uint64_t seq, enum recorder_object kind, const void *handle,
                  const char *argument, bool null_allowed);
/* A communicator: known: its id. */
void usage_comm(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument,
                uint32_t known, bool null_allowed);
void usage_finalizing(struct lane *lane, uint64_t seq);

/* Whether any datatype is in the making: else no committed ones need be looked for. */
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
/* given: the argument itself; type: what may be read of it (recorder_seen). */
void usage_types(struct lane *lane, uint64_t seq, const void *given, const MPI_Datatype *type,
                 const int *count, int n, const char *argument, bool committed);

/* Checks a text of at most so many characters with its end. */
void usage_text(struct lane *lane, uint64_t seq, const char *text, const char *argument,
                size_t bytes_max);
void usage_dims(struct lane *lane, uint64_t seq, int nodes, int ndims, const int *dims);

/* --- numbers ---------------------------------------------------------------------------------- */

enum usage_peer { USAGE_DEST, USAGE_SOURCE, USAGE_ROOT };
void usage_peer_slow(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                     const char *argument, enum usage_peer what);
/* recorder_comm(lane, comm) was asked before. */
static inline void usage_peer(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                              const char *argument, enum usage_peer what)
{
    if (UNLIKELY((uint32_t)value >= lane->comm_cache.peers ||
                 lane->comm_cache.handle != HANDLE(comm)))
        usage_peer_slow(lane, seq, comm, value, argument, what);
}
/* none: it may be MPI_PROC_NULL, as of what accesses the window. */
void usage_target(struct lane *lane, uint64_t seq, MPI_Win win, int value, const char *argument,
                  bool none);
/* info_hint.c: what info keys of communicators and windows say that the program will not do. A
 * duplicate has those of its own info only (MPI 4; older versions copied the others). What a
 * message or its receive would break, or what is no promise to be broken, is a hint in the spool
 * instead. The keys of communicators are those of enum matching_hint, by whose numbers they go. */
enum usage_promise {
#define X(name, key, forbids, kept) USAGE_##name = MATCHING_HINT_##name,
    MATCHING_HINTS(X)
#undef X
        USAGE_NO_LOCKS,
    USAGE_PROMISE_COUNT
};
extern bool usage_promises; /* anything was ever promised */
/* The call gave the info to the communicator or window of that id. */
void usage_promised(struct lane *lane, uint64_t seq, enum recorder_object kind, uint32_t id,
                    MPI_Info info);
/* The call does what a promise would exclude. */
void usage_against(struct lane *lane, uint64_t seq, uint32_t id, enum usage_promise what,
                   const char *argument);
/* comm: its id. any: it may be MPI_ANY_TAG. */
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
/* So many bytes are packed into, or taken from, a buffer with so much room, from a place on. How
 * many it touches: none, where they do not fit. */
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
/* operation.c: an operation in a call that does not take it, or on a type that it is not defined
 * for. REDUCES: reductions; ACCUMULATES, FETCHES (and gives what was there): one-sided calls;
 * FETCHES_ONE: of one element, which has no derived datatype; SWAPS: MPI_Compare_and_swap, whose op
 * is none. */
enum usage_operates {
    USAGE_REDUCES,
    USAGE_ACCUMULATES,
    USAGE_FETCHES,
    USAGE_FETCHES_ONE,
    USAGE_SWAPS
};
void usage_op_type(struct lane *lane, uint64_t seq, MPI_Op op, MPI_Datatype type,
                   const char *argument, enum usage_operates how);
/* spans.c: a datatype of the target's, of which no byte may be written twice. */
void usage_target_type(struct lane *lane, uint64_t seq, uint32_t type, const char *argument);
/* Values that one call's own arguments must keep to. */
void usage_cart(struct lane *lane, uint64_t seq, MPI_Comm comm, int ndims, const int *dims);
/* Whether the part lies in the whole, dimension by dimension. */
void usage_subarray(struct lane *lane, uint64_t seq, int ndims, const int *size, const int *subsize,
                    const int *start);
void usage_darray(struct lane *lane, uint64_t seq, int size, int rank, int ndims, const int *grid);
/* MPI_Type_get_contents, with room for so many; large: its form for large counts. */
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
/* The call is for intercommunicators, or for the others. */
void usage_groups(struct lane *lane, uint64_t seq, MPI_Comm comm, const char *argument, bool inter);
/* file: those that files have; else MPI_Pack_external's. */
void usage_datarep(struct lane *lane, uint64_t seq, const char *datarep, const char *argument,
                   bool file);
extern bool usage_datareps; /* the program has registered some */
/* The topology that the call needs: as comm_info has them. */
enum usage_topology { USAGE_ANY_TOPOLOGY, USAGE_CART, USAGE_GRAPH, USAGE_DIST_GRAPH };
void usage_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, enum usage_topology needed);
/* Where the communicator has the topology: one of its ranks, or a dimension of its grid. */
void usage_in_topology(struct lane *lane, uint64_t seq, MPI_Comm comm, int value,
                       const char *argument, bool dimension);
void usage_coords(struct lane *lane, uint64_t seq, MPI_Comm comm, const int *coords,
                  const char *argument);
void usage_one_of(struct lane *lane, uint64_t seq, int value, const char *argument, int n,
                  const int *allowed);
/* Checks the assertions of a one-sided call: bits of MPI_MODE_*. */
void usage_assert(struct lane *lane, uint64_t seq, int value, const char *argument, int allowed);
/* The window that the call needs: one of shared memory, or a dynamic one. False: it is not. */
bool usage_flavor(struct lane *lane, uint64_t seq, MPI_Win win, const char *argument, bool shared);
void usage_amode(struct lane *lane, uint64_t seq, int amode, const char *argument);
/* attributes: the call is about attributes that have the key already, which keep one that was freed
 * alive. */
void usage_keyval(struct lane *lane, uint64_t seq, int keyval, const char *argument,
                  bool attributes, enum usage_of of);

/* owner: a communicator's id, or one of these. */
enum { USAGE_OF_PROCESS = -1, USAGE_OF_SESSIONS = -2 };
void usage_attaching(struct lane *lane, uint64_t seq, int64_t owner);
void usage_attached(struct lane *lane, uint64_t seq, int64_t owner, const void *buffer, int bytes);
void usage_detached(struct lane *lane, int64_t owner);
void usage_bsend(struct lane *lane, uint64_t seq, uint64_t bytes, int64_t comm);
/* Whether it is MPI_BUFFER_AUTOMATIC. */
bool usage_automatic(const void *buffer);

/* --- memory of windows (region.c) ------------------------------------------------------------- */

/* About to be made a window of, or attached to one (NULL: the window is not there yet): is it
 * memory, and not attached already? */
void usage_region(struct lane *lane, uint64_t seq, MPI_Win win, const void *base, MPI_Aint bytes);
void usage_region_made(const void *win, const void *base, MPI_Aint bytes, uint64_t seq,
                       bool attached, void **cfa);
/* The memory from MPI_Alloc_mem (win: NULL) that holds the address. False: none does. */
bool usage_region_find(uintptr_t at, uint64_t *out_start, uint64_t *out_end);
/* In use: is it still memory? */
void usage_regions_synchronized(struct lane *lane, uint64_t seq, const void *win, void **cfa);
/* unwinding.c: whether a destructor makes the call because of an exception (C++). */
void usage_unwinding(struct lane *lane, uint64_t seq);
/* About to be given back: is it still memory, and was it attached? */
void usage_region_detaching(struct lane *lane, uint64_t seq, MPI_Win win, const void *base,
                            void **cfa);
void usage_region_gone(const void *win, const void *base);
void usage_regions_freeing(struct lane *lane, uint64_t seq, const void *win,
                           void **cfa); /* all of the window's */
void usage_regions_gone(const void *win);

/* --- life ------------------------------------------------------------------------------------- */

/* A call before MPI_Init, after MPI_Finalize, or by a thread that may not make it: it is not
 * recorded as others are. Not NULL: it is, as MPI was started where no call is seen. */
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
    uint32_t of;   /* id of the type of its elements, in any case */
    enum usage_access access;
    bool any_time; /* a thread of the library fills it, also outside of calls: reads of files */
    bool beside;   /* `at` lies beside what is touched, where the displacement of a block put it:
                      which memory that is tells nothing of the buffer */
};
/* With blocks that lie apart, those of one side are told as buffers of their own, as far as there
 * is room. */
enum { USAGE_SIDE_MAX = 12, USAGE_BUFFERS_MAX = 2 * USAGE_SIDE_MAX };
struct usage_buffers {
    struct usage_buffer buffer[USAGE_BUFFERS_MAX];
    unsigned count;
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
/* held: they are MPI's until the call returns, which other threads must mind
 * (usage_completed_call).
 */
void usage_compare(struct lane *lane, uint64_t seq, const struct usage_buffers *all, bool held);
void usage_completed_call(struct lane *lane, uint64_t seq);

extern struct usage_in_flight { /* of the process */
    uint32_t count;             /* buffers that MPI owns */
    uint32_t watched;     /* of them, receive buffers whose content is looked at around each call */
    uint32_t restartable; /* persistent requests */
} usage_in_flight;
/* The call, which is about to be made, leaves its one buffer to be filled at any time. */
void usage_any_time(uint64_t seq, struct usage_buffers *all);
void usage_begin(struct lane *lane, uint64_t seq, uint32_t request, const struct usage_buffers *all,
                 bool persistent);
void usage_begin_window(struct lane *lane, uint64_t seq, MPI_Win win, int target, uint32_t request,
                        const struct usage_buffers *all);
void usage_started(struct lane *lane, uint64_t seq, uint32_t request);
/* The buffer of a partitioned request is so many partitions, `stride` bytes apart: MPI owns those
 * of a send from when they are marked, those of a receive until they have arrived. */
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
/* Stands for the request that the first half of a split access has not: a file has one at a time.
 * Requests are numbered from the other end. */
static inline uint32_t usage_split(uint32_t file)
{
    return ~file;
}
/* The second half of a split access gives the buffer that the first one gave. */
void usage_split_ending(struct lane *lane, uint64_t seq, uint32_t file, const void *at,
                        const char *argument);
void usage_completed_window(struct lane *lane, uint64_t seq, MPI_Win win,
                            int target);                 /* target -1: all */
void usage_look_slow(struct lane *lane, uint64_t seq);   /* entering a call */
void usage_relook_slow(struct lane *lane, uint64_t now); /* leaving it */
/* Requests can no longer be distinguished: nothing is known about the buffers of those that share a
 * handle. */
void usage_blurred(void);

#endif
