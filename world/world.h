/* The in-process MPI: a world of ranks, each a fiber of one process, against the unmodified mpi.h
 * of Open MPI. This header is how such a world is run; it needs no mpi.h. What runs inside calls
 * MPI_* as ever and is linked with libworld.a in place of libmpi.
 *
 * One world at a time per process, no threads. Same options, same choices: the same outcome,
 * always. */
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
    WORLD_TAG_PROMISED = 32767 /* MPI has tags up to there, whatever MPI_TAG_UB says */
};

enum world_event_kind {
    WORLD_EVENT_SEND,  /* a send was posted: peer, tag, context, bytes, request; flag: buffered */
    WORLD_EVENT_RECV,  /* a receive was posted; peer and tag may be -1 */
    WORLD_EVENT_MATCH, /* rank received from peer; request is the receiver's */
    WORLD_EVENT_WAIT,  /* rank went on after this request had completed */
    WORLD_EVENT_PROBE, /* order=explore: rank found a message of peer, whose request this is */
    /* order=explore, what ranks wait for beside messages; `digest` names it */
    WORLD_EVENT_GIVE,  /* rank did its part of it; request: a receive that was cancelled, or -1 */
    WORLD_EVENT_NEED,  /* rank went on behind all that was given of it */
    WORLD_EVENT_BLOCK, /* rank waits */
    WORLD_EVENT_CALL,  /* rank entered another call of interest (collectives, communicators); peer =
                           root or -1 */
    /* In a world of fibers: */
    WORLD_EVENT_RMA,  /* a one-sided operation of so many bytes at peer, or what synchronises them:
                         peer -1, or its target */
    WORLD_EVENT_FREED /* rank freed the request of a message that is under way */
};

struct world_event { /* world ranks throughout */
    enum world_event_kind kind;
    int rank, peer, tag;
    uint32_t context; /* even: point-to-point, odd: collectives */
    uint32_t number;  /* of a standard send of the application: R.#N of a policy; else 0 */
    uint64_t bytes;
    int32_t request; /* numbered per rank from 0 */
    uint32_t thread; /* of the rank, 0: its first */
    uint32_t helper; /* not 0: a nonblocking collective's own, which of its rank's */
    bool beside;     /* while another thread of the rank runs */
    bool flag;
    bool persistent;  /* of a request that was started */
    bool standard;    /* a send that the library may buffer or not */
    const char *call; /* MPI_Send */
    uint64_t site;    /* where the program called it; 0: unknown */
    /* A send under order=explore: a hash of its bytes, and its first element. */
    uint64_t digest, first;
    char first_kind; /* 'i', 'u', 'f': an integer, one without a sign, a floating one; 0: other */
    uint8_t first_bytes;
};

typedef void (*world_event_fn)(void *context, const struct world_event *event);
/* The body of a rank. Its return value is the rank's exit status; not 0 is reported. */
typedef int (*world_rank_fn)(int rank, void *context);

struct world_options {
    int rank_count;
    world_rank_fn run;
    void *context;
    /* Policy, as far as it applies in process (replay_policy_check): buffering; order=random, where
     * the order of ranks, of matches and of completions is chosen, and not first come first served;
     * order=explore, where ranks go on until nobody can and one thing is decided then;
     * delays, in ticks of a microsecond. A tick passes when nobody can go on, or with a poll in
     * vain. Messages between two ranks do not overtake each other. */
    struct replay_policy policy;
    int tag_ub;       /* what MPI_TAG_UB says; 0: 2^31 - 1 */
    bool late;        /* received data reaches its buffer when the request completes, not before */
    bool initialized; /* the ranks start with MPI_Init done and end without MPI_Finalize */
    bool hollow;      /* one-sided operations move nothing: their memory need not be there */
    /* For order=explore; may be NULL: the turns that there are, with their answers, and no others.
     * Those that conflict come in this order. */
    const struct replay_names *turns;
    bool warn_types; /* a receive whose basic types differ from the send's is a finding */
    struct replay_choice choice; /* where every decision comes from; all zero: the default order */
    uint64_t step_count_max;     /* MPI calls in all; 0: 100 million */
    uint32_t look_ns; /* that a look at a clock takes at most, each its own time; 0: all of them a
                         microsecond */
    uint32_t left_ms; /* of ranks that are processes: it is broken off then; 0: never */
    size_t memory_bytes_max; /* for messages and handles; 0: 1 GiB */
    size_t stack_bytes;      /* of each rank, 0: 1 MiB. The first world of the process decides. */
    world_event_fn event;    /* NULL: none */
    void *event_context;
    void (*returned)(void); /* NULL, or called when all ranks have returned, before what they keep
                               is gone: see world_kept_ranges */
    uint8_t *pattern;       /* NULL, or counters that the communication pattern bumps */
    size_t pattern_count;   /* a power of two */
};

