/* The policy's text form, both ways. */
#include "replay/policy/policy.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

enum argument {
    ARGUMENT_NONE,
    ARGUMENT_SIZE,
    ARGUMENT_NUMBER,
    ARGUMENT_PERCENT,
    ARGUMENT_LINK,
    ARGUMENT_LIST
};

struct form { /* one way to fill a word */
    const char *text;
    int value;
    enum argument argument;
    const char *help;
};

static const struct form buffering_form[] = {
    {"rendezvous", REPLAY_RENDEZVOUS, ARGUMENT_NONE, NULL},
    {"eager", REPLAY_EAGER, ARGUMENT_NONE, NULL},
    {"eager", REPLAY_EAGER_BYTES, ARGUMENT_SIZE, "eager:BYTES"},
    {"credits", REPLAY_CREDITS, ARGUMENT_NUMBER, "credits:N"},
    {"pool", REPLAY_POOL, ARGUMENT_SIZE, "pool:BYTES"},
    {"random", REPLAY_RANDOM, ARGUMENT_PERCENT, "random:P with P from 0 to 100"},
    {"list", REPLAY_SEND_LIST, ARGUMENT_LIST, "list:RANK.EVENT,..."},
    {"only", REPLAY_SEND_ONLY, ARGUMENT_LIST, "only:RANK.EVENT,..."},
    {NULL, 0, 0, NULL},
};
static const struct form delay_form[] = {
    {"none", REPLAY_DELAY_NONE, ARGUMENT_NONE, NULL},
    {"uniform", REPLAY_DELAY_UNIFORM, ARGUMENT_NUMBER, "uniform:NS"},
    {"exponential", REPLAY_DELAY_EXPONENTIAL, ARGUMENT_NUMBER, "exponential:NS"},
    {"heavy", REPLAY_DELAY_HEAVY, ARGUMENT_NUMBER, "heavy:NS"},
    {"slow-rank", REPLAY_DELAY_SLOW_RANK, ARGUMENT_NUMBER, "slow-rank:RANK"},
    {"slow-link", REPLAY_DELAY_SLOW_LINK, ARGUMENT_LINK, "slow-link:FROM-TO"},
    {"recorded", REPLAY_DELAY_RECORDED, ARGUMENT_NONE, NULL},
    {"swarm", REPLAY_DELAY_SWARM, ARGUMENT_NONE, NULL},
    {NULL, 0, 0, NULL},
};
static const struct form order_form[] = {
    {"recorded", REPLAY_ORDER_RECORDED, ARGUMENT_NONE, NULL},
    {"first", REPLAY_ORDER_FIRST, ARGUMENT_NONE, NULL},
    {"random", REPLAY_ORDER_RANDOM, ARGUMENT_NONE, NULL},
    {"list", REPLAY_ORDER_LIST, ARGUMENT_LIST, "list:RANK.EVENT=SOURCE,..."},
    {NULL, 0, 0, NULL},
};
static const struct form coll_form[] = {
    {"synchronising", REPLAY_SYNCHRONISING, ARGUMENT_NONE, NULL},
    {"relaxed", REPLAY_RELAXED, ARGUMENT_NONE, NULL},
    {NULL, 0, 0, NULL},
};
static const struct form threads_form[] = {
    {"free", REPLAY_THREADS_FREE, ARGUMENT_NONE, NULL},
    {"recorded", REPLAY_THREADS_RECORDED, ARGUMENT_NONE, NULL},
    {NULL, 0, 0, NULL},
};

void replay_policy_init(struct replay_policy *policy)
{
    *policy = (struct replay_policy){.seed = 1};
}

void replay_policy_done(struct replay_policy *policy)
{
    if (!policy)
        return;
    free(policy->send);
    free(policy->forced);
    *policy = (struct replay_policy){0};
}

/* Arrays have room for the next power of two, so that no room need be stored. */
static size_t room_of(uint32_t count)
{
    size_t room = 1;
    while (room < count)
        room *= 2;
    return room;
}

