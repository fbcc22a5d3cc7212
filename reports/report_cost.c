/* Computes the job's cost on the timed clock: its collectives against the model's rows and bounds,
 * the time of the whole job, and who idles why. Machine: the model's defaults
 * (replay_timed_defaults), full network, single port. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace/describe.h"
#include "model/bound.h"
#include "model/cost.h"
#include "replay/program/lower.h"
#include "replay/timed/timed.h"
#include "reports/report.h"

enum { EAGER_BYTES = 4096 /* the usual eager threshold */ };

static uint64_t time_ps(const struct replay_timed_options *machine, double rounds,
                        double words_bytes)
{
    return (uint64_t)(rounds * (double)machine->alpha_ps +
                      words_bytes / machine->word_bytes * (double)machine->beta_ps + 0.5);
}

static bool report_cost_alike(const struct report_cost *cost, const char *call,
                              const struct cost_entry *entry)
{
    return strcmp(cost->call, call) == 0 && cost->ranks == entry->ranks &&
           cost->bytes == entry->bytes && cost->rounds == entry->rounds &&
           cost->words_bytes == entry->words_bytes && cost->messages == entry->messages;
}

/* Sets time and operations of the collective's row; 0 if it has none. */
static void read_row(const struct replay_timed_options *machine, const struct cost_entry *entry,
                     struct report_cost *out)
{
    struct model_case of = {.ranks = entry->ranks, .root = entry->root, .words = entry->bytes};
    struct model_cost cost;

    if (!entry->row_count || strcmp(entry->row[0]->id, "bcast.kary") == 0 ||
        model_row_cost(entry->row[0], &of, &cost) != CORE_OK)
        return;
    out->row_ps = time_ps(machine, (double)cost.rounds, model_value(cost.words));
    out->row_operations =
        (uint64_t)(model_value(cost.operations) / (double)entry->element_bytes + 0.5);
}

static int by_engine_time(const void *left, const void *right)
{
    const struct report_cost *a = left, *b = right;
    uint64_t first = a->engine_ps * a->calls, second = b->engine_ps * b->calls;

    if (first != second)
        return first < second ? 1 : -1;
    int order = strcmp(a->call, b->call);
    if (order)
        return order;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->ranks < b->ranks ? -1 : a->ranks > b->ranks;
}

static enum core_status gather_collectives(struct report_facts *facts,
                                           const struct replay_timed_options *machine)
{
    struct cost_list costs;
    enum core_status status = cost_list_measure(facts->trace, &costs);

    if (status != CORE_OK)
        return status;
    facts->cost_unmeasured = costs.unmeasured;
    facts->cost = calloc(costs.count + 1, sizeof *facts->cost);
    if (!facts->cost) {
        cost_list_done(&costs);
        return core_report(CORE_NO_MEMORY, "out of memory for the cost of collectives");
    }
    for (uint32_t i = 0; i < costs.count; i++) {
        const struct cost_entry *entry = &costs.entry[i];
        const char *call = facts->trace->call[entry->call].name;
        uint32_t at = 0;
        while (at < facts->cost_count && !report_cost_alike(&facts->cost[at], call, entry))
            at++;
        struct report_cost *cost = &facts->cost[at];
        if (at == facts->cost_count) {
            *cost = (struct report_cost){
                .call = call,
                .row = entry->row_count ? entry->row[0]->id : NULL,
                .rows = entry->row_count,
                .ranks = entry->ranks,
                .bytes = entry->bytes,
                .rounds = entry->rounds,
                .words_bytes = entry->words_bytes,
                .bound_rounds = entry->bound_rounds,
                .bound_bytes = entry->bound_bytes,
                .messages = entry->messages,
                .volume_bytes = entry->volume_bytes,
                .engine_ps = time_ps(machine, (double)entry->rounds, (double)entry->words_bytes),
                .bound_ps =
                    time_ps(machine, (double)entry->bound_rounds, (double)entry->bound_bytes)};
            read_row(machine, entry, cost);
            facts->cost_count++;
        }
        cost->calls++;
        if (entry->time_ns >= cost->recorded_ns) {
            cost->recorded_ns = entry->time_ns;
            cost->site = entry->site;
        }
    }
    qsort(facts->cost, facts->cost_count, sizeof *facts->cost, by_engine_time);
    cost_list_done(&costs);
    return CORE_OK;
}

const char *report_idle_text(enum report_idle_cause cause)
{
#define X(name, text) text,
    static const char *const texts[] = {REPORT_IDLES(X)};
#undef X

    return texts[cause];
}

