/* crosswait model: computes the cost of collectives. Lists rows, ranks them for given P, alpha,
 * beta and n, draws the ranking, prints a network's properties, runs a row on the engine, and fits
 * alpha and beta from a recorded ping-pong. */
#include "cli/model/cmd_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/text.h"

enum {
    OPTION_COLLECTIVE,
    OPTION_RANKS,
    OPTION_WORDS,
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_TAU,
    OPTION_WORD,
    OPTION_TOPOLOGY,
    OPTION_PORT,
    OPTION_ROUTING,
    OPTION_HALF,
    OPTION_ROOT,
    OPTION_PARAMETER,
    OPTION_BACK,
    OPTION_PLOT,
    OPTION_PROPERTIES,
    OPTION_RUN,
    OPTION_EXPLAIN,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_JOB,
    OPTION_EAGER,
    OPTION_INSIDE,
    OPTION_MEASURE
};

static const struct options_spec spec[] = {
    {"collective", 'c', "NAME", "rank the rows of bcast, reduce, scatter, gather, allgather, ..."},
    {"ranks", 'p', "P", "number of ranks"},
    {"words", 'n', "N",
     "size, or range of sizes A..B (1..1e6): n for bcast, reduce, allreduce; m for the rest"},
    {"alpha", 0, "S", "start-up of a message in seconds (1e-6)"},
    {"beta", 0, "S", "seconds per word (1e-9)"},
    {"tau", 0, "S", "seconds per local operation (1e-12)"},
    {"word", 0, "BYTES", "bytes in a word (8)"},
    {"topology", 't', "NET",
     "full, bus, star, line, ring, mesh:4x4, torus:2x2x2, hypercube, tree, complete-tree, "
     "pipeline"},
    {"port", 0, "RULE", "single (one send and one receive at a time), multi, or bsp"},
    {"routing", 0, "RULE",
     "fixed, or best: the shortest paths that let simultaneous messages finish first"},
    {"half-duplex", 0, NULL, "a link carries messages in one direction at a time"},
    {"root", 0, "RANK", "root of the collective (0)"},
    {"parameter", 0, "K", "k of bcast.kary, s of shift.*"},
    {"back", 0, NULL, "shift.hypercube: with steps back"},
    {"plot", 0, "FILE.svg", "draw cost against size, crossovers marked"},
    {"properties", 0, NULL, "diameter, degree, links, connectivity, bisection of --topology"},
    {"run", 'r', "ID", "run one row on the engine: measured, row, lower bound"},
    {"explain", 'e', "ROW", "what a row is, why its formulas hold, its messages round by round"},
    {"format", 0, "FORMAT", "with --explain: text, svg or html"},
    {"output", 'o', "FILE",
     "with --explain: write to FILE (FILE.svg: the figure; FILE.html: its rounds one by one)"},
    {"job", 'j', "T.db",
     "run a recorded job on the model's machine: makespan, idle time by cause, critical path"},
    {"eager", 0, "BYTES",
     "with --job: standard sends of at most BYTES need no receive to start (default 0)"},
    {"inside", 0, NULL,
     "with --job: replace collectives by the messages that the library sent for them, if the trace "
     "has them"},
    {"measure", 0, "T.db", "fit alpha and beta from the ping-pong in a trace"},
    {0},
};

/* The names that an option accepts, in the order of their enumeration. */
struct cmd_model_choice {
    const char *option;
    const char *what, *known; /* for the report of an unknown name */
    const char *name[4];
};
static const struct cmd_model_choice choice_port = {
    "port", "rule", "single, multi, bsp", {"single", "multi", "bsp"}};
static const struct cmd_model_choice choice_routing = {
    "routing", "rule", "fixed, best", {"fixed", "best"}};
static const struct cmd_model_choice choice_format = {
    "format", "format", "text, svg, html", {"text", "svg", "html"}};

static void cmd_model_values(const char *option)
{
    static const struct cmd_model_choice *const choice[] = {&choice_port, &choice_routing,
                                                            &choice_format};
    const struct model_row *row, *before = NULL;

    for (size_t i = 0; (row = model_row_at(i)); i++, before = row)
        if (!strcmp(option, "run") || !strcmp(option, "explain"))
            puts(row->id);
        else if (!strcmp(option, "collective") &&
                 (!before || strcmp(before->collective, row->collective) != 0))
            puts(row->collective);
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++)
        for (int n = 0; !strcmp(option, choice[i]->option) && choice[i]->name[n]; n++)
            puts(choice[i]->name[n]);
    for (int i = 0; !strcmp(option, "topology") && i < REPLAY_TOPOLOGY_KIND_COUNT; i++)
        puts(replay_topology_kind_name((enum replay_topology_kind)i));
}

