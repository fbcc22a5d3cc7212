/* Builds the circuit, finds the nodes with a reason, and adds clauses for those without. The idea
 * and the invariants are in circuit.h. */
#include "replay/symbolic/circuit.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"

static const char what[] = "a formula";

/* Limits the clauses of one round; the next round finds the rest. */
enum { LOOPS_MAX = 2000, LOOP_HEADS_MAX = 40 };

void circuit_init(struct circuit *circuit)
{
    *circuit = (struct circuit){0};
    uint32_t no = circuit_new(circuit, CIRCUIT_OPEN), yes = circuit_new(circuit, CIRCUIT_OPEN);
    circuit_define(circuit, no, CIRCUIT_OR, NULL, 0);
    circuit_define(circuit, yes, CIRCUIT_AND, NULL, 0);
    CORE_CHECK(circuit->status != CORE_OK || (no == CIRCUIT_FALSE && yes == CIRCUIT_TRUE));
}

void circuit_done(struct circuit *circuit)
{
    free(circuit->node);
    free(circuit->child);
    free(circuit->literal);
    free(circuit->parent_first);
    free(circuit->parent);
    free(circuit->pending);
    free(circuit->queue);
    free(circuit->place);
    free(circuit->founded);
    *circuit = (struct circuit){0};
}

uint32_t circuit_new(struct circuit *circuit, enum circuit_kind kind)
{
    CORE_CHECK(!circuit->parent && (kind == CIRCUIT_INPUT || kind == CIRCUIT_OPEN));
    if (circuit->status == CORE_OK && circuit->node_count > INT32_MAX / 4)
        circuit->status = core_report(CORE_LIMIT, "a formula has too many variables");
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_PUSH(circuit->node, circuit->node_count, circuit->node_room,
                                          what, (struct circuit_node){.kind = (uint8_t)kind});
    return circuit->status == CORE_OK ? circuit->node_count - 1 : CIRCUIT_FALSE;
}

static void circuit_put(struct circuit *circuit, int32_t literal)
{
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_PUSH(circuit->literal, circuit->literal_count,
                                          circuit->literal_room, what, literal);
    circuit->clause_count += !literal;
}

void circuit_clause(struct circuit *circuit, const int32_t *literal, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        circuit_put(circuit, literal[i]);
    circuit_put(circuit, 0);
}

void circuit_define(struct circuit *circuit, uint32_t node, enum circuit_kind kind,
                    const uint32_t *child, uint32_t count)
{
    int32_t own = circuit_literal(node), sign = kind == CIRCUIT_OR ? -1 : 1;

    if (circuit->status != CORE_OK)
        return;
    CORE_CHECK(own > 0 && (uint32_t)own == node + 1);     /* invariant 1 */
    CORE_CHECK(circuit->node[node].kind == CIRCUIT_OPEN); /* invariant 2 */
    circuit->node[node] =
        (struct circuit_node){.kind = (uint8_t)kind, .first = circuit->child_count, .count = count};
    for (uint32_t i = 0; i < count && circuit->status == CORE_OK; i++) {
        circuit->status = CORE_ARRAY_PUSH(circuit->child, circuit->child_count, circuit->child_room,
                                          what, child[i]);
        circuit_clause(circuit, (int32_t[]){-sign * own, sign * circuit_literal(child[i])}, 2);
    }
    if (kind == CIRCUIT_MAY)
        return;
    circuit_put(circuit, sign * own);
    for (uint32_t i = 0; i < count; i++)
        circuit_put(circuit, -sign * circuit_literal(child[i]));
    circuit_put(circuit, 0);
}

static uint32_t circuit_join(struct circuit *circuit, enum circuit_kind kind, const uint32_t *child,
                             uint32_t count)
{
    uint32_t neutral = kind == CIRCUIT_AND ? CIRCUIT_TRUE : CIRCUIT_FALSE,
             absorbing = CIRCUIT_TRUE - neutral, kept = 0, last = neutral;

    for (uint32_t i = 0; i < count; i++) {
        if (child[i] == absorbing)
            return absorbing;
        if (child[i] != neutral && child[i] != last) {
            last = child[i];
            kept++;
        }
    }
    if (kept <= 1)
        return last;
    uint32_t node = circuit_new(circuit, CIRCUIT_OPEN);
    circuit_define(circuit, node, kind, child, count);
    return node;
}

