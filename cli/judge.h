/* Check a trace and render what was found: the common end of run, check and report. */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include <stdbool.h>
#include <stdio.h>

#include "checkers/check.h"
#include "cli/confirm.h"
#include "reports/report.h"

struct judge_options {
    struct check_options check;
    struct confirm_options confirm; /* run: try assumed findings in the real job */
    bool check_none;                /* render what is recorded, look for nothing */
    bool keep;                      /* write findings into the trace, when it can be written */
    const struct report_format *format;
    bool findings_only; /* text: leave out what the job was and its totals */
};

/* Defaults: every checker, default seed and budget, text. */
void judge_defaults(struct judge_options *options);

/* Returns the exit status of the command (enum cli_exit): clean, findings, trouble, budget spent.
 */
int judge_trace(const char *trace_path, const struct judge_options *options, FILE *out);

#endif
