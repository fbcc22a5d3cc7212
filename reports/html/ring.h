/* Draws the wait-for graph of a finding: ranks on a ring, an arrow from each rank to those that it
 * waits for, dashed where any of several would do. Where there are many, ranks that wait for the
 * same ones and are waited for by the same ones are one node. */
#ifndef REPORTS_HTML_RING_H
#define REPORTS_HTML_RING_H

#include <stdio.h>

#include "checkers/finding.h"

/* Draws nothing where nobody waits. CORE_NO_MEMORY (reported). */
enum core_status html_ring_draw(const struct finding *finding, FILE *file);

#endif
