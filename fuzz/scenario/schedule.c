/* Translates the choices that a scenario leaves to the library into a policy, and into the words of
 * the policies' grammar. */
#include "fuzz/scenario/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/random.h"

enum { PERCENT = 50, UNIFORM_NS = 16000, HEAVY_NS = 125000, SPEEDS_NS = 8000 };

bool scenario_slow_link(const struct scenario *s, int ranks, int *out_source, int *out_dest)
{
    if (s->delays != REPLAY_DELAY_SLOW_LINK || ranks < 2)
        return false;
    *out_source = (int)s->delays_seed / SCENARIO_RANKS_MAX % ranks;
    *out_dest = (int)s->delays_seed % SCENARIO_RANKS_MAX % ranks;
    if (*out_dest == *out_source)
        *out_dest = (*out_source + 1) % ranks;
    return true;
}

/* Returns the policy as written: the ends of the slow link may exceed the ranks; a link from a rank
 * to itself leads to the next one. */
static struct replay_policy policy_written(const struct scenario *s)
{
    const unsigned from = s->delays_seed / SCENARIO_RANKS_MAX,
                   to = s->delays_seed % SCENARIO_RANKS_MAX;
    struct replay_policy policy = {
        .buffering = s->buffering,
        .delay = s->delays,
        .link_from = from,
        .link_to = from == to && to + 1 < SCENARIO_RANKS_MAX ? to + 1 : to,
        .order = s->explored  ? REPLAY_ORDER_EXPLORE
                 : s->shuffle ? REPLAY_ORDER_RANDOM
                              : REPLAY_ORDER_FIRST,
        .seed = s->delays_seed,
    };
    if (s->buffering == REPLAY_EAGER_BYTES)
        policy.bytes = (uint64_t)s->eager_bytes;
    else if (s->buffering == REPLAY_RANDOM)
        policy.bytes = PERCENT;
    else if (s->buffering == REPLAY_CREDITS)
        policy.bytes = (uint64_t)s->credits;
    else if (s->buffering == REPLAY_POOL)
        policy.bytes = (uint64_t)s->pool_bytes;
    if (s->delays == REPLAY_DELAY_UNIFORM)
        policy.delay_ns = UNIFORM_NS;
    else if (s->delays == REPLAY_DELAY_HEAVY)
        policy.delay_ns = HEAVY_NS;
    else if (s->delays == REPLAY_DELAY_SPEEDS)
        policy.delay_ns = SPEEDS_NS;
    return policy;
}

/* Returns the names of order=explore, sorted as in a policy: its answers, or the sends that keep
 * their buffers. */
static struct replay_names names_of(const struct scenario *s, bool sends)
{
    static struct replay_name name[2][SCENARIO_CHOICES_MAX / SCENARIO_ANSWER_BYTES];
    struct replay_name *made = name[sends];
    struct replay_names names = {.name = made};
    for (size_t i = 0; s->explored && i + SCENARIO_ANSWER_BYTES <= s->choice_count;
         i += SCENARIO_ANSWER_BYTES) {
        const uint8_t *bytes = s->choices + i;
        struct replay_name one = {.rank = bytes[0], .id = bytes[1], .by_number = sends};
        uint32_t at = names.count;
        CORE_CHECK(one.rank < SCENARIO_RANKS_MAX); /* invariant 1 */
        if ((bytes[2] == SCENARIO_KEEPS) != sends)
            continue;
        one.source = sends ? 0 : bytes[2];
        while (at && (made[at - 1].rank > one.rank ||
                      (made[at - 1].rank == one.rank && made[at - 1].id >= one.id)))
            at--;
        if (at < names.count && made[at].rank == one.rank && made[at].id == one.id)
            continue;
        memmove(made + at + 1, made + at, (names.count++ - at) * sizeof *made);
        made[at] = one;
    }
    return names;
}

/* Replaces the names of this kind. */
static bool names_take(struct scenario *s, const struct replay_names *names, bool sends)
{
    size_t kept = 0;
    for (size_t i = 0; s->explored && i + SCENARIO_ANSWER_BYTES <= s->choice_count;
         i += SCENARIO_ANSWER_BYTES)
        if ((s->choices[i + 2] == SCENARIO_KEEPS) != sends) {
            memmove(s->choices + kept, s->choices + i, SCENARIO_ANSWER_BYTES);
            kept += SCENARIO_ANSWER_BYTES;
        }
    s->explored = true;
    s->choice_count = kept;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct replay_name *name = &names->name[i];
        if (name->by_number != sends || name->rank >= SCENARIO_RANKS_MAX || name->id > UINT8_MAX ||
            name->source < 0 || name->source >= SCENARIO_KEEPS ||
            s->choice_count + SCENARIO_ANSWER_BYTES > SCENARIO_CHOICES_MAX)
            return false;
        s->choices[s->choice_count++] = (uint8_t)name->rank;
        s->choices[s->choice_count++] = (uint8_t)name->id;
        s->choices[s->choice_count++] = sends ? SCENARIO_KEEPS : (uint8_t)name->source;
    }
    return true;
}

bool scenario_take_answers(struct scenario *s, const struct replay_policy *policy)
{
    static const struct replay_names none;
    bool only = policy->buffering == REPLAY_SEND_ONLY;
    s->buffering = only ? REPLAY_RENDEZVOUS : policy->buffering;
    s->choice_count = 0;
    return names_take(s, &policy->forced, false) &&
           names_take(s, only ? &policy->send : &none, true);
}

