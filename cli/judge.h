/* Checks a trace and renders the findings: the common end of run, check and report. */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "checkers/check.h"
#include "cli/confirm.h"
#include "cli/explored.h"
#include "cli/options.h"
#include "launch/launch.h"
#include "reports/report.h"

struct judge_output { /* a report besides the printed one */
    const struct report_format *format;
    const char *path; /* NULL: standard output */
    FILE *joined;     /* text on several traces, until judge_files_close; NULL: the format has one
                         file per trace, which judge_trace writes */
    char *text;
    size_t bytes;
    bool failed;
};

/* Formats of reports that run can write to files besides the printed one. X(NAME, help) */
#define JUDGE_FILES(X)                                                                   \
    X(html, "also write the report as an HTML page")                                     \
    X(junit, "write the report as JUnit XML, for the test tab of a CI system")           \
    X(sarif, "write the report as SARIF, for code scanning")                             \
    X(json, "write the report as one JSON object, for scripts")                          \
    X(github, "write the report as commands of a GitHub workflow: '/dev/stdout' in one") \
    X(gitlab, "write the report as code quality of GitLab")                              \
    X(markdown, "write the report as a summary: \"$GITHUB_STEP_SUMMARY\" in a workflow") \
    X(suggest, "write remedies that were tried and move a line as a patch")
#define JUDGE_FILE_SPEC(name, help) {#name, 0, "FILE", help},
#define JUDGE_FILE_ONE(name, help) +1
enum { JUDGE_OUTPUTS_MAX = JUDGE_FILES(JUDGE_FILE_ONE) };

/* How CI systems identify the program and the run; also options of report. */
#define JUDGE_CI_SPECS                                                                       \
    {"source-root", 0, "DIR", "source paths are relative to DIR (the current directory)"},   \
    {                                                                                        \
        "category", 0, "NAME",                                                               \
            "a name for this run, if CI compares several of one program (default crosswait)" \
    }
enum { JUDGE_CI_COUNT = 2 };
#define JUDGE_FILE_SPECS JUDGE_FILES(JUDGE_FILE_SPEC) JUDGE_CI_SPECS
enum { JUDGE_FILE_COUNT = JUDGE_OUTPUTS_MAX + JUDGE_CI_COUNT };

enum judge_colour { JUDGE_COLOUR_AUTO, JUDGE_COLOUR_ALWAYS, JUDGE_COLOUR_NEVER };

/* Options of run, check and report for the printed text. */
#define JUDGE_STYLE_SPECS                                                                         \
    {"why", 0, NULL, "check nothing; say which ranks make others wait, and where the time goes"}, \
        {"verbose", 'v', NULL,                                                                    \
         "text report: also what each rank did, all totals, costs and times"},                    \
    {                                                                                             \
        "color", 0, "WHEN",                                                                       \
            "auto (default: on a terminal, unless NO_COLOR is set), always, "                     \
            "never"                                                                               \
    }
enum { JUDGE_STYLE_COUNT = 3 };

/* Options of check and report for sampling and searching checkers. */
#define JUDGE_SEARCH_SPECS                                                                      \
    {"seed", 0, "N", "seed of random samples (default 1)"},                                     \
    {                                                                                           \
        "budget", 0, "N",                                                                       \
            "try at most N schedules (default 20000; fewer if the job has over 200 operations)" \
    }
enum { JUDGE_SEARCH_COUNT = 2 };

struct judge_series { /* subjects of judged traces: "./app, 8 ranks" */
    char **subject;
    uint32_t count, room;
};

struct judge_options {
    struct check_options check;
    struct explored_options explore; /* run: also explore what the job might have done */
    struct confirm_options confirm;  /* run: try assumed findings in the real job */
    bool check_none;                 /* only render the record, check nothing */
    bool recall;                     /* render the findings of an earlier check, if there is one */
    bool keep;                       /* store findings in the trace, if it is writable */
    const struct report_format *format;
    struct judge_output output[JUDGE_OUTPUTS_MAX];
    uint32_t output_count;
    const char *source_root;     /* NULL: the current directory */
    const char *category;        /* NULL: crosswait */
    struct judge_series *series; /* traces of one command; NULL: only one */
    bool announce;               /* print the report's subject first */
    bool verbose, quiet;         /* quiet: print nothing */
    enum judge_colour colour;
    bool findings_only; /* text: leave out the job's description and totals */
};

/* Sets the defaults: every checker, default seed and budget, text. */
void judge_defaults(struct judge_options *options);

/* Reads the index-th option of JUDGE_SEARCH_SPECS. Reports a wrong value. */
enum core_status judge_search_set(struct judge_options *judge, const struct options *options,
                                  int index);

/* Prints the values of only, ignore, color and format, for options_command.values. */
void judge_values(const char *option);

/* Reads the index-th option of JUDGE_STYLE_SPECS. Reports a wrong value. */
enum core_status judge_style_set(struct judge_options *judge, const struct options *options,
                                 int index);

/* Reads the index-th option of JUDGE_CI_SPECS. */
void judge_ci_set(struct judge_options *judge, const struct options *options, int index);

/* Reads the index-th option of JUDGE_FILE_SPECS. Reports a wrong value. */
enum core_status judge_file_set(struct judge_options *judge, const struct options *options,
                                int index);

/* Reads the value of --color. Reports a wrong value. */
enum core_status judge_colour_read(const struct options *options, enum judge_colour *out_when);
bool judge_coloured(enum judge_colour when, FILE *out);

/* Returns the exit status of the command (enum cli_exit): clean, findings, trouble, budget spent.
 */
int judge_trace(const char *trace_path, struct judge_options *options, FILE *out);

/* Do the work of judge_trace in steps: judge_begin opens, checks and explores; judge_gather reads
 * the facts for reports, again if findings were added; judge_exit returns the exit status of the
 * command; judge_end frees everything. */
struct judged {
    struct trace trace;
    struct finding_list list;
    struct report_facts facts;
    enum core_status checked; /* CORE_OK, or CORE_BUDGET */
    bool kept;                /* the trace holds the findings */
    char *explored;           /* one line on the exploration; or NULL */
};
enum core_status judge_begin(const char *trace_path, struct judge_options *options, FILE *out,
                             struct judged *out_judged);
enum core_status judge_gather(struct judged *judged, const struct judge_options *options,
                              FILE *out);
enum core_status judge_print(const struct judged *judged, const struct judge_options *options,
                             FILE *out);
enum core_status judge_write(const struct judged *judged, struct judge_options *options);
int judge_exit(const struct judged *judged);
void judge_end(struct judged *judged);

/* Sets up confirming and exploring according to the job's end and duration. */
void judge_job(struct judge_options *judge, const struct launch_result *result, double job_s);

/* Makes "F-NAME.html" of "F.html". */
void judge_path_named(const char *path, const char *name, char named[PATH_MAX]);
/* Between the two calls, files of formats that hold one trace are named after it; NULL: they keep
 * the user's names. */
struct judge_names {
    const char *before[JUDGE_OUTPUTS_MAX];
    char named[JUDGE_OUTPUTS_MAX][PATH_MAX];
};
void judge_outputs_name(struct judge_options *judge, const char *name, struct judge_names *names);
void judge_outputs_restore(struct judge_options *judge, const struct judge_names *names);

/* Between the two calls, files of formats that hold several traces collect the reports of
 * judge_trace; judge_files_close writes them, unless there was no trace. The options must not
 * move. */
enum core_status judge_files_open(struct judge_options *options);
enum core_status judge_files_close(struct judge_options *options);
/* Returns the exit status for several traces of one command: the worse one. */
int judge_worse(int a, int b);

#endif
