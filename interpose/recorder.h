/* The interface with which the generated wrappers and the hand-written bodies record one call.
 *
 * A wrapper asks for its thread's lane (NULL: it only calls through), fills the lane's open slot,
 * calls the real function, adds the outputs, and leaves. Nothing here may change what the
 * application sees: the recorder never returns an error of its own to the application.
 *
 *  1. recorder_thread.ready is the lane exactly while the thread is outside every recorded call, or
 *     in an attribute's callback (callbacks.c). So calls that the MPI library makes through its own
 *     public names, and calls made from other callbacks (error handlers, generalized requests,
 *     those in Fortran), pass through. A call that ends without returning (an error handler jumps,
 *     or throws) is closed at the thread's next call.
 *  2. The handles MPI_X_NULL, MPI_COMM_WORLD... are symbols of libmpi and are looked up at run time
 *     (recorder_handle): this library is loaded into processes that have no MPI. The macros of
 *     mpi.h for them are never used. */
#ifndef INTERPOSE_RECORDER_H
#define INTERPOSE_RECORDER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/spool/spool.h"
#include "core/spool/spool_write.h"
#include "program/memory.h"
#include "interpose_calls.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)

enum { SITE_CACHE = 256, TYPE_CACHE_BITS = 2, SITE_FRAMES_MAX = 32 };

struct lane {
    struct spool_writer writer;
    struct spool_event *open; /* header->open */
    uint32_t depth;
    uint32_t index;
    uint64_t moved, local; /* header->moved, header->local */
    struct lane_site {
        const void *address;
        uint32_t id;
        uint32_t skip; /* the address lies in a language binding: the caller's own return address is
                          so many words above */
    } site[SITE_CACHE];
    struct { /* the last handles looked up, by kind: most programs use few */
        const void *handle;
        uint32_t id;
        uint32_t generation;
        uint32_t peers; /* communicators: number of ranks that calls can name in it */
    } comm_cache, type_cache[1 << TYPE_CACHE_BITS];
    MPI_Status *status; /* scratch for statuses that the application ignores */
    int status_count;
    int *small[4]; /* for recorder_narrow */
    int64_t small_count[4];
    void *scratch; /* for lists of ids */
    size_t scratch_bytes;
    struct request_info *info; /* scratch for lists of requests */
    int info_count;
    uint32_t poll_count;                    /* header->poll_count */
    uint64_t poll_key[SPOOL_POLLS_MAX];     /* hashes of their lists of requests */
    uint64_t poll_outcome[SPOOL_POLLS_MAX]; /* their results */
    uint64_t poll_left;                     /* time when the last poll returned */
    uint64_t poll_from;                     /* spool_mark when the last poll entered */
    bool poll_kept;                         /* the current poll goes to the header */
    uint64_t steady[SPOOL_POLLS_MAX];       /* calls that may be folded like polls
                                               (misuse/poll_fold.c, invariant 4) */
    uint32_t steady_count;
    uint64_t steady_events; /* events of the lane at the last of them; if the lane has more, none is
                               valid */
    uint64_t buffer_seq;    /* the last call with buffers, and their start addresses */
    const void *buffer[EXIT_CAUSE_BUFFERS];
    void *signal_stack;    /* exit_record.c; NULL: none */
    uint64_t applying;     /* the sampled call that runs a user-defined operation; 0: none */
    uint64_t wrong;        /* the last call with a handle that may be wrong (usage_swapped) */
    uint64_t doubted;      /* the last call with a handle of no object (usage.h) */
    uint64_t unread;       /* the last call whose data the process could not read */
    uint64_t unseen;       /* the collective whose inside is not recorded; 0: none */
    uint8_t lingered[256]; /* number of delays, by call site (overlap_delay.h) */
    uint32_t lingered_ns;  /* sum of the delays */
    struct lane *next, *next_free;
};

extern __thread struct recorder_thread {
    struct lane *ready;   /* invariant 1 */
    struct lane *current; /* the lane while inside a recorded call, */
    void **cfa;           /* the frame of the innermost such call, */
    const void *back;     /* and its return address: cfa[-1] */
    bool raised;          /* a handler of the program got an error in that call; false between
                             calls */
} recorder_thread __attribute__((tls_model("initial-exec")));