static void explored_add(const struct scenario *s, struct replay_policy *policy)
{
    policy->forced = names_of(s, false);
    policy->send = names_of(s, true);
    if (policy->send.count)
        policy->buffering = REPLAY_SEND_ONLY;
}

struct replay_policy scenario_policy(const struct scenario *s, int ranks)
{
    struct replay_policy policy = policy_written(s);
    explored_add(s, &policy);
    int from, to;
    if (scenario_slow_link(s, ranks, &from, &to)) {
        policy.link_from = (uint32_t)from;
        policy.link_to = (uint32_t)to;
    } else if (s->delays == REPLAY_DELAY_SLOW_LINK) {
        policy.delay = REPLAY_DELAY_NONE;
    }
    return policy;
}

/* The words of a policy that can be read, by key. */
enum { READ_BUFFERING, READ_DELAY, READ_ORDER, READ_SEED, READ_KEYS };
static const char *const read_key[READ_KEYS] = {"buffering", "delay", "order", "seed"};

/* Copies the parsed values into the fields; false if the fields cannot hold them. */
static bool policy_take(struct scenario *s, const struct replay_policy *policy, int key)
{
    const uint64_t bytes = policy->bytes;
    switch (key) {
    case READ_BUFFERING:
        if (policy->buffering == REPLAY_SEND_ONLY) {
            s->buffering = REPLAY_RENDEZVOUS;
            return names_take(s, &policy->send, true);
        }
        if ((int)policy->buffering >= SCENARIO_BUFFERINGS || bytes > 65535)
            return false;
        s->buffering = policy->buffering;
        if (s->buffering == REPLAY_EAGER_BYTES)
            s->eager_bytes = (int)bytes;
        else if (s->buffering == REPLAY_CREDITS)
            s->credits = (int)bytes;
        else if (s->buffering == REPLAY_POOL)
            s->pool_bytes = (int)bytes;
        return (s->buffering != REPLAY_CREDITS || bytes <= 255) &&
               (s->buffering != REPLAY_RANDOM || bytes == PERCENT);
    case READ_DELAY:
        if ((int)policy->delay >= SCENARIO_DELAYS)
            return false;
        s->delays = policy->delay;
        if (s->delays == REPLAY_DELAY_SLOW_LINK) {
            s->delays_seed = policy->link_from * SCENARIO_RANKS_MAX + policy->link_to;
            return policy->link_from < SCENARIO_RANKS_MAX && policy->link_to < SCENARIO_RANKS_MAX;
        }
        return policy_written(s).delay_ns == policy->delay_ns;
    case READ_ORDER:
        s->shuffle = policy->order == REPLAY_ORDER_RANDOM;
        s->explored &= policy->order == REPLAY_ORDER_EXPLORE;
        if (policy->order == REPLAY_ORDER_EXPLORE)
            return names_take(s, &policy->forced, false);
        return policy->order != REPLAY_ORDER_LIST;
    default:
        if (s->delays == REPLAY_DELAY_SLOW_LINK) /* the link is all that counts */
            return true;
        s->delays_seed = (unsigned)policy->seed;
        return policy->seed < SCENARIO_RANKS_MAX * SCENARIO_RANKS_MAX;
    }
}

size_t scenario_schedule_print(const struct scenario *s, char *text, size_t room)
{
    struct replay_policy policy = policy_written(s);
    explored_add(s, &policy);
    size_t used = 0;
    for (int key = 0; key < READ_KEYS && used < room; key++) {
        if (key == READ_SEED && policy.delay == REPLAY_DELAY_SLOW_LINK)
            continue;
        char *value = replay_policy_value(&policy, read_key[key]);
        used = value ? used + (size_t)snprintf(text + used, room - used, "%s %s\n", read_key[key],
                                               value)
                     : room;
        free(value);
    }
    return used;
}

static void schedule_hear(enum core_status status, const char *message, void *context)
{
    (void)status;
    snprintf(context, 200, "%s", message + (strncmp(message, "policy: ", 8) ? 0 : 8));
}

static int key_of(const char *name)
{
    int key = 0;
    while (key < READ_KEYS && strcmp(read_key[key], name))
        key++;
    return key;
}

bool scenario_schedule_has(const char *key)
{
    return key_of(key) < READ_KEYS;
}

int scenario_schedule_parse(struct scenario *s, const char *name, const char *word,
                            char message[200])
{
    const int key = key_of(name);
    CORE_CHECK(key < READ_KEYS);
    struct replay_policy policy = policy_written(s);
    struct scenario before = *s;
    core_report_hook(schedule_hear, message);
    enum core_status status = replay_policy_set(&policy, read_key[key], word);
    if (status == CORE_OK)
        status = replay_policy_check(&policy, REPLAY_IN_PROCESS);
    core_report_hook(NULL, NULL);
    if (status == CORE_OK && !policy_take(s, &policy, key)) {
        snprintf(message, 200,
                 "a scenario cannot hold '%.9s=%.40s'; its sizes are random:%d, uniform:%d, "
                 "heavy:%d, speeds:%d, a seed below %d, numbers of 16 bits",
                 read_key[key], word, PERCENT, UNIFORM_NS, HEAVY_NS, SPEEDS_NS,
                 SCENARIO_RANKS_MAX * SCENARIO_RANKS_MAX);
        *s = before;
        status = CORE_LIMIT;
    }
    replay_policy_done(&policy);
    return status == CORE_OK ? 0 : -1;
}
