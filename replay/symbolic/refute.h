/* Checks that clauses have no solution, by a proof that a solver wrote (DRAT, as text). It shares
 * nothing with the solver: each clause of the proof must follow by unit propagation alone from
 * those before it (RUP), and the last one is empty. Deletions are left out, which can only make
 * more follow. A proof that needs more than that (RAT) is refused, never taken.
 *
 * Invariants
 *  1. What is added follows from the clauses of the formula. */
#ifndef REPLAY_SYMBOLIC_REFUTE_H
#define REPLAY_SYMBOLIC_REFUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

/* CORE_BAD_FORMAT for files that are no DIMACS or DRAT. *out_line: of the proof, the first clause
 * that does not follow; 0 if the proof ends without the empty clause. */
enum core_status refute_check(FILE *formula, FILE *proof, bool *out_refuted, uint64_t *out_line);

#endif
