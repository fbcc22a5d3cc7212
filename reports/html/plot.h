/* Cost against size, as pictures: of each collective that was called with several sizes, what its
 * messages cost on the model's machine, what the row of the model costs, and what no algorithm can
 * beat. */
#ifndef REPORTS_HTML_PLOT_H
#define REPORTS_HTML_PLOT_H

#include "reports/report.h"

/* A picture for each call and number of ranks; nothing where all sizes are one. CORE_NO_MEMORY
 * (reported). */
enum core_status html_plot_costs(const struct report_facts *facts, FILE *file);

#endif