static const struct options_command command = {
    .name = "model",
    .usage = "crosswait model [--collective=NAME]\n"
             "crosswait model --collective=bcast --ranks=64 [--words=1..1e6] "
             "[--topology=NET] [--plot=FILE.svg]\n"
             "crosswait model --topology=mesh:4x4 --properties\n"
             "crosswait model --run=ID --ranks=P [--words=N] [--topology=NET]\n"
             "crosswait model --explain=ROW [--ranks=P] [--words=N] [-o FILE.svg|FILE.html]\n"
             "crosswait model --job=T.db [--topology=NET] [--eager=BYTES] [--inside]\n"
             "crosswait model --measure T.db",
    .about = "Prints what collectives must cost: the rows of the model with rounds R, words W and "
             "operations C; for given P, alpha, beta and tau also which row is the cheapest at "
             "which size. With --topology the engine measures R, W and C on that network; "
             "otherwise the rows' formulas give them.",
    .spec = spec,
    .more = "Exit status: 0; 2 for a mistake in the command line or an impossible request, with "
            "the nearest possible "
            "value; 3 for trouble with a trace or a file.",
    .example =
        "crosswait model --collective=bcast --ranks=64 --words=1..1e6 --plot=bcast.svg\n"
        "crosswait model --run=alltoall.pairwise_xor --ranks=16 --topology=hypercube\n"
        "crosswait model --explain=allreduce.ring --ranks=6 -o ring.svg\n"
        "crosswait record -o pp.db -- mpirun -n 2 ./pingpong && crosswait model --measure pp.db",
    .values = cmd_model_values,
};

const char *model_seconds(double seconds, char text[32])
{
    static const struct {
        double unit;
        const char *name;
    } scale[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}};
    int i = 0;
    while (i < 4 && seconds < scale[i].unit * 0.99995)
        i++;
    if (seconds <= 0)
        snprintf(text, 32, "0");
    else
        snprintf(text, 32, "%.4g %s", seconds / scale[i].unit, scale[i].name);
    return text;
}

const char *model_ratio_text(struct model_ratio ratio, char text[64])
{
    double value = model_value(ratio);
    if (ratio.num % ratio.den == 0 && value < 1e18)
        snprintf(text, 64, "%llu", (unsigned long long)(ratio.num / ratio.den));
    else
        snprintf(text, 64, "%.6g", value);
    return text;
}

void model_timed_options(const struct model_ask *ask, struct replay_timed_options *out)
{
    *out = replay_timed_defaults();
    out->alpha_ps = (uint64_t)llround(ask->alpha * 1e12);
    out->beta_ps = (uint64_t)llround(ask->beta * 1e12);
    out->tau_ps = (uint64_t)llround(ask->tau * 1e12);
    out->word_bytes = (uint32_t)ask->word_bytes;
    out->port = ask->port;
    out->routing = ask->routing;
    out->half_duplex = ask->half_duplex;
    out->eager_bytes = ask->eager;
    out->topology = ask->has_topology ? &ask->topology : NULL;
}

static const char *holds_on(const struct model_row *row)
{
    return row->holds_on == REPLAY_TORUS ? "mesh, wrapped"
                                         : replay_topology_kind_name(row->holds_on);
}

