/* Every small world: of each collective all scenarios with few ranks and elements, and of each
 * scenario every schedule that MPI allows (explore/search.h), with and without buffers. What is
 * left out is printed with the result, so that "verified" says no more than was looked at.
 *
 * A child runs them, one after the other, and notes in memory that it shares where it is; when it
 * dies of one, the next child goes on behind it.
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
#include "explore/search.h"
#include "fuzz/harness.h"
#include "fuzz/limit.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/scenario/shape.h"

enum {
    EXHAUST_RANKS_MAX = 4,
    COUNT_MAX = 3,
    SCHEDULES_MAX = 100000, /* of one scenario */
    WORLD_SECONDS = 2,
    DEATHS_MAX = 8,
    AXES_MAX = 24,
    SEEDS = 4,       /* of graphs */
    SEEDS_SIZES = 2, /* the sizes of one call have an axis of their own */
    BLOCKS_MAX = 512 /* lists of sizes */
};

/* What parent and child both see. */
struct progress {
    uint64_t at; /* scenarios done, of all targets */
    uint64_t scenarios, worlds, behaviours, schedules_most, open, findings;
    bool over;                   /* the time is */
    bool died;                   /* of too many */
    bool again;                  /* polls were repeated */
    bool inside;                 /* `scenario` runs */
    const char *words[AXES_MAX]; /* constant: the same in parent and child */
    uint8_t taken[AXES_MAX];
    int words_count;
    struct scenario scenario;
};

