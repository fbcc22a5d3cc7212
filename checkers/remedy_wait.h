/* Tries to complete an operation before its buffer is used again: a wait for its request before the
 * access, or MPI_Win_flush for a one-sided access.
 *
 * A wait may block: it is offered only if no order and no buffering of the recorded calls deadlocks
 * with it. A flush waits for no call of another rank, so it is offered wherever MPI allows it: in
 * an epoch of MPI_Win_lock or MPI_Win_lock_all at that target. */
#ifndef CHECKERS_REMEDY_WAIT_H
#define CHECKERS_REMEDY_WAIT_H

#include "checkers/check.h"

/* Tells whether the finding is of a buffer that the program used while MPI owned it. */
bool remedy_wait_fits(const struct finding *finding);
/* Sets finding->tried to the change that cures it, if one does. CORE_OK whether or not one does.
 * The input has the program of all calls. */
enum core_status remedy_try_wait(const struct check_input *input, struct finding *finding);

#endif
