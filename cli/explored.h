/* `run` looks beyond its record: if the job had choices that it did not take, or wrote a file that
 * ranks may share without MPI, crosswait explores the program itself (explore/) for some seconds.
 */
#ifndef CLI_EXPLORED_H
#define CLI_EXPLORED_H

#include "checkers/finding.h"
#include "core/trace/trace.h"
#include "explore/files.h"

struct explored_options {
    char **command; /* of the job; NULL: explores nothing */
    int signal;     /* signal that the job got, although it finished; 0: none */
    double budget_s;
    double job_s; /* duration of the job: exploring takes at most that and a second more,
                     including the program's own start */
    struct explore_files files; /* before the job, to know those that it wrote; all 0: no job has
                                   just run */
};

/* Adds the findings of the exploration, and marks findings that it refutes. *out_said: one line on
 * what was explored, or why nothing was; NULL: there was no choice. Free with free(). */
enum core_status explored_add(struct trace *trace, const struct explored_options *options,
                              struct finding_list *list, char **out_said);

/* Returns the rank's first event of the same call at the same place, so that reports can show its
 * source; 0: none. */
uint64_t explored_event_like(const struct trace *trace, const struct finding_call *call);

#endif
