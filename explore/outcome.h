/* The outcome of a world, and which worlds are alike: those whose ranks ended the same way, found
 * the same and printed the same lines in any order. Worlds that failed are alike if they failed the
 * same way, whatever they printed: the same ranks, in the same calls at the same places, with
 * buffers or only without. */
#ifndef EXPLORE_OUTCOME_H
#define EXPLORE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "world/processes/processes.h"

struct explore_allow {
    bool output;    /* what ranks print may differ */
    bool messages;  /* what ranks send is compared too */
    char **pattern; /* lines like this may differ; a number: all lines of that rank */
    int pattern_count;
};

struct explore_output { /* a copy of what a world printed and wrote */
    char **text;        /* two for each rank: standard output, then standard error; then one with a
                           line for each file (world/processes/scratch.h) */
    int rank_count;
};
/* Adds one argument of --allow. */
enum core_status explore_allow_add(struct explore_allow *allow, char *word);

/* Adds patterns for lines that differ only in numbers, so that these numbers may differ. The caller
 * frees the added patterns, which follow the first `pattern_count`, one by one. */
enum core_status explore_allow_numbers(struct explore_allow *allow, const struct explore_output *a,
                                       const struct explore_output *b);

struct explore_view { /* the view in which worlds are compared */
    const struct explore_allow *allow;
    int rank_count;
    bool fewer; /* some of its sends had no buffer */
    /* Numbers a place of the program, the same in each world. */
    uint64_t (*place)(void *context, uint64_t site);
    void *context;
};
/* Computes a key that is equal for worlds that are alike. *out_rest: the key of all but what ranks
 * print, unless the world failed. */
enum core_status explore_outcome_key(const struct world_process_outcome *outcome,
                                     const struct explore_view *view, uint64_t *out_rest,
                                     uint64_t *out_key);
/* Returns the key of a world with that rest and that output. */
uint64_t explore_output_key(uint64_t rest, const struct explore_output *output,
                            const struct explore_allow *allow);
/* Tells whether the rank is in a call because of that failure: each rank that waits for ever, or
 * the ranks that failed in the call. */
bool explore_outcome_stands(const struct world_process_outcome *outcome,
                            const struct world_finding *failure, int rank);
/* A line that a rank prints (-1: of a file that ranks write) in only one of two worlds: `line` has
 * each world's line without its end, NULL where it is missing. False: both worlds print the same.
 */
struct explore_difference {
    int rank;
    bool errors; /* on standard error */
    char *line[2];
};

enum core_status explore_output_keep(const struct world_process_outcome *outcome, int rank_count,
                                     struct explore_output *out_output);
void explore_output_done(struct explore_output *output);
bool explore_output_differ(const struct explore_output *a, const struct explore_output *b,
                           const struct explore_allow *allow,
                           struct explore_difference *out_difference);
void explore_difference_done(struct explore_difference *difference);

#endif
