/* crosswait model --explain: shows the meaning of a row, the reasons for its formulas, and its
 * messages round by round as the engine runs them. */
#include "cli/model/cmd_model.h"

#include <errno.h>
#include <string.h>

#include "cli/model/cmd_model_figure.h"
#include "core/output.h"
#include "model/rounds.h"

enum { EXPLAIN_RANKS = 8, EXPLAIN_PARAMETER = 3, EXPLAIN_SUM_TERMS = 12 };

struct explained {
    const struct model_row *row;
    struct model_case of;
    struct model_cost cost;
    struct replay_topology topology;
    struct replay_measure got;
    struct model_rounds rounds;
    struct model_figure figure;
    uint32_t word;
    uint32_t shared; /* largest number of messages on a link, one way, at the same time */
};

const char *model_words_name(const char *collective)
{
    bool vector = !strcmp(collective, "bcast") || !strcmp(collective, "reduce") ||
                  !strcmp(collective, "allreduce");
    return vector ? "n" : "m";
}

/* Chooses small valid values for the number of ranks, the size and the parameter if they are not
 * given. */
static void explain_case(const struct model_ask *ask, struct explained *e)
{
    e->of = (struct model_case){.ranks = (uint32_t)ask->ranks,
                                .root = (uint32_t)ask->root,
                                .parameter = (uint32_t)ask->parameter,
                                .back = ask->back,
                                .words = (uint64_t)ask->words_low,
                                .port = ask->port,
                                .half_duplex = ask->half_duplex};
    if (!ask->ranks_given && !ask->has_topology)
        e->of.ranks = model_domain_nearest(e->row->domain, EXPLAIN_RANKS);
    if (!ask->words_given)
        e->of.words = e->of.ranks;
    if (!e->of.parameter && e->row->parameter != MODEL_PARAMETER_NONE)
        e->of.parameter = EXPLAIN_PARAMETER;
}

static enum core_status explain_run(const struct model_ask *ask, struct explained *e)
{
    struct model_generate_request request = {e->row->id, e->of.ranks, e->of.root, e->of.parameter,
                                             e->of.back, e->of.words, e->word};
    struct replay_timed_options options;
    struct replay_timed_result result;
    struct replay_program program;
    enum core_status status = model_row_cost(e->row, &e->of, &e->cost);

    if (status == CORE_OK && !ask->has_topology)
        status = model_row_topology(e->row, e->of.ranks, &e->topology);
    if (status == CORE_OK)
        status = model_generate(&request, &program);
    if (status != CORE_OK)
        return status;
    model_timed_options(ask, &options);
    options.topology = &e->topology;
    status = replay_timed_measure(&program, &options, &e->got);
    if (status == CORE_OK)
        status = model_rounds(&program, &options, &e->rounds);
    if (status == CORE_OK)
        status = replay_timed_run(&program, &options, &result);
    replay_program_done(&program);
    if (status != CORE_OK)
        return status;
    for (uint64_t i = 0; i < result.link_count; i++)
        e->shared = result.link[i].shared_max > e->shared ? result.link[i].shared_max : e->shared;
    replay_timed_done(&result);
    return CORE_OK;
}

/* --- in words --------------------------------------------------------------------------------- */

/* Prints "R = clg" for "= clg", the form of the row's formulas. */
static void explain_formula(FILE *out, const char *name, const char *formula, const char *why)
{
    char text[128];
    snprintf(text, sizeof text, "%s %s", name, formula);
    if (strlen(text) > 16)
        fprintf(out, "  %s\n  %-16s  %s\n", text, "", why);
    else
        fprintf(out, "  %-16s  %s\n", text, why);
}

/* Prints a name and its text, in lines of at most 80 columns if words allow it. */
static void explain_field(FILE *out, const char *name, const char *text)
{
    enum { INDENT = 12, WIDTH = 80 - INDENT };
    fprintf(out, "  %-*s", INDENT - 2, name);
    while (strlen(text) > WIDTH) {
        int cut = WIDTH;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (!cut)
            break;
        fprintf(out, "%.*s\n%*s", cut, text, INDENT, "");
        text += cut + 1;
    }
    fprintf(out, "%s\n", text);
}