uint32_t circuit_and(struct circuit *circuit, const uint32_t *child, uint32_t count)
{
    return circuit_join(circuit, CIRCUIT_AND, child, count);
}

uint32_t circuit_or(struct circuit *circuit, const uint32_t *child, uint32_t count)
{
    return circuit_join(circuit, CIRCUIT_OR, child, count);
}

/* --- reasons ---------------------------------------------------------------------------------- */

static enum core_status make_parents(struct circuit *circuit)
{
    uint32_t nodes = circuit->node_count;
    enum core_status status = CORE_ARRAY_NEW(circuit->parent_first, (uint64_t)nodes + 2, what);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(circuit->parent, (uint64_t)circuit->child_count + 1, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(circuit->pending, nodes, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(circuit->queue, nodes, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(circuit->place, nodes, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(circuit->founded, nodes, what);
    if (status != CORE_OK)
        return status;
    uint32_t *end = circuit->parent_first + 1;
    for (uint32_t i = 0; i < circuit->child_count; i++)
        end[circuit->child[i] + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        end[n + 1] += end[n];
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t i = 0; i < circuit->node[n].count; i++)
            circuit->parent[end[circuit->child[circuit->node[n].first + i]]++] = n;
    return CORE_OK;
}

void circuit_settle(struct circuit *circuit, circuit_holds_fn holds, void *context)
{
    uint32_t head = 0, tail = 0;

    if (circuit->status == CORE_OK && !circuit->parent)
        circuit->status = make_parents(circuit);
    if (circuit->status != CORE_OK)
        return;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const struct circuit_node *node = &circuit->node[n];
        CORE_CHECK(node->kind != CIRCUIT_OPEN); /* invariant 2 */
        bool stays =
            (node->kind == CIRCUIT_INPUT || node->kind == CIRCUIT_MAY) && !holds(context, n);
        circuit->founded[n] = false;
        circuit->pending[n] = stays                      ? UINT32_MAX
                              : node->kind == CIRCUIT_OR ? node->count > 0
                                                         : node->count;
        if (node->kind == CIRCUIT_OR && !node->count)
            circuit->pending[n] = UINT32_MAX;
        if (circuit->pending[n] == 0) {
            circuit->founded[n] = true;
            circuit->queue[tail++] = n;
        }
    }
    for (; head < tail; head++) {
        uint32_t n = circuit->queue[head];
        circuit->place[n] = head;
        for (uint32_t i = circuit->parent_first[n]; i < circuit->parent_first[n + 1]; i++) {
            uint32_t parent = circuit->parent[i];
            if (circuit->founded[parent] || circuit->pending[parent] == UINT32_MAX ||
                --circuit->pending[parent])
                continue;
            circuit->founded[parent] = true;
            circuit->queue[tail++] = parent;
        }
    }
    core_work(tail);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Tarjan's search for strongly connected components among the nodes without a reason: from a node
 * to those that could be its reason; for an AND node, one of them suffices. */
struct loops {
    struct circuit *circuit;
    circuit_holds_fn holds;
    void *context;
    uint32_t *number, *low, *stack, *call, *at;
    bool *stacked, *waits; /* waits: depends on a node of another component */
    uint32_t count, depth, added;
};

static bool circuit_lacks(const struct loops *l, uint32_t node)
{
    return !l->circuit->founded[node] && l->holds(l->context, node);
}

/* Finds the next child on which the node depends; false: no more. */
static bool next_child(const struct loops *l, uint32_t n, uint32_t *at, uint32_t *out_child)
{
    const struct circuit_node *node = &l->circuit->node[n];
    for (; *at < node->count; (*at)++) {
        uint32_t child = l->circuit->child[node->first + *at];
        if (!circuit_lacks(l, child))
            continue;
        *out_child = child;
        *at = node->kind == CIRCUIT_OR ? *at + 1 : node->count;
        return true;
    }
    return false;
}

/* Adds one clause per node for a component whose nodes only the component itself could found. */
static void add_component(struct loops *l, const uint32_t *member, uint32_t count)
{
    struct circuit *c = l->circuit;
    uint32_t first = c->literal_count, heads = 0, ors = 0;

    for (uint32_t i = 0; i < count; i++) /* UINT32_MAX - 1 marks its nodes */
        l->number[member[i]] = UINT32_MAX - 1;
    circuit_put(c, 0); /* room for the head */
    for (uint32_t i = 0; i < count && c->status == CORE_OK; i++) {
        const struct circuit_node *node = &c->node[member[i]];
        ors += node->kind == CIRCUIT_OR;
        for (uint32_t k = 0; node->kind == CIRCUIT_OR && k < node->count; k++) {
            uint32_t child = c->child[node->first + k];
            if (l->number[child] != UINT32_MAX - 1 && child != CIRCUIT_FALSE)
                circuit_put(c, circuit_literal(child));
        }
    }
    circuit_put(c, 0);
    c->clause_count--;
    uint32_t length = c->literal_count - first;
    for (uint32_t i = 0; i < count && c->status == CORE_OK && heads < LOOP_HEADS_MAX; i++) {
        if (ors && c->node[member[i]].kind != CIRCUIT_OR)
            continue;
        if (heads++) {
            c->status = CORE_ARRAY_ROOM(c->literal, c->literal_room,
                                        (uint64_t)c->literal_count + length, what);
            if (c->status != CORE_OK)
                return;
            memcpy(c->literal + c->literal_count, c->literal + first, length * sizeof *c->literal);
            first = c->literal_count;
            c->literal_count += length;
            c->clause_count++;
        }
        c->literal[first] = -circuit_literal(member[i]);
        l->added++;
    }
    CORE_CHECK(heads || c->status != CORE_OK);
    for (uint32_t i = 0; i < count; i++)
        l->number[member[i]] = UINT32_MAX;
}

static void circuit_visit(struct loops *l, uint32_t root)
{
    uint32_t calls = 0;

    l->call[calls] = root;
    l->at[root] = 0;
    l->number[root] = l->low[root] = ++l->count;
    l->stack[l->depth++] = root;
    l->stacked[root] = true;
    calls++;
    while (calls) {
        uint32_t n = l->call[calls - 1], child;
        if (next_child(l, n, &l->at[n], &child)) {
            if (!l->number[child]) {
                l->number[child] = l->low[child] = ++l->count;
                l->at[child] = 0;
                l->stack[l->depth++] = child;
                l->stacked[child] = true;
                l->call[calls++] = child;
            } else if (!l->stacked[child])
                l->waits[n] = true;
            else if (l->number[child] < l->low[n])
                l->low[n] = l->number[child];
            continue;
        }
        calls--;
        uint32_t parent = calls ? l->call[calls - 1] : n;
        if (l->low[n] == l->number[n]) {
            uint32_t first = l->depth;
            do
                l->stacked[l->stack[--first]] = false;
            while (l->stack[first] != n);
            uint32_t count = l->depth - first;
            l->depth = first;
            if (!l->waits[n])
                add_component(l, l->stack + first, count);
            l->waits[parent] = true;
            continue;
        }
        l->waits[parent] |= l->waits[n];
        if (l->low[n] < l->low[parent])
            l->low[parent] = l->low[n];
    }
}

uint32_t circuit_add_loops(struct circuit *circuit, circuit_holds_fn holds, void *context)
{
    struct loops l = {.circuit = circuit, .holds = holds, .context = context};
    uint32_t nodes = circuit->node_count;

    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.number, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.low, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.stack, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.call, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.at, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.stacked, nodes, what);
    if (circuit->status == CORE_OK)
        circuit->status = CORE_ARRAY_NEW(l.waits, nodes, what);
    for (uint32_t n = 0; n < nodes && circuit->status == CORE_OK && l.added < LOOPS_MAX; n++)
        if (!l.number[n] && circuit_lacks(&l, n))
            circuit_visit(&l, n);
    free(l.number);
    free(l.low);
    free(l.stack);
    free(l.call);
    free(l.at);
    free(l.stacked);
    free(l.waits);
    return l.added;
}
