/* A finding on a page: who waits for whom, its places with their source lines, what else is said.
 */
#ifndef REPORTS_HTML_FINDING_H
#define REPORTS_HTML_FINDING_H

#include <stdio.h>

#include "checkers/finding.h"
#include "reports/block.h"

enum { HTML_FINDINGS_MAX = 300 }; /* of a page; text and JSON have the rest */

/* more: further sentences, ended by NULL. */
enum core_status html_finding_write(const struct finding *finding, const struct block *block,
                                    const char *const *more, FILE *file);
/* "<dt>NAME</dt><dd>VALUE</dd>"; the value is escaped. */
void html_pair_write(const char *name, const char *value, FILE *file);

#endif
