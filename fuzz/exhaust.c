/* Runs every small world: of each collective all scenarios of the set that exhaust_set.h defines,
 * and of each scenario every schedule that MPI allows (explore/search.h), with and without buffers.
 * Prints the set as a formula, so that "verified" claims no more than was run.
 *
 * A child runs the scenarios one after the other, and records its position in shared memory; if a
 * scenario kills it, the next child continues after that scenario.
 *
 * Invariants
 *  1. A scenario is counted once, by whichever child ran it to its end or died of it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/table.h"
#include "explore/search.h"
#include "fuzz/certificate.h"
#include "fuzz/exhaust_set.h"
#include "fuzz/harness.h"
#include "fuzz/time_limit.h"
#include "fuzz/undecided.h"
#include "fuzz/scenario/execute.h"

enum {
    SCHEDULES_MAX = 100000, /* of one scenario */
    WORLD_SECONDS = 2,
    DEATHS_MAX = 8
};

/* Memory shared by parent and child. */
struct progress {
    uint64_t at; /* scenarios done, of all targets */
    uint64_t scenarios, worlds, behaviours, schedules_most, open, findings;
    uint64_t certificate;
    bool over;   /* the time is over */
    bool died;   /* too many children died */
    bool again;  /* polls were repeated */
    int tag;     /* one that MPI does not promise; 0: none */
    bool blind;  /* unordered loads and stores of ranks in windows may race */
    bool inside; /* `scenario` is running */
    bool ended;  /* the child ran to its end */
    struct exhaust_taken taken[EXHAUST_PRODUCTS];
    struct scenario scenario;
};

struct schedule {
    uint64_t number;
};

