/* Starting, watching and ending the recorded job; `record`, `run` and `replay --live` share it.
 *
 * launch_job runs a command with libcrosswait.so preloaded, watches the spools that its ranks
 * write, ends it when a deadlock is proven (or the budget is spent), and leaves one trace for each
 * MPI job that the command ran, whatever way it ended. */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/ending.h"

struct launch_variable { /* handed to the library through the environment */
    const char *name;    /* "CROSSWAIT_PAYLOAD" */
    const char *value;
};
enum { LAUNCH_VARIABLES_MAX = 24 };

enum launch_relay { /* ranks of other machines, where no folder is shared: launch/relay/relay.h */
                    LAUNCH_RELAY_AUTO, /* when the command names hosts, or a batch system does */
                    LAUNCH_RELAY_ON,
                    LAUNCH_RELAY_OFF
};

struct launch_options {
    char **command; /* NULL-terminated */
    const char
        *output; /* trace to write, "T.db"; further jobs of the command go to T-2.db, T-3.db... */
    enum launch_relay relay;
    bool watch;      /* end a job that is proven to hang */
    bool keep_spool; /* keep the spool folder beside the trace */
    bool times_all;  /* the trace has the times of each call (store/store.h) */
    bool threads;    /* it is told how threads begin: a schedule may name their turns */
    bool ours;       /* it lives no longer than we do: a signal that ends us ends it at once */
    double budget_s; /* end the job after so long; 0: never */
    double stall_s;  /* end it when no rank has moved for so long; 0: never */
    struct launch_variable variable[LAUNCH_VARIABLES_MAX];
    uint32_t variable_count;
};

enum launch_end {
    LAUNCH_END_OWN,      /* the command ended by itself, or by a signal that we did not send */
    LAUNCH_END_DEADLOCK, /* ended by us: a deadlock was proven */
    LAUNCH_END_BUDGET,   /* ended by us: the budget was spent, or nothing moved for stall_s */
    LAUNCH_END_SIGNAL    /* a signal (Ctrl-C, TERM, HUP) was passed on, then it ended */
};

struct launch_result {
    int status;   /* of the command, as a shell has it: exit status, or 128 + signal */
    bool started; /* false: could not be executed; status is 126 or 127 */
    enum launch_end end;
    int signal;           /* LAUNCH_END_SIGNAL: the last one that was passed on; else 0 */
    bool stalled;         /* LAUNCH_END_BUDGET: because nothing moved */
    struct ending ending; /* why we ended it, and what its ranks waited for; ENDING_NONE: we did
                             not */
    char *verdict;        /* the same in one sentence (checkers/wording.h); NULL: we did not */
    int64_t verdict_ms; /* from the last progress to the end of the job's last process; -1 unless a
                           deadlock was proven */
    char **trace;       /* paths of the traces written, in the order in which the jobs started */
    uint32_t trace_count;
};

/* The status says whether recording went well, not whether the job did: what failed was reported,
 * and *out_result is filled in either way. Refused before the job starts: an output folder that
 * cannot be written, is full, or holds the spools of an earlier job. */
enum core_status launch_job(const struct launch_options *options, struct launch_result *out_result);
/* The signal by which the user ended the job, as Ctrl-C does; 0: none. */
int launch_interrupted_by(const struct launch_result *result);
/* Says on stderr that, why and when we ended the job; nothing if we did not. */
void launch_verdict_report(const struct launch_result *result);
void launch_result_done(struct launch_result *result);

/* batch.c: for how many seconds a command may run so that there is time for its report in what a
 * batch system (Slurm) still gives the job that we run in: a tenth less, at most
 * LAUNCH_BATCH_MARGIN_S. 0: it does not say, or there is none. */
enum { LAUNCH_BATCH_MARGIN_S = 120 };
double launch_batch_budget(void);
/* The trace's name unless the user gives one: "crosswait.db"; "crosswait-JOB_TASK.db" for a task of
 * an array of Slurm's, as all of them begin in one folder. Valid until the next call. */
const char *launch_batch_output(void);
/* "1-02:03:04", "02:03:04", "03:04"; false: it is no time ("UNLIMITED"). */
bool launch_batch_time_read(const char *text, double *out_seconds);

/* library.c: what a program says of the MPI libraries that it links with. */
enum { LAUNCH_LINKED_MAX = 16, LAUNCH_LINKED_BYTES = 64 };
struct launch_linked {
    char name[LAUNCH_LINKED_MAX][LAUNCH_LINKED_BYTES]; /* "libmpi.so.40", "libmpi_mpifh.so.40" */
    uint32_t count;                                    /* 0: it is no such program */
    char rpath[PATH_MAX];   /* folders in which the loader looks before LD_LIBRARY_PATH: DT_RPATH */
    char runpath[PATH_MAX]; /* and those behind it: DT_RUNPATH. Empty: none */
};
void launch_library_linked(const char *word, struct launch_linked *out_linked);
/* The file that a word of a command would start; empty: none. */
void launch_program_find(const char *word, char path[PATH_MAX]);
/* The first word of the command that is a program linked with MPI, or its end (NULL): scripts. */
char *const *launch_library_program(char *const *command);

/* Adds a variable; it is a bug of ours when there are too many. */
void launch_variable_set(struct launch_options *options, const char *name, const char *value);

#endif
