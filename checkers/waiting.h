/* Describes what a rank of a blocked replay waits for, in the record that the launcher also makes
 * of a blocked job (core/trace/ending.h). wording.h finds the words for both. */
#ifndef CHECKERS_WAITING_H
#define CHECKERS_WAITING_H

#include "checkers/finding.h"
#include "core/trace/ending.h"
#include "replay/logical/waitfor.h"
#include "replay/program/program.h"

/* Makes the record of one blocked call, with a wait for each of its clauses, in their order. The
 * role INSIDE: the record makes no claim about the call. On an error (reported) *out_waiting is
 * zeroed; otherwise free it with ending_done(). */
enum core_status waiting_record(const struct replay_program *program,
                                const struct replay_waitfor *waitfor,
                                const struct replay_blocked *blocked, struct ending *out_waiting);

/* Writes into `part` what the call waits for, in words and as data. */
void waiting_describe(const struct ending *waiting, const struct ending_call *call,
                      struct finding_call *part);

/* Selects the blocked calls, by index, that are as much to blame as the core, which is the smallest
 * set of ranks that wait for each other: they block a rank of a core and are blocked by one, they
 * are in the same collective as a core rank and wait for the same ranks, or both wait for the same
 * finished ranks. Zeroed; free with free(). CORE_NO_MEMORY (reported). */
enum core_status waiting_alike(const struct replay_program *program,
                               const struct replay_waitfor *waitfor, bool **out_alike);

/* Returns the ranks of one core (1 .. waitfor->cores) in words; *out_count: how many. Free with
 * free(); NULL: out of memory. */
char *waiting_core_text(const struct replay_waitfor *waitfor, uint32_t core, uint32_t *out_count);

#endif
