/* Runs scenarios on the in-process MPI and adds the checks that need a view of all ranks:
 * agreement, barriers left early, wildcard receives, claimed costs. See harness.h.
 *
 * State: `now` is about the one running world; all ranks share it, as they share this code. */
#include "fuzz/harness.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "fuzz/cost.h"
#include "fuzz/memory.h"
#include "fuzz/srcline.h"
#include "fuzz/decisions.h"
#include "fuzz/scenario/execute.h"

bool harness_noting;
struct harness_wrong harness_wrong;
const struct harness_watch *harness_watch;

/* STEPS_HUGE: gigabytes in segments of some KiB are as many messages, and later ones repeat the
 * first ones. */
enum { GROUPS = 2, MARGIN = 64, STEPS_MAX = 5000000, STEPS_HUGE = 40000 };

static struct {
    struct execute_plan plan;
    int entered[SCENARIO_CALLS_MAX][GROUPS];
    bool left_early[SCENARIO_CALLS_MAX][GROUPS]; /* before all ranks of the group had entered */
    uint64_t result[SCENARIO_CALLS_MAX][GROUPS];
    int result_rank[SCENARIO_CALLS_MAX][GROUPS];
} now;

extern int __asan_region_is_poisoned(void *begin, size_t size) __attribute__((weak));

/* --- the ranks' environment ------------------------------------------------------------------- */

