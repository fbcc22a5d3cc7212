/* Describes what a rank of a blocked replay waits for, by the record that the launcher makes of a
 * blocked job (core/trace/ending.h): both get their words from wording.h. */
#ifndef CHECKERS_WAITING_H
#define CHECKERS_WAITING_H

#include "checkers/finding.h"
#include "core/trace/ending.h"
#include "replay/logical/waitfor.h"
#include "replay/program/program.h"

/* One blocked call as a record of one call: a wait for each of its clauses, in their order. The
 * role INSIDE says that nothing is claimed of it. On an error, which was reported, *out_waiting is
 * zeroed; else ending_done() it. */
enum core_status waiting_record(const struct replay_program *program,
                                const struct replay_waitfor *waitfor,
                                const struct replay_blocked *blocked, struct ending *out_waiting);

/* The part says, in words and as data, what the call waits for. */
void waiting_describe(const struct ending *waiting, const struct ending_call *call,
                      struct finding_call *part);

/* Selects the blocked calls, by index, that are as much to blame as the core, which is the
 * smallest set of ranks that wait for each other: they hold a rank of a core and are held by one,
 * they stand in the same collective as one and wait for the same ranks, or both wait for the same
 * ranks, which have ended. Zeroed; free with free(). CORE_NO_MEMORY (reported). */
enum core_status waiting_alike(const struct replay_program *program,
                               const struct replay_waitfor *waitfor, bool **out_alike);

/* The ranks of one core (1 .. waitfor->cores), in words; *out_count: how many. Free with free();
 * NULL: out of memory. */
char *waiting_core_text(const struct replay_waitfor *waitfor, uint32_t core, uint32_t *out_count);

#endif
