/* Shared by the files of the in-process MPI: ranks, fibers, the world. world/objects.h has the
 * objects behind mpi.h's opaque handles.
 *
 * Invariants:
 * 1. One world at a time: `world_state`. Its memory comes from the arena and is freed with it:
 * handles are never reused within a world, so a stale handle is recognised by its magic number.
 * 2. A fiber is running, in the ready queue once, or blocked; a blocked fiber is made ready by
 * exactly one event.
 * 3. Posted receives of a rank are in post order, unexpected messages in arrival order; both are
 * searched from the front, so messages of a pair do not overtake each other.
 * 4. A handle made by a rank is on that rank's list until the world ends; a handle not freed by
 * then is a leak. */
#ifndef WORLD_STATE_H
#define WORLD_STATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/check.h"
#include "core/random.h"
#include "world/objects.h"
#include "world/world.h"

struct world_exceptions {
    void *caught;
    unsigned thrown;
};

struct world_fiber {
    void *sp;
    uint8_t *stack; /* lowest usable byte; the guard page is below */
    size_t stack_bytes;
    void *fake_stack; /* the address sanitizer's */
    struct world_exceptions exceptions;
    struct world_rank *rank;
    void (*body)(struct world_fiber *fiber);
    void *argument;
    bool live;
    bool dirty; /* abandoned in the middle of a call: its stack may be poisoned */
    struct world_fiber *paused_next;
    unsigned paused_turn;
    struct world_delayed delayed;
    bool is_rank; /* of a rank or its thread, not of a nonblocking collective */
    /* If several threads of a rank call MPI: the rank's next thread, the number of this one (0: the
     * rank's first), and the thread of the process that runs when this fiber runs
     * (ranks/threads.c). */
    struct world_fiber *sibling;
    uint32_t thread, slot;
    uint32_t helper; /* number of the rank's nonblocking collective, from 1 */
    struct decision_count decisions;
    int32_t forced;   /* answer of its next decision: world_force_answer */
    int waiting;      /* requests that it still waits for */
    bool must_return; /* to wait for another rank is a finding */
    bool stopped;     /* in MPI_Finalize, until the search continues it */
    bool probing;
    const struct world_causes *causes; /* order=explore: decisions that it depends on */
    struct world_decider *decider;     /* the decision that it waits for */
    const void *site;                  /* where the program made the call; NULL: unknown */
    /* For the search by states (ranks/states.c): a hash of the arguments that the call still uses
     * (0: unknown), and what the call overwrites when it returns, or NULL. */
    uint64_t arguments;
    MPI_Status *status;
    int *index;
    /* The rank's current call, for reports. */
    const char *call;
    int peer, tag;
    size_t bytes;
    uint32_t context;
    const char *why;
};

struct world_type_name { /* a rank's name for a predefined datatype, which all share */
    struct world_type_name *next;
    MPI_Datatype type;
    const char *name;
};

struct world_extra {                   /* state of a rank that few programs need */
    struct world_type_name *type_name; /* the latest first */
    struct world_error_code *error_code;
    int error_code_last;
    void **fortran; /* handles by their Fortran number */
    int fortran_count, fortran_room;
    bool from_fortran;              /* some handle has a number */
    MPI_Datatype by_range;          /* types of MPI_Type_create_f90_... */
    MPI_Errhandler file_errhandler; /* of MPI_FILE_NULL: the handler of new files */
    uint32_t sessions;              /* that are not finalized */
    bool sessions_made;
    int partition_count; /* of partitioned sends so far */
};

