/* Reads and explains a scenario. See harness.h. */
#include "fuzz/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/decisions.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/trial.h"
#include "core/output.h"

void harness_print(const struct collective *collective, const struct scenario *scenario, char *text,
                   size_t room)
{
    const struct collective *other = scenario->other ? harness_target(scenario->other - 1) : NULL;
    scenario_print(scenario, collective->name, other ? other->name : NULL, text, room);
}

bool harness_parse(const char *text, struct scenario *out, char out_name[128], char message[256])
{
    char other[128];
    unsigned index;
    if (scenario_parse(text, out, out_name, other, message))
        return false;
    if (*other && !harness_target_find(other, &index)) {
        snprintf(message, 256, "no collective '%s' is registered here", other);
        return false;
    }
    if (*other)
        out->other = index + 1;
    return true;
}

const struct collective *harness_read(const char *path, struct scenario *out)
{
    static uint8_t bytes[SCENARIO_TEXT_MAX + 1];
    char name[128], message[256];
    unsigned index;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "crosswait: cannot open '%s': %s\n", path, strerror(errno));
        return NULL;
    }
    size_t count = fread(bytes, 1, sizeof bytes - 1, file);
    bool failed = ferror(file);
    fclose(file);
    bytes[count] = 0;
    if (failed) {
        fprintf(stderr, "crosswait: cannot read '%s': %s\n", path, strerror(errno));
        return NULL;
    }
    if (!scenario_is_text(bytes, count)) {
        scenario_decode(bytes, count, out);
        return harness_target(out->target);
    }
    if (!harness_parse((const char *)bytes, out, name, message)) {
        fprintf(stderr, "crosswait: '%s': %s\n", path, message);
        return NULL;
    }
    if (!*name)
        return harness_target(0);
    const struct collective *found = harness_target_find(name, &index);
    if (!found) {
        fprintf(stderr, "crosswait: '%s': no collective '%s' is registered here\n", path, name);
        return NULL;
    }
    out->target = index;
    return found;
}

void harness_pattern_words(const struct collective *collective, const struct scenario *s,
                           char text[256])
{
    const bool reduces = collective_reduces(collective->kind);
    const struct {
        const char *word;
        bool has;
    } words[] = {
        {"root", s->root != 0},
        {"root-step", s->root_step && s->calls > 1},
        {"root-bend", s->root_bend && s->calls > 2},
        {"empty", s->count == 0 && collective->kind != collective_kind_barrier},
        {"in-place", s->in_place},
        {"sizes", s->sizes != SIZES_EVEN},
        {"places", s->places != PLACES_PACKED},
        {"type", !reduces && s->type != TYPE_INT && s->type == s->type_send},
        {"types", s->type != s->type_send},
        {"op-type", reduces && s->type != TYPE_INT},
        {"order", reduces && !scenario_op_commutes(s->op)},
        {"communicator", s->comm != COMM_WORLD},
        {"groups", s->first_group > 0},
        {"calls", s->calls > 1},
        {"growth", s->growth != GROWTH_NONE},
        {"also", s->also != ALSO_NONE},
        {"other", s->other != 0},
        {"traffic", s->traffic},
        {"flight", s->flight > 1},
        {"timing",
         s->slow >= 0 || s->arrive || s->shuffle || s->late || s->delays != REPLAY_DELAY_NONE},
    };
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].has)
            used +=
                (size_t)snprintf(text + used, 256 - used, "%s%s", used ? "+" : "", words[i].word);
}

/* --- what else fails, and what does not ------------------------------------------------------- */

enum { CHANGE_MS = 500, CHANGE_TRIALS = 300, CHANGES_SHOWN = 5 };

/* Values to replace the scenario's own, in the order in which people would try them. */
static const struct change {
    const char *key;
    int value;
    bool more; /* the value is added to the present one */
} change[] = {
    {"ranks", -1, true},
    {"ranks", 1, true},
    {"root", 0, false},
    {"root", 1, false},
    {"count", 1, true},
    {"count", -1, true},
    {"type", TYPE_INT, false},
    {"in-place", 0, false},
    {"in-place", 1, false},
    {"communicator", COMM_WORLD, false},
    {"calls", -1, true},
    {"sizes", SIZES_EVEN, false},
    {"places", PLACES_PACKED, false},
    {"traffic", 0, false},
    {"low-tags", 0, false},
    {"late", 0, false},
    {"slow", -1, false},
    {"arrive", 0, false},
};

static bool is_meaningful(const struct collective *c, const struct scenario *s,
                          const struct change *of, int value)
{
    const bool counted = c->kind != collective_kind_barrier;
    if (!strcmp(of->key, "ranks"))
        return value >= 1 && value <= SCENARIO_RANKS_MAX && collective_domain_holds(c, value);
    if (!strcmp(of->key, "root"))
        return execute_is_rooted(c->kind) && value < s->ranks;
    if (!strcmp(of->key, "calls"))
        return value >= 1;
    return strcmp(of->key, "count") ? true : counted && value >= 0;
}

