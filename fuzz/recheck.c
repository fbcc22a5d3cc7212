/* Checks the statements of exhaustive runs: counts the scenarios of the printed formula (formula.h)
 * and the schedules of each by another method, runs them all, and compares the certificate.
 *
 * Shares with exhaust.c the code that runs a scenario in a world and reports its decisions, but
 * neither the enumeration of scenarios nor the search. It computes a closure: each world that ran
 * names the answers that its decisions could have had, at once or when put off. A request for such
 * an answer keeps the answers before it, and runs unless an equal request was made. Only equal
 * requests are merged.
 *
 * It runs each schedule with all sends buffered, and with none buffered. If a set has only one
 * schedule, no buffering in between gives another: what a rank gets does not depend on it.
 *
 * Invariants
 *  1. "holds" is printed only if each world came to its end, nothing was found in any, and the
 *     scenarios, the schedules and the certificate are those of the statement. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "core/array.h"
#include "core/random.h"
#include "core/table.h"
#include "fuzz/certificate.h"
#include "fuzz/formula.h"
#include "fuzz/harness.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/time_limit.h"
#include "fuzz/undecided.h"

enum { WORLDS_MAX = 200000, WORLD_SECONDS = 2, RANKS_MAX = 4, LINE_MAX_BYTES = 4096 };

struct given { /* an answer to give */
    uint32_t rank, number;
    int32_t answer;
};
struct request { /* a world that must have these answers */
    struct given *given;
    uint32_t count, room;
};
struct known {
    uint64_t hash;
};

struct recheck {
    const struct collective *collective;
    double ends_s;
    struct scenario scenario;
    struct world_outcome outcome;
    struct request *open;
    uint32_t open_count, open_room;
    struct core_table asked, schedule, scenarios;
    uint64_t scenario_count, schedule_count, certificate;
    bool undecided, over;
    char wrong[512]; /* the finding; empty: none */
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void status_must(enum core_status status)
{
    if (status != CORE_OK)
        exit(3);
}

/* Adds a hash; tells whether it is new. */
static bool known_add(struct core_table *table, uint64_t hash)
{
    struct known *entry;
    const uint32_t before = table->count;
    status_must(core_table_put(table, &hash, "what was counted", &entry));
    return table->count > before;
}

/* --- requests --------------------------------------------------------------------------------- */

static void request_give(struct request *request, const struct world_decision *d, int32_t answer)
{
    status_must(CORE_ARRAY_PUSH(request->given, request->count, request->room, "a schedule",
                                (struct given){(uint32_t)d->rank, d->number, answer}));
}

/* Queues a request unless an equal one was made; takes it over. */
static void request_open(struct recheck *r, struct request *request)
{
    uint64_t hash = request->count;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct given *g = &request->given[i];
        hash += core_random_mix(core_random_mix((uint64_t)g->rank << 32 | g->number) ^
                                (uint32_t)g->answer);
    }
    if (known_add(&r->asked, hash))
        status_must(CORE_ARRAY_PUSH(r->open, r->open_count, r->open_room, "schedules", *request));
    else
        free(request->given);
    *request = (struct request){0};
}

/* Requests each other answer of a decision, after the answers before it. */
static void ask_options(struct recheck *r, const struct world_decisions *all, uint32_t index)
{
    const struct world_decision *d = &all->decision[index];
    struct request request = {0};
    for (uint32_t o = 0; o < d->option_count; o++) {
        const int32_t answer = all->option[d->option_first + o].answer;
        if (answer == d->answer)
            continue;
        for (uint32_t i = 0; i < index; i++)
            request_give(&request, &all->decision[i], all->decision[i].answer);
        request_give(&request, d, answer);
        request_open(r, &request);
    }
}

/* Requests an answer that became possible later: after the decisions that it depends on, and all
 * that came before the first one that it must precede. */
static void ask_missed(struct recheck *r, const struct world_decisions *all,
                       const struct world_missed *missed)
{
    struct request request = {0};
    for (uint32_t i = 0; i < missed->before; i++)
        request_give(&request, &all->decision[i], all->decision[i].answer);
    for (uint32_t i = 0; i < missed->causes_count; i++) {
        const uint32_t cause = all->causes[missed->causes_first + i];
        if (cause >= missed->before)
            request_give(&request, &all->decision[cause], all->decision[cause].answer);
    }
    request_give(&request, &all->decision[missed->decision], missed->answer);
    request_open(r, &request);
}

