/* Finds the cheapest algorithm for each size: the rows of one collective are straight lines in n;
 * finds their lower envelope, and the sizes at which it changes rows. */
#include "cli/model/cmd_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double model_curve_time(const struct model_curve *curve, double words)
{
    return curve->start + curve->slope * words;
}

static int same_cost(const struct model_curve *a, const struct model_curve *b)
{
    return a->rounds == b->rounds && model_compare(a->words, b->words) == 0 &&
           model_compare(a->operations, b->operations) == 0;
}

static void add_curve(const struct model_ask *ask, struct model_ranking *ranking,
                      struct model_curve *made)
{
    made->start = ask->alpha * (double)made->rounds;
    made->slope = ask->beta * model_value(made->words) + ask->tau * model_value(made->operations);
    for (int i = 0; i < ranking->count; i++) {
        struct model_curve *old = &ranking->curve[i];
        if (same_cost(old, made)) {
            size_t used = strlen(old->also);
            snprintf(old->also + used, sizeof old->also - used, "%s%s", used ? ", " : "",
                     made->name);
            return;
        }
    }
    if (ranking->count < MODEL_CURVES_MAX)
        ranking->curve[ranking->count++] = *made;
}

/* Evaluates the formulas. Costs are linear in the size, so they are taken at P words, where every
 * block is whole, and divided by P. */
static enum core_status cmd_model_rank_formula(const struct model_ask *ask,
                                               const struct model_row *row, uint32_t parameter,
                                               struct model_curve *out)
{
    struct model_case of = {.ranks = (uint32_t)ask->ranks,
                            .root = (uint32_t)ask->root,
                            .parameter = parameter,
                            .back = ask->back,
                            .words = (uint64_t)ask->ranks,
                            .port = ask->port,
                            .half_duplex = ask->half_duplex};
    struct model_cost cost;
    enum core_status status = model_row_cost(row, &of, &cost);
    if (status != CORE_OK)
        return status;
    *out = (struct model_curve){
        .row = row, .rounds = cost.rounds, .words = cost.words, .operations = cost.operations};
    return CORE_OK;
}

static enum core_status cmd_model_rank_measured(const struct model_ask *ask,
                                                const struct model_row *row, uint32_t parameter,
                                                struct model_curve *out)
{
    struct model_generate_request request = {row->id,
                                             (uint32_t)ask->ranks,
                                             (uint32_t)ask->root,
                                             parameter,
                                             ask->back,
                                             (uint64_t)ask->ranks,
                                             1};
    struct replay_timed_options options;
    struct replay_measure got;
    struct replay_program program;
    enum core_status status = model_generate(&request, &program);
    if (status != CORE_OK)
        return status;
    model_timed_options(ask, &options);
    status = replay_timed_measure(&program, &options, &got);
    replay_program_done(&program);
    if (status != CORE_OK)
        return status;
    *out = (struct model_curve){.row = row,
                                .rounds = got.rounds,
                                .words = {got.words_bytes, 1},
                                .operations = {got.operations, 1}};
    return CORE_OK;
}

struct refusal {
    const char *row;
    struct model_ranking *ranking;
};

static void note_refusal(enum core_status status, const char *message, void *context)
{
    struct refusal *refusal = context;
    size_t used = strlen(refusal->ranking->refused);
    (void)status;
    snprintf(refusal->ranking->refused + used, sizeof refusal->ranking->refused - used, "  %s\n",
             message);
}

static enum core_status add_row(const struct model_ask *ask, struct model_ranking *ranking,
                                const struct model_row *row, uint32_t parameter)
{
    struct model_curve made;
    struct refusal refusal = {row->id, ranking};
    core_report_hook(note_refusal, &refusal);
    enum core_status status = ask->has_topology
                                  ? cmd_model_rank_measured(ask, row, parameter, &made)
                                  : cmd_model_rank_formula(ask, row, parameter, &made);
    core_report_hook(NULL, NULL);
    if (status == CORE_BAD_INPUT || status == CORE_LIMIT)
        return CORE_OK;
    if (status != CORE_OK)
        return status;
    made.words.den *= (uint64_t)ask->ranks;
    made.operations.den *= (uint64_t)ask->ranks;
    enum model_parameter kind = row->parameter;
    if (kind == MODEL_PARAMETER_ARITY)
        snprintf(made.name, sizeof made.name, "%s(%u)", row->id, parameter);
    else if (kind == MODEL_PARAMETER_DISTANCE)
        snprintf(made.name, sizeof made.name, "%s(%u)", row->id, parameter);
    else
        snprintf(made.name, sizeof made.name, "%s", row->id);
    add_curve(ask, ranking, &made);
    return CORE_OK;
}