extern struct recorder { /* state of the process */
    bool ended;          /* MPI_Finalize was called */
    bool on;             /* between MPI_Init and MPI_Finalize, spool open */
    bool threads; /* MPI_THREAD_MULTIPLE, or several threads have called: several lanes may run at
                     the same time */
    bool crowd;   /* several threads have called, or the library's own threads fill buffers */
    bool tsc;
    bool payload; /* digests or more */
    bool sample;  /* contents of some collectives' buffers */
    bool buffers; /* checks buffers for overlaps, and for changes while MPI owns them (usage.h) */
    bool perturb; /* a live policy is set */
    bool linger;  /* delays threads in calls (overlap_delay.h) */
    bool layer;   /* the library layer is on */
    bool several; /* ranks run on several machines */
    bool by_session;     /* MPI_Session_init started recording, and MPI_Init was not called */
    bool sessions_ended; /* started by a session, and the last session ended: later calls are not
                            recorded */
    bool late;           /* MPI ran before recording started, by MPI_Init or by a session */
    bool late_ended;     /* MPI ran earlier, and an unrecorded session ended */
    bool filter;         /* some calls are filtered out */
    bool partial; /* calls were filtered out, or a call is unknown to the recorder except for its
                     name: the makers of objects and requests may be missing from the record */
    int standard; /* version of the MPI standard that the library supports: 401 is 4.1 */
    int stack;    /* frames recorded of each call's stack; 0: none */
    int world_rank, world_size;
    uint64_t seq;                 /* the last sequence number */
    _Atomic uint64_t *seq_shared; /* its copy that the watcher reads */
    uint32_t generation;          /* of handle caches: raised when a handle is freed */
    uint8_t defined[CALL_COUNT + 64];
    struct lane *lanes;
    struct lane *definer; /* with CROSSWAIT_LAST: the lane of the definitions, which are all kept */
    uint64_t poll_gap;    /* ticks: a poll that comes later than this after another is not folded */
    struct recorder_range {
        uintptr_t start, end;
    } binding[8], program; /* code of the language bindings, of the executable */
    unsigned binding_count;
    bool unseen; /* unobserved callbacks may run (SPOOL_FLAG_UNSEEN) */
} recorder;

/* The key of a handle in tables, for handles of any kind: some libraries have pointers, others
 * numbers. */
#define HANDLE(handle) ((const void *)(uintptr_t)(handle))

extern struct recorder_handles { /* predefined handles (library/library.h) */
    MPI_Comm comm_null, comm_world, comm_self;
    MPI_Datatype type_null, type_byte, type_long_long;
    MPI_Request request_null, request_empty;
    MPI_Group group_null, group_empty;
    MPI_Op op_null, op_sum, op_no_op;
    MPI_Win win_null;
    MPI_File file_null;
    MPI_Info info_null;
    MPI_Errhandler errhandler_null;
    MPI_Message message_null, message_no_proc;
    const void *unweighted, *weights_empty;
    void *in_place; /* Fortran's: its binding passes it even where it is not allowed */
} recorder_handle;

/* --- real functions --------------------------------------------------------------------------- */

enum { REAL_MPI, REAL_PMPI };
extern void *recorder_real_table[2][CALL_COUNT];
/* Called with the MPI library that the process has loaded; the table then has its functions. */
struct body_entry;
void recorder_found(const struct body_entry *entry);
/* Returns the variable CROSSWAIT_... with which the process was started; NULL: it was not set. */
const char *recorder_setting(const char *name);
/* Returns the error to record for a call that made no object, whatever it returned. */
int recorder_refused(int returned);
/* See entry/body.h. */
bool recorder_watch_signals(uint64_t *signals);
int recorder_termination_signal(void);
extern const struct body_caught *recorder_caught; /* entry/exception.h; set before any call */
void *recorder_symbol(const char *name); /* returns the address of a variable of the MPI library;
                                            NULL: none */
static inline void *recorder_real(int which, unsigned call)
{
    return recorder_real_table[which][call];
}
/* Calls the real PMPI_X for the recorder itself (recorder_thread tells wrappers on its way to pass
 * it through), with handles from the library, or as the program's own call. For questions about a
 * handle of the program use ASK (misuse/usage.h). */
#define OWN(x) ((x##_fn)recorder_real(REAL_PMPI, CALL_##x))

/* --- clock ------------------------------------------------------------------------------------ */

