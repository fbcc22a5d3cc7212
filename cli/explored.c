/* See the header. If a program cannot be explored, the one line says why, and nothing else
 * changes. */
#include "cli/explored.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkers/check.h"
#include "cli/explored_same.h"
#include "core/progress.h"
#include "core/table.h"
#include "explore/findings.h"
#include "explore/recorded.h"
#include "explore/summary.h"

/* BEYOND_S: exploring takes at most the job's duration and so much more, including the program's
 * own start. */
enum { SECONDS_MAX = 5, BEYOND_S = 1, RANK_SHIFT = 40 };
/* While worlds wait for processors, exploring takes at most so many times as long in addition. */
enum { WAITS_SHARE = 7 };

/* --- findings of worlds, related to the trace ------------------------------------------------- */

struct same_shape {
    int64_t id;
    int64_t arguments; /* equal in shapes that differ in nothing that a report shows */
};

/* Finds the shapes of that call at that place, which are far fewer than the events. */
static void shapes_like(const struct trace *trace, const struct finding_call *call,
                        struct core_table *shapes)
{
    static const char text[] =
        "SELECT s.id, s.site, dense_rank() OVER (ORDER BY s.comm, s.win, "
        "s.peer + iif(s.near & 1, ?2, 0), s.tag, "
        "s.datatype, s.bytes, s.root, s.op, "
        "s.recv_peer + iif(s.near & 2, ?2, 0), s.recv_tag, s.recv_bytes, s.args) "
        "FROM shape s JOIN call c ON c.id = s.call WHERE c.name = ?1 AND s.parent_back IS NULL";
    enum core_status status = CORE_OK;
    sqlite3_stmt *row;