static enum core_status add_rows(const struct model_ask *ask, struct model_ranking *ranking,
                                 const struct model_row *row)
{
    static const uint32_t arity[] = {3, 4, 8};
    enum core_status status = CORE_OK;
    switch (row->parameter) {
    case MODEL_PARAMETER_ARITY:
        if (ask->parameter)
            return add_row(ask, ranking, row, (uint32_t)ask->parameter);
        for (size_t i = 0; i < 3 && status == CORE_OK; i++)
            if (arity[i] < ask->ranks)
                status = add_row(ask, ranking, row, arity[i]);
        return status;
    case MODEL_PARAMETER_DISTANCE:
        return add_row(ask, ranking, row,
                       ask->parameter ? (uint32_t)ask->parameter : ask->ranks > 1);
    default:
        return add_row(ask, ranking, row, 0);
    }
}

static double sort_at;

static int by_cost(const void *a, const void *b)
{
    const struct model_curve *x = a, *y = b;
    double tx = model_curve_time(x, sort_at), ty = model_curve_time(y, sort_at);
    if (tx != ty)
        return tx < ty ? -1 : 1;
    if (x->slope != y->slope)
        return x->slope < y->slope ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Finds the crossings: starts with the cheapest curve at the low end, and follows each curve to the
 * first one that it meets. */
static void find_crossings(const struct model_ask *ask, struct model_ranking *ranking)
{
    double at = (double)ask->words_low;
    int best = 0;
    for (;;) {
        int next = -1;
        double where = (double)ask->words_high;
        for (int i = 0; i < ranking->count; i++) {
            const struct model_curve *a = &ranking->curve[best], *b = &ranking->curve[i];
            if (b->slope >= a->slope)
                continue;
            double meet = (b->start - a->start) / (a->slope - b->slope);
            if (meet >= at && (meet < where || (next >= 0 && meet == where &&
                                                b->slope < ranking->curve[next].slope))) {
                where = meet;
                next = i;
            }
        }
        if (next < 0)
            return;
        ranking->crossing[ranking->crossing_count++] = (struct model_crossing){where, best, next};
        best = next;
        at = where;
    }
}

enum core_status model_rank(const struct model_ask *ask, struct model_ranking *out)
{
    const struct model_row *row;
    struct model_case of = {.ranks = (uint32_t)ask->ranks,
                            .root = (uint32_t)ask->root,
                            .port = ask->port,
                            .parameter = ask->parameter ? (uint32_t)ask->parameter : 1,
                            .words = (uint64_t)ask->ranks,
                            .half_duplex = ask->half_duplex};
    enum core_status status =
        model_bound(ask->collective, &of, ask->has_topology ? &ask->topology : NULL, &out->bound);

    if (status != CORE_OK)
        return CORE_BAD_INPUT;
    for (size_t i = 0; status == CORE_OK && (row = model_row_at(i)); i++)
        if (strcmp(row->collective, ask->collective) == 0)
            status = add_rows(ask, out, row);
    if (status != CORE_OK)
        return status;
    if (out->count == 0) {
        fputs(out->refused, stderr);
        return core_report(CORE_BAD_INPUT, "no row of %s is possible for %lld ranks",
                           ask->collective, (long long)ask->ranks);
    }
    sort_at = (double)ask->words_low;
    qsort(out->curve, (size_t)out->count, sizeof *out->curve, by_cost);
    find_crossings(ask, out);
    return CORE_OK;
}

/* --- printing --------------------------------------------------------------------------------- */

enum { SAMPLES_MAX = 7 };

static int cmd_model_rank_samples(const struct model_ask *ask, double at[SAMPLES_MAX])
{
    double low = (double)ask->words_low, high = (double)ask->words_high;
    int count = 0;
    at[count++] = low;
    if (high == low)
        return count;
    double decades = log10(high) - log10(low > 0 ? low : 1),
           step = ceil((decades + 1e-9) / (SAMPLES_MAX - 1));
    if (step < 1)
        step = 1;
    for (double power = floor(log10(low > 0 ? low : 1)) + step;
         count < SAMPLES_MAX - 1 && pow(10, power) < high; power += step)
        if (pow(10, power) > low)
            at[count++] = pow(10, power);
    at[count++] = high;
    return count;
}

static void print_size(double words, char text[32])
{
    snprintf(text, 32, words >= 1e5 && fmod(words, 1000) == 0 ? "%.0e" : "%.0f", words);
}

static void print_bound(const struct model_ask *ask, const struct model_ranking *ranking,
                        const double *at, int count, FILE *out)
{
    struct model_ratio words = model_bound_words(&ranking->bound);
    char text[64], time[32];
    words.den *= (uint64_t)ask->ranks;
    fprintf(out, "  %-36s %8llu %12s %12s", "lower bound",
            (unsigned long long)ranking->bound.rounds, model_ratio_text(words, text), "");
    for (int i = 0; i < count;
         i++) { /* some algorithms overlap start-ups and words: each bounds separately */
        double start = ask->alpha * (double)ranking->bound.rounds,
               flow = ask->beta * model_value(words) * at[i];
        fprintf(out, " %11s", model_seconds(start > flow ? start : flow, time));
    }
    fputc('\n', out);
}

void model_rank_print(const struct model_ask *ask, const struct model_ranking *ranking, FILE *out)
{
    double at[SAMPLES_MAX];
    int count = cmd_model_rank_samples(ask, at);
    char text[REPLAY_TEXT_MAX], a[32], b[32], c[32];

    fprintf(out, "%s on %lld ranks, network %s: alpha %s, beta %s per word of %lld bytes, tau %s\n",
            ask->collective, (long long)ask->ranks,
            ask->has_topology ? replay_topology_text(&ask->topology, text) : "as each row asks for",
            model_seconds(ask->alpha, a), model_seconds(ask->beta, b), (long long)ask->word_bytes,
            model_seconds(ask->tau, c));
    fprintf(out,
            "columns: R rounds, W words and C operations for each word of the size%s; then the "
            "cost at some sizes\n\n",
            ask->has_topology ? ", measured on that network" : "");
    fprintf(out, "  %-36s %8s %12s %12s", "row", "R", "W", "C");
    for (int i = 0; i < count; i++) {
        print_size(at[i], a);
        fprintf(out, " %11s", a);
    }
    fputc('\n', out);
    for (int i = 0; i < ranking->count; i++) {
        const struct model_curve *curve = &ranking->curve[i];
        char w[64], o[64];
        fprintf(out, "  %-36s %8llu %12s %12s", curve->name, (unsigned long long)curve->rounds,
                model_ratio_text(curve->words, w), model_ratio_text(curve->operations, o));
        for (int s = 0; s < count; s++)
            fprintf(out, " %11s", model_seconds(model_curve_time(curve, at[s]), a));
        fputc('\n', out);
        if (curve->also[0])
            fprintf(out, "    the same: %s\n", curve->also);
    }
    print_bound(ask, ranking, at, count, out);
    fprintf(out, "\ncheapest:\n");
    double from = (double)ask->words_low;
    for (int i = 0; i <= ranking->crossing_count; i++) {
        int last = i == ranking->crossing_count;
        double to = last ? (double)ask->words_high : ceil(ranking->crossing[i].words) - 1;
        int curve = i ? ranking->crossing[i - 1].to : 0;
        if (to >= from)
            fprintf(out, "  %.0f to %.0f words: %s\n", from, to, ranking->curve[curve].name);
        if (!last)
            from =
                ceil(ranking->crossing[i].words) > from ? ceil(ranking->crossing[i].words) : from;
    }
    for (int i = 0; i < ranking->crossing_count; i++)
        fprintf(out, "crossover: %s and %s cost the same at %.6g words\n",
                ranking->curve[ranking->crossing[i].from].name,
                ranking->curve[ranking->crossing[i].to].name, ranking->crossing[i].words);
    if (ranking->refused[0])
        fprintf(out, "\nnot possible:\n%s", ranking->refused);
}
