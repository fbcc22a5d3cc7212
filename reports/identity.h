/* The identity of a finding, by which it is the same one in another run: its rule, and its calls by
 * name, function and file, each once. Neither lines nor ranks nor sizes: it stays the same when
 * code above it is changed, or more ranks run it. */
#ifndef REPORTS_IDENTITY_H
#define REPORTS_IDENTITY_H

#include "checkers/finding.h"

/* Free with free(); NULL: out of memory. */
char *identity_text(struct trace *trace, const struct finding *finding);

/* Sixteen digits that stand for a rule and an identity: what CI systems know a finding by. */
enum { IDENTITY_MARK_BYTES = 17 };
void identity_mark(const char *rule, const char *identity, char mark[IDENTITY_MARK_BYTES]);

#endif
