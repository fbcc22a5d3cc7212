/* Gathers the facts of a trace by SQL over the tables behind the documented views. */
#include "reports/report.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/table.h"
#include "core/trace/describe.h"

static enum core_status report_facts_prepare(struct trace *trace, const char *sql,
                                             sqlite3_stmt **out_statement)
{
    if (sqlite3_prepare_v2(trace->db, sql, -1, out_statement, NULL) == SQLITE_OK)
        return CORE_OK;
    return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                       sqlite3_errmsg(trace->db));
}

/* Reads one row of unsigned numbers into out[0..count). */
static enum core_status report_facts_numbers(struct trace *trace, const char *sql, uint64_t *out,
                                             int count)
{
    sqlite3_stmt *statement;
    enum core_status status = report_facts_prepare(trace, sql, &statement);

    if (status != CORE_OK)
        return status;
    if (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < count; i++)
            out[i] = (uint64_t)sqlite3_column_int64(statement, i);
    sqlite3_finalize(statement);
    return CORE_OK;
}

/* Totals of a shape. Events are many and shapes few, so events are first summed up by shape. */
struct shape_total {
    uint64_t shape, events, calls, time_ns, pending;
};
struct call_total {
    uint64_t call;
    struct report_call_total total;
};

static enum core_status sum_events(struct trace *trace, struct core_table *shapes)
{
    struct shape_total *total = NULL;
    sqlite3_stmt *row;
    enum core_status status = report_facts_prepare(
        trace, "SELECT shape, duration, repeat FROM event_row WHERE t_enter IS NOT NULL", &row);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        uint64_t shape = (uint64_t)sqlite3_column_int64(row, 0);
        if (!total || total->shape != shape)
            status = core_table_put(shapes, &shape, "the report's totals", &total);
        if (status != CORE_OK)
            break;
        uint64_t repeat = (uint64_t)sqlite3_column_int64(row, 2);
        total->events++;
        total->calls += repeat ? repeat : 1;
        total->time_ns += (uint64_t)sqlite3_column_int64(row, 1);
        total->pending += sqlite3_column_type(row, 1) == SQLITE_NULL;
    }
    sqlite3_finalize(row);
    return status;
}

/* Adds the calls whose times are summed up. */
static enum core_status sum_sums(struct trace *trace, struct core_table *shapes)
{
    struct trace_sums *sums;
    const struct trace_sum *sum;
    enum core_status status = trace_sums_open(trace, &sums);

    if (status != CORE_OK)
        return status;
    while ((status = trace_sums_next(sums, &sum)) == CORE_OK && sum)
        for (uint32_t i = 0; i < sum->call_count && status == CORE_OK; i++) {
            uint64_t shape = sum->call[i].shape;
            struct shape_total *total;
            status = core_table_put(shapes, &shape, "the report's totals", &total);
            if (status != CORE_OK)
                break;
            total->events += sum->call[i].calls;
            total->calls += sum->call[i].calls;
            total->time_ns += sum->call[i].total;
        }
    trace_sums_close(sums);
    return status;
}

/* Tells whether the other members of the call's communicator take part in it, except to free it. */
static bool is_shared(const struct trace *trace, uint64_t call)
{
    uint64_t traits = call < trace->call_count ? trace->call[call].traits : 0;

    return trait_in(traits, TRAIT_SENDS) || trait_in(traits, TRAIT_RECEIVES) ||
           (trait_in(traits, TRAIT_COLLECTIVE) && !trait_in(traits, TRAIT_FREES_COMM));
}

static enum core_status sum_shapes(struct report_facts *facts, const struct core_table *shapes,
                                   struct core_table *calls)
{
    struct trace *trace = facts->trace;
    sqlite3_stmt *row;
    enum core_status status = report_facts_prepare(
        trace,
        "SELECT s.id, c.id, c.name, s.bytes, s.comm IN (SELECT comm FROM comm_member WHERE world < "
        "0) FROM shape s JOIN call c ON c.id = s.call WHERE s.parent_back IS NULL",
        &row);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        uint64_t shape = (uint64_t)sqlite3_column_int64(row, 0),
                 call = (uint64_t)sqlite3_column_int64(row, 1);
        const struct shape_total *sum = core_table_find(shapes, &shape);
        const char *name = (const char *)sqlite3_column_text(row, 2);
        struct call_total *of;
        if (!sum)
            continue;
        status = core_table_put(calls, &call, "the report's totals", &of);
        if (status != CORE_OK)
            break;
        strncpy(of->total.name, name ? name : "?", sizeof of->total.name - 1);
        of->total.count += sum->calls;
        of->total.bytes += sum->events * (uint64_t)sqlite3_column_int64(row, 3);
        of->total.time_ns += sum->time_ns;
        of->total.pending += sum->pending;
        if (is_shared(trace, call) && sqlite3_column_int(row, 4))
            facts->abroad += sum->calls;
    }
    sqlite3_finalize(row);
    return status;
}

