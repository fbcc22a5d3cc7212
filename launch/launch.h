/* Starts, watches and ends the recorded job, for `record`, `run` and `replay --live`.
 *
 * launch_job runs a command with libcrosswait.so preloaded, watches the spools that its ranks
 * write, ends it when a deadlock is proven (or the budget is spent), and leaves one trace for each
 * MPI job that the command ran, however the job ended. */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/ending.h"

struct launch_variable { /* environment variable for the preloaded library */
    const char *name;    /* "CROSSWAIT_PAYLOAD" */
    const char *value;
};
enum { LAUNCH_VARIABLES_MAX = 24 };

enum launch_relay { /* relays for ranks on machines that share no folder: launch/relay/relay.h */
                    LAUNCH_RELAY_AUTO, /* if the command names hosts, or a batch system runs it */
                    LAUNCH_RELAY_ON,
                    LAUNCH_RELAY_OFF
};

struct launch_options {
    char **command; /* NULL-terminated */
    const char
        *output; /* trace to write, "T.db"; further jobs of the command get T-2.db, T-3.db... */
    enum launch_relay relay;
    bool watch;      /* ends a job that is proven to hang */
    bool keep_spool; /* keeps the spool folder beside the trace */
    bool times_all;  /* records the times of each call (store/store.h) */
    bool threads;    /* records how threads begin, so that a schedule can order them */
    bool ours;       /* a signal that ends the launcher ends the job at once */
    int inside_fd;   /* a file that is not empty if a crosswait inside of the command recorded its
                        own job; 0: none */
    double budget_s; /* ends the job after this time; 0: never */
    double stall_s;  /* ends the job when no rank has moved for this time; 0: never */
    struct launch_variable variable[LAUNCH_VARIABLES_MAX];
    uint32_t variable_count;
};

enum launch_end {
    LAUNCH_END_OWN,      /* the command ended by itself, or by a signal of another process */
    LAUNCH_END_DEADLOCK, /* the launcher proved a deadlock and ended the job */
    LAUNCH_END_BUDGET,   /* the launcher ended the job: the budget was spent, or nothing moved for
                            stall_s */
    LAUNCH_END_SIGNAL /* the launcher passed on a signal (Ctrl-C, TERM, HUP), and then the job ended
                       */
};

struct launch_result {
    int status;   /* of the command, as a shell reports it: exit status, or 128 + signal */
    bool started; /* false: the command could not be executed; status is 126 or 127 */
    enum launch_end end;
    int signal;           /* LAUNCH_END_SIGNAL: the last signal passed on; else 0 */
    bool stalled;         /* LAUNCH_END_BUDGET: because nothing moved */
    struct ending ending; /* why the launcher ended the job, and what its ranks waited for;
                             ENDING_NONE: it did not end it */
    char *verdict; /* the same in one sentence (checkers/wording.h); NULL: it did not end the job */
    int64_t verdict_ms; /* from the last progress to the end of the job's last process; -1 unless a
                           deadlock was proven */
    char **trace;       /* paths of the traces, in the order in which the jobs started */
    uint32_t trace_count;
};

/* Runs the job. Its status says whether recording succeeded, not whether the job did; it reports
 * what failed and fills *out_result in either case. Before the start it refuses an output folder
 * that is not writable, is full, or holds the spools of an earlier job. */
enum core_status launch_job(const struct launch_options *options, struct launch_result *out_result);
/* Returns the signal by which the user ended the job, as Ctrl-C does; 0: none. */
int launch_interrupted_by(const struct launch_result *result);
/* Says on stderr why and when the launcher ended the job; nothing if it did not. */
void launch_verdict_report(const struct launch_result *result);
void launch_result_done(struct launch_result *result);

/* batch.c: returns for how many seconds a command may run so that its report still fits into what
 * the batch system (Slurm) gives this job: the time left minus a tenth, at most
 * LAUNCH_BATCH_MARGIN_S. 0: unknown, or no batch system. */
enum { LAUNCH_BATCH_MARGIN_S = 120 };
double launch_batch_budget(void);
/* Returns the default name of the trace: "crosswait.db"; "crosswait-JOB_TASK.db" for a task of a
 * Slurm array, whose tasks share a folder. Valid until the next call. */
const char *launch_batch_output(void);
/* Reads "1-02:03:04", "02:03:04" or "03:04"; false: not a time ("UNLIMITED"). */
bool launch_batch_time_read(const char *text, double *out_seconds);

/* library.c: the MPI libraries that a program is linked with. */
enum { LAUNCH_LINKED_MAX = 16, LAUNCH_LINKED_BYTES = 64 };
struct launch_linked {
    char name[LAUNCH_LINKED_MAX][LAUNCH_LINKED_BYTES]; /* "libmpi.so.40", "libmpi_mpifh.so.40" */
    uint32_t count;                                    /* 0: not linked with MPI */
    char rpath[PATH_MAX];   /* DT_RPATH: folders that the loader searches before LD_LIBRARY_PATH */
    char runpath[PATH_MAX]; /* DT_RUNPATH: folders that it searches afterwards; empty: none */
};
void launch_library_linked(const char *word, struct launch_linked *out_linked);
/* Finds the file that a word of a command would start; empty: none. */
void launch_program_find(const char *word, char path[PATH_MAX]);
/* Returns the first word of the command that is a program linked with MPI. Points to the NULL at
 * the end if there is none, as for scripts. */
char *const *launch_library_program(char *const *command);

/* Adds a variable; it is a bug of ours when there are too many. */
void launch_variable_set(struct launch_options *options, const char *name, const char *value);

#endif
