/* See diff.h: totals, rows and findings of two runs. */
#include "reports/diff.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/trace/describe.h"
#include "model/cost.h"
#include "replay/program/lower.h"
#include "reports/identity.h"

enum { COMMS_MEASURED_MAX = 64 };

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for the comparison");
}

const char *diff_total_text(enum diff_total total)
{
    static const char *const text[] = {
        [DIFF_CALLS] = "calls",   [DIFF_MESSAGES] = "messages", [DIFF_BYTES] = "bytes",
        [DIFF_ROUNDS] = "rounds", [DIFF_WORDS] = "words",       [DIFF_WAITING] = "waiting"};
    _Static_assert(sizeof text / sizeof *text == DIFF_TOTAL_COUNT, "words per total");

    return text[total];
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Adds a row and takes its texts. */
static enum core_status row_add(struct diff *diff, int side, struct diff_row row)
{
    row.in[side] = true;
    enum core_status status =
        row.key && row.what
            ? CORE_ARRAY_PUSH(diff->row, diff->row_count, diff->row_room, "the comparison", row)
            : no_memory();
    if (status != CORE_OK) {
        free(row.key);
        free(row.what);
    }
    return status;
}

static int row_compare(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    int order = strcmp(x->key, y->key);
    return order ? order : y->in[0] - x->in[0];
}

static void row_done(struct diff_row *row)
{
    free(row->key);
    free(row->what);
}

/* Merges the second of two rows with the same key into the first, summing up rows of one side. */
static void row_join(struct diff_row *into, struct diff_row *row)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < DIFF_VALUES && row->in[side]; i++)
            into->value[side][i] += row->value[side][i];
        if (row->in[side] && !into->in[side])
            into->algorithm[side] = row->algorithm[side];
    }
    if (row->in[1]) { /* worded as in B */
        char *what = into->what;
        into->what = row->what;
        row->what = what;
    }
    into->in[0] |= row->in[0];
    into->in[1] |= row->in[1];
    row_done(row);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool diff_differs(const struct diff_row *row)
{
    bool other = row->in[0] != row->in[1] || !same_text(row->algorithm[0], row->algorithm[1]);

    for (int i = 0; i < DIFF_VALUES; i++)
        other |= row->value[0][i] != row->value[1][i];
    return other;
}

static void rows_join(struct diff *diff)
{
    uint32_t joined = 0, kept = 0;

    if (diff->row_count)
        qsort(diff->row, diff->row_count, sizeof *diff->row, row_compare);
    for (uint32_t i = 0; i < diff->row_count; i++) {
        struct diff_row *last = joined ? &diff->row[joined - 1] : NULL;
        if (last && last->section == diff->row[i].section && !strcmp(last->key, diff->row[i].key))
            row_join(last, &diff->row[i]);
        else
            diff->row[joined++] = diff->row[i];
    }
    for (uint32_t i = 0; i < joined; i++) {
        if (diff_differs(&diff->row[i]))
            diff->row[kept++] = diff->row[i];
        else
            row_done(&diff->row[i]);
    }
    diff->row_count = kept;
}

/* --- places ----------------------------------------------------------------------------------- */

/* Counts the earlier lines of the function that make the same call. */
static uint32_t place_number(const struct trace *trace, const struct trace_site *site,
                             const bool *called)
{
    uint32_t number = 0;

    for (uint32_t i = 1; i < trace->site_count; i++) {
        const struct trace_site *other = &trace->site[i];
        number += called[i] && other->line < site->line && same_text(other->file, site->file) &&
                  same_text(other->function, site->function);
    }
    return number;
}

/* Returns the key of a place, "MPI_Send ring.c main 0"; free() it. called: by site, whether it
 * makes the call. */
static char *place_key(const struct trace *trace, const char *call, int32_t at, const bool *called)
{
    const struct trace_site *site =
        at > 0 && (uint32_t)at < trace->site_count ? &trace->site[at] : NULL;
    char place[512], *key = NULL;

    if (site && site->file) {
        if (asprintf(&key, "%s %s %s %06" PRIu32, call, site->file,
                     site->function ? site->function : "", place_number(trace, site, called)) < 0)
            return NULL;
    } else if (asprintf(&key, "%s %s", call, trace_site_text(trace, at, place, sizeof place)) < 0) {
        return NULL;
    }
    return key;
}