struct world_rank {
    int rank;
    struct world_fiber *fiber;
    bool initialized, finalized; /* finalized: its last session, too */
    struct ompi_request_t *posted, **posted_end;
    struct world_message *unexpected, **unexpected_end;
    struct world_handle *handles;
    uint64_t clock[2], send_free[2], recv_free[2];
    uint64_t pattern;
    uint32_t send_count, call_count; /* call_count is only kept if calls may be delayed */
    uint64_t *due_to;                /* by rank: tick of the latest message to it; or NULL */
    uint32_t named_receives;         /* receives that have a number; probes count as receives */
    uint32_t held_count;             /* buffered messages to this rank that it has not received */
    size_t held_bytes;
    uint32_t named_count, wildcard_count; /* matched receives: that name their source; wildcards */
    int wildcard_source;                  /* source of all wildcards so far; -2: several */
    int32_t request_count;
    uint32_t idle_polls, alone; /* alone: calls after which the others ran first */
    uint32_t news;              /* events of the rank other than failed polls */
    bool repeats;               /* it only repeats failed polls */
    uint64_t polled_state;      /* its state then, and the number of clock reads so far */
    uint32_t polled_looks;
    void *bsend_buffer;
    size_t bsend_bytes, bsend_used; /* used: by messages that no receive has taken */
    uint32_t bsend_attached;        /* number of buffers attached so far */
    uint32_t bsend_stays;           /* messages in the attached buffer that stay until received */
    struct world_fiber *detaching;  /* waits until there are none */
    struct ompi_communicator_t world, self;
    int self_member;
    uint32_t order_count;                                    /* order=explore */
    uint32_t comm_count, win_count, port_count, epoch_count; /* made so far */
    struct world_group_calls *group_calls;                   /* of MPI_Comm_create_group */
    uint32_t turns; /* times that it continued although it might have waited */
    uint32_t round; /* WORLD->round in which a message of it was last examined */
    struct world_decider *decided;
    struct world_polled *polled;
    struct world_heard *heard;
    struct world_decider *polls; /* its waiting polls of windows */
    struct world_extra *extra;   /* NULL until something in it is needed: world_extra() */
    uint8_t
        *globals; /* this rank's copy of the program's global variables, while other ranks run */
    uint32_t helpers; /* number of fibers that it had besides its own */
    int helper_count; /* of a process: its live fibers that are no rank */
    bool leaving;     /* of a process: it exits as soon as helper_count is 0 */
    /* For the search by states: hashes of the messages that the call received itself, and of its
     * answers; order_count when the call began; memory for the rank's own handles, so that their
     * addresses do not depend on other ranks. */
    uint64_t gained, answered;
    uint32_t order_before;
    bool shorter; /* a message did not fill a buffer that its state leaves out */
    bool inexact; /* a receive that does not name both source and tag got a message */
    bool own;     /* it has sent to itself, outside of collectives */
    uint8_t *slab;
    size_t slab_used, slab_bytes;
};

enum { WORLD_BLOCK_CLASSES = 48 };

struct world_state {
    const struct world_options *options;
    struct world_outcome *outcome;
    struct replay_choice choice;
    struct world_rank *rank;
    int rank_count;
    struct world_fiber *fiber; /* the running one */
    struct world_rank *me;
    struct world_fiber **ready; /* ring */
    uint32_t ready_mask, ready_head, ready_count;
    struct world_fiber *paused; /* by turn; run when none is ready, or others poll in vain */
    uint64_t delayed_levels;    /* of future events: which lists are not empty (delay.c) */
    struct world_delayed_list delayed[WORLD_DELAY_LEVELS];
    uint64_t ticks;
    int live_count;                /* ranks not yet returned */
    bool chosen;                   /* order=random */
    bool stops;                    /* a rank stops in MPI_Finalize (ranks/local.c) */
    struct world_explore *explore; /* order=explore, else NULL */
    uint32_t serial;               /* number of requests so far */
    uint32_t lists;                /* number of lists of requests that were waited for */
    uint32_t handle_count;         /* live handles */
    bool stop;
    bool tag_asked; /* for MPI_TAG_UB */
    int tag_high;   /* highest tag above WORLD_TAG_PROMISED; 0: none */
    uint32_t round; /* number of the search for messages, which examines each sender once */
    uint64_t step_count, step_count_max;
    uint64_t now_ns;
    uint32_t time_streak; /* consecutive reads of the clock */
    uint32_t context_next;
    struct world_port *ports;       /* port.c */
    struct world_channel *channels; /* partitioned.c */
    struct world_service *services; /* published names */
    int keyval_count;
    struct world_heap *heap;
    uint32_t looks;                 /* reads of the clock */
    struct world_file_shared *file; /* open files */
    struct world_part **file_part;  /* order=explore: the order of accesses, by file name */
    struct world_meeting *meeting;
    struct world_message *message_free;
    bool running;
    bool siblings; /* of fibers: some rank has or had several threads */
    bool reduces;  /* a reduction combined more than two operands */
    bool again;    /* the world learned which receives to post late: it runs again */
    struct world_block *block[WORLD_BLOCK_CLASSES]; /* returned ones, by power of two of size */
    /* For the search by states (ranks/states.c): the fiber that runs when no rank can continue;
     * NULL: there is no such search. */
    struct world_fiber *searcher;
    const uint8_t *begun_end; /* end of the arena at the first decision; NULL: none yet */
};

