/* Events that have happened, as a circuit without negations: "rank 3 has come to operation 7" holds
 * if it had come to 6, and 6 is complete, and so on; and the clauses that say the same to a solver.
 *
 * A state of the program is a set of nodes of which each is there for a reason that is there before
 * it. Clauses alone cannot say "before": two receives that each wait for a message which is sent
 * behind the other would give each other a reason. So a model of the clauses is looked at: what no
 * reason reaches is a loop, and a clause is added for it (the loop formulas of Lin and Zhao, 2004):
 * whoever of the loop has happened needs a reason from outside of it.
 *
 * Invariants
 *  1. The variable of node n is n + 1.
 *  2. Each node is defined once; all clauses, those of loops too, hold in every state of the
 *     program that is reached. */
#ifndef REPLAY_SYMBOLIC_CIRCUIT_H
#define REPLAY_SYMBOLIC_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum circuit_kind {
    CIRCUIT_INPUT, /* free: a choice; or a variable of the clauses only */
    CIRCUIT_AND,   /* of its children; none: true */
    CIRCUIT_MAY,   /* the same as far as its children are needed; may be false all the same */
    CIRCUIT_OR,    /* of its children; none: false */
    CIRCUIT_OPEN   /* not defined yet */
};
enum { CIRCUIT_FALSE, CIRCUIT_TRUE }; /* nodes that are there from the start */

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
    uint32_t *parent_first, *parent; /* made by the first circuit_settle */
    uint32_t *pending, *queue, *place;
    bool *founded;
    enum core_status status; /* the first failure; all later calls do nothing */
};

void circuit_init(struct circuit *circuit);
void circuit_done(struct circuit *circuit);

uint32_t circuit_new(struct circuit *circuit, enum circuit_kind kind); /* INPUT or OPEN */
void circuit_define(struct circuit *circuit, uint32_t node, enum circuit_kind kind,
                    const uint32_t *child, uint32_t count);
/* A node of that kind, an old one where there is nothing to define. */
uint32_t circuit_and(struct circuit *circuit, const uint32_t *child, uint32_t count);
uint32_t circuit_or(struct circuit *circuit, const uint32_t *child, uint32_t count);

static inline int32_t circuit_literal(uint32_t node)
{
    return (int32_t)node + 1;
}
void circuit_clause(struct circuit *circuit, const int32_t *literal, uint32_t count);

/* Whoever has a reason, where `holds` says of each INPUT and MAY whether it may happen. The result
 * is circuit->founded, by node, and circuit->place, its place in an order in which
 * all can come. */
typedef bool (*circuit_holds_fn)(void *context, uint32_t node);
void circuit_settle(struct circuit *circuit, circuit_holds_fn holds, void *context);
/* Adds clauses for nodes that hold in a model and are not founded; returns how many. */
uint32_t circuit_add_loops(struct circuit *circuit, circuit_holds_fn holds, void *context);

#endif
