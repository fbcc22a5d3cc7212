/* crosswait report: a trace and what the checkers find in it, in one of several formats. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/judge.h"
#include "cli/options.h"

enum {
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_NO_CHECK,
    OPTION_RECHECK,
    OPTION_SEARCH,
    OPTION_ROOT = OPTION_SEARCH + JUDGE_SEARCH_COUNT,
    OPTION_STYLE
};

static const struct options_spec spec[] = {
    {"format", 'f', "NAME",
     "text (default), why, html, json, sarif, junit, proof, dot, perfetto or goal"},
    {"output", 'o', "FILE", "write to FILE, not to standard output"},
    {"no-check", 0, NULL, "report what was recorded; look for nothing"},
    {"recheck", 0, NULL, "check again what was checked before"},
    JUDGE_SEARCH_SPECS,
    {"source-root", 0, "DIR",
     "paths in SARIF and JUnit are relative to DIR (the current directory)"},
    JUDGE_STYLE_SPECS,
    {0},
};
static const struct options_command command = {
    "report",
    "crosswait report [--format=NAME] [-o FILE] T.db",
    "Renders what ran, what became of each rank, and what was found when the trace was checked; "
    "one that was not is checked.",
    spec,
    "Exit status: 0 clean, 1 findings, 2 usage, 3 trouble with the trace or the output, 5 no "
    "verdict: budget "
    "spent, or only the real job can tell.",
    0,
    .example = "crosswait report --format=html -o T.html T.db\n"
               "crosswait report --format=json T.db | jq -r '.findings[].title'\n"
               "crosswait report --format=dot T.db | dot -Tsvg -o who-waits.svg",
};

int cmd_report(int argc, char **argv)
{
    struct options o;
    struct judge_options judge;
    const char *output = NULL;
    int which;
    char names[128];

    judge_defaults(&judge);
    judge.keep = false;
    judge.recall = true;
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_FORMAT:
            judge.format = report_find(o.value);
            if (!judge.format)
                return options_wrong(&o, "unknown format '%s'; there are: %s", o.value,
                                     report_names(names, sizeof names));
            break;
        case OPTION_OUTPUT:
            output = o.value;
            break;
        case OPTION_NO_CHECK:
            judge.check_none = true;
            break;
        case OPTION_RECHECK:
            judge.recall = false;
            break;
        case OPTION_ROOT:
            judge.source_root = o.value;
            break;
        default:
            if ((which < OPTION_ROOT
                     ? judge_search_set(&judge, &o, which - OPTION_SEARCH)
                     : judge_style_set(&judge, &o, which - OPTION_STYLE)) != CORE_OK)
                return CLI_USAGE;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if (options_one(&o, "trace", false))
        return CLI_USAGE;
    if (output && strcmp(output, "-") != 0) {
        judge.quiet = true;
        judge.output[judge.output_count++] = (struct judge_output){judge.format, output};
    }
    return judge_trace(o.operand[0], &judge, stdout);
}
