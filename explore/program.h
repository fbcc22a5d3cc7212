/* The program under exploration: its worlds, and what is known of its places. */
#ifndef EXPLORE_PROGRAM_H
#define EXPLORE_PROGRAM_H

#include "program/site.h"
#include "explore/command.h"
#include "explore/outcome.h"
#include "explore/search.h"

struct explore_runner { /* of worlds of another kind than processes */
    const char *words;  /* the option that asks for it, and a blank */
    bool chance;        /* what a policy does not name is left to chance */
    /* One world, which is broken off after left_s seconds, if that is not 0; what it says is valid
     * until the next one. */
    enum core_status (*run)(void *context, const struct replay_policy *policy, double left_s,
                            struct world_process_outcome *out_outcome);
    bool (*place)(void *context, uint64_t site, struct site_place *out_place);
    unsigned (*lacks)(void *context); /* EXPLORE_LACKS_, of all that ran */
    void *context;
};

struct explore_program {
    const struct explore_command *command;
    struct world_processes *worlds; /* NULL: the runner has them */
    struct explore_runner runner;
    struct site_resolver *resolver;
    struct explore_allow allow;
    double end_s;     /* worlds that run then are broken off; 0: none */
    bool timed;       /* explore_program_times has been there, */
    int allowed;      /* and owns all patterns but for so many */
    double end_all_s; /* nothing begins behind that, whatever is still to be told; 0: none */
    bool passed;      /* a world of the search came to a good end */
    bool refused;     /* in one MPI refused a call */
    struct world_process_outcome outcome; /* of the last world */
    struct explore_seen *seen;            /* explore/findings.h; NULL: nothing is remembered */
};

struct explore_start {
    uint32_t start_ms_max, world_ms_max; /* struct world_program */
    bool real_files;                     /* what worlds write is not thrown away */
    int input; /* what rank 0 reads: explore_input_take; 0: what a file on standard input holds, of
                  which a job may have read before; -1: nothing */
};
/* Starts it; reports what is in the way. The command stays the caller's. */
enum core_status explore_program_start(const struct explore_command *command,
                                       const struct explore_start *how,
                                       struct explore_program *out_program);
/* The same of worlds that somebody else runs, and owns. */
void explore_program_of(const struct explore_command *command, const struct explore_runner *runner,
                        struct explore_program *out_program);
void explore_program_end(struct explore_program *program);

/* When `allow` is complete: from worlds of the same answers whose clocks differ it learns which
 * numbers are times, of which a program that prints them does not repeat itself. list: NULL: none
 * is asked for. */
enum core_status explore_program_times(struct explore_program *program,
                                       const struct explore_list *list);
/* After a search: the same of its outcomes, those that differ by such numbers alone become one.
 * *out_places: as explore_search_join has them; NULL: nothing has changed. */
enum core_status explore_program_untime(struct explore_program *program,
                                        struct explore_search *search, uint32_t **out_places);

/* The time now, on the clock of end_s. */
double explore_program_now_s(void);

/* An explore_run_fn; context: the program. */
enum core_status explore_program_run(void *context, const struct replay_policy *policy,
                                     const struct replay_choice *choice,
                                     const struct world_outcome **out_outcome, uint64_t *out_key,
                                     struct explore_events *out_events);

/* The same of its states (struct explore_options); only where worlds are processes. */
enum core_status explore_program_states(void *context, double seconds, volatile const int *stop,
                                        struct world_states *out_states);

/* Reports that threads are in the way. */
enum core_status explore_program_crowded(void);
/* After a world under that policy: whether it came to all that the policy names, and could answer
 * it so; reported if not. */
enum core_status explore_program_followed(const struct explore_program *program,
                                          const struct replay_policy *policy);

/* The source line of a code address of the program: "mw.c:17". False: nothing is known. */
bool explore_program_place(struct explore_program *program, uint64_t site,
                           struct site_place *out_place);
/* The command as one would type it to a shell, behind `crosswait explore`; as a job, where
 * mpirun is the launcher if none was typed; free() them. */
char *explore_program_words(const struct explore_program *program);
char *explore_program_job(const struct explore_program *program);

#endif
