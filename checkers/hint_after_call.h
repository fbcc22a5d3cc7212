/* Explains that a rank died right after a call of MPI because of what the call left behind. */
#ifndef CHECKERS_HINT_AFTER_CALL_H
#define CHECKERS_HINT_AFTER_CALL_H

#include "checkers/finding.h"
#include "core/trace/exit_cause.h"

/* Adds what explains the death of a rank outside of MPI:
 *
 * - It died in the Fortran interface of its last call, when the call itself was complete: the
 *   interface stores the results then, so an argument is missing or is no variable.
 * - Its last call gave MPI_UNDEFINED as the index of a request, as none was active.
 *
 * called: the library function that the application had called; NULL: none. Tells in *out_explained
 * whether it explained the death. */
enum core_status hint_after_call_add(struct trace *trace, struct finding *finding,
                                     const struct exit_cause *cause,
                                     const struct trace_site *called, bool *out_explained);

#endif
