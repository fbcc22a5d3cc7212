/* Prints the number of steps of judging a trace and collecting the facts of its report
 * (core/work.h): `trace_work T.db`. Exploration gets one schedule, since the number of schedules
 * does not depend on the trace's size. */
#include <inttypes.h>
#include <stdio.h>

#include "checkers/check.h"
#include "core/work.h"
#include "reports/report.h"

int main(int argc, char **argv)
{
    struct check_options options = {.seed = CHECK_SEED_DEFAULT, .budget_schedules = 1};
    struct finding_list list = {0};
    struct report_facts facts = {0};
    struct trace trace;

    if (argc != 2 || trace_open(argv[1], TRACE_READ, &trace) != CORE_OK)
        return 2;
    core_work_steps = 0;
    enum core_status status = check_all(&trace, &options, &list);
    if (status == CORE_OK || status == CORE_BUDGET)
        status = report_facts_gather(&trace, &list, REPORT_ALL, &facts);
    printf("%" PRIu64 "\n", core_work_steps);
    report_facts_done(&facts);
    finding_list_done(&list);
    trace_close(&trace);
    return status == CORE_OK ? 0 : 1;
}
