/* `run` looks beyond its record: if the job had choices that it did not take, crosswait explores
 * the program itself (explore/) for a few seconds. */
#ifndef CLI_EXPLORED_H
#define CLI_EXPLORED_H

#include <time.h>

#include "checkers/finding.h"
#include "core/trace/trace.h"

struct explored_options {
    char **command; /* of the job; NULL: explores nothing */
    int signal;     /* signal that the job got, although it finished; 0: none */
    double budget_s;
    double job_s;            /* duration of the job: exploring takes at most that and a second more,
                                including the program's own start */
    struct timespec started; /* start of the job: files that it wrote since then are not
                                overwritten */
};

/* Adds the findings of the exploration, and marks findings that it refutes. *out_said: one line on
 * what was explored, or why nothing was; NULL: there was no choice. Free with free(). */
enum core_status explored_add(struct trace *trace, const struct explored_options *options,
                              struct finding_list *list, char **out_said);

/* Returns the rank's first event of the same call at the same place, so that reports can show its
 * source; 0: none. */
uint64_t explored_event_like(const struct trace *trace, const struct finding_call *call);

#endif
