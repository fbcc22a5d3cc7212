/* Recognises errors that a program provokes on purpose. */
#ifndef CHECKERS_EXPECTED_ERROR_H
#define CHECKERS_EXPECTED_ERROR_H

#include "checkers/finding.h"
#include "core/trace/trace.h"

/* Tells whether the program knows of the error that MPI raised at the call, as tests of error
 * handling do: it looks at the returned code, asks what the error means or has its own error
 * handler, and every rank finished without an error. */
bool expected_error_on_purpose(struct trace *trace, const struct trace_event *event);
/* Turns a finding whose mistakes are all such errors into a note that says so. */
void expected_error_note(struct finding *finding);

#endif