/* Lists the changes of one field that make the scenario pass: "ranks 5 fails, 4 passes; root 1
 * fails, 0 passes"; empty if none was found. *out_nonempty: a count above 0 fails as well. */
static void explain_changes(const struct collective *collective, const struct scenario *given,
                            char *text, size_t room, bool *out_nonempty)
{
    char was[32], is[32];
    const char *last = "";
    uint64_t messages;
    int shown = 0;
    size_t used = 0;
    text[0] = 0;
    *out_nonempty = false;
    trial_ms = CHANGE_MS;
    if (trial_run(collective, given, false, &messages) == WORLD_RULE_NONE)
        return;
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        const struct change *of = &change[i];
        struct scenario other = *given;
        int before = scenario_get(given, of->key), now = of->more ? before + of->value : of->value;
        if (before == now || !strcmp(of->key, last) || trials > CHANGE_TRIALS ||
            shown == CHANGES_SHOWN || !is_meaningful(collective, given, of, now))
            continue;
        scenario_set(&other, of->key, now);
        if (!strcmp(of->key, "type"))
            other.type_send = other.type;
        if (!execute_adapt(collective, &other) || scenario_get(&other, of->key) != now)
            continue;
        bool passes = trial_run(collective, &other, false, &messages) == WORLD_RULE_NONE;
        *out_nonempty |= !passes && !strcmp(of->key, "count") && now > 0;
        if (passes && used < room) {
            scenario_word(given, of->key, was);
            scenario_word(&other, of->key, is);
            used += (size_t)snprintf(text + used, room - used, "%s%s %s fails, %s passes",
                                     used ? "; " : "", of->key, was, is);
            last = of->key;
            shown++;
        }
    }
}

static const char *explain_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

int harness_explain(const struct collective *collective, const struct scenario *given, bool changed)
{
    static struct world_outcome outcome;
    static char text[SCENARIO_TEXT_MAX];
    struct scenario scenario = *given;
    char changes[512] = "";
    bool nonempty = false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!execute_adapt(collective, &scenario)) {
        printf("%s is not defined for any number of ranks of this scenario\n", collective->name);
        return 0;
    }
    static struct scenario beside;
    harness_other(collective, &scenario, &beside);
    execute_describe(collective, &scenario, text, sizeof text);
    printf("%s\n\n", text);
    harness_print(collective, &scenario, text, sizeof text);
    printf("%s\n", text);
    if (changed)
        explain_changes(collective, &scenario, changes, sizeof changes, &nonempty);
    struct scenario needed = scenario;
    needed.count += needed.count == 0 && nonempty;
    harness_pattern_words(collective, &needed, text);
    if (changes[0])
        printf("changes: %s\n", changes);
    if (text[0])
        printf("pattern: %s\n", text);
    printf("timeline, ranks of MPI_COMM_WORLD:\n");
    harness_run(collective, &scenario, stdout, &outcome);
    printf(
        "\n%llu message%s, %llu byte%s; about %llu round%s, %llu byte%s along the longest chain of "
        "messages\n",
        (unsigned long long)outcome.message_count, explain_plural(outcome.message_count),
        (unsigned long long)outcome.byte_count, explain_plural(outcome.byte_count),
        (unsigned long long)outcome.round_count, explain_plural(outcome.round_count),
        (unsigned long long)outcome.word_bytes, explain_plural(outcome.word_bytes));
    harness_portability(collective, &outcome, text);
    if (text[0])
        printf("%s\n", text);
    for (int i = 0; i < outcome.finding_count; i++)
        printf("finding: %s: %s\n", world_rule_row(outcome.finding[i].rule)->id,
               outcome.finding[i].text);
    if (outcome.finding_count && outcome.finding[0].rule == WORLD_RULE_WRONG_RESULT)
        stored_find(collective, &scenario, text);
    else
        text[0] = 0;
    if (text[0])
        printf("stored: %s\n", text);
    bool leaks = harness_leaks();
    if (leaks)
        printf("finding: %s\n", harness_leaked);
    if (!outcome.finding_count && !leaks)
        printf("no finding\n");
    return outcome.finding_count + leaks;
}

/* --- what real ranks are to do as well -------------------------------------------------------- */

static const char *decisions_path;

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void decisions_write(void)
{
    FILE *file = core_output_open(decisions_path);
    if (file)
        decisions_print(file);
    if (!file || fclose(file)) {
        fprintf(stderr, "crosswait: cannot write '%s': %s\n", decisions_path, strerror(errno));
        exit(3);
    }
}

int harness_decide(const struct collective *collective, const struct scenario *given,
                   const char *path)
{
    static struct world_outcome outcome;
    struct scenario scenario = *given;
    decisions_path = path;
    if (!execute_adapt(collective, &scenario))
        return 0;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(decisions_write);
    decisions_note(execute_world_size(&scenario), world_rank);
    harness_noting = true;
    harness_run(collective, &scenario, NULL, &outcome);
    harness_noting = false;
    decisions_write();
    return 0;
}
