/* Reads and writes the policy's text form, with one table that also says which place supports what.
 * To add a buffering, delay or order, add a row here and a case where it is decided (policy.h,
 * delays.c, the engine's order). */
#include "replay/policy/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"

enum key { KEY_BUFFERING, KEY_DELAY, KEY_ORDER, KEY_COLL, KEY_THREADS, KEY_LOADS, KEY_SEED, KEYS };

static const char *const key_name[KEYS] = {"buffering", "delay", "order", "coll",
                                           "threads",   "loads", "seed"};

enum argument {
    ARGUMENT_NONE,
    ARGUMENT_SIZE, /* a number that takes K, M, G */
    ARGUMENT_RANK,
    ARGUMENT_PERCENT,
    ARGUMENT_LINK,
    ARGUMENT_NAMES,
    ARGUMENT_MATCHES,
    ARGUMENT_ANSWERS /* optional answers */
};

enum {
    OFFLINE = 1 << REPLAY_OFFLINE,
    LIVE = 1 << REPLAY_LIVE,
    WORLD = 1 << REPLAY_IN_PROCESS,
    EVERYWHERE = OFFLINE | LIVE | WORLD,
    CHANCE = 1 << REPLAY_PLACES /* the value draws from the seed */
};

static const char *const place_name[REPLAY_PLACES] = {"offline", "live", "in process"};

