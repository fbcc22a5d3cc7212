/* Opens the trace, runs the checkers, renders. A trace that cannot be written (read-only folder,
 * another's file) is judged all the same: only keeping the findings in it is left out. */
#include "cli/judge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"

void judge_defaults(struct judge_options *options)
{
    *options = (struct judge_options){
        .check = {.seed = CHECK_SEED_DEFAULT, .budget_schedules = CHECK_BUDGET_DEFAULT},
        .keep = true,
        .format = report_find("text"),
    };
}

enum core_status judge_style_set(struct judge_options *judge, const struct options *options,
                                 int index)
{
    static const char *const when[] = {[JUDGE_COLOUR_AUTO] = "auto",
                                       [JUDGE_COLOUR_ALWAYS] = "always",
                                       [JUDGE_COLOUR_NEVER] = "never"};

    CORE_CHECK(index >= 0 && index < JUDGE_STYLE_COUNT);
    if (index == 0) {
        judge->check_none = true;
        judge->findings_only = false;
        judge->format = report_find("why");
        return CORE_OK;
    }
    if (index == 1) {
        judge->verbose = true;
        return CORE_OK;
    }
    for (int i = JUDGE_COLOUR_AUTO; i <= JUDGE_COLOUR_NEVER; i++)
        if (!strcmp(options->value, when[i])) {
            judge->colour = (enum judge_colour)i;
            return CORE_OK;
        }
    options_wrong(options, "'%s' is not auto, always or never", options->value);
    return CORE_BAD_INPUT;
}

/* https://no-color.org */
static bool coloured(enum judge_colour when, FILE *out)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (when != JUDGE_COLOUR_AUTO)
        return when == JUDGE_COLOUR_ALWAYS;
    return !(none && *none) && !(terminal && !strcmp(terminal, "dumb")) && isatty(fileno(out));
}

int judge_trace(const char *trace_path, const struct judge_options *options, FILE *out)
{
    struct trace trace = {0};
    struct finding_list list = {0};
    struct report_facts facts = {0};
    bool writable = options->keep && !options->check_none && access(trace_path, W_OK) == 0;
    enum core_status checked = CORE_OK;
    int result;

    enum core_status status = trace_open(trace_path, writable ? TRACE_WRITE : TRACE_READ, &trace);
    if (status != CORE_OK)
        return cli_exit_of(status);
    if (!options->check_none)
        checked = check_all(&trace, &options->check, &list);
    status = checked == CORE_BUDGET ? CORE_OK : checked;
    if (status == CORE_OK && writable)
        status = check_keep(&trace, &list);
    if (status == CORE_OK)
        status = confirm_findings(&trace, &options->confirm, writable, &list);
    if (status == CORE_OK)
        status = report_facts_gather(&trace, options->check_none ? NULL : &list,
                                     options->verbose         ? REPORT_ALL
                                     : options->findings_only ? 0
                                                              : options->format->needs,
                                     &facts);
    facts.style = (struct report_style){.colour = coloured(options->colour, out),
                                        .verbose = options->verbose};
    if (status == CORE_OK)
        status = options->findings_only ? report_text_findings(&facts, out)
                                        : options->format->render(&facts, out);
    if (status == CORE_OK && fflush(out) != 0)
        status = core_report(CORE_IO, "cannot write the report");
    if (status != CORE_OK)
        result = cli_exit_of(status);
    else if (finding_list_fails(&list))
        result = CLI_FINDINGS;
    else
        result = checked == CORE_BUDGET || finding_list_undecided(&list) ? CLI_BUDGET : CLI_CLEAN;
    report_facts_done(&facts);
    finding_list_done(&list);
    trace_close(&trace);
    return result;
}
