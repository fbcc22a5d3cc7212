/* Checks a solver's proof (DRAT, as text) that clauses have no solution. It shares nothing with the
 * solver: each clause of the proof must follow by unit propagation alone from the earlier ones
 * (RUP), and the last one is empty. It ignores deletions, which can only make more clauses follow.
 * It refuses a proof that needs more (RAT).
 *
 * Invariants
 *  1. Every added clause follows from the clauses of the formula. */
#ifndef REPLAY_SYMBOLIC_REFUTE_H
#define REPLAY_SYMBOLIC_REFUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

/* Checks the proof. CORE_BAD_FORMAT: the files are no DIMACS or DRAT. *out_line: line in the proof
 * of the first clause that does not follow; 0: the proof lacks the empty clause. */
enum core_status refute_check(FILE *formula, FILE *proof, bool *out_refuted, uint64_t *out_line);

#endif