static const struct row { /* one value of a word */
    enum key key;
    const char *text;
    int value;
    enum argument argument;
    unsigned places; /* and CHANCE */
    const char *help;
} rows[] = {
    {KEY_BUFFERING, "rendezvous", REPLAY_RENDEZVOUS, ARGUMENT_NONE, EVERYWHERE, "rendezvous"},
    {KEY_BUFFERING, "eager", REPLAY_EAGER, ARGUMENT_NONE, EVERYWHERE, "eager"},
    {KEY_BUFFERING, "eager", REPLAY_EAGER_BYTES, ARGUMENT_SIZE, EVERYWHERE, "eager:BYTES"},
    {KEY_BUFFERING, "credits", REPLAY_CREDITS, ARGUMENT_SIZE, OFFLINE | WORLD, "credits:N"},
    {KEY_BUFFERING, "pool", REPLAY_POOL, ARGUMENT_SIZE, OFFLINE | WORLD, "pool:BYTES"},
    {KEY_BUFFERING, "random", REPLAY_RANDOM, ARGUMENT_PERCENT, EVERYWHERE | CHANCE,
     "random:P with P from 0 to 100"},
    {KEY_BUFFERING, "list", REPLAY_SEND_LIST, ARGUMENT_NAMES, EVERYWHERE, "list:RANK.EVENT,..."},
    {KEY_BUFFERING, "only", REPLAY_SEND_ONLY, ARGUMENT_NAMES, EVERYWHERE, "only:RANK.EVENT,..."},
    {KEY_DELAY, "none", REPLAY_DELAY_NONE, ARGUMENT_NONE, EVERYWHERE, "none"},
    {KEY_DELAY, "uniform", REPLAY_DELAY_UNIFORM, ARGUMENT_SIZE, EVERYWHERE | CHANCE, "uniform:NS"},
    {KEY_DELAY, "exponential", REPLAY_DELAY_EXPONENTIAL, ARGUMENT_SIZE, EVERYWHERE | CHANCE,
     "exponential:NS"},
    {KEY_DELAY, "heavy", REPLAY_DELAY_HEAVY, ARGUMENT_SIZE, EVERYWHERE | CHANCE, "heavy:NS"},
    {KEY_DELAY, "slow-rank", REPLAY_DELAY_SLOW_RANK, ARGUMENT_RANK, EVERYWHERE, "slow-rank:RANK"},
    {KEY_DELAY, "slow-link", REPLAY_DELAY_SLOW_LINK, ARGUMENT_LINK, EVERYWHERE,
     "slow-link:FROM-TO"},
    {KEY_DELAY, "speeds", REPLAY_DELAY_SPEEDS, ARGUMENT_SIZE, LIVE | WORLD | CHANCE, "speeds:NS"},
    {KEY_DELAY, "recorded", REPLAY_DELAY_RECORDED, ARGUMENT_NONE, OFFLINE | LIVE, "recorded"},
    {KEY_DELAY, "swarm", REPLAY_DELAY_SWARM, ARGUMENT_NONE, EVERYWHERE | CHANCE, "swarm"},
    {KEY_ORDER, "recorded", REPLAY_ORDER_RECORDED, ARGUMENT_NONE, EVERYWHERE, "recorded"},
    {KEY_ORDER, "first", REPLAY_ORDER_FIRST, ARGUMENT_NONE, EVERYWHERE, "first"},
    {KEY_ORDER, "random", REPLAY_ORDER_RANDOM, ARGUMENT_NONE, OFFLINE | WORLD | CHANCE, "random"},
    {KEY_ORDER, "list", REPLAY_ORDER_LIST, ARGUMENT_MATCHES, OFFLINE | LIVE,
     "list:RANK.EVENT=SOURCE,..."},
    {KEY_ORDER, "explore", REPLAY_ORDER_EXPLORE, ARGUMENT_ANSWERS, LIVE | WORLD,
     "explore or explore:RANK.NUMBER=ANSWER,..."},
    {KEY_COLL, "synchronising", REPLAY_SYNCHRONISING, ARGUMENT_NONE, EVERYWHERE, "synchronising"},
    {KEY_COLL, "relaxed", REPLAY_RELAXED, ARGUMENT_NONE, EVERYWHERE, "relaxed"},
    {KEY_COLL, "strict", REPLAY_STRICT, ARGUMENT_NONE, OFFLINE, "strict"},
    {KEY_THREADS, "free", REPLAY_THREADS_FREE, ARGUMENT_NONE, EVERYWHERE, "free"},
    {KEY_THREADS, "recorded", REPLAY_THREADS_RECORDED, ARGUMENT_NONE, EVERYWHERE, "recorded"},
    {KEY_LOADS, "free", REPLAY_LOADS_FREE, ARGUMENT_NONE, EVERYWHERE, "free"},
    {KEY_LOADS, "turns", REPLAY_LOADS_TURNS, ARGUMENT_NONE, LIVE | WORLD, "turns"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int value_of(const struct replay_policy *policy, enum key key)
{
    switch (key) {
    case KEY_BUFFERING:
        return policy->buffering;
    case KEY_DELAY:
        return policy->delay;
    case KEY_ORDER:
        return policy->order;
    case KEY_COLL:
        return policy->coll;
    case KEY_THREADS:
        return policy->threads;
    case KEY_LOADS:
        return policy->loads;
    case KEY_SEED:
    case KEYS:
        break;
    }
    return 0;
}

static void value_set(struct replay_policy *policy, enum key key, int value)
{
    switch (key) {
    case KEY_BUFFERING:
        policy->buffering = (enum replay_buffering)value;
        break;
    case KEY_DELAY:
        policy->delay = (enum replay_delay)value;
        break;
    case KEY_ORDER:
        policy->order = (enum replay_order)value;
        break;
    case KEY_COLL:
        policy->coll = (enum replay_coll)value;
        break;
    case KEY_THREADS:
        policy->threads = (enum replay_threads)value;
        break;
    case KEY_LOADS:
        policy->loads = (enum replay_loads)value;
        break;
    case KEY_SEED:
    case KEYS:
        break;
    }
}

static const struct row *row_of(const struct replay_policy *policy, enum key key)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->key == key && row->value == value_of(policy, key))
            return row;
    CORE_CHECK(!"a policy of known values");
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads digits at *text and moves it past them. */
static bool grammar_number(const char **text, uint64_t max, uint64_t *out_value)
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

static bool grammar_size(const char **text, uint64_t *out_value)
{
    uint64_t value;
    if (!grammar_number(text, UINT64_MAX, &value))
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

static bool grammar_character(const char **text, char wanted)
{
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

bool replay_name_read(const char **text, bool sources, struct replay_name *out_name)
{
    uint64_t rank, source = 0;
    *out_name = (struct replay_name){0};
    if (!grammar_number(text, UINT32_MAX, &rank) || !grammar_character(text, '.'))
        return false;
    out_name->by_number = grammar_character(text, '#');
    if (!grammar_number(text, UINT64_MAX, &out_name->id))
        return false;
    if (sources && (!grammar_character(text, '=') || !grammar_number(text, INT32_MAX, &source)))
        return false;
    out_name->rank = (uint32_t)rank;
    out_name->source = (int32_t)source;
    return true;
}

static enum core_status parse_names(const char *text, bool sources, struct replay_names *names,
                                    bool *out_good)
{
    enum core_status status = CORE_OK;
    bool good = true;

    names->count = 0;
    while (*text && good && status == CORE_OK) {
        struct replay_name name;
        good = replay_name_read(&text, sources, &name);
        if (good && *text == ',')
            good = *++text != 0;
        else if (good)
            good = *text == 0;
        if (good)
            status = replay_policy_add(names, &name);
    }
    *out_good = good;
    return status;
}

/* Reads the part after the colon. */
static enum core_status parse_argument(struct replay_policy *policy, const struct row *row,
                                       const char *text, bool *out_good)
{
    uint64_t *value = row->key == KEY_BUFFERING ? &policy->bytes : &policy->delay_ns, from, to;
    bool good = false;

    switch (row->argument) {
    case ARGUMENT_NAMES:
        return parse_names(text, false, &policy->send, out_good);
    case ARGUMENT_MATCHES:
    case ARGUMENT_ANSWERS:
        return parse_names(text, true, &policy->forced, out_good);
    case ARGUMENT_SIZE:
        good = grammar_size(&text, value);
        break;
    case ARGUMENT_RANK:
        good = grammar_number(&text, UINT64_MAX, value);
        break;
    case ARGUMENT_PERCENT:
        good = grammar_number(&text, 100, value);
        break;
    case ARGUMENT_LINK:
        good = grammar_number(&text, UINT32_MAX, &from) && grammar_character(&text, '-') &&
               grammar_number(&text, UINT32_MAX, &to);
        if (good) {
            policy->link_from = (uint32_t)from;
            policy->link_to = (uint32_t)to;
        }
        break;
    case ARGUMENT_NONE:
        break;
    }
    *out_good = good && *text == 0;
    return CORE_OK;
}

/* Lists the values of a key that are supported at some of the places. */
static void grammar_known(enum key key, unsigned places, char text[500])
{
    size_t used = 0;
    text[0] = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->key == key && row->places & places && used < 400)
            used += (size_t)snprintf(text + used, 500 - used, "%s%s", used ? ", " : "", row->help);
}

void replay_policy_words(const char *key, FILE *file)
{
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        CORE_CHECK(row->key < KEY_SEED); /* any number is a seed */
        bool only = key && !strcmp(key, key_name[row->key]);
        if (row->places & (OFFLINE | LIVE) && (!key || only))
            fprintf(file, "%s%s%s%s\n", only ? "" : key_name[row->key], only ? "" : "=", row->text,
                    row->argument == ARGUMENT_NONE ? "" : ":");
    }
}

static bool takes_argument(const struct row *row, bool given)
{
    return row->argument == ARGUMENT_ANSWERS || given == (row->argument != ARGUMENT_NONE);
}

static enum core_status parse_value(struct replay_policy *policy, enum key key, const char *value)
{
    const char *colon = strchr(value, ':');
    size_t length = colon ? (size_t)(colon - value) : strlen(value);
    char takes[500];

    for (const struct row *row = rows; row < rows + ROWS; row++) {
        bool good = true;
        if (row->key != key || strlen(row->text) != length ||
            strncmp(row->text, value, length) != 0 || !takes_argument(row, colon != NULL))
            continue;
        if (colon) {
            enum core_status status = parse_argument(policy, row, colon + 1, &good);
            if (status != CORE_OK)
                return status;
        }
        if (!good)
            break;
        value_set(policy, key, row->value);
        return CORE_OK;
    }
    grammar_known(key, EVERYWHERE, takes);
    return core_report(CORE_BAD_INPUT, "policy: '%s=%.60s' is not valid; %s= takes: %s",
                       key_name[key], value, key_name[key], takes);
}

static enum core_status parse_seed(struct replay_policy *policy, const char *value)
{
    const char *at = value;
    uint64_t seed;
    if (!grammar_number(&at, UINT64_MAX, &seed) || *at)
        return core_report(CORE_BAD_INPUT,
                           "policy: 'seed=%.60s' is not a number; use seed=1, seed=2...", value);
    policy->seed = seed;
    return CORE_OK;
}

static enum key key_of(const char *name)
{
    unsigned key = 0;
    while (key < KEYS && strcmp(key_name[key], name) != 0)
        key++;
    return key;
}

static enum core_status parse_word(struct replay_policy *policy, const char *name,
                                   const char *value, unsigned *seen)
{
    const enum key key = key_of(name);
    if (key == KEYS || !value)
        return core_report(
            CORE_BAD_INPUT,
            "policy: '%.60s' is not a setting; use buffering=, delay=, order=, coll=, "
            "threads=, loads= or seed=",
            name);
    if (*seen & 1u << key)
        return core_report(CORE_BAD_INPUT, "policy: '%s=' is set twice; leave one", name);
    *seen |= 1u << key;
    return key == KEY_SEED ? parse_seed(policy, value) : parse_value(policy, key, value);
}

enum core_status replay_policy_set(struct replay_policy *policy, const char *key, const char *value)
{
    unsigned seen = 0;
    return parse_word(policy, key, value, &seen);
}

enum core_status replay_policy_read(struct replay_policy *policy, const char *text)
{
    enum core_status status = CORE_OK;
    unsigned seen = 0;
    char *copy = strdup(text ? text : ""), *rest = copy;

    if (!copy)
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    for (char *word; status == CORE_OK && (word = strsep(&rest, " \t\n"));) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        if (*word || value)
            status = parse_word(policy, word, value, &seen);
    }
    free(copy);
    return status;
}

