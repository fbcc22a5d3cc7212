/* Interface with which the generated wrappers and the hand-written bodies record one call.
 *
 * A wrapper asks for its thread's lane (NULL: just call through), fills the lane's open slot, calls
 * the real function, adds what came out, and leaves. Nothing here may change what the application
 * sees: no error of ours is ever returned.
 *
 *  1. recorder_thread.ready is the lane exactly while the thread is outside every recorded call, or
 *     in an attribute's callback (callbacks.c), so that calls which the MPI library makes through
 *     its own public names, and calls made from other callbacks (error handlers, generalized
 *     requests, those in Fortran), pass through. A call that is left without returning (an error
 *     handler jumps, or throws) ends at the thread's next one.
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
    struct { /* last handles asked for, by kind: most programs use few */
        const void *handle;
        uint32_t id;
        uint32_t generation;
        uint32_t peers; /* of a communicator: ranks that can be named in it */
    } comm_cache, type_cache[1 << TYPE_CACHE_BITS];
    MPI_Status *status; /* scratch for statuses that the application ignores */
    int status_count;
    int *small[4]; /* recorder_narrow */
    int64_t small_count[4];
    void *scratch; /* for lists of ids */
    size_t scratch_bytes;
    struct request_info *info; /* scratch for lists of requests */
    int info_count;
    uint32_t poll_count;                    /* header->poll_count */
    uint64_t poll_key[SPOOL_POLLS_MAX];     /* of their lists of requests */
    uint64_t poll_outcome[SPOOL_POLLS_MAX]; /* what they came to */
    uint64_t poll_left;                     /* when the last of them returned */
    uint64_t poll_from;                     /* spool_mark when the last one was entered */
    bool poll_kept;                         /* it goes to the header */
    uint64_t steady[SPOOL_POLLS_MAX];       /* calls that may be polled again (polls.c, 4) */
    uint32_t steady_count;
    uint64_t steady_events; /* of the lane, with the last of them; others since: they are none */
    uint64_t buffer_seq;    /* the last call that was given buffers, and where they start */
    const void *buffer[EXIT_CAUSE_BUFFERS];
    void *signal_stack; /* exit_record.c; NULL: none */
    uint64_t applying;  /* the call, of the sample, whose operation is the program's own; 0 none */
    uint64_t doubted;   /* the last call that was given a handle of no object (usage.h) */
    uint64_t unread;    /* the last call whose data could not be read */
    uint64_t unseen;    /* the collective whose inside is not recorded; 0 none */
    uint8_t lingered[256]; /* how often, by place (overlap_delay.h) */
    uint32_t lingered_ns;  /* in all */
    struct lane *next, *next_free;
};

extern __thread struct recorder_thread {
    struct lane *ready;   /* invariant 1 */
    struct lane *current; /* inside a recorded call, */
    void **cfa;           /* the innermost, with this frame, */
    const void *back;     /* which returns there: cfa[-1] */
    bool raised;          /* in that call a handler of the program's was given an error; not between
                             calls */
} recorder_thread __attribute__((tls_model("initial-exec")));

extern struct recorder { /* of the process */
    bool ended;          /* MPI_Finalize was called */
    bool on;             /* between MPI_Init and MPI_Finalize, spool open */
    bool threads; /* MPI_THREAD_MULTIPLE, or more than one thread has called: several lanes may run
                     at once */
    bool tsc;
    bool payload; /* digests or more */
    bool sample;  /* contents of some collectives' buffers */
    bool buffers; /* usage.h looks at what buffers overlap, and whether they change while MPI owns
                     them */
    bool perturb; /* a live policy is set */
    bool linger;  /* threads stay a moment in calls (overlap_delay.h) */
    bool layer;   /* the library layer is on */
    bool several; /* machines */
    bool by_session;     /* it was started by MPI_Session_init, and MPI_Init has not been called */
    bool sessions_ended; /* and its last session ended: what comes later is not recorded */
    bool late;           /* MPI ran before recording started, by MPI_Init or by a session */
    bool late_ended;     /* so, and it ended a session whose start was not seen */
    bool filter;         /* not every call is wanted */
    bool partial; /* so, or a call was made of which only the name is known: what made an object
                     or a request may not be on record */
    int standard; /* the version of MPI that the library says it is of: 401 is 4.1 */
    int stack;    /* frames kept of each call's stack; 0 none */
    int world_rank, world_size;
    uint64_t seq;                 /* last one given out */
    _Atomic uint64_t *seq_shared; /* where the watcher sees it */
    uint32_t generation;          /* of handle caches: raised whenever a handle is freed */
    uint8_t defined[CALL_COUNT + 64];
    struct lane *lanes;
    struct lane *definer; /* when only the newest records are kept: the lane of the definitions,
                             which are all kept */
    uint64_t poll_gap;    /* ticks: what comes later after a poll is another matter */
    struct {
        uintptr_t start, end;
    } binding[8]; /* the language bindings' code */
    unsigned binding_count;
    bool unseen; /* callbacks may run that are not seen (SPOOL_FLAG_UNSEEN) */
} recorder;

