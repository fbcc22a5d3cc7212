/* A remedy for a deadlock that was tried: the change is made to the recorded calls, and every order
 * of matches and every buffering of what comes out is decided. One that does not cure all of them
 * is not offered.
 *
 * Tried are: a receive that is posted before the send (MPI_Irecv, and the wait where the receive
 * stands), and receives of any source at a place that name the source which they received from. */
#ifndef CHECKERS_REMEDY_TRIED_H
#define CHECKERS_REMEDY_TRIED_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "replay/logical/waitfor.h"

/* finding->tried says what cures it, if one of the tried changes does. CORE_OK whether or not. */
enum core_status remedy_try_post(const struct check_input *input, struct finding *finding,
                                 const struct replay_waitfor *waitfor);
enum core_status remedy_try_name(const struct check_input *input, struct finding *finding);

#endif
