/* The in-process MPI: a world of ranks, each a fiber of one process, against the unmodified mpi.h
 * of Open MPI. This header says how to run such a world; it needs no mpi.h. The ranks' code calls
 * MPI_* as usual and is linked with libworld.a in place of libmpi.
 *
 * A process runs one world at a time and has no threads. The same options and choices always give
 * the same outcome. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/policy/policy.h"
#include "world/rule.h"

enum {
    WORLD_RANKS_MAX = 4096,
    WORLD_FINDINGS_MAX = 16,
    WORLD_TEXT_MAX = 1024,
    WORLD_TAG_PROMISED = 32767 /* MPI guarantees tags up to here, whatever MPI_TAG_UB says */
};

enum world_event_kind {
    WORLD_EVENT_SEND,   /* a send was posted: peer, tag, context, bytes, request; flag: buffered */
    WORLD_EVENT_RECV,   /* a receive was posted; peer and tag may be -1 */
    WORLD_EVENT_MATCH,  /* rank received from peer; request is the receiver's */
    WORLD_EVENT_WAIT,   /* rank continued after this request had completed */
    WORLD_EVENT_PROBE,  /* order=explore: rank found a message of peer; request sent it */
    WORLD_EVENT_DETACH, /* rank detached its buffer, and all its sends since then left it */
    /* order=explore, what ranks wait for besides messages; `digest` names it */
    WORLD_EVENT_GIVE,  /* rank did its part of it; request: a receive that was cancelled, or -1 */
    WORLD_EVENT_NEED,  /* rank continued after all parts so far */
    WORLD_EVENT_BLOCK, /* rank is blocked */
    WORLD_EVENT_CALL,  /* rank entered another call of interest (collectives, communicators);
                          peer: root or -1 */
    /* In a world of fibers: */
    WORLD_EVENT_RMA,  /* a one-sided operation at peer, of so many bytes, or a synchronisation
                         with peer, -1 for all */
    WORLD_EVENT_FREED /* rank freed the request of a pending message */
};

struct world_event { /* all ranks are world ranks */
    enum world_event_kind kind;
    int rank, peer, tag;
    uint32_t context; /* even: point-to-point, odd: collectives */
    uint32_t number;  /* of the application's standard send: R.#N of a policy; else 0 */
    uint64_t bytes;
    int32_t request; /* numbered per rank from 0 */
    uint32_t thread; /* of the rank; 0: its first */
    uint32_t helper; /* not 0: number of the rank's nonblocking collective that does this */
    bool beside;     /* another thread of the rank runs meanwhile */
    bool flag;
    bool persistent;  /* of a request that was started */
    bool standard;    /* a send that the library may buffer */
    bool attached;    /* a send into the attached buffer */
    const char *call; /* MPI_Send */
    uint64_t site;    /* where the program called it; 0: unknown */
    /* order=explore: hash of a send's bytes, and its first element */
    uint64_t digest, first;
    char first_kind; /* 'i', 'u', 'f': a signed, unsigned or floating-point number; 0: other */
    uint8_t first_bytes;
};

typedef void (*world_event_fn)(void *context, const struct world_event *event);
/* The body of a rank. It returns the rank's exit status; a status other than 0 is reported. */
typedef int (*world_rank_fn)(int rank, void *context);

struct world_options {
    int rank_count;
    world_rank_fn run;
    void *context;
    /* The policy, as far as it applies in process (replay_policy_check): buffering; order=random,
     * which chooses the order of ranks, matches and completions instead of first come, first
     * served; order=explore, where ranks run until none can and one thing is decided then; delays,
     * in ticks of a microsecond. A tick passes when no rank can continue, or with a failed poll.
     * Messages between two ranks do not overtake each other. */
    struct replay_policy policy;
    int tag_ub;       /* value of MPI_TAG_UB; 0: 2^31 - 1 */
    bool late;        /* received data reaches its buffer when the request completes, not earlier */
    bool initialized; /* the ranks start with MPI_Init done and end without MPI_Finalize */
    bool hollow;      /* one-sided operations move no data: their memory need not exist */
    /* For order=explore: the only turns that the world has, with their answers; turns that conflict
     * come in this order. NULL: turns are decided freely. */
    const struct replay_names *turns;
    /* How long a collective of MPI waits, and a call that makes a communicator: as the messages of
     * its algorithm do; for the ranks alone whose data it needs (if each of a group could give
     * them, for its last); for all ranks, with operations that commute in another order, and
     * MPI_Comm_free as well. MPI leaves that to the library. */
    enum world_coll_waits {
        WORLD_WAITS_AS_USUAL,
        WORLD_WAITS_FOR_DATA,
        WORLD_WAITS_FOR_ALL
    } waiting;
    /* For order=explore: other machines and orders of the ranks, which MPI leaves to the library,
     * are among the behaviours, and count as not explored. */
    bool layouts;
    bool warn_types; /* a receive whose basic types differ from those of the send is a finding */
    struct replay_choice choice; /* source of all decisions; all zero: the default order */
    uint64_t step_count_max;     /* MPI calls in all; 0: 100 million */
    bool reduce_last;            /* reductions combine from the last operand on; else as a tree */
    uint32_t look_ns; /* longest step of the clock at a call that reads it; each call takes its
                         own step. 0: a microsecond each */
    uint32_t left_ms; /* ranks that are processes: time limit of the world; 0: none */
    size_t memory_bytes_max; /* for messages and handles; 0: 1 GiB */
    size_t stack_bytes;      /* of each rank; 0: 1 MiB. The first world of the process decides. */
    world_event_fn event;    /* NULL: none */
    void *event_context;
    void (*returned)(void); /* NULL, or called when all ranks have returned, before their memory
                               is freed: see world_kept_ranges */
    uint8_t *pattern;       /* NULL, or counters that the communication pattern increments */
    size_t pattern_count;   /* a power of two */
};

