/* Writes the report for scripts: one JSON object, with keys in a fixed order. */
#include <jansson.h>
#include <stdlib.h>

#include "core/text.h"
#include "reports/report.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    char *copy = text ? core_text_utf8(text) : NULL; /* a job's name need not be UTF-8 */

    json_object_set_new(object, key, copy ? json_string(copy) : json_null());
    free(copy);
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static json_t *report_json_ranks(const struct trace *trace)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->rank[i];
        json_t *object = json_object();
        set_number(object, "rank", i);
        set_text(object, "host", rank->host);
        set_text(object, "state", event_rank_state_text(rank->state));
        set_text(object, "detail", rank->detail);
        json_object_set_new(object, "code", json_integer(rank->code));
        set_number(object, "events", rank->events);
        set_number(object, "lost", rank->lost);
        json_object_set_new(object, "cut", json_boolean(rank->cut));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_json_totals(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->total_count; i++) {
        json_t *object = json_object();
        set_text(object, "call", facts->total[i].name);
        set_number(object, "count", facts->total[i].count);
        set_number(object, "bytes", facts->total[i].bytes);
        set_number(object, "time_ns", facts->total[i].time_ns);
        set_number(object, "pending", facts->total[i].pending);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_json_costs(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->cost_count; i++) {
        const struct report_cost *cost = &facts->cost[i];
        json_t *object = json_object();
        set_text(object, "call", cost->call);
        set_text(object, "row", cost->row);
        set_number(object, "rows", cost->rows);
        set_number(object, "ranks", cost->ranks);
        set_number(object, "bytes", cost->bytes);
        set_number(object, "calls", cost->calls);
        set_number(object, "rounds", cost->rounds);
        set_number(object, "rounds_bound", cost->bound_rounds);
        set_number(object, "words_bytes", cost->words_bytes);
        set_number(object, "words_bytes_bound", cost->bound_bytes);
        set_number(object, "row_operations", cost->row_operations);
        set_number(object, "messages", cost->messages);
        set_number(object, "volume_bytes", cost->volume_bytes);
        set_number(object, "engine_ps", cost->engine_ps);
        json_object_set_new(object, "row_ps",
                            cost->row_ps ? json_integer((json_int_t)cost->row_ps) : json_null());
        set_number(object, "bound_ps", cost->bound_ps);
        set_number(object, "recorded_ns", cost->recorded_ns);
        json_array_append_new(array, object);
    }
    return array;
}

static void set_call(json_t *object, const struct trace *trace, struct why_call call)
{
    char place[512];

    set_text(object, "call", call.call >= 0 ? trace->call[call.call].name : NULL);
    set_text(object, "place", trace_site_text(trace, call.site, place, sizeof place));
}

