/* Finds every behaviour of a program: runs a world, looks for what could have been decided
 * otherwise, and runs that as further worlds, until nothing is left or the budget is spent.
 *
 * A behaviour is the set of answers to every decision of a world. Decisions that are possible at
 * the same time do not exclude each other (world/exchange/explore.h), so their order does not
 * matter and is never run twice: the search is a tree whose nodes are lists of answers. A child of
 * a world gives one decision another answer and keeps the answers before it. If the answer was
 * possible only after the decision was put off, the child also keeps the answers that this took
 * (its witnesses). Each behaviour is run once.
 *
 * An explore_run_fn runs each world: the search does not know which kind of world it is.
 *
 * Invariants
 *  1. A world that could not be given all answers of its list is not counted as a behaviour; the
 *     search still looks for alternatives of its decisions.
 *  2. The same list of answers is never run twice.
 *  3. A world that exceeds its time limit is no behaviour and no failure, as the machine may be
 *     slow. It still has to be run.
 *  4. The search is complete only if each world ended and gave all answers of its list, and the
 *     same answers never gave another outcome.
 *
 * Only sampling uses random numbers, with a seed, and only the budget reads a clock. */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/search/rest.h"
#include "core/status.h"
#include "core/table.h"
#include "world/world.h"

/* Runs one world under the policy, with its decisions from the choice. *out_outcome stays valid
 * until the next run; equal *out_key mean equal outcomes. out_events may be NULL. */
struct explore_events {
    const struct world_event *event;
    size_t count;
};
typedef enum core_status (*explore_run_fn)(void *context, const struct replay_policy *policy,
                                           const struct replay_choice *choice,
                                           const struct world_outcome **out_outcome,
                                           uint64_t *out_key, struct explore_events *out_events);

struct explore_answer {
    uint32_t rank, number;
    int32_t answer;
    uint32_t serves; /* 1: a witness for the next answer in the list that is no witness; else 0 */
};

struct explore_list {
    struct explore_answer *answer; /* owned */
    uint32_t count, room;
};

struct explore_sends {        /* all zero: each send has a buffer */
    bool wait;                /* each send waits for its receive, except those in kept */
    struct replay_names kept; /* owned */
};

struct explore_class { /* worlds of one outcome */
    uint64_t key;
    uint64_t count;
    struct explore_sends sends;
    bool sampled;              /* found only by sampling */
    char *failure;             /* its first world's failure in words; NULL if it had none */
    struct explore_list first; /* all answers of its first world */
    struct explore_list asked; /* the answers that world was run with */
};

struct explore_place { /* a point at which a world blocks if it has fewer buffers */
    uint64_t hash;
    uint32_t class; /* + 1; 0: it does not block, as some message can be received instead */
};

/* A rank's own store in its window that is concurrent with another rank's operation on the same
 * byte: the first that the search met between these two places. */
struct explore_store {
    int owner, other;                                      /* ranks */
    bool others;                                           /* other ranks did so as well */
    char call[sizeof(((struct world_decision *)0)->call)]; /* of the other rank */
    bool behind_site; /* the store comes after own_site, before the rank's next call */
    uint64_t own_site, other_site;
    struct explore_list list; /* answers of the world that showed it */
};
struct explore_stores {
    struct explore_store *store;
    uint32_t count, room;
};

struct explore_spread;
struct world_states;
struct explore_search;

struct explore_options {
    uint64_t worlds_max;           /* 0: no limit */
    double time_s;                 /* 0: no limit */
    uint64_t seed;                 /* of sampling */
    const char *state;             /* file to resume from and to write; NULL: none */
    uint64_t program;              /* a hash of the program that the state belongs to */
    struct explore_spread *spread; /* helper processes (explore/spread.h); NULL: none */
    /* Finds all ends of the program by its states (world/processes/processes.h), within so many
     * seconds; NULL for worlds without states. The context is that of `run`. */
    enum core_status (*states)(void *context, double seconds, volatile const int *stop,
                               struct world_states *out_states);
    uint64_t states_worlds;   /* worlds to run before states are tried; 0: a few hundred */
    bool chance;              /* other decisions are left to chance: see explore_shrink */
    volatile const int *stop; /* not NULL: ends the search when it is set */
    /* Called after each world; NULL: not. `ahead`: worlds that are known and not yet run. */
    void (*progress)(void *context, uint64_t worlds, uint64_t ahead);
    void *progress_context;
    /* Called with the class of the last world if that class is new; NULL: not. */
    enum core_status (*met)(void *context, const struct explore_search *search, uint32_t class);
    void *met_context;
};

struct explore_item;

/* Kinds of decisions whose answers a job cannot be given. */
enum { EXPLORE_LACKS_WINDOWS = 1, EXPLORE_LACKS_PERSISTENT = 2, EXPLORE_LACKS_THREADS = 4 };