/* A decision under order=explore; world/exchange/explore.h defines the answers. */
struct world_decision {
    enum replay_reason reason;
    int rank;
    uint32_t number; /* counts the rank's decisions from 1; rank and number name the decision */
    char call[32];
    uint64_t site;      /* the call's address in the program; 0: unknown */
    bool poll;          /* answer 0: it found nothing; what it finds counts from 1 */
    bool set;           /* the answer is a set of bits */
    bool touch;         /* a turn: the rank's own load or store (loads=turns) */
    bool common;        /* such a turn of any rank, in the memory of MPI_Win_allocate_shared */
    bool reads;         /* a turn that changes nothing */
    bool behind_site;   /* it touches low after its site, before the rank's next call */
    bool given;         /* the policy named it */
    uint64_t low, high; /* window bytes that a turn certainly touches; equal: unknown */
    uint32_t place;     /* of a turn: the object's how many-th; number - place names the object */
    uint64_t mark;      /* hash of the turn and its causes, equal wherever it comes */
    uint32_t receive;   /* of a receive or probe: R.#N of a policy; else 0 */
    int32_t answer;
    uint32_t option_first, option_count; /* possible answers, in option[] */
};
/* Names a rank's own load or store where a call's name is expected. */
#define WORLD_LOAD "a load"
#define WORLD_STORE "a store"
struct world_option {
    int32_t answer;
    /* For a turn: the number of latest turns that it is independent of, so that it is the same
     * before or after each of them. */
    uint32_t independent;
};
/* An answer that became possible without the decision: the decision would have had it if it had
 * been put off. */
struct world_missed {
    uint32_t decision;
    uint32_t before; /* first decision that this answer would have had to precede */
    int32_t answer;
    bool there;                          /* already possible when the policy's answer was given */
    uint32_t causes_first, causes_count; /* in causes[]: decisions that it needs */
};
/* Two ranks that use a file without MPI, one of which changes it, and no order by MPI. */
struct world_file_race {
    bool found;
    int32_t rank[2]; /* sorted */
    char name[64];
};
/* Events that reach a rank at times which no decision determines. */
enum world_outside {
    WORLD_OUTSIDE_NONE,
    WORLD_OUTSIDE_SIGNALS, /* of a timer with a handler, or sent to another rank */
    WORLD_OUTSIDE_SOCKETS,
    WORLD_OUTSIDE_REDUCE, /* the order in which a reduction combines: explore/chance.c finds it */
    WORLD_OUTSIDE_CHANCE, /* random numbers of the system; else explore/chance.c finds it */
    WORLD_OUTSIDE_NUMBER, /* its rank, from the environment before MPI_Init */
    WORLD_OUTSIDE_QUEUES, /* named pipes and semaphores, message queues, those of System V */
    WORLD_OUTSIDE_COUNT
};
struct world_decisions {
    const struct world_decision *decision;
    const struct world_option *option;
    const struct world_missed *missed;
    const uint32_t *causes;
    uint32_t decision_count, option_count, missed_count, causes_count;
    bool cut;         /* it ended because an answer of the policy was not possible */
    bool unknown;     /* some answers are unknown: each answer is to be tried */
    bool unfinished;  /* broken off from outside: its outcome is unknown */
    bool overdue;     /* unfinished because it took longer, or needed more, than a world may */
    bool early;       /* a rank ended it while others could continue; what those would have done
                         is unknown */
    bool limited;     /* more was possible than is reported here */
    bool subsets;     /* of complete requests, more sets were possible than are reported here */
    bool overtaking;  /* messages that overtake each other were possible as well */
    bool asked_again; /* a failed poll was repeated: it then finds what comes */
    bool touched;     /* it has turns of ranks' own loads and stores */
    /* Accesses that are not recorded and may race: a rank's loads and stores in window memory that
     * other ranks access; those of several threads in any memory of their rank; those in memory
     * that ranks share by themselves. */
    bool blind_windows, blind_threads, blind_shared;
    enum world_outside outside; /* of the first rank with any: outside_rank */
    int32_t outside_rank;
    struct world_file_race race;
};

struct world_finding {
    enum world_rule rule;
    int rank; /* -1: the world */
    char text[WORLD_TEXT_MAX];
};