/* Writes means per message for the first and the last quarter of a place's messages. */
static json_t *report_json_growth(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->why.growth_count; i++) {
        const struct why_growth *growth = &facts->why.growth[i];
        json_t *object = json_object();
        set_call(object, facts->trace, growth->at);
        json_object_set_new(object, "of", json_string(growth->ahead ? "ahead_ns" : "bytes"));
        set_number(object, "messages", growth->messages);
        set_number(object, "first", growth->first);
        set_number(object, "last", growth->last);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_json_waits(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->why.row_count; i++) {
        const struct why_row *row = &facts->why.row[i];
        json_t *object = json_object(), *until = json_object();
        set_text(object, "kind", report_why_kind(row->kind));
        set_text(object, "ranks", row->ranks);
        set_call(object, facts->trace, row->in);
        set_number(object, "waits", row->waits);
        set_number(object, "ns", row->ns);
        set_number(until, "rank", row->by);
        set_number(until, "ns", row->by_ns);
        set_call(until, facts->trace, row->until);
        json_object_set_new(object, "most_for", until);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *path_parts(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->why.part_count; i++) {
        const struct why_part *part = &facts->why.part[i];
        json_t *object = json_object();
        set_number(object, "rank", part->rank);
        set_text(object, "doing", part->inside ? "in the call" : "own work before the call");
        set_call(object, facts->trace, part->at);
        set_number(object, "ns", part->ns);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_json_places(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->why.place_count; i++) {
        const struct why_place *place = &facts->why.place[i];
        json_t *object = json_object();
        set_call(object, facts->trace, place->in);
        set_number(object, "calls", place->calls);
        set_number(object, "ns", place->ns);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_json_why(const struct report_facts *facts)
{
    const struct why_part *part;
    uint32_t culprit = why_culprit(&facts->why, &part);
    json_t *object = json_object();
    char *sentence = report_why_sentence_text(facts);

    set_text(object, "sentence", sentence);
    free(sentence);
    json_object_set_new(object, "holds_up",
                        culprit == UINT32_MAX ? json_null() : json_integer(culprit));
    set_number(object, "elapsed_ns", facts->why.elapsed_ns);
    set_number(object, "mpi_ns", facts->why.mpi_ns);
    set_number(object, "work_mean_ns", facts->why.work_mean_ns);
    set_number(object, "work_max_ns", facts->why.work_max_ns);
    set_number(object, "path_ns", facts->why.path_ns);
    set_number(object, "messages_before_receive", facts->why.early);
    json_object_set_new(object, "waits", report_json_waits(facts));
    json_object_set_new(object, "critical_path", path_parts(facts));
    json_object_set_new(object, "growth", report_json_growth(facts));
    json_object_set_new(object, "places", report_json_places(facts));
    return object;
}

static void set_idle(json_t *object, const uint64_t *ps)
{
    static const char *const key[] = {"late_sender_ps", "late_receiver_ps", "port_ps", "link_ps",
                                      "collective_ps"};
    _Static_assert(sizeof key / sizeof *key == REPORT_IDLE_COUNT, "a key per cause");

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++)
        set_number(object, key[cause], ps[cause]);
}

static json_t *job_time(const struct report_time *time)
{
    if (!time->known)
        return json_null();
    json_t *object = json_object(), *ranks_array = json_array();
    set_number(object, "makespan_ps", time->makespan_ps);
    set_number(object, "path_steps", time->path_steps);
    set_number(object, "path_alphas", time->path_alphas);
    set_number(object, "path_bytes", time->path_bytes);
    set_number(object, "path_operations", time->path_operations);
    set_number(object, "path_compute_ps", time->path_compute_ps);
    set_number(object, "path_end_rank", time->path_end);
    set_idle(object, time->ps);
    for (uint32_t i = 0; i < time->idle_count; i++) {
        json_t *rank = json_object();
        set_number(rank, "rank", time->idle[i].rank);
        set_idle(rank, time->idle[i].ps);
        set_number(rank, "finish_ps", time->idle[i].finish_ps);
        json_array_append_new(ranks_array, rank);
    }
    json_object_set_new(object, "most_idle", ranks_array);
    set_number(object, "idle_ranks", time->idle_ranks);
    return object;
}

/* Adds the findings in the JSON form kept in the trace, parsed back so that there is only one. */
static enum core_status report_json_findings(const struct finding_list *list, json_t *array)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        char *text = finding_json(&list->finding[i]);
        json_t *object = text ? json_loads(text, 0, NULL) : NULL;
        free(text);
        if (!object)
            return core_report(CORE_NO_MEMORY, "out of memory for the JSON report");
        json_array_append_new(array, object);
    }
    return CORE_OK;
}

json_t *report_json_run(const struct report_facts *facts)
{
    json_t *object = json_object(), *explored = NULL;
    const struct orders *orders = facts->findings ? &facts->findings->orders : NULL;

    if (orders) {
        explored = json_object();
        set_number(explored, "behaviours", orders_behaviours(orders));
        json_object_set_new(
            explored, "complete",
            json_boolean(orders->extent == ORDERS_ALL || orders->extent == ORDERS_ONE));
        set_text(explored, "orders", orders_extent_name(orders->extent));
    }
    json_object_set_new(object, "explored", explored ? explored : json_null());
    json_object_set_new(object, "recorded_whole", json_boolean(report_is_whole(facts)));
    return object;
}

enum core_status report_json(const struct report_facts *facts, FILE *file)
{
    char says[REPORT_VERDICT_MAX];
    json_t *root = json_object(), *job = json_object(), *found = json_array(),
           *proof = json_array();
    enum core_status status = report_json_findings(facts->findings, found);
    if (status == CORE_OK)
        status = report_json_findings(&facts->proof, proof);

    json_object_set_new(root, "format", json_string("crosswait-report-1"));
    set_text(root, "trace", facts->trace->path);
    set_text(job, "command", facts->command);
    json_object_set_new(job, "exit_code",
                        facts->exit_code >= 0 ? json_integer(facts->exit_code) : json_null());
    set_text(job, "library", facts->library);
    set_text(job, "interrupted", facts->interrupted);
    set_text(job, "ended_by_crosswait", facts->ended);
    if (facts->still_ms)
        set_number(job, "ended_after_progress_ms", facts->still_ms);
    set_number(job, "hosts", facts->hosts);
    set_number(job, "events", facts->events);
    set_number(job, "inner_events", facts->inner_events);
    set_number(job, "lost", facts->lost);
    if (facts->unread)
        set_number(job, "unread", facts->unread);
    if (facts->abroad)
        set_number(job, "calls_with_another_job", facts->abroad);
    set_number(job, "messages", facts->messages);
    if (facts->findings)
        set_number(job, "verified", facts->findings->verified);
    set_number(job, "message_bytes", facts->message_bytes);
    set_number(job, "span_ns", facts->span_ns);
    json_object_set_new(root, "job", job);
    json_object_set_new(root, "ranks", report_json_ranks(facts->trace));
    json_object_set_new(root, "run", report_json_run(facts));
    set_text(root, "says", facts->findings ? report_verdict(facts, says, sizeof says) : NULL);
    set_text(root, "verdict",
             !facts->findings                                                    ? NULL
             : finding_list_fails(facts->findings)                               ? "findings"
             : facts->findings->spent || finding_list_undecided(facts->findings) ? "undecided"
                                                                                 : "clean");
    json_object_set_new(root, "findings", found);
    json_object_set_new(root, "proof", proof);
    json_object_set_new(root, "calls", report_json_totals(facts));
    json_object_set_new(root, "collectives", report_json_costs(facts));
    json_object_set_new(root, "time", job_time(&facts->time));
    json_object_set_new(root, "why", report_json_why(facts));
    if (status == CORE_OK && (json_dumpf(root, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 ||
                              fputc('\n', file) == EOF))
        status = report_unwritten(facts);
    json_decref(root);
    return status;
}