    if (sqlite3_prepare_v2(trace->db, text, -1, &row, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_text(row, 1, call->call, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, call->rank);
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        const int64_t id = sqlite3_column_int64(row, 0);
        const int32_t site = (int32_t)sqlite3_column_int64(row, 1);
        struct same_shape *shape;
        char place[512];
        if (strcmp(trace_site_text(trace, site, place, sizeof place), call->site) != 0)
            continue;
        status = core_table_put(shapes, &id, "places of what was found", &shape);
        if (status == CORE_OK)
            shape->arguments = sqlite3_column_int64(row, 2);
    }
    sqlite3_finalize(row);
}

/* Returns the first event of the rank with one of the shapes; 0: none. *out_several: another one
 * has other arguments. */
static uint64_t event_of(const struct trace *trace, int64_t rank, const struct core_table *shapes,
                         bool *out_several)
{
    static const char text[] = "SELECT id, shape FROM event_row WHERE id >= ?1 AND id < ?2 "
                               "ORDER BY id";
    const struct same_shape *first = NULL;
    uint64_t seq = 0;
    sqlite3_stmt *row;

    *out_several = false;
    if (sqlite3_prepare_v2(trace->db, text, -1, &row, NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_int64(row, 1, rank << RANK_SHIFT);
    sqlite3_bind_int64(row, 2, (rank + 1) << RANK_SHIFT);
    while (!*out_several && !(seq && shapes->count == 1) && sqlite3_step(row) == SQLITE_ROW) {
        const int64_t id = sqlite3_column_int64(row, 1);
        const struct same_shape *shape = core_table_find(shapes, &id);
        if (shape && !first) {
            first = shape;
            seq = (uint64_t)sqlite3_column_int64(row, 0) & (((uint64_t)1 << RANK_SHIFT) - 1);
        }
        *out_several = shape && shape->arguments != first->arguments;
    }
    sqlite3_finalize(row);
    return seq;
}

static uint64_t event_like(const struct trace *trace, const struct finding_call *call,
                           bool *out_several)
{
    struct core_table shapes = CORE_TABLE(struct same_shape, id);
    uint64_t seq = 0;

    *out_several = false;
    if (call->site)
        shapes_like(trace, call, &shapes);
    if (shapes.count)
        seq = event_of(trace, call->rank, &shapes, out_several);
    core_table_done(&shapes);
    return seq;
}

uint64_t explored_event_like(const struct trace *trace, const struct finding_call *call)
{
    bool several;
    return event_like(trace, call, &several);
}

static void places_find(const struct trace *trace, struct finding_list *list, uint32_t first)
{
    for (uint32_t i = first; i < list->count; i++)
        for (uint32_t c = 0; c < list->finding[i].call_count; c++)
            list->finding[i].call[c].seq = explored_event_like(trace, &list->finding[i].call[c]);
}

/* Takes the events back where the rank made the call there with other arguments, too: a report
 * would show those of the first such call. */
static void places_settle(const struct trace *trace, struct finding_list *list, uint32_t first)
{
    for (uint32_t i = first; i < list->count; i++)
        for (uint32_t c = 0; c < list->finding[i].call_count; c++) {
            struct finding_call *call = &list->finding[i].call[c];
            bool several = false;
            if (call->seq && call->path)
                event_like(trace, call, &several);
            if (several)
                call->seq = 0;
        }
}

static bool any_fails(const struct finding_list *list, uint32_t first)
{
    for (uint32_t i = first; i < list->count; i++)
        if (list->finding[i].severity == FINDING_ERROR)
            return true;
    return false;
}

/* Marks findings that rest on an assumption as ruled out, after a complete search. */
static void explored_refute(struct finding_list *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct finding *finding = &list->finding[i];
        if (!finding->assumed || finding->confirmed == FINDING_CONFIRMED ||
            finding_is_refuted(finding))
            continue;
        finding_confirm(finding, FINDING_RULED_OUT);
    }
}

/* Drops the trace's notes of memory that one thread frees and another uses: worlds choose the order
 * of the two, and a complete search has found the consequences. */
static void threads_settle(struct finding_list *list, uint32_t *count)
{
    for (uint32_t i = *count; i-- > 0;)
        if (list->finding[i].rule == &rule_table[RULE_THREAD] && list->finding[i].assumed) {
            finding_list_drop(list, i);
            --*count;
        }
}

/* Tells whether every world fails, in any order, also in the job's order, although the job
 * succeeded: then the world is the cause. */
static bool fails_always(const struct explore_search *search, const struct explore_program *program)
{
    return search->class_count > 0 && !program->passed;
}

/* --- the exploration -------------------------------------------------------------------------- */

/* orders: what was open before the exploration. */
static char *not_explored(const struct orders *orders, const char *why)
{
    char *text = NULL;
    return asprintf(&text, "not explored, though %s: %s",
                    orders->extent == ORDERS_FILES ? "ranks may use the files that the job wrote "
                                                     "in another order"
                                                   : "more than one order was possible",
                    why ? why : "the program cannot run in a world") < 0
               ? NULL
               : text;
}

static char *signal_said(const struct orders *orders, int signal)
{
    char why[64];
    snprintf(why, sizeof why, "SIG%s interrupted the job", sigabbrev_np(signal));
    return not_explored(orders, why);
}

static void explored_tell(void *context, uint64_t worlds, uint64_t ahead)
{
    const double *started_s = context;

    (void)worlds;
    (void)ahead;
    core_progress_tell((uint64_t)((explore_clock_s() - *started_s) * 1000));
}

/* The search gets SEARCH_SHARE of the time. The rest is for later questions to worlds: which
 * numbers are times that the program prints, and which choices lead to each outcome. */
static const double SEARCH_SHARE = 0.6;

static enum core_status search_run(struct explore_program *program,
                                   const struct explore_options *how,
                                   struct explore_search *out_search)
{
    program->end_s = explore_clock_s() + how->time_s;
    enum core_status status =
        explore_search(explore_program_run, program, program->command->rank_count, how, out_search);
    program->end_s = program->end_all_s;
    return status == CORE_OK ? explore_findings_untime(program, out_search) : status;
}

/* Tells whether a refused call may be the program's fault: ranks with several threads need not
 * repeat the job's order of threads in a world. */
static bool is_theirs(const struct trace *trace, const struct explore_program *program)
{
    bool several = false;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        several |= trace->rank[r].threads > 1;
    return several && program->refused;
}

static char *always_said(const struct explore_search *search, const struct orders *orders)
{
    const char *failure = NULL;
    char *why = NULL, *said;
    for (uint32_t i = 0; i < search->class_count && !failure; i++)
        failure = search->class[i].failure;
    if (asprintf(&why, "in a world the program ends differently%s%s", failure ? ": " : "",
                 failure ? failure : "") < 0)
        return NULL;
    said = not_explored(orders, why);
    free(why);
    return said;
}

static enum core_status found_tell(struct trace *trace, struct explore_program *program,
                                   struct explore_search *search, struct finding_list *list,
                                   char **out_said)
{
    uint32_t before = list->count;
    bool over = explore_clock_s() >= program->end_s;
    enum core_status status = explore_findings(program, search, list);
    if (search->behaviours)
        list->orders = explore_orders(search);
    places_find(trace, list, before);
    over |= explore_clock_s() >= program->end_all_s;
    char *summary = explore_summary(search), *sent = explore_sent_words(program, search);
    if (summary &&
        asprintf(out_said, "explored: %s%s%s%s%s", summary, sent ? ", though " : "",
                 sent ? sent : "",
                 sent ? " (crosswait explore --compare=messages distinguishes them)" : "",
                 !search->complete && (over || search->heap_count)
                     ? "; run explores for at most a second longer than the job took (without "
                       "waits for processors), crosswait explore continues"
                     : "") < 0)
        *out_said = NULL;
    free(sent);
    free(summary);
    if (status == CORE_OK && list->orders.extent == ORDERS_ALL && !any_fails(list, before))
        explored_refute(list, before);
    if (search->complete)
        threads_settle(list, &before);
    explored_same_drop(list, before);
    places_settle(trace, list, before);
    return status;
}

static const double SOON_S = 0.001; /* 0 would mean no limit */

/* Returns the end time. LEAST_S: the minimum time for the search, however long the program took to
 * start its ranks, within most_s. */
static double ends_at(double started_s, double budget_s, double most_s)
{
    static const double LEAST_S = 1;
    double now_s = explore_clock_s(), end_s = started_s + budget_s;

    if (end_s < now_s + LEAST_S)
        end_s = now_s + LEAST_S;
    return end_s < started_s + most_s ? end_s : started_s + most_s;
}

/* Runs the world of a job whose record leaves no other order of its MPI calls, to learn whether
 * ranks use a file without an MPI order. */
static enum core_status files_explore(struct explore_program *program, struct finding_list *list,
                                      char **out_said)
{
    struct explore_search search = {.behaviours = 1, .class_count = 1};
    const struct world_outcome *outcome;
    struct explore_events events;
    struct replay_policy policy;
    uint64_t key;
    enum core_status status =
        explore_policy(&(struct explore_list){0}, &(struct explore_sends){0}, &policy);

    if (status != CORE_OK)
        return status;
    status =
        explore_program_run(program, &policy, &(struct replay_choice){0}, &outcome, &key, &events);
    replay_policy_done(&policy);
    if (status != CORE_OK)
        return status;
    if (outcome->decisions->unfinished || !program->passed)
        return core_report(CORE_UNSUPPORTED, outcome->decisions->unfinished
                                                 ? "no world ended within the time limit"
                                                 : "in a world the program ends differently");
    list->orders.extent = ORDERS_ONE;
    if (!outcome->decisions->limited)
        return CORE_OK;
    search.limited = true;
    search.race = outcome->decisions->race;
    search.outside = outcome->decisions->outside;
    search.outside_rank = outcome->decisions->outside_rank;
    list->orders = explore_orders(&search);
    char *summary = explore_summary(&search);
    if (summary && asprintf(out_said, "explored: %s", summary) < 0)
        *out_said = NULL;
    free(summary);
    return CORE_OK;
}

/* written: a file that the job has written, or NULL. */
static enum core_status explored_explore(struct trace *trace, const struct explore_command *command,
                                         double budget_s, double most_s, const char *written,
                                         struct finding_list *list, char **out_said)
{
    struct explore_program program;
    struct explore_search search;
    double started_s = explore_clock_s();
    struct explore_options how = {.seed = CHECK_SEED_DEFAULT,
                                  .progress = explored_tell,
                                  .progress_context = &started_s,
                                  .met = explore_findings_met,
                                  .met_context = &program,
                                  .states = explore_program_states};
    const struct explore_start start = {
        .start_ms_max = most_s < UINT32_MAX / 1000 ? (uint32_t)(most_s * 1000) : 0,
        .world_ms_max = (uint32_t)(budget_s * 1000),
        .patient = true,
        .unheard = true}; /* the job has written it */
    enum core_status status = explore_program_start(command, &start, &program);
    if (status != CORE_OK)
        return status;
    if (written && world_processes_scratch(program.worlds)) {
        status = core_report(CORE_UNSUPPORTED, "the job writes files (%s), and %s", written,
                             world_processes_scratch(program.worlds));
        explore_program_end(&program);
        return status;
    }
    explore_clock_patient(WAITS_SHARE * budget_s);
    program.end_all_s = ends_at(started_s, budget_s, most_s);
    if (list->orders.extent == ORDERS_FILES) {
        program.end_s = program.end_all_s;
        status = files_explore(&program, list, out_said);
        explore_program_end(&program);
        explore_clock_patient(0);
        return status;
    }
    how.time_s = fmax(program.end_all_s - explore_clock_s(), SOON_S) * SEARCH_SHARE;
    core_progress_begin("exploring", (uint64_t)(budget_s * 1000));
    status = search_run(&program, &how, &search);
    bool theirs = status == CORE_OK && is_theirs(trace, &program);
    if (status == CORE_OK && !theirs && fails_always(&search, &program))
        status = explore_recorded_try(trace, &program);
    core_progress_end();
    if (status == CORE_OK && !theirs && fails_always(&search, &program))
        *out_said = always_said(&search, &list->orders);
    else if (status == CORE_OK)
        status = found_tell(trace, &program, &search, list, out_said);
    explore_findings_forget(&program);
    explore_search_done(&search);
    explore_program_end(&program);
    explore_clock_patient(0);
    return status;
}

enum core_status explored_add(struct trace *trace, const struct explored_options *options,
                              struct finding_list *list, char **out_said)
{
    struct explore_command command;
    double budget_s = options->budget_s / 2 < SECONDS_MAX ? options->budget_s / 2 : SECONDS_MAX;
    double most_s = options->job_s + BEYOND_S;
    if (budget_s > most_s)
        budget_s = most_s;

    *out_said = NULL;
    char *why = NULL, *written = explore_files_changed(&options->files, options->command);
    if (written && trace->rank_count > 1 && list->orders.extent == ORDERS_ONE)
        list->orders.extent = ORDERS_FILES;
    if (!options->command && options->signal && list->orders.extent != ORDERS_ONE)
        *out_said = signal_said(&list->orders, options->signal);
    if (!options->command || budget_s <= 0 || list->orders.extent == ORDERS_ONE) {
        free(written);
        return CORE_OK;
    }
    core_report_keep(&why);
    if (explore_command_read(options->command, false, &command) == CORE_OK) {
        if (command.rank_count != (int)trace->rank_count)
            core_report(CORE_UNSUPPORTED, "cannot tell the number of ranks from the command line");
        else
            explored_explore(trace, &command, budget_s, most_s, written, list, out_said);
        explore_command_done(&command);
    }
    core_report_hook(NULL, NULL);
    if (!*out_said && list->orders.extent != ORDERS_ONE)
        *out_said = not_explored(&list->orders, why);
    free(why);
    free(written);
    return CORE_OK;
}