static void explain_words(const struct model_ask *ask, const struct explained *e, FILE *out)
{
    const struct model_row *row = e->row;
    char network[REPLAY_TEXT_MAX], text[REPLAY_TEXT_MAX + 64];
    struct replay_topology holds;

    fprintf(out, "%s: %s\n\n", row->id, row->about);
    snprintf(text, sizeof text, "%s%s", model_domain_text(row->domain),
             row->root_any ? ", any root" : "");
    explain_field(out, "ranks", text);
    if (model_row_topology(row, e->of.ranks, &holds) == CORE_OK) {
        bool there = !ask->has_topology && ask->port != REPLAY_PORT_BSP && e->shared <= 1;
        snprintf(text, sizeof text, "%s%s", replay_topology_text(&holds, network),
                 there ? ", where no two messages share a link at any time" : "");
        explain_field(out, "holds on", text);
    }
    if (row->hazard)
        explain_field(out, "note", row->hazard);
    explain_field(out, "source", row->source);
    fputc('\n', out);
    explain_formula(out, "R", row->rounds, row->why->rounds);
    explain_formula(out, "W", row->words, row->why->words);
    explain_formula(out, "C", row->operations, row->why->operations);
}

/* Writes "8 + 8 + 8 = 24": the sum of each round's largest message. */
static void explain_sum(const struct explained *e, char *text, size_t room)
{
    size_t at = 0;
    text[0] = 0;
    for (uint64_t r = 0; r < e->rounds.rounds && at < room; r++) {
        if (r == EXPLAIN_SUM_TERMS) {
            at += (size_t)snprintf(text + at, room - at, " + ...");
            break;
        }
        at += (size_t)snprintf(text + at, room - at, "%s%llu", r ? " + " : "",
                               (unsigned long long)(e->rounds.most[r] / e->word));
    }
    if (e->rounds.rounds != 1 && at < room)
        snprintf(text + at, room - at, "%s%llu", e->rounds.rounds ? " = " : "",
                 (unsigned long long)(e->rounds.bytes / e->word));
}

/* Writes R, W and C of the drawn run, and whether they equal the row's. */
static void explain_measured(const struct model_ask *ask, const struct explained *e, char *text,
                             size_t room)
{
    char sum[400], words[64];
    bool bsp = ask->port == REPLAY_PORT_BSP, summed = e->got.words_bytes == e->rounds.bytes;
    bool kept =
        !bsp && e->got.words_bytes % e->word == 0 &&
        model_keeps(&e->cost, e->got.rounds, e->got.words_bytes / e->word, e->got.operations);

    explain_sum(e, sum, sizeof sum);
    model_ratio_text((struct model_ratio){e->got.words_bytes, e->word}, words);
    const char *judged = bsp    ? ""
                         : kept ? ": as the row says"
                                : ": not what the row says, on this network";
    if (summed)
        snprintf(text, room, "%s %llu, W = %s, C = %llu%s",
                 bsp ? "supersteps" : "R =", (unsigned long long)e->got.rounds, sum,
                 (unsigned long long)e->got.operations, judged);
    else
        snprintf(text, room, "%s %llu, W = %s (the largest messages: %s), C = %llu%s",
                 bsp ? "supersteps" : "R =", (unsigned long long)e->got.rounds, words, sum,
                 (unsigned long long)e->got.operations, judged);
}

static void explain_title(const struct explained *e, char *text, size_t room)
{
    char network[REPLAY_TEXT_MAX], parameter[32] = "";
    if (e->row->parameter != MODEL_PARAMETER_NONE)
        snprintf(parameter, sizeof parameter, ", %s = %u",
                 e->row->parameter == MODEL_PARAMETER_ARITY ? "k" : "s", e->of.parameter);
    snprintf(text, room, "%s on %u rank%s, %s = %llu words%s, network %s", e->row->id, e->of.ranks,
             e->of.ranks == 1 ? "" : "s", model_words_name(e->row->collective),
             (unsigned long long)e->of.words, parameter,
             replay_topology_text(&e->topology, network));
}

static void explain_supersteps(const struct explained *e, FILE *out)
{
    struct model_supersteps steps;
    if (!e->row->supersteps)
        return;
    e->row->supersteps(&e->of, &steps);
    fprintf(out, "  in supersteps (--port=bsp): %llu of max(alpha, beta * %llu)\n",
            (unsigned long long)steps.count, (unsigned long long)steps.words);
}