static inline uint64_t recorder_clock(void)
{
#if defined __x86_64__
    if (LIKELY(recorder.tsc))
        return __builtin_ia32_rdtsc(); /* <x86intrin.h> takes longer to compile than all other
                                          headers here */
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- life ------------------------------------------------------------------------------------- */

extern struct lane *const recorder_nobody; /* value of recorder_thread.current inside a call that is
                                              not recorded */
void recorder_started(int thread_level, uint64_t t_enter, unsigned call, void **cfa, int error);
uint64_t recorder_started_clock(void);
/* Starts by a session, without MPI_Init (session.c). all: the group of all processes. */
void recorder_start_session(uint64_t t_enter, unsigned call, void **cfa, MPI_Group all);
void recorder_world_known(struct lane *lane); /* MPI_COMM_WORLD exists from now on */
bool session_starts(void);
void session_made(void);
bool session_is_last(struct lane *lane, uint64_t seq);
void session_ended(struct lane *lane);
void session_joined(struct lane *lane);
int session_start(Session_init_fn real, void **cfa, MPI_Info info, MPI_Errhandler errhandler,
                  MPI_Session *session);
void recorder_finalizing(struct lane *lane);
void recorder_finalized(struct lane *lane);
void recorder_aborting(struct lane *lane, int code);
struct lane *recorder_lane_slow(void **cfa);
void recorder_define_call(struct lane *lane, unsigned call);
void recorder_say(const char *text);                     /* prints on stderr */
void recorder_warn(const char *text);                    /* prints only the first time */
void recorder_note(struct lane *lane, const char *text); /* adds a note to the trace */
void recorder_lock(void); /* guards definitions; does nothing in a single-threaded process */
void recorder_unlock(void);
int recorder_cancel_disable(void); /* Defers cancellation; recorder_cancel_restore takes its
                                      result. */
void recorder_cancel_restore(int before);
bool recorder_lock_try(void); /* for signal handlers: returns false instead of waiting */

static inline struct lane *recorder_lane(void **cfa)
{
    struct lane *lane = recorder_thread.ready;
    return LIKELY(lane != NULL) ? lane : recorder_lane_slow(cfa);
}

void recorder_find_bindings(void);
/* Returns the function that a language binding's code at the address implements; CALL_COUNT:
 * none. */
unsigned recorder_bound_call(const void *address);
static inline bool recorder_in_binding(const void *address)
{
    for (unsigned i = 0; i < recorder.binding_count; i++)
        if ((uintptr_t)address - recorder.binding[i].start <
            recorder.binding[i].end - recorder.binding[i].start)
            return true;
    return false;
}

/* Tells whether the filter leaves the call out (filter.c), and then counts it as lost. comm:
 * recorder_handle.comm_null if the call has none. */
bool filter_out(struct lane *lane, unsigned call, MPI_Comm comm);
/* Enclose a call that is not recorded, so that calls of the library inside it do not count as the
 * application's. */
static inline void recorder_mute(void)
{
    recorder_thread.ready = NULL;
    recorder_thread.current = recorder_nobody;
}
static inline void recorder_unmute(struct lane *lane)
{
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}
void recorder_stack(struct lane *lane, uint64_t seq, void **cfa);
/* Records the stack, whatever the options, of a call that a Python destructor makes. */
void recorder_stack_destructor(struct lane *lane, uint64_t seq, void **cfa);
/* Finds the ids of places in Python code. Returns how many it found. */
struct python_place;
unsigned recorder_python_sites(struct lane *lane, const struct python_place *place, unsigned count,
                               uint32_t *out_id);

/* Returns the writer of definitions. recorder_unlock commits them. */
static inline struct spool_writer *recorder_definitions(struct lane *lane)
{
    return LIKELY(!recorder.definer) ? &lane->writer : &recorder.definer->writer;
}

uint32_t recorder_site_slow(struct lane *lane, void **cfa);
uint32_t recorder_site_of(struct lane *lane,
                          const void *address); /* address behind an instruction; takes the lock */
/* Returns the module that holds the address; 0: none. Takes the lock. */
uint32_t recorder_module_of(struct lane *lane, uintptr_t address, uint64_t *out_bias);
/* Returns the DEF_SITE id of a user-defined function, one byte behind its start; 0: the function
 * belongs to a binding and stands for one of another language. Requires the lock. */
uint32_t recorder_function_site(struct lane *lane, const void *function);
static inline unsigned recorder_site_slot(const void *address)
{
    return (unsigned)(((uintptr_t)address * 0x9E3779B97F4A7C15u) >> 56);
}
static inline uint32_t recorder_site(struct lane *lane, void **cfa)
{
    const void *address = cfa[-1];
    unsigned slot = recorder_site_slot(address);
    if (LIKELY(lane->site[slot].address == address && !lane->site[slot].skip))
        return lane->site[slot].id;
    return recorder_site_slow(lane, cfa);
}

/* Progress of a completed call, as its rank sees it. */
enum recorder_step {
    STEP_IN_VAIN, /* a test or a probe found nothing */
    STEP_LOCAL,   /* a query, or a local operation */
    STEP_ON       /* the rank's communication progressed */
};

/* --- polls (misuse/poll_fold.c) --------------------------------------------------------------- */
/* Use these instead of recorder_enter and _leave: recorder_poll_enter, _expect, _again and
 * _leave. */

void recorder_polls_write(struct lane *lane);
/* Tells whether the event equals a poll that is being folded, so that its parts are already on
 * record. All its fields must be set. key: hash of its list of requests. */
bool recorder_poll_expect(struct lane *lane, const struct spool_event *e, uint64_t key);
/* The result of a poll, or of a call that changes nothing and gives the same result each time.
 * value: a hash of all results that the event's fields lack. */
struct poll_outcome {
    enum { POLL_NOTHING, POLL_STEADY, POLL_OTHER } how;
    uint64_t value;
};
/* Called when the call is back. Returns true if the poll was folded and left; otherwise its results
 * must be recorded. step: for a folded poll. */
bool recorder_poll_again(struct lane *lane, struct spool_event *e, void **cfa, uint64_t key,
                         struct poll_outcome outcome, enum recorder_step step);
uint64_t recorder_status_value(const MPI_Status *status); /* a status as one number */
void recorder_poll_leave(struct lane *lane, struct spool_event *e, uint64_t key, int error,
                         enum recorder_step step, struct poll_outcome outcome);

void usage_look_slow(struct lane *lane, uint64_t seq); /* usage.h */
void usage_relook_slow(struct lane *lane, uint64_t now);
extern struct recorder_look { /* checks of receive buffers and windows around each call */
    bool enter, leave;        /* check when a call enters, and when it leaves, */
    uint64_t from;            /* if the time is not before this */
} recorder_look;

/* Notes that a recorded call enters, or that a callback returns to it. */
static inline void recorder_inside(struct lane *lane, void **cfa, const void *back)
{
    recorder_thread.ready = NULL;
    recorder_thread.current = lane;
    recorder_thread.cfa = cfa;
    recorder_thread.back = back;
}

/* Begins an event in the lane's open slot and assigns its number; its other fields follow. */
static inline struct spool_event *recorder_begin(struct lane *lane, unsigned call, uint32_t site)
{
    struct spool_event *e = &lane->open[lane->depth];
    uint64_t seq = UNLIKELY(recorder.threads)
                       ? __atomic_add_fetch(&recorder.seq, 1, __ATOMIC_RELAXED)
                       : ++recorder.seq;
    atomic_store_explicit(recorder.seq_shared, seq, memory_order_relaxed);
    e->head = (struct spool_head){SPOOL_EVENT, sizeof *e / 8, (uint16_t)call, 0};
    e->seq = seq;
    e->t_leave = 0;
    e->parent = 0;
    e->site = site;
    return e;
}

static inline struct spool_event *recorder_poll_enter(struct lane *lane, unsigned call, void **cfa)
{
    recorder_inside(lane, cfa, cfa[-1]);
    if (UNLIKELY(!recorder.defined[call]))
        recorder_define_call(lane, call);
    lane->poll_from = spool_mark(&lane->writer);
    struct spool_event *e = recorder_begin(lane, call, recorder_site(lane, cfa));
    if (UNLIKELY(recorder_look.enter))
        usage_look_slow(lane, e->seq);
    return e;
}

struct spool_event *recorder_enter_slow(struct lane *lane, unsigned call, void **cfa);

/* Returns the open slot of a new event with its site, seq and parent set, and its other fields
 * unset. Does the same as recorder_enter_slow in the usual case, so that it needs no saved
 * register. */
static inline struct spool_event *recorder_enter(struct lane *lane, unsigned call, void **cfa)
{
    const void *address = cfa[-1];
    const struct lane_site *site = &lane->site[recorder_site_slot(address)];
    if (UNLIKELY(lane->poll_count || !recorder.defined[call] || recorder.threads ||
                 recorder_look.enter || recorder.stack || site->address != address || site->skip))
        return recorder_enter_slow(lane, call, cfa);
    recorder_inside(lane, cfa, address);
    return recorder_begin(lane, call, site->id);
}

static inline void recorder_fields(struct spool_event *e, uint32_t comm, int32_t peer, int32_t tag,
                                   uint32_t type, int32_t count, uint32_t request)
{
    e->comm = comm;
    e->peer = peer;
    e->tag = tag;
    e->type = type;
    e->count = count;
    e->request = request;
}

void linger_inside(struct lane *lane, const struct spool_event *e); /* overlap_delay.h */

/* Starts the call: from here on the watcher sees it. */
static inline void recorder_open(struct lane *lane, struct spool_event *e)
{
    spool_commit(&lane->writer); /* the definitions and lists that describe the call */
    e->t_enter = recorder_clock();
    lane->depth++;
    atomic_store_explicit(&lane->writer.header->depth, lane->depth, memory_order_release);
    if (UNLIKELY(recorder.linger))
        linger_inside(lane, e);
}

static inline void recorder_back(struct spool_event *e)
{
    e->t_leave = recorder_clock();
}

void recorder_lost(struct lane *lane, uint64_t calls);   /* the spool accepts no more records: warns
                                                            the user */
void recorder_missed(struct lane *lane, uint64_t calls); /* the record lacks these calls, and
                                                            continues */
/* Notes that the process cannot read the data of this call, e.g. on an accelerator. */
void recorder_unread(struct lane *lane, uint64_t seq);
void recorder_unknown(struct lane *lane); /* Notes a call of which only the name is known. */

/* Translates a call's return value into an error class (core/trace/event.h). */
uint16_t recorder_error_slow(int code);
static inline uint16_t recorder_error(int code)
{
    return LIKELY(code == MPI_SUCCESS) ? 0 : recorder_error_slow(code);
}

static inline void recorder_count(struct lane *lane, enum recorder_step step)
{
    struct spool_header *header = lane->writer.header;
    if (step == STEP_ON)
        atomic_store_explicit(&header->moved, ++lane->moved, memory_order_relaxed);
    else if (step == STEP_LOCAL)
        atomic_store_explicit(&header->local, ++lane->local, memory_order_relaxed);
}

/* Ends the call. */
static inline void recorder_end(struct lane *lane, enum recorder_step step)
{
    struct spool_header *header = lane->writer.header;
    recorder_count(lane, step);
    lane->depth -= lane->depth > 0; /* depth is 0 if a program that switches stacks made the call
                                       look left */
    atomic_store_explicit(&header->depth, lane->depth, memory_order_release);
}

/* Commits the event; error: an error class (core/trace/event.h). */
static inline void recorder_close_as(struct lane *lane, struct spool_event *e, uint16_t error,
                                     enum recorder_step step)
{
    e->head.b = error;
    if (LIKELY(spool_put_event(&lane->writer, e))) {
        lane->writer.events++;
        spool_commit(&lane->writer);
    } else {
        recorder_lost(lane, 1);
    }
    recorder_end(lane, step);
}

static inline void recorder_close(struct lane *lane, struct spool_event *e, int error,
                                  enum recorder_step step)
{
    recorder_close_as(lane, e, recorder_error(error), step);
}

static inline void recorder_relook(struct lane *lane, uint64_t now)
{
    if (UNLIKELY(recorder_look.leave) && now >= recorder_look.from)
        usage_relook_slow(lane, now);
}

void recorder_leave_slow(struct lane *lane, struct spool_event *e, int error,
                         enum recorder_step step);
void recorder_leave_looking(struct lane *lane, uint64_t now);

/* Does the same as recorder_leave_slow in the usual case (see recorder_enter). */
static inline void recorder_leave(struct lane *lane, struct spool_event *e, int error,
                                  enum recorder_step step)
{
    if (UNLIKELY(error != MPI_SUCCESS)) {
        recorder_leave_slow(lane, e, error, step);
        return;
    }
    if (UNLIKELY(!spool_put_event_again(&lane->writer, e))) {
        recorder_leave_slow(lane, e, MPI_SUCCESS, step);
        return;
    }
    lane->writer.events++;
    spool_commit(&lane->writer);
    recorder_end(lane, step);
    if (UNLIKELY(recorder_look.leave) && e->t_leave >= recorder_look.from) {
        recorder_leave_looking(lane, e->t_leave);
        return;
    }
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Returns an array of the application; NULL if the process cannot read it (memory.h). */
static inline const void *recorder_seen(const void *array, int64_t bytes)
{
    return !array || bytes <= 0 || memory_readable(array, (uint64_t)bytes) ? array : NULL;
}

static inline int32_t recorder_peer(int rank)
{
    return LIKELY(rank >= 0)        ? rank
           : rank == MPI_ANY_SOURCE ? EVENT_ANY
           : rank == MPI_PROC_NULL  ? EVENT_PROC_NULL
           : rank == MPI_ROOT       ? EVENT_ROOT
                                    : rank;
}
/* constants.c: translate the library's constants for the record. */
int64_t recorder_constant_lock(int value);
bool recorder_own_errhandler(MPI_Errhandler errhandler); /* set by the program, not predefined */
int64_t recorder_constant_whence(int value);
int64_t recorder_constant_level(int value);
int64_t recorder_constant_assert(int value); /* bits */
int64_t recorder_constant_amode(int value);  /* bits */

static inline int32_t recorder_tag(int tag)
{
    return tag == MPI_ANY_TAG ? EVENT_ANY : tag;
}

/* first: index of the first value among the names in the call's definition. */
void recorder_args(struct lane *lane, uint64_t seq, unsigned first, unsigned count,
                   const int64_t *value);
void recorder_list(struct lane *lane, uint64_t seq, unsigned argument, enum spool_list_role role,
                   int bytes, int64_t count, const void *value);
void recorder_list_types(struct lane *lane, uint64_t seq, unsigned argument,
                         enum spool_list_role role, int count, const MPI_Datatype *type);
void recorder_text(struct lane *lane, uint64_t seq, unsigned argument, const char *text);
void recorder_recv_half(struct lane *lane, uint64_t seq, int32_t peer, int32_t tag, uint32_t type,
                        int32_t count);
/* For calls with large counts. recorder_narrow copies an array to ints in a buffer of the lane;
 * `which` differs between the arrays of one call. *out_small stays unchanged for an unreadable
 * array. It returns false if a value does not fit, or memory ran out. recorder_narrow_out returns
 * an output value; MPI_UNDEFINED if it does not fit. */
bool recorder_narrow(struct lane *lane, unsigned which, int64_t count, const void *wide,
                     const int **out_small);
int recorder_narrow_out(const void *wide);
int recorder_sum(int count, const int *value);
int recorder_own(struct lane *lane, MPI_Comm comm, const int *value); /* this rank's element */
int recorder_cart_dims(struct lane *lane, MPI_Comm comm);
/* Returns the number of a rank's neighbors in a graph topology; 0: no such topology or rank. */
int recorder_graph_nodes(struct lane *lane, MPI_Comm comm);
int recorder_graph_edges(struct lane *lane, MPI_Comm comm);
int recorder_graph_neighbors(struct lane *lane, MPI_Comm comm, int rank);
/* Returns how many elements a query writes: all of them, at most as many as the caller has room
 * for. */
static inline int recorder_least(int room, int there)
{
    return room < there ? room : there;
}

/* --- handles ---------------------------------------------------------------------------------- */

uint32_t recorder_comm_slow(struct lane *lane, MPI_Comm comm);
static inline uint32_t recorder_comm(struct lane *lane, MPI_Comm comm)
{
    if (LIKELY(lane->comm_cache.handle == HANDLE(comm) &&
               lane->comm_cache.generation == recorder.generation))
        return lane->comm_cache.id;
    return recorder_comm_slow(lane, comm);
}
uint32_t recorder_type_slow(struct lane *lane, MPI_Datatype type);
static inline unsigned recorder_type_slot(MPI_Datatype type)
{
    return (unsigned)(((uintptr_t)type * 0x9E3779B97F4A7C15u) >> (64 - TYPE_CACHE_BITS));
}
static inline uint32_t recorder_type(struct lane *lane, MPI_Datatype type)
{
    unsigned slot = recorder_type_slot(type);
    if (LIKELY(lane->type_cache[slot].handle == HANDLE(type) &&
               lane->type_cache[slot].generation == recorder.generation))
        return lane->type_cache[slot].id;
    return recorder_type_slow(lane, type);
}
/* The way in which a communicator was made, for its global id: the same on all its members. */
enum comm_origin {
    COMM_ORIGIN_PARENT,
    COMM_ORIGIN_DIST_GRAPH, /* like PARENT; a distributed graph even if the library says
                               otherwise */
    COMM_ORIGIN_COPY,
    COMM_ORIGIN_GROUP,
    COMM_ORIGIN_INTER,
    COMM_ORIGIN_MERGE,
    COMM_ORIGIN_SPAWN,
    COMM_ORIGIN_TAGGED, /* from a group, with a text that all members pass */
    COMM_ORIGIN_UNKNOWN
};
uint32_t recorder_comm_made(struct lane *lane, MPI_Comm made, MPI_Comm parent,
                            enum comm_origin origin, int tag);
int recorder_text_number(const char *text); /* for COMM_ORIGIN_TAGGED */
uint32_t recorder_group(struct lane *lane, MPI_Group group);
uint32_t recorder_op(struct lane *lane, MPI_Op op);
uint32_t recorder_op_made(struct lane *lane, MPI_Op op, int commute, const void *function);
uint32_t recorder_win(struct lane *lane, MPI_Win win);
uint32_t recorder_win_made(struct lane *lane, MPI_Win win, MPI_Comm comm, MPI_Aint bytes);
/* Notes that the program set an error handler. */
void recorder_comm_handled(struct lane *lane, MPI_Comm comm, MPI_Errhandler handler);
void recorder_win_handled(void);
uint32_t recorder_file(struct lane *lane, MPI_File file);
/* Identifies a file by its name. Makes some system calls. */
struct recorder_named {
    int64_t place;         /* machine (bits 32 to 62), and path there without links; 0: unknown */
    int64_t device, inode; /* 0: the file does not exist */
};
struct recorder_named recorder_named(const char *program_name);
uint32_t recorder_file_made(struct lane *lane, MPI_File file, MPI_Comm comm, const char *name);
enum recorder_object {
    OBJECT_COMM,
    OBJECT_GROUP,
    OBJECT_TYPE,
    OBJECT_OP,
    OBJECT_WIN,
    OBJECT_FILE,
    OBJECT_INFO,
    OBJECT_ERRHANDLER,
    OBJECT_KEYVAL,
    OBJECT_BUFFER,
    OBJECT_MEMORY,
    OBJECT_KINDS
};
/* Called before an object is freed: removes its id. Returns the id it had, or 0. */
uint32_t recorder_freeing(enum recorder_object kind, const void *handle);
/* Called after the object with the id was freed. kept: the call was refused and left this
 * handle. */
void recorder_freed(enum recorder_object kind, uint32_t id, const void *kept);

/* The sides of a rooted collective that are significant in this process: bit 0 the send side, bit 1
 * the receive side. */
enum { SIDE_SEND = 1, SIDE_RECV = 2 };
unsigned recorder_sides_gather(struct lane *lane, MPI_Comm comm, int root);
unsigned recorder_sides_scatter(struct lane *lane, MPI_Comm comm, int root);
/* Lengths of a collective's arrays. */
int recorder_comm_size(
    struct lane *lane,
    MPI_Comm comm); /* blocks of a v-collective; on intercommunicators of the remote group */
int recorder_comm_local_size(struct lane *lane, MPI_Comm comm);
int recorder_neighbors_in(struct lane *lane, MPI_Comm comm);
int recorder_neighbors_out(struct lane *lane, MPI_Comm comm);

/* --- the library layer ------------------------------------------------------------------------ */

/* Called around the start of a non-blocking collective, which takes tags from its communicator.
 * layer_starting returns the tag counter before; tags taken since then belong to the call seq. The
 * library must have accepted comm. */
int layer_starting(MPI_Comm comm, uint64_t seq);
void layer_started(MPI_Comm comm, int tag_before, uint64_t seq);
/* Notes that the call seq continues after its return to make a communicator, with this id, out of
 * comm. */
void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq);
/* A persistent collective keeps its tag, which the call init_seq took for `request`. From each
 * start on, its messages belong to the call seq. */
void layer_persistent(uint64_t init_seq, uint32_t request);
void layer_restarted(uint32_t request, uint64_t seq);
/* Called when a blocking collective is back and nothing was recorded inside it. */
void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm);

