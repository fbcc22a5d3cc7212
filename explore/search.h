/* Every behaviour of a program: a world is run, looked at for what could have been decided
 * otherwise, and run again so, until nothing is left or the budget is spent.
 *
 * A behaviour is what every decision of a world was answered with. Decisions that are possible at
 * the same time do not exclude each other (world/exchange/explore.h), so their order tells nothing
 * apart and is never looked at twice: the search is a tree whose nodes are lists of answers. A
 * child of a world gives one decision another answer and keeps those before it; where the answer
 * was possible only once the decision was put off, it keeps as well what that took (its
 * witnesses). Each behaviour is run once.
 *
 * A world is run by a struct explore_runner: the search does not know which kind it is.
 *
 * Invariants
 *  1. A world that could not be given the answers it was to have is not counted as a behaviour;
 *     its own decisions are looked at all the same.
 *  2. The same list of answers is never run twice.
 *  3. A world that took longer than it may is no behaviour and no failure: the machine may be slow.
 *     It is still to be run.
 *  4. The search is complete only if each world came to its end, all that was asked for was
 *     answered, and the same answers never gave another outcome.
 *
 * Nothing here asks chance but the sampling, which has a seed, and no clock but the budget. */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "core/table.h"
#include "world/world.h"

/* One world under the policy, its decisions by the choice. *out_outcome stays valid until the next
 * run; *out_key says what came of it: equal keys, equal outcomes. events may be NULL. */
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
    uint32_t serves; /* 1: a witness for the next answer in the list that is none; else 0 */
};

struct explore_list {
    struct explore_answer *answer; /* owned */
    uint32_t count, room;
};

struct explore_sends {        /* all zero: each has a buffer */
    bool wait;                /* each waits for its receive, but those that are named */
    struct replay_names kept; /* owned */
};

struct explore_class { /* worlds of one outcome */
    uint64_t key;
    uint64_t count;
    struct explore_sends sends;
    bool sampled;              /* found by chance only */
    char *failure;             /* what the first world of it says; NULL: it came to a good end */
    struct explore_list first; /* answers of the first world of it: all of them */
    struct explore_list asked; /* those that it was run with */
};

struct explore_place { /* where a world stands still with fewer buffers */
    uint64_t hash;
    uint32_t class; /* + 1; 0: it does not, some message can be received instead */
};

/* A rank's own store in its window, and an operation of another rank that changes the same byte,
 * under way at once: the first of the search between two places. */
struct explore_store {
    int owner, other;                                      /* ranks */
    bool others;                                           /* other ranks met there as well */
    char call[sizeof(((struct world_decision *)0)->call)]; /* of the other rank */
    bool behind_site; /* the store comes behind own_site, before the rank's next call */
    uint64_t own_site, other_site;
    struct explore_list list; /* answers of the world */
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
    const char *state;             /* file to go on from, and to leave behind; NULL: none */
    uint64_t program;              /* a hash of what the state belongs to */
    struct explore_spread *spread; /* processes that help (explore/spread.h); NULL: none */
    /* All ends of the program by its states (world/processes/processes.h), within so many seconds;
     * NULL: worlds have none. The context is that of `run`. */
    enum core_status (*states)(void *context, double seconds, volatile const int *stop,
                               struct world_states *out_states);
    uint64_t states_worlds;   /* behind so many worlds; 0: a few hundred */
    bool chance;              /* what is not asked for is left to chance: see explore_shrink */
    volatile const int *stop; /* not NULL: ends the search when it is set */
    /* After each world; NULL: none. `ahead`: worlds that are known of and not yet run. */
    void (*progress)(void *context, uint64_t worlds, uint64_t ahead);
    void *progress_context;
    /* Class of the world run last, if that class is new; NULL: it is not. */
    enum core_status (*met)(void *context, const struct explore_search *search, uint32_t class);
    void *met_context;
};

struct explore_item;

/* Decisions that a job cannot be given. */
enum { EXPLORE_LACKS_WINDOWS = 1, EXPLORE_LACKS_PERSISTENT = 2, EXPLORE_LACKS_THREADS = 4 };

/* Accesses that nobody saw in some world, and that may differ where they race: see world_decisions.
 */
enum {
    EXPLORE_UNLESS_WINDOWS = 1,
    EXPLORE_UNLESS_THREADS = 2,
    EXPLORE_UNLESS_SHARED = 4,
    EXPLORE_UNLESS_KINDS = 8 /* sets of them */
};

