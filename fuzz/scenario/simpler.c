/* Scenarios that are a little simpler than one that failed, step by step. See scenario.h. */
#include "fuzz/scenario/scenario.h"

enum {
    COUNTS_SMALL = 8, /* 0 to 8 elements, then twice the number before */
    COUNTS = 18,
    STEPS_ROOT = SCENARIO_CALLS_MAX - 1,
    STEPS_RANKS = SCENARIO_RANKS_MAX - 1,
    STEPS_GROUPS = SCENARIO_RANKS_MAX - 1,
};

/* Of several calls with different roots that one alone. */
static void one_root(struct scenario *s, int call)
{
    if (!s->root_step || call >= s->calls)
        return;
    s->root = scenario_root(s, call, s->ranks);
    s->root_step = 0;
    s->calls = 1;
}

static void fewer_elements(struct scenario *s, int step)
{
    int count = step <= COUNTS_SMALL ? step : COUNTS_SMALL << (step - COUNTS_SMALL);
    if (count < s->count)
        s->count = count;
}

static void half(struct scenario *s)
{
    s->count /= 2;
    s->pool_bytes /= 2;
    s->eager_bytes /= 2;
}

/* What is as it ordinarily is, one field a step. */
static const struct {
    const char *key;
    int value;
} ordinary[] = {
    {"other", 0},
    {"calls", 1},
    {"root-step", 0},
    {"growth", GROWTH_NONE},
    {"places", PLACES_PACKED},
    {"also", ALSO_NONE},
    {"arrive", 0},
    {"graph", false},
    {"flight", 1},
    {"tested", false},
    {"communicator", COMM_WORLD},
    {"traffic", false},
    {"slow", -1},
    {"delays", REPLAY_DELAY_NONE},
    {"delays-seed", 0},
    {"late", false},
    {"shuffle", false},
    {"root", 0},
    {"in-place", false},
    {"sizes", SIZES_EVEN},
    {"sizes-seed", 0},
    {"blocks", 0},
    {"op", OP_SUM_INT},
    {"dims", 1},
    {"periods", 0},
    {"parameter", 0},
    {"eager-bytes", 0},
    {"credits", 0},
    {"pool-bytes", 0},
};
enum { ORDINARY = sizeof ordinary / sizeof *ordinary };

/* What depends on what is there. */
static bool relative(struct scenario *s, int step)
{
    switch (step) {
    case 0:
        s->choice_count = 0;
        return true;
    case 1:
        s->calls = s->calls > 2 ? 2 : s->calls;
        return true;
    case 2:
        s->also = s->also > ALSO_DUP ? ALSO_DUP : s->also;
        return true;
    case 3:
        s->type_send = s->type;
        return true;
    case 4:
        s->type = s->type_send = TYPE_INT;
        return true;
    case 5:
        s->buffering = REPLAY_EAGER;
        return true;
    case 6:
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
    if ((step -= STEPS_RANKS) < STEPS_GROUPS) { /* no groups, or a first one that is smaller */
        out->first_group = step < out->first_group ? step : out->first_group;
        return true;
    }
    if ((step -= STEPS_GROUPS) < COUNTS) {
        fewer_elements(out, step);
        return true;
    }
    if ((step -= COUNTS) == 0) {
        half(out);
        return true;
    }
    if (--step < ORDINARY) {
        scenario_set(out, ordinary[step].key, ordinary[step].value);
        return true;
    }
    return relative(out, step - ORDINARY);
}
