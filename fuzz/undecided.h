/* Names what registered collectives call beside MPI's messages: functions whose answers
 * --exhaustive does not vary, as a clock, threads, or what makes a window.
 * program/decided.awk lists them in a section of each object. */
#ifndef FUZZ_UNDECIDED_H
#define FUZZ_UNDECIDED_H

#include <stdbool.h>

/* Describes the first one that no object defines; false: there is none. */
enum { UNDECIDED_BYTES = 192 };
bool undecided_call(char why[UNDECIDED_BYTES]);
/* Tells whether one of them calls what may wait for more ranks or fewer. */
bool undecided_waiting(void);
/* Tells whether one of them asks for an attribute, which may be MPI_TAG_UB. */
bool undecided_tags(void);

#endif
