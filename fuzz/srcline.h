/* Where in the fuzzed program a rank is, for timelines. */
#ifndef FUZZ_SRCLINE_H
#define FUZZ_SRCLINE_H

enum { SRCLINE_BYTES = 128 };

/* "my_allreduce.c:23", of whoever calls this from within an MPI call: the innermost frame that was
 * instrumented, which is the program's alone. Empty: there is none (Fortran, a library without
 * source, a call of the harness), or nothing reads debug information here. */
void srcline_get(char text[SRCLINE_BYTES]);

#endif
