/* From spools to one SQLite trace. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/ending.h"
#include "core/trace/event.h"
#include "core/status.h"

struct store_rank_end { /* what the one who started the job knows of a rank's end, beyond what its
                           spool says */
    int32_t rank;
    enum event_rank_state state;
    int32_t code;
    bool unknown;       /* its exit status, that is: there is no code */
    const char *detail; /* may be NULL */
    bool first;         /* the others ended because of it */
};

struct store_options {
    const char *command;     /* the recorded command, for meta; may be NULL */
    int exit_code;           /* of the command; -1 unknown */
    const char *interrupted; /* "SIGINT": the signal by which the user ended it; NULL: none */
    const struct store_rank_end *end;
    uint32_t end_count;
    const struct ending *ending; /* how the one who started the job ended it; may be NULL */
    bool times_all;              /* each call has its times, also where they could be summed up */
};

/* Reads the spools of one job (folder job_path: the R.L.ring and R.L.spool files) and writes
 * trace_path, by way of trace_path.partial and a rename. Torn last records are cut off, ranks
 * without a spool are `missing`; a spool of another version, or a folder with no spool at all, is
 * refused. What could not be read is said in meta and in table rank, never dropped in silence.
 * An existing trace_path is replaced only once the new one is complete. */
enum core_status store_write(const char *job_path, const char *trace_path,
                             const struct store_options *options);

/* Folders of jobs below a spool folder, in the order in which they started. Free each and the array
 * with free(). */
enum core_status store_jobs(const char *spool_path, char ***out_job, uint32_t *out_count);

/* T.db, T-2.db, T-3.db...: what the traces of several jobs of one command are called. NULL: out of
 * memory. Free with free(). */
char *store_trace_name(const char *output, uint32_t number);

#endif
