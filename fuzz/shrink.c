/* Shrinks a failing scenario: see harness.h. While an endless one is shrunk, a run of SHORT_MS
 * counts as endless, as small worlds take a few ms. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fuzz/harness.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/time_limit.h"
#include "fuzz/trial.h"

enum { SHORT_MS = 200, TRIALS_MAX = 3000, PROGRESS_SECONDS = 5, RANKS_FEW = 8 };

struct shrinking {
    const struct collective *collective;
    struct scenario *best;
    enum world_rule rule;
    bool any_symptom; /* a candidate may show another symptom of the same mistake */
    uint64_t messages;
    bool narrowed; /* the scenario and all candidates must be allowed */
    harness_smaller_fn smaller;
    time_t shown; /* time of the last progress line */
};

/* Tells whether both are symptoms of one mistake: data that go astray show as any of these,
 * depending on the ranks. */
static bool of_one_family(enum world_rule a, enum world_rule b)
{
    return world_rule_is(a, WORLD_ASTRAY) && world_rule_is(b, WORLD_ASTRAY);
}

/* Prints a line every few seconds. */
static void shrink_progress(struct shrinking *work)
{
    time_t now = time(NULL);
    if (now < work->shown + PROGRESS_SECONDS)
        return;
    work->shown = now;
    fprintf(stderr, "crosswait: making it small: %d of at most %d trials, %d rank%s, count %d\n",
            trials, TRIALS_MAX, work->best->ranks, work->best->ranks == 1 ? "" : "s",
            work->best->count);
}

static bool shrink_attempt(struct shrinking *work, struct scenario candidate)
{
    static uint8_t old_bytes[SCENARIO_BYTES_MAX], new_bytes[SCENARIO_BYTES_MAX];
    uint64_t messages;
    if (!execute_adapt(work->collective, &candidate) || trials >= TRIALS_MAX ||
        (work->narrowed && !scenario_allowed(&candidate)))
        return false;
    size_t old_size = scenario_encode(work->best, old_bytes),
           new_size = scenario_encode(&candidate, new_bytes);
    if (old_size == new_size && !memcmp(old_bytes, new_bytes, old_size))
        return false;
    shrink_progress(work);
    enum world_rule rule =
        trial_run(work->collective, &candidate, work->rule == WORLD_RULE_LEAKED_MEMORY, &messages);
    if (rule != work->rule && !(work->any_symptom && of_one_family(rule, work->rule)))
        return false;
    work->rule = rule;
    *work->best = candidate;
    work->messages = messages;
    if (work->smaller)
        work->smaller(work->collective, work->best);
    return true;
}

static bool shrink_ranks(struct shrinking *work)
{
    for (int ranks = 1; ranks < work->best->ranks; ranks++) {
        struct scenario candidate = *work->best;
        candidate.ranks = ranks;
        if (shrink_attempt(work, candidate))
            return true;
    }
    return false;
}

static bool shrink_fields(struct shrinking *work)
{
    bool changed = false;
    struct scenario candidate;
    for (int step = 0; scenario_simpler(work->best, step, &candidate); step++)
        changed |= shrink_attempt(work, candidate);
    return changed;
}

/* Replaces many delays by that of one link, if it suffices. */
static void shrink_delays(struct shrinking *work)
{
    int ranks = execute_world_size(work->best);
    if (work->best->delays == REPLAY_DELAY_NONE || work->best->delays == REPLAY_DELAY_SLOW_LINK)
        return;
    for (int pair = 0; pair < ranks * ranks && trials < TRIALS_MAX / 2; pair++) {
        struct scenario candidate = *work->best;
        candidate.delays = REPLAY_DELAY_SLOW_LINK;
        candidate.delays_seed = (unsigned)(pair / ranks * SCENARIO_RANKS_MAX + pair % ranks);
        if (pair / ranks != pair % ranks && shrink_attempt(work, candidate))
            return;
    }
}

/* Keeps one answer, with defaults for all others. */
static bool shrink_to_one_choice(struct shrinking *work)
{
    size_t most = work->best->choice_count < 64 ? work->best->choice_count : 64;
    for (size_t i = 0; i < most && trials < TRIALS_MAX / 2; i++)
        for (uint8_t value = 1; value <= 3; value++) {
            struct scenario candidate = *work->best;
            memset(candidate.choices, 0, sizeof candidate.choices);
            candidate.choices[i] = value;
            candidate.choice_count = i + 1;
            if (shrink_attempt(work, candidate))
                return true;
        }
    return false;
}

