/* Reading, explaining and shrinking a scenario. See harness.h. A trial runs in a child process, so
 * that whatever it does to itself (a sanitizer's report, a loop without end) is just an answer. */
#include "fuzz/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/decisions.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/time_limit.h"
#include "core/output.h"

/* A trial that takes as long as time_limit.h says is a timeout. While one is shrunk SHORT_MS do, as
 * small worlds take a few. It counts like TIMEOUT_TRIALS others, so that shrinking ends. */
enum {
    SHORT_MS = 200,
    TRIALS_MAX = 3000,
    TIMEOUT_TRIALS = TRIALS_MAX / 30,
    RULE_MAX = 64,
    RANKS_FEW = 8
};

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
        {"empty", s->count == 0},
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

static const char *explain_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

int harness_explain(const struct collective *collective, const struct scenario *given)
{
    static struct world_outcome outcome;
    static char text[SCENARIO_TEXT_MAX];
    struct scenario scenario = *given;
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
    harness_pattern_words(collective, &scenario, text);
    printf("pattern: %s\ntimeline, ranks of MPI_COMM_WORLD:\n", text);
    harness_run(collective, &scenario, stdout, &outcome);
    printf(
        "\n%llu message%s, %llu byte%s; about %llu round%s, %llu byte%s along the longest chain of "
        "messages\n",
        (unsigned long long)outcome.message_count, explain_plural(outcome.message_count),
        (unsigned long long)outcome.byte_count, explain_plural(outcome.byte_count),
        (unsigned long long)outcome.round_count, explain_plural(outcome.round_count),
        (unsigned long long)outcome.word_bytes, explain_plural(outcome.word_bytes));
    for (int i = 0; i < outcome.finding_count; i++)
        printf("finding: %s: %s\n", outcome.finding[i].rule, outcome.finding[i].text);
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

/* --- shrinking -------------------------------------------------------------------------------- */

static int trials, trial_ms;
static const char leaked[] = "leaked-memory", timeout[] = "timeout";

static void trial_child(const struct collective *collective, struct scenario *scenario,
                        bool look_for_leaks, int out)
{
    static struct world_outcome outcome;
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    time_limit_once(trial_ms, SIG_DFL);
    if (!harness_run(collective, scenario, NULL, &outcome))
        _exit(0);
    const char *rule = outcome.finding[0].rule;
    if (!outcome.finding_count && look_for_leaks && harness_leaks())
        rule = leaked;
    else if (!outcome.finding_count)
        _exit(0);
    uint64_t messages = outcome.message_count;
    if (write(out, &messages, sizeof messages) < 0 || write(out, rule, strlen(rule)) < 0)
        _exit(3);
    _exit(0);
}

/* The rule of the first finding, "crash", "timeout", or "" for none. Looking for leaks is slow. */
static void explain_trial(const struct collective *collective, const struct scenario *scenario,
                          bool look_for_leaks, char rule[RULE_MAX], uint64_t *out_messages)
{
    int fds[2], status;
    struct scenario copy = *scenario;
    trials++;
    rule[0] = 0;
    *out_messages = 0;
    if (pipe(fds))
        return;
    pid_t child = fork();
    if (child < 0) {
        close(fds[0]);
        close(fds[1]);
        return;
    }
    if (child == 0)
        trial_child(collective, &copy, look_for_leaks, fds[1]);
    close(fds[1]);
    char answer[sizeof(uint64_t) + RULE_MAX];
    size_t got = 0;
    for (ssize_t n;
         got < sizeof answer - 1 && (n = read(fds[0], answer + got, sizeof answer - 1 - got)) > 0;)
        got += (size_t)n;
    close(fds[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (got > sizeof(uint64_t)) {
        answer[got] = 0;
        memcpy(out_messages, answer, sizeof *out_messages);
        snprintf(rule, RULE_MAX, "%.60s", answer + sizeof(uint64_t));
    } else if (WIFSIGNALED(status) &&
               (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)) {
        strcpy(rule, timeout);
        trials += TIMEOUT_TRIALS - 1;
    } else if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
        strcpy(rule, "crash");
    }
}

struct shrinking {
    const struct collective *collective;
    struct scenario *best;
    char rule[RULE_MAX];
    bool any_symptom; /* a candidate may fail in another way that the same mistake has */
    uint64_t messages;
};

/* Symptoms of one mistake: data that go astray show as any of these, depending on the ranks. */
static bool of_one_family(const char *a, const char *b)
{
    static const char *const family[] = {"wrong-result", "truncation",       "overrun",
                                         "disagreement", "leftover-message", "error"};
    bool has_a = false, has_b = false;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        has_a |= !strcmp(a, family[i]);
        has_b |= !strcmp(b, family[i]);
    }
    return has_a && has_b;
}

static bool explain_attempt(struct shrinking *work, struct scenario candidate)
{
    static uint8_t old_bytes[SCENARIO_BYTES_MAX], new_bytes[SCENARIO_BYTES_MAX];
    char rule[RULE_MAX];
    uint64_t messages;
    if (!execute_adapt(work->collective, &candidate) || trials >= TRIALS_MAX)
        return false;
    size_t old_size = scenario_encode(work->best, old_bytes),
           new_size = scenario_encode(&candidate, new_bytes);
    if (old_size == new_size && !memcmp(old_bytes, new_bytes, old_size))
        return false;
    explain_trial(work->collective, &candidate, !strcmp(work->rule, leaked), rule, &messages);
    if (strcmp(rule, work->rule) && !(work->any_symptom && of_one_family(rule, work->rule)))
        return false;
    strcpy(work->rule, rule);
    *work->best = candidate;
    work->messages = messages;
    return true;
}

static bool shrink_ranks(struct shrinking *work)
{
    for (int ranks = 1; ranks < work->best->ranks; ranks++) {
        struct scenario candidate = *work->best;
        candidate.ranks = ranks;
        if (explain_attempt(work, candidate))
            return true;
    }
    return false;
}

static bool shrink_fields(struct shrinking *work)
{
    bool changed = false;
    struct scenario candidate;
    for (int step = 0; scenario_simpler(work->best, step, &candidate); step++)
        changed |= explain_attempt(work, candidate);
    return changed;
}

/* Many delays: is there one link whose alone does it? */
static void shrink_delays(struct shrinking *work)
{
    int ranks = execute_world_size(work->best);
    if (work->best->delays == REPLAY_DELAY_NONE || work->best->delays == REPLAY_DELAY_SLOW_LINK)
        return;
    for (int pair = 0; pair < ranks * ranks && trials < TRIALS_MAX / 2; pair++) {
        struct scenario candidate = *work->best;
        candidate.delays = REPLAY_DELAY_SLOW_LINK;
        candidate.delays_seed = (unsigned)(pair / ranks * SCENARIO_RANKS_MAX + pair % ranks);
        if (pair / ranks != pair % ranks && explain_attempt(work, candidate))
            return;
    }
}

/* One answer, all the others by default. */
static bool shrink_to_one_choice(struct shrinking *work)
{
    size_t most = work->best->choice_count < 64 ? work->best->choice_count : 64;
    for (size_t i = 0; i < most && trials < TRIALS_MAX / 2; i++)
        for (uint8_t value = 1; value <= 3; value++) {
            struct scenario candidate = *work->best;
            memset(candidate.choices, 0, sizeof candidate.choices);
            candidate.choices[i] = value;
            candidate.choice_count = i + 1;
            if (explain_attempt(work, candidate))
                return true;
        }
    return false;
}

static bool shrink_choice(struct shrinking *work, size_t i)
{
    struct scenario candidate = *work->best;
    candidate.choice_count--;
    memmove(candidate.choices + i, candidate.choices + i + 1, candidate.choice_count - i);
    if (explain_attempt(work, candidate))
        return true;
    for (uint8_t value = 0; value < 2 && work->best->choices[i] > value; value++) {
        candidate = *work->best;
        candidate.choices[i] = value;
        if (explain_attempt(work, candidate))
            return true;
    }
    return false;
}

/* Fewer answers of order=explore, or none of its at all. */
static void shrink_answers(struct shrinking *work)
{
    struct scenario plain = *work->best;
    plain.explored = false;
    plain.choice_count = 0;
    if (explain_attempt(work, plain))
        return;
    for (size_t i = work->best->choice_count; i >= SCENARIO_ANSWER_BYTES;) {
        struct scenario candidate = *work->best;
        i -= SCENARIO_ANSWER_BYTES;
        candidate.choice_count -= SCENARIO_ANSWER_BYTES;
        memmove(candidate.choices + i, candidate.choices + i + SCENARIO_ANSWER_BYTES,
                candidate.choice_count - i);
        explain_attempt(work, candidate);
    }
}

/* The schedule: one answer that is not the default, or fewer of them. */
static void shrink_choices(struct shrinking *work)
{
    if (work->best->explored) {
        shrink_answers(work);
        return;
    }
    while (work->best->choice_count > 0) {
        struct scenario candidate = *work->best;
        candidate.choice_count /= 2;
        if (!explain_attempt(work, candidate))
            break;
    }
    bool changed = work->best->choice_count > 0 && !shrink_to_one_choice(work);
    for (int round = 0; round < 8 && changed; round++) {
        changed = false;
        for (size_t i = work->best->choice_count; i-- > 0 && trials < TRIALS_MAX;)
            changed |= shrink_choice(work, i);
    }
    while (work->best->choice_count > 0 && work->best->choices[work->best->choice_count - 1] == 0)
        work->best->choice_count--;
}

/* Nothing buffered fails: which sends must be unbuffered? Each that need not is buffered. */
static void shrink_buffering(struct shrinking *work)
{
    if (work->best->buffering != REPLAY_RENDEZVOUS || work->best->shuffle || work->best->explored ||
        work->messages > 256)
        return;
    struct scenario candidate = *work->best;
    candidate.buffering = REPLAY_RANDOM;
    candidate.choice_count = work->messages;
    memset(candidate.choices, 0, candidate.choice_count);
    struct scenario before = *work->best;
    if (!explain_attempt(work, candidate))
        return;
    size_t sends = candidate.choice_count, unbuffered = 0;
    for (size_t i = 0; i < sends && trials < TRIALS_MAX; i++) {
        candidate = *work->best;
        candidate.choices[i] = 1;
        if (!explain_attempt(work, candidate))
            unbuffered++;
    }
    if (unbuffered == 0 || unbuffered == sends || trials >= TRIALS_MAX)
        *work->best = before;
}

/* Until no step leads to a simpler scenario that fails. */
static void shrink_fields_all(struct shrinking *work)
{
    while (shrink_fields(work))
        continue;
}

static void shrink_all(struct shrinking *work)
{
    shrink_fields_all(work);
    shrink_delays(work);
    shrink_choices(work);
    shrink_fields_all(work);
}

/* Still many ranks: fewer, from what was found on, may show the same mistake in another way. */
static void shrink_by_any_symptom(struct shrinking *work, const struct scenario *found)
{
    struct scenario small = *work->best;
    char rule[RULE_MAX];
    if (small.ranks <= RANKS_FEW)
        return;
    strcpy(rule, work->rule);
    *work->best = *found;
    work->any_symptom = true;
    shrink_ranks(work);
    work->any_symptom = false;
    if (work->best->ranks * 2 <= small.ranks) {
        shrink_all(work);
        return;
    }
    *work->best = small;
    strcpy(work->rule, rule);
}

/* Whether it is made small as one that does not end: what is left may only be slow. */
static bool shrink_timeout(struct shrinking *work)
{
    struct scenario found = *work->best;
    char rule[RULE_MAX];
    if (strcmp(work->rule, timeout))
        return false;
    shrink_all(work);
    trial_ms = time_limit_seconds_again() * 1000;
    explain_trial(work->collective, work->best, false, rule, &work->messages);
    if (!strcmp(rule, timeout))
        return true;
    *work->best = found;
    return false;
}

const char *harness_shrink(const struct collective *collective, struct scenario *scenario)
{
    static struct shrinking work;
    if (!execute_adapt(collective, scenario))
        return NULL;
    work = (struct shrinking){.collective = collective, .best = scenario};
    const int long_ms = time_limit_seconds_again() * 1000;
    for (trial_ms = SHORT_MS;; trial_ms = long_ms) {
        trials = 0;
        explain_trial(collective, scenario, true, work.rule, &work.messages);
        if (!work.rule[0])
            return NULL;
        if (strcmp(work.rule, timeout))
            break;
        if (trial_ms == long_ms || shrink_timeout(&work))
            return work.rule;
    }
    trial_ms = long_ms;
    struct scenario found = *scenario;
    shrink_all(&work);
    shrink_by_any_symptom(&work, &found);
    shrink_buffering(&work);
    return work.rule;
}