extern struct world_state world_state;

#define WORLD (&world_state)
#define ME (world_state.me)

/* arena.c: allocates memory of one world. Never returns NULL: an exhausted budget ends the world
 * with a finding. */
void *world_alloc(size_t bytes);
void *world_zalloc(size_t bytes); /* zeroed */
char *world_strdup(const char *text);
/* Allocates memory that worlds of processes return with the same size, as their programs exchange
 * much; fibers take it from the arena until the world ends. */
void *world_block_reuse(size_t bytes);
void world_block_return(void *block, size_t bytes);
static inline void *world_block_take(size_t bytes)
{
    return WORLD_PROCESSES ? world_block_reuse(bytes) : world_alloc(bytes);
}
static inline void world_block_give(void *block, size_t bytes)
{
    if (WORLD_PROCESSES)
        world_block_return(block, bytes);
}
char *world_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct world_heap {
    struct world_heap *next;
    void *block;
    size_t bytes;
    bool mapped;
};
/* Allocates a zeroed block of its own, so that the address sanitizer sees accesses past its end. It
 * is freed with the world at the latest. */
void *world_heap_alloc(size_t bytes);
void *world_heap_sparse(size_t bytes);
void world_heap_free(void *block);
void world_heap_end(void);
void world_arena_reset(void);
void world_arena_used(uint8_t **out_begin, uint8_t **out_end); /* of the current chunk */
void world_arena_forget(void); /* keeps what was allocated, and allocates no more of this memory */
void world_arena_done(void);

/* globals.c: every rank's own copy of the program's global variables. */
extern size_t world_globals_bytes;
void world_globals_start(
    void); /* of a world; from now on world_globals_bytes tells whether there are any */
void world_globals_hold(
    struct world_rank *rank); /* its values are in place; only where there are any */
const uint8_t *world_globals_of(const struct world_rank *rank); /* NULL: unchanged */
void world_globals_end(void);
void world_globals_done(void);

/* fiber.c */
/* Makes another thread of a rank that is a process; it has a stack. */
struct world_fiber *world_fiber_thread(struct world_rank *rank, uint32_t thread);
/* Runs the fiber to its end on its own thread, and returns the next one; NULL if none can run. */
struct world_fiber *world_fiber_serve(struct world_fiber *fiber);
void world_fiber_drop(struct world_rank *rank); /* its threads end wherever they are */
struct world_fiber *world_fiber_get(struct world_rank *rank, void (*body)(struct world_fiber *),
                                    void *argument);
void world_fiber_ready(struct world_fiber *fiber);
void world_fiber_block(void);    /* runs others until made ready */
void world_fiber_yield(void);    /* lets the others run first */
void world_pause_end(void);      /* makes the first paused fiber ready */
_Noreturn void world_stop(void); /* gives up the world, from inside a fiber */
/* Does the same when the program ended the world: under order=explore the other ranks first run as
 * far as they can. */
_Noreturn void world_end_job(void);
struct world_fiber *world_fiber_next(void); /* the next one to run, entered; NULL: none can */
void world_fiber_loop(void);                /* from the main context: runs fibers until none can */
void world_fiber_reset(void);
void world_fiber_done(void);
enum core_status world_fiber_reserve(int count, size_t stack_bytes);