/* --- worlds ----------------------------------------------------------------------------------- */

static void run_request(struct recheck *r, const struct request *request, bool buffered)
{
    const struct itimerval limit = {.it_value.tv_sec = time_limit_seconds(WORLD_SECONDS)};
    const struct replay_choice none = {0};
    struct replay_policy policy;
    const struct harness_schedule schedule = {&policy, &none, NULL, NULL, NULL};
    replay_policy_init(&policy);
    policy.order = REPLAY_ORDER_EXPLORE;
    policy.loads = REPLAY_LOADS_TURNS;
    policy.buffering = buffered ? REPLAY_EAGER : REPLAY_RENDEZVOUS;
    for (uint32_t i = 0; i < request->count; i++)
        status_must(replay_policy_add_forced(&policy, request->given[i].rank,
                                             request->given[i].number, request->given[i].answer));
    setitimer(ITIMER_PROF, &limit, NULL);
    harness_run_as(r->collective, &r->scenario, &schedule, &r->outcome);
    replay_policy_done(&policy);
}

static void world_judge(struct recheck *r, bool buffered)
{
    const struct world_decisions *all = r->outcome.decisions;
    char scenario[256];
    for (uint32_t i = 0; i < all->decision_count; i++)
        r->undecided |= all->decision[i].place != 0; /* turns are not identified by number */
    r->undecided |= all->limited || all->subsets || all->unknown || all->unfinished;
    if (all->cut)
        return;
    if (r->outcome.finding_count && !*r->wrong) {
        execute_describe_call(r->collective, &r->scenario, scenario, sizeof scenario);
        snprintf(r->wrong, sizeof r->wrong, "%s, %s: %.200s", scenario,
                 buffered ? "sends buffered" : "no send buffered", r->outcome.finding[0].text);
    }
    if (buffered)
        known_add(&r->schedule, certificate_schedule(all));
}

/* Runs all schedules of the scenario. */
static void close_schedules(struct recheck *r, bool buffered)
{
    struct request first = {0};
    uint32_t worlds = 0;
    r->asked = (struct core_table)CORE_TABLE(struct known, hash);
    request_open(r, &first);
    while (r->open_count && !r->undecided && !*r->wrong) {
        struct request request = r->open[--r->open_count];
        run_request(r, &request, buffered);
        free(request.given);
        world_judge(r, buffered);
        const struct world_decisions *all = r->outcome.decisions;
        for (uint32_t i = 0; i < all->decision_count; i++)
            ask_options(r, all, i);
        for (uint32_t i = 0; i < all->missed_count; i++)
            ask_missed(r, all, &all->missed[i]);
        r->undecided |= ++worlds == WORLDS_MAX;
    }
    while (r->open_count)
        free(r->open[--r->open_count].given);
    core_table_done(&r->asked);
}

static void check_scenario(struct recheck *r)
{
    const uint64_t name = certificate_scenario(r->collective, &r->scenario);
    if (!known_add(&r->scenarios, name))
        return;
    r->schedule = (struct core_table)CORE_TABLE(struct known, hash);
    close_schedules(r, true);
    close_schedules(r, false);
    r->scenario_count++;
    r->schedule_count += r->schedule.count;
    for (uint32_t i = 0; i < r->schedule.count; i++) {
        const struct known *schedule = core_table_at(&r->schedule, i);
        r->certificate += certificate_part(name, schedule->hash);
    }
    core_table_done(&r->schedule);
}

/* --- statements ------------------------------------------------------------------------------- */

static bool check_formula(struct recheck *r, const char *line)
{
    static struct formula formula;
    bool wrong = false;
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        int at[FORMULA_KEYS_MAX] = {0};
        if (!formula_read(line, ranks, &formula, &wrong)) {
            if (wrong)
                return false;
            continue;
        }
        do {
            r->over |= r->ends_s > 0 && seconds_now() > r->ends_s;
            if (!r->over && formula_scenario(&formula, r->collective, at, &r->scenario))
                check_scenario(r);
        } while (formula_next(&formula, at) && !r->over && !r->undecided && !*r->wrong);
    }
    return true;
}