/* Returns false after a report with the nearest name if the model has no such collective. */
static bool collective_is_known(const char *collective)
{
    const struct model_row *row;
    const char *name[64], *near;
    int names = 0;

    for (size_t i = 0; (row = model_row_at(i)); i++) {
        if (!names || strcmp(name[names - 1], row->collective))
            name[names++] = row->collective;
        if (!strcmp(collective, row->collective))
            return true;
    }
    near = core_text_nearest(collective, name, names);
    core_report(CORE_BAD_INPUT,
                "no collective '%s' in the model%s%s%s; 'crosswait model' lists them", collective,
                near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
    return false;
}

static int list_rows(const char *collective)
{
    const struct model_row *row;

    printf("%-34s %-16s %-13s  R; W; C (single port unless said), source, note\n", "row", "ranks",
           "holds on");
    for (size_t i = 0; (row = model_row_at(i)); i++) {
        if (collective && strcmp(collective, row->collective))
            continue;
        printf("%-34s %-16s %-13s  R %s; W %s; C %s\n", row->id, model_domain_text(row->domain),
               holds_on(row), row->rounds, row->words, row->operations);
        printf("%-34s %-16s %-13s  %s%s%s\n", "", "", "", row->source, row->hazard ? ". " : "",
               row->hazard ? row->hazard : "");
    }
    return CLI_CLEAN;
}

static int print_properties(const struct replay_topology *topology)
{
    struct replay_topology_facts facts;
    char text[REPLAY_TEXT_MAX];
    replay_topology_facts(topology, &facts);
    printf("%s: %u ranks\n", replay_topology_text(topology, text), topology->ranks);
    printf("  diameter      %llu\n  degree        %llu\n  links         %llu\n  connectivity  "
           "%llu\n  bisection     %llu\n",
           (unsigned long long)facts.diameter, (unsigned long long)facts.degree,
           (unsigned long long)facts.links, (unsigned long long)facts.connectivity,
           (unsigned long long)facts.bisection);
    return CLI_CLEAN;
}

/* Reads a whole number, which may be written as 1e6. */
static int cmd_model_whole(const char *text, const char **end, int64_t *out)
{
    char *stop;
    double value = strtod(text, &stop);
    if (stop == text || (*text != '+' && (*text < '0' || *text > '9')) || !(value >= 0) ||
        value > 1099511627776.0 || value != floor(value))
        return 0;
    *end = stop;
    *out = (int64_t)value;
    return 1;
}

static int read_words(const struct options *o, struct model_ask *ask)
{
    const char *dots = strstr(o->value, ".."), *end;
    char low[64];
    if (!dots) {
        if (!cmd_model_whole(o->value, &end, &ask->words_low) || *end)
            return options_wrong(
                o, "--words=%s is not a whole number from 0 to 2^40, nor a range such as 1..1e6",
                o->value);
        ask->words_high = ask->words_low;
    } else {
        snprintf(low, sizeof low, "%.*s", (int)(dots - o->value), o->value);
        if (!cmd_model_whole(low, &end, &ask->words_low) || *end ||
            !cmd_model_whole(dots + 2, &end, &ask->words_high) || *end)
            return options_wrong(
                o, "--words=%s is not a range such as 1..1e6, whole numbers from 0 to 2^40",
                o->value);
        if (ask->words_low > ask->words_high)
            return options_wrong(o, "--words=%s: the range is empty; write the smaller size first",
                                 o->value);
    }
    ask->words_given = 1;
    return 0;
}

static int read_seconds(const struct options *o, const char *name, double *out)
{
    char *end;
    double value = strtod(o->value, &end);
    if (end == o->value || *end || isnan(value))
        return options_wrong(o, "--%s=%s is not a number of seconds", name, o->value);
    if (value < 0)
        return options_wrong(o, "--%s=%s: a cost below 0 is impossible; the nearest is 0", name,
                             o->value);
    if (value > 50000)
        return options_wrong(o, "--%s=%s: at most 50000 seconds", name, o->value);
    *out = value;
    return 0;
}

static int read_word(const struct options *o, struct model_ask *ask)
{
    const char *end;
    if (!cmd_model_whole(o->value, &end, &ask->word_bytes) || *end || ask->word_bytes > 1 << 20)
        return options_wrong(o, "--word=%s is not a number of bytes from 1 to 2^20", o->value);
    if (ask->word_bytes == 0)
        return options_wrong(o, "--word=0: a word of 0 bytes is impossible; the nearest is 1");
    return 0;
}

static int read_choice(const struct options *o, const struct cmd_model_choice *choice, int *out)
{
    int i = 0;
    while (choice->name[i] && strcmp(choice->name[i], o->value) != 0)
        i++;
    if (!choice->name[i])
        return options_wrong(o, "unknown %s '%s'; known are %s", choice->what, o->value,
                             choice->known);
    *out = i;
    return 0;
}

static int read_integer(const struct options *o, int64_t least, int64_t most, int64_t *out)
{
    return options_integer(o, least, most, out) == CORE_OK ? 0 : CLI_USAGE;
}

static int read_option(const struct options *o, int which, struct model_ask *ask)
{
    int chosen = 0, wrong;

    switch (which) {
    case OPTION_COLLECTIVE:
        ask->collective = o->value;
        return 0;
    case OPTION_RANKS:
        ask->ranks_given = 1;
        return read_integer(o, 1, REPLAY_RANKS_MAX, &ask->ranks);
    case OPTION_WORDS:
        return read_words(o, ask);
    case OPTION_ALPHA:
        return read_seconds(o, "alpha", &ask->alpha);
    case OPTION_BETA:
        return read_seconds(o, "beta", &ask->beta);
    case OPTION_TAU:
        return read_seconds(o, "tau", &ask->tau);
    case OPTION_WORD:
        return read_word(o, ask);
    case OPTION_TOPOLOGY:
        ask->topology_text = o->value;
        return 0;
    case OPTION_PORT:
        wrong = read_choice(o, &choice_port, &chosen);
        ask->port = (enum replay_port)chosen;
        return wrong;
    case OPTION_ROUTING:
        wrong = read_choice(o, &choice_routing, &chosen);
        ask->routing = (enum replay_routing)chosen;
        return wrong;
    case OPTION_HALF:
        ask->half_duplex = 1;
        return 0;
    case OPTION_ROOT:
        return read_integer(o, 0, REPLAY_RANKS_MAX - 1, &ask->root);
    case OPTION_PARAMETER:
        return read_integer(o, 0, REPLAY_RANKS_MAX, &ask->parameter);
    case OPTION_BACK:
        ask->back = 1;
        return 0;
    case OPTION_PLOT:
        ask->plot = o->value;
        return 0;
    case OPTION_PROPERTIES:
        ask->properties = 1;
        return 0;
    case OPTION_JOB:
        ask->job = o->value;
        return 0;
    case OPTION_EAGER:
        return read_integer(o, 0, INT64_MAX, &ask->eager);
    case OPTION_INSIDE:
        ask->inside = 1;
        return 0;
    case OPTION_RUN:
        ask->run = o->value;
        return 0;
    case OPTION_EXPLAIN:
        ask->explain = o->value;
        return 0;
    case OPTION_FORMAT:
        ask->format = o->value;
        return read_choice(o, &choice_format, &chosen);
    case OPTION_OUTPUT:
        ask->output = o->value;
        return 0;
    default:
        ask->measure = o->value;
        return 0;
    }
}

static int exit_of(enum core_status status)
{
    switch (status) {
    case CORE_OK:
        return CLI_CLEAN;
    case CORE_BAD_INPUT:
    case CORE_LIMIT:
    case CORE_UNSUPPORTED:
        return CLI_USAGE;
    default:
        return CLI_TROUBLE;
    }
}

static int rank_rows(const struct options *o, const struct model_ask *ask)
{
    static struct model_ranking ranking; /* large */
    if (ask->port == REPLAY_PORT_BSP)
        return options_wrong(o, "supersteps cost max(alpha, beta h), which is no line to rank: use "
                                "--port=bsp with --run");
    enum core_status status = model_rank(ask, &ranking);
    if (status == CORE_OK && ask->plot)
        status = model_plot(ask, &ranking, ask->plot);
    if (status == CORE_OK)
        model_rank_print(ask, &ranking, stdout);
    return exit_of(status);
}

/* Runs or explains a row (--run, --explain). */
static int row_of(const struct options *o, const struct model_ask *ask)
{
    const char *name = ask->run ? "run" : "explain", *id = ask->run ? ask->run : ask->explain;

    if (ask->run && !ask->ranks)
        return options_wrong(o, "--run=%s needs a number of ranks: add --ranks=P", id);
    if (ask->words_given && ask->words_low != ask->words_high)
        return options_wrong(o, "--%s takes one size, not a range", name);
    if (!model_row_asked(id))
        return CLI_USAGE;
    return exit_of(ask->run ? model_run(ask, stdout) : model_explain(ask));
}

static int cmd_model_dispatch(const struct options *o, struct model_ask *ask)
{
    if (ask->measure)
        return exit_of(model_measure(ask, stdout));
    if (ask->job)
        return exit_of(model_job(ask, stdout));
    if (ask->topology_text) {
        enum core_status status =
            replay_topology_parse(ask->topology_text, (uint32_t)ask->ranks, &ask->topology);
        if (status != CORE_OK)
            return CLI_USAGE;
        ask->has_topology = 1;
        ask->ranks = ask->topology.ranks;
    }
    if (ask->properties)
        return ask->has_topology
                   ? print_properties(&ask->topology)
                   : options_wrong(o, "--properties needs a network: add --topology=NET");
    if (ask->run || ask->explain)
        return row_of(o, ask);
    if (ask->format || ask->output)
        return options_wrong(o, "--format and --output need --explain=ROW");
    if (ask->collective && !collective_is_known(ask->collective))
        return CLI_USAGE;
    if (!ask->ranks && (ask->plot || ask->words_given))
        return options_wrong(o, "the costs need a number of ranks: add --ranks=P");
    if (!ask->ranks)
        return list_rows(ask->collective);
    if (!ask->collective)
        return options_wrong(o, "the costs need a collective: add --collective=NAME");
    return rank_rows(o, ask);
}

int cmd_model(int argc, char **argv)
{
    struct model_ask ask = {.words_low = 1,
                            .words_high = 1000000,
                            .alpha = 1e-6,
                            .beta = 1e-9,
                            .tau = 1e-12,
                            .word_bytes = 8,
                            .eager = -1};
    struct options o;
    int which, wrong;

    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0)
        if ((wrong = read_option(&o, which, &ask)) != 0)
            return wrong;
    if (which != OPTIONS_END)
        return options_exit(which);
    if (o.operand_count || o.rest_count)
        return options_wrong(&o, "unexpected operand '%s'",
                             o.operand_count ? o.operand[0] : o.rest[0]);
    return cmd_model_dispatch(&o, &ask);
}
