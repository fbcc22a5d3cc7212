/* Draws cost against size for each collective that was called with several sizes: the cost of its
 * messages on the model's machine, the cost of the model's row, and the lower bound of all
 * algorithms. */
#ifndef REPORTS_HTML_PLOT_H
#define REPORTS_HTML_PLOT_H

#include "reports/report.h"

/* Draws a picture for each call and number of ranks; nothing if all sizes are equal. Returns
 * CORE_NO_MEMORY (reported). */
enum core_status html_plot_costs(const struct report_facts *facts, FILE *file);

#endif
