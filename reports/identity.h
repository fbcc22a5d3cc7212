/* The identity of a finding, by which it is recognised in another run: its rule, and its calls by
 * name, function and file, each once. It contains no lines, ranks or sizes, and so survives changes
 * to the code above and other numbers of ranks. */
#ifndef REPORTS_IDENTITY_H
#define REPORTS_IDENTITY_H

#include "checkers/finding.h"

/* Returns the identity as text. Free with free(); NULL: out of memory. */
char *identity_text(struct trace *trace, const struct finding *finding);

/* Computes sixteen digits from a rule and an identity, by which CI systems recognise a finding. */
enum { IDENTITY_MARK_BYTES = 17 };
void identity_mark(const char *rule, const char *identity, char mark[IDENTITY_MARK_BYTES]);

#endif
