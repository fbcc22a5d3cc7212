/* Draws the wait-for graph of a finding: ranks on a ring, and an arrow from each rank to those that
 * it waits for, dashed if any of several suffices. If there are many ranks, those that wait for the
 * same ranks and are waited for by the same ranks share a node. */
#ifndef REPORTS_HTML_RING_H
#define REPORTS_HTML_RING_H

#include <stdio.h>

#include "checkers/finding.h"

/* Draws the graph; nothing if no rank waits. Returns CORE_NO_MEMORY (reported). */
enum core_status html_ring_draw(const struct finding *finding, FILE *file);

#endif
