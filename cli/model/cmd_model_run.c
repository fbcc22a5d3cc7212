/* crosswait model --run: runs one row on the engine, and compares the measured cost with the row's
 * formulas and with the lower bound. */
#include "cli/model/cmd_model.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void cmd_model_run_line(FILE *out, const char *what, const char *measured,
                               const char *relation, const char *row, const char *bound)
{
    fprintf(out, "  %-14s %16s  %2s %16s  >= %16s\n", what, measured, relation, row, bound);
}

static const char *cmd_model_run_sign(enum model_relation relation)
{
    return relation == MODEL_AT_MOST ? "<=" : "=";
}

static const char *cmd_model_run_number(uint64_t value, char text[64])
{
    snprintf(text, 64, "%llu", (unsigned long long)value);
    return text;
}

static const char *cmd_model_run_words(uint64_t bytes, uint32_t word, char text[64])
{
    return model_ratio_text((struct model_ratio){bytes, word}, text);
}

/* Prints, for rows with supersteps, their number and the words of all. */
static void print_supersteps(const struct model_ask *ask, const struct replay_measure *got,
                             const struct model_row *row, const struct model_case *of,
                             const struct model_cost *cost, FILE *out)
{
    char a[64], b[64];
    uint32_t word = (uint32_t)ask->word_bytes;
    bool most = cost->rounds_relation == MODEL_AT_MOST;
    struct model_supersteps steps;

    if (!row->supersteps) {
        fprintf(out,
                "  supersteps %llu, words %s in all; the model states no cost of this row in "
                "supersteps\n",
                (unsigned long long)got->rounds, cmd_model_run_words(got->words_bytes, word, a));
        return;
    }
    row->supersteps(of, &steps);
    model_wide words = (model_wide)steps.count * steps.words;
    bool kept = got->rounds == steps.count && got->words_bytes % word == 0 &&
                (most ? got->words_bytes / word <= words : got->words_bytes / word == words);
    fprintf(out, "  %-14s %16s  %19s\n", "", "measured", "row");
    fprintf(out, "  %-14s %16llu  %2s %16llu\n", "supersteps", (unsigned long long)got->rounds, "=",
            (unsigned long long)steps.count);
    fprintf(out, "  %-14s %16s  %2s %16s, %llu in each\n", "words in all",
            cmd_model_run_words(got->words_bytes, word, a), most ? "<=" : "=",
            model_ratio_text((struct model_ratio){words, 1}, b), (unsigned long long)steps.words);
    fprintf(out, "  keeps its row: %s\n", kept ? "yes" : "no");
}

static void print_measure(const struct model_ask *ask, const struct replay_measure *got,
                          const struct model_cost *cost, const struct model_bound *bound, FILE *out)
{
    char a[64], b[64], c[64];
    uint32_t word = (uint32_t)ask->word_bytes;
    fprintf(out, "  %-14s %16s  %19s  %19s\n", "", "measured", "row", "lower bound");
    cmd_model_run_line(out, "rounds R", cmd_model_run_number(got->rounds, a),
                       cmd_model_run_sign(cost->rounds_relation),
                       cmd_model_run_number(cost->rounds, b),
                       cmd_model_run_number(bound->rounds, c));
    cmd_model_run_line(out, "words W", cmd_model_run_words(got->words_bytes, word, a),
                       cmd_model_run_sign(cost->words_relation),
                       model_ratio_text(cost->words_relation == MODEL_AT_MOST
                                            ? (struct model_ratio){cost->words_most, 1}
                                            : cost->words,
                                        b),
                       model_ratio_text(model_bound_words(bound), c));
    cmd_model_run_line(out, "operations C", cmd_model_run_number(got->operations, a),
                       cmd_model_run_sign(cost->operations_relation),
                       model_ratio_text(cost->operations_relation == MODEL_AT_MOST
                                            ? (struct model_ratio){cost->operations_most, 1}
                                            : cost->operations,
                                        b),
                       model_ratio_text(bound->operations, c));
    fprintf(out, "  keeps its row: %s\n",
            got->words_bytes % word == 0 &&
                    model_keeps(cost, got->rounds, got->words_bytes / word, got->operations)
                ? "yes"
                : "no, on this network");
}

void model_print_idle(const struct replay_timed_result *result, FILE *out)
{
    uint64_t sum[7] = {0};
    static const char *const name[] = {"late sender", "late receiver", "port",       "link",
                                       "on the way",  "local work",    "collectives"};
    char a[32];
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct replay_timed_rank one = replay_timed_rank_at(result, r), *rank = &one;
        const uint64_t part[] = {rank->late_sender_ps, rank->late_receiver_ps, rank->port_ps,
                                 rank->link_ps,        rank->transfer_ps,      rank->compute_ps,
                                 rank->collective_ps};
        for (int i = 0; i < 7; i++)
            sum[i] += part[i];
    }
    fprintf(out, "  where the ranks' time goes:");
    for (int i = 0; i < (sum[6] ? 7 : 6); i++)
        fprintf(out, "%s %s %s", i ? "," : "", name[i], model_seconds((double)sum[i] * 1e-12, a));
    fputc('\n', out);
}

