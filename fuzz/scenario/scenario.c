/* Scenarios as bytes and as text, and their mutation. See scenario.h. One table names every field
 * once: it decodes, encodes, prints, parses and mutates.
 *
 * Invariants
 *  1. In a scenario that was decoded or read, answers of order=explore are whole, and of ranks
 * below SCENARIO_RANKS_MAX: scenario_normalise drops all others. */
#include "fuzz/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/random.h"

static const char *const type_names[] = {
    "int",    "pair",           "strided", "reversed",    "before", "behind", "far",
    "double", "double-strided", "mixed",   "mixed-apart", "byte",   "huge"};
static const char *const op_names[] = {
    "sum-int",     "sum-double",     "max-int",     "user-sum-strided", "affine-int",
    "affine-pair", "affine-strided", "sum-rounded", "user-sum-behind",  "affine-before"};
static const char *const comm_names[] = {"world", "dup", "backwards", "part", "grid"};
static const char *const also_names[] = {"none", "dup", "backwards", "halves"};
static const char *const sizes_names[] = {"even", "uneven", "many-zero", "one"};
static const char *const places_names[] = {"packed", "backwards", "gaps", "mixed", "shared"};
static const char *const growth_names[] = {"none", "up", "down"};
/* As it was written before the policies' grammar came, and is still read. */
static const char *const buffering_names[] = {"rendezvous", "eager",   "eager-bytes",
                                              "chosen",     "credits", "pool"};
static const char *const delays_names[] = {"none",      "uniform", "heavy",
                                           "slow-link", "speeds",  "swarm"};
static const char *const flag_names[] = {"no", "yes"};

enum field {
    FIELD_TARGET,
    FIELD_RANKS,
    FIELD_ROOT,
    FIELD_COUNT,
    FIELD_TYPE,
    FIELD_TYPE_SEND,
    FIELD_OP,
    FIELD_IN_PLACE,
    FIELD_SIZES,
    FIELD_SIZES_SEED,
    FIELD_COMM,
    FIELD_CALLS,
    FIELD_PARAMETER,
    FIELD_DIMS,
    FIELD_PERIODS,
    FIELD_BUFFERING,
    FIELD_EAGER_BYTES,
    FIELD_SHUFFLE,
    FIELD_LATE,
    FIELD_TRAFFIC,
    FIELD_SLOW,
    FIELD_CREDITS,
    FIELD_POOL_BYTES,
    FIELD_DELAYS,
    FIELD_DELAYS_SEED,
    FIELD_OTHER,
    FIELD_ROOT_STEP,
    FIELD_GROWTH,
    FIELD_PLACES,
    FIELD_ALSO,
    FIELD_ARRIVE,
    FIELD_GRAPH,
    FIELD_FLIGHT,
    FIELD_TESTED,
    FIELD_FIRST_GROUP,
    FIELD_EXPLORED, /* from here on never by chance */
    FIELD_BLOCKS,
    FIELDS
};

/* How a field is written: a number or one of the names; in words of the policies' grammar; as the
 * name of a collective. */
enum written { AS_IT_IS, AS_POLICY, AS_COLLECTIVE };

struct field_row {
    const char *key;
    size_t offset, bytes; /* in struct scenario */
    int low, high;        /* inclusive; more than 256 values take two bytes */
    const char *const *names;
    int often[14]; /* values that tend to matter, ended by -9 */
    enum written written;
};
#define AT(member) offsetof(struct scenario, member), sizeof(((struct scenario *)0)->member)

static const struct field_row row[FIELDS] = {
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
    [FIELD_EXPLORED] = {"explored", AT(explored), 0, 1, flag_names, {-9}, AS_POLICY},
    [FIELD_BLOCKS] = {"blocks", AT(blocks), 0, 65535, NULL, {-9}},
};

