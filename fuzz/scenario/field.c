#include "fuzz/scenario/field.h"

#include <stdio.h>
#include <string.h>

#include "core/check.h"

static const char *const type_names[] = {
    "int",         "pair", "strided", "reversed",       "before",
    "behind",      "far",  "double",  "double-strided", "mixed",
    "mixed-apart", "byte", "huge",    "empty",          "many"};
static const char *const op_names[] = {"sum-int",          "sum-double",  "max-int",
                                       "user-sum-strided", "affine-int",  "affine-pair",
                                       "affine-strided",   "sum-rounded", "user-sum-behind",
                                       "affine-before",    "user-sum-far"};
static const char *const comm_names[] = {"world", "dup", "backwards", "part", "grid"};
static const char *const also_names[] = {"none", "dup", "backwards", "halves"};
static const char *const sizes_names[] = {"even", "uneven", "many-zero", "one"};
static const char *const places_names[] = {"packed", "backwards", "gaps",
                                           "mixed",  "shared",    "below"};
static const char *const growth_names[] = {"none", "up", "down"};
/* The older names, from before the policies' grammar, which are still read. */
static const char *const buffering_names[] = {"rendezvous", "eager",   "eager-bytes",
                                              "chosen",     "credits", "pool"};
static const char *const delays_names[] = {"none",      "uniform", "heavy",
                                           "slow-link", "speeds",  "swarm"};
static const char *const waiting_names[] = {"usual", "for-data", "for-all"};
static const char *const flag_names[] = {"no", "yes"};

#define AT(member) offsetof(struct scenario, member), sizeof(((struct scenario *)0)->member)

const struct field_row scenario_field_row[FIELDS] = {
    [FIELD_TARGET] = {"target", AT(target), 0, 255, NULL, {-9}, AS_COLLECTIVE},
    [FIELD_RANKS] = {"ranks",
                     AT(ranks),
                     1,
                     SCENARIO_RANKS_MAX,
                     NULL,
                     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, -9}},
    [FIELD_ROOT] = {"root", AT(root), 0, SCENARIO_RANKS_MAX - 1, NULL, {0, 1, 2, 3, 63, -9}},
    [FIELD_COUNT] =
        {"count", AT(count), 0, 4095, NULL, {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 17, -9}},
    [FIELD_TYPE] = {"type", AT(type), 0, SCENARIO_TYPES - 1, type_names, {-9}},
    [FIELD_TYPE_SEND] = {"type-send", AT(type_send), 0, SCENARIO_TYPES - 1, type_names, {-9}},
    [FIELD_OP] = {"op", AT(op), 0, SCENARIO_OPS - 1, op_names, {-9}},
    [FIELD_IN_PLACE] = {"in-place", AT(in_place), 0, 1, flag_names, {-9}},
    [FIELD_SIZES] = {"sizes", AT(sizes), 0, SCENARIO_SIZES - 1, sizes_names, {-9}},
    [FIELD_SIZES_SEED] = {"sizes-seed", AT(sizes_seed), 0, 255, NULL, {-9}},
    [FIELD_COMM] = {"communicator", AT(comm), 0, SCENARIO_COMMS - 1, comm_names, {-9}},
    [FIELD_CALLS] = {"calls", AT(calls), 1, SCENARIO_CALLS_MAX, NULL, {-9}},
    [FIELD_PARAMETER] = {"parameter", AT(parameter), 0, 255, NULL, {0, 1, 2, 3, 4, 8, -9}},
    [FIELD_DIMS] = {"dims", AT(dims), 1, 3, NULL, {-9}},
    [FIELD_PERIODS] = {"periods", AT(periods), 0, 7, NULL, {-9}},
    [FIELD_BUFFERING] =
        {"buffering", AT(buffering), 0, SCENARIO_BUFFERINGS - 1, buffering_names, {-9}, AS_POLICY},
    [FIELD_EAGER_BYTES] =
        {"eager-bytes", AT(eager_bytes), 0, 65535, NULL, {0, 1, 8, 64, 4096, -9}, AS_POLICY},
    [FIELD_SHUFFLE] = {"shuffle", AT(shuffle), 0, 1, flag_names, {-9}, AS_POLICY},
    [FIELD_LATE] = {"late", AT(late), 0, 1, flag_names, {-9}},
    [FIELD_TRAFFIC] = {"traffic", AT(traffic), 0, 1, flag_names, {-9}},
    [FIELD_SLOW] = {"slow", AT(slow), -1, SCENARIO_RANKS_MAX - 1, NULL, {-1, 0, 1, 2, -9}},
    [FIELD_CREDITS] = {"credits", AT(credits), 0, 255, NULL, {0, 1, 2, 3, 4, 8, -9}, AS_POLICY},
    [FIELD_POOL_BYTES] =
        {"pool-bytes", AT(pool_bytes), 0, 65535, NULL, {0, 4, 8, 16, 64, 4096, -9}, AS_POLICY},
    [FIELD_DELAYS] = {"delays", AT(delays), 0, SCENARIO_DELAYS - 1, delays_names, {-9}, AS_POLICY},
    [FIELD_DELAYS_SEED] = {"delays-seed",
                           AT(delays_seed),
                           0,
                           SCENARIO_RANKS_MAX *SCENARIO_RANKS_MAX - 1,
                           NULL,
                           {-9},
                           AS_POLICY},
    [FIELD_OTHER] = {"other", AT(other), 0, 255, NULL, {0, 0, 1, 2, 3, -9}, AS_COLLECTIVE},
    [FIELD_ROOT_STEP] = {"root-step", AT(root_step), 0, 7, NULL, {0, 1, -9}},
    [FIELD_GROWTH] = {"growth", AT(growth), 0, SCENARIO_GROWTHS - 1, growth_names, {-9}},
    [FIELD_PLACES] = {"places", AT(places), 0, SCENARIO_PLACES - 1, places_names, {-9}},
    [FIELD_ALSO] = {"also", AT(also), 0, SCENARIO_ALSO - 1, also_names, {-9}},
    [FIELD_ARRIVE] = {"arrive", AT(arrive), 0, 255, NULL, {0, 0, 1, -9}},
    [FIELD_GRAPH] = {"graph", AT(graph), 0, 1, flag_names, {-9}},
    [FIELD_FLIGHT] = {"flight", AT(flight), 1, SCENARIO_CALLS_MAX, NULL, {-9}},
    [FIELD_TESTED] = {"tested", AT(tested), 0, 1, flag_names, {-9}},
    [FIELD_FIRST_GROUP] =
        {"first-group", AT(first_group), 0, SCENARIO_RANKS_MAX - 1, NULL, {0, 1, 2, 3, 4, -9}},
    [FIELD_LOW_TAGS] = {"low-tags", AT(low_tags), 0, 1, flag_names, {-9}},
    [FIELD_EXPLORED] = {"explored", AT(explored), 0, 1, flag_names, {-9}, AS_POLICY},
    [FIELD_BLOCKS] = {"blocks", AT(blocks), 0, 65535, NULL, {-9}},
    [FIELD_ROOT_BEND] = {"root-bend", AT(root_bend), 0, 7, NULL, {0, -9}},
    [FIELD_WAITING] = {"waiting", AT(waiting), 0, 2, waiting_names, {0, -9}, AS_CHANGED},
};