static char *place_what(const struct report_facts *facts, const char *call, int32_t site)
{
    char *place = source_place(facts->source, facts->trace, site), *what = NULL;

    if (asprintf(&what, "%s at %s", call, place ? place : "?") < 0)
        what = NULL;
    free(place);
    return what;
}

/* Returns, by site, whether it makes the call; free() it. NULL: out of memory, reported. */
static bool *sites_of(const struct report_facts *facts, int32_t call)
{
    const struct why *why = &facts->why;
    bool *called = NULL;

    if (CORE_ARRAY_NEW(called, facts->trace->site_count + 1, "the comparison") != CORE_OK)
        return NULL;
    for (uint32_t i = 0; i < why->place_count; i++) {
        const struct why_call *in = &why->place[i].in;
        if (in->call == call && in->site > 0 && (uint32_t)in->site < facts->trace->site_count)
            called[in->site] = true;
    }
    return called;
}

static enum core_status place_row(struct diff *diff, int side, struct diff_row row,
                                  struct why_call in, const char *before)
{
    const struct report_facts *facts = diff->side[side];
    const char *name = in.call >= 0 ? facts->trace->call[in.call].name : "?";
    bool *called = sites_of(facts, in.call);
    char *key = called ? place_key(facts->trace, name, in.site, called) : NULL;

    free(called);
    if (key && *before && asprintf(&row.key, "%s %s", before, key) < 0)
        row.key = NULL;
    if (*before)
        free(key);
    else
        row.key = key;
    char *what = place_what(facts, name, in.site);
    if (what && *before && asprintf(&row.what, "%s, %s", what, before) < 0)
        row.what = NULL;
    if (*before)
        free(what);
    else
        row.what = what;
    return row_add(diff, side, row);
}

/* Returns the bytes that the call sends; 0 if it only receives, since its buffer may be larger than
 * what arrived. */
static uint64_t bytes_of(const struct trace *trace, int32_t call, uint64_t bytes)
{
    uint64_t traits = call >= 0 ? trace->call[call].traits : 0;

    return trait_in(traits, TRAIT_RECEIVES) && !trait_in(traits, TRAIT_SENDS) ? 0 : bytes;
}

static enum core_status places_gather(struct diff *diff, int side)
{
    static const char sql[] = /* loops are counted without unfolding them */
        "SELECT s.call, s.site, sum(e.rows * ifnull(e.repeat, 1)), sum(e.rows * ifnull(s.bytes, "
        "0)) FROM (SELECT shape, repeat, 1 AS rows FROM main.event_row UNION ALL "
        "SELECT shape, NULL, 1 FROM event_listed UNION ALL SELECT c.shape, "
        "c.repeat, (p.calls + l.calls - 1 - (c.idx - p.first + l.calls) % l.calls) / l.calls FROM "
        "(SELECT loop, first, calls FROM event_part UNION ALL SELECT loop, first, calls FROM "
        "event_sum) p CROSS JOIN loop l ON l.id = p.loop CROSS JOIN loop_call c ON c.loop = l.id) "
        "e JOIN shape s ON s.id = e.shape WHERE s.parent_back IS NULL AND e.rows > 0 GROUP BY 1, 2";
    struct trace *trace = diff->side[side]->trace;
    sqlite3_stmt *row = NULL;
    enum core_status status = CORE_OK;
    int code = sqlite3_prepare_v2(trace->db, sql, -1, &row, NULL);

