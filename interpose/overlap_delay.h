/* Threads of a rank that call MPI at the same time do so now and then only, by chance. Where they
 * may, each stays a moment in the first calls of each place, before the library gets to see them:
 * what nothing in the program keeps apart then meets, and the record shows it (check_thread.c).
 * Calls that locks or barriers order stay in that order. No thread stays longer than 0.1 s in
 * all. */
#ifndef INTERPOSE_OVERLAP_DELAY_H
#define INTERPOSE_OVERLAP_DELAY_H

#include "interpose/recorder.h"

/* The level of threads that MPI provides. */
void overlap_delay_start(int provided);

#endif