/* A budget for expensive checks: `most` at first, then one unit in so many ticks of recorder_clock.
 * A mistake in a loop shows in its first rounds, and later rounds cost no more than their
 * recording. */
enum { RECORDER_CREDIT_TICKS = 64 };
struct recorder_credit {
    int64_t most, left;
    uint64_t since;
    uint32_t rest; /* number of times to refuse without reading the clock */
};
bool recorder_may_spend_slow(struct recorder_credit *credit, uint64_t cost);
static inline bool recorder_may_spend(struct recorder_credit *credit, uint64_t cost)
{
    if (LIKELY(credit->rest)) {
        credit->rest--;
        return false;
    }
    return recorder_may_spend_slow(credit, cost);
}

/* --- contents of buffers ---------------------------------------------------------------------- */

struct payload_side { /* the data that a call sends or receives */
    const void *at;
    int64_t count;
    uint32_t type; /* DEF_TYPE id; 0: nothing on this side */
    int blocks;    /* v- and w-variants: number of blocks, with the arrays of the call; 0: plain */
    const int *counts;
    const int *displs;           /* in elements; in bytes if each block has its own type */
    const MPI_Aint *displs_wide; /* instead of displs, in bytes */
    const MPI_Datatype *types;
};
/* Tells whether this collective call belongs to the sample, which is the same on all ranks. Sets
 * lane->unseen if its inside is left out. type: 0 if ranks pass different numbers of bytes. */