static int field_get(const struct scenario *s, enum field field)
{
    const char *at = (const char *)s + row[field].offset;
    int value;
    if (row[field].bytes == sizeof(bool))
        return *(const bool *)at;
    memcpy(&value, at, sizeof value);
    return value;
}

static void field_set(struct scenario *s, enum field field, int value)
{
    char *at = (char *)s + row[field].offset;
    if (row[field].bytes == sizeof(bool))
        *(bool *)at = value != 0;
    else
        memcpy(at, &value, sizeof value);
}

int scenario_type_class(enum scenario_type type)
{
    return type <= TYPE_FAR              ? 0
           : type <= TYPE_DOUBLE_STRIDED ? 1
           : type <= TYPE_MIXED_APART    ? 2
           : type == TYPE_BYTE           ? 3
                                         : 4;
}

bool scenario_type_large(enum scenario_type type)
{
    return type == TYPE_FAR || type == TYPE_HUGE;
}

int scenario_type_items(enum scenario_type type)
{
    static const int items[] = {1, 2, 2, 3, 2, 1, 1, 1, 2, 2, 2, 1, 2};
    return items[type];
}

enum scenario_type scenario_op_type(enum scenario_op op)
{
    static const enum scenario_type type[] = {TYPE_INT,    TYPE_DOUBLE, TYPE_INT,     TYPE_STRIDED,
                                              TYPE_INT,    TYPE_PAIR,   TYPE_STRIDED, TYPE_DOUBLE,
                                              TYPE_BEHIND, TYPE_BEFORE};
    return type[op];
}

bool scenario_op_commutes(enum scenario_op op)
{
    return op != OP_AFFINE_INT && op != OP_AFFINE_PAIR && op != OP_AFFINE_STRIDED &&
           op != OP_AFFINE_BEFORE;
}

/* Invariant 1: the answers of order=explore are whole, and of ranks that a scenario can have. */
static void answers_keep(struct scenario *s)
{
    size_t kept = 0;
    for (size_t i = 0; i + SCENARIO_ANSWER_BYTES <= s->choice_count; i += SCENARIO_ANSWER_BYTES)
        if (s->choices[i] < SCENARIO_RANKS_MAX) {
            memmove(s->choices + kept, s->choices + i, SCENARIO_ANSWER_BYTES);
            kept += SCENARIO_ANSWER_BYTES;
        }
    s->choice_count = kept;
}

void scenario_normalise(struct scenario *s)
{
    for (int f = 0; f < FIELDS; f++) {
        int value = field_get(s, f);
        field_set(s, f,
                  value < row[f].low    ? row[f].low
                  : value > row[f].high ? row[f].high
                                        : value);
    }
    if (s->comm == COMM_PART && s->ranks > SCENARIO_RANKS_MAX - 2)
        s->ranks = SCENARIO_RANKS_MAX - 2;
    s->root %= s->ranks;
    s->first_group %= s->ranks;
    if (s->slow >= s->ranks)
        s->slow %= s->ranks;
    /* Buffers of all ranks together stay near a megabyte, whatever the collective does with its
     * blocks. */
    int most = 16384 / (s->ranks * s->ranks) * 4;
    if (s->count > most && s->count > 16)
        s->count = most > 16 ? most : 16;
    if (scenario_type_class(s->type_send) != scenario_type_class(s->type) ||
        (s->count * scenario_type_items(s->type)) % scenario_type_items(s->type_send))
        s->type_send = s->type;
    if (s->choice_count > SCENARIO_CHOICES_MAX)
        s->choice_count = SCENARIO_CHOICES_MAX;
    if (s->explored) {
        answers_keep(s);
        s->delays = REPLAY_DELAY_NONE; /* which decisions are open does not depend on a clock */
    }
}

void scenario_default(struct scenario *s)
{
    memset(s, 0, sizeof *s);
    s->ranks = 4;
    s->count = 4;
    s->calls = 1;
    s->parameter = 2;
    s->dims = 1;
    s->slow = -1;
    s->flight = 1;
}

