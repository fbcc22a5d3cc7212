/* The program under exploration: its worlds, and the source lines of its calls. */
#ifndef EXPLORE_PROGRAM_H
#define EXPLORE_PROGRAM_H

#include "program/site.h"
#include "explore/clock.h"
#include "explore/command.h"
#include "explore/outcome.h"
#include "explore/search.h"

struct explore_runner { /* runs worlds that are not processes */
    const char *words;  /* the option that asks for it, and a blank */
    bool chance;        /* decisions that a policy does not name are left to chance */
    /* Runs one world and breaks it off after left_s seconds, unless that is 0. The outcome stays
     * valid until the next run. */
    enum core_status (*run)(void *context, const struct replay_policy *policy, double left_s,
                            struct world_process_outcome *out_outcome);
    bool (*place)(void *context, uint64_t site, struct site_place *out_place);
    unsigned (*lacks)(void *context); /* EXPLORE_LACKS_ of all worlds so far */
    void *context;
};

struct explore_start {
    uint32_t start_ms_max, world_ms_max; /* as in struct world_program */
    bool real_files, unheard, patient;   /* the same */
    int input; /* input of rank 0: explore_input_take; 0: all of the file on standard input, even
                  if a job has read from it; -1: nothing */
    uint32_t look_ns; /* the same */
};
struct explore_program {
    const struct explore_command *command;
    struct explore_start how;
    struct world_processes *worlds; /* NULL: the runner runs them */
    struct explore_runner runner;
    struct site_resolver *resolver;
    struct explore_allow allow;
    double end_s;     /* worlds that still run then are broken off; 0: no limit */
    bool timed;       /* explore_program_times has run; */
    int allowed;      /* it owns all patterns after so many */
    double end_all_s; /* no world begins after it, not even for findings; 0: no limit */
    bool passed;      /* some world of the search did not fail */
    bool refused;     /* MPI refused a call in some world */
    struct world_process_outcome outcome; /* of the last world */
    uint64_t rest;                        /* explore_outcome_key */
    struct explore_seen *seen;            /* explore/findings.h; NULL if nothing is kept */
};

/* Starts the program, or reports why it cannot be started. The caller keeps the command. */
enum core_status explore_program_start(const struct explore_command *command,
                                       const struct explore_start *how,
                                       struct explore_program *out_program);
/* Does the same for worlds that the runner runs and owns. */
void explore_program_of(const struct explore_command *command, const struct explore_runner *runner,
                        struct explore_program *out_program);
void explore_program_end(struct explore_program *program);

/* Learns which printed numbers are times, from worlds of the same answers whose clocks differ: a
 * program that prints times never repeats its output. Call it when `allow` is complete. list: the
 * answers, or NULL if none are asked for. *out_ran: two such worlds came to their ends. */
enum core_status explore_program_times(struct explore_program *program,
                                       const struct explore_list *list, bool *out_ran);
/* chance.c: notes after a complete search that the program's seeds or output differ at another
 * time, with other random numbers of the system or other process numbers. */
enum core_status explore_program_chance(struct explore_program *program,
                                        struct explore_search *search);
/* Runs a world with those answers, the clock and random numbers of look_ns, or reductions in
 * another order (world_options). The program's outcome is its own. *out_ran: false if no time was
 * left. */
enum core_status explore_program_under(struct explore_program *program,
                                       const struct explore_list *list, uint32_t look_ns,
                                       bool reduce_last, bool *out_ran);
/* Is an explore_run_fn; the context is the program. */
enum core_status explore_program_run(void *context, const struct replay_policy *policy,
                                     const struct replay_choice *choice,
                                     const struct world_outcome **out_outcome, uint64_t *out_key,
                                     struct explore_events *out_events);

/* Is explore_options.states; only for worlds of processes. */
enum core_status explore_program_states(void *context, double seconds, volatile const int *stop,
                                        struct world_states *out_states);

/* Reports that the program's threads prevent exploring it. */
enum core_status explore_program_crowded(void);
/* Checks, after a world under that policy, that the world came to all decisions that the policy
 * names and could give their answers; reports if not. */
enum core_status explore_program_followed(const struct explore_program *program,
                                          const struct replay_policy *policy);

/* Finds the source line of a code address of the program: "mw.c:17". False: it is unknown. */
bool explore_program_place(struct explore_program *program, uint64_t site,
                           struct site_place *out_place);
/* Return the command as one would type it to a shell: after `crosswait explore`; and as a job, with
 * mpirun as the launcher if none was typed. The caller frees them. */
char *explore_program_words(const struct explore_program *program);
char *explore_program_job(const struct explore_program *program);

#endif