static void harness_report(enum world_rule rule, const char *format, ...)
{
    char text[WORLD_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    world_note(rule, "%s", text);
}

static void harness_entered(int call, int group)
{
    now.entered[call][group]++;
    if (now.left_early[call][group])
        decisions_late(world_rank(), call);
}

static int harness_missing(int call, int group, int size)
{
    int ranks = size - now.entered[call][group];
    now.left_early[call][group] |= ranks > 0;
    return ranks;
}

static void harness_result(int call, int group, int rank, uint64_t checksum)
{
    if (now.result_rank[call][group] < 0) {
        now.result_rank[call][group] = rank;
        now.result[call][group] = checksum;
    } else if (now.result[call][group] != checksum) {
        world_note(WORLD_RULE_DISAGREEMENT, "ranks %d and %d have results that differ in some bits",
                   now.result_rank[call][group], rank);
    }
}

static void note_wrong(int call, ptrdiff_t at, size_t bytes)
{
    if (harness_wrong.bytes)
        return;
    if (harness_watch)
        harness_watch->judged();
    harness_wrong = (struct harness_wrong){world_rank(), call, at, bytes};
}

static void note_filled(int call, const char *data)
{
    if (harness_watch)
        harness_watch->filled(world_rank(), call, data);
}

static void harness_calling(int inside)
{
    world_must_return(inside == 2);
}

static int run_rank(int rank, void *context)
{
    const struct execute_environment *environment = context;
    (void)rank;
    return execute_rank(&now.plan, environment);
}

/* Records, for real ranks, what the library was free to decide in this event. */
static void harness_note(void *context, const struct world_event *event)
{
    (void)context;
    if (event->context % 2) /* of a collective in the library */
        return;
    if (event->kind == WORLD_EVENT_MATCH)
        decisions_matched(event->rank, event->request, event->peer);
    if (event->kind == WORLD_EVENT_RECV && event->peer < 0 && !event->persistent)
        decisions_posted(event->rank, event->request);
    if (event->kind != WORLD_EVENT_SEND)
        return;
    if (event->persistent)
        decisions_started(event->rank, event->flag);
    else if (event->standard)
        decisions_sent(event->rank, event->flag);
}

static void harness_show_rma(FILE *out, const struct world_event *event, const char *place)
{
    const bool moves = event->bytes > 0, of_one = event->peer >= 0;
    fprintf(out, "  rank %-2d %-22s ", event->rank, event->call);
    if (moves)
        fprintf(out, "%llu bytes%s", (unsigned long long)event->bytes, of_one ? ", " : "");
    if (of_one)
        fprintf(out, "target rank %d", event->peer);
    fprintf(out, "%s%s%s\n", *place && (moves || of_one) ? ", " : "", *place ? "at " : "", place);
}

static void harness_show(void *context, const struct world_event *event)
{
    FILE *out = context;
    const char *call = event->call ? event->call : "";
    char tag[24], peer[24], place[SRCLINE_BYTES] = "";
    if (event->kind != WORLD_EVENT_MATCH && event->kind != WORLD_EVENT_WAIT)
        srcline_get(place);
    const char *at = *place ? ", at " : "";
    snprintf(tag, sizeof tag, event->tag < 0 ? "any tag" : "tag %d", event->tag);
    snprintf(peer, sizeof peer, event->peer < 0 ? "any rank" : "rank %d", event->peer);
    switch (event->kind) {
    case WORLD_EVENT_SEND:
        fprintf(out, "  rank %-2d %-22s %llu bytes to %s, %s%s%s%s\n", event->rank, call,
                (unsigned long long)event->bytes, peer, tag, event->flag ? " (buffered)" : "", at,
                place);
        break;
    case WORLD_EVENT_RECV:
        fprintf(out, "  rank %-2d %-22s up to %llu bytes from %s, %s%s%s\n", event->rank, call,
                (unsigned long long)event->bytes, peer, tag, at, place);
        break;
    case WORLD_EVENT_MATCH:
        fprintf(out, "  rank %-2d %-22s gets %llu bytes from %s, %s\n", event->rank, "",
                (unsigned long long)event->bytes, peer, tag);
        break;
    case WORLD_EVENT_BLOCK:
        fprintf(out, "  rank %-2d %-22s waits: %s %s, %s%s%s\n", event->rank, call,
                event->flag ? "its message to" : "for a message of", peer, tag, at, place);
        break;
    case WORLD_EVENT_CALL:
        fprintf(out, *place ? "  rank %-2d %-22s at %s\n" : "  rank %-2d %s%s\n", event->rank, call,
                place);
        break;
    case WORLD_EVENT_RMA:
        harness_show_rma(out, event, place);
        break;
    case WORLD_EVENT_FREED:
        fprintf(out, "  rank %-2d %-22s while %s is under way: %llu bytes %s %s, %s%s%s\n",
                event->rank, call, event->flag ? "its message" : "what it receives",
                (unsigned long long)event->bytes, event->flag ? "to" : "from", peer, tag, at,
                place);
        break;
    case WORLD_EVENT_WAIT:
    case WORLD_EVENT_PROBE:
    case WORLD_EVENT_DETACH:
    case WORLD_EVENT_GIVE:
    case WORLD_EVENT_NEED:
        break;
    }
}

/* --- targets ---------------------------------------------------------------------------------- */

enum { TARGETS_MAX = 512 };
static const struct collective *target[TARGETS_MAX];
static int target_count = -1;

/* Refuses a row that the model lacks, as it would never be checked. */
static void row_known(const struct collective *c)
{
    const struct model_row *row = model_row_find(c->row);
    const char *kind = collective_kind_name(c->kind);
    if (*c->row && !row) {
        fprintf(stderr,
                "crosswait: '%s' claims the row '%s', which the model does not have ('crosswait "
                "model' lists"
                " them; \"\" claims none)\n",
                c->name, c->row);
        exit(2);
    }
    if (c->communicators == COLLECTIVE_INTER && (*c->row || c->rounds_most || c->elements_most)) {
        fprintf(stderr,
                "crosswait: '%s' is for intercommunicators, and claims a cost: rows and bounds are "
                "for one group of ranks\n",
                c->name);
        exit(2);
    }
    if (row && strncmp(row->collective, kind, strlen(row->collective))) {
        fprintf(stderr, "crosswait: '%s' is a %s and claims the row '%s' of another collective\n",
                c->name, kind, c->row);
        exit(2);
    }
}

/* Refuses kinds that intercommunicators do not have. */
static void groups_known(const struct collective *c)
{
    if (c->communicators == COLLECTIVE_INTRA || collective_between_groups(c->kind))
        return;
    fprintf(stderr, "crosswait: '%s' is a %s, which intercommunicators do not have; they have",
            c->name, collective_kind_name(c->kind));
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++)
        if (collective_between_groups(kind))
            fprintf(stderr, " %s", collective_kind_name(kind));
    fprintf(stderr, "\n");
    exit(2);
}

