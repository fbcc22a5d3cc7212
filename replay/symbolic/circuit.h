/* Represents events that have happened as a circuit without negations ("rank 3 has reached
 * operation 7" holds if it had reached 6, and 6 is complete, and so on), and as equivalent clauses
 * for a solver.
 *
 * A state of the program is a set of nodes each of which has a reason that was there before.
 * Clauses alone cannot say "before": two receives that each wait for a message sent after the other
 * receive would be each other's reason. So each model is examined: nodes without a founded reason
 * form loops, and each loop gets a clause (loop formulas, Lin and Zhao, 2004): a node of the loop
 * that has happened needs a reason from outside.
 *
 * Invariants
 *  1. The variable of node n is n + 1.
 *  2. Each node is defined once; all clauses, including those of loops, hold in every reachable
 *     state of the program. */
#ifndef REPLAY_SYMBOLIC_CIRCUIT_H
#define REPLAY_SYMBOLIC_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum circuit_kind {
    CIRCUIT_INPUT, /* free: a choice, or a variable of clauses only */
    CIRCUIT_AND,   /* all children; none: true */
    CIRCUIT_MAY,   /* may hold only if all children do, and may be false even then */
    CIRCUIT_OR,    /* any child; none: false */
    CIRCUIT_OPEN   /* not yet defined */
};
enum { CIRCUIT_FALSE, CIRCUIT_TRUE }; /* nodes that always exist */

struct circuit_node {
    uint8_t kind;
    uint32_t first, count; /* children */
};

struct circuit {
    struct circuit_node *node;
    uint32_t node_count, node_room;
    uint32_t *child;
    uint32_t child_count, child_room;
    int32_t *literal; /* clauses, each ends with 0 */
    uint32_t literal_count, literal_room;
    uint64_t clause_count;
    uint32_t *parent_first, *parent; /* built by the first circuit_settle */
    uint32_t *pending, *queue, *place;
    bool *founded;
    enum core_status status; /* the first failure, after which calls do nothing */
};

void circuit_init(struct circuit *circuit);
void circuit_done(struct circuit *circuit);

uint32_t circuit_new(struct circuit *circuit, enum circuit_kind kind); /* INPUT or OPEN */
void circuit_define(struct circuit *circuit, uint32_t node, enum circuit_kind kind,
                    const uint32_t *child, uint32_t count);
/* Return a node of that kind, or an existing one if it means the same. */
uint32_t circuit_and(struct circuit *circuit, const uint32_t *child, uint32_t count);
uint32_t circuit_or(struct circuit *circuit, const uint32_t *child, uint32_t count);

static inline int32_t circuit_literal(uint32_t node)
{
    return (int32_t)node + 1;
}
void circuit_clause(struct circuit *circuit, const int32_t *literal, uint32_t count);

/* Finds the nodes that have a reason, given by `holds` which INPUT and MAY nodes may happen. Sets
 * circuit->founded by node, and circuit->place, the node's place in a possible order of events. */
typedef bool (*circuit_holds_fn)(void *context, uint32_t node);
void circuit_settle(struct circuit *circuit, circuit_holds_fn holds, void *context);
/* Adds clauses for nodes that hold in a model but are not founded; returns their number. */
uint32_t circuit_add_loops(struct circuit *circuit, circuit_holds_fn holds, void *context);

#endif
