/* Permutations: circular shifts of m words by s ranks. */
#include "model/row.h"

uint32_t model_gray(uint32_t position)
{
    return position ^ position >> 1;
}

uint32_t model_gray_position(uint32_t node)
{
    uint32_t position = node;
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        position ^= position >> shift;
    return position;
}

static void cost_shift_ring(const struct model_case *of, struct model_cost *out)
{
    uint64_t s = of->parameter, rounds = s < of->ranks - s ? s : of->ranks - s;
    model_cost_set(out, rounds, (model_wide)rounds * of->words, 0);
}

static void build_ring(struct generate *g)
{
    uint32_t s = g->parameter, right = (g->rank + 1) % g->P, left = (g->rank + g->P - 1) % g->P;
    int forward = s <= g->P - s;
    for (uint32_t i = 0; i < (forward ? s : g->P - s); i++)
        generate_exchange(g, forward ? right : left, g->words, forward ? left : right, g->words);
}

static void shift_at_most(const struct model_case *of, struct model_cost *out, uint64_t rounds)
{
    model_cost_set(out, rounds, (model_wide)rounds * of->words, 0);
    model_cost_at_most(out);
    out->operations_relation = MODEL_EQUAL;
}

static void cost_shift_mesh(const struct model_case *of, struct model_cost *out)
{
    shift_at_most(of, out, model_side(of->ranks) + 1ull);
}

/* Plan for a shift by s = a + q * b: along the row by a or, if shorter, back by q - a; then one row
 * further for data that crossed the row's end (one back, if it went back); then along the column.
 */
struct mesh_plan {
    int64_t row, carry, column; /* signed steps; carry: +1, -1 or 0 */
};

static struct mesh_plan mesh_plan(uint32_t q, uint32_t s)
{
    struct mesh_plan plan = {.row = s % q, .column = s / q};
    plan.carry = plan.row ? 1 : 0;
    if (2 * plan.row > (int64_t)q) {
        plan.row -= q;
        plan.carry = -1;
        plan.column++;
    }
    plan.column %= q;
    if (2 * plan.column > (int64_t)q)
        plan.column -= q;
    return plan;
}

static uint64_t row_shift_length(int64_t way)
{
    return (uint64_t)(way < 0 ? -way : way);
}

uint64_t model_shift_mesh_steps(uint32_t q, uint32_t distance)
{
    struct mesh_plan plan = mesh_plan(q, distance);
    return row_shift_length(plan.row) + row_shift_length(plan.carry) +
           row_shift_length(plan.column);
}

static void build_mesh(struct generate *g)
{
    uint32_t q = generate_side(g), column = g->rank % q;
    struct mesh_plan plan = mesh_plan(q, g->parameter);
    int64_t right = plan.row < 0 ? -1 : 1, down = plan.column < 0 ? -1 : 1;
    for (uint64_t i = 0; i < row_shift_length(plan.row); i++)
        generate_exchange(g, generate_along_row(q, g->rank, right), g->words,
                          generate_along_row(q, g->rank, -right), g->words);
    if (plan.carry > 0
            ? column < plan.row
            : plan.carry < 0 && column >= q + plan.row) /* the data here crossed the end */
        generate_exchange(g, generate_along_column(q, g->rank, plan.carry), g->words,
                          generate_along_column(q, g->rank, -plan.carry), g->words);
    for (uint64_t i = 0; i < row_shift_length(plan.column); i++)
        generate_exchange(g, generate_along_column(q, g->rank, down), g->words,
                          generate_along_column(q, g->rank, -down), g->words);
}

static void cost_shift_hypercube(const struct model_case *of, struct model_cost *out)
{
    shift_at_most(of, out, (of->back ? 1 : 2) * (uint64_t)model_clg(of->ranks));
}