struct explore_search {
    /* results */
    struct explore_class *class;
    uint32_t class_count, class_room;
    uint64_t behaviours;                 /* different behaviours */
    uint32_t sent_kinds;                 /* different sets of messages that the ranks send */
    struct explore_list sent_example[2]; /* all answers of a world of either kind */
    struct explore_stores stores;
    uint64_t worlds; /* worlds that were run */
    uint64_t cut;    /* of these, the worlds of invariant 1 */
    uint64_t sampled;
    uint64_t unbuffered; /* worlds that were run again with fewer buffers */
    uint32_t decisions_max;
    bool complete;              /* all behaviours were run */
    bool untimed;               /* no time was left to learn which numbers are times, so all are */
    bool limited;               /* a world had more options than it could report */
    bool subsets;               /* more sets of requests; a search by states takes them all */
    bool overtaking;            /* limited because messages may overtake each other */
    bool asked_again;           /* world_decisions.asked_again of some world */
    unsigned unless;            /* SEARCH_UNLESS_: complete unless these accesses race */
    bool interrupted;           /* options->stop ended it */
    bool went_astray;           /* the same answers led to another world */
    bool late;                  /* a world ran out of time and must run again */
    unsigned lacks;             /* EXPLORE_LACKS_: why it is limited if worlds are jobs */
    bool broken_off;            /* a behaviour with fewer buffers ran out of time */
    bool early;                 /* world_decisions.early of some world */
    enum world_outside outside; /* world_decisions.outside of some world, and its rank */
    int32_t outside_rank;
    struct world_file_race
        race; /* world_decisions.race of some world; no name: of an earlier run */
    /* Number of the program's reachable states, each of which was examined once; 0: states were not
     * distinguished. `behaviours` then counts those of which a world was run: at least one for each
     * end. */
    uint64_t states;
    char states_why[160];      /* why there is no search by states; "": untried, or there is */
    uint64_t states_steps;     /* steps that were executed to find them */
    char states_together[160]; /* why ranks were not executed each by itself; "": they were */
    /* internal to the search */
    explore_run_fn run;
    void *context;
    const struct explore_options *options;
    struct explore_item *heap;
    uint32_t heap_count, heap_room;
    struct explore_item *overdue; /* worlds that took longer, or needed more, than a world may */
    uint32_t overdue_count, overdue_room;
    char beyond[WORLD_TEXT_MAX]; /* the resource that one of them ran out of; "": only time */
    struct core_table known;     /* lists that were run or wait to be run */
    struct core_table offered;   /* answers to turns, where they were free */
    struct core_table met;       /* behaviours */
    struct core_table kinds;     /* number of a class by its key */
    struct core_table places;    /* struct explore_place */
    struct core_table sent;      /* hashes of what ranks send */
    uint32_t rank_count;
    double started_s;
    double keep_s;          /* time of the next write of its state */
    uint64_t samples_given; /* the next sample that no helper has */
    uint64_t worlds_before; /* worlds before the state that it resumed from */
};

enum { EXPLORE_AHEAD_MAX = 4000000 }; /* limit of lists that wait to be run */

/* Runs the search. CORE_OK: it ended, whatever it found. */
enum core_status explore_search(explore_run_fn run, void *context, int rank_count,
                                const struct explore_options *options,
                                struct explore_search *out_search);
void explore_search_done(struct explore_search *search);
/* Applies a change of the rule that distinguishes outcomes: merges the classes without a failure
 * that are now alike. key: their new keys; for a class whose key is 0 a world is run again.
 * *out_places, which the caller owns, gives the new number of each old class. */
enum core_status explore_search_join(struct explore_search *search, const uint64_t *key,
                                     uint32_t **out_places);
/* Records that the same answers gave another outcome: invariant 4. */
void explore_search_astray(struct explore_search *search);

/* Makes the policy that gives these answers. The caller calls replay_policy_done(). */
enum core_status explore_policy(const struct explore_list *list, const struct explore_sends *sends,
                                struct replay_policy *out_policy);
enum core_status explore_list_copy(const struct explore_list *from, uint32_t count,
                                   struct explore_list *out_list);
void explore_list_done(struct explore_list *list);
enum core_status explore_sends_copy(const struct explore_sends *from,
                                    struct explore_sends *out_sends);
void explore_sends_done(struct explore_sends *sends);
/* Finds the fewest of the class's answers and buffers that still lead to its outcome; keeps all
 * where omitted answers would be left to chance. The caller owns *out_list and *out_sends. */
enum core_status explore_shrink(struct explore_search *search, const struct explore_class *found,
                                struct explore_list *out_list, struct explore_sends *out_sends);

/* merge.c, called after many worlds: finds all ends of the program by its states, where that is
 * possible. The queued worlds are then dropped. */
enum core_status explore_merge(struct explore_search *search);
/* search.c, for merge.c: runs and counts a world with these answers; *out_given tells whether the
 * world gave all of them. */
enum core_status explore_search_end(struct explore_search *search, const struct explore_list *list,
                                    bool *out_given);
bool explore_search_spent(struct explore_search *search);
double explore_search_left_s(const struct explore_search *search); /* 0: no limit */

/* --- buffers.c: a finished world in which each send had one, and its calls once more ---------- */

struct explore_walk;

/* Copies what it needs of the events. */
enum core_status explore_walk_new(const struct explore_events *events, int rank_count,
                                  struct explore_walk **out_walk);
void explore_walk_free(struct explore_walk *walk);
/* Lets the threads of a rank proceed independently from now on, except where something orders them:
 * what a thread waited for may have been ordered by the program or by chance. False if no rank has
 * several threads. */
bool explore_walk_free_threads(struct explore_walk *walk);
/* Executes the calls with buffers only for the sends named. *out_waiting, which the caller owns,
 * names the sends that would need a buffer to continue, none if all calls end. *out_place is a hash
 * of all that happened until then. */
enum core_status explore_walk_again(struct explore_walk *walk, const struct replay_names *kept,
                                    struct replay_names *out_waiting, uint64_t *out_place);

#endif