int scenario_field_get(const struct scenario *s, enum field field)
{
    const char *at = (const char *)s + scenario_field_row[field].offset;
    int value;
    if (scenario_field_row[field].bytes == sizeof(bool))
        return *(const bool *)at;
    memcpy(&value, at, sizeof value);
    return value;
}

void scenario_field_set(struct scenario *s, enum field field, int value)
{
    char *at = (char *)s + scenario_field_row[field].offset;
    if (scenario_field_row[field].bytes == sizeof(bool))
        *(bool *)at = value != 0;
    else
        memcpy(at, &value, sizeof value);
}

/* --- narrowed to what is wanted --------------------------------------------------------------- */

/* Values that each field may have: bits for fields with names, two bounds for the others. */
static struct {
    bool given;
    int low, high;
    uint32_t names;
} allowed[FIELDS];
static bool narrowed;

void scenario_field_narrow(struct scenario *s)
{
    for (int f = 0; narrowed && f < FIELDS; f++) {
        int value = scenario_field_get(s, f), range = allowed[f].high - allowed[f].low + 1;
        if (!allowed[f].given)
            continue;
        if (value < allowed[f].low || value > allowed[f].high)
            value = allowed[f].low + (int)((unsigned)value % (unsigned)range);
        while (scenario_field_row[f].names && !(allowed[f].names >> value & 1))
            value = value < scenario_field_row[f].high ? value + 1 : scenario_field_row[f].low;
        scenario_field_set(s, f, value);
    }
}

static void allow_start(enum field f)
{
    if (!allowed[f].given) {
        allowed[f].low = scenario_field_row[f].low;
        allowed[f].high = scenario_field_row[f].high;
        allowed[f].names = ~0u;
    }
    allowed[f].given = narrowed = true;
}

