/* Explains a message race: the message that a receive waits for may have gone to an earlier
 * wildcard receive of its rank. */
#ifndef CHECKERS_HINT_STOLEN_MESSAGE_H
#define CHECKERS_HINT_STOLEN_MESSAGE_H

#include "checkers/check.h"
#include "checkers/finding.h"

/* Adds to a deadlock, for each call that waits for a message of one rank, the last wildcard receive
 * that took a fitting message, and where that message was sent. If the deadlock did not happen,
 * adds the last one that may take one. */
enum core_status hint_stolen_message_add(const struct check_input *input, struct finding *finding,
                                         bool happened, bool *out_found);

#endif
