/* The outcome of a world, and which worlds are alike: how the ranks ended, what the world found,
 * what the ranks printed (their lines, in whatever order). A world that failed is like all that
 * failed the same way, whatever they printed: the same ranks, in the same calls at the same places,
 * with buffers or only without. */
#ifndef EXPLORE_OUTCOME_H
#define EXPLORE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "world/processes/processes.h"

struct explore_allow {
    bool output;    /* what ranks print may differ */
    bool messages;  /* what they send is compared too */
    char **pattern; /* lines like one of these may differ; or, as a number, all of that rank */
    int pattern_count;
};

struct explore_output { /* what a world printed, kept */
    char **text;        /* of each rank, standard output and then standard error */
    int rank_count;
};
/* Adds a word of --allow. */
enum core_status explore_allow_add(struct explore_allow *allow, char *word);

/* Adds patterns for lines that differ by numbers alone: those numbers may differ. The patterns are
 * the caller's to free, one by one, behind the first `pattern_count` as it was. */
enum core_status explore_allow_numbers(struct explore_allow *allow, const struct explore_output *a,
                                       const struct explore_output *b);

/* Equal for worlds that are alike. */
struct explore_view { /* how a world is looked at */
    const struct explore_allow *allow;
    int rank_count;
    bool fewer; /* not each of its sends had a buffer */
    /* The same number for the same place of the program, in whichever world. */
    uint64_t (*place)(void *context, uint64_t site);
    void *context;
};
enum core_status explore_outcome_key(const struct world_process_outcome *outcome,
                                     const struct explore_view *view, uint64_t *out_key);
/* Whether ranks stand in a call because of that failure: each of them that waits for ever, or the
 * those that failed in it. */
bool explore_outcome_stands(const struct world_process_outcome *outcome,
                            const struct world_finding *failure, int rank);
/* A line that a rank prints in one of them only: its rank, and the line of each, without its end,
 * NULL where there is none. False: they print the same. */
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