bool payload_sampled(struct lane *lane, const struct spool_event *e, unsigned call, MPI_Op op,
                     uint32_t type, int64_t count);
/* Does the same for a collective call that makes a communicator, which has no contents. */
void payload_making(struct lane *lane, const struct spool_event *e, unsigned call);
/* Records an input or the output of a user-defined operation; which: SPOOL_BUFFER_IN... */
void payload_applied(struct lane *lane, uint64_t seq, const void *at, int count, MPI_Datatype type,
                     unsigned which);
extern uint32_t payload_held; /* number of requests whose buffers are remembered */
void payload_send(struct lane *lane, uint64_t seq, const struct payload_side *send);
void payload_received(struct lane *lane, uint64_t seq, const struct payload_side *receive,
                      uint64_t bytes);
/* Remembers the buffers of a request. Sides may be NULL. The arrays are not needed afterwards. */
void payload_hold(struct lane *lane, uint32_t id, uint64_t seq, const struct payload_side *send,
                  const struct payload_side *receive);
/* Remembers the origin's buffers of a one-sided call: they belong to the call until its window and
 * target (-1: all targets) are synchronised. */
void payload_origin(struct lane *lane, uint32_t win, int target, uint64_t seq,
                    const struct payload_side *send, const struct payload_side *receive);
