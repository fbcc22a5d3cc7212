/* crosswait diff: two runs compared, and limits for CI. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "reports/diff.h"

enum { OPTION_FAIL_ON, OPTION_FORMAT };

static const struct options_spec spec[] = {
    {"fail-on", 0, "LIMIT,...",
     "exit with 1 where a limit is passed: calls, messages, bytes, rounds, words or waiting with "
     "'>N%', algorithm, new-findings"},
    {"format", 'f', "NAME", "text (default), json, or html: one page for a browser"},
    {0},
};
static const struct options_command command = {
    "diff",
    "crosswait diff [--fail-on=LIMIT,...] [--format=NAME] A.db B.db",
    "Compares two recorded runs, A before and B after: calls, messages and bytes by place, rounds, "
    "words and algorithm of\n"
    "collectives, waiting, findings that are new or gone, ranks whose calls part, messages in "
    "another order.",
    spec,
    "Rounds and words are compared collective by collective, as are algorithms; the other limits "
    "are on the whole job.\n"
    "Exit status: 0 no limit is passed, 1 one is, 2 usage, 3 trouble with a trace.",
    0,
    .example =
        "crosswait diff main.db branch.db\n"
        "crosswait diff --fail-on='rounds>0%,words>0%,bytes>5%,new-findings' main.db branch.db",
};

struct side {
    struct trace trace;
    struct finding_list findings;
    struct report_facts facts;
};

static void side_close(struct side *side)
{
    report_facts_done(&side->facts);
    finding_list_done(&side->findings);
    trace_close(&side->trace);
}

static enum core_status side_open(const char *path, struct side *side)
{
    struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                    .budget_schedules = CHECK_BUDGET_DEFAULT};
    enum core_status status = trace_open(path, TRACE_READ, &side->trace);

    if (status == CORE_OK)
        status = check_all(&side->trace, &options, &side->findings);
    if (status == CORE_BUDGET)
        status = CORE_OK;
    return status == CORE_OK
               ? report_facts_gather(&side->trace, &side->findings, REPORT_ALL, &side->facts)
               : status;
}

enum format { TEXT, JSON, HTML };
static const char *const format_name[] = {"text", "json", "html"};

static enum core_status print(const struct diff *diff, enum format format, const char *failed)
{
    if (format == JSON)
        return diff_json(diff, failed, stdout);
    if (format == HTML)
        return diff_html(diff, failed, stdout);
    enum core_status status = diff_text(diff, stdout);
    if (status == CORE_OK && failed)
        fputs(failed, stdout);
    return status;
}

static int compare(char *const *path, const char *limits, enum format format)
{
    struct side side[2] = {{.trace = {0}}};
    struct diff diff = {0};
    char *failed = NULL;
    size_t bytes;
    bool passed = false;
    FILE *said = open_memstream(&failed, &bytes);
    enum core_status status =
        said ? side_open(path[0], &side[0]) : core_report(CORE_NO_MEMORY, "out of memory");

    if (status == CORE_OK)
        status = side_open(path[1], &side[1]);
    if (status == CORE_OK)
        status = diff_gather(&side[0].facts, &side[1].facts, &diff);
    if (status == CORE_OK)
        status = diff_limits(&diff, limits, said, &passed);
    if (said && fclose(said) != 0 && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory");
    if (status == CORE_OK)
        status = print(&diff, format, passed ? failed : NULL);
    if (status == CORE_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = core_report(CORE_IO, "cannot write the comparison");
    free(failed);
    diff_done(&diff);
    side_close(&side[0]);
    side_close(&side[1]);
    return status != CORE_OK ? cli_exit_of(status) : passed ? CLI_FINDINGS : CLI_CLEAN;
}

int cmd_diff(int argc, char **argv)
{
    struct options o;
    const char *limits = "";
    int format = TEXT, which;
    bool ignored;

    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        if (which == OPTION_FAIL_ON) {
            limits = o.value;
            if (diff_limits(NULL, limits, NULL, &ignored) != CORE_OK)
                return CLI_USAGE;
        } else {
            for (format = TEXT; format <= HTML && strcmp(o.value, format_name[format]) != 0;)
                format++;
            if (format > HTML)
                return options_wrong(&o, "unknown format '%s'; there are: text, json, html",
                                     o.value);
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if (o.operand_count != 2)
        return options_wrong(&o, "two traces are compared, the one before and the one after");
    return compare(o.operand, limits, (enum format)format);
}
