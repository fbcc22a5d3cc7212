/* The outcome of one run of the job with one library: how it ended, in which calls, with which exit
 * status, and what it printed. */
#ifndef CLI_LIBRARIES_OUTCOME_H
#define CLI_LIBRARIES_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"
#include "launch/launch.h"

/* X(name, text in the table, text behind "the job"). The first one is the good one. */
#define OUTCOME_ENDS(X)                                                               \
    X(OVER, "ended", "runs through")                                                  \
    X(EXIT, "exited without MPI_Finalize", "ends without MPI_Finalize")               \
    X(ERROR, "MPI raised an error", "ends with an error that MPI raises")             \
    X(ABORT, "called MPI_Abort", "calls MPI_Abort")                                   \
    X(SIGNAL, "crashed", "crashes")                                                   \
    X(EXCEPTION, "uncaught exception", "ends with an exception that nothing catches") \
    X(HUNG, "hung (proven)", "hangs")                                                 \
    X(STALLED, "stood still", "makes no progress until it is ended")                  \
    X(BUDGET, "reached the time limit", "does not end within the time limit")         \
    X(INTERRUPTED, "interrupted", "is interrupted")                                   \
    X(UNSTARTED, "no MPI job", "starts no MPI job")                                   \
    X(OTHER, "another library", "runs with another library")
#define X(name, ...) OUTCOME_##name,
enum outcome_end { OUTCOME_ENDS(X) OUTCOME_END_COUNT };
#undef X
const char *outcome_end_text(enum outcome_end end);
const char *outcome_end_says(enum outcome_end end);

struct outcome_call { /* a call in which it ended */
    uint32_t rank;
    uint64_t seq;
};
struct outcome {
    enum outcome_end end;
    int status; /* of the command */
    char *said; /* UNSTARTED: the first line of its output; OTHER: the library's title; else NULL */
    struct outcome_call *call;
    uint32_t call_count, call_room;
    int outside; /* STALLED: the first rank that was outside of MPI; -1: none */
    char *text;  /* its output; each line ends with a null byte */
    char **line; /* sorted; they point into the text */
    uint32_t line_count, line_room;
};

/* Makes an outcome. Takes over the text (malloc'ed), the standard output. title: of the library.
 * trace: of the first MPI job of the command; NULL: none. */
enum core_status outcome_make(const struct launch_result *result, struct trace *trace,
                              const char *title, char *text, const char *errors,
                              struct outcome *out_outcome);
void outcome_done(struct outcome *outcome);
/* Tells whether the two ended the same way. Launchers combine the ranks' exit statuses differently,
 * so only zero or nonzero counts. */
bool outcome_ends_alike(const struct outcome *a, const struct outcome *b);
/* Tells whether the outcome shows the library's behaviour: it ran, and was not interrupted. */
bool outcome_counts(const struct outcome *outcome);

#endif
