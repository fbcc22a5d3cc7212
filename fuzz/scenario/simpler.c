/* Makes scenarios a little simpler, step by step. See scenario.h. */
#include "fuzz/scenario/scenario.h"

enum {
    STEPS_ROOT = SCENARIO_CALLS_MAX - 1,
    STEPS_RANKS = SCENARIO_RANKS_MAX - 1,
    STEPS_GROUPS = SCENARIO_RANKS_MAX - 1,
    COUNTS_SMALL = 33, /* 0 to 32 elements; then less by a half, a quarter, ... and by 8 to 1 */
    COUNTS_PARTS = 8,
    COUNTS_LESS = 8,
    COUNTS = COUNTS_SMALL + COUNTS_PARTS + COUNTS_LESS,
    VALUES = 16 /* values to try of each `ordered` field before its own */
};

/* Keeps one of several calls with different roots. */
static void one_root(struct scenario *s, int call)
{
    if ((!s->root_step && !s->root_bend) || call >= s->calls)
        return;
    s->root = scenario_root(s, call, s->ranks);
    s->root_step = s->root_bend = 0;
    s->calls = 1;
}

static void fewer_elements(struct scenario *s, int step)
{
    int count = step;
    if (step >= COUNTS_SMALL + COUNTS_PARTS)
        count = s->count - (COUNTS - step);
    else if (step >= COUNTS_SMALL)
        count = s->count - (s->count >> (step - COUNTS_SMALL + 1));
    if (count >= 0 && count < s->count)
        s->count = count;
}

static void simpler_half(struct scenario *s)
{
    s->count /= 2;
    s->pool_bytes /= 2;
    s->eager_bytes /= 2;
}

/* The usual values of fields, which are restored one after the other. */
static const struct {
    const char *key;
    int value;
} ordinary[] = {
    {"other", 0},        {"root-step", 0},    {"arrive", 0},
    {"graph", false},    {"flight", 1},       {"tested", false},
    {"traffic", false},  {"slow", -1},        {"delays", REPLAY_DELAY_NONE},
    {"delays-seed", 0},  {"late", false},     {"shuffle", false},
    {"low-tags", false}, {"in-place", false}, {"sizes-seed", 0},
    {"blocks", 0},       {"dims", 1},         {"periods", 0},
    {"parameter", 0},    {"eager-bytes", 0},  {"credits", 0},
    {"pool-bytes", 0},   {"root-bend", 0},
};
enum { ORDINARY = sizeof ordinary / sizeof *ordinary };

/* Fields in which a lower value is simpler. */
enum ordered {
    CALLS,
    ALSO,
    COMM,
    GROWTH,
    PLACES,
    SIZES,
    OP,
    TYPES,
    TYPE,
    TYPE_SENT,
    ROOT,
    ORDERED
};

static int simpler_lower(int value, int to)
{
    return to < value ? to : value;
}

static void lower_one(struct scenario *s, enum ordered field, int to)
{
    switch (field) {
    case CALLS:
        s->calls = simpler_lower(s->calls, to + 1);
        break;
    case ALSO:
        s->also = simpler_lower(s->also, to);
        break;
    case COMM:
        s->comm = simpler_lower(s->comm, to);
        break;
    case GROWTH:
        s->growth = simpler_lower(s->growth, to);
        break;
    case PLACES:
        s->places = simpler_lower(s->places, to);
        break;
    case SIZES:
        s->sizes = simpler_lower(s->sizes, to);
        break;
    case OP:
        s->op = simpler_lower(s->op, to);
        break;
    case TYPES: /* one type for both sides; for the sender's, the sender's count */
        if (to == (int)s->type_send)
            s->count = s->count * scenario_type_items(s->type) / scenario_type_items(s->type_send);
        if (to <= (int)s->type || to == (int)s->type_send)
            s->type = s->type_send = to < SCENARIO_TYPES ? to : TYPE_INT;
        break;
    case TYPE: /* different types become one, and never the reverse, so this ends */
        s->type = s->type == s->type_send ? (int)s->type : simpler_lower(s->type, to);
        break;
    case TYPE_SENT:
        s->type_send = s->type == s->type_send ? (int)s->type : simpler_lower(s->type_send, to);
        break;
    case ROOT:
        s->root = simpler_lower(s->root, to);
        break;
    case ORDERED:
        break;
    }
}

/* Takes steps that depend on the scenario's contents. */
static bool simpler_relative(struct scenario *s, int step)
{
    switch (step) {
    case 0:
        s->choice_count = 0;
        return true;
    case 1:
        s->buffering = REPLAY_EAGER;
        return true;
    case 2:
        s->buffering = s->buffering == REPLAY_EAGER ? REPLAY_EAGER : REPLAY_RENDEZVOUS;
        return true;
    default:
        return false;
    }
}

bool scenario_simpler(const struct scenario *scenario, int step, struct scenario *out)
{
    *out = *scenario;
    if (step < STEPS_ROOT) {
        one_root(out, step + 1);
        return true;
    }
    if ((step -= STEPS_ROOT) < STEPS_RANKS) {
        out->ranks = step + 1 < out->ranks ? step + 1 : out->ranks;
        return true;
    }
    if ((step -= STEPS_RANKS) < STEPS_GROUPS) { /* no groups, or a smaller first one */
        out->first_group = step < out->first_group ? step : out->first_group;
        return true;
    }
    if ((step -= STEPS_GROUPS) < COUNTS) {
        fewer_elements(out, step);
        return true;
    }
    if ((step -= COUNTS) == 0) {
        simpler_half(out);
        return true;
    }
    if (--step < ORDINARY) {
        scenario_set(out, ordinary[step].key, ordinary[step].value);
        return true;
    }
    if ((step -= ORDINARY) < ORDERED * VALUES) {
        lower_one(out, step / VALUES, step % VALUES);
        return true;
    }
    return simpler_relative(out, step - ORDERED * VALUES);
}
