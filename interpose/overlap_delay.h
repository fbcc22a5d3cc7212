/* Threads of a rank rarely call MPI at the same time by chance. If they may, the recorder delays
 * each thread a moment in the first calls of each call site, before the library sees them: calls
 * that nothing in the program keeps apart then overlap, and the record shows it (check_thread.c).
 * Calls that locks or barriers order stay ordered. The delays of a thread sum up to at most 0.1
 * s. */
#ifndef INTERPOSE_OVERLAP_DELAY_H
#define INTERPOSE_OVERLAP_DELAY_H

#include "interpose/recorder.h"

/* Starts the delays. provided: the thread level that MPI provides. */
void overlap_delay_start(int provided);

#endif
