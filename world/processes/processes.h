/* Worlds of processes: every rank of a world is a process of the unmodified program. This side
 * starts the program once, lets it come up to the end of its MPI_Init, and has worlds forked from
 * there; the program's side is our libmpi.so.40 (world/ranks/), or one of another ABI
 * (world/shims/), put in front of the system's by preloading.
 *
 * One thread may use a struct world_processes, always the same one: when that thread or the process
 * ends, everything that it started ends too. Nothing is left in the file system. */
#ifndef WORLD_PROCESSES_PROCESSES_H
#define WORLD_PROCESSES_PROCESSES_H

#include "world/world.h"

struct world_program {
    const char *const *argv;        /* ended by NULL; looked up in PATH */
    const char *const *environment; /* further NAME=VALUE, ended by NULL; or NULL */
    int rank_count;
    const char *library;   /* path of our libmpi.so.40; NULL: beside or near the running binary */
    uint32_t start_ms_max; /* to come up to where its ranks begin, at most a minute; 0: that */
    uint32_t world_ms_max; /* for one world; 0: ten seconds */
    size_t memory_bytes;   /* for what the ranks of a world share; 0: 1 GiB, given out as needed */
    bool real_files;       /* what worlds write is not thrown away */
    int input;             /* what rank 0 of each world reads: a file of memfd_create, called
                              REGION_INPUT; 0: nothing */
};

struct world_processes;

/* CORE_UNSUPPORTED: the program can have no world of processes (it needs what our library lacks,
 * has threads when it calls MPI_Init, ...); what was in the way is reported, and the program's
 * output too. CORE_BAD_INPUT: there is no such program, or it ended without calling MPI_Init. */
enum core_status world_processes_start(const struct world_program *program,
                                       struct world_processes **out_worlds);
/* Ends everything. NULL is fine. */
void world_processes_end(struct world_processes *worlds);

/* --- one world -------------------------------------------------------------------------------- */

struct world_question { /* what the choice source was asked */
    enum replay_reason reason;
    uint32_t options, answer;
    int rank;         /* who asked; of SCHEDULE in the ready queue: who ran before */
    uint32_t event;   /* how many events were before it */
    const char *call; /* MPI_Recv */
    uint64_t site;    /* where the program called it: world_processes_site */
};

enum world_rank_end {
    WORLD_RANK_EXITED,  /* with exit_status */
    WORLD_RANK_KILLED,  /* by a signal of its own */
    WORLD_RANK_ABORTED, /* called MPI_Abort; abort_code */
    WORLD_RANK_STOPPED, /* it would have gone on: the world ended before it did */
};

struct world_rank_outcome {
    enum world_rank_end end;
    int exit_status, signal, abort_code;
    const char *output, *errors; /* what it wrote to standard output and error; 0 behind it */
    size_t output_bytes, errors_bytes;
    const char *call; /* MPI_Send: where it was when something was found of it; NULL: nothing was */
    const char *why;  /* of a rank that waits for ever: "receives from rank 1, tag 7"; or "" */
    uint64_t site;    /* of the call: world_processes_site */
};

/* Valid until the next world_processes_run of the same struct world_processes, or its end. Rules of
 * findings that only these worlds have: crash (a signal ended a rank), time (it was broken off,
 * unfinished), threads (it stood still, and whether for ever cannot be told), unsupported. */
struct world_process_outcome {
    struct world_outcome world;
    const struct world_rank_outcome *rank; /* [rank_count] */
    const struct world_question *question;
    const struct world_event *event; /* in the order they happened */
    size_t question_count, event_count;
    bool lost;   /* there were more questions or events than WORLD_LOG_MAX */
    bool unsure; /* it stood still, but a thread might have gone on: finding "threads" */
};

enum { WORLD_LOG_MAX = 1 << 20 };

/* One world. Of the options: policy, choice (LIST or SEED), late, warn_types, step_count_max,
 * look_ns, left_ms; `event`, if given, is called for each event after the world has ended. The
 * others have no meaning here. CORE_OK says that the world was run, whatever was found. */
enum core_status world_processes_run(struct world_processes *worlds,
                                     const struct world_options *options,
                                     struct world_process_outcome *out_outcome);

/* --- a world from its states ------------------------------------------------------------------ */

struct world_state_answer {
    uint32_t rank, number; /* of a list's first: UINT32_MAX, and how many there are */
    int32_t answer;
};

/* All ends of the program, by its states: where a decision has several answers, the ranks are
 * forked there, and go on with each; a state that was there before is left. Two states are equal if
 * all memory of the ranks that can make a difference is, and all that they exchange. Sends have
 * buffers. */
struct world_states {
    bool complete;          /* all ends were reached */
    bool asked_again;       /* as in world_decisions */
    const char *why;        /* else: what was in the way */
    const char *together;   /* why ranks were not executed each by itself; "": they were */
    uint64_t states, steps; /* steps: answers that were given, also to states met before */
    uint64_t ends;
    const struct world_state_answer *answer; /* of the ends, one list behind the other */
    uint64_t answer_count;
};
/* Valid until the next world. ms_max: then it gives up. stop: as in explore/search.h. */
enum core_status world_processes_states(struct world_processes *worlds, uint32_t ms_max,
                                        volatile const int *stop, struct world_states *out_states);

/* In each further world this rank waits, as its first call of MPI comes to its end, until `attach`
 * has returned or somebody traces it: so that a debugger can be run. The world's time begins when
 * `attach` has returned. */
typedef void (*world_attach_fn)(void *context, int process);
void world_processes_debug(struct world_processes *worlds, int rank, world_attach_fn attach,
                           void *context);

/* NULL: what a world writes is gone with it (scratch.h); else why it is not. */
const char *world_processes_scratch(const struct world_processes *worlds);

/* The file that a code address of the program lies in, and the address as that file counts them,
 * less its load bias (for addr2line). False: unknown. The path lives as long as the worlds. */
bool world_processes_site(const struct world_processes *worlds, uint64_t address,
                          const char **out_path, uint64_t *out_address);
/* The same of a line of a script. */
bool world_processes_script(const struct world_processes *worlds, uint64_t site,
                            const char **out_path, int *out_line);

#endif