void report_time_path(const struct report_time *time, FILE *file)
{
    char text[64];

    fprintf(file, "takes %s, and rank %" PRIu32 " ends last",
            report_why_time(time->makespan_ps / 1000, text, sizeof text), time->path_end);
    fprintf(file, "; on its critical path are %s message start-up%s (alpha)",
            describe_number(time->path_alphas, text, sizeof text),
            time->path_alphas == 1 ? "" : "s");
    if (time->path_compute_ps)
        fprintf(file, ", %s of work",
                report_why_time(time->path_compute_ps / 1000, text, sizeof text));
    fprintf(file, " and %s", describe_bytes(time->path_bytes, text, sizeof text));
}

static uint64_t idle_of(const struct report_idle *idle)
{
    uint64_t ps = 0;

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++)
        ps += idle->ps[cause];
    return ps;
}

/* Adds a rank to those kept: the ranks that idle most, most first, lower rank first among
 * equals. */
static void add_idle(struct report_time *time, const struct report_idle *idle)
{
    enum { KEPT_MAX = sizeof time->idle / sizeof *time->idle };
    uint32_t at = time->idle_count;

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++)
        time->ps[cause] += idle->ps[cause];
    if (!idle_of(idle))
        return;
    time->idle_ranks++;
    while (at > 0 && idle_of(&time->idle[at - 1]) < idle_of(idle))
        at--;
    if (at == KEPT_MAX)
        return;
    uint32_t moved = time->idle_count - at - (time->idle_count == KEPT_MAX);
    memmove(&time->idle[at + 1], &time->idle[at], moved * sizeof *time->idle);
    time->idle[at] = *idle;
    time->idle_count += time->idle_count < KEPT_MAX;
}

static void read_time(struct report_time *time, const struct replay_timed_result *result)
{
    time->known = true;
    time->makespan_ps = result->makespan_ps;
    time->path_alphas = result->path_alphas;
    time->path_bytes = result->path_bytes;
    time->path_operations = result->path_operations;
    time->path_compute_ps = result->path_compute_ps;
    time->path_steps = result->step_count;
    for (uint32_t i = 0; i < result->rank_count; i++) {
        const struct replay_timed_rank one = replay_timed_rank_at(result, i), *rank = &one;
        if (rank->finish_ps > replay_timed_rank_at(result, time->path_end).finish_ps)
            time->path_end = i;
        add_idle(time,
                 &(struct report_idle){.rank = i,
                                       .ps = {[REPORT_IDLE_LATE_SENDER] = rank->late_sender_ps,
                                              [REPORT_IDLE_LATE_RECEIVER] = rank->late_receiver_ps,
                                              [REPORT_IDLE_PORT] = rank->port_ps,
                                              [REPORT_IDLE_LINK] = rank->link_ps,
                                              [REPORT_IDLE_COLLECTIVE] = rank->collective_ps},
                                       .finish_ps = rank->finish_ps});
    }
}

/* Runs the job with the usual eager threshold or, if it cannot end so, with all sends eager, since
 * the recorded run did end. */
static enum core_status gather_time(struct report_facts *facts, struct replay_timed_options machine)
{
    static const char too_long[] = "the job is too long to be run again for its report";
    struct replay_program program;
    struct replay_timed_result result;
    struct replay_lower_notes notes;
    uint64_t ops = 0, calls = 0;

    for (uint32_t i = 0; i < facts->trace->rank_count; i++)
        calls += facts->trace->rank[i].events;
    if (calls > REPORT_CALLS_MAX) {
        facts->time.why = too_long;
        return CORE_OK;
    }
    enum core_status status = replay_lower(
        facts->trace, &(struct replay_lower_options){.inside = true, .ops_max = REPORT_CALLS_MAX},
        &program, &notes);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < program.rank_count; i++)
        ops += program.rank[i].op_count;
    if (notes.too_long || ops == 0) {
        facts->time.why = notes.too_long ? too_long : "the job does not communicate";
        replay_program_done(&program);
        return CORE_OK;
    }
    machine.want_path = 1;
    machine.pin_recorded = 1;
    machine.eager_bytes = EAGER_BYTES;
    status = replay_timed_run(&program, &machine, &result);
    if (status == CORE_OK && result.blocked_count) {
        replay_timed_done(&result);
        machine.eager_bytes = INT64_MAX;
        status = replay_timed_run(&program, &machine, &result);
    }
    if (status == CORE_OK) {
        if (result.blocked_count || facts->reason == ENDING_DEADLOCK)
            facts->time.why = "the job cannot end";
        else
            read_time(&facts->time, &result);
        replay_timed_done(&result);
    }
    replay_program_done(&program);
    return status;
}

enum core_status report_cost_gather(struct report_facts *facts)
{
    struct replay_timed_options machine = replay_timed_defaults();
    enum core_status status = gather_collectives(facts, &machine);

    return status == CORE_OK ? gather_time(facts, machine) : status;
}