/* A handle as tables know it, of any kind: libraries have pointers, or numbers, for them. */
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
    void *in_place; /* Fortran's: its binding passes it on where it is not allowed */
} recorder_handle;

/* --- real functions --------------------------------------------------------------------------- */

enum { REAL_MPI, REAL_PMPI };
extern void *recorder_real_table[2][CALL_COUNT];
/* The MPI library that the process has loaded; what functions it has is in the table. */
struct body_entry;
void recorder_found(const struct body_entry *entry);
/* The error that is recorded for a call that made nothing, whatever it returned. */
int recorder_refused(int returned);
/* As entry/body.h has it. */
bool recorder_watch_signals(uint64_t *signals);
int recorder_termination_signal(void);
void *recorder_symbol(const char *name); /* a variable of the MPI library; NULL */
static inline void *recorder_real(int which, unsigned call)
{
    return recorder_real_table[which][call];
}
/* The real PMPI_X, for our own use; wrappers that it passes through on its way are told by
 * recorder_thread. With a handle that the recorder got from the library itself, or as the call
 * that the program makes. What the recorder asks about a handle of the program's it asks by ASK
 * (misuse/usage.h). */
#define OWN(x) ((x##_fn)recorder_real(REAL_PMPI, CALL_##x))

/* --- clock ------------------------------------------------------------------------------------ */