enum core_status replay_policy_copy(const struct replay_policy *policy,
                                    struct replay_policy *out_policy)
{
    struct replay_policy made = *policy;
    made.send = policy->send_count ? malloc(room_of(policy->send_count) * sizeof *made.send) : NULL;
    made.forced =
        policy->forced_count ? malloc(room_of(policy->forced_count) * sizeof *made.forced) : NULL;
    if ((policy->send_count && !made.send) || (policy->forced_count && !made.forced)) {
        free(made.send);
        free(made.forced);
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    }
    if (made.send)
        memcpy(made.send, policy->send, policy->send_count * sizeof *made.send);
    if (made.forced)
        memcpy(made.forced, policy->forced, policy->forced_count * sizeof *made.forced);
    *out_policy = made;
    return CORE_OK;
}

static void *room_for_one_more(void *array, uint32_t count, size_t element)
{
    if (array && count < room_of(count))
        return array;
    return realloc(array, room_of(count + 1) * element);
}

enum core_status replay_policy_add_send(struct replay_policy *policy, uint32_t rank, uint64_t id)
{
    uint32_t at = policy->send_count;
    while (at && (policy->send[at - 1].rank > rank ||
                  (policy->send[at - 1].rank == rank && policy->send[at - 1].id > id)))
        at--;
    if (at && policy->send[at - 1].rank == rank && policy->send[at - 1].id == id)
        return CORE_OK;
    if (policy->send_count == REPLAY_POLICY_LIST_MAX)
        return core_report(CORE_LIMIT, "a policy names more than %d sends", REPLAY_POLICY_LIST_MAX);
    void *larger = room_for_one_more(policy->send, policy->send_count, sizeof *policy->send);
    if (!larger)
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    policy->send = larger;
    memmove(policy->send + at + 1, policy->send + at,
            (policy->send_count - at) * sizeof *policy->send);
    policy->send[at] = (struct replay_send_name){.rank = rank, .id = id};
    policy->send_count++;
    return CORE_OK;
}

enum core_status replay_policy_add_forced(struct replay_policy *policy, uint32_t rank, uint64_t id,
                                          int32_t source)
{
    uint32_t at = policy->forced_count;
    while (at && (policy->forced[at - 1].rank > rank ||
                  (policy->forced[at - 1].rank == rank && policy->forced[at - 1].id > id)))
        at--;
    if (at && policy->forced[at - 1].rank == rank && policy->forced[at - 1].id == id) {
        policy->forced[at - 1].source = source;
        return CORE_OK;
    }
    if (policy->forced_count == REPLAY_POLICY_LIST_MAX)
        return core_report(CORE_LIMIT, "a policy forces more than %d matches",
                           REPLAY_POLICY_LIST_MAX);
    void *larger = room_for_one_more(policy->forced, policy->forced_count, sizeof *policy->forced);
    if (!larger)
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    policy->forced = larger;
    memmove(policy->forced + at + 1, policy->forced + at,
            (policy->forced_count - at) * sizeof *policy->forced);
    policy->forced[at] = (struct replay_forced){.rank = rank, .id = id, .source = source};
    policy->forced_count++;
    return CORE_OK;
}

/* Digits only, at *text; moves it behind them. */
static bool number(const char **text, uint64_t max, uint64_t *out_value)
{
    uint64_t value = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == *text || value > max)
        return false;
    *text = at;
    *out_value = value;
    return true;
}

static bool size(const char **text, uint64_t *out_value)
{
    uint64_t value;
    if (!number(text, UINT64_MAX, &value))
        return false;
    if (**text && strchr("kKMG", **text)) {
        int shift = **text == 'G' ? 30 : **text == 'M' ? 20 : 10;
        if (value > UINT64_MAX >> shift)
            return false;
        value <<= shift;
        ++*text;
    }
    *out_value = value;
    return true;
}