void model_print_links(const struct replay_timed_result *result, uint32_t word, FILE *out)
{
    uint64_t busiest = 0;
    uint32_t shared = 0;
    if (!result->link_count)
        return;
    for (uint64_t i = 0; i < result->link_count; i++) {
        busiest = result->link[i].bytes > busiest ? result->link[i].bytes : busiest;
        shared = result->link[i].shared_max > shared ? result->link[i].shared_max : shared;
    }
    fprintf(out,
            "  links: %llu used, the busiest carried %llu words; at most %u messages shared one\n",
            (unsigned long long)result->link_count, (unsigned long long)(busiest / word), shared);
}

/* Prints the row's time: each superstep costs the larger of its start-up and its words. */
static void print_time(const struct model_ask *ask, const struct replay_timed_result *result,
                       const struct model_row *of_row, const struct model_case *of,
                       const struct model_cost *cost, FILE *out)
{
    char a[32];
    struct model_supersteps steps = {0};
    double row = ask->alpha * (double)cost->rounds + ask->beta * model_value(cost->words) +
                 ask->tau * model_value(cost->operations);

    fprintf(out, "  time %s", model_seconds((double)result->makespan_ps * 1e-12, a));
    if (ask->port == REPLAY_PORT_BSP && of_row->supersteps) {
        of_row->supersteps(of, &steps);
        row = fmax(ask->alpha, ask->beta * (double)steps.words) * (double)steps.count;
        fprintf(out, "; by the row %llu max(alpha, beta * %llu) = %s",
                (unsigned long long)steps.count, (unsigned long long)steps.words,
                model_seconds(row, a));
    } else if (ask->port != REPLAY_PORT_BSP) {
        fprintf(out, "; by the row alpha R + beta W + tau C = %s", model_seconds(row, a));
    }
    fputc('\n', out);
}

static void print_run(const struct model_ask *ask, const struct replay_timed_result *result,
                      FILE *out)
{
    char b[64];
    uint32_t word = (uint32_t)ask->word_bytes;
    fprintf(out, "  messages %llu, volume %s words\n", (unsigned long long)result->messages,
            cmd_model_run_words(result->volume_bytes, word, b));
    fprintf(out, "  critical path: %llu alphas, %s words, %llu operations\n",
            (unsigned long long)result->path_alphas,
            cmd_model_run_words(result->path_bytes, word, b),
            (unsigned long long)result->path_operations);
    model_print_idle(result, out);
    model_print_links(result, word, out);
}

enum core_status model_run(const struct model_ask *ask, FILE *out)
{
    const struct model_row *row = model_row_find(ask->run);
    uint64_t size = (uint64_t)(ask->words_given ? ask->words_low : ask->ranks);
    struct model_case of = {(uint32_t)ask->ranks,
                            (uint32_t)ask->root,
                            (uint32_t)ask->parameter,
                            ask->back,
                            size,
                            ask->port,
                            ask->half_duplex};
    struct model_generate_request request = {
        row->id, of.ranks, of.root, of.parameter, ask->back, size, (uint32_t)ask->word_bytes};
    struct replay_timed_options options;
    struct replay_timed_result result;
    struct replay_measure got;
    struct replay_program program;
    struct model_cost cost;
    struct model_bound bound;
    char text[REPLAY_TEXT_MAX];
    enum core_status status = model_row_cost(row, &of, &cost);

    if (status == CORE_OK)
        status =
            model_bound(row->collective, &of, ask->has_topology ? &ask->topology : NULL, &bound);
    if (status == CORE_OK)
        status = model_generate(&request, &program);
    if (status != CORE_OK)
        return status;
    model_timed_options(ask, &options);
    status = replay_timed_measure(&program, &options, &got);
    options.want_path = 1;
    if (status == CORE_OK)
        status = replay_timed_run(&program, &options, &result);
    replay_program_done(&program);
    if (status != CORE_OK)
        return status;
    fprintf(out, "%s on %u ranks, %llu words, network %s\n", row->id, of.ranks,
            (unsigned long long)size,
            ask->has_topology ? replay_topology_text(&ask->topology, text) : "full");
    if (ask->port == REPLAY_PORT_BSP)
        print_supersteps(ask, &got, row, &of, &cost, out);
    else
        print_measure(ask, &got, &cost, &bound, out);
    print_time(ask, &result, row, &of, &cost, out);
    print_run(ask, &result, out);
    replay_timed_done(&result);
    return CORE_OK;
}
