/* The timeline of a job as a Gantt diagram of Mermaid: in which call each rank was, and when.
 * GitHub and GitLab draw Mermaid wherever they show Markdown; both take pictures out of it that
 * stand in the text itself (SVG, "data:"), and neither has a place for a file beside a summary.
 *
 * A job's span is cut into GANTT_CELLS parts. A rank is in MPI in a part if calls fill at least
 * half of it, and in the call that fills most. Parts alike that follow each other are a bar; ranks
 * with the same bars share a row. GitLab draws unasked what has no more than GANTT_BYTES_MAX
 * characters: the shortest bars are left out until all fit, and what is left out is said.
 *
 * Invariants
 *  1. The diagram has at most GANTT_BYTES_MAX bytes.
 *  2. Each rank is in one row, or counted among those that are not drawn. */
#ifndef REPORTS_GANTT_H
#define REPORTS_GANTT_H

#include "reports/report.h"

enum { GANTT_CELLS = 48, GANTT_ROWS_MAX = 16, GANTT_BYTES_MAX = 2000 };

/* Writes nothing of a job whose ranks were in no call for long enough. */
enum core_status gantt_write(const struct report_facts *facts, FILE *file);

#endif
