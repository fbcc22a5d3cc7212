/* Finds the source line of a rank in the fuzzed program, for timelines. */
#ifndef FUZZ_SRCLINE_H
#define FUZZ_SRCLINE_H

enum { SRCLINE_BYTES = 128 };

/* Returns "my_allreduce.c:23" for an MPI call in progress: the innermost instrumented frame, as
 * only the program is instrumented. Empty if there is none (Fortran, a library without source, a
 * call of the harness), or debug information cannot be read. */
void srcline_get(char text[SRCLINE_BYTES]);

#endif
