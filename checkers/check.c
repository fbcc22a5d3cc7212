/* The table of checkers, and running them over one trace. */
#include "checkers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "replay/program/lower.h"

const struct checker check_table[] = {
    {"deadlock", "no legal buffering or message order makes ranks wait for each other for ever",
     check_deadlock},
    {"buffer-need", "how much buffering the program needs to be safe, and which sends need it",
     check_buffer_need},
    {"collective",
     "all members of a communicator make the same collective calls, with the same root, operation "
     "and size",
     check_collective},
    {"message",
     "messages fit their receives in length and type, buffered and ready sends are safe, and "
     "nothing sent is left over",
     check_message},
    {"rma", "one-sided accesses lie in epochs and in their windows, and do not conflict",
     check_rma},
    {"file",
     "files are accessed as their mode and view allow, by all ranks in the same order, without "
     "conflicts",
     check_file},
    {"thread",
     "threads call as the thread level allows, and not into the same collective or request at a "
     "time",
     check_thread},
    {"usage",
     "arguments, handles, requests and buffers are used as MPI allows, and what was made is freed",
     check_usage},
    {"result",
     "what ranks received from a collective is what MPI defines (record with --payload=full)",
     check_result},
    {"agreement",
     "ranks that share the result of a collective have the same bits (record with "
     "--payload=digest)",
     check_agreement},
    {"cost", "collectives that claim a row of the model keep its rounds and words", check_cost},
    {"hang",
     "where the job was proven to hang while it ran, and nothing above says why: in which calls",
     check_hang},
    {NULL, NULL, NULL},
};

static bool wanted(const char *only, const char *id)
{
    size_t length = strlen(id);

    if (!only)
        return true;
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, id, length) == 0 && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

static enum core_status check_names(const char *only)
{
    for (const char *at = only; at && *at;) {
        size_t length = strcspn(at, ",");
        const struct checker *checker = check_table;
        while (checker->id &&
               (strlen(checker->id) != length || strncmp(checker->id, at, length) != 0))
            checker++;
        if (!checker->id)
            return core_report(CORE_BAD_INPUT,
                               "unknown checker '%.*s'; 'crosswait check --list' names them",
                               (int)length, at);
        at += length + (at[length] == ',');
    }
    return CORE_OK;
}

enum core_status check_keep(struct trace *trace, const struct finding_list *list)
{
    enum core_status status = trace_findings_clear(trace);

    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        const struct finding *finding = &list->finding[i];
        char ranks[256] = "", *json = finding_json(finding);
        size_t used = 0;
        if (!json)
            return core_report(CORE_NO_MEMORY, "out of memory for keeping findings");
        for (uint32_t j = 0; j < finding->call_count && used + 16 < sizeof ranks; j++)
            used += (size_t)snprintf(ranks + used, sizeof ranks - used, "%s%u", j ? "," : "",
                                     finding->call[j].rank);
        status = trace_finding_add(trace, finding->rule, finding->class,
                                   finding_severity_text(finding->severity),
                                   finding->title ? finding->title : "", ranks, json,
                                   finding->repeat ? finding->repeat : "");
        free(json);
        if (status == CORE_OK && finding->confirmed != FINDING_NOT_TRIED && finding->schedule)
            status = trace_findings_confirm(trace, finding->schedule,
                                            finding->confirmed == FINDING_CONFIRMED);
    }
    return status;
}

/* A schedule that was tried in the real job once need not be tried again. */
static enum core_status recall(struct trace *trace, struct finding_list *list)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        int confirmed = 0;
        if (!list->finding[i].assumed || !list->finding[i].schedule)
            continue;
        status = trace_finding_confirmed(trace, list->finding[i].schedule, &confirmed);
        if (status == CORE_OK && confirmed)
            finding_confirm(&list->finding[i], confirmed == 1);
    }
    return status;
}

enum core_status check_need(const struct check_input *input, const struct replay_need **out_need)
{
    struct check_shared *shared = input->shared;
    enum core_status status =
        shared->has_need ? CORE_OK : replay_need_find(input->program, NULL, &shared->need);

    if (status != CORE_OK)
        return status;
    shared->has_need = true;
    *out_need = &shared->need;
    return CORE_OK;
}

enum core_status check_all(struct trace *trace, const struct check_options *options,
                           struct finding_list *list)
{
    struct replay_program program = {0};
    struct replay_lower_notes notes;
    bool budget_spent = false;
    enum core_status status = check_names(options->only);

    if (status == CORE_OK)
        status = check_cost_claims(options->claims);
    if (status != CORE_OK)
        return status;
    status = replay_lower(trace, &(struct replay_lower_options){0}, &program, &notes);
    if (status != CORE_OK)
        return status;
    struct check_shared shared = {0};
    struct check_input input = {.trace = trace,
                                .shared = &shared,
                                .program = &program,
                                .notes = &notes,
                                .claims = options->claims,
                                .seed = options->seed,
                                .budget_schedules = options->budget_schedules};
    for (const struct checker *checker = check_table; checker->id && status == CORE_OK; checker++) {
        if (!wanted(options->only, checker->id))
            continue;
        status = checker->run(&input, list);
        if (status == CORE_BUDGET) {
            budget_spent = true;
            status = CORE_OK;
        }
    }
    if (shared.has_need)
        replay_need_done(&shared.need);
    replay_program_done(&program);
    if (status == CORE_OK)
        status = recall(trace, list);
    if (status == CORE_OK && budget_spent && !finding_list_fails(list))
        return CORE_BUDGET;
    return status;
}