    while (code == SQLITE_OK && status == CORE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        uint64_t call = (uint64_t)sqlite3_column_int64(row, 0);
        struct why_call in = {call < trace->call_count ? (int32_t)call : -1,
                              sqlite3_column_int(row, 1)};
        struct diff_row made = {.section = DIFF_PLACE};
        uint64_t traits = in.call >= 0 ? trace->call[in.call].traits : 0;
        code = SQLITE_OK;
        if (trait_in(traits, TRAIT_POLLS) || trait_in(traits, TRAIT_ANY_TIME))
            continue; /* how often it is called depends on timing */
        made.value[side][0] = (uint64_t)sqlite3_column_int64(row, 2);
        made.value[side][1] = bytes_of(trace, in.call, (uint64_t)sqlite3_column_int64(row, 3));
        diff->total[side][DIFF_CALLS] += made.value[side][0];
        status = place_row(diff, side, made, in, "");
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                             sqlite3_errmsg(trace->db));
    sqlite3_finalize(row);
    return status;
}

static enum core_status waits_gather(struct diff *diff, int side)
{
    const struct why *why = &diff->side[side]->why;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < why->row_count && status == CORE_OK; i++) {
        struct diff_row made = {.section = DIFF_WAIT};
        made.value[side][0] = why->row[i].ns;
        diff->total[side][DIFF_WAITING] += why->row[i].ns;
        status = place_row(diff, side, made, why->row[i].in, report_why_kind(why->row[i].kind));
    }
    return status;
}

/* --- collectives ------------------------------------------------------------------------------ */

static enum core_status collectives_gather(struct diff *diff, int side)
{
    const struct report_facts *facts = diff->side[side];
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < facts->cost_count && status == CORE_OK; i++) {
        const struct report_cost *cost = &facts->cost[i];
        struct diff_row made = {.section = DIFF_COLLECTIVE, .per_call = true};
        char bytes[64];
        if (asprintf(&made.key, "%s %06" PRIu32 " %020" PRIu64, cost->call, cost->ranks,
                     cost->bytes) < 0)
            made.key = NULL;
        if (asprintf(&made.what, "%s of %" PRIu32 " ranks, %s", cost->call, cost->ranks,
                     describe_bytes(cost->bytes, bytes, sizeof bytes)) < 0)
            made.what = NULL;
        made.value[side][0] = cost->calls;
        made.value[side][1] = cost->rounds * cost->calls;
        made.value[side][2] = cost->words_bytes * cost->calls;
        made.algorithm[side] = cost->row;
        diff->total[side][DIFF_ROUNDS] += made.value[side][1];
        diff->total[side][DIFF_WORDS] += made.value[side][2];
        status = row_add(diff, side, made);
    }
    return status;
}

static bool run_is_long(const struct trace *trace)
{
    uint64_t calls = 0;

    for (uint32_t i = 0; i < trace->rank_count; i++)
        calls += trace->rank[i].events;
    return calls > REPORT_CALLS_MAX;
}

/* Measures the program's own messages on each communicator, as if they were one collective. Where
 * they need a library that buffers sends, sends are buffered, as in the recorded run. */
static enum core_status comms_gather(struct diff *diff, int side)
{
    struct trace *trace = diff->side[side]->trace;
    struct replay_program program = {0};
    struct replay_lower_notes notes;
    enum core_status status = CORE_OK;

    diff->is_long = run_is_long(diff->side[0]->trace) || run_is_long(diff->side[1]->trace);
    if (diff->is_long)
        return CORE_OK;
    if (trace->comm_count > COMMS_MEASURED_MAX + diff->comms_left_out)
        diff->comms_left_out = trace->comm_count - COMMS_MEASURED_MAX;
    status = replay_lower(trace, &(struct replay_lower_options){0}, &program, &notes);
    for (uint32_t i = 0; i < trace->comm_count && i < COMMS_MEASURED_MAX && status == CORE_OK;
         i++) {
        struct replay_measure measure;
        struct diff_row made = {.section = DIFF_COLLECTIVE};
        char name[384];
        bool done = false;
        status = cost_comm_measure(&program, (int32_t)i, false, &measure, &done);
        if (status == CORE_OK && !done)
            status = cost_comm_measure(&program, (int32_t)i, true, &measure, &done);
        if (status != CORE_OK || !done)
            continue;
        describe_comm(trace, (int32_t)i, name, sizeof name);
        if (asprintf(&made.key, "~ %s", name) < 0)
            made.key = NULL;
        if (asprintf(&made.what, "messages on %s", name) < 0)
            made.what = NULL;
        made.value[side][0] = measure.messages;
        made.value[side][1] = measure.rounds;
        made.value[side][2] = measure.words_bytes;
        diff->total[side][DIFF_ROUNDS] += measure.rounds;
        diff->total[side][DIFF_WORDS] += measure.words_bytes;
        status = row_add(diff, side, made);
    }
    replay_program_done(&program);
    return status;
}