/* Emits a shift by a power of two. A hop flips the same bit at all nodes, or a different bit at
 * each; either way it is a permutation, so each node knows its source: the node whose target it is.
 * Ring position x is on node G(x). The shift flips one bit (by 1) or two: first the bit below it,
 * at all nodes, then the bit that the carry reaches. */
static void shift_by_power(struct generate *g, uint32_t power, int forward)
{
    uint32_t here = g->rank, mask = g->P - 1, low = power / 2;
    uint32_t by = forward ? power : g->P - power;
    if (low) {
        generate_exchange(g, here ^ low, g->words, here ^ low, g->words);
        /* The data here came from node here ^ low; they go on to where that node's data belong. */
        uint32_t to = model_gray((model_gray_position(here ^ low) + by) & mask);
        uint32_t from = model_gray((model_gray_position(here) - by) & mask) ^ low;
        if (to != here)
            generate_exchange(g, to, g->words, from, g->words);
        return;
    }
    generate_exchange(g, model_gray((model_gray_position(here) + by) & mask), g->words,
                      model_gray((model_gray_position(here) - by) & mask), g->words);
}

static void build_hypercube(struct generate *g)
{
    uint32_t s = g->parameter, digits = s, back = 0;
    if (g->back) { /* signed digits, no two neighbouring ones nonzero: s = digits - back */
        uint32_t way = 2 * s > g->P ? g->P - s : s, half = way >> 1, sum = way + half;
        digits = sum & ~half;
        back = half & ~sum;
        if (2 * s > g->P) {
            uint32_t swap = digits;
            digits = back;
            back = swap;
        }
    }
    for (uint32_t power = 1; power && power < g->P; power *= 2)
        if (digits & power || back & power)
            shift_by_power(g, power, (digits & power) != 0);
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_ring = {
    .rounds = "s hops one way or P-s the other, whichever is less",
    .words = "each hop is one block: m words",
    .operations = "nothing is combined"};
static const struct model_reason why_mesh = {
    .rounds = "at most q/2 along the row, one for those that cross its end, q/2 down",
    .words = "each hop is one block: m words",
    .operations = "nothing is combined"};
static const struct model_reason why_hypercube = {
    .rounds = "s is a sum of powers of two, and each costs at most two hops",
    .words = "each hop is one block: m words",
    .operations = "nothing is combined"};

static const struct model_row row[] = {
    {.id = "shift.ring",
     .collective = "shift",
     .about = "every block goes s ranks along the ring, the shorter way",
     .source = "primitives by topology; the alpha-beta model (section 21)",
     .why = &why_ring,
     .rounds = "= min(s, P-s)",
     .words = "= m*R",
     .operations = "= 0",
     .holds_on = REPLAY_RING,
     .parameter = MODEL_PARAMETER_DISTANCE,
     .cost = cost_shift_ring,
     .build = build_ring},
    {.id = "shift.mesh",
     .collective = "shift",
     .about = "along the row, then along the column, with a step for the carry",
     .source = "primitives by topology",
     .why = &why_mesh,
     .rounds = "<= q+1",
     .words = "= m*R",
     .operations = "= 0",
     .holds_on = REPLAY_TORUS,
     .domain = MODEL_DOMAIN_SQUARE,
     .parameter = MODEL_PARAMETER_DISTANCE,
     .cost = cost_shift_mesh,
     .build = build_mesh},
    {.id = "shift.hypercube",
     .collective = "shift",
     .about = "a ring laid into the hypercube by Gray code, by powers of two",
     .source = "primitives by topology",
     .why = &why_hypercube,
     .rounds = "<= 2*lg P; with steps back <= lg P",
     .words = "= m*R",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "ring embedded by reflected Gray code",
     .domain = MODEL_DOMAIN_POWER,
     .parameter = MODEL_PARAMETER_DISTANCE,
     .cost = cost_shift_hypercube,
     .build = build_hypercube},
};

const struct model_family model_family_shift = {
    .collective = "shift",
    .bound = {.vector_times = 1},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