struct exhaust {
    const struct collective *collective;
    struct progress *shared;
    const char *folder;
    double ends_s;
    int ranks_max;
    uint64_t seen; /* scenarios that this child has reached */
    struct scenario scenario;
    struct world_outcome outcome;
    struct world_event *event;
    uint32_t event_count, event_room;
    struct core_table schedule; /* numbers of the scenario's schedules with all sends buffered */
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- one world -------------------------------------------------------------------------------- */

static void on_event(void *context, const struct world_event *event)
{
    struct exhaust *e = context;
    if (CORE_ARRAY_PUSH(e->event, e->event_count, e->event_room, "events", *event) != CORE_OK)
        exit(3);
}

/* Returns a key that is equal for worlds with the same findings. */
static uint64_t key_of(const struct world_outcome *outcome)
{
    uint64_t key = 0;
    for (int i = 0; i < outcome->finding_count; i++) {
        uint64_t one = 1;
        for (const char *at = outcome->finding[i].text; *at; at++)
            one = core_random_mix(one ^ (uint8_t)*at);
        key += one;
    }
    return key;
}

static void note_schedule(struct exhaust *e, const struct world_decisions *decisions)
{
    const uint64_t number = certificate_schedule(decisions);
    struct schedule *entry;
    if (core_table_put(&e->schedule, &number, "schedules", &entry) != CORE_OK)
        exit(3);
}

static enum core_status exhaust_run(void *context, const struct replay_policy *policy,
                                    const struct replay_choice *choice,
                                    const struct world_outcome **out_outcome, uint64_t *out_key,
                                    struct explore_events *out_events)
{
    struct exhaust *e = context;
    struct scenario *now = &e->shared->scenario;
    const struct itimerval limit = {.it_value.tv_sec = time_limit_seconds(WORLD_SECONDS)};
    const struct harness_schedule schedule = {policy, choice, on_event, e, NULL};
    *now = e->scenario;
    scenario_take_answers(now, policy);
    e->event_count = 0;
    setitimer(ITIMER_PROF, &limit, NULL);
    e->shared->inside = true;
    harness_run_as(e->collective, &e->scenario, &schedule, &e->outcome);
    e->shared->inside = false;
    e->shared->again |= e->outcome.decisions->asked_again;
    e->shared->tag = e->outcome.tag_high > e->shared->tag ? e->outcome.tag_high : e->shared->tag;
    if (policy->buffering == REPLAY_EAGER && !e->outcome.decisions->cut)
        note_schedule(e, e->outcome.decisions);
    *out_outcome = &e->outcome;
    *out_key = key_of(&e->outcome);
    *out_events = (struct explore_events){e->event, e->event_count};
    return CORE_OK;
}

/* --- one scenario ----------------------------------------------------------------------------- */

/* Keeps a failing schedule as a scenario of its own. */
static void exhaust_keep(struct exhaust *e, struct explore_search *search,
                         const struct explore_class *found)
{
    struct scenario scenario = e->scenario;
    struct explore_list list;
    struct explore_sends sends;
    struct replay_policy policy;
    if (explore_shrink(search, found, &list, &sends) != CORE_OK ||
        explore_policy(&list, &sends, &policy) != CORE_OK)
        exit(3);
    if (!scenario_take_answers(&scenario, &policy))
        fprintf(stderr, "crosswait: the schedule of a finding does not fit into a scenario\n");
    const struct replay_choice none = {0};
    const struct world_outcome *outcome;
    struct explore_events events;
    uint64_t key;
    exhaust_run(e, &policy, &none, &outcome, &key, &events);
    replay_policy_done(&policy);
    explore_list_done(&list);
    explore_sends_done(&sends);
    if (outcome->finding_count)
        harness_keep(e->folder, WORLD_RULE_CRASH, e->collective, &scenario, &outcome->finding[0]);
}

static void look_at(struct exhaust *e)
{
    const struct explore_options options = {.worlds_max = SCHEDULES_MAX};
    struct explore_search search;
    struct progress *p = e->shared;
    bool failed = false;
    e->schedule = (struct core_table)CORE_TABLE(struct schedule, number);
    if (explore_search(exhaust_run, e, execute_world_size(&e->scenario), &options, &search) !=
        CORE_OK)
        exit(3);
    p->worlds += search.worlds;
    p->behaviours += search.behaviours;
    p->open += !search.complete;
    p->blind |= search.unless != 0;
    if (search.behaviours > p->schedules_most)
        p->schedules_most = search.behaviours;
    for (uint32_t i = 0; i < search.class_count; i++)
        if (search.class[i].key) {
            failed = true;
            exhaust_keep(e, &search, &search.class[i]);
        }
    const uint64_t name = certificate_scenario(e->collective, &e->scenario);
    for (uint32_t i = 0; i < e->schedule.count; i++) {
        const struct schedule *schedule = core_table_at(&e->schedule, i);
        p->certificate += certificate_part(name, schedule->number);
    }
    core_table_done(&e->schedule);
    explore_search_done(&search);
    p->scenarios++;
    p->findings += failed;
}

/* --- all scenarios ---------------------------------------------------------------------------- */

/* Runs the scenarios of a product. False: the time is over. */
static bool look_at_product(struct exhaust *e, int ranks, const struct exhaust_axes *product,
                            int number)
{
    const struct exhaust_axes *axes = &product[number];
    int at[EXHAUST_AXES_MAX] = {0};
    for (bool more = true; more; more = exhaust_set_next(axes, at)) {
        if (!exhaust_set_make(e->collective, ranks, axes, at, &e->scenario) ||
            exhaust_set_has(product, number, &e->scenario) || ++e->seen <= e->shared->at)
            continue;
        if (e->ends_s > 0 && seconds_now() > e->ends_s)
            return false;
        exhaust_set_note(&e->shared->taken[number], ranks, axes, at);
        look_at(e);
        e->shared->at = e->seen; /* invariant 1 */
    }
    return true;
}

static bool look_at_all(struct exhaust *e, int ranks)
{
    struct exhaust_axes product[EXHAUST_PRODUCTS];
    exhaust_set_products(e->collective, ranks, product);
    for (int i = 0; i < EXHAUST_PRODUCTS; i++)
        if (product[i].count && !look_at_product(e, ranks, product, i))
            return false;
    return true;
}

static void exhaust_child(struct exhaust *e)
{
    signal(SIGPROF, SIG_DFL);
    for (int ranks = 1; ranks <= e->ranks_max; ranks++)
        if (collective_domain_holds(e->collective, ranks) && !look_at_all(e, ranks)) {
            e->shared->over = true;
            break;
        }
    fflush(NULL);
    e->shared->ended = true;
    _exit(0);
}

/* Handles a child's death by the scenario that it ran, or by the harness. */
static bool exhaust_died(struct exhaust *e, int status)
{
    struct progress *p = e->shared;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    const struct world_finding finding = {.rule = late ? WORLD_RULE_TIMEOUT : WORLD_RULE_CRASH};
    if (!p->inside)
        return false;
    harness_keep(e->folder, finding.rule, e->collective, &p->scenario, &finding);
    p->inside = false;
    p->at++;
    p->scenarios++;
    p->findings++;
    return true;
}

/* --- the result ------------------------------------------------------------------------------- */

/* Why what was looked at is not all. */
static void say_open(const struct progress *p, const char *undecided)
{
    if (p->died)
        printf("; it ended too many worlds to try all");
    else if (p->over)
        printf("; the time limit was reached before all were tried");
    else if (p->open)
        printf("; some have more schedules than were tried");
    else if (p->blind)
        printf("; loads and stores of ranks in their windows were not tried in every order");
    else if (p->tag && !p->findings)
        printf("; it uses tag %d, and MPI promises tags up to %d", p->tag, WORLD_TAG_PROMISED);
    else if (*undecided && !p->findings)
        printf("; %s", undecided);
    putchar('\n');
}

static bool is_whole(const struct progress *p)
{
    char undecided[UNDECIDED_BYTES];
    return p->scenarios && !p->open && !p->over && !p->blind && !p->tag &&
           !undecided_call(undecided);
}

static void exhaust_say(const struct exhaust *e)
{
    const struct progress *p = e->shared;
    const char *name = e->collective->name;
    const bool narrow = getenv("CROSSWAIT_FUZZ_NARROW");
    const unsigned long long scenarios = p->scenarios, findings = p->findings;
    const bool verified = is_whole(p) && !p->findings;
    char undecided[UNDECIDED_BYTES] = "";
    undecided_call(undecided);
    if (!p->scenarios && !p->over) {
        printf("not verified: %s: no scenario of up to %d rank%s is left\n", name, e->ranks_max,
               e->ranks_max == 1 ? "" : "s");
    } else if (verified) {
        printf("verified: %s, up to %d rank%s%s\n", name, e->ranks_max,
               e->ranks_max == 1 ? "" : "s", p->again ? ", where a poll fails at most once" : "");
    } else {
        printf("not verified: %s: %llu scenario%s fail%s", name, findings, findings == 1 ? "" : "s",
               findings == 1 ? "s" : "");
        say_open(p, undecided);
    }
    printf("  %llu scenario%s%s\n", scenarios, scenarios == 1 ? "" : "s",
           narrow ? " that the options leave" : "");
    exhaust_set_print(p->taken, stdout);
    printf("  %llu world%s, %llu schedule%s, at most %llu of one scenario%s\n",
           (unsigned long long)p->worlds, p->worlds == 1 ? "" : "s",
           (unsigned long long)p->behaviours, p->behaviours == 1 ? "" : "s",
           (unsigned long long)p->schedules_most,
           verified && !p->again
               ? ": every matching and completion that MPI allows, whichever sends have buffers"
               : "");
    if (verified)
        printf("  certificate %016llx\n", (unsigned long long)p->certificate);
}

static int exhaust_one(struct exhaust *e)
{
    int deaths = 0;
    memset(e->shared, 0, sizeof *e->shared);
    for (bool more = true; more;) {
        int status;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            exhaust_child(e);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 3;
        more = !e->shared->ended; /* a collective may end the process with any status */
        if (more && !exhaust_died(e, status))
            return 3;
        if (more && ++deaths == DEATHS_MAX)
            more = !(e->shared->over = e->shared->died = true);
    }
    exhaust_say(e);
    const struct progress *p = e->shared;
    return p->findings ? 1 : is_whole(p) ? 0 : 4;
}

int harness_exhaust(int ranks_max, double seconds, const char *folder)
{
    static struct exhaust exhaust;
    int worst = 0;
    exhaust =
        (struct exhaust){.folder = folder, .ends_s = seconds > 0 ? seconds_now() + seconds : 0};
    exhaust.ranks_max = ranks_max < EXHAUST_RANKS_MAX ? ranks_max : EXHAUST_RANKS_MAX;
    exhaust.shared = mmap(NULL, sizeof *exhaust.shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (exhaust.shared == MAP_FAILED)
        return 3;
    for (int i = 0; i < harness_target_count() && worst != 3; i++) {
        exhaust.collective = harness_target((unsigned)i);
        int code = exhaust_one(&exhaust);
        worst = code == 3 || worst == 0 || (worst == 4 && code) ? code : worst;
    }
    return worst;
}