static inline uint64_t recorder_clock(void)
{
#if defined __x86_64__
    if (LIKELY(recorder.tsc))
        return __builtin_ia32_rdtsc(); /* <x86intrin.h> takes longer to read than all else here */
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- life ------------------------------------------------------------------------------------- */

extern struct lane
    *const recorder_nobody; /* in recorder_thread.current: inside a call that is not recorded */
void recorder_started(int thread_level, uint64_t t_enter, unsigned call, void **cfa, int error);
uint64_t recorder_started_clock(void);
/* By a session, without MPI_Init (session.c): of all processes, of which it is one. */
void recorder_start_session(uint64_t t_enter, unsigned call, void **cfa, MPI_Group all);
void recorder_world_known(struct lane *lane); /* MPI_COMM_WORLD is there from now on */
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
void recorder_say(const char *text);                     /* on stderr */
void recorder_warn(const char *text);                    /* the same, once */
void recorder_note(struct lane *lane, const char *text); /* of the trace */
void recorder_lock(void); /* definitions; does nothing while only one thread can be here */
void recorder_unlock(void);
int recorder_cancel_disable(void); /* no cancellation is acted on until, with its result, */
void recorder_cancel_restore(int before);
bool recorder_lock_try(void); /* in a signal handler: false if it cannot be had at once */

static inline struct lane *recorder_lane(void **cfa)
{
    struct lane *lane = recorder_thread.ready;
    return LIKELY(lane != NULL) ? lane : recorder_lane_slow(cfa);
}

void recorder_find_bindings(void);
/* The function that a language binding's code at the address implements; CALL_COUNT: none. */
unsigned recorder_bound_call(const void *address);
static inline bool recorder_in_binding(const void *address)
{
    for (unsigned i = 0; i < recorder.binding_count; i++)
        if ((uintptr_t)address - recorder.binding[i].start <
            recorder.binding[i].end - recorder.binding[i].start)
            return true;
    return false;
}

/* Whether the call is not to be recorded (filter.c); it is then counted as lost. comm:
 * recorder_handle.comm_null if it has none. */
bool filter_out(struct lane *lane, unsigned call, MPI_Comm comm);
/* Around a call that is not recorded: what the library does in it is not the application's. */
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
/* The same where a destructor of Python's makes the call, whatever was asked for. */
void recorder_stack_destructor(struct lane *lane, uint64_t seq, void **cfa);
/* Ids of places in Python; how many could be told. */
struct python_place;
unsigned recorder_python_sites(struct lane *lane, const struct python_place *place, unsigned count,
                               uint32_t *out_id);

/* Where definitions go. recorder_unlock commits them. */
static inline struct spool_writer *recorder_definitions(struct lane *lane)
{
    return LIKELY(!recorder.definer) ? &lane->writer : &recorder.definer->writer;
}

uint32_t recorder_site_slow(struct lane *lane, void **cfa);
uint32_t recorder_site_of(struct lane *lane,
                          const void *address); /* behind an instruction; takes the lock */
/* The module that holds the address; 0 none. Takes the lock. */
uint32_t recorder_module_of(struct lane *lane, uintptr_t address, uint64_t *out_bias);
/* DEF_SITE id of a function of the program's own, one byte behind its start; 0: a binding's own
 * function that stands for one of another language. Under the lock. */
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

/* Kinds of calls that are completed, as seen by their rank. */
enum recorder_step {
    STEP_IN_VAIN, /* a test or a probe that found nothing */
    STEP_LOCAL,   /* it only asked, or made something of the rank's own */
    STEP_ON       /* the rank got on with its communication */
};

/* --- polls (polls.c) -------------------------------------------------------------------------- */
/* Instead of recorder_enter and _leave: recorder_poll_enter, _expect, _again and _leave. */

void recorder_polls_write(struct lane *lane);
/* With all fields set. key: of the list of requests. True: it equals a poll that goes round, so
 * that its parts are on record. */
bool recorder_poll_expect(struct lane *lane, const struct spool_event *e, uint64_t key);
/* Records the result of a poll, or of a call that changes nothing and gives the same result each
 * time. value: the whole result, together with the event's fields. */
struct poll_outcome {
    enum { POLL_NOTHING, POLL_STEADY, POLL_OTHER } how;
    uint64_t value;
};
/* The call is back. True: it is one round more, and left; otherwise what it did is still to be
 * recorded. step: if it is not the first round. */
bool recorder_poll_again(struct lane *lane, struct spool_event *e, void **cfa, uint64_t key,
                         struct poll_outcome outcome, enum recorder_step step);
uint64_t recorder_status_value(const MPI_Status *status); /* what a status says */
void recorder_poll_leave(struct lane *lane, struct spool_event *e, uint64_t key, int error,
                         enum recorder_step step, struct poll_outcome outcome);

void usage_look_slow(struct lane *lane, uint64_t seq); /* usage.h */
void usage_relook_slow(struct lane *lane, uint64_t now);
extern struct recorder_look { /* at receive buffers and windows, around each call */
    bool enter, leave;        /* when one is entered, and when it is left, */
    uint64_t from;            /* if that is not before */
} recorder_look;

/* A recorded call is entered, or what it called back returns to it. */
static inline void recorder_inside(struct lane *lane, void **cfa, const void *back)
{
    recorder_thread.ready = NULL;
    recorder_thread.current = lane;
    recorder_thread.cfa = cfa;
    recorder_thread.back = back;
}

/* The lane's open slot begins an event: its number is given out, and its other fields follow. */
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

/* The open slot for a new event, its fields not yet set, and its site, seq, parent. The same as
 * recorder_enter_slow where all that it may have to do is done: so it needs no register saved. */
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

/* The call starts: from here on the watcher sees it. */
static inline void recorder_open(struct lane *lane, struct spool_event *e)
{
    spool_commit(&lane->writer); /* definitions and lists that describe it */
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

void recorder_lost(struct lane *lane, uint64_t calls);   /* the spool took no more: says so */
void recorder_missed(struct lane *lane, uint64_t calls); /* the record lacks them, and goes on */
/* The data of this call of the thread's lie where the process cannot read, as on an accelerator. */
void recorder_unread(struct lane *lane, uint64_t seq);
void recorder_unknown(struct lane *lane); /* a call was made of which only the name is known */

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

/* The call has ended. */
static inline void recorder_end(struct lane *lane, enum recorder_step step)
{
    struct spool_header *header = lane->writer.header;
    recorder_count(lane, step);
    lane->depth -= lane->depth > 0; /* it was taken for left, where its program changes stacks */
    atomic_store_explicit(&header->depth, lane->depth, memory_order_release);
}

/* Commits the event. */
static inline void recorder_close(struct lane *lane, struct spool_event *e, int error,
                                  enum recorder_step step)
{
    e->head.b = recorder_error(error);
    if (LIKELY(spool_put_event(&lane->writer, e))) {
        lane->writer.events++;
        spool_commit(&lane->writer);
    } else {
        recorder_lost(lane, 1);
    }
    recorder_end(lane, step);
}

static inline void recorder_relook(struct lane *lane, uint64_t now)
{
    if (UNLIKELY(recorder_look.leave) && now >= recorder_look.from)
        usage_relook_slow(lane, now);
}

void recorder_leave_slow(struct lane *lane, struct spool_event *e, int error,
                         enum recorder_step step);
void recorder_leave_looking(struct lane *lane, uint64_t now);

/* Like recorder_enter: what recorder_leave_slow does, where it is the usual. */
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

/* An array of the application, as far as it is ours to read: NULL where it is not there (memory.h).
 */
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
/* constants.c: what is recorded of the library's own constants. */
int64_t recorder_constant_lock(int value);
bool recorder_own_errhandler(MPI_Errhandler errhandler); /* of the program, not predefined */
int64_t recorder_constant_whence(int value);
int64_t recorder_constant_level(int value);
int64_t recorder_constant_assert(int value); /* bits */
int64_t recorder_constant_amode(int value);  /* bits */

static inline int32_t recorder_tag(int tag)
{
    return tag == MPI_ANY_TAG ? EVENT_ANY : tag;
}

/* first: index, among the names in the call's definition, of the first value. */
void recorder_args(struct lane *lane, uint64_t seq, unsigned first, unsigned count,
                   const int64_t *value);
void recorder_list(struct lane *lane, uint64_t seq, unsigned argument, enum spool_list_role role,
                   int bytes, int64_t count, const void *value);
void recorder_list_types(struct lane *lane, uint64_t seq, unsigned argument,
                         enum spool_list_role role, int count, const MPI_Datatype *type);
void recorder_text(struct lane *lane, uint64_t seq, unsigned argument, const char *text);
void recorder_recv_half(struct lane *lane, uint64_t seq, int32_t peer, int32_t tag, uint32_t type,
                        int32_t count);
/* Forms for large counts. The numbers of an array as ints of this lane's, which: different for the
 * arrays of one call; as it was where it is not there. False: they do not fit. What a call gave
 * back: MPI_UNDEFINED where it does not fit. */
bool recorder_narrow(struct lane *lane, unsigned which, int64_t count, const void *wide,
                     const int **out_small);
int recorder_narrow_out(const void *wide);
int recorder_sum(int count, const int *value);
int recorder_own(struct lane *lane, MPI_Comm comm, const int *value); /* this rank's element */
int recorder_cart_dims(struct lane *lane, MPI_Comm comm);
/* The number of a rank's neighbours in a graph topology; 0: it has none, or not that rank. */
int recorder_graph_nodes(struct lane *lane, MPI_Comm comm);
int recorder_graph_edges(struct lane *lane, MPI_Comm comm);
int recorder_graph_neighbors(struct lane *lane, MPI_Comm comm, int rank);
/* Elements that a query writes: all that there are, or as many as the caller has room for. */
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
/* How a communicator came to be, for its global id: the same on all its members. */
enum comm_origin {
    COMM_ORIGIN_PARENT,
    COMM_ORIGIN_DIST_GRAPH, /* as PARENT; a distributed graph whatever the library says */
    COMM_ORIGIN_COPY,
    COMM_ORIGIN_GROUP,
    COMM_ORIGIN_INTER,
    COMM_ORIGIN_MERGE,
    COMM_ORIGIN_SPAWN,
    COMM_ORIGIN_TAGGED, /* from a group, under a text that all members give */
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
/* An error handler was set. */
void recorder_comm_handled(struct lane *lane, MPI_Comm comm, MPI_Errhandler handler);
void recorder_win_handled(void);
uint32_t recorder_file(struct lane *lane, MPI_File file);
/* Identifies the file of a name. Takes some system calls. */
struct recorder_named {
    int64_t place; /* of the machine (bits 32 to 62), and of the path there, whatever links led to
                      it; 0: not known */
    int64_t device, inode; /* 0: it is not there */
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
/* Before it is freed: it has no id any more; which it had, or 0. */
uint32_t recorder_freeing(enum recorder_object kind, const void *handle);
/* The object with the id was freed, or kept: then the call was refused and left this handle. */
void recorder_freed(enum recorder_object kind, uint32_t id, const void *kept);

/* The sides of a rooted collective that count in this process: bit 0 the send side, bit 1 the
 * receive side. */
enum { SIDE_SEND = 1, SIDE_RECV = 2 };
unsigned recorder_sides_gather(struct lane *lane, MPI_Comm comm, int root);
unsigned recorder_sides_scatter(struct lane *lane, MPI_Comm comm, int root);
/* Lengths of a collective's arrays. */
int recorder_comm_size(
    struct lane *lane,
    MPI_Comm comm); /* blocks of a v-collective: the remote group's on intercomms */
int recorder_comm_local_size(struct lane *lane, MPI_Comm comm);
int recorder_neighbors_in(struct lane *lane, MPI_Comm comm);
int recorder_neighbors_out(struct lane *lane, MPI_Comm comm);

/* --- the library layer ------------------------------------------------------------------------ */

/* A non-blocking collective takes tags from its communicator when it is started: returns the
 * counter before, and what was taken since belongs to the call seq. The library has accepted comm.
 */
int layer_starting(MPI_Comm comm, uint64_t seq);
void layer_started(MPI_Comm comm, int tag_before, uint64_t seq);
/* The call seq goes on making a communicator out of comm, whose id is given, after it has returned.
 */
void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq);
/* A persistent collective keeps its tag: made by the call init_seq as request; from each start on,
 * its messages belong to the call seq. */
void layer_persistent(uint64_t init_seq, uint32_t request);
void layer_restarted(uint32_t request, uint64_t seq);
/* A blocking collective is back, and nothing was recorded inside of it. */
void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm);

/* Budget for closer looks: `most` at first, then one unit in so many ticks of
 * recorder_clock. A mistake in a loop shows in its first rounds, and the loops of a simulation cost
 * what recording them costs. */
enum { RECORDER_CREDIT_TICKS = 64 };
struct recorder_credit {
    int64_t most, left;
    uint64_t since;
    uint32_t rest; /* times not to ask the clock */
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

struct payload_side { /* what a call sends or receives */
    const void *at;
    int64_t count;
    uint32_t type; /* DEF_TYPE id; 0: nothing on this side */
    int blocks;    /* v- and w-variants: so many, with the arrays of the call; 0: plain */
    const int *counts;
    const int *displs;           /* in elements; in bytes where each block has its own type */
    const MPI_Aint *displs_wide; /* instead of displs, in bytes */
    const MPI_Datatype *types;
};
/* Whether this collective call is one of the sample: the same ones on all ranks; lane->unseen says
 * whether its inside is left out. type: 0 where not all ranks give as many bytes. */
bool payload_sampled(struct lane *lane, const struct spool_event *e, unsigned call, MPI_Op op,
                     uint32_t type, int64_t count);
/* The same of a collective call that makes a communicator: it has no contents. */
void payload_making(struct lane *lane, const struct spool_event *e, unsigned call);
/* Records an input or the output of the program's own operation; which: SPOOL_BUFFER_IN... */
void payload_applied(struct lane *lane, uint64_t seq, const void *at, int count, MPI_Datatype type,
                     unsigned which);
extern uint32_t payload_held; /* requests whose buffers are remembered */
void payload_send(struct lane *lane, uint64_t seq, const struct payload_side *send);
void payload_received(struct lane *lane, uint64_t seq, const struct payload_side *receive,
                      uint64_t bytes);
/* Sides may be NULL. The arrays are not needed after. */
void payload_hold(struct lane *lane, uint32_t id, uint64_t seq, const struct payload_side *send,
                  const struct payload_side *receive);
/* One-sided: the origin's buffers belong to the call until its window and target (-1: all of them)
 * are synchronised. */
void payload_origin(struct lane *lane, uint32_t win, int target, uint64_t seq,
                    const struct payload_side *send, const struct payload_side *receive);
void payload_epoch(struct lane *lane, uint32_t win, int target);
void payload_started(struct lane *lane, uint32_t id, uint64_t seq); /* a persistent request */
void payload_done(struct lane *lane, uint32_t id, uint64_t received,
                  bool keep); /* keep: persistent */

/* --- callbacks (callbacks.c): replaces them by functions that call them ----------------------- */

void callback_comm(MPI_Comm_copy_attr_function **copy, MPI_Comm_delete_attr_function **gone,
                   void **extra);
void callback_win(MPI_Win_copy_attr_function **copy, MPI_Win_delete_attr_function **gone,
                  void **extra);
void callback_type(MPI_Type_copy_attr_function **copy, MPI_Type_delete_attr_function **gone,
                   void **extra);

void callback_general(MPI_Grequest_query_function **query, MPI_Grequest_free_function **gone,
                      MPI_Grequest_cancel_function **cancel, void **extra);
typedef void (*callback_fn)(void);
/* plain: it is given the counts and datatypes of C. */
callback_fn callback_op(callback_fn function, bool plain);
callback_fn callback_handler(callback_fn function);
/* Callbacks may run that are not seen. */
void recorder_unseen(void);

/* --- live perturbation (perturb.h) ------------------------------------------------------------ */

/* A delay, and turns; waits: the call may wait for another rank. */
void perturb_before(struct lane *lane, const struct spool_event *e, bool waits);
bool perturb_send(struct lane *lane, const struct spool_event *e, int dest, uint64_t bytes,
                  MPI_Comm comm); /* make it synchronous? */
int perturb_source(struct lane *lane, const struct spool_event *e, int source,
                   MPI_Comm comm); /* pinned source of a wildcard */
int perturb_poll(struct lane *lane, const struct spool_event *e, int source,
                 MPI_Comm comm); /* the same, of a probe that may find nothing */
void perturb_found(void);        /* it found something */
int perturb_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *status);
int32_t recorder_comm_world(struct lane *lane, MPI_Comm comm,
                            int rank); /* world rank of a peer; -1 unknown */
bool recorder_comm_is(struct lane *lane, MPI_Comm comm, int rank); /* this process's rank */
int recorder_comm_own(struct lane *lane, MPI_Comm comm);           /* which it is; 0 unknown */
int recorder_comm_rank_of(struct lane *lane, MPI_Comm comm, int32_t world); /* and back */
uint64_t recorder_bytes(int count, MPI_Datatype type);
uint64_t recorder_bytes_external(const char *representation, int count, MPI_Datatype type);

/* --- requests --------------------------------------------------------------------------------- */

enum request_kind {
    REQUEST_OTHER,
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLL,
    REQUEST_MESSAGE,
    REQUEST_BOTH, /* a send and a receive, of which MPICH leaves the status unset */
    REQUEST_GENERALIZED,
    REQUEST_DUP, /* of a communicator */
    REQUEST_KIND_MASK = 7,
    REQUEST_PERSISTENT = 8
};
struct request_info {
    MPI_Request handle;
    uint32_t id; /* 0: the null request, or one that was never seen */
    uint32_t kind;
    uint32_t node; /* where requests.c keeps it */
};
/* seq: of the application's call that made it: it is watched until it completes or is freed; 0: the
 * library's own. kind: enum request_kind, and REQUEST_PERSISTENT. */
uint32_t recorder_request_new(MPI_Request handle, const void *variable, unsigned kind,
                              uint64_t seq);
uint32_t recorder_request_id(void); /* of one that the library has no handle for */
struct request_info recorder_request_find(MPI_Request handle, const void *variable);
/* Asks the library, which has just started, which handles requests share that are complete at once.
 */
void recorder_requests_learn(void);
extern bool recorder_persistent; /* there is, or was, a persistent request */
/* How many communicators of MPI_Comm_idup are known not to be complete. */
extern unsigned recorder_duplicating;
void recorder_duplicate_begun(MPI_Comm made, uint32_t request, uint64_t seq);
/* The call that makes it; 0: it is complete, or not known. */
uint64_t recorder_duplicate_made(MPI_Comm comm);
struct request_state {
    bool idle;     /* null, or persistent and inactive */
    bool active;   /* started, and not completed since */
    bool polled;   /* tested in vain since it began */
    uint64_t made; /* seq of the call that made it; 0: not known */
};
struct request_state recorder_request_state(struct request_info info);
/* For decide.c: the request made last receives from any source, whenever it is started; it was
 * tested in vain since it began, or was not. */
void recorder_request_wildcard(uint32_t id);
void recorder_request_poll(struct request_info info, bool in_vain);
void recorder_request_starting(struct lane *lane, uint64_t seq, struct request_info info);
/* alone: for no other one in the same call. */
void recorder_request_waiting(struct lane *lane, uint64_t seq, struct request_info info,
                              bool alone);
/* The calling thread is about to wait for the request in this variable, and has done so: two
 * threads must not at a time. */
void recorder_request_await(struct lane *lane, uint64_t seq, struct request_info info,
                            const MPI_Request *variable);
void recorder_request_awaited(void);
void recorder_request_cancelling(struct lane *lane, uint64_t seq, struct request_info info);
/* By the program, which only a generalized one lets it do. */
void recorder_request_told_complete(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_request_freeing(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_request_finalizing(struct lane *lane, uint64_t seq);
void recorder_request_forget(struct request_info info);
/* The message that a probe found, until it is received. MPI_MESSAGE_NO_PROC is no message: 0. */
uint32_t recorder_message_new(MPI_Message message, uint64_t seq);
/* Whether a receive of it that returned an error has taken it all the same. MPICH leaves the handle
 * as it was where the message was cut. */
bool recorder_message_taken(const MPI_Message *left, int error);
/* A start is back: the library may have given the request another handle. */
void recorder_request_started(struct request_info info, const MPI_Request *variable);

/* partitions.c. How many are left to be marked once these are; EVENT_NONE: it is no such request.
 */
extern bool recorder_partitioned; /* there is, or was, a partitioned request */
void recorder_request_partitioned(uint32_t id, int count, bool sends);
void recorder_partitions_started(uint32_t id);
void recorder_partitions_gone(uint32_t id);
int recorder_partitions_marked(struct lane *lane, uint64_t seq, struct request_info info, int low,
                               int high);
int recorder_partitions_listed(struct lane *lane, uint64_t seq, struct request_info info,
                               int length, const int *list);
/* The call waits for the request alone, or for all of several. */
void recorder_partitions_awaited(struct lane *lane, uint64_t seq, struct request_info info);
void recorder_partition_asked(struct lane *lane, uint64_t seq, struct request_info info,
                              int partition);
/* Bytes from a partition to the next one. */
int64_t recorder_stride(MPI_Count count, MPI_Datatype type);

/* Like find for a whole list, where equal handles are different requests; infos are valid until the
 * lane's next list. NULL: no memory. */
struct request_info *recorder_request_list(struct lane *lane, int count,
                                           const MPI_Request *request);

/* NULL is what some libraries ignore by, and others refuse. */
static inline bool recorder_status_there(const MPI_Status *status)
{
    return status && status != MPI_STATUS_IGNORE;
}

/* A request completed: its done record, and it is forgotten unless persistent (its variable then
 * still holds it). */
void recorder_done(struct lane *lane, uint64_t seq, uint32_t index, struct request_info info,
                   const MPI_Request *variable, const MPI_Status *status, int error);
/* A whole list did, without an error. status: as many, or MPI_STATUSES_IGNORE. */
void recorder_done_all(struct lane *lane, uint64_t seq, int count, const struct request_info *info,
                       const MPI_Request *variable, const MPI_Status *status);
/* The status of a receive, probe or file operation. */
void recorder_status(struct lane *lane, uint64_t seq, uint32_t message, const MPI_Status *status,
                     int error);
MPI_Status *recorder_statuses(struct lane *lane,
                              int count); /* scratch; MPI_STATUSES_IGNORE when out of memory */
void *recorder_scratch(struct lane *lane, size_t bytes);

#endif