/* Lists the messages if there are too many ranks for a text figure. */
static void explain_list(const struct explained *e, FILE *out)
{
    uint32_t at = 0;
    for (uint64_t r = 1; r <= e->rounds.rounds && r <= EXPLAIN_SUM_TERMS; r++) {
        uint32_t first = at;
        while (at < e->rounds.count && e->rounds.message[at].round == r)
            at++;
        fprintf(out, "  round %-4llu %u message%s, the largest of %llu words\n",
                (unsigned long long)r, at - first, at - first == 1 ? "" : "s",
                (unsigned long long)(e->rounds.most[r - 1] / e->word));
    }
    if (e->rounds.rounds > EXPLAIN_SUM_TERMS)
        fprintf(out, "  and %llu rounds more\n",
                (unsigned long long)(e->rounds.rounds - EXPLAIN_SUM_TERMS));
}

static void explain_text(const struct model_ask *ask, const struct explained *e, FILE *out)
{
    char text[1024];
    explain_words(ask, e, out);
    explain_supersteps(e, out);
    explain_title(e, text, sizeof text);
    fprintf(out, "\n%s:\n", text);
    if (e->of.ranks <= MODEL_FIGURE_TEXT_RANKS_MAX)
        model_figure_text(&e->figure, out);
    else
        explain_list(e, out);
    explain_measured(ask, e, text, sizeof text);
    fprintf(out, "  %s\n", text);
    if (e->shared > 1)
        fprintf(out, "  up to %u messages share a link\n", e->shared);
}

typedef void (*explain_draw_fn)(const struct model_figure *figure, const char *title,
                                const char *const *line, int lines, const char *sum, FILE *out);

static void explain_drawn(const struct model_ask *ask, const struct explained *e, FILE *out,
                          explain_draw_fn draw)
{
    char title[512], about[256], formulas[512], sum[1024], text[512];
    const char *line[] = {text, formulas};
    snprintf(about, sizeof about, "%s: %s", e->row->id, e->row->about);
    snprintf(formulas, sizeof formulas, "R %s; W %s; C %s", e->row->rounds, e->row->words,
             e->row->operations);
    explain_title(e, title, sizeof title);
    snprintf(text, sizeof text, "%s", strchr(title, ' ') + 1);
    explain_measured(ask, e, sum, sizeof sum);
    draw(&e->figure, about, line, 2, sum, out);
}

/* --- the command ------------------------------------------------------------------------------ */

/* Returns the drawing function; NULL: explain in words. */
static explain_draw_fn explain_draw(const struct model_ask *ask)
{
    static const struct {
        const char *name;
        explain_draw_fn draw;
    } format[] = {{"svg", model_figure_svg}, {"html", model_figure_html}};
    const char *dot = ask->output ? strrchr(ask->output, '.') : NULL, *name = ask->format;

    if (!name)
        name = dot ? dot + 1 : "text";
    for (size_t i = 0; i < sizeof format / sizeof *format; i++)
        if (!strcmp(name, format[i].name))
            return format[i].draw;
    return NULL;
}

static enum core_status explain_write(const struct model_ask *ask, struct explained *e,
                                      const char *path)
{
    FILE *out = path ? core_output_open(path) : stdout;
    if (!out)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    explain_draw_fn draw = explain_draw(ask);
    if (draw)
        explain_drawn(ask, e, out, draw);
    else
        explain_text(ask, e, out);
    if (!path)
        return CORE_OK;
    int failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    return CORE_OK;
}

enum core_status model_explain(const struct model_ask *ask)
{
    struct explained e = {.row = model_row_find(ask->explain),
                          .topology = ask->topology,
                          .word = (uint32_t)ask->word_bytes};
    enum core_status status;

    explain_case(ask, &e);
    if (explain_draw(ask) && e.of.ranks > MODEL_FIGURE_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "a figure of %u ranks: at most %d can be drawn",
                           e.of.ranks, MODEL_FIGURE_RANKS_MAX);
    status = explain_run(ask, &e);
    if (status == CORE_OK)
        status = model_figure_make(&e.rounds, e.of.ranks, e.word, &e.figure);
    if (status == CORE_OK)
        status = explain_write(ask, &e, ask->output);
    model_figure_done(&e.figure);
    model_rounds_done(&e.rounds);
    return status;
}
