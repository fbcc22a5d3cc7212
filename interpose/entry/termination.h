/* Whether somebody told the process to end: whether a SIGTERM came for which the program has a
 * handler. What it does then (an exception, an exit without MPI_Finalize) is no mistake of its own.
 *
 *  1. sigaction and signal answer as without us, and the program's handler is called with what it
 *     would have been called with, under the same mask and flags. */
#ifndef INTERPOSE_ENTRY_TERMINATION_H
#define INTERPOSE_ENTRY_TERMINATION_H

#include <stdint.h>

/* Where a call of the function goes, with the first arguments as words: see redirect_before. */
void *termination_sigaction(const uint64_t *arguments, void *function);
void *termination_signal(const uint64_t *arguments, void *function);
int termination_signal_seen(void); /* the signal that came; 0: none */

#endif