static bool tells_waits(const struct finding_list *list)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        for (uint32_t c = 0; c < list->finding[i].call_count; c++)
            if (list->finding[i].call[c].await_count)
                return true;
    return false;
}

static bool receives_only(const struct trace *trace, uint64_t call)
{
    uint64_t traits = call < trace->call_count ? trace->call[call].traits : 0;

    return trait_in(traits, TRAIT_RECEIVES) && !trait_in(traits, TRAIT_SENDS);
}

/* Corrects the volume of receives to the bytes that arrived, not those of the buffer. */
static enum core_status sum_received(struct trace *trace, struct core_table *calls)
{
    sqlite3_stmt *row;
    enum core_status status = report_facts_prepare(
        trace,
        "SELECT s.call, sum(m.bytes) FROM (SELECT channel, receive, bytes FROM message_timed UNION "
        "ALL SELECT channel, receive, bytes * messages FROM message_summed) m JOIN channel c ON "
        "c.id = m.channel JOIN event_row e ON e.id = (c.dest << 40) + m.receive JOIN shape s ON "
        "s.id = e.shape WHERE s.parent_back IS NULL GROUP BY s.call",
        &row);

    for (uint32_t i = 0; i < calls->count && status == CORE_OK; i++) {
        struct call_total *of = core_table_at(calls, i);
        if (receives_only(trace, of->call))
            of->total.bytes = 0;
    }
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        uint64_t call = (uint64_t)sqlite3_column_int64(row, 0);
        struct call_total *of = core_table_find(calls, &call);
        if (of && receives_only(trace, call))
            of->total.bytes = (uint64_t)sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    return status;
}

static int compare_totals(const void *a, const void *b)
{
    const struct report_call_total *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

static enum core_status gather_totals(struct report_facts *facts)
{
    struct core_table shapes = CORE_TABLE(struct shape_total, shape);
    struct core_table calls = CORE_TABLE(struct call_total, call);
    enum core_status status = sum_events(facts->trace, &shapes);
    if (status == CORE_OK)
        status = sum_sums(facts->trace, &shapes);

    if (status == CORE_OK)
        status = sum_shapes(facts, &shapes, &calls);
    if (status == CORE_OK)
        status = sum_received(facts->trace, &calls);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(facts->total, calls.count + 1, "the report's totals");
    for (; status == CORE_OK && facts->total_count < calls.count; facts->total_count++) {
        const struct call_total *of = core_table_at(&calls, facts->total_count);
        facts->total[facts->total_count] = of->total;
    }
    if (facts->total_count)
        qsort(facts->total, facts->total_count, sizeof *facts->total, compare_totals);
    core_table_done(&shapes);
    core_table_done(&calls);
    return status;
}

static const char *report_facts_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool has_unknown_calls(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->call_count; i++)
        if (trace->call[i].verb == VERB_UNKNOWN)
            return true;
    return false;
}

static bool is_unknown_call(const struct trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->call_count; i++)
        if (trace->call[i].verb == VERB_UNKNOWN && !strcmp(trace->call[i].name, name))
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    const struct report_call_total *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* Lists the calls of which only the name was recorded. */
static enum core_status name_unknown(struct report_facts *facts)
{
    const struct report_call_total **unknown;
    uint32_t count = 0;
    size_t used = 0, room = sizeof facts->unknown_names;
    enum core_status status =
        CORE_ARRAY_NEW(unknown, facts->total_count + 1, "the report's totals");

    for (uint32_t i = 0; status == CORE_OK && i < facts->total_count; i++)
        if (is_unknown_call(facts->trace, facts->total[i].name))
            unknown[count++] = &facts->total[i];
    if (count)
        qsort(unknown, count, sizeof *unknown, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        facts->unknown += unknown[i]->count;
        if (used < room)
            used += (size_t)snprintf(facts->unknown_names + used, room - used, "%s%s",
                                     !i              ? ""
                                     : i + 1 < count ? ", "
                                                     : " and ",
                                     unknown[i]->name);
    }
    free(unknown);
    return status;
}

