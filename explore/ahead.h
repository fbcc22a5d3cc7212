/* Inside of the search: the queue of worlds that wait to be run. A world of n decisions has as many
 * children as its decisions have other answers, and each child keeps all answers before its own. A
 * child refers to the list of its parent, which all children share, and holds only its own answers.
 * So the children of a world take no more room and time than the world's list. Only this queue, the
 * state file (state.h) and the report of overdue worlds include this header. */
#ifndef EXPLORE_AHEAD_H
#define EXPLORE_AHEAD_H

#include "explore/search.h"

/* A world's list: the answers that were asked for, then those that the world decided by itself.
 * Items share it and count as its holders. */
struct explore_stem {
    struct explore_list list;
    uint64_t *before; /* [i]: the sum of the hashes of the first i answers; list.count + 1 of
                         them */
    uint32_t holders;
};

struct explore_item {
    struct explore_stem *stem; /* NULL if kept is 0 */
    uint32_t kept;             /* number of answers that the item takes from the stem */
    struct explore_list own;   /* answers after those of the stem; owned */
    uint32_t changes;          /* number of answers that differ from the defaults */
    bool given;                /* a helper has it, or had it */
    uint64_t hash;             /* explore_item_name */
};

/* Takes over the list, also when it fails. The caller becomes the first holder. */
enum core_status explore_stem_new(struct explore_list *list, struct explore_stem **out_stem);
/* Gives up one holder's share; accepts NULL. */
void explore_stem_drop(struct explore_stem *stem);

/* Copies all answers of an item; the caller owns the copy. */
enum core_status explore_item_list(const struct explore_item *item, struct explore_list *out_list);
void explore_item_done(struct explore_item *item);
/* Returns a hash of the set of answers with their decisions, whatever their order, and of which
 * answer is last. Takes time in proportion to the item's own answers. */
uint64_t explore_item_name(const struct explore_item *item);
uint64_t explore_answer_hash(const struct explore_answer *answer);
/* Sorts by rank, then by number. */
void explore_answers_sort(struct explore_answer *answer, uint32_t count);

/* Takes over the item, names it and queues it, unless an item of that name was queued before. */
enum core_status explore_ahead(struct explore_search *search, struct explore_item *item);
/* Queues every other answer that the decisions of a world could have had. asked: the list that the
 * world was run with, which has `changes` answers other than the defaults. */
enum core_status explore_branch(struct explore_search *search, const struct explore_list *asked,
                                uint32_t changes, const struct world_decisions *decisions);

/* The heap: items with the fewest changed answers come first. The push takes over the item unless
 * it fails; the caller frees the item that it pops. */
enum core_status explore_heap_push(struct explore_search *search, struct explore_item item);
struct explore_item explore_heap_pop(struct explore_search *search);

#endif
