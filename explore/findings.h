/* Turns the result of a search into findings: each way to fail is an error (rule behaviour),
 * outcomes that differ are a warning (rule race), each with the fewest answers that lead there. */
#ifndef EXPLORE_FINDINGS_H
#define EXPLORE_FINDINGS_H

#include "checkers/finding.h"
#include "explore/program.h"

/* Has the type of explore_options.met; its context is the program. Describes a class from its first
 * world, for when no time is left to run one again. */
enum core_status explore_findings_met(void *program, const struct explore_search *search,
                                      uint32_t class);
void explore_findings_forget(struct explore_program *program);
/* Merges outcomes that differ only in numbers that come from a clock. */
enum core_status explore_findings_untime(struct explore_program *program,
                                         struct explore_search *search);
/* Runs a few more worlds; worlds of processes get another tenth of the time limit. */
enum core_status explore_findings(struct explore_program *program, struct explore_search *search,
                                  struct finding_list *out_list);
/* Adds a finding for worlds that ran out of time: the program may run for ever in them, or the
 * machine may be slow. */
enum core_status explore_findings_overdue(struct explore_program *program,
                                          const struct explore_search *search,
                                          struct finding_list *list);
/* Describes how worlds of one outcome differ in what their ranks send: "not all send the same: rank
 * 0's MPI_Send at mw.c:17 sends 2.5 to rank 1, tag 7, otherwise 3.5". Returns NULL if they do not
 * differ; the caller frees the text. */
char *explore_sent_words(struct explore_program *program, const struct explore_search *search);

#endif
