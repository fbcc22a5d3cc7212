/* Tries findings that rest on an assumption, and failures of worlds, in the real job. `run` does
 * this by itself. */
#ifndef CLI_CONFIRM_H
#define CLI_CONFIRM_H

#include "checkers/finding.h"
#include "core/trace/trace.h"

struct confirm_options {
    char **command;  /* of the job; NULL: tries nothing */
    double budget_s; /* for all tries together */
    double stall_s;  /* ends a try in which nothing moves for so long; 0: never */
};

/* Runs the job once more for each assumed finding with a schedule, discards its output, and marks
 * the finding: if the job hangs, the finding is confirmed, and an error; if it finishes, the
 * finding is refuted, and stays a note. Does the same for failures of worlds: such a finding is an
 * error, confirmed or not, unless the job got all answers of the world, and finished; then it is a
 * note. A finding without a result in time is unchanged, and says so. kept: the trace holds the
 * findings (check_keep), and their rows are updated.
 *
 * A world's hang that is a confirmed deadlock of the record, as the rerun hung in the very same
 * calls, is joined to that one. *out_merged: some were, so that all rows must be written anew. */
enum core_status confirm_findings(struct trace *trace, const struct confirm_options *options,
                                  bool kept, struct finding_list *list, bool *out_merged);

#endif