static bool shrink_choice(struct shrinking *work, size_t i)
{
    struct scenario candidate = *work->best;
    candidate.choice_count--;
    memmove(candidate.choices + i, candidate.choices + i + 1, candidate.choice_count - i);
    if (shrink_attempt(work, candidate))
        return true;
    for (uint8_t value = 0; value < 2 && work->best->choices[i] > value; value++) {
        candidate = *work->best;
        candidate.choices[i] = value;
        if (shrink_attempt(work, candidate))
            return true;
    }
    return false;
}

/* Removes answers of order=explore, or all of them. */
static void shrink_answers(struct shrinking *work)
{
    struct scenario plain = *work->best;
    plain.explored = false;
    plain.choice_count = 0;
    if (shrink_attempt(work, plain))
        return;
    for (size_t i = work->best->choice_count; i >= SCENARIO_ANSWER_BYTES;) {
        struct scenario candidate = *work->best;
        i -= SCENARIO_ANSWER_BYTES;
        candidate.choice_count -= SCENARIO_ANSWER_BYTES;
        memmove(candidate.choices + i, candidate.choices + i + SCENARIO_ANSWER_BYTES,
                candidate.choice_count - i);
        shrink_attempt(work, candidate);
    }
}

/* Simplifies the schedule: one answer other than the default, or fewer of them. */
static void shrink_choices(struct shrinking *work)
{
    if (work->best->explored) {
        shrink_answers(work);
        return;
    }
    while (work->best->choice_count > 0) {
        struct scenario candidate = *work->best;
        candidate.choice_count /= 2;
        if (!shrink_attempt(work, candidate))
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

/* Buffers each send that need not be unbuffered, if the scenario fails without buffers. */
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
    if (!shrink_attempt(work, candidate))
        return;
    size_t sends = candidate.choice_count, unbuffered = 0;
    for (size_t i = 0; i < sends && trials < TRIALS_MAX; i++) {
        candidate = *work->best;
        candidate.choices[i] = 1;
        if (!shrink_attempt(work, candidate))
            unbuffered++;
    }
    if (unbuffered == 0 || unbuffered == sends || trials >= TRIALS_MAX)
        *work->best = before;
}

/* Shrinks until no step leads to a simpler scenario that fails. */
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

/* Tries the original scenario with fewer ranks if the result still has many: the same mistake may
 * show in another way. */
static void shrink_by_any_symptom(struct shrinking *work, const struct scenario *found)
{
    struct scenario small = *work->best;
    const enum world_rule rule = work->rule;
    if (small.ranks <= RANKS_FEW)
        return;
    *work->best = *found;
    work->any_symptom = true;
    shrink_ranks(work);
    work->any_symptom = false;
    if (work->best->ranks * 2 <= small.ranks) {
        shrink_all(work);
        return;
    }
    *work->best = small;
    work->rule = rule;
}

/* Shrinks a scenario as an endless one and tells whether it is; the result may only be slow. */
static bool shrink_timeout(struct shrinking *work)
{
    struct scenario found = *work->best;
    if (work->rule != WORLD_RULE_TIMEOUT)
        return false;
    shrink_all(work);
    trial_ms = time_limit_seconds_again() * 1000;
    if (trial_run(work->collective, work->best, false, &work->messages) == WORLD_RULE_TIMEOUT)
        return true;
    *work->best = found;
    return false;
}

enum world_rule harness_shrink(const struct collective *collective, struct scenario *scenario,
                               harness_smaller_fn smaller)
{
    static struct shrinking work;
    if (!execute_adapt(collective, scenario))
        return WORLD_RULE_NONE;
    work = (struct shrinking){.collective = collective,
                              .best = scenario,
                              .smaller = smaller,
                              .shown = time(NULL),
                              .narrowed = scenario_allowed(scenario)};
    const int long_ms = time_limit_seconds_again() * 1000;
    for (trial_ms = SHORT_MS;; trial_ms = long_ms) {
        trials = 0;
        work.rule = trial_run(collective, scenario, true, &work.messages);
        if (work.rule == WORLD_RULE_NONE)
            return WORLD_RULE_NONE;
        if (work.rule != WORLD_RULE_TIMEOUT)
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
