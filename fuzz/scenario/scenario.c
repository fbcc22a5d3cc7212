/* Scenarios as values and as bytes. See scenario.h.
 *
 * Invariants
 *  1. In a scenario that was decoded or read, answers of order=explore are whole, and of ranks
 * below SCENARIO_RANKS_MAX: scenario_normalise drops all others. */
#include "fuzz/scenario/scenario.h"

#include <string.h>

#include "core/check.h"
#include "fuzz/scenario/field.h"

int scenario_type_class(enum scenario_type type)
{
    return type <= TYPE_FAR              ? 0
           : type <= TYPE_DOUBLE_STRIDED ? 1
           : type <= TYPE_MIXED_APART    ? 2
                                         : 3 + (int)(type - TYPE_BYTE);
}

bool scenario_type_large(enum scenario_type type)
{
    return type == TYPE_FAR || scenario_type_huge(type);
}

bool scenario_type_huge(enum scenario_type type)
{
    return type == TYPE_HUGE || type == TYPE_MANY;
}

int scenario_type_units(enum scenario_type type)
{
    return type == TYPE_MANY ? SCENARIO_MANY : 1;
}

int scenario_type_items(enum scenario_type type)
{
    static const int items[] = {1, 2, 2, 3, 2, 1, 1, 1, 2, 2, 2, 1, 2, 1, 2};
    return items[type];
}

enum scenario_type scenario_op_type(enum scenario_op op)
{
    static const enum scenario_type type[] = {TYPE_INT,    TYPE_DOUBLE, TYPE_INT,     TYPE_STRIDED,
                                              TYPE_INT,    TYPE_PAIR,   TYPE_STRIDED, TYPE_DOUBLE,
                                              TYPE_BEHIND, TYPE_BEFORE, TYPE_FAR};
    return type[op];
}

bool scenario_op_commutes(enum scenario_op op)
{
    return op != OP_AFFINE_INT && op != OP_AFFINE_PAIR && op != OP_AFFINE_STRIDED &&
           op != OP_AFFINE_BEFORE;
}

/* Keeps to invariant 1: answers of order=explore are complete, and of ranks that a scenario can
 * have. */
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
        int value = scenario_field_get(s, f);
        scenario_field_set(s, f,
                           value < scenario_field_row[f].low    ? scenario_field_row[f].low
                           : value > scenario_field_row[f].high ? scenario_field_row[f].high
                                                                : value);
    }
    if (s->comm == COMM_PART && s->ranks > SCENARIO_RANKS_MAX - 2)
        s->ranks = SCENARIO_RANKS_MAX - 2;
    s->root %= s->ranks;
    s->first_group %= s->ranks;
    if (s->slow >= s->ranks)
        s->slow %= s->ranks;
    /* All ranks' buffers together stay near a megabyte, whatever the collective does with its
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
        s->delays = REPLAY_DELAY_NONE; /* open decisions do not depend on a clock */
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
    return (s->root + call * s->root_step + call * (call - 1) / 2 * s->root_bend) % ranks;
}

/* Returns the count of a call: halved from call to call, or doubled; the elements of both sides
 * still match. */
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

/* --- bytes ------------------------------------------------------------------------------------ */

static int scenario_width(enum field field)
{
    return scenario_field_row[field].high - scenario_field_row[field].low > 255 ? 2 : 1;
}

void scenario_decode(const uint8_t *bytes, size_t count, struct scenario *out)
{
    size_t at = 0;
    scenario_default(out);
    for (int f = 0; f < FIELDS; f++) {
        int value = 0;
        if (at + (size_t)scenario_width(f) > count ||
            at + (size_t)scenario_width(f) > SCENARIO_HEADER_BYTES)
            break;
        for (int i = 0; i < scenario_width(f); i++)
            value = value << 8 | bytes[at++];
        scenario_field_set(out, f,
                           scenario_field_row[f].low + value % (scenario_field_row[f].high -
                                                                scenario_field_row[f].low + 1));
    }
    if (count > SCENARIO_HEADER_BYTES) {
        out->choice_count = count - SCENARIO_HEADER_BYTES;
        if (out->choice_count > SCENARIO_CHOICES_MAX)
            out->choice_count = SCENARIO_CHOICES_MAX;
        memcpy(out->choices, bytes + SCENARIO_HEADER_BYTES, out->choice_count);
    }
    scenario_field_narrow(out);
    scenario_normalise(out);
}

size_t scenario_encode(const struct scenario *s, uint8_t bytes[SCENARIO_BYTES_MAX])
{
    size_t at = 0;
    memset(bytes, 0, SCENARIO_HEADER_BYTES);
    for (int f = 0; f < FIELDS; f++) {
        int value = scenario_field_get(s, f) - scenario_field_row[f].low;
        if (scenario_width(f) == 2)
            bytes[at++] = (uint8_t)(value >> 8);
        bytes[at++] = (uint8_t)value;
    }
    memcpy(bytes + SCENARIO_HEADER_BYTES, s->choices, s->choice_count);
    return SCENARIO_HEADER_BYTES + s->choice_count;
}
