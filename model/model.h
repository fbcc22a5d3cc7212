/* Holds the model: what every collective must cost, as data. A row describes one algorithm, under
 * the id that corpus/ uses: its formula, its domain and its generator. Each family of collectives
 * has a file (row_X.c). Costs are exact: R is an integer, W and C are rationals of 128-bit
 * integers, good for 2^40 words on any number of ranks.
 *
 * words is n, the whole vector, for bcast, reduce and allreduce; m, one rank's block, for scatter,
 * gather, allgather, reduce_scatter, scan and shift; m, one pair's block, for alltoall. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "model/generate.h"
#include "replay/timed/timed.h"
#include "replay/timed/network.h"

typedef unsigned __int128 model_wide;

struct model_ratio {
    model_wide num;
    uint64_t den; /* > 0 */
};

enum model_relation { MODEL_EQUAL, MODEL_AT_MOST };

struct model_case {
    uint32_t ranks, root;
    uint32_t parameter; /* k of bcast.kary, s of shift.* */
    int back;           /* shift.hypercube with steps back */
    uint64_t words;
    enum replay_port port; /* single or multi; multi matters only for rows that state it */
    int half_duplex;
};

struct model_cost {
    uint64_t rounds;
    struct model_ratio words, operations;
    enum model_relation rounds_relation, words_relation, operations_relation;
    /* If P does not divide n, the relation is MODEL_AT_MOST and these are the formula with blocks
     * rounded up; otherwise they equal the formula. */
    model_wide words_most, operations_most;
};

struct model_supersteps { /* for port bsp: each superstep costs max(alpha, beta * words) */
    uint64_t count;
    uint64_t words; /* most words that a rank sends or receives in one superstep */
};

struct model_reason { /* why the formulas hold, one line each */
    const char *rounds, *words, *operations;
};

struct model_row {
    const char *id;
    const char *collective;
    const char *about;  /* how the algorithm works */
    const char *source; /* lecture and place */
    const struct model_reason *why;
    const char *rounds, *words, *operations; /* the formulas as text */
    enum replay_topology_kind holds_on;
    const char *hazard; /* or a note; NULL: none */
    enum model_domain domain;
    int root_any; /* works for any root; 0: rank 0 only, or no root */
    enum model_parameter parameter;
    void (*cost)(const struct model_case *of, struct model_cost *out);
    void (*build)(struct generate *g); /* emits one rank's operations; never NULL */
    /* Costs in supersteps. NULL: the model states none. */
    void (*supersteps)(const struct model_case *of, struct model_supersteps *out);
};

/* Returns a row in the table's order; NULL after the last. */
const struct model_row *model_row_at(size_t index);
const struct model_row *model_row_find(const char *id);
/* Finds the row for a name that a user typed. NULL is reported, with the nearest name. */
const struct model_row *model_row_asked(const char *id);

/* Computes the row's cost. Refuses cases outside the row's domain, and reports the reason and the
 * nearest possible value. */
enum core_status model_row_cost(const struct model_row *row, const struct model_case *of,
                                struct model_cost *out);
/* Makes the sparsest network for this number of ranks on which no two messages of the row share a
 * link. */
enum core_status model_row_topology(const struct model_row *row, uint32_t ranks,
                                    struct replay_topology *out);

/* Tells whether a measurement agrees with the row. words and operations: in the unit of of->words.
 */
int model_keeps(const struct model_cost *cost, uint64_t rounds, uint64_t words,
                uint64_t operations);

struct model_query {
    const char *collective;
    uint32_t ranks, root;
    uint64_t words; /* in any unit, the same for all three; bytes will do */
    uint64_t unit;  /* size of an element in that unit: blocks are multiples of it; 0 means 1 */
    uint64_t rounds, measured_words;
    uint32_t parameter; /* shift's distance; 0 makes bcast.kary try every k from 3 to 64 */
};

struct model_match {
    const struct model_row *row;
    uint32_t parameter;
    int exact; /* equal; 0: equal within the rounding of blocks */
};

/* Finds the rows of a collective whose R and W equal the measured ones, in table order, to identify
 * the algorithm. Returns their number, writes at most `room` of them. */
size_t model_match(const struct model_query *query, struct model_match *match, size_t room);

double model_value(struct model_ratio ratio);
int model_compare(struct model_ratio a, struct model_ratio b); /* returns <0, 0 or >0 */
uint32_t model_clg(uint32_t ranks);

#endif
