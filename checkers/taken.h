/* What a receive waits for may have come, and have gone to an earlier receive of the rank that
 * takes messages of any: a race of messages. */
#ifndef CHECKERS_TAKEN_H
#define CHECKERS_TAKEN_H

#include "checkers/check.h"
#include "checkers/finding.h"

/* Of a deadlock: adds, for each of its calls that waits for a message of one rank, the last receive
 * from any rank that took one which fits; or, where it did not happen, that may take one. */
enum core_status taken_add(const struct check_input *input, struct finding *finding, bool happened);

#endif