/* A decision under order=explore; world/exchange/explore.h says what answers mean. */
struct world_decision {
    enum replay_reason reason;
    int rank;
    uint32_t number; /* of its rank's decisions, from 1: together they are its name */
    char call[32];
    uint64_t site;      /* where the program called it; 0: unknown */
    bool poll;          /* 0 says that it found nothing, and what is found counts from 1 */
    bool set;           /* the answer is a set of bits */
    bool touch;         /* a turn of the rank's own load or store (loads=turns) */
    bool reads;         /* a turn that changes nothing */
    bool behind_site;   /* it touches low behind its site, before the rank's next call */
    bool given;         /* the policy named it */
    uint64_t low, high; /* bytes of its window that a turn touches for certain; equal: unknown */
    uint32_t place;   /* of a turn: how many there were, it included: number less that names them */
    uint64_t mark;    /* the same wherever it stands, if all that makes a difference is the same */
    uint32_t receive; /* of a receive or probe: R.#N of a policy; else 0 */
    int32_t answer;
    uint32_t option_first, option_count; /* answers that were possible, in option[] */
};
/* Stands for the call where there is none: for a rank's own load or store. */
#define WORLD_LOAD "a load"
#define WORLD_STORE "a store"
struct world_option {
    int32_t answer;
    /* For a turn: it is the same whether it comes before or after each of so many that came last.
     */
    uint32_t independent;
};
/* An answer that became possible without the decision: had it been put off, it could have been
 * that. */
struct world_missed {
    uint32_t decision;
    uint32_t before; /* it might have been that before this one was decided, which may need it */
    int32_t answer;
    bool there;                          /* when the policy's answer was given */
    uint32_t causes_first, causes_count; /* in causes[]: decisions that it could not do without */
};
struct world_decisions {
    const struct world_decision *decision;
    const struct world_option *option;
    const struct world_missed *missed;
    const uint32_t *causes;
    uint32_t decision_count, option_count, missed_count, causes_count;
    bool cut;         /* ended because what the policy names cannot be had */
    bool unknown;     /* of some it is not known what they were: each answer is to be tried */
    bool unfinished;  /* broken off from outside: what would have come of it is not known */
    bool overdue;     /* unfinished, as it took longer, or needed more, than a world may */
    bool early;       /* a rank ended it while others went on: what those would have done is not
                         known */
    bool limited;     /* more was possible than is told here */
    bool overtaking;  /* so were messages that overtake each other */
    bool asked_again; /* a poll that had found nothing was repeated: it finds it then */
    bool touched;     /* there are turns of ranks' own loads and stores */
    /* Accesses that nobody saw, and that may differ: loads and stores of a rank in memory of its
     * windows that other ranks reach for, or of several threads in any memory of their rank, or in
     * memory that ranks share by themselves. */
    bool blind_windows, blind_threads, blind_shared;
};

struct world_finding {
    enum world_rule rule;
    int rank; /* -1: the world */
    char text[WORLD_TEXT_MAX];
};