static bool asked_for(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || at[-1] == ',') && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

int harness_target_count(void)
{
    if (target_count >= 0)
        return target_count;
    const char *names = getenv("CROSSWAIT_FUZZ_TARGET");
    char message[256];
    bool groups = false;
    target_count = 0;
    for (const struct collective *c = collective_first(); c; c = collective_next(c))
        if ((!names || !*names || asked_for(names, c->name)) && target_count < TARGETS_MAX) {
            row_known(c);
            groups_known(c);
            target[target_count++] = c;
            groups |= c->communicators != COLLECTIVE_INTRA;
        }
    if (!groups) /* no collective uses them */
        scenario_narrow("without=first-group", message);
    if (target_count == 0) {
        fprintf(stderr,
                names && *names
                    ? "crosswait: no collective '%s' is registered here\n"
                    : "crosswait: the file registers no collective: end it with a line like"
                      " COLLECTIVE(bcast, \"\", my_bcast)\n",
                names);
        exit(2);
    }
    return target_count;
}

const struct collective *harness_target(unsigned index)
{
    return target[index % (unsigned)harness_target_count()];
}

const struct collective *harness_target_find(const char *name, unsigned *out_index)
{
    for (int i = 0; i < harness_target_count(); i++)
        if (!strcmp(target[i]->name, name)) {
            *out_index = (unsigned)i;
            return target[i];
        }
    return NULL;
}

/* --- memory ----------------------------------------------------------------------------------- */

const char harness_leaked[] =
    "leaked-memory: what a library allocates for the collective is never freed";

static bool given_up, leaks_known;

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return given_up || leaks_known;
}

bool harness_leaks(void)
{
    bool leaks =
        __lsan_do_recoverable_leak_check && !given_up && __lsan_do_recoverable_leak_check();
    leaks_known = true; /* not again at exit */
    return leaks;
}

/* --- a run ------------------------------------------------------------------------------------ */

