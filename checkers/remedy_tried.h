/* Tries remedies for a deadlock: it changes the recorded calls and decides every order of matches
 * and every buffering of the result. A remedy that does not cure all of them is not offered.
 *
 * It tries to post a receive before the send (MPI_Irecv, with the wait where the receive was; if
 * the two calls follow each other, MPI_Sendrecv does the same), to let the MPI_ANY_SOURCE receives
 * of a place name the source that they received from, to give a send and a receive the same tag,
 * and to give the messages from one place to another a tag of their own. */
#ifndef CHECKERS_REMEDY_TRIED_H
#define CHECKERS_REMEDY_TRIED_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "checkers/hint_near_miss.h"
#include "replay/logical/run.h"
#include "replay/logical/waitfor.h"

/* Sets finding->tried to the change that cures the deadlock, if one does. CORE_OK whether or not
 * one does. */
enum core_status remedy_try_post(const struct check_input *input, struct finding *finding,
                                 const struct replay_waitfor *waitfor);
enum core_status remedy_try_tag_apart(const struct check_input *input, struct finding *finding,
                                      const struct replay_waitfor *waitfor);
enum core_status remedy_try_name(const struct check_input *input, struct finding *finding);
/* Tries the same tag for the send and the receive of `miss`. As the recorded run ended in the
 * deadlock, it says nothing of later calls. */
enum core_status remedy_try_tag(const struct check_input *input, struct finding *finding,
                                const struct replay_result *result,
                                const struct hint_tag_miss *miss);

#endif
