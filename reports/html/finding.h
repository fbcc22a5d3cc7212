/* Writes a finding on a page: who waits for whom, its places with their source lines, and
 * remarks. */
#ifndef REPORTS_HTML_FINDING_H
#define REPORTS_HTML_FINDING_H

#include <stdio.h>

#include "checkers/finding.h"
#include "reports/block.h"

enum { HTML_FINDINGS_MAX = 300 }; /* on a page; text and JSON show all */

/* Writes the finding. more: further sentences, NULL-terminated. */
enum core_status html_finding_write(const struct finding *finding, const struct block *block,
                                    const char *const *more, FILE *file);
/* Writes "<dt>NAME</dt><dd>VALUE</dd>", with the value escaped. */
void html_pair_write(const char *name, const char *value, FILE *file);

#endif