void payload_epoch(struct lane *lane, uint32_t win, int target);
void payload_started(struct lane *lane, uint32_t id, uint64_t seq); /* of a persistent request */
void payload_done(struct lane *lane, uint32_t id, uint64_t received,
                  bool keep); /* keep: persistent */

/* --- callbacks (callbacks.c): wraps the program's functions ----------------------------------- */

void callback_comm(MPI_Comm_copy_attr_function **copy, MPI_Comm_delete_attr_function **gone,
                   void **extra);
void callback_win(MPI_Win_copy_attr_function **copy, MPI_Win_delete_attr_function **gone,
                  void **extra);
void callback_type(MPI_Type_copy_attr_function **copy, MPI_Type_delete_attr_function **gone,
                   void **extra);

void callback_general(MPI_Grequest_query_function **query, MPI_Grequest_free_function **gone,
                      MPI_Grequest_cancel_function **cancel, void **extra);
typedef void (*callback_fn)(void);
/* plain: it gets the counts and datatypes of C. */
callback_fn callback_op(callback_fn function, bool plain);
callback_fn callback_handler(callback_fn function);
/* Notes that unobserved callbacks may run. */
void recorder_unseen(void);

/* --- live perturbation (perturb.h) ------------------------------------------------------------ */

/* Delays the call, and waits for its place in the schedule. waits: the call may wait for another
 * rank. */