/* --- findings --------------------------------------------------------------------------------- */

static bool has_identity(const struct report_facts *facts, char **identity, const char *wanted)
{
    for (uint32_t i = 0; i < facts->findings->count; i++)
        if (identity[i] && !strcmp(identity[i], wanted))
            return true;
    return false;
}

static enum core_status diff_identities(const struct report_facts *facts, char ***out)
{
    enum core_status status = CORE_ARRAY_NEW(*out, facts->findings->count + 1, "the comparison");

    for (uint32_t i = 0; i < facts->findings->count && status == CORE_OK; i++) {
        (*out)[i] = identity_text(facts->trace, facts->entry[i].finding);
        status = (*out)[i] ? CORE_OK : no_memory();
    }
    return status;
}

static enum core_status findings_gather(struct diff *diff)
{
    char **identity[2] = {NULL, NULL};
    enum core_status status = diff_identities(diff->side[0], &identity[0]);

    if (status == CORE_OK)
        status = diff_identities(diff->side[1], &identity[1]);
    for (int side = 1; side >= 0 && status == CORE_OK; side--)
        for (uint32_t i = 0; i < diff->side[side]->findings->count && status == CORE_OK; i++)
            if (!has_identity(diff->side[!side], identity[!side], identity[side][i]))
                status = CORE_ARRAY_PUSH(diff->finding, diff->finding_count, diff->finding_room,
                                         "the comparison",
                                         (struct diff_finding){&diff->side[side]->entry[i], !side});
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; identity[side] && i < diff->side[side]->findings->count; i++)
            free(identity[side][i]);
        free(identity[side]);
    }
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static enum core_status side_gather(struct diff *diff, int side)
{
    diff->total[side][DIFF_MESSAGES] = diff->side[side]->messages;
    diff->total[side][DIFF_BYTES] = diff->side[side]->message_bytes;
    for (uint32_t i = 0; i < diff->side[side]->cost_count; i++) {
        const struct report_cost *cost = &diff->side[side]->cost[i];
        diff->total[side][DIFF_MESSAGES] += cost->messages * cost->calls;
        diff->total[side][DIFF_BYTES] += cost->volume_bytes * cost->calls;
    }
    enum core_status status = places_gather(diff, side);
    if (status == CORE_OK)
        status = collectives_gather(diff, side);
    if (status == CORE_OK)
        status = comms_gather(diff, side);
    if (status == CORE_OK)
        status = waits_gather(diff, side);
    return status;
}

enum core_status diff_gather(const struct report_facts *before, const struct report_facts *after,
                             struct diff *out_diff)
{
    struct diff diff = {.side = {before, after}};
    enum core_status status = side_gather(&diff, 0);

    if (status == CORE_OK)
        status = side_gather(&diff, 1);
    rows_join(&diff);
    if (status == CORE_OK)
        status = findings_gather(&diff);
    if (status == CORE_OK && before->trace->rank_count == after->trace->rank_count)
        status = diff_sequences(&diff);
    if (status == CORE_OK)
        *out_diff = diff;
    else
        diff_done(&diff);
    return status;
}

static void parts_done(struct diff_part *part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(part[i].what[0]);
        free(part[i].what[1]);
    }
    free(part);
}

void diff_done(struct diff *diff)
{
    for (uint32_t i = 0; i < diff->row_count; i++)
        row_done(&diff->row[i]);
    free(diff->row);
    free(diff->finding);
    parts_done(diff->sequence, diff->sequence_count);
    parts_done(diff->order, diff->order_count);
    *diff = (struct diff){0};
}
