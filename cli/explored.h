/* `run` looks further than its record: where the job had choices that were not taken, the program
 * itself is explored (explore/) for a few seconds. */
#ifndef CLI_EXPLORED_H
#define CLI_EXPLORED_H

#include <time.h>

#include "checkers/finding.h"
#include "core/trace/trace.h"

struct explored_options {
    char **command; /* of the job; NULL: nothing is explored */
    int signal;     /* was sent to the job, which ended well all the same; 0: none */
    double budget_s;
    double job_s;            /* how long the job took: exploring takes no longer than that and a
                                second more, with the program's own start */
    struct timespec started; /* when the job began: what it wrote since is not written again */
};

/* Adds what was found. What the exploration refutes of the findings there are is marked so.
 * *out_said: one line on what was explored, or why nothing was; NULL: there was no choice. free()
 * it. */
enum core_status explored_add(struct trace *trace, const struct explored_options *options,
                              struct finding_list *list, char **out_said);

/* The first call of the rank that is the same and stands at the same place, so that it is shown
 * with its source; 0: none. */
uint64_t explored_event_like(const struct trace *trace, const struct finding_call *call);

#endif