struct explore_search {
    /* what was found */
    struct explore_class *class;
    uint32_t class_count, class_room;
    uint64_t behaviours;                 /* that are different */
    uint32_t sent_kinds;                 /* in what their ranks send */
    struct explore_list sent_example[2]; /* of the first two kinds: all answers of a world */
    struct explore_stores stores;
    uint64_t worlds; /* run in all */
    uint64_t cut;    /* of them those that invariant 1 speaks of */
    uint64_t sampled;
    uint64_t unbuffered; /* run once more with fewer buffers */
    uint32_t decisions_max;
    bool complete;    /* that is all there is */
    bool limited;     /* a world had more than it could tell */
    bool overtaking;  /* so it is, as messages may overtake each other */
    bool asked_again; /* in a world: world_decisions */
    unsigned unless;  /* EXPLORE_UNLESS_: all that are decided are no more than what was seen */
    bool interrupted; /* by options->stop */
    bool went_astray; /* the same answers gave another world */
    bool late;        /* a world did not come to its end, and is still to be run */
    unsigned lacks;   /* EXPLORE_LACKS_: why it is limited, where worlds are jobs */
    bool broken_off;  /* a behaviour did not come to its end with fewer buffers */
    bool early;       /* a rank ended a world while others went on: as in world_decisions */
    /* Each state that the program can come to was looked at once; 0: states were not distinguished.
     * Behaviours are then those of which a world was run: one for each end at least. */
    uint64_t states;
    char states_why[160];      /* states cannot be distinguished; "": not asked for, or they can */
    uint64_t states_steps;     /* that were executed to find them */
    char states_together[160]; /* why ranks were not executed each by itself; "": they were */
    /* the search's own */
    explore_run_fn run;
    void *context;
    const struct explore_options *options;
    struct explore_item *heap;
    uint32_t heap_count, heap_room;
    struct explore_item *overdue; /* worlds that took longer, or needed more, than they may */
    uint32_t overdue_count, overdue_room;
    char beyond[WORLD_TEXT_MAX]; /* what one of them needed; "": none, but time */
    struct core_table known;     /* lists that were run or are to be */
    struct core_table offered;   /* answers to turns, where they were free */
    struct core_table met;       /* behaviours */
    struct core_table kinds;     /* place of a class by its key */
    struct core_table places;    /* struct explore_place */
    struct core_table sent;      /* what ranks send: hashes */
    uint32_t rank_count;
    double started_s;
    double keep_s;          /* when its state is written next */
    uint64_t worlds_before; /* in the state that it went on from */
};

enum { EXPLORE_AHEAD_MAX = 4000000 }; /* lists that wait to be run */

/* CORE_OK: it came to an end, whichever. */
enum core_status explore_search(explore_run_fn run, void *context, int rank_count,
                                const struct explore_options *options,
                                struct explore_search *out_search);
void explore_search_done(struct explore_search *search);
/* Takes up a change of how outcomes are distinguished: of each that came to a good end a world is
 * run again, and those that are alike now become one. *out_places, the caller's: of each as it was,
 * where it is now. */
enum core_status explore_search_join(struct explore_search *search, uint32_t **out_places);
/* The same answers gave another outcome: invariant 4. */
void explore_search_astray(struct explore_search *search);

/* The policy that has these answers. replay_policy_done() it. */
enum core_status explore_policy(const struct explore_list *list, const struct explore_sends *sends,
                                struct replay_policy *out_policy);
enum core_status explore_list_copy(const struct explore_list *from, uint32_t count,
                                   struct explore_list *out_list);
void explore_list_done(struct explore_list *list);
enum core_status explore_sends_copy(const struct explore_sends *from,
                                    struct explore_sends *out_sends);
void explore_sends_done(struct explore_sends *sends);
/* Leaves out of the class's answers and buffers what its outcome does not need: fewest that still
 * lead to it; nothing where the rest would be left to chance. *out_list and *out_sends are the
 * caller's. */
enum core_status explore_shrink(struct explore_search *search, const struct explore_class *found,
                                struct explore_list *out_list, struct explore_sends *out_sends);

/* merge.c, behind many worlds: all ends of the program by its states, where it can be had. What is
 * ahead is then not needed any more. */
enum core_status explore_merge(struct explore_search *search);
/* search.c, for merge.c: a world with these answers; true: it gave all of them, and is counted. */
enum core_status explore_search_end(struct explore_search *search, const struct explore_list *list,
                                    bool *out_given);
bool explore_search_spent(struct explore_search *search);
double explore_search_left_s(const struct explore_search *search); /* 0: as much as one likes */

/* --- buffers.c: a finished world in which each send had one, and its calls once more ---------- */

struct explore_walk;

/* A copy of what it needs of the events. */
enum core_status explore_walk_new(const struct explore_events *events, int rank_count,
                                  struct explore_walk **out_walk);
void explore_walk_free(struct explore_walk *walk);
/* From now on threads of a rank go on by themselves, where nothing orders them: what a thread
 * waited for may have been what the program does itself, or chance. False: no rank has several. */
bool explore_walk_free_threads(struct explore_walk *walk);
/* How far it comes when only the sends named keep their buffers: *out_waiting, the caller's, are
 * those that others would need, none if it comes to its end; *out_place is a hash of all that
 * happened until then. */
enum core_status explore_walk_again(struct explore_walk *walk, const struct replay_names *kept,
                                    struct replay_names *out_waiting, uint64_t *out_place);

#endif