void perturb_before(struct lane *lane, const struct spool_event *e, bool waits);
bool perturb_send(struct lane *lane, const struct spool_event *e, int dest, uint64_t bytes,
                  MPI_Comm comm); /* tells whether to make the send synchronous */
int perturb_source(struct lane *lane, const struct spool_event *e, int source,
                   MPI_Comm comm); /* returns the pinned source of a wildcard */
int perturb_poll(struct lane *lane, const struct spool_event *e, int source,
                 MPI_Comm comm); /* the same for a probe that may find nothing */
void perturb_found(void);        /* the probe found something */
int perturb_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *status);
int32_t recorder_comm_world(struct lane *lane, MPI_Comm comm,
                            int rank); /* world rank of a peer; -1: unknown */
bool recorder_comm_is(struct lane *lane, MPI_Comm comm, int rank); /* this process's rank */
int recorder_comm_own(struct lane *lane, MPI_Comm comm);           /* own rank; 0: unknown */
int recorder_comm_rank_of(struct lane *lane, MPI_Comm comm, int32_t world); /* from a world rank */
uint64_t recorder_bytes(int count, MPI_Datatype type);
uint64_t recorder_bytes_external(const char *representation, int count, MPI_Datatype type);

/* --- requests --------------------------------------------------------------------------------- */

enum request_kind {
    REQUEST_OTHER,
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLL,
    REQUEST_MESSAGE,
    REQUEST_BOTH, /* a send and a receive; LIBRARY_SETS_STATUS_OF_BOTH */
    REQUEST_GENERALIZED,
    REQUEST_DUP, /* duplicates a communicator */
    REQUEST_KIND_MASK = 7,
    REQUEST_PERSISTENT = 8
};
struct request_info {
    MPI_Request handle;
    uint32_t id; /* 0: the null request, or an unknown one */
    uint32_t kind;
    uint32_t node; /* its place in requests.c */
};
/* Adds a request and returns its id. seq: the application's call that made it, which is then
 * followed until it completes or is freed; 0: made by the library. kind: enum request_kind, and
 * REQUEST_PERSISTENT. */
