/* Notes whether the process was asked to end by a SIGTERM for which the program has a handler. The
 * program's reaction (an exception, an exit without MPI_Finalize) is then no mistake of its own.
 *
 *  1. sigaction and signal return the same as without the recorder, and the program's handler gets
 *     its usual arguments, under the same mask and flags. */
#ifndef INTERPOSE_ENTRY_TERMINATION_H
#define INTERPOSE_ENTRY_TERMINATION_H

#include <stdint.h>

/* Return the target of a call of the function; arguments: its first arguments, as words
 * (redirect_before). */
void *termination_sigaction(const uint64_t *arguments, void *function);
void *termination_signal(const uint64_t *arguments, void *function);
int termination_signal_seen(void); /* the signal that came; 0: none */

#endif
