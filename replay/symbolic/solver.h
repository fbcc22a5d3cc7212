/* The SAT solver (CaDiCaL), behind the few calls that are used of it. Literals are +-variable, and
 * variables count from 1. Work is bounded by conflicts, never by the clock: equal clauses and
 * bounds give equal answers. */
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
/* NULL: out of memory. proof: where the solver writes what it learns and deletes (DRAT, as text);
 * NULL: nowhere. */
struct solver *solver_new(FILE *proof);
void solver_free(struct solver *solver);
/* One literal; 0 ends the clause. False: out of memory. */
bool solver_add(struct solver *solver, int32_t literal);
/* The value that a variable is tried with first. */
void solver_prefer(struct solver *solver, int32_t literal);
/* SOLVER_OPEN: that many conflicts were not enough, or there was not enough memory. */
enum solver_answer solver_solve(struct solver *solver, int32_t conflicts_max);
/* Only after SOLVER_MODEL. */
bool solver_value(struct solver *solver, int32_t variable);
uint64_t solver_conflicts(struct solver *solver); /* in all */
/* Writes the rest of the buffer to the proof; nothing is written afterwards. */
void solver_close_proof(struct solver *solver);

#ifdef __cplusplus
}
#endif

#endif