uint32_t recorder_request_new(MPI_Request handle, const void *variable, unsigned kind,
                              uint64_t seq);
uint32_t recorder_request_id(void); /* for a request without a handle of the library */
struct request_info recorder_request_find(MPI_Request handle, const void *variable);
/* Asks the library, which has just started, which handle all requests share that complete at
 * once. */
void recorder_requests_learn(void);
extern bool recorder_persistent; /* a persistent request exists, or existed */
/* Number of communicators of MPI_Comm_idup that are not known to be complete. */
extern unsigned recorder_duplicating;
void recorder_duplicate_begun(MPI_Comm made, uint32_t request, uint64_t seq);
/* Returns the call that makes the communicator; 0: it is complete, or unknown. */
uint64_t recorder_duplicate_made(MPI_Comm comm);
struct request_state {
    bool idle;     /* null, or persistent and inactive */
    bool active;   /* started, and not complete since */
    bool polled;   /* tested without success since it began */
    uint64_t made; /* seq of the call that made it; 0: unknown */
};
struct request_state recorder_request_state(struct request_info info);
/* For decide.c: the request made last receives from any source at each start; a test of the request
 * since it began found nothing, or there was no such test. */
void recorder_request_wildcard(uint32_t id);
void recorder_request_poll(struct request_info info, bool in_vain);
void recorder_request_starting(struct lane *lane, uint64_t seq, struct request_info info);
/* alone: the call waits for no other request. */
void recorder_request_waiting(struct lane *lane, uint64_t seq, struct request_info info,
                              bool alone);
/* Called before and after the calling thread waits for the request in this variable: two threads
 * must not wait for it at the same time. */
void recorder_request_await(struct lane *lane, uint64_t seq, struct request_info info,
                            const MPI_Request *variable);
void recorder_request_awaited(void);
void recorder_request_cancelling(struct lane *lane, uint64_t seq, struct request_info info);
/* Called when the program completes the request, which MPI allows only for generalized requests. */
void recorder_request_told_complete(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_request_freeing(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_request_finalizing(struct lane *lane, uint64_t seq);
void recorder_request_forget(struct request_info info);
/* Adds the message that a probe found, until it is received. Returns 0 for MPI_MESSAGE_NO_PROC,
 * which is no message. */
uint32_t recorder_message_new(MPI_Message message, uint64_t seq);
/* Tells whether a receive of the message took it although it returned an error. MPICH leaves the
 * handle unchanged if the message was truncated. */
bool recorder_message_taken(const MPI_Message *left, int error);
/* Called after a start: the library may have given the request another handle. */
void recorder_request_started(struct request_info info, const MPI_Request *variable);

/* partitions.c. The functions that mark return how many partitions are left to be marked
 * afterwards; EVENT_NONE: the request is not of that kind. */
extern bool recorder_partitioned; /* a partitioned request exists, or existed */
void recorder_request_partitioned(uint32_t id, int count, bool sends);
void recorder_partitions_started(uint32_t id);
void recorder_partitions_gone(uint32_t id);
int recorder_partitions_marked(struct lane *lane, uint64_t seq, struct request_info info, int low,
                               int high);
int recorder_partitions_listed(struct lane *lane, uint64_t seq, struct request_info info,
                               int length, const int *list);
/* Called when a call waits for the request alone, or for all of several requests. */
void recorder_partitions_awaited(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_partition_asked(struct lane *lane, uint64_t seq, struct request_info info,
                              int partition);
/* Returns the bytes from one partition to the next. */
int64_t recorder_stride(MPI_Count count, MPI_Datatype type);

/* Finds the requests of a whole list, in which equal handles are different requests. The infos are
 * valid until the lane's next list. NULL: out of memory. */
struct request_info *recorder_request_list(struct lane *lane, int count,
                                           const MPI_Request *request);

/* Tells whether the program wants the status. Some libraries accept NULL like MPI_STATUS_IGNORE,
 * others refuse it. */
static inline bool recorder_status_there(const MPI_Status *status)
{
    return status && status != MPI_STATUS_IGNORE;
}

/* Records that a request completed, and forgets it unless it is persistent (its variable then still
 * holds it). */
void recorder_done(struct lane *lane, uint64_t seq, uint32_t index, struct request_info info,
                   const MPI_Request *variable, const MPI_Status *status, int error);
/* Does this for a whole list without errors. status: an array of `count`, or
 * MPI_STATUSES_IGNORE. */
void recorder_done_all(struct lane *lane, uint64_t seq, int count, const struct request_info *info,
                       const MPI_Request *variable, const MPI_Status *status);
/* Records the status of a receive, probe or file operation. */
void recorder_status(struct lane *lane, uint64_t seq, uint32_t message, const MPI_Status *status,
                     int error);
MPI_Status *recorder_statuses(struct lane *lane,
                              int count); /* scratch; MPI_STATUSES_IGNORE if out of memory */
void *recorder_scratch(struct lane *lane, size_t bytes);

#endif