struct exhaust {
    const struct collective *collective;
    struct progress *shared;
    const char *folder;
    double ends_s;
    int ranks_max;
    uint64_t seen; /* scenarios that were come to in this child */
    struct scenario scenario;
    struct world_outcome outcome;
    struct world_event *event;
    uint32_t event_count, event_room;
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

/* Equal for worlds in which the same was found. */
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

static enum core_status run(void *context, const struct replay_policy *policy,
                            const struct replay_choice *choice,
                            const struct world_outcome **out_outcome, uint64_t *out_key,
                            struct explore_events *out_events)
{
    struct exhaust *e = context;
    struct scenario *now = &e->shared->scenario;
    const struct itimerval limit = {.it_value.tv_sec = limit_seconds(WORLD_SECONDS)};
    const struct harness_schedule schedule = {policy, choice, on_event, e, NULL};
    *now = e->scenario;
    scenario_take_answers(now, policy);
    e->event_count = 0;
    setitimer(ITIMER_PROF, &limit, NULL);
    e->shared->inside = true;
    harness_run_as(e->collective, &e->scenario, &schedule, &e->outcome);
    e->shared->inside = false;
    e->shared->again |= e->outcome.decisions->asked_again;
    *out_outcome = &e->outcome;
    *out_key = key_of(&e->outcome);
    *out_events = (struct explore_events){e->event, e->event_count};
    return CORE_OK;
}

/* --- one scenario ----------------------------------------------------------------------------- */

/* A schedule that fails, as a scenario of its own. */
static void keep(struct exhaust *e, struct explore_search *search,
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
    run(e, &policy, &none, &outcome, &key, &events);
    replay_policy_done(&policy);
    explore_list_done(&list);
    explore_sends_done(&sends);
    if (outcome->finding_count)
        harness_keep(e->folder, "crash", e->collective, &scenario, &outcome->finding[0]);
}

static void look_at(struct exhaust *e)
{
    const struct explore_options options = {.worlds_max = SCHEDULES_MAX};
    struct explore_search search;
    struct progress *p = e->shared;
    bool failed = false;
    if (explore_search(run, e, execute_world_size(&e->scenario), &options, &search) != CORE_OK)
        exit(3);
    p->worlds += search.worlds;
    p->behaviours += search.behaviours;
    p->open += !search.complete;
    if (search.behaviours > p->schedules_most)
        p->schedules_most = search.behaviours;
    for (uint32_t i = 0; i < search.class_count; i++)
        if (search.class[i].key) {
            failed = true;
            keep(e, &search, &search.class[i]);
        }
    explore_search_done(&search);
    p->scenarios++;
    p->findings += failed;
}

/* --- all scenarios ---------------------------------------------------------------------------- */

/* Values from `low` on, or the two that are so far apart. */
struct axis {
    const char *key;
    int low, step, count;
    const char *words; /* what they are, for people; NULL: goes without saying */
};
struct axes {
    struct axis axis[AXES_MAX];
    int count;
};

static void axis_add(struct axes *axes, const char *key, int low, int high, const char *words)
{
    CORE_CHECK(axes->count < AXES_MAX && low <= high);
    axes->axis[axes->count++] = (struct axis){key, low, 1, high - low + 1, words};
}

static void axis_pair(struct axes *axes, const char *key, int a, int b, const char *words)
{
    CORE_CHECK(axes->count < AXES_MAX && a < b);
    axes->axis[axes->count++] = (struct axis){key, a, b - a, 2, words};
}

/* How many lists there are of so many sizes up to `most`, as far as a scenario can name them. */
static int lists_of_sizes(int sizes, int most)
{
    int lists = 1;
    while (sizes-- > 0 && lists <= BLOCKS_MAX)
        lists *= most + 1;
    return lists <= BLOCKS_MAX ? lists : 0;
}

/* Every list of sizes of the blocks, one for each rank or for each pair of them; with less around
 * it. False: the collective has no such blocks, or their lists are too many. */
static bool axes_of_sizes(const struct collective *c, int ranks, struct axes *axes)
{
    bool pairs = c->kind == collective_kind_alltoallv || c->kind == collective_kind_alltoallw;
    int most = pairs && ranks > 2 ? 1 : COUNT_MAX, lists;
    lists = lists_of_sizes(pairs ? ranks * ranks : ranks, most);
    if (!shape_has_blocks_of_sizes(c->kind) || c->kind == collective_kind_neighbor_alltoallv ||
        c->kind == collective_kind_neighbor_alltoallw || !lists)
        return false;
    axis_add(axes, "count", most, most, NULL);
    if (execute_is_rooted(c->kind))
        axis_add(axes, "root", 0, ranks - 1, NULL);
    if (collective_reduces(c->kind))
        axis_pair(axes, "op", OP_SUM_INT, OP_AFFINE_INT, NULL);
    if (c->communicators != COLLECTIVE_INTRA && ranks > 1)
        axis_add(axes, "first-group", c->communicators == COLLECTIVE_INTER, ranks - 1, NULL);
    axis_add(axes, "in-place", 0, 1, NULL);
    axis_pair(axes, "places", PLACES_PACKED, PLACES_BELOW, NULL);
    axis_add(axes, "blocks", 1, lists,
             !pairs ? "for one call blocks of all sizes from 0 to 3"
                    : "for one call blocks of all sizes, on 3 ranks of 0 and 1");
    return true;
}

/* What varies for so many ranks; the last axis fastest. */
static void axes_of_calls(const struct collective *c, int ranks, struct axes *axes)
{
    bool data = c->kind != collective_kind_barrier;
    bool inter = c->communicators != COLLECTIVE_INTRA;
    if (data)
        axis_add(axes, "count", 0, COUNT_MAX, "counts 0 to 3");
    if (execute_is_rooted(c->kind))
        axis_add(axes, "root", 0, ranks - 1, "every root");
    if (collective_reduces(c->kind)) {
        axis_pair(axes, "op", OP_SUM_INT, OP_AFFINE_INT, "operations that commute and that do not");
    } else if (data) {
        axis_pair(axes, "type", TYPE_INT, TYPE_STRIDED, "int and strided elements");
        axis_pair(axes, "type-send", TYPE_INT, TYPE_STRIDED, NULL);
    }
    if (data && c->communicators != COLLECTIVE_INTER)
        axis_add(axes, "in-place", 0, 1, "in place and not");
    if (inter && ranks > 1)
        axis_add(axes, "first-group", c->communicators == COLLECTIVE_INTER, ranks - 1,
                 "two groups of every size");
    if (inter && (c->kind == collective_kind_allgather || c->kind == collective_kind_alltoall))
        axis_add(axes, "sizes", 0, SCENARIO_SIZES - 1, NULL);
    if (shape_has_blocks_of_sizes(c->kind)) {
        axis_add(axes, "sizes", 0, SCENARIO_SIZES - 1, "blocks of even and uneven sizes");
        axis_add(axes, "sizes-seed", 0, SEEDS_SIZES - 1, NULL);
        axis_pair(axes, "places", PLACES_PACKED, PLACES_BELOW, "side by side and not");
    }
    if (c->kind == collective_kind_shift || c->kind == collective_kind_bcast_k)
        axis_add(axes, "parameter", 0, 2 * ranks - 1, "parameters below twice the ranks");
    if (shape_is_neighbour(c->kind)) {
        axis_add(axes, "dims", 1, 2, "grids of 1 and 2 dimensions");
        axis_add(axes, "periods", 0, 3, "periodic and not");
        axis_add(axes, "graph", 0, 1, "some graphs");
        if (!shape_has_blocks_of_sizes(c->kind))
            axis_add(axes, "sizes-seed", 0, SEEDS - 1, NULL);
    }
    if (!data)
        axis_add(axes, "slow", -1, ranks - 1, "each rank last");
    if (c->form == COLLECTIVE_NONBLOCKING || c->form == COLLECTIVE_STATE) {
        axis_add(axes, "flight", 1, 2, "one and two at a time");
        axis_add(axes, "tested", 0, 1, "waited for and tested");
    }
    axis_pair(axes, "communicator", COMM_WORLD, COMM_BACKWARDS, "ranks in order and backwards");
    axis_add(axes, "calls", 1, 2, "one call and two");
    if (data)
        axis_add(axes, "late", 0, 1, "data that come at once and at the end of their receive");
}

/* What of a scenario says nothing, so that another one says the same. */
static bool is_idle(const struct collective *c, const struct scenario *s)
{
    bool seeded = s->graph || s->sizes != SIZES_EVEN || s->places != PLACES_PACKED;
    if (!shape_has_blocks_of_sizes(c->kind))
        seeded = s->graph;
    return s->sizes_seed && !seeded;
}

/* Makes it of the axes' values at these places; false: another one says the same. */
static bool scenario_make(struct exhaust *e, int ranks, const struct axes *axes,
                          const int at[AXES_MAX])
{
    static uint8_t wanted[SCENARIO_BYTES_MAX], adapted[SCENARIO_BYTES_MAX];
    struct scenario *s = &e->scenario;
    scenario_default(s);
    s->ranks = ranks;
    for (int i = 0; i < axes->count; i++)
        scenario_set(s, axes->axis[i].key, axes->axis[i].low + at[i] * axes->axis[i].step);
    s->root_step =
        execute_is_rooted(e->collective->kind) && s->calls > 1 && !e->collective->root_zero_only;
    if (collective_reduces(e->collective->kind))
        s->type = s->type_send = scenario_op_type(s->op);
    if (is_idle(e->collective, s))
        return false;
    size_t size = scenario_encode(s, wanted);
    return execute_adapt(e->collective, s) && s->ranks == ranks &&
           size == scenario_encode(s, adapted) && !memcmp(wanted, adapted, size) &&
           scenario_allowed(s);
}

/* Which of the axes have words, and took more than one value in what was looked at. */
static void note_words(struct progress *p, const struct axes *axes, const int at[AXES_MAX])
{
    for (int i = 0; i < axes->count; i++) {
        int known = 0;
        if (!axes->axis[i].words)
            continue;
        while (known < p->words_count && strcmp(p->words[known], axes->axis[i].words))
            known++;
        CORE_CHECK(known < AXES_MAX);
        if (known == p->words_count)
            p->words[p->words_count++] = axes->axis[i].words;
        p->taken[known] |= at[i] ? 2 : 1;
    }
}

/* False: the time is over. */
static bool look_at_axes(struct exhaust *e, int ranks, const struct axes *axes)
{
    int at[AXES_MAX] = {0};
    for (;;) {
        bool next = scenario_make(e, ranks, axes, at) && ++e->seen > e->shared->at;
        if (next && e->ends_s > 0 && seconds_now() > e->ends_s)
            return false;
        if (next) {
            note_words(e->shared, axes, at);
            look_at(e);
            e->shared->at = e->seen; /* invariant 1 */
        }
        int i = axes->count;
        while (i > 0 && ++at[i - 1] == axes->axis[i - 1].count)
            at[--i] = 0;
        if (i == 0)
            return true;
    }
}

static bool look_at_all(struct exhaust *e, int ranks)
{
    struct axes calls = {0}, sizes = {0};
    axes_of_calls(e->collective, ranks, &calls);
    return look_at_axes(e, ranks, &calls) &&
           (!axes_of_sizes(e->collective, ranks, &sizes) || look_at_axes(e, ranks, &sizes));
}

static void child(struct exhaust *e)
{
    signal(SIGPROF, SIG_DFL);
    for (int ranks = 1; ranks <= e->ranks_max; ranks++)
        if (collective_domain_holds(e->collective, ranks) && !look_at_all(e, ranks)) {
            e->shared->over = true;
            break;
        }
    fflush(NULL);
    _exit(0);
}

/* The child died of the scenario that it was at, or of the harness. */
static bool died(struct exhaust *e, int status)
{
    struct progress *p = e->shared;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    const struct world_finding finding = {.rule = late ? "timeout" : "crash"};
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

static void say(const struct exhaust *e)
{
    const struct progress *p = e->shared;
    const struct collective *c = e->collective;
    if (!p->scenarios && !p->over)
        printf("not verified: %s: no scenario of up to %d rank%s is left\n", c->name, e->ranks_max,
               e->ranks_max == 1 ? "" : "s");
    else if (!p->findings && !p->open && !p->over)
        printf("verified for all worlds up to %d rank%s%s: %s\n", e->ranks_max,
               e->ranks_max == 1 ? "" : "s", p->again ? " in which a poll fails at most once" : "",
               c->name);
    else
        printf("not verified: %s: %llu scenario%s fail%s%s\n", c->name,
               (unsigned long long)p->findings, p->findings == 1 ? "" : "s",
               p->findings == 1 ? "s" : "",
               p->died   ? "; it ended too many worlds for all to be looked at"
               : p->over ? "; the time was over before all were looked at"
               : p->open ? "; some have more schedules than were looked at"
                         : "");
    printf("  %llu scenario%s%s", (unsigned long long)p->scenarios, p->scenarios == 1 ? "" : "s",
           getenv("CROSSWAIT_FUZZ_NARROW") ? " that the options leave" : "");
    for (int i = 0, said = 0; i < p->words_count; i++)
        if (p->taken[i] == 3)
            printf("%s %s", said++ ? "," : ":", p->words[i]);
    printf("\n");
    printf("  %llu world%s, %llu schedule%s, at most %llu of one scenario: every matching and "
           "completion that MPI allows, whichever sends have buffers\n",
           (unsigned long long)p->worlds, p->worlds == 1 ? "" : "s",
           (unsigned long long)p->behaviours, p->behaviours == 1 ? "" : "s",
           (unsigned long long)p->schedules_most);
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
            child(e);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 3;
        more = !WIFEXITED(status) || WEXITSTATUS(status);
        if (more && !died(e, status))
            return 3;
        if (more && ++deaths == DEATHS_MAX)
            more = !(e->shared->over = e->shared->died = true);
    }
    say(e);
    return e->shared->findings                                           ? 1
           : e->shared->open || e->shared->over || !e->shared->scenarios ? 4
                                                                         : 0;
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
