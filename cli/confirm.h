/* Findings that rest on an assumption, and what fails in a world, tried in the real job: `run` does
 * this by itself. */
#ifndef CLI_CONFIRM_H
#define CLI_CONFIRM_H

#include "checkers/finding.h"
#include "core/trace/trace.h"

struct confirm_options {
    char **command;  /* of the job; NULL: nothing is tried */
    double budget_s; /* for all tries together */
    double stall_s;  /* a try in which nothing moves for so long is given up; 0: never */
};

/* Runs the job once more for each finding that is assumed and has a schedule, its output thrown
 * away, and marks the finding: one that hangs is confirmed, and an error; one that runs through is
 * refuted, and stays a note. The same for what fails in a world: it is an error, confirmed or not,
 * unless the job was given all that the world had, and ran through; then it is a note. What cannot
 * be told in time stays as it was, and says so. kept: the findings stand in the trace (check_keep),
 * and what is said of one is written into its row. */
enum core_status confirm_findings(struct trace *trace, const struct confirm_options *options,
                                  bool kept, struct finding_list *list);

#endif
