/* Errors that a program asks for. */
#ifndef CHECKERS_EXPECTED_ERROR_H
#define CHECKERS_EXPECTED_ERROR_H

#include "checkers/finding.h"
#include "core/trace/trace.h"

/* MPI refused the call, the program looks at what it returned, asked what the error means or has an
 * error handler of its own, and every rank came to its end without an error: a mistake that the
 * program knows of, as tests of error handling make them. */
bool expected_error_on_purpose(struct trace *trace, const struct trace_event *event);
/* The finding is of such mistakes only. */
void expected_error_note(struct finding *finding);

#endif
