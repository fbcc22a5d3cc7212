/* crosswait report: shows a trace and the checkers' findings in one of several formats. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/judge.h"
#include "cli/options.h"
#include "foreign/export.h"

enum {
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_NO_CHECK,
    OPTION_RECHECK,
    OPTION_SEARCH,
    OPTION_CI = OPTION_SEARCH + JUDGE_SEARCH_COUNT,
    OPTION_STYLE = OPTION_CI + JUDGE_CI_COUNT
};

static const struct options_spec spec[] = {
    {"format", 'f', "NAME", REPORT_NAMES_LISTED ", otf2"},
    {"output", 'o', "FILE", "write to FILE, not to standard output; otf2: to the folder FILE"},
    {"no-check", 0, NULL, "report the recorded run without checking it"},
    {"recheck", 0, NULL, "check again even if the trace was checked before"},
    JUDGE_SEARCH_SPECS,
    JUDGE_CI_SPECS,
    JUDGE_STYLE_SPECS,
    {0},
};
static void cmd_report_values(const char *option)
{
    judge_values(option);
    if (!strcmp(option, "format"))
        puts("otf2");
}

static const struct options_command command = {
    "report",
    "crosswait report [--format=NAME] [-o FILE] T.db...",
    "Reports what ran, how each rank ended, and the findings of the checkers; a trace that was not "
    "checked yet is checked first. Several traces make one report, if its format allows that.",
    spec,
    "Exit status: 0 clean, 1 findings, 2 usage, 3 trouble with the trace or the output, 5 no "
    "verdict: budget "
    "spent, or only the real job can tell.",
    0,
    .example = "crosswait report --format=html -o T.html T.db\n"
               "crosswait report --format=sarif -o all.sarif A.db B.db\n"
               "crosswait report --format=json T.db | jq -r '.findings[].title'\n"
               "crosswait report --format=dot T.db | dot -Tsvg -o who-waits.svg\n"
               "crosswait report --format=otf2 -o T.otf2 T.db",
    .values = cmd_report_values,
};

/* Judges the traces, and then writes the format's frame, and reports that go to a file. */
static int cmd_report_body(const struct options *o, struct judge_options *judge, const char *output)
{
    struct judge_series series = {0};
    int code = CLI_CLEAN;

    judge->series = &series;
    if (output || *judge->format->head || report_nothing(judge->format)) {
        judge->quiet = true;
        judge->output[judge->output_count++] =
            (struct judge_output){.format = judge->format, .path = output};
    }
    if (judge_files_open(judge) != CORE_OK)
        return CLI_TROUBLE;
    for (int i = 0; i < o->operand_count; i++) {
        if (i && !judge->quiet)
            fputs(judge->format->between, stdout);
        code = judge_worse(code, judge_trace(o->operand[i], judge, stdout));
    }
    for (uint32_t i = 0; i < judge->output_count; i++)
        judge->output[i].failed |= code == CLI_TROUBLE || code == CLI_USAGE;
    judge->quiet = false;
    if (judge_files_close(judge) != CORE_OK || (fflush(stdout) != 0 && code != CLI_TROUBLE))
        code = CLI_TROUBLE;
    return code;
}

/* Writes an OTF2 archive, which is a folder, and holds no findings. */
static int cmd_report_archive(const struct options *o, const char *folder)
{
    struct trace trace;
    enum core_status status;

    if (o->operand_count > 1)
        return options_wrong(o, "an OTF2 archive holds one trace, but the number of traces is %d",
                             o->operand_count);
    if (!folder)
        return options_wrong(o, "an OTF2 archive is a folder: name one with -o");
    status = trace_open(o->operand[0], TRACE_READ, &trace);
    if (status != CORE_OK)
        return cli_exit_of(status);
    status = export_otf2(&trace, folder);
    if (status == CORE_OK)
        printf("%s/traces.otf2: %" PRIu32 " rank%s\n", folder, trace.rank_count,
               trace.rank_count == 1 ? "" : "s");
    trace_close(&trace);
    return cli_exit_of(status);
}

int cmd_report(int argc, char **argv)
{
    struct options o;
    struct judge_options judge;
    const char *output = NULL, *format = NULL;
    int which;
    bool archive = false, why = false;
    char names[128];

    judge_defaults(&judge);
    judge.keep = false;
    judge.recall = true;
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_FORMAT:
            format = o.value;
            archive = !strcmp(o.value, "otf2");
            judge.format = archive ? report_find("text") : report_find(o.value);
            if (!judge.format)
                return options_wrong(&o, "unknown format '%s'; there are: %s, otf2", o.value,
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
        default:
            why |= which == OPTION_STYLE;
            if (which >= OPTION_CI && which < OPTION_STYLE)
                judge_ci_set(&judge, &o, which - OPTION_CI);
            else if ((which < OPTION_CI
                          ? judge_search_set(&judge, &o, which - OPTION_SEARCH)
                          : judge_style_set(&judge, &o, which - OPTION_STYLE)) != CORE_OK)
                return CLI_USAGE;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if ((o.operand_count < 2 || o.rest_count) && options_one(&o, "trace", false))
        return CLI_USAGE;
    if (why && format && strcmp(format, "why"))
        return options_wrong(&o, "--why is the format why; --format=%s asks for another", format);
    if (archive)
        return cmd_report_archive(&o, output);
    if (o.operand_count > 1 && !judge.format->between)
        return options_wrong(
            &o, "a report in the format %s covers one trace, but the number of traces is %d",
            judge.format->name, o.operand_count);
    return cmd_report_body(&o, &judge, output && strcmp(output, "-") != 0 ? output : NULL);
}