struct world_outcome {
    struct world_finding finding[WORLD_FINDINGS_MAX];
    int finding_count;
    int finding_dropped; /* beyond the table */
    bool finished;       /* every rank returned */
    uint64_t message_count, byte_count, step_count;
    /* Finishing time with (alpha, beta) = (1, 0) and (0, 1 a byte), single port, full network.
     * Ports are given out in the order of matching, so competing messages may be served in another
     * order than the model's: never too small where a rank has at most one send and one receive
     * under way, else an estimate. */
    uint64_t round_count, word_bytes;
    /* The highest tag above WORLD_TAG_PROMISED that the program used without asking for MPI_TAG_UB;
     * 0: none. */
    int tag_high;
    /* A rank that received from any source, more than once, always from the same one, while other
     * ranks named their sources: most likely a rank computed wrongly, (rank - 1) % size. -1: none.
     */
    int wildcard_rank, wildcard_source;
    uint64_t pattern_hash;                   /* of every rank's sequence of messages */
    const struct world_decisions *decisions; /* order=explore, else NULL; until the next world */
};

/* Why a search through states (processes.h) is in vain: it may be none where buffers count. */
#define WORLD_STATES_SHORTER "a message is shorter than its receive"

/* Runs the world to its end or to its first fatal finding. CORE_OK says that the world was run,
 * whatever was found; CORE_BAD_INPUT, CORE_NO_MEMORY otherwise. *out_outcome is written in full. */
enum core_status world_run(const struct world_options *options, struct world_outcome *out_outcome);

/* Gives back stacks and memory kept between worlds. */
void world_done(void);

/* The rank whose fiber runs now; -1 outside of a world. */
int world_rank(void);
/* Reports a finding from inside a rank; the world goes on. */
void world_note(enum world_rule rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, and the world ends. */
_Noreturn void world_give_up(enum world_rule rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The rank whose stack's guard page holds this address, or -1. Safe in a signal handler. */
int world_stack_owner(const void *address);
/* Memory of the world that runs, gone with it at the latest. It is not watched by a sanitizer. */
void *world_take(size_t bytes);
void world_give(void *block, size_t bytes);
/* As memmove; what is large costs what of it was ever written. */
enum { WORLD_LARGE = 64 << 20 };
void world_move(void *to, const void *from, size_t bytes);
/* For order=explore: the next decision that the calling thread comes to has this answer, if the
 * policy names none; a poll that would wait, as it has found nothing before, finds nothing at once
 * if that is 0. Or it is never made, or (what holds without this) it is free. */
enum { WORLD_ANSWER_FREE = INT32_MIN, WORLD_ANSWER_NEVER };
void world_force_answer(int32_t answer);
/* In a world of fibers: where the program made the calls that the calling rank makes from now on.
 */
void world_site(uint64_t site);
/* How many decisions the calling thread came to. */
uint32_t world_decided(void);
/* In a world of fibers, under order=explore: one more thread of the calling rank, which has
 * the causes of the calling one; its decisions and turns are numbered as those of thread `number`,
 * from 1. It is never waited for but by world_thread_block, from which another wakes it. */
void world_thread_begin(uint32_t number, void (*run)(void *argument), void *argument);
void world_thread_block(void);
void world_thread_wake(uint32_t number);
/* The causes of the calling thread so far, and a way to add those of another one. */
const void *world_thread_causes(void);
void world_thread_behind(const void *causes);
/* The communicator's (MPI_Comm) number among turns (policy.h). */
void world_comm_object(void *comm, uint32_t object);
/* The calling rank goes on only when nobody else can, or when the others poll in vain: the slowest
 * rank there is. Of several that wait so, the one with the lowest turn goes first; of equal ones
 * the last come. */
void world_pause(unsigned turn);
/* Memory that the ranks keep when all have returned, for options->returned: ranges in which
 * addresses can be. Their global variables, what MPI was given to keep (attributes of the first
 * communicators, extra states, a buffer for sends). */
typedef void (*world_range_fn)(void *context, const void *begin, size_t bytes);
void world_kept_ranges(world_range_fn visit, void *context);
/* MPI's objects that are not freed and may be kept until MPI_Finalize, as ranges that begin at the
 * handle: communicators, groups, datatypes, operations, error handlers, infos, persistent requests.
 */
void world_left_handles(world_range_fn visit, void *context);
/* Such a handle can still be reached, so it is not leaked. Visits what it keeps: attributes. */
void world_handle_keep(void *handle, world_range_fn visit, void *context);
/* The virtual clock goes on by so much; the others go first. */
void world_sleep(uint64_t ns);
uint64_t world_look_ns(void); /* world_options.look_ns */

#endif