/* delay.c: sleeping fibers and pending messages, by the tick at which they are due. */
void world_delayed_call(void);          /* delays the running rank before its call */
uint32_t world_delayed_ticks(int dest); /* delay of the running rank's message; 0: none */
void world_delayed_message(struct world_message *message, struct world_rank *dest, uint32_t ticks);
bool world_delayed_next(void); /* advances time to the next event; false: there is none */
void world_delayed_tick(void); /* advances time by one tick */

/* ranks/: only in worlds of processes. */
/* Switches to the process of `to` and returns when this process is scheduled again: the fiber of
 * this process that runs. NULL: no fiber can run, so the world is over. */
struct world_fiber *world_process_switch(struct world_fiber *from, struct world_fiber *to);
/* Starts a thread for a helper fiber, if threads call MPI; false: the fiber needs a stack. */
bool world_process_host(struct world_fiber *fiber);
uint8_t *world_process_stack(size_t bytes); /* of a helper fiber, private */
void world_process_stack_ended(uint8_t *stack);
/* Runs the function in the process of that rank, which owns the memory that it touches. */
void world_process_at(struct world_rank *rank, void (*run)(void *argument), void *argument);
void world_process_changes(const char *file); /* before the rank changes or removes the file */
int world_process_init(int required); /* called by MPI_Init; returns the MPI_THREAD_... provided */
/* Before the first call after MPI_Init that differs between ranks there is one process. */
extern bool world_process_early;
extern bool world_process_alone;   /* no rank exists yet: the process's memory is its own */
void world_process_begin(void);    /* forks the ranks: returns in every rank of a world */
int world_process_threads(void);   /* the MPI_THREAD_... provided */
extern bool world_process_several; /* this rank has had several threads that may call MPI */
/* guard.c: makes the program's own loads and stores in window memory turns. */
struct world_part;
extern int world_process_depth;                    /* of nested calls of MPI */
extern bool world_process_guards;                  /* guarded memory exists */
void world_process_guard(struct world_part *part); /* guards the running rank's part if it can */
void world_process_unguard(const struct world_part *part);
void world_process_guard_open(void);
void world_process_guard_close(void);
void world_process_guard_end(void);                       /* nothing is seen from now on */
void world_process_guard_looked(struct world_part *part); /* it covers the loads that follow */
bool world_process_is_main(void);                         /* the calling thread is the first one */
const void *world_process_site(void); /* address in the program that called this library */
/* Ends the world if the program has loaded something built for another MPI library. */
void world_process_loaded(void);
/* Returns a hash of the running rank's state: if it is equal, the rank will do the same until it
 * gets something new. 0: unknown. */
uint64_t world_process_state(void);
/* For the search by states: notes that the two ranks have exchanged something. */
void world_process_met(int rank, int other);
void world_process_aborts(int code);
/* Tells the runner the rank's current call. */
void world_process_stands(const struct world_fiber *fiber, const char *why);
void world_process_asked(uint32_t options, enum replay_reason reason, uint32_t answer);
void *world_process_memory(size_t *out_bytes); /* all memory of the arena */
void *world_process_table(size_t bytes);       /* zeroed, never freed */

/* Tells whether the running rank has or had several threads that call MPI. */
static inline bool world_several(void)
{
    return WORLD_PROCESSES ? world_process_several : UNLIKELY(world_state.siblings);
}

/* Asks the choice source of the world. */
static inline uint32_t world_choose(uint32_t options, enum replay_reason reason)
{
    uint32_t answer = replay_choice_take(&WORLD->choice, options, reason);
    CORE_CHECK_HOT(answer < options || options == 0);
    if (WORLD_PROCESSES)
        world_process_asked(options, reason, answer);
    return answer;
}

/* Returns a request that lives no longer than a call: on the stack of a fiber. */
static inline struct ompi_request_t *world_request_local(struct ompi_request_t *here)
{
    struct ompi_request_t *local = WORLD_PROCESSES ? world_block_take(sizeof *local) : here;
    local->checked = true;
    local->persistent = local->freed = false;
    return local;
}
static inline void world_request_local_end(struct ompi_request_t *local)
{
    if (WORLD_PROCESSES)
        world_block_give(local, sizeof *local);
}