int scenario_root(const struct scenario *s, int call, int ranks)
{
    return (s->root + call * s->root_step) % ranks;
}

/* A power of two less from call to call, or more; the elements of the two sides still go together.
 */
int scenario_count(const struct scenario *s, int call)
{
    int items = scenario_type_items(s->type_send);
    int count = s->growth == GROWTH_UP     ? s->count >> (s->calls - 1 - call)
                : s->growth == GROWTH_DOWN ? s->count >> call
                                           : s->count;
    while (count * scenario_type_items(s->type) % items)
        count++;
    return count;
}

/* --- policy ----------------------------------------------------------------------------------- */

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

/* As written: the slow link's ends may be beyond the ranks; from a rank to itself is to the next.
 */
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

/* Names of order=explore, sorted as a policy has them: its answers, or the sends that keep their
 * buffers. */
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

/* Puts these names in place of those of their kind. */
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

/* Words of a policy as read, by key. */
enum { READ_BUFFERING, READ_DELAY, READ_ORDER, READ_SEED, READ_KEYS };
static const char *const read_key[READ_KEYS] = {"buffering", "delay", "order", "seed"};

/* What was read goes into the fields. False when they cannot hold it. */
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
        if (s->delays == REPLAY_DELAY_SLOW_LINK) /* the link says it all */
            return true;
        s->delays_seed = (unsigned)policy->seed;
        return policy->seed < SCENARIO_RANKS_MAX * SCENARIO_RANKS_MAX;
    }
}

/* --- narrowed to what is wanted --------------------------------------------------------------- */

/* What each field may be: of those with names by bits, of the others between two bounds. */
static struct {
    bool given;
    int low, high;
    uint32_t names;
} allowed[FIELDS];
static bool narrowed;

static void narrow(struct scenario *s)
{
    for (int f = 0; narrowed && f < FIELDS; f++) {
        int value = field_get(s, f), range = allowed[f].high - allowed[f].low + 1;
        if (!allowed[f].given)
            continue;
        if (value < allowed[f].low || value > allowed[f].high)
            value = allowed[f].low + (int)((unsigned)value % (unsigned)range);
        while (row[f].names && !(allowed[f].names >> value & 1))
            value = value < row[f].high ? value + 1 : row[f].low;
        field_set(s, f, value);
    }
}

static void allow_start(enum field f)
{
    if (!allowed[f].given) {
        allowed[f].low = row[f].low;
        allowed[f].high = row[f].high;
        allowed[f].names = ~0u;
    }
    allowed[f].given = narrowed = true;
}

static int name_value(enum field f, const char *name, size_t length)
{
    for (int v = row[f].low; row[f].names && v <= row[f].high; v++)
        if (strlen(row[f].names[v]) == length && !strncmp(row[f].names[v], name, length))
            return v;
    return -1;
}