const char *report_lost(const struct report_facts *facts, char *buffer, size_t buffer_bytes)
{
    uint64_t unrecorded = facts->lost > facts->unknown ? facts->lost - facts->unknown : 0;
    char number[32];
    int used = 0;

    buffer[0] = '\0';
    if (unrecorded)
        used = snprintf(buffer, buffer_bytes, "%s call%s could not be recorded%s",
                        describe_number(unrecorded, number, sizeof number),
                        report_facts_plural(unrecorded), facts->unknown ? "; " : "");
    if (facts->unknown && (size_t)used < buffer_bytes)
        snprintf(buffer + used, buffer_bytes - (size_t)used,
                 "crosswait does not know what %s does (%s call%s): ranks that called it are not "
                 "judged",
                 facts->unknown_names, describe_number(facts->unknown, number, sizeof number),
                 report_facts_plural(facts->unknown));
    return buffer;
}

const char *report_unread(const struct report_facts *facts, char *buffer, size_t buffer_bytes)
{
    char number[32];

    buffer[0] = '\0';
    if (facts->unread)
        snprintf(buffer, buffer_bytes,
                 "crosswait did not check the data of %s call%s: it lay in memory that the process "
                 "cannot read",
                 describe_number(facts->unread, number, sizeof number),
                 report_facts_plural(facts->unread));
    return buffer;
}

/* Reads the totals kept in meta. Returns false if the trace holds none. */
static bool totals_kept(struct report_facts *facts)
{
    const char *text = trace_meta(facts->trace, "totals");

    return text &&
           sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                  &facts->events, &facts->inner_events, &facts->span_ns, &facts->end_ns,
                  &facts->messages, &facts->message_bytes) == 6;
}

/* Sums the totals up, for a trace that does not keep them. */
static enum core_status totals_sum(struct report_facts *facts)
{
    uint64_t number[4] = {0};
    enum core_status status =
        report_facts_numbers(facts->trace,
                             "SELECT sum(iif(s.parent_back IS NULL, ifnull(e.repeat, 1), "
                             "0)), sum(s.parent_back IS NOT NULL), "
                             "max(e.t_enter + ifnull(e.duration, 0)) - min(e.t_enter), "
                             "max(e.t_enter + ifnull(e.duration, 0)) "
                             "FROM event_row e JOIN shape s ON s.id = e.shape",
                             number, 4);

    facts->events = number[0];
    facts->inner_events = number[1];
    facts->span_ns = number[2];
    facts->end_ns = number[3];
    if (status == CORE_OK)
        status = report_facts_numbers(
            facts->trace,
            "SELECT count(*), sum(m.bytes) FROM message_row m JOIN channel c ON c.id = m.channel "
            "WHERE m.send IS NOT NULL AND NOT c.inner",
            number, 2);
    facts->messages = number[0];
    facts->message_bytes = number[1];
    return status;
}

/* Tells whether to gather the waits of a job unasked: it ran for a second or more, and has so few
 * calls that gathering is quick, or takes a small part of the job's time. */
static bool is_waits_quick(const struct report_facts *facts, uint64_t last_ns)
{
    enum { CALLS_MAX = 100000, NS_PER_CALL = 60000 }; /* gathering takes some 2,000 ns a call */
    const uint64_t calls = facts->events + facts->inner_events;

    return last_ns >= 1000000000 && (calls <= CALLS_MAX || calls <= last_ns / NS_PER_CALL);
}

/* Does so by the time when the last call was entered, for which the query reads all calls; so first
 * by the end of the trace, which is no earlier. */
static enum core_status is_waits_wanted(const struct report_facts *facts, bool *out_wanted)
{
    static const char sql[] =
        "SELECT max(ifnull((SELECT e.t_enter FROM event_row e WHERE e.id < (r.rank + 1) << 40 "
        "ORDER BY e.id DESC LIMIT 1), 0)) FROM rank r";
    uint64_t last_ns = 0;
    enum core_status status = CORE_OK;

    if (facts->findings && facts->trace->rank_count > 1 && is_waits_quick(facts, facts->end_ns))
        status = report_facts_numbers(facts->trace, sql, &last_ns, 1);
    *out_wanted = is_waits_quick(facts, last_ns);
    return status;
}

static enum core_status report_facts_gather_all(struct trace *trace,
                                                const struct finding_list *findings, unsigned needs,
                                                struct report_facts *out_facts)
{
    struct report_facts facts = {.trace = trace, .findings = findings, .exit_code = -1};
    struct ending ending;
    uint64_t number[4] = {0};

