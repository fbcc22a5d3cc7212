/* crosswait model --job: runs a recorded job on the model's machine: its messages under alpha, beta
 * and a network, with the recorded times between its calls. Shows where it waits, for what, and its
 * critical path. */
#include "cli/model/cmd_model.h"

#include <stdlib.h>

#include "core/trace/trace.h"
#include "replay/program/lower.h"

enum { RANKS_SHOWN = 32, STEPS_SHOWN = 12 };

static void print_ranks(const struct replay_timed_result *result, FILE *out)
{
    fprintf(out, "  %6s %11s %11s %11s %11s %13s %11s %11s %11s\n", "rank", "ends", "work",
            "on the way", "late sender", "late receiver", "port", "link", "collective");
    for (uint32_t r = 0; r < result->rank_count && r < RANKS_SHOWN; r++) {
        const struct replay_timed_rank one = replay_timed_rank_at(result, r), *rank = &one;
        const uint64_t part[] = {rank->finish_ps,      rank->compute_ps,       rank->transfer_ps,
                                 rank->late_sender_ps, rank->late_receiver_ps, rank->port_ps,
                                 rank->link_ps,        rank->collective_ps};
        fprintf(out, "  %6u", r);
        for (int i = 0; i < 8; i++) {
            char a[32];
            fprintf(out, " %*s", i == 4 ? 13 : 11, model_seconds((double)part[i] * 1e-12, a));
        }
        fputc('\n', out);
    }
    if (result->rank_count > RANKS_SHOWN)
        fprintf(out, "  ... and %u ranks more\n", result->rank_count - RANKS_SHOWN);
}

static int by_length(const void *a, const void *b)
{
    const struct replay_timed_step *x = a, *y = b;
    uint64_t left = x->end_ps - x->start_ps, right = y->end_ps - y->start_ps;
    if (left != right)
        return left > right ? -1 : 1;
    return x->start_ps < y->start_ps ? -1 : x->start_ps > y->start_ps;
}

static void print_step(struct trace *trace, const struct replay_program *program,
                       const struct replay_timed_step *step, FILE *out)
{
    const struct replay_op *op = &program->rank[step->rank].op[step->op];
    struct trace_event event;
    char a[32], b[32], site[256];

    fprintf(out, "  %11s from %11s  ",
            model_seconds((double)(step->end_ps - step->start_ps) * 1e-12, a),
            model_seconds((double)step->start_ps * 1e-12, b));
    if (step->kind == REPLAY_STEP_MESSAGE)
        fprintf(out, "message of %llu bytes, %d to %d", (unsigned long long)step->amount,
                step->rank, step->peer);
    else
        fprintf(out, "%s on rank %d", step->kind == REPLAY_STEP_COLLECTIVE ? "collective" : "work",
                step->rank);
    if (op->event && trace_event_get(trace, (uint32_t)step->rank, op->event, &event) == CORE_OK)
        fprintf(out, "%s %s @ %s", step->kind == REPLAY_STEP_COMPUTE ? " before" : ",",
                (uint32_t)event.call < trace->call_count ? trace->call[event.call].name : "?",
                trace_site_text(trace, event.site, site, sizeof site));
    fputc('\n', out);
}

static void print_path(struct trace *trace, const struct replay_program *program,
                       const struct model_ask *ask, struct replay_timed_result *result, FILE *out)
{
    char a[32], b[64];
    if (!result->step_count)
        return;
    fprintf(
        out,
        "\ncritical path: %llu steps: %llu alphas, %s words, %llu operations, %s of work; the "
        "longest:\n",
        (unsigned long long)result->step_count, (unsigned long long)result->path_alphas,
        model_ratio_text((struct model_ratio){result->path_bytes, (uint64_t)ask->word_bytes}, b),
        (unsigned long long)result->path_operations,
        model_seconds((double)result->path_compute_ps * 1e-12, a));
    qsort(result->step, result->step_count, sizeof *result->step, by_length);
    for (uint64_t i = 0; i < result->step_count && i < STEPS_SHOWN; i++)
        print_step(trace, program, &result->step[i], out);
}

static void print_job(struct trace *trace, const struct replay_program *program,
                      const struct model_ask *ask, struct replay_timed_result *result, FILE *out)
{
    char a[32], text[REPLAY_TEXT_MAX], b[64];
    fprintf(out, "%s: %u ranks, network %s: lasts %s\n", ask->job, result->rank_count,
            ask->has_topology ? replay_topology_text(&ask->topology, text) : "full",
            model_seconds((double)result->makespan_ps * 1e-12, a));
    fprintf(
        out, "  messages %llu, volume %s words\n", (unsigned long long)result->messages,
        model_ratio_text((struct model_ratio){result->volume_bytes, (uint64_t)ask->word_bytes}, b));
    if (result->blocked_count)
        fprintf(out, "  %u ranks cannot continue%s; 'crosswait replay' says why\n",
                result->blocked_count,
                ask->eager < 0 ? " when sends do not buffer (see --eager)" : "");
    model_print_idle(result, out);
    model_print_links(result, (uint32_t)ask->word_bytes, out);
    fputc('\n', out);
    print_ranks(result, out);
    print_path(trace, program, ask, result, out);
}

static enum core_status run_job(struct trace *trace, struct model_ask *ask, FILE *out)
{
    struct replay_lower_options lower = {.inside = ask->inside != 0, .compute = true};
    struct replay_timed_options options;
    struct replay_timed_result result;
    struct replay_program program;
    enum core_status status = trace_times_needed(trace, "the model of a job");

    if (status == CORE_OK && ask->topology_text) {
        status = replay_topology_parse(ask->topology_text, trace->rank_count, &ask->topology);
        ask->has_topology = status == CORE_OK;
    }
    if (status == CORE_OK)
        status = replay_lower(trace, &lower, &program, NULL);
    if (status != CORE_OK)
        return status;
    model_timed_options(ask, &options);
    options.want_path = 1;
    options.pin_recorded = 1; /* keep the recorded order */
    status = replay_timed_run(&program, &options, &result);
    if (status == CORE_OK) {
        print_job(trace, &program, ask, &result, out);
        replay_timed_done(&result);
    }
    replay_program_done(&program);
    return status;
}

enum core_status model_job(struct model_ask *ask, FILE *out)
{
    struct trace trace;
    enum core_status status = trace_open(ask->job, TRACE_READ, &trace);
    if (status != CORE_OK)
        return status == CORE_BAD_INPUT ? CORE_IO : status;
    status = run_job(&trace, ask, out);
    trace_close(&trace);
    return status;
}