/* A key keeps its default; a value of any key that has it is not taken. */
static bool narrow_without(const char *name, size_t length)
{
    struct scenario plain;
    bool known = false;
    scenario_default(&plain);
    for (int f = FIELD_TARGET + 1; f < FIELDS; f++) {
        int value = name_value(f, name, length);
        if (strlen(row[f].key) == length && !strncmp(row[f].key, name, length)) {
            allow_start(f);
            allowed[f].low = allowed[f].high = field_get(&plain, f);
            known = true;
        } else if (value > 0 && row[f].names != flag_names) {
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
    int named = name_value(f, value, length);
    if (named >= 0) {
        allow_start(f);
        if (allowed[f].names == ~0u)
            allowed[f].names = 0;
        allowed[f].names |= 1u << named;
        return true;
    }
    if (row[f].names)
        return false;
    if ((sscanf(value, "%d..%d%n", &low, &high, &end) == 2 && end == (int)length) ||
        (sscanf(value, "%d%n", &low, &end) == 1 && end == (int)length && ((high = low), true))) {
        allow_start(f);
        allowed[f].low = low;
        allowed[f].high = high;
        return low >= row[f].low && high <= row[f].high && low <= high;
    }
    return false;
}

/* One word: a key, or "without", and its values. */
static int narrow_word(const char *word, size_t length, char message[256])
{
    size_t key = strcspn(word, "=");
    bool without = key == 7 && !strncmp(word, "without", 7);
    enum field f = FIELD_TARGET + 1;
    while (!without && f < FIELDS && (strlen(row[f].key) != key || strncmp(row[f].key, word, key)))
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
    narrow(&narrowed_to);
    for (int f = 0; f < FIELDS; f++)
        if (field_get(s, f) != field_get(&narrowed_to, f))
            return false;
    return true;
}

void scenario_set(struct scenario *s, const char *key, int value)
{
    enum field f = 0;
    while (f < FIELDS && strcmp(row[f].key, key))
        f++;
    CORE_CHECK(f < FIELDS);
    field_set(s, f, value);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static int width(enum field field)
{
    return row[field].high - row[field].low > 255 ? 2 : 1;
}

void scenario_decode(const uint8_t *bytes, size_t count, struct scenario *out)
{
    size_t at = 0;
    scenario_default(out);
    for (int f = 0; f < FIELDS; f++) {
        int value = 0;
        if (at + (size_t)width(f) > count || at + (size_t)width(f) > SCENARIO_HEADER_BYTES)
            break;
        for (int i = 0; i < width(f); i++)
            value = value << 8 | bytes[at++];
        field_set(out, f, row[f].low + value % (row[f].high - row[f].low + 1));
    }
    if (count > SCENARIO_HEADER_BYTES) {
        out->choice_count = count - SCENARIO_HEADER_BYTES;
        if (out->choice_count > SCENARIO_CHOICES_MAX)
            out->choice_count = SCENARIO_CHOICES_MAX;
        memcpy(out->choices, bytes + SCENARIO_HEADER_BYTES, out->choice_count);
    }
    narrow(out);
    scenario_normalise(out);
}

size_t scenario_encode(const struct scenario *s, uint8_t bytes[SCENARIO_BYTES_MAX])
{
    size_t at = 0;
    memset(bytes, 0, SCENARIO_HEADER_BYTES);
    for (int f = 0; f < FIELDS; f++) {
        int value = field_get(s, f) - row[f].low;
        if (width(f) == 2)
            bytes[at++] = (uint8_t)(value >> 8);
        bytes[at++] = (uint8_t)value;
    }
    memcpy(bytes + SCENARIO_HEADER_BYTES, s->choices, s->choice_count);
    return SCENARIO_HEADER_BYTES + s->choice_count;
}

/* --- text ------------------------------------------------------------------------------------- */

static const char title[] = "crosswait scenario 1\n";

bool scenario_is_text(const uint8_t *bytes, size_t count)
{
    return count >= sizeof title - 1 && !memcmp(bytes, title, sizeof title - 1);
}

/* The words of the policy that a scenario can choose, a line each. */
static size_t print_policy(const struct scenario *s, char *text, size_t room)
{
    struct replay_policy policy = policy_written(s);
    explored_add(s, &policy);
    char *words = replay_policy_text(&policy), *rest = words;
    size_t used = words ? 0 : room;
    for (char *word; (word = strsep(&rest, " ")) && used < room;) {
        char *value = strchr(word, '=');
        *value++ = 0;
        if (strcmp(word, "seed") == 0 && policy.delay == REPLAY_DELAY_SLOW_LINK)
            continue;
        for (int key = 0; key < READ_KEYS; key++)
            if (strcmp(word, read_key[key]) == 0)
                used += (size_t)snprintf(text + used, room - used, "%s %s\n", word, value);
    }
    free(words);
    return used;
}

size_t scenario_print(const struct scenario *s, const char *target, const char *other, char *text,
                      size_t room)
{
    size_t used = (size_t)snprintf(text, room, "%scollective %s\n", title, target);
    if (other && used < room)
        used += (size_t)snprintf(text + used, room - used, "other %s\n", other);
    for (int f = FIELD_TARGET + 1; f < FIELDS && used < room; f++) {
        int value = field_get(s, f);
        if (f == FIELD_BUFFERING)
            used += print_policy(s, text + used, room - used);
        else if (row[f].written != AS_IT_IS)
            continue;
        else if (row[f].names)
            used += (size_t)snprintf(text + used, room - used, "%s %s\n", row[f].key,
                                     row[f].names[value]);
        else
            used += (size_t)snprintf(text + used, room - used, "%s %d\n", row[f].key, value);
    }
    size_t last = s->explored ? 0 : s->choice_count; /* the order says them */
    while (last > 0 && s->choices[last - 1] == 0)
        last--; /* what ran out answers 0 */
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, "choices ");
    for (size_t i = 0; i < last && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%02x", s->choices[i]);
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, last ? "\n" : "-\n");
    return used;
}

static int parse_choices(const char *word, struct scenario *s)
{
    size_t length = strlen(word);
    if (!strcmp(word, "-"))
        return 0;
    if (length % 2 || length / 2 > SCENARIO_CHOICES_MAX ||
        strspn(word, "0123456789abcdefABCDEF") != length)
        return -1;
    for (size_t i = 0; i < length / 2; i++) {
        char pair[3] = {word[2 * i], word[2 * i + 1], 0};
        s->choices[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    s->choice_count = length / 2;
    return 0;
}

static int parse_field(enum field f, const char *word, struct scenario *s)
{
    if (row[f].names) {
        for (int v = row[f].low; v <= row[f].high; v++)
            if (!strcmp(row[f].names[v], word)) {
                field_set(s, f, v);
                return 0;
            }
        return -1;
    }
    char *end;
    long value = strtol(word, &end, 10);
    if (end == word || *end || value < row[f].low || value > row[f].high)
        return -1;
    field_set(s, f, (int)value);
    return 0;
}

static void hear(enum core_status status, const char *message, void *context)
{
    (void)status;
    snprintf(context, 200, "%s", message + (strncmp(message, "policy: ", 8) ? 0 : 8));
}

/* A word of the policies' grammar. */
static int parse_policy(int key, const char *word, struct scenario *s, char message[200])
{
    struct replay_policy policy = policy_written(s);
    struct scenario before = *s;
    core_report_hook(hear, message);
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

static int parse_line(const char *line, int number, struct scenario *s, char out_target[128],
                      char out_other[128], char message[256])
{
    static char key[64], word[2 * SCENARIO_CHOICES_MAX + 8];
    char extra[8];
    int words = sscanf(line, "%63s %4103s %7s", key, word, extra);
    if (words <= 0 || key[0] == '#')
        return 0;
    if (words != 2) {
        snprintf(message, 256, "line %d: a key and one value are expected", number);
        return -1;
    }
    if (!strcmp(key, "collective")) {
        snprintf(out_target, 128, "%.127s", word);
        return 0;
    }
    if (!strcmp(key, "other")) {
        snprintf(out_other, 128, "%.127s", word);
        return 0;
    }
    if (!strcmp(key, "choices")) {
        if (parse_choices(word, s) == 0)
            return 0;
        snprintf(message, 256, "line %d: choices are pairs of hexadecimal digits, or '-'", number);
        return -1;
    }
    int known = 0;
    while (known < READ_KEYS && strcmp(read_key[known], key))
        known++;
    if (known < READ_KEYS) {
        char why[200] = "";
        if ((known == READ_BUFFERING && parse_field(FIELD_BUFFERING, word, s) == 0) ||
            parse_policy(known, word, s, why) == 0)
            return 0;
        snprintf(message, 256, "line %d: %.199s", number, why);
        return -1;
    }
    for (int f = FIELD_TARGET + 1; f < FIELDS; f++) {
        if (strcmp(row[f].key, key))
            continue;
        if (parse_field(f, word, s) == 0)
            return 0;
        size_t used =
            (size_t)snprintf(message, 256, "line %d: '%s' cannot be '%.40s': ", number, key, word);
        if (!row[f].names)
            snprintf(message + used, 256 - used, "%d to %d", row[f].low, row[f].high);
        for (int v = row[f].low; row[f].names && v <= row[f].high && used < 200; v++)
            used += (size_t)snprintf(message + used, 256 - used, "%s%s", v > row[f].low ? ", " : "",
                                     row[f].names[v]);
        return -1;
    }
    snprintf(message, 256, "line %d: no key '%s'", number, key);
    return -1;
}

int scenario_parse(const char *text, struct scenario *out, char out_target[128],
                   char out_other[128], char message[256])
{
    static char line[2 * SCENARIO_CHOICES_MAX + 128];
    scenario_default(out);
    out_target[0] = out_other[0] = 0;
    if (strncmp(text, title, sizeof title - 1)) {
        snprintf(message, 256, "the first line is not 'crosswait scenario 1'");
        return -1;
    }
    int number = 1;
    for (const char *at = strchr(text, '\n'); at && at[1];) {
        const char *start = at + 1;
        at = strchr(start, '\n');
        size_t length = at ? (size_t)(at - start) : strlen(start);
        number++;
        if (length >= sizeof line) {
            snprintf(message, 256, "line %d is too long", number);
            return -1;
        }
        memcpy(line, start, length);
        line[length] = 0;
        if (parse_line(line, number, out, out_target, out_other, message))
            return -1;
    }
    if (out->root >= out->ranks) {
        snprintf(message, 256, "root %d is not one of %d ranks", out->root, out->ranks);
        return -1;
    }
    if (out->first_group >= out->ranks) {
        snprintf(message, 256, "a first group of %d leaves none of %d ranks for the other",
                 out->first_group, out->ranks);
        return -1;
    }
    scenario_normalise(out);
    return 0;
}

/* --- mutation --------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    uint64_t value = core_random_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return value;
}

enum {
    COUNT_SMALL = 40,
    LARGE_ONE_OF = 24,
    FAR_ONE_OF = 12,
    HUGE_ONE_OF = 40,
    WORK_SMALL = 4608,
    RANKS_FEW = 32, /* with more messages are thousands, whatever else the world is */
    DEAR_ONE_OF = 4,
    WORK_MESSAGE = 32, /* a message costs what so many elements do */
    COUNT_FEW = 3
};

static int field_any(enum field f, uint64_t *state)
{
    int known = 0;
    while (known < 14 && row[f].often[known] != -9)
        known++;
    if (known && next(state) % 4)
        return row[f].often[next(state) % (unsigned)known];
    /* Most inputs are small: a large count costs what hundreds of small ones do. */
    uint64_t range = (uint64_t)(row[f].high - row[f].low + 1);
    if (f == FIELD_COUNT && next(state) % LARGE_ONE_OF)
        range = COUNT_SMALL;
    uint64_t value = next(state) % range;
    if (known) /* numbers: small ones more often */
        value = value * (next(state) % range) / range * (next(state) % range) / range;
    return row[f].low + (int)value;
}

/* Whether it may have several values, by chance. */
static bool is_free(enum field f)
{
    return f < FIELD_EXPLORED && !(allowed[f].given && allowed[f].low == allowed[f].high);
}

/* One of those that are free; *out_count: how many there are. Those that are not cost no input. */
static enum field field_drawn(uint64_t number, unsigned *out_count)
{
    enum field chance[FIELDS];
    unsigned count = 0;
    for (enum field f = 0; f < FIELD_EXPLORED; f++)
        if (is_free(f))
            chance[count++] = f;
    *out_count = count;
    return chance[number % count]; /* there is always the target */
}

/* What all ranks do in an all-to-all, in elements. */
static long work(const struct scenario *s)
{
    return (long)s->ranks * s->ranks * s->calls * (s->count + WORK_MESSAGE);
}

/* New inputs are kept when more happens in them, so they grow; large ones must stay rare. */
static void lighten(struct scenario *s)
{
    while (s->count > COUNT_FEW && work(s) > WORK_SMALL)
        s->count /= 2;
    while (s->calls > 1 && work(s) > WORK_SMALL)
        s->calls--;
}

/* What doubles the cost of each message is rare among many ranks: it shows the same among few. */
static void simplify(struct scenario *s, uint64_t *state)
{
    if (next(state) % DEAR_ONE_OF)
        s->delays = REPLAY_DELAY_NONE;
    if (next(state) % DEAR_ONE_OF)
        s->type = s->type_send = TYPE_INT;
}

/* Small and cheap, but for a few. */
static void bring_down(struct scenario *s, uint64_t *state)
{
    /* Mapping gigabytes costs what a hundred small worlds do. */
    bool huge = s->type == TYPE_HUGE || s->type_send == TYPE_HUGE;
    if ((scenario_type_large(s->type) || scenario_type_large(s->type_send)) &&
        next(state) % (huge ? HUGE_ONE_OF : FAR_ONE_OF))
        s->type = s->type_send = TYPE_INT;
    narrow(s);
    bool many = s->ranks > RANKS_FEW;
    if (next(state) % (many ? LARGE_ONE_OF * DEAR_ONE_OF : LARGE_ONE_OF)) {
        lighten(s);
        if (many)
            simplify(s, state);
        narrow(s);
    }
    scenario_normalise(s);
}

void scenario_mutate(struct scenario *s, uint64_t seed)
{
    uint64_t state = seed;
    unsigned fields;
    field_drawn(0, &fields);
    int changes = 1 + (int)(next(&state) % 4 ? next(&state) % 2 : next(&state) % fields);
    for (int i = 0; i < changes; i++) {
        if (next(&state) % 5 == 0) { /* the schedule */
            size_t grown = 4 + next(&state) % 60;
            if (next(&state) % 2 || s->choice_count == 0) {
                s->choice_count = grown;
                for (size_t k = 0; k < grown; k++)
                    s->choices[k] = (uint8_t)next(&state);
            } else {
                s->choices[next(&state) % s->choice_count] = (uint8_t)next(&state);
            }
            s->shuffle |= next(&state) % 2;
            continue;
        }
        enum field f = field_drawn(next(&state), &fields);
        field_set(s, f, field_any(f, &state));
        if (f == FIELD_TYPE && next(&state) % 2) /* keep the sides of one class, equal or not */
            s->type_send = s->type;
    }
    bring_down(s, &state);
}

void scenario_cross(struct scenario *s, const struct scenario *other, uint64_t seed)
{
    uint64_t state = seed;
    for (enum field f = 0; f < FIELD_EXPLORED; f++)
        if (next(&state) % 2)
            field_set(s, f, field_get(other, f));
    if (next(&state) % 2) { /* what is explored is said by the answers */
        s->explored = other->explored;
        s->choice_count = other->choice_count;
        memcpy(s->choices, other->choices, other->choice_count);
    }
    bring_down(s, &state);
}

void scenario_draw(struct scenario *s, uint64_t seed, bool uniform)
{
    uint64_t state = seed;
    scenario_default(s);
    for (enum field f = 0; f < FIELD_EXPLORED; f++) {
        uint64_t range = (uint64_t)(row[f].high - row[f].low + 1);
        field_set(s, f, uniform ? row[f].low + (int)(next(&state) % range) : field_any(f, &state));
    }
    s->choice_count = next(&state) % 2 ? next(&state) % 64 : 0;
    for (size_t i = 0; i < s->choice_count; i++)
        s->choices[i] = (uint8_t)next(&state);
    bring_down(s, &state);
}
