/* Opens the trace, runs the checkers, renders. A trace that cannot be written (read-only folder,
 * another's file) is judged all the same: only keeping the findings in it is left out. */
#include "cli/judge.h"

#include <unistd.h>

#include "cli/options.h"

void judge_defaults(struct judge_options *options)
{
    *options = (struct judge_options){
        .check = {.seed = CHECK_SEED_DEFAULT, .budget_schedules = CHECK_BUDGET_DEFAULT},
        .keep = true,
        .format = report_find("text"),
    };
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
        status = report_facts_gather(&trace, options->check_none ? NULL : &list, &facts);
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
