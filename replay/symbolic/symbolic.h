/* Decides all orders of matches of a program and all bufferings at once: by what is certain about
 * the matches, or by a formula for a SAT solver (after MOPPER: Forejt, Joshi, Kroening,
 * Narayanaswamy and Sharma, TOPLAS 2017).
 *
 * The answer is about the operations of this program. As everywhere in the engine, a rank is
 * assumed to do the same operations after it received another message. */
#ifndef REPLAY_SYMBOLIC_SYMBOLIC_H
#define REPLAY_SYMBOLIC_SYMBOLIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"
#include "replay/program/program.h"
#include "replay/search/explore.h"

struct symbolic_options {
    struct replay_explore_options
        explore; /* policy: coll, and the buffering unless `sends`. Only bufferings that decide each
                    send by itself (not credits, pool, random) */
    uint64_t conflicts_max; /* limit of the solver; 0: SYMBOLIC_CONFLICTS */
    uint64_t clauses_max;   /* 0: SYMBOLIC_CLAUSES */
    bool recorded; /* only orders in which receives whose source later calls of their rank name take
                      the recorded source */
    FILE *formula, *proof; /* if the formula yields NONE: the clauses (DIMACS) and the solver's
                              refutation (DRAT); NULL: not wanted */
};
enum { SYMBOLIC_CONFLICTS = 2000000, SYMBOLIC_CLAUSES = 40000000 };

enum symbolic_argument {
    SYMBOLIC_MATCHES, /* no choice matters (replay/symbolic/matches.h) */
    SYMBOLIC_FORMULA
};

struct symbolic_decision {
    enum replay_verdict verdict; /* DEADLOCK, NONE or CANNOT_SAY */
    enum symbolic_argument argument;
    char reason[200];             /* why CANNOT_SAY */
    uint32_t receives, wildcards; /* receives and probes; those of any source */
    uint32_t open;                /* receives whose message is uncertain */
    uint32_t polls;   /* tests and nonblocking probes; each is assumed to find what it found */
    uint32_t choices; /* waits for any or some of several requests */
    uint64_t variables, clauses, conflicts;
    uint32_t rounds, loops;          /* rounds of the solver; clauses added between them */
    struct replay_exploration found; /* of DEADLOCK: witness, result, unbuffered, forced, assumed */
};

/* Decides the program, which has passed replay_program_check. */
enum core_status symbolic_decide(const struct replay_program *program,
                                 const struct symbolic_options *options,
                                 struct symbolic_decision *out_decision);
void symbolic_decision_done(struct symbolic_decision *decision);

/* Says in words what "no deadlock" rests on; NULL: the calls leave no choice but buffers. */
const char *symbolic_assumption(const struct symbolic_decision *decision);

#endif
