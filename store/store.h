/* Turns spools into one SQLite trace. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/ending.h"
#include "core/trace/event.h"
#include "core/status.h"

struct store_rank_end { /* what the launcher knows about a rank's end beyond its spool */
    int32_t rank;
    enum event_rank_state state;
    int32_t code;
    bool unknown;       /* the exit status is unknown: there is no code */
    const char *detail; /* may be NULL */
    bool first;         /* the other ranks ended because of it */
};

struct store_unreceived { /* messages to another job that no rank of it received: the last ones */
    uint64_t global;      /* of the communicator that connects the jobs */
    uint32_t rank, peer;  /* world; rank in the other side of the communicator */
    int32_t tag;
    uint64_t count;
};

struct store_options {
    const char *command;     /* recorded command, for meta; may be NULL */
    int exit_code;           /* of the command; -1 unknown */
    const char *interrupted; /* "SIGINT": the signal by which the user ended the job; NULL: none */
    const struct store_rank_end *end;
    uint32_t end_count;
    const struct ending *ending; /* how the launcher ended the job; may be NULL */
    const struct store_unreceived *unreceived;
    uint32_t unreceived_count;
    bool times_all; /* each call keeps its times, even where they could be summed up */
};

/* Tells whether a rank of the job has begun its records; true also if the folder has no spools or
 * cannot be read, which store_write reports. */
bool store_begun(const char *job_path);
/* Reads the spools of one job (folder job_path: files R.L.ring and R.L.spool) and writes
 * trace_path, through trace_path.partial and a rename. It cuts off torn last records; ranks without
 * a spool are `missing`. It refuses a spool of another version and a folder without spools. meta
 * and table rank say what could not be read. It replaces an existing trace_path only when the new
 * one is complete. */
enum core_status store_write(const char *job_path, const char *trace_path,
                             const struct store_options *options);

/* Lists the jobs' folders below a spool folder, in the order in which the jobs started. Free each
 * and the array with free(). */
enum core_status store_jobs(const char *spool_path, char ***out_job, uint32_t *out_count);

/* Returns the name of the number-th trace of a command with several jobs: T.db, T-2.db, T-3.db...
 * NULL: out of memory. Free with free(). */
char *store_trace_name(const char *output, uint32_t number);

#endif
