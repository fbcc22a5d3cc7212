/* Check a trace and render what was found: the common end of run, check and report. */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include <stdbool.h>
#include <stdio.h>

#include "checkers/check.h"
#include "cli/confirm.h"
#include "cli/explored.h"
#include "cli/options.h"
#include "reports/report.h"

struct judge_output { /* a report besides the one that is printed */
    const struct report_format *format;
    const char *path;
};
enum { JUDGE_OUTPUTS_MAX = 4 };

/* Reports into files, in the order of judge_file_set. */
#define JUDGE_FILE_SPECS                                                                \
    {"html", 0, "FILE", "write the report as a page for a browser, too"},               \
        {"junit", 0, "FILE", "write it as JUnit XML, for the test tab of a CI system"}, \
        {"sarif", 0, "FILE", "write it as SARIF, for code scanning"},                   \
        {"json", 0, "FILE", "write it as one object, for scripts"},                     \
    {                                                                                   \
        "source-root", 0, "DIR",                                                        \
            "paths in SARIF and JUnit are relative to DIR (the current directory)"      \
    }
enum { JUDGE_FILE_COUNT = 5 };

enum judge_colour { JUDGE_COLOUR_AUTO, JUDGE_COLOUR_ALWAYS, JUDGE_COLOUR_NEVER };

/* Options of run, check and report for the text that a person reads. */
#define JUDGE_STYLE_SPECS                                                                     \
    {"why", 0, NULL, "check nothing; say who makes whom wait, and where time went"},          \
        {"verbose", 'v', NULL, "text: also what each rank did, all totals, costs and times"}, \
    {                                                                                         \
        "color", 0, "WHEN",                                                                   \
            "auto (default: on a terminal, unless NO_COLOR is set), always, "                 \
            "never"                                                                           \
    }
enum { JUDGE_STYLE_COUNT = 3 };

/* Where checkers sample and search: the options of check and report. */
#define JUDGE_SEARCH_SPECS                                                                 \
    {"seed", 0, "N", "seed of whatever is sampled (default 1)"},                           \
    {                                                                                      \
        "budget", 0, "N",                                                                  \
            "schedules that exploration may try (20000; fewer where the job has over 200 " \
            "operations)"                                                                  \
    }
enum { JUDGE_SEARCH_COUNT = 2 };

struct judge_options {
    struct check_options check;
    struct explored_options explore; /* run: look at what the job might have done as well */
    struct confirm_options confirm;  /* run: try assumed findings in the real job */
    bool check_none;                 /* render what is recorded, look for nothing */
    bool recall;                     /* render what is kept of an earlier check, if there is one */
    bool keep;                       /* write findings into the trace, when it can be written */
    const struct report_format *format;
    struct judge_output output[JUDGE_OUTPUTS_MAX];
    uint32_t output_count;
    const char *source_root; /* NULL: where one stands */
    bool verbose, quiet;     /* quiet: print nothing */
    enum judge_colour colour;
    bool findings_only; /* text: leave out what the job was and its totals */
};

/* Defaults: every checker, default seed and budget, text. */
void judge_defaults(struct judge_options *options);

/* Reads the index-th of JUDGE_SEARCH_SPECS; a mistake is reported. */
enum core_status judge_search_set(struct judge_options *judge, const struct options *options,
                                  int index);

/* Reads the index-th of JUDGE_STYLE_SPECS; a mistake is reported. */
enum core_status judge_style_set(struct judge_options *judge, const struct options *options,
                                 int index);

/* Reads the index-th of JUDGE_FILE_SPECS; a mistake is reported. */
enum core_status judge_file_set(struct judge_options *judge, const struct options *options,
                                int index);

/* The value of --color; a mistake is reported. */
enum core_status judge_colour_read(const struct options *options, enum judge_colour *out_when);
bool judge_coloured(enum judge_colour when, FILE *out);

/* Returns the exit status of the command (enum cli_exit): clean, findings, trouble, budget spent.
 */
int judge_trace(const char *trace_path, const struct judge_options *options, FILE *out);

#endif