static bool character(const char **text, char wanted)
{
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

static enum core_status parse_list(struct replay_policy *policy, const char **text, bool forced,
                                   bool *out_good)
{
    enum core_status status = CORE_OK;
    bool good = true;

    while (**text && good && status == CORE_OK) {
        uint64_t rank, id, source = 0;
        good = number(text, UINT32_MAX, &rank) && character(text, '.') &&
               number(text, UINT64_MAX, &id);
        if (good && forced)
            good = character(text, '=') && number(text, INT32_MAX, &source);
        if (good && **text == ',')
            good = *++*text != 0;
        else if (good)
            good = **text == 0;
        if (good && forced)
            status = replay_policy_add_forced(policy, (uint32_t)rank, id, (int32_t)source);
        else if (good)
            status = replay_policy_add_send(policy, (uint32_t)rank, id);
    }
    *out_good = good;
    return status;
}

/* What follows the colon. */
static enum core_status parse_argument(struct replay_policy *policy, const struct form *forms,
                                       const struct form *form, const char *text, bool *out_good)
{
    bool is_buffering = forms == buffering_form, good = false;
    uint64_t value = 0, to = 0;

    switch (form->argument) {
    case ARGUMENT_LIST:
        return parse_list(policy, &text, forms == order_form, out_good);
    case ARGUMENT_SIZE:
        good = size(&text, &value);
        break;
    case ARGUMENT_NUMBER:
        good = number(&text, UINT64_MAX, &value);
        break;
    case ARGUMENT_PERCENT:
        good = number(&text, 100, &value);
        break;
    case ARGUMENT_LINK:
        good = number(&text, UINT32_MAX, &value) && *text == '-';
        text += good;
        good = good && number(&text, UINT32_MAX, &to);
        policy->link_from = (uint32_t)value;
        policy->link_to = (uint32_t)to;
        value = 0;
        break;
    case ARGUMENT_NONE:
        break;
    }
    if (is_buffering)
        policy->bytes = value;
    else
        policy->delay_ns = value;
    *out_good = good && *text == 0;
    return CORE_OK;
}

static enum core_status refuse(const char *key, const char *value, const struct form *forms)
{
    char known[400];
    size_t used = 0;
    for (const struct form *form = forms; form->text; form++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 form == forms ? "" : ", ", form->help ? form->help : form->text);
    return core_report(CORE_BAD_INPUT, "policy: '%s=%.60s' means nothing; %s= takes: %s", key,
                       value, key, known);
}

static enum core_status parse_word(struct replay_policy *policy, const char *key, const char *value,
                                   const struct form *forms, int *out_value)
{
    const char *colon = strchr(value, ':');
    size_t length = colon ? (size_t)(colon - value) : strlen(value);
    for (const struct form *form = forms; form->text; form++) {
        bool good = true;
        if (strlen(form->text) != length || strncmp(form->text, value, length) != 0 ||
            !colon != (form->argument == ARGUMENT_NONE))
            continue;
        if (colon) {
            enum core_status status = parse_argument(policy, forms, form, colon + 1, &good);
            if (status != CORE_OK)
                return status;
        }
        if (!good)
            break;
        *out_value = form->value;
        return CORE_OK;
    }
    return refuse(key, value, forms);
}

static enum core_status parse_pair(struct replay_policy *policy, char *word, unsigned *seen)
{
    static const char *const keys[] = {"buffering", "delay", "order", "coll", "threads", "seed"};
    enum { KEYS = sizeof keys / sizeof *keys };
    char *value = strchr(word, '=');
    unsigned key = 0;

    if (value)
        *value++ = 0;
    while (key < KEYS && strcmp(keys[key], word) != 0)
        key++;
    if (key == KEYS || !value)
        return core_report(CORE_BAD_INPUT,
                           "policy: '%.60s' is no setting; use buffering=, delay=, order=, coll=, "
                           "threads= or seed=",
                           word);
    if (*seen & 1u << key)
        return core_report(CORE_BAD_INPUT, "policy: '%s=' is set twice; leave one", word);
    *seen |= 1u << key;
    int chosen = 0;
    enum core_status status = CORE_OK;
    switch (key) {
    case 0:
        status = parse_word(policy, word, value, buffering_form, &chosen);
        policy->buffering = (enum replay_buffering)chosen;
        break;
    case 1:
        status = parse_word(policy, word, value, delay_form, &chosen);
        policy->delay = (enum replay_delay)chosen;
        break;
    case 2:
        status = parse_word(policy, word, value, order_form, &chosen);
        policy->order = (enum replay_order)chosen;
        break;
    case 3:
        status = parse_word(policy, word, value, coll_form, &chosen);
        policy->coll = (enum replay_coll)chosen;
        break;
    case 4:
        status = parse_word(policy, word, value, threads_form, &chosen);
        policy->threads = (enum replay_threads)chosen;
        break;
    default: {
        const char *at = value;
        if (!number(&at, UINT64_MAX, &policy->seed) || *at)
            status = core_report(CORE_BAD_INPUT,
                                 "policy: 'seed=%.60s' is no number; use seed=1, seed=2...", value);
    }
    }
    return status;
}

enum core_status replay_policy_parse(const char *text, struct replay_policy *out_policy)
{
    struct replay_policy made;
    enum core_status status = CORE_OK;
    unsigned seen = 0;

    replay_policy_init(&made);
    char *copy = strdup(text ? text : "");
    if (!copy)
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    char *rest = copy;
    for (char *word; status == CORE_OK && (word = strsep(&rest, " \t\n"));)
        if (*word)
            status = parse_pair(&made, word, &seen);
    free(copy);
    if (status != CORE_OK) {
        replay_policy_done(&made);
        return status;
    }
    *out_policy = made;
    return CORE_OK;
}

static const char *form_text(const struct form *forms, int value)
{
    for (; forms->text; forms++)
        if (forms->value == value)
            return forms->text;
    CORE_CHECK(!"a policy of known values");
}

char *replay_policy_text(const struct replay_policy *policy)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "buffering=%s", form_text(buffering_form, policy->buffering));
    switch (policy->buffering) {
    case REPLAY_RENDEZVOUS:
    case REPLAY_EAGER:
        break;
    case REPLAY_SEND_LIST:
    case REPLAY_SEND_ONLY:
        putc(':', out);
        for (uint32_t i = 0; i < policy->send_count; i++)
            fprintf(out, "%s%" PRIu32 ".%" PRIu64, i ? "," : "", policy->send[i].rank,
                    policy->send[i].id);
        break;
    default:
        fprintf(out, ":%" PRIu64, policy->bytes);
    }
    fprintf(out, " delay=%s", form_text(delay_form, policy->delay));
    switch (policy->delay) {
    case REPLAY_DELAY_NONE:
    case REPLAY_DELAY_RECORDED:
    case REPLAY_DELAY_SWARM:
        break;
    case REPLAY_DELAY_SLOW_LINK:
        fprintf(out, ":%" PRIu32 "-%" PRIu32, policy->link_from, policy->link_to);
        break;
    default:
        fprintf(out, ":%" PRIu64, policy->delay_ns);
    }
    fprintf(out, " order=%s", form_text(order_form, policy->order));
    if (policy->order == REPLAY_ORDER_LIST) {
        putc(':', out);
        for (uint32_t i = 0; i < policy->forced_count; i++)
            fprintf(out, "%s%" PRIu32 ".%" PRIu64 "=%" PRId32, i ? "," : "", policy->forced[i].rank,
                    policy->forced[i].id, policy->forced[i].source);
    }
    fprintf(out, " coll=%s", form_text(coll_form, policy->coll));
    if (policy->threads != REPLAY_THREADS_FREE)
        fprintf(out, " threads=%s", form_text(threads_form, policy->threads));
    fprintf(out, " seed=%" PRIu64, policy->seed);
    bool bad = ferror(out);
    if (fclose(out) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}