int scenario_field_named(enum field f, const char *name, size_t length)
{
    for (int v = scenario_field_row[f].low;
         scenario_field_row[f].names && v <= scenario_field_row[f].high; v++)
        if (strlen(scenario_field_row[f].names[v]) == length &&
            !strncmp(scenario_field_row[f].names[v], name, length))
            return v;
    return -1;
}

/* Excludes a key, which keeps its default, or a value from any key that has it. */
static bool narrow_without(const char *name, size_t length)
{
    struct scenario plain;
    bool known = false;
    scenario_default(&plain);
    for (int f = FIELD_TARGET + 1; f < FIELDS; f++) {
        int value = scenario_field_named(f, name, length);
        if (strlen(scenario_field_row[f].key) == length &&
            !strncmp(scenario_field_row[f].key, name, length)) {
            allow_start(f);
            allowed[f].low = allowed[f].high = scenario_field_get(&plain, f);
            known = true;
        } else if (value > 0 && scenario_field_row[f].names != flag_names) {
            allow_start(f);
            allowed[f].names &= ~(1u << value);
            known = true;
        }
    }
    return known;
}

static bool narrow_to(enum field f, const char *value, size_t length)
{
    int low, high, end = 0;
    int named = scenario_field_named(f, value, length);
    if (named >= 0) {
        allow_start(f);
        if (allowed[f].names == ~0u)
            allowed[f].names = 0;
        allowed[f].names |= 1u << named;
        return true;
    }
    if (scenario_field_row[f].names)
        return false;
    if ((sscanf(value, "%d..%d%n", &low, &high, &end) == 2 && end == (int)length) ||
        (sscanf(value, "%d%n", &low, &end) == 1 && end == (int)length && ((high = low), true))) {
        allow_start(f);
        allowed[f].low = low;
        allowed[f].high = high;
        return low >= scenario_field_row[f].low && high <= scenario_field_row[f].high &&
               low <= high;
    }
    return false;
}

/* Reads one word: a key, or "without", and its values. */
static int narrow_word(const char *word, size_t length, char message[256])
{
    size_t key = strcspn(word, "=");
    bool without = key == 7 && !strncmp(word, "without", 7);
    enum field f = FIELD_TARGET + 1;
    while (
        !without && f < FIELDS &&
        (strlen(scenario_field_row[f].key) != key || strncmp(scenario_field_row[f].key, word, key)))
        f++;
    if (key >= length || f == FIELDS) {
        snprintf(message, 256, "a scenario has no '%.*s'", (int)(key < 60 ? key : 60), word);
        return -1;
    }
    for (const char *at = word + key + 1; at < word + length;) {
        size_t one = strcspn(at, ", ");
        if (!(without ? narrow_without(at, one) : narrow_to(f, at, one))) {
            snprintf(message, 256, "'%.*s' cannot be '%.*s'", (int)key, word, (int)one, at);
            return -1;
        }
        at += one + (at[one] == ',');
    }
    return 0;
}

int scenario_narrow(const char *words, char message[256])
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (length && narrow_word(at, length, message))
            return -1;
        at += length + (at[length] == ' ');
    }
    return 0;
}

bool scenario_allowed(const struct scenario *s)
{
    static struct scenario narrowed_to;
    narrowed_to = *s;
    scenario_field_narrow(&narrowed_to);
    for (int f = 0; f < FIELDS; f++)
        if (scenario_field_get(s, f) != scenario_field_get(&narrowed_to, f))
            return false;
    return true;
}

static enum field field_of(const char *key)
{
    enum field f = 0;
    while (f < FIELDS && strcmp(scenario_field_row[f].key, key))
        f++;
    CORE_CHECK(f < FIELDS);
    return f;
}

void scenario_set(struct scenario *s, const char *key, int value)
{
    scenario_field_set(s, field_of(key), value);
}

int scenario_get(const struct scenario *s, const char *key)
{
    return scenario_field_get(s, field_of(key));
}

void scenario_word(const struct scenario *s, const char *key, char word[32])
{
    enum field f = field_of(key);
    int value = scenario_field_get(s, f);
    if (scenario_field_row[f].names)
        snprintf(word, 32, "%s", scenario_field_row[f].names[value]);
    else
        snprintf(word, 32, "%d", value);
}

bool scenario_field_is_free(enum field f)
{
    return f < FIELD_EXPLORED && !(allowed[f].given && allowed[f].low == allowed[f].high);
}
