/* Turns the result of a search into findings: each way to fail is an error (rule behaviour),
 * outcomes that differ are a warning (rule race), each with the fewest answers that lead there. */
#ifndef EXPLORE_FINDINGS_H
#define EXPLORE_FINDINGS_H

#include "checkers/finding.h"
#include "explore/program.h"

/* For explore_options.met, context: the program. Where no time is left to look again, what is told
 * of a class is what came of its first world. */
enum core_status explore_findings_met(void *program, const struct explore_search *search,
                                      uint32_t class);
void explore_findings_forget(struct explore_program *program);
/* Outcomes that differ only in numbers that a clock makes become one. */
enum core_status explore_findings_untime(struct explore_program *program,
                                         struct explore_search *search);
/* Runs a few worlds more, where worlds are processes for another tenth of the time. */
enum core_status explore_findings(struct explore_program *program, struct explore_search *search,
                                  struct finding_list *out_list);
/* Worlds that were broken off: a program may be in one for ever; but the machine may be slow. */
enum core_status explore_findings_overdue(struct explore_program *program,
                                          const struct explore_search *search,
                                          struct finding_list *list);
/* Where worlds of one outcome differ in what their ranks send: "not all send the same: rank 0's
 * MPI_Send at mw.c:17 sends 2.5 to rank 1, tag 7, otherwise 3.5"; NULL: they do not. free() it. */
char *explore_sent_words(struct explore_program *program, const struct explore_search *search);

#endif
