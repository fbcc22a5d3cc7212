/* crosswait diff: compares two runs, with limits for CI. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "reports/diff.h"

enum { OPTION_FAIL_ON, OPTION_FORMAT, OPTION_HTML, OPTION_JSON };

static const struct options_spec spec[] = {
    {"fail-on", 0, "LIMIT,...",
     "exit with 1 if a limit is exceeded: calls, messages, bytes, rounds, words or waiting with "
     "'>N%', algorithm, new-findings"},
    {"format", 'f', "NAME", "text (default), json, or html: one page for a browser"},
    {"html", 0, "FILE", "also write the HTML page to FILE"},
    {"json", 0, "FILE", "also write the comparison as one JSON object to FILE"},
    {0},
};
static void cmd_diff_values(const char *option)
{
    if (!strcmp(option, "format"))
        fputs("text\njson\nhtml\n", stdout);
    if (strcmp(option, "fail-on") != 0)
        return;
    for (int total = 0; total < DIFF_TOTAL_COUNT; total++)
        printf("%s>0%%\n", diff_total_text((enum diff_total)total));
    fputs("algorithm\nnew-findings\n", stdout);
}

static const struct options_command command = {
    "diff",
    "crosswait diff [--fail-on=LIMIT,...] [--format=NAME] [--html=FILE] A.db B.db",
    "Compares two recorded runs, A before and B after: calls, messages and bytes by place, rounds, "
    "words and algorithm of "
    "collectives, waiting, findings that are new or gone, ranks whose calls differ, messages in "
    "another order.",
    spec,
    "Rounds, words and algorithms are compared for each collective; the other limits are for the "
    "whole job.\n"
    "Exit status: 0 no limit is exceeded, 1 a limit is exceeded, 2 usage, 3 trouble with a trace, "
    "5 a limit is not decided.",
    0,
    .example =
        "crosswait diff main.db branch.db\n"
        "crosswait diff --fail-on='rounds>0%,words>0%,bytes>5%,new-findings' main.db branch.db\n"
        "crosswait diff --fail-on='words>0%' --html=diff.html main.db branch.db",
    .values = cmd_diff_values,
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

struct rendering {
    const struct diff *diff;
    const char *failed; /* NULL: no limit was exceeded */
};

static enum core_status text_write(const void *what, FILE *file)
{
    const struct rendering *rendering = what;
    enum core_status status = diff_text(rendering->diff, file);

    if (status == CORE_OK && rendering->failed)
        fputs(rendering->failed, file);
    return status;
}

static enum core_status json_write(const void *what, FILE *file)
{
    const struct rendering *rendering = what;

    return diff_json(rendering->diff, rendering->failed, file);
}

static enum core_status html_write(const void *what, FILE *file)
{
    const struct rendering *rendering = what;

    return diff_html(rendering->diff, rendering->failed, file);
}

static const struct format {
    const char *name;
    output_write_fn write;
} format_table[] = {{"text", text_write}, {"json", json_write}, {"html", html_write}, {0}};

struct settings {
    const char *limits, *html, *json;
    output_write_fn write;
};

static enum core_status write_all(const struct settings *settings,
                                  const struct rendering *rendering)
{
    enum core_status status = settings->write(rendering, stdout);

    if (status == CORE_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = core_report(CORE_IO, "cannot write 'standard output': %s; choose another place",
                             strerror(errno));
    if (status == CORE_OK && settings->html)
        status = output_file_write(settings->html, html_write, rendering);
    if (status == CORE_OK && settings->json)
        status = output_file_write(settings->json, json_write, rendering);
    return status;
}

static int cmd_diff_compare(char *const *path, const struct settings *settings)
{
    struct side side[2] = {{.trace = {0}}};
    struct diff diff = {0};
    char *failed = NULL;
    size_t bytes;
    bool passed = false, undecided = false;
    FILE *said = open_memstream(&failed, &bytes);
    enum core_status status =
        said ? side_open(path[0], &side[0]) : core_report(CORE_NO_MEMORY, "out of memory");

    if (status == CORE_OK)
        status = side_open(path[1], &side[1]);
    if (status == CORE_OK)
        status = diff_gather(&side[0].facts, &side[1].facts, &diff);
    if (status == CORE_OK)
        status = diff_limits(&diff, settings->limits, said, &passed, &undecided);
    if (said && fclose(said) != 0 && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory");
    if (status == CORE_OK)
        status = write_all(settings, &(struct rendering){&diff, passed ? failed : NULL});
    free(failed);
    diff_done(&diff);
    side_close(&side[0]);
    side_close(&side[1]);
    if (status == CORE_OK && !passed && undecided)
        status = core_report(CORE_BUDGET, "--fail-on: not decided, since the rounds and words of "
                                          "some messages are not compared");
    return status != CORE_OK ? cli_exit_of(status) : passed ? CLI_FINDINGS : CLI_CLEAN;
}

int cmd_diff(int argc, char **argv)
{
    struct settings settings = {.limits = "", .write = text_write};
    const struct format *format = format_table;
    struct options o;
    int which;
    bool ignored;

    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_FAIL_ON:
            settings.limits = o.value;
            if (diff_limits(NULL, settings.limits, NULL, &ignored, &ignored) != CORE_OK)
                return CLI_USAGE;
            break;
        case OPTION_FORMAT:
            for (format = format_table; format->name && strcmp(o.value, format->name) != 0;)
                format++;
            if (!format->name)
                return options_wrong(&o, "unknown format '%s'; there are: text, json, html",
                                     o.value);
            settings.write = format->write;
            break;
        case OPTION_HTML:
            settings.html = o.value;
            break;
        default:
            settings.json = o.value;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if (o.operand_count != 2)
        return options_wrong(&o, "diff needs two traces, the one before and the one after");
    return cmd_diff_compare(o.operand, &settings);
}
