/* Wraps the SAT solver (CaDiCaL). Literals are +-variable, and variables count from 1. Work is
 * bounded by conflicts, never by the clock: equal clauses and bounds give equal answers. */
#ifndef REPLAY_SYMBOLIC_SOLVER_H
#define REPLAY_SYMBOLIC_SOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum solver_answer { SOLVER_OPEN, SOLVER_MODEL, SOLVER_NONE };

struct solver;
/* Creates a solver. NULL: out of memory. proof: receives what the solver learns and deletes (DRAT,
 * as text); NULL: no proof. */
struct solver *solver_new(FILE *proof);
void solver_free(struct solver *solver);
/* Adds one literal; 0 ends the clause. False: out of memory. */
bool solver_add(struct solver *solver, int32_t literal);
/* Sets the value that the solver tries first for a variable. */
void solver_prefer(struct solver *solver, int32_t literal);
/* Solves. SOLVER_OPEN: that many conflicts or the memory did not suffice. */
enum solver_answer solver_solve(struct solver *solver, int32_t conflicts_max);
/* Returns a variable's value; only after SOLVER_MODEL. */
bool solver_value(struct solver *solver, int32_t variable);
uint64_t solver_conflicts(struct solver *solver); /* in total */
/* Writes the rest of the buffer to the proof; nothing is written afterwards. */
void solver_close_proof(struct solver *solver);

#ifdef __cplusplus
}
#endif

#endif
