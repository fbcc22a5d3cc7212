/* The identity of a finding, by which it is the same one in another run: its rule, and its calls by
 * name, function and file, each once. Neither lines nor ranks nor sizes: it stays the same when
 * code above it is changed, or more ranks run it. */
#ifndef REPORTS_IDENTITY_H
#define REPORTS_IDENTITY_H

#include "checkers/finding.h"

/* Free with free(); NULL: out of memory. */
char *identity_text(struct trace *trace, const struct finding *finding);

#endif