struct statement {
    unsigned long long scenarios, schedules, certificate;
    bool read_wrong;
};

static int statement_end(struct recheck *r, const struct statement *s)
{
    const char *name = r->collective->name;
    const unsigned long long scenarios = r->scenario_count, schedules = r->schedule_count,
                             certificate = r->certificate;
    char undecided[UNDECIDED_BYTES];
    core_table_done(&r->scenarios);
    if (s->read_wrong || !s->certificate) {
        printf("not checked: %s: the statement lacks its formula or its certificate\n", name);
        return 2;
    }
    if (*r->wrong) {
        printf("does not hold: %s\n", r->wrong);
        return 1;
    }
    if (undecided_call(undecided)) {
        printf("not decided: %s: %s\n", name, undecided);
        return 4;
    }
    if (r->undecided || r->over) {
        printf("not decided: %s: %s\n", name,
               r->over ? "the time limit was reached"
                       : "the check does not count schedules of its kind");
        return 4;
    }
    if (scenarios != s->scenarios || schedules != s->schedules || certificate != s->certificate) {
        printf("does not hold: %s: %llu scenarios, %llu schedules, certificate %016llx; counted"
               " again %llu, %llu, %016llx\n",
               name, s->scenarios, s->schedules, s->certificate, scenarios, schedules, certificate);
        return 1;
    }
    printf("holds: %s: %llu scenarios, %llu schedules counted again\n", name, scenarios, schedules);
    return 0;
}

/* Checks one line of a statement. */
static void statement_line(struct recheck *r, const char *line, struct statement *s)
{
    unsigned long long number;
    char word[32];
    const char *comma = strchr(line, ',');
    if (!strncmp(line, "  for ", 6))
        s->read_wrong |= !check_formula(r, line);
    else if (sscanf(line, "  certificate %llx", &number) == 1)
        s->certificate = number;
    else if (sscanf(line, "  %llu %31s", &number, word) != 2)
        return;
    else if (!strncmp(word, "scenario", 8))
        s->scenarios = number;
    else if (!strncmp(word, "world", 5) && comma)
        s->schedules = strtoull(comma + 1, NULL, 10);
}

/* Returns the collective of the statement that begins in this line; NULL if none begins, or one of
 * a collective that was not asked for. */
static const struct collective *statement_begin(const char *line, bool *out_unknown)
{
    char name[128];
    unsigned index;
    *out_unknown = false;
    if (sscanf(line, "verified: %127[^,]", name) != 1)
        return NULL;
    const struct collective *found = harness_target_find(name, &index);
    *out_unknown = !found && !collective_find(name);
    if (*out_unknown)
        printf("not checked: no collective '%s' is registered here\n", name);
    return found;
}

static int code_worse(int a, int b)
{
    static const int order[] = {0, 4, 2, 1};
    int at = 3;
    while (at > 0 && order[at] != a && order[at] != b)
        at--;
    return order[at];
}

int harness_certificate(const char *path, double seconds)
{
    static struct recheck r;
    static char line[LINE_MAX_BYTES];
    struct statement statement = {0};
    int worst = 0, statements = 0;
    bool unknown;
    FILE *file = fopen(path, "r");
    signal(SIGPROF, SIG_DFL);
    for (bool more = file; more;) {
        more = fgets(line, sizeof line, file);
        if (more && line[0] == ' ') {
            if (r.collective)
                statement_line(&r, line, &statement);
            continue;
        }
        if (r.collective)
            worst = code_worse(worst, statement_end(&r, &statement));
        statement = (struct statement){0};
        r = (struct recheck){.collective = more ? statement_begin(line, &unknown) : NULL,
                             .ends_s = seconds > 0 ? seconds_now() + seconds : 0,
                             .open = r.open,
                             .open_room = r.open_room,
                             .scenarios = CORE_TABLE(struct known, hash)};
        statements += r.collective || (more && unknown);
        worst = more && unknown ? code_worse(worst, 2) : worst;
    }
    if (file)
        fclose(file);
    if (!statements)
        fprintf(stderr, "crosswait: '%s' has no line 'verified: NAME, ...' of a collective here\n",
                path);
    return statements ? worst : 2;
}