enum core_status replay_policy_parse(const char *text, enum replay_place place,
                                     struct replay_policy *out_policy)
{
    struct replay_policy made;

    replay_policy_init(&made);
    if (place == REPLAY_IN_PROCESS) {
        made.buffering = REPLAY_EAGER;
        made.order = REPLAY_ORDER_EXPLORE;
    }
    enum core_status status = replay_policy_read(&made, text);
    if (status == CORE_OK)
        status = replay_policy_check(&made, place);
    if (status != CORE_OK) {
        replay_policy_done(&made);
        return status;
    }
    *out_policy = made;
    return CORE_OK;
}

/* --- places ----------------------------------------------------------------------------------- */

static enum core_status check_names(const struct replay_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (names->name[i].by_number)
            return core_report(CORE_UNSUPPORTED,
                               "policy: '%" PRIu32 ".#%" PRIu64
                               "' names a call by its number, which is not possible offline; name "
                               "its event, as in %" PRIu32 ".17",
                               names->name[i].rank, names->name[i].id, names->name[i].rank);
    return CORE_OK;
}

enum core_status replay_policy_check(const struct replay_policy *policy, enum replay_place place)
{
    enum core_status status = CORE_OK;

    for (unsigned key = 0; key < KEY_SEED && status == CORE_OK; key++) {
        const struct row *row = row_of(policy, key);
        char takes[500];
        if (row->places & 1u << place)
            continue;
        grammar_known(key, 1u << place, takes);
        status =
            core_report(CORE_UNSUPPORTED, "policy: '%s=%s' is not possible %s; there %s= takes: %s",
                        key_name[key], row->text, place_name[place], key_name[key], takes);
    }
    if (status == CORE_OK && place == REPLAY_OFFLINE)
        status = check_names(&policy->send);
    if (status == CORE_OK && place == REPLAY_OFFLINE)
        status = check_names(&policy->forced);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

void replay_name_write(const struct replay_name *name, bool source, FILE *file)
{
    fprintf(file, "%" PRIu32 ".%s%" PRIu64, name->rank, name->by_number ? "#" : "", name->id);
    if (source)
        fprintf(file, "=%" PRId32, name->source);
}

static void write_names(const struct replay_names *names, bool sources, FILE *out)
{
    for (uint32_t i = 0; i < names->count; i++) {
        fputs(i ? "," : "", out);
        replay_name_write(&names->name[i], sources, out);
    }
}

static void write_value(const struct replay_policy *policy, enum key key, FILE *out)
{
    if (key == KEY_SEED) {
        fprintf(out, "%" PRIu64, policy->seed);
        return;
    }
    const struct row *row = row_of(policy, key);
    bool bare = row->argument == ARGUMENT_NONE ||
                (row->argument == ARGUMENT_ANSWERS && !policy->forced.count);
    fprintf(out, "%s%s", row->text, bare ? "" : ":");
    switch (row->argument) {
    case ARGUMENT_NONE:
        break;
    case ARGUMENT_NAMES:
        write_names(&policy->send, false, out);
        break;
    case ARGUMENT_MATCHES:
    case ARGUMENT_ANSWERS:
        write_names(&policy->forced, true, out);
        break;
    case ARGUMENT_LINK:
        fprintf(out, "%" PRIu32 "-%" PRIu32, policy->link_from, policy->link_to);
        break;
    case ARGUMENT_SIZE:
    case ARGUMENT_RANK:
    case ARGUMENT_PERCENT:
        fprintf(out, "%" PRIu64, row->key == KEY_BUFFERING ? policy->bytes : policy->delay_ns);
    }
}

/* Tells whether the canonical text has the word. */
static bool is_written(const struct replay_policy *policy, enum key key)
{
    unsigned places = 0;
    switch (key) {
    case KEY_BUFFERING:
        return policy->order != REPLAY_ORDER_EXPLORE || policy->buffering != REPLAY_EAGER;
    case KEY_SEED:
        for (unsigned other = 0; other < KEY_SEED; other++)
            places |= row_of(policy, other)->places;
        return policy->seed != 1 || places & CHANCE;
    default:
        return value_of(policy, key) != 0;
    }
}

char *replay_policy_text(const struct replay_policy *policy)
{
    char *text = NULL;
    size_t bytes;
    const char *between = "";
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    for (unsigned key = 0; key < KEYS; key++) {
        if (!is_written(policy, key))
            continue;
        fprintf(out, "%s%s=", between, key_name[key]);
        write_value(policy, key, out);
        between = " ";
    }
    return core_text_close(out, &text);
}

char *replay_policy_value(const struct replay_policy *policy, const char *key)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    CORE_CHECK(key_of(key) < KEYS);
    write_value(policy, key_of(key), out);
    return core_text_close(out, &text);
}