    facts.command = trace_meta(trace, "command");
    facts.library = trace_meta(trace, "library");
    facts.category = "crosswait";
    facts.number = 1;
    const char *exit_code = trace_meta(trace, "exit_code");
    if (exit_code)
        facts.exit_code = strtoll(exit_code, NULL, 10);
    facts.interrupted = trace_meta(trace, "interrupted");
    const char *unread = trace_meta(trace, "unread");
    facts.unread = unread ? strtoull(unread, NULL, 10) : 0;
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        facts.ranks_in_state[trace->rank[i].state]++;
        facts.lost += trace->rank[i].lost;
    }
    enum core_status status = trace_ending_get(trace, &ending);
    if (status != CORE_OK)
        return status;
    char **words = ending.reason == ENDING_SNAPSHOT ? &facts.waiting : &facts.ended;
    *words = wording_ending(&ending);
    facts.reason = ending.reason;
    facts.rests = wording_rests(&ending);
    facts.still_ms = ending.reason == ENDING_DEADLOCK ? ending.limit_ms : 0;
    ending_done(&ending);
    const char *start_ns = trace_meta(trace, "start_ns");
    status = source_open(start_ns ? strtoull(start_ns, NULL, 10) : 0, &facts.source);
    if (status == CORE_OK)
        status = report_program_gather(&facts);
    if (status == CORE_OK && !tells_waits(findings))
        status = check_proof(trace, &facts.proof);
    if (status == CORE_OK)
        status = report_order_gather(&facts);
    if (status == CORE_OK)
        status = report_last_gather(&facts);
    if (status == CORE_OK && !totals_kept(&facts))
        status = totals_sum(&facts);
    number[0] = 0;
    if (status == CORE_OK)
        status = report_facts_numbers(trace, "SELECT count(DISTINCT host) FROM rank", number, 1);
    facts.hosts = (uint32_t)number[0];
    bool unknown = has_unknown_calls(trace);
    number[0] = 0;
    if (status == CORE_OK) /* members in another job, whose calls are in a trace of their own */
        status = report_facts_numbers(trace, "SELECT count(*) FROM comm_member WHERE world < 0",
                                      number, 1);
    if (status == CORE_OK && (needs & REPORT_TOTALS || unknown || number[0]))
        status = gather_totals(&facts);
    if (status == CORE_OK && unknown)
        status = name_unknown(&facts);
    if (status == CORE_OK && (needs & REPORT_COST))
        status = report_cost_gather(&facts);
    bool waits = needs & REPORT_WHY;
    if (status == CORE_OK && !waits && (needs & REPORT_WAITS))
        status = is_waits_wanted(&facts, &waits);
    if (status == CORE_OK && waits)
        status = why_gather(trace, &facts.why);
    if (status == CORE_OK)
        *out_facts = facts;
    else
        report_facts_done(&facts);
    return status;
}

enum core_status report_facts_gather(struct trace *trace, const struct finding_list *findings,
                                     unsigned needs, struct report_facts *out_facts)
{
    enum core_status status = trace_hold(trace);

    if (status != CORE_OK)
        return status;
    status = report_facts_gather_all(trace, findings, needs, out_facts);
    trace_release(trace);
    return status;
}

const char *report_ended(const struct report_facts *facts, const struct report_entry *entry,
                         char *buffer, size_t buffer_bytes)
{
    char when[64] = "there";

    if (!entry->ended || facts->reason != ENDING_DEADLOCK || entry != facts->entry ||
        entry->finding->rule == &rule_table[RULE_HANG]) /* its text says so already */
        return NULL;
    if (facts->still_ms)
        snprintf(when, sizeof when, "%.1f s after its last progress",
                 (double)facts->still_ms / 1000);
    snprintf(buffer, buffer_bytes, "crosswait ended the job %s: %s", when,
             facts->rests ? "no rank could do anything else" : "it could never have continued");
    return buffer;
}

void report_facts_done(struct report_facts *facts)
{
    for (uint32_t i = 0; i < facts->last_count; i++) {
        free(facts->last[i].ranks);
        free(facts->last[i].where);
    }
    free(facts->last);
    free(facts->entry);
    finding_list_done(&facts->proof);
    source_close(facts->source);
    free(facts->program);
    free(facts->subject);
    free(facts->ended);
    free(facts->waiting);
    free(facts->total);
    free(facts->cost);
    why_done(&facts->why);
    *facts = (struct report_facts){0};
}
