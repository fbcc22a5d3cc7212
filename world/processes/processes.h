/* Worlds of processes: every rank of a world is a process of the unmodified program. This side
 * starts the program once, lets it run to the end of its MPI_Init, and has worlds forked from
 * there. The program's side is our libmpi.so.40 (world/ranks/), or one of another ABI
 * (world/shims/), preloaded before the system's.
 *
 * Only one thread may use a struct world_processes, always the same: when that thread or the
 * process ends, everything that it started ends too. Nothing stays in the file system. */
#ifndef WORLD_PROCESSES_PROCESSES_H
#define WORLD_PROCESSES_PROCESSES_H

#include "world/world.h"

struct world_program {
    const char *const *argv;        /* ended by NULL; looked up in PATH */
    const char *const *environment; /* further NAME=VALUE, ended by NULL; or NULL */
    int rank_count;
    const char *library;   /* path of our libmpi.so.40; NULL: beside or near the running binary */
    uint32_t start_ms_max; /* limit until the ranks begin; 0: a minute, which is the longest */
    uint32_t world_ms_max; /* for one world, without waiting for processors; 0: ten seconds */
    size_t memory_bytes;   /* memory that a world's ranks share; 0: 1 GiB, allocated as needed */
    bool real_files;       /* worlds write real files, which stay */
    bool unheard;          /* what it wrote is thrown away where it cannot run in worlds */
    bool patient;          /* start_ms_max and left_ms do not count waiting for processors */
    int input;             /* input of rank 0 of each world: a file of memfd_create called
                              REGION_INPUT; 0: none */
    uint32_t look_ns;      /* as world_options.look_ns, before the ranks begin */
};

struct world_processes;

/* Starts the program. CORE_UNSUPPORTED: the program cannot run in worlds of processes (it needs
 * something that our library lacks, has threads when it calls MPI_Init, ...); the reason is
 * reported, and the program's output unless unheard. CORE_BAD_INPUT: there is no such program, or
 * it ended without MPI_Init. */
enum core_status world_processes_start(const struct world_program *program,
                                       struct world_processes **out_worlds);
/* Ends everything; accepts NULL. */
void world_processes_end(struct world_processes *worlds);

/* --- one world -------------------------------------------------------------------------------- */

struct world_question { /* a question to the choice source */
    enum replay_reason reason;
    uint32_t options, answer;
    int rank;         /* asker; SCHEDULE: position in the ready queue of the rank that ran before */
    uint32_t event;   /* number of events before it */
    const char *call; /* MPI_Recv */
    uint64_t site;    /* where the program called it: world_processes_site */
};

enum world_rank_end {
    WORLD_RANK_EXITED,  /* with exit_status */
    WORLD_RANK_KILLED,  /* by a signal, not by us */
    WORLD_RANK_ABORTED, /* called MPI_Abort; abort_code */
    WORLD_RANK_STOPPED, /* it could have continued: the world ended before */
};

struct world_rank_outcome {
    enum world_rank_end end;
    int exit_status, signal, abort_code;
    const char *output, *errors; /* its standard output and error; 0 follows */
    size_t output_bytes, errors_bytes;
    const char *call; /* MPI_Send: its call when something was found about it; NULL: nothing was */
    const char *why;  /* what a rank waits for for ever: "receives from rank 1, tag 7"; or "" */
    uint64_t site;    /* of the call: world_processes_site */
    bool detaching;   /* it waits until its buffered messages are received */
    uint64_t seeds;   /* a hash of the seeds of its random numbers; 0: it set none */
    unsigned varies;  /* WORLD_VARIES...: it got values that differ from job to job */
};

enum { /* in a world; before it began; a reduction may combine in another order */
       WORLD_VARIES = 1,
       WORLD_VARIES_EARLY = 2,
       WORLD_VARIES_REDUCES = 4
};

/* Valid until the next world_processes_run of the same struct world_processes, or its end. Only
 * these worlds have findings of the rules crash (a signal ended a rank), time (the world was broken
 * off, unfinished), threads (no rank continued, and nobody can tell whether one would have) and
 * unsupported. */
struct world_process_outcome {
    struct world_outcome world;
    const struct world_rank_outcome *rank; /* rank_count of them */
    uint64_t computed_ns; /* processor time of the ranks; 0: unknown, as one did not exit */
    const struct world_question *question;
    const struct world_event *event; /* in the order in which they happened */
    size_t question_count, event_count;
    const char *files; /* those that the world wrote: scratch_list; "": none, or they are real */
    bool lost;         /* more questions or events than WORLD_LOG_MAX */
    bool unsure;       /* no rank continued, but a thread might have: finding "threads" */
};

enum { WORLD_LOG_MAX = 1 << 20 };

/* Runs one world. It uses these options: policy, choice (LIST or SEED), late, warn_types,
 * step_count_max, look_ns, left_ms; after the world's end it calls `event`, if given, for each
 * event. Other options have no effect. Returns CORE_OK if the world ran, whatever was found. */
enum core_status world_processes_run(struct world_processes *worlds,
                                     const struct world_options *options,
                                     struct world_process_outcome *out_outcome);

/* --- a world from its states ------------------------------------------------------------------ */

struct world_state_answer {
    uint32_t rank, number; /* of the first of a list: UINT32_MAX, and the length of the list */
    int32_t answer;
};

/* All ends of the program, found by its states: at a decision with several answers the ranks are
 * forked and continue with each answer; a state that was met before is not continued. Two states
 * are equal if all memory of the ranks that can make a difference is equal, and all that they
 * exchange. All sends are buffered. */
struct world_states {
    bool as_one;            /* the request: do not execute ranks each by itself */
    bool complete;          /* all ends were reached */
    bool asked_again;       /* as in world_decisions */
    const char *why;        /* the reason if not complete */
    const char *together;   /* why ranks were not executed each by itself; "": they were */
    uint64_t states, steps; /* steps: answers given, also to states met before */
    uint64_t ends;
    const struct world_state_answer *answer; /* a list of answers for each end */
    uint64_t answer_count;
};
/* Searches the states. The result is valid until the next world. ms_max: time limit. stop: as in
 * explore/search.h. */
enum core_status world_processes_states(struct world_processes *worlds, uint32_t ms_max,
                                        volatile const int *stop, struct world_states *states);

/* Makes this rank wait in each further world, at the end of its first MPI call, until `attach` has
 * returned or a debugger traces the rank. The world's time begins when `attach` has returned. */
typedef void (*world_attach_fn)(void *context, int process);
void world_processes_debug(struct world_processes *worlds, int rank, world_attach_fn attach,
                           void *context);

/* Returns NULL if files that a world writes are dropped with it (scratch.h), else the reason why
 * they are not. */
const char *world_processes_scratch(const struct world_processes *worlds);

/* Finds the file that holds a code address of the program, and the address as that file counts it,
 * less its load bias (for addr2line). False: unknown. The path lives as long as the worlds. */
bool world_processes_site(const struct world_processes *worlds, uint64_t address,
                          const char **out_path, uint64_t *out_address);
/* Does the same for a line of a script. */
bool world_processes_script(const struct world_processes *worlds, uint64_t site,
                            const char **out_path, int *out_line);

#endif
