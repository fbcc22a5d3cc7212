/* Tries remedies for a deadlock: it changes the recorded calls and decides every order of matches
 * and every buffering of the result. A remedy that does not cure all of them is not offered.
 *
 * It tries to post a receive before the send (MPI_Irecv, with the wait where the receive was), and
 * to let the MPI_ANY_SOURCE receives of a place name the source that they received from. */
#ifndef CHECKERS_REMEDY_TRIED_H
#define CHECKERS_REMEDY_TRIED_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "replay/logical/waitfor.h"

/* Sets finding->tried to the change that cures the deadlock, if one does. CORE_OK whether or not
 * one does. */
enum core_status remedy_try_post(const struct check_input *input, struct finding *finding,
                                 const struct replay_waitfor *waitfor);
enum core_status remedy_try_name(const struct check_input *input, struct finding *finding);

#endif
