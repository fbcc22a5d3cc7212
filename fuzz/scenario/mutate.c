/* Draws, mutates and crosses scenarios: most are small and cheap. */
#include <string.h>

#include "core/random.h"
#include "fuzz/scenario/field.h"

static uint64_t mutate_next(uint64_t *state)
{
    uint64_t value = core_random_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return value;
}

enum {
    COUNT_SMALL = 40,
    LARGE_ONE_OF = 24,
    LARGE_TIMES = 8,
    LARGE_PARTS = 512,
    FAR_ONE_OF = 12,
    HUGE_ONE_OF = 40,
    WORK_SMALL = 4608,
    RANKS_FEW = 32, /* more ranks exchange thousands of messages in any world */
    DEAR_ONE_OF = 4,
    WORK_MESSAGE = 32, /* elements that cost as much as a message */
    COUNT_FEW = 3,
    RARE_ONE_OF = 16
};

/* Draws a type or operation. Those from `rare` on each reveal one mistake, the others many. */
static int mutate_rarely(unsigned rare, unsigned count, uint64_t *state)
{
    uint64_t number = mutate_next(state);
    return (number >> 40) % RARE_ONE_OF ? (int)(number % rare)
                                        : (int)(rare + (number >> 48) % (count - rare));
}

static int field_any(enum field f, uint64_t *state)
{
    int known = 0;
    if (f == FIELD_TYPE || f == FIELD_TYPE_SEND)
        return mutate_rarely(TYPE_EMPTY, SCENARIO_TYPES, state);
    if (f == FIELD_OP)
        return mutate_rarely(OP_USER_SUM_FAR, SCENARIO_OPS, state);
    while (known < 14 && scenario_field_row[f].often[known] != -9)
        known++;
    if (known && mutate_next(state) % 4)
        return scenario_field_row[f].often[mutate_next(state) % (unsigned)known];
    /* Most inputs are small: a large count costs as much as hundreds of small ones. */
    uint64_t range = (uint64_t)(scenario_field_row[f].high - scenario_field_row[f].low + 1);
    if (f == FIELD_COUNT && mutate_next(state) % LARGE_ONE_OF)
        range = COUNT_SMALL;
    uint64_t value = mutate_next(state) % range;
    if (known) /* numbers: prefers small ones */
        value = value * (mutate_next(state) % range) / range * (mutate_next(state) % range) / range;
    return scenario_field_row[f].low + (int)value;
}

/* Draws a free field, so that restricted fields cost no input; *out_count: number of free fields.
 */
static enum field field_drawn(uint64_t number, unsigned *out_count)
{
    enum field chance[FIELDS];
    unsigned count = 0;
    for (enum field f = 0; f < FIELD_EXPLORED; f++)
        if (scenario_field_is_free(f))
            chance[count++] = f;
    *out_count = count;
    return chance[number % count]; /* the target is always free */
}

/* Returns the work of all ranks in an all-to-all, in elements. */
static long mutate_work(const struct scenario *s)
{
    return (long)s->ranks * s->ranks * s->calls * (s->count + WORK_MESSAGE);
}

/* Returns the work that a new input may have. Inputs in which more happens are kept, so they grow;
 * large ones must stay rare. One in LARGE_ONE_OF may do LARGE_TIMES the work of a small one, and of
 * those one in n may do n times as much. */
static long work_allowed(uint64_t *state)
{
    if (mutate_next(state) % LARGE_ONE_OF)
        return WORK_SMALL;
    return WORK_SMALL * LARGE_TIMES * LARGE_PARTS / (1 + (long)(mutate_next(state) % LARGE_PARTS));
}

static void mutate_lighten(struct scenario *s, long most)
{
    while (s->count > COUNT_FEW && mutate_work(s) > most)
        s->count /= 2;
    while (s->calls > 1 && mutate_work(s) > most)
        s->calls--;
}

/* Makes mutations that double the cost of each message rare for many ranks: few ranks show the
 * same. */
static void mutate_simplify(struct scenario *s, uint64_t *state)
{
    if (mutate_next(state) % DEAR_ONE_OF)
        s->delays = REPLAY_DELAY_NONE;
    if (mutate_next(state) % DEAR_ONE_OF)
        s->type = s->type_send = TYPE_INT;
}

/* Makes most scenarios small and cheap. */
static void bring_down(struct scenario *s, uint64_t *state)
{
    /* Mapping gigabytes costs as much as a hundred small worlds. */
    bool huge = scenario_type_huge(s->type) || scenario_type_huge(s->type_send);
    if ((scenario_type_large(s->type) || scenario_type_large(s->type_send)) &&
        mutate_next(state) % (huge ? HUGE_ONE_OF : FAR_ONE_OF))
        s->type = s->type_send = TYPE_INT;
    scenario_field_narrow(s);
    long most = work_allowed(state);
    if (mutate_work(s) > most) {
        mutate_lighten(s, most);
        if (s->ranks > RANKS_FEW)
            mutate_simplify(s, state);
        scenario_field_narrow(s);
    }
    scenario_normalise(s);
}

void scenario_mutate(struct scenario *s, uint64_t seed)
{
    uint64_t state = seed;
    unsigned fields;
    field_drawn(0, &fields);
    int changes =
        1 + (int)(mutate_next(&state) % 4 ? mutate_next(&state) % 2 : mutate_next(&state) % fields);
    for (int i = 0; i < changes; i++) {
        if (mutate_next(&state) % 5 == 0) { /* the schedule */
            size_t grown = 4 + mutate_next(&state) % 60;
            if (mutate_next(&state) % 2 || s->choice_count == 0) {
                s->choice_count = grown;
                for (size_t k = 0; k < grown; k++)
                    s->choices[k] = (uint8_t)mutate_next(&state);
            } else {
                s->choices[mutate_next(&state) % s->choice_count] = (uint8_t)mutate_next(&state);
            }
            s->shuffle |= mutate_next(&state) % 2;
            continue;
        }
        enum field f = field_drawn(mutate_next(&state), &fields);
        scenario_field_set(s, f, field_any(f, &state));
        if (f == FIELD_TYPE &&
            mutate_next(&state) % 2) /* keeps both sides in one class, equal or not */
            s->type_send = s->type;
    }
    bring_down(s, &state);
}

void scenario_cross(struct scenario *s, const struct scenario *other, uint64_t seed)
{
    uint64_t state = seed;
    for (enum field f = 0; f < FIELD_EXPLORED; f++)
        if (mutate_next(&state) % 2)
            scenario_field_set(s, f, scenario_field_get(other, f));
    if (mutate_next(&state) % 2) { /* the answers define what is explored */
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
        uint64_t range = (uint64_t)(scenario_field_row[f].high - scenario_field_row[f].low + 1);
        scenario_field_set(s, f,
                           uniform ? scenario_field_row[f].low + (int)(mutate_next(&state) % range)
                                   : field_any(f, &state));
    }
    s->choice_count = mutate_next(&state) % 2 ? mutate_next(&state) % 64 : 0;
    for (size_t i = 0; i < s->choice_count; i++)
        s->choices[i] = (uint8_t)mutate_next(&state);
    bring_down(s, &state);
}
