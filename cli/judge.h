/* Check a trace and render what was found: the common end of run, check and report. */
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

struct judge_output { /* a report besides the one that is printed */
    const struct report_format *format;
    const char *path; /* NULL: standard output */
    FILE *joined;     /* what is said of several traces, until judge_files_close; NULL: the format
                         has a file for each trace, which judge_trace writes */
    char *text;
    size_t bytes;
    bool failed;
};

/* Reports into files: the formats that run can write beside what it prints. X(NAME, help) */
#define JUDGE_FILES(X)                                                           \
    X(html, "write the report as a page for a browser, too")                     \
    X(junit, "write it as JUnit XML, for the test tab of a CI system")           \
    X(sarif, "write it as SARIF, for code scanning")                             \
    X(json, "write it as one object, for scripts")                               \
    X(github, "write it as commands of a GitHub workflow: '/dev/stdout' in one") \
    X(gitlab, "write it as code quality of GitLab")                              \
    X(markdown, "write it as a summary: \"$GITHUB_STEP_SUMMARY\" in a workflow")
#define JUDGE_FILE_SPEC(name, help) {#name, 0, "FILE", help},
#define JUDGE_FILE_ONE(name, help) +1
enum { JUDGE_OUTPUTS_MAX = JUDGE_FILES(JUDGE_FILE_ONE) };

/* How CI systems know the program and the run; report's as well. */
#define JUDGE_CI_SPECS                                                                             \
    {"source-root", 0, "DIR", "paths for CI systems are relative to DIR (the current directory)"}, \
    {                                                                                              \
        "category", 0, "NAME",                                                                     \
            "what tells this run from others of the same program, as of another MPI "              \
            "(crosswait)"                                                                          \
    }
enum { JUDGE_CI_COUNT = 2 };
#define JUDGE_FILE_SPECS JUDGE_FILES(JUDGE_FILE_SPEC) JUDGE_CI_SPECS
enum { JUDGE_FILE_COUNT = JUDGE_OUTPUTS_MAX + JUDGE_CI_COUNT };

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

struct judge_series { /* what traces are of that were judged: "./app, 8 ranks" */
    char **subject;
    uint32_t count, room;
};

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
    const char *source_root;     /* NULL: where one stands */
    const char *category;        /* NULL: crosswait */
    struct judge_series *series; /* traces of one command; NULL: there is one */
    bool announce;               /* say first what the report is on */
    bool verbose, quiet;         /* quiet: print nothing */
    enum judge_colour colour;
    bool findings_only; /* text: leave out what the job was and its totals */
};

/* Defaults: every checker, default seed and budget, text. */
void judge_defaults(struct judge_options *options);

/* Reads the index-th of JUDGE_SEARCH_SPECS; a mistake is reported. */
enum core_status judge_search_set(struct judge_options *judge, const struct options *options,
                                  int index);

/* For options_command.values: those of only, ignore, color and format. */
void judge_values(const char *option);

/* Reads the index-th of JUDGE_STYLE_SPECS; a mistake is reported. */
enum core_status judge_style_set(struct judge_options *judge, const struct options *options,
                                 int index);

/* Reads the index-th of JUDGE_CI_SPECS. */
void judge_ci_set(struct judge_options *judge, const struct options *options, int index);

/* Reads the index-th of JUDGE_FILE_SPECS; a mistake is reported. */
enum core_status judge_file_set(struct judge_options *judge, const struct options *options,
                                int index);

/* The value of --color; a mistake is reported. */
enum core_status judge_colour_read(const struct options *options, enum judge_colour *out_when);
bool judge_coloured(enum judge_colour when, FILE *out);

/* Returns the exit status of the command (enum cli_exit): clean, findings, trouble, budget spent.
 */
int judge_trace(const char *trace_path, struct judge_options *options, FILE *out);

/* The same in steps: begin opens, checks and explores; gather reads what reports show, anew where
 * findings were added since; judge_exit says what a command exits with. judge_end frees it all. */
struct judged {
    struct trace trace;
    struct finding_list list;
    struct report_facts facts;
    enum core_status checked; /* CORE_OK, or CORE_BUDGET */
    bool kept;                /* the findings stand in the trace */
    char *explored;           /* one line on what was explored; NULL */
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

/* Sets what is confirmed and explored by how the job ended, and how long it took. */
void judge_job(struct judge_options *judge, const struct launch_result *result, double job_s);

/* "F-NAME.html" of "F.html". */
void judge_path_named(const char *path, const char *name, char named[PATH_MAX]);
/* Between the two the files of formats that hold one trace are named after the trace; NULL: they
 * are called as the user calls them. */
struct judge_names {
    const char *before[JUDGE_OUTPUTS_MAX];
    char named[JUDGE_OUTPUTS_MAX][PATH_MAX];
};
void judge_outputs_name(struct judge_options *judge, const char *name, struct judge_names *names);
void judge_outputs_restore(struct judge_options *judge, const struct judge_names *names);

/* Between the two, files of which a format holds several traces gather what judge_trace says; the
 * latter writes them, unless there was no trace. The options stay where they are. */
enum core_status judge_files_open(struct judge_options *options);
enum core_status judge_files_close(struct judge_options *options);
/* The exit status of several traces of one command: the worst. */
int judge_worse(int a, int b);

#endif