struct world_outcome {
    struct world_finding finding[WORLD_FINDINGS_MAX];
    int finding_count;
    int finding_dropped; /* number of findings beyond the table */
    bool finished;       /* every rank returned */
    uint64_t message_count, byte_count, step_count;
    /* Finishing time with (alpha, beta) = (1, 0) and (0, 1 a byte), single port, full network.
     * Ports are assigned in the order of matching, so competing messages may be served in another
     * order than in the model. The time is never too small if each rank has at most one send and
     * one receive under way; otherwise it is an estimate. */
    uint64_t round_count, word_bytes;
    /* The highest tag above WORLD_TAG_PROMISED that the program used without a query of MPI_TAG_UB;
     * 0: none. */
    int tag_high;
    /* A rank that received from MPI_ANY_SOURCE several times, always from the same rank, while
     * other ranks named their sources: most likely it computed a rank wrongly, as in (rank - 1) %
     * size. -1: none. */
    int wildcard_rank, wildcard_source;
    uint64_t pattern_hash;                   /* of each rank's sequence of messages */
    const struct world_decisions *decisions; /* order=explore, else NULL; until the next world */
};

/* Why a search by states (processes.h) fails although it may succeed without buffers. */
#define WORLD_STATES_SHORTER "a message is shorter than its receive"

/* Runs the world to its end or to its first fatal finding. Returns CORE_OK if the world ran,
 * whatever was found; otherwise CORE_BAD_INPUT or CORE_NO_MEMORY. Always writes all of
 * *out_outcome. */
enum core_status world_run(const struct world_options *options, struct world_outcome *out_outcome);

/* Frees the stacks and memory that are kept between worlds. */
void world_done(void);

/* Returns the rank whose fiber runs now; -1 outside of a world. */
int world_rank(void);
/* Reports a finding from inside a rank; the world continues. */
void world_note(enum world_rule rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does the same and ends the world. */
_Noreturn void world_give_up(enum world_rule rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the rank whose stack's guard page holds this address, or -1. Safe in a signal handler. */
int world_stack_owner(const void *address);
/* Allocates memory of the running world, which is freed with it at the latest. Sanitizers do not
 * watch it. */
void *world_take(size_t bytes);
void world_give(void *block, size_t bytes);
/* Moves bytes as memmove does; a large block takes time only for the pages that were ever written.
 */
enum { WORLD_LARGE = 64 << 20 };
void world_move(void *to, const void *from, size_t bytes);
/* For order=explore: forces the answer of the calling thread's next decision, unless the policy
 * names one. A forced 0 also lets a poll that failed before fail again at once instead of waiting.
 * WORLD_ANSWER_NEVER: the decision is never made. WORLD_ANSWER_FREE (the default): it is not
 * forced. */
enum { WORLD_ANSWER_FREE = INT32_MIN, WORLD_ANSWER_NEVER };
void world_force_answer(int32_t answer);
/* Tells whether the calling rank is in a call that must return whatever other ranks do. */
void world_must_return(bool inside);
/* In a world of fibers: sets the place in the program of the calling rank's next calls. */
void world_site(uint64_t site);
/* Counts the calling thread's decisions so far. */
uint32_t world_decided(void);
/* In a world of fibers, under order=explore: starts another thread of the calling rank, which
 * inherits the causes of the calling thread. Its decisions and turns are numbered as those of
 * thread `number`, from 1. The world waits for it only in world_thread_block, until another thread
 * wakes it. */
void world_thread_begin(uint32_t number, void (*run)(void *argument), void *argument);
void world_thread_block(void);
void world_thread_wake(uint32_t number);
/* Returns the causes of the calling thread so far; adds those of another one to it. */
const void *world_thread_causes(void);
void world_thread_behind(const void *causes);
/* Sets the number that names the communicator (MPI_Comm) in turns (policy.h). */
void world_comm_object(void *comm, uint32_t object);
/* Pauses the calling rank until no other rank can continue, or the others poll in vain: it acts as
 * the slowest rank. Of several paused ranks, the one with the lowest turn continues first; of equal
 * ones, the latest. */
void world_pause(unsigned turn);
/* Visits memory that the ranks keep when all have returned, for options->returned, as ranges that
 * may hold addresses: their global variables, and what MPI was given to keep (attributes of the
 * first communicators, extra states, a buffer for sends). */
typedef void (*world_range_fn)(void *context, const void *begin, size_t bytes);
void world_kept_ranges(world_range_fn visit, void *context);
/* Visits objects of MPI that are not freed and may be kept until MPI_Finalize, as ranges that begin
 * at the handle: communicators, groups, datatypes, operations, error handlers, infos, persistent
 * requests.
 */
void world_left_handles(world_range_fn visit, void *context);
/* Marks such a handle as reachable, so that it is not reported as leaked; visits its attributes. */
void world_handle_keep(void *handle, world_range_fn visit, void *context);
/* Advances the virtual clock by so much; other ranks run first. */
void world_sleep(uint64_t ns);
uint64_t world_look_ns(void); /* world_options.look_ns */

#endif