/* world.c */
/* Begin a world, up to where its ranks can start, and end it after them. */
enum core_status world_open(const struct world_options *options, struct world_outcome *outcome);
void world_close(void);
void world_rank_leave(struct world_rank *me, int status); /* reports what the rank left */
void world_found(enum world_rule rule, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Arguments of a send or receive; peer is a world rank. */
/* message: of a send whose data is reported too, else NULL. */
void world_emit_message(enum world_event_kind kind, const struct ompi_request_t *request,
                        const struct world_message *message, int peer, uint64_t bytes, bool flag);
void world_emit(enum world_event_kind kind, int peer, int tag, uint32_t context, uint64_t bytes,
                int32_t request, bool flag);
/* Record events that others wait for, and those who waited for them: for order=explore. */
enum world_gate {
    GATE_MEETING,   /* number */
    GATE_BEGUN,     /* a nonblocking collective: rank, its helper */
    GATE_ENDED,     /* the same */
    GATE_POSTED,    /* an exposure epoch: window, its rank, the rank that may access it */
    GATE_COMPLETED, /* window, its rank */
    GATE_SHARED,    /* a shared lock was released: window, its rank */
    GATE_EXCLUSIVE, /* an exclusive lock was released: window, its rank */
    GATE_CANCELLED, /* a receive: its rank, request */
    GATE_CHANNEL,   /* communicator, sender, first tag of its partitions */
    GATE_TURN       /* an operation: window or file, its rank, name */
};
void world_gate_give(enum world_gate gate, uint32_t object, int rank, int name);
void world_gate_cancel(const struct ompi_request_t *recv);
void world_gate_need(enum world_gate gate, uint32_t object, int rank, int name);
int world_error(MPI_Comm comm, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Does the same for windows and files; `object`: what their handler gets a pointer to. */
int world_error_on(MPI_Errhandler handler, void *object, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *world_error_name(int code);
struct world_extra *world_extra(void); /* of the running rank */
void world_step_limit(void);           /* returns unless the limit is reached */
void world_thread_check(void);
void world_thread_leave(void); /* before another rank's global variables are put in place */
void world_poll_count(void);   /* detects a livelock */
void world_poll_failed(void);  /* a test or probe failed: lets others run, detects a livelock */
void *world_handle_new(enum world_handle_kind kind, size_t bytes);
void world_handle_kill(struct world_handle *handle);
void world_not_initialized(void);
/* Tells whether the rank has begun with MPI, and whether it has ended all that it began. */
static inline bool world_rank_began(const struct world_rank *rank)
{
    return rank->initialized || (rank->extra && rank->extra->sessions_made);
}
static inline bool world_rank_ended(const struct world_rank *rank)
{
    return rank->finalized && !(rank->extra && rank->extra->sessions);
}

void world_turn_wake(struct world_rank *rank); /* explore_access.c: lets its polls run again */
/* explore_states.c: the world did what prevents comparing states; why: a literal. */
void world_states_beyond(const char *why);
void world_states_called(const char *call); /* called after the first decision */
/* Notes the pointers that the call still uses while it waits, and which of them it overwrites. */
static inline void world_call_uses(const void *const pointer[], int count, MPI_Status *status,
                                   int *index)
{
    if (!WORLD_PROCESSES || LIKELY(!WORLD->searcher))
        return;
    uint64_t hash = 1;
    for (int i = 0; i < count; i++)
        hash = core_random_mix(hash ^ (uintptr_t)pointer[i]);
    WORLD->fiber->arguments = hash | 1;
    WORLD->fiber->status = status;
    WORLD->fiber->index = index;
}
#define CALL_USES(status, index, ...)                                                           \
    world_call_uses((const void *const[]){__VA_ARGS__},                                         \
                    (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)), status, \
                    index)

static inline void world_news(struct world_rank *rank)
{
    rank->idle_polls = 0;
    rank->news++;
    if (UNLIKELY(rank->polls != NULL))
        world_turn_wake(rank);
}

static inline bool handle_good(const void *handle, enum world_handle_kind kind)
{
    return handle && ((const struct world_handle *)handle)->magic == (uint32_t)HANDLE_MAGIC + kind;
}

/* The name of the large-count form that is about to make the next call; NULL: none. */
extern const char *world_form;

/* Begins every MPI call: notes the call, counts it, and may let other ranks run. */
static inline void world_enter_any_time(const char *call)
{
    CORE_CHECK_HOT(WORLD->running && WORLD->fiber->rank == ME);
    if (UNLIKELY(world_form != NULL)) {
        call = world_form;
        world_form = NULL;
    }
    WORLD->fiber->call = call;
    if (WORLD_PROCESSES) {
        WORLD->fiber->site = world_process_site();
        WORLD->fiber->arguments = 0;
        WORLD->fiber->status = NULL;
        WORLD->fiber->index = NULL;
        ME->gained = ME->answered = 0;
        ME->order_before = ME->order_count;
        if (UNLIKELY(WORLD->begun_end != NULL))
            world_states_called(call);
        world_process_loaded();
    }
    if (UNLIKELY(++WORLD->step_count > WORLD->step_count_max))
        world_step_limit();
    if (UNLIKELY(WORLD->options->policy.delay != REPLAY_DELAY_NONE))
        world_delayed_call();
    if (UNLIKELY(WORLD->chosen) && world_choose(4, REPLAY_REASON_SCHEDULE) == 1)
        world_fiber_yield();
}
static inline void world_enter_local(const char *call)
{
    world_enter_any_time(call);
    if (UNLIKELY(!ME->initialized || ME->finalized))
        world_not_initialized();
}
static inline void world_enter(const char *call)
{
    if (WORLD_PROCESSES && UNLIKELY(world_process_early))
        world_process_begin();
    world_enter_local(call);
}
#if WORLD_PROCESSES
/* One thread of a rank runs at a time (ranks/threads.c). */
extern bool world_process_watched; /* a thread other than the main one may call MPI, or exists */
/* Lets the thread into MPI when it is its turn; call: NULL, any thread may do it at any time.
 * Returns whether the thread has to leave MPI again by world_process_thread_unlock. */
bool world_process_thread_lock(const char *call);
bool world_process_stray(void); /* the thread may not enter, and has no fiber */
void world_process_thread_unlock(void);
static inline bool world_thread_come(const char *call)
{
    const bool alone = UNLIKELY(world_process_watched) && world_process_thread_lock(call);
    if (world_process_depth++ == 0 && UNLIKELY(world_process_guards))
        world_process_guard_open();
    return alone;
}
static inline void world_thread_go(const bool *alone)
{
    if (--world_process_depth == 0 && UNLIKELY(world_process_guards))
        world_process_guard_close();
    if (UNLIKELY(*alone)) /* the call may have set the thread level since */
        world_process_thread_unlock();
}
#define ALONE(call) \
    __attribute__((cleanup(world_thread_go), unused)) const bool alone = world_thread_come(call);
#else
#define ALONE(call)
static inline bool world_process_stray(void)
{
    return false;
}
#endif
#define ENTER(call) ALONE(call) world_enter(call)
/* For a call that MPI allows to any thread, whatever the level. */
#define ENTER_FREE(call) ALONE(NULL) world_enter(call)
/* For a call that does the same on every rank and communicates with none. */
#define ENTER_LOCAL(call) ALONE(call) world_enter_local(call)
/* For a call that does not need MPI_Init before it (MPI 4). */
#define ENTER_ANY_TIME(call) ALONE(call) world_enter_any_time(call)

/* Returns the calling rank's own object of a handle that all ranks share. */
static inline MPI_Comm comm_of(MPI_Comm comm)
{
    if (LIKELY(comm == (MPI_Comm)&ompi_mpi_comm_world))
        return &ME->world;
    if (comm == (MPI_Comm)&ompi_mpi_comm_self)
        return &ME->self;
    return handle_good(comm, HANDLE_COMM) ? comm : NULL;
}

/* Returns the world rank of a communicator's peer; keeps MPI_ANY_SOURCE. */
static inline int world_peer(MPI_Comm comm, int peer)
{
    return peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE
                                  : (comm->remote_size ? comm->remote : comm->member)[peer];
}

/* match.c */
void world_send_post(struct ompi_request_t *request);
void world_recv_post(struct ompi_request_t *request);
void world_message_arrive(struct world_message *message, struct world_rank *dest);
struct world_message *world_match_find(struct world_rank *rank, uint32_t context, int source,
                                       int tag, bool take);
void world_message_receive(struct ompi_request_t *request, struct world_message *message);
/* Makes a buffered send unbuffered: it then completes when it is received. */
void world_message_unbuffer(struct world_message *message, struct ompi_request_t *send,
                            struct world_rank *dest);
void world_request_complete(struct ompi_request_t *request);
void world_request_deliver(struct ompi_request_t *request); /* late data */
/* Does the work of completion: late data, clocks, the check of the send buffer. */
void world_request_finish(struct ompi_request_t *request);
void world_request_wait(struct ompi_request_t *request);
bool world_recv_unpost(struct ompi_request_t *request);
void world_match_report_leftovers(void);

/* wait.c, p2p.c */
struct world_general {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *state;
    bool fortran; /* the three functions are in Fortran */
};
/* Returns a complete request; `finish` runs when it is waited for or tested. */
struct ompi_request_t *world_request_deferred(struct world_deferred *deferred);
/* Tells whether an active request is complete; the program keeps it. Counts a failed poll. */
bool world_request_look(struct ompi_request_t *request);
void world_wait_describe(const struct ompi_request_t *request);
/* Report a wait for other ranks of the communicator, which may be NULL, where the rank is in a call
 * that must return (world_must_return). */
void world_wait_noted(MPI_Comm comm);
void world_wait_allowed(const struct ompi_request_t *request);
struct ompi_request_t *world_request_new(enum world_request_kind kind);
/* Makes an active request that a fiber of its own completes: world_helper_start. */
struct ompi_request_t *world_request_helped(MPI_Comm comm);
void world_coll_start(struct ompi_request_t *request);  /* coll_calls.c */
void world_parts_start(struct ompi_request_t *request); /* it completes when all its parts have */
void world_partitions_start(struct ompi_request_t *request); /* newer/partitioned.c */
int world_p2p_check(MPI_Comm comm, const void *buffer, MPI_Count count, MPI_Datatype type, int peer,
                    int tag, bool send);
int world_isend(const void *buffer, size_t count, MPI_Datatype type, int dest, int tag,
                MPI_Comm comm, uint32_t context, enum world_mode mode,
                struct ompi_request_t *request);
int world_irecv(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                uint32_t context, struct ompi_request_t *request);

/* comm.c */
/* A meeting of all members of a communicator: each stores a pointer and continues once the last
 * member has arrived. No message is sent. For an intercommunicator both groups meet, the group with
 * the lowest world rank first. */
struct world_meeting {
    struct world_meeting *next;
    uint32_t key, number;
    int first, arrived, size;
    const char *call;
    int root;         /* on an intercommunicator: rank of the world, or -1 */
    int alone;        /* there: one that passed MPI_PROC_NULL; -1: none did */
    const char *op;   /* NULL: the call reduces nothing, or by an operation of the program's own */
    uint32_t context; /* a new context, the same for all members */
    void **slot;
    struct world_arrival *arrival; /* in their order */
    const struct world_causes *causes;
};
struct world_arrival {
    int place, needs;
    struct world_fiber *waiting; /* NULL: it has continued */
    const struct world_causes *causes;
};
enum { MEET_ALL = -1, MEET_NOBODY = -2 };
struct world_meeting *world_meet(MPI_Comm comm, void *mine);
/* Does the same, but where collectives wait for data alone it waits for one member: the slot
 * `needs`, or MEET_ALL or MEET_NOBODY. */
struct world_meeting *world_meet_for(MPI_Comm comm, void *mine, int needs);
/* Compares this collective call with the other members' calls of the same number, which it returns.
 */
uint32_t world_collective_enter(MPI_Comm comm, const char *call, int root, const char *op);
/* Starts `body` on a fiber of its own; the request completes when the body says so. */
void world_helper_start(struct ompi_request_t *request, void (*body)(struct world_fiber *),
                        void *argument);
/* Makes a communicator of a group, with the error handler of `like`; `key` distinguishes the calls
 * of a group. Returns MPI_COMM_NULL on a rank that is no member. */
MPI_Comm world_comm_of_group(MPI_Group group, uint64_t key, MPI_Comm like);
MPI_Comm world_comm_new(uint32_t context, int rank, int size, const int *member, MPI_Comm parent);
int world_comm_check(MPI_Comm comm, MPI_Comm *out_comm);

/* attr.c; object: the handle as the callbacks get it */
enum world_attribute_owner { OF_COMM, OF_TYPE, OF_WIN };
/* Creates a key with callbacks in Fortran; wide: values have the size of an address. */
int world_keyval_fortran(enum world_attribute_owner owner, void *copy, void *drop, MPI_Aint extra,
                         bool wide, int *out_key);
/* Sets the functions of MPICH's Fortran library that call a key's callbacks, and are told the kind
 * of the value. */
enum { WORLD_ATTRIBUTE_AINT = 1 };
typedef int world_copy_proxy_fn(MPI_Comm_copy_attr_function *copy, int object, int key, void *extra,
                                int kind, void *in, void **out, int *flag);
typedef int world_delete_proxy_fn(MPI_Comm_delete_attr_function *drop, int object, int key,
                                  int kind, void *value, void *extra);
void world_keyval_proxy(int key, world_copy_proxy_fn *copy, world_delete_proxy_fn *drop);
/* Converts a predefined attribute for Fortran; keeps others as they are. */
MPI_Aint world_attribute_number(int key, void *value);
int world_attributes_copy(struct world_attribute *from, void *object, struct world_attribute **to);
int world_attributes_drop(struct world_attribute **from, void *object);
/* fortran.c: converts a handle for the program's callbacks: to their own, if a shim (shims/) is
 * between the program and this library. */
#ifdef WORLD_SHIM
MPI_Fint world_handle_number(void *handle);
void *world_number_handle(enum world_handle_kind kind, MPI_Fint number); /* NULL: it is none */
#define world_program_handle(handle) ((void *)(intptr_t)world_handle_number(handle))
#else
#define world_program_handle(handle) ((void *)(handle))
#endif
/* 0 until the first call from Fortran, whose library does not ask for numbers. */
MPI_Fint world_group_number(MPI_Group group);
/* Visits the handles whose numbers a range may hold. */
void world_numbers_each(const struct world_rank *rank, const void *begin, size_t bytes,
                        world_range_fn visit, void *context);
/* Visit values and extra states of keys, which may be addresses. */
void world_attributes_each(const struct world_attribute *first, world_range_fn visit,
                           void *context);
void world_keyvals_each(world_range_fn visit, void *context);
static inline void *comm_handle(MPI_Comm comm)
{
    return comm == &ME->world ? MPI_COMM_WORLD : comm == &ME->self ? MPI_COMM_SELF : comm;
}

/* env.c: copies what an object keeps of its info, and makes a new info from that copy, which the
 * caller frees. */
struct world_info_entry *world_info_keep(MPI_Info info);
/* Replaces the communicator's info. */
void world_comm_info(MPI_Comm comm, MPI_Info info);
MPI_Info world_info_new(const struct world_info_entry *entry);

/* group.c */
MPI_Group world_group_new(const int *member, int size);

/* op.c: computes b = a op b over count adjacent basics. */
bool world_op_apply_basic(MPI_Op op, uint32_t basic, const void *a, void *b, int count);
/* Tells whether MPI_Accumulate and its relatives may use the operation: 0 no, 1 yes, 2 it replaces,
 * 3 it does nothing. */
int world_op_remote(MPI_Op op);
/* Tells whether the result may depend on the order of operations, because it rounds. */
bool world_op_rounds(MPI_Op op, MPI_Datatype type);

#endif