static void harness_find(struct world_outcome *out, enum world_rule rule, int rank,
                         const char *format, ...)
{
    if (out->finding_count == WORLD_FINDINGS_MAX)
        return;
    struct world_finding *finding = &out->finding[out->finding_count++];
    va_list arguments;
    finding->rule = rule;
    finding->rank = rank;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

/* Returns the collective that alternates with this one, and sets that in *scenario; NULL if none.
 */
const struct collective *harness_other(const struct collective *collective,
                                       struct scenario *scenario, struct scenario *out)
{
    const struct collective *other =
        scenario->other ? harness_target(scenario->other - 1) : collective;
    if (scenario->calls > 1 && other != collective && execute_adapt_other(other, scenario, out))
        return other;
    scenario->other = 0;
    return NULL;
}

static void plan_make(const struct collective *collective, struct scenario *scenario)
{
    static struct scenario beside;
    const struct collective *other = harness_other(collective, scenario, &beside);
    now.plan = (struct execute_plan){{collective, other}, {scenario, &beside}};
}

/* Tells whether a finding is an expected refusal. For gigabytes only wrong results and overruns
 * count: MPI_Pack may refuse a size that an int cannot count, and so may a collective on some ranks
 * only, and the world lacks the memory. It also lacks memory for windows on elements far apart. */
static bool harness_refused(const struct scenario *scenario, const struct world_outcome *out)
{
    enum world_rule rule = out->finding_count ? out->finding[0].rule : WORLD_RULE_NONE;
    if (scenario_type_huge(scenario->type))
        return rule != WORLD_RULE_WRONG_RESULT && rule != WORLD_RULE_OVERRUN;
    return scenario_type_large(scenario->type) && rule == WORLD_RULE_LIMIT;
}

/* Returns the number of ranks in the smallest group that communicates. */
static int smallest_group(const struct scenario *scenario)
{
    int first = scenario->first_group, others = scenario->ranks - first;
    if (scenario->also == ALSO_HALVES)
        return scenario->ranks / 2;
    return first > 0 && first < others ? first : others;
}

static void find_lost(struct world_outcome *out, FILE *places)
{
    char text[WORLD_TEXT_MAX];
    int rank;
    if (!memory_lost(&rank, text))
        return;
    harness_find(out, WORLD_RULE_LEAKED_MEMORY, rank, "%s", text);
    if (places)
        memory_lost_places(places);
}

bool harness_run_as(const struct collective *collective, struct scenario *scenario,
                    const struct harness_schedule *schedule, struct world_outcome *out)
{
    static const struct shape_memory memory = {world_take, world_give};
    static struct execute_environment environment = {.report = harness_report,
                                                     .pause = world_pause,
                                                     .entered = harness_entered,
                                                     .missing = harness_missing,
                                                     .result = harness_result,
                                                     .calling = harness_calling,
                                                     .filled = note_filled,
                                                     .wrong = note_wrong,
                                                     .memory = &memory};
    if (!execute_adapt(collective, scenario))
        return false;
    plan_make(collective, scenario);
    environment.margin = __asan_region_is_poisoned ? 0 : MARGIN;
    memset(now.entered, 0, sizeof now.entered);
    memset(now.left_early, 0, sizeof now.left_early);
    memset(now.result_rank, -1, sizeof now.result_rank);
    harness_wrong.bytes = 0;
    struct world_options options = {
        .rank_count = execute_world_size(scenario),
        .run = run_rank,
        .context = &environment,
        .policy = *schedule->policy,
        .choice = *schedule->choice,
        .late = scenario->late,
        .initialized = true,
        .warn_types = true,
        .waiting = scenario->waiting,
        .layouts = true,
        .step_count_max = scenario_type_huge(scenario->type) ? STEPS_HUGE : STEPS_MAX,
        .tag_ub = scenario->low_tags ? SCENARIO_TAG_LOW : 0,
        .event = schedule->event,
        .event_context = schedule->event_context,
        .pattern = harness_by_pattern ? harness_pattern : NULL,
        .pattern_count = HARNESS_PATTERNS,
        .returned = memory_world_returned,
    };
    memory_world_starts();
    if (world_run(&options, out) != CORE_OK)
        exit(3);
    given_up |= !out->finished;
    if (harness_refused(scenario, out))
        out->finding_count = 0;
    find_lost(out, schedule->places);
    if (out->wildcard_rank >= 0 && smallest_group(scenario) > 2) /* a group of two has one other */
        harness_find(
            out, WORLD_RULE_WILDCARD, out->wildcard_rank,
            "rank %d receives from any source, and always gets rank %d's message, where"
            " other ranks name their sources: any other message with that tag could be taken for "
            "its own",
            out->wildcard_rank, out->wildcard_source);
    if (!out->finding_count && scenario->waiting != WORLD_WAITS_FOR_DATA)
        cost_check(collective, scenario, &options, out);
    return true;
}

void harness_portability(const struct collective *collective, const struct world_outcome *outcome,
                         char text[256])
{
    text[0] = 0;
    if (outcome->tag_high)
        snprintf(text, 256,
                 "note: %s uses tag %d: MPI promises tags up to %d, and MPI_TAG_UB says how many"
                 " more there are",
                 collective->name, outcome->tag_high, WORLD_TAG_PROMISED);
}

bool harness_run_events(const struct collective *collective, struct scenario *scenario,
                        world_event_fn event, FILE *out_events, struct world_outcome *out)
{
    if (!execute_adapt(collective, scenario))
        return false;
    const struct replay_policy policy = scenario_policy(scenario, execute_world_size(scenario));
    struct replay_choice choice;
    struct harness_schedule schedule = {&policy, &choice, event, out_events, out_events};
    replay_choice_bytes(&choice, scenario->choices,
                        scenario->explored ? 0 : scenario->choice_count);
    return harness_run_as(collective, scenario, &schedule, out);
}

bool harness_run(const struct collective *collective, struct scenario *scenario, FILE *timeline,
                 struct world_outcome *out)
{
    world_event_fn event = timeline ? harness_show : harness_noting ? harness_note : NULL;
    return harness_run_events(collective, scenario, event, timeline, out);
}
