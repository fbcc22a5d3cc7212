/* Inside of the search: what waits to be run. A world of n decisions has as many children as they
 * have other answers, and each child keeps all answers before its own: it names them, by the list
 * of the world that they share, and holds only its own. So the children of a world take no more
 * room than the world's list, and no more time. Nobody else includes this but what keeps a search
 * in a file (state.h) and what tells of what is overdue. */
#ifndef EXPLORE_AHEAD_H
#define EXPLORE_AHEAD_H

#include "explore/search.h"

/* A world's list, grown from what was asked for by what was decided behind it; its items hold it.
 */
struct explore_stem {
    struct explore_list list;
    uint64_t *before; /* of each place, and of the end: the hashes of what comes before, added up */
    uint32_t holders;
};

struct explore_item {
    struct explore_stem *stem; /* NULL where kept is 0 */
    uint32_t kept;             /* of the stem's answers */
    struct explore_list own;   /* behind those; owned */
    uint32_t changes;          /* answers that are not those that came by themselves */
    uint64_t hash;             /* explore_item_name */
};

/* Takes the list over, also where it fails; the caller is its first holder. */
enum core_status explore_stem_new(struct explore_list *list, struct explore_stem **out_stem);
/* NULL is fine. */
void explore_stem_drop(struct explore_stem *stem);

/* All answers of an item, the caller's. */
enum core_status explore_item_list(const struct explore_item *item, struct explore_list *out_list);
void explore_item_done(struct explore_item *item);
/* Hashes the answers and their decisions, in any order, and which one is last; in the time that
 * the item's own answers take. */
uint64_t explore_item_name(const struct explore_item *item);
uint64_t explore_answer_hash(const struct explore_answer *answer);
/* By rank and number. */
void explore_answers_sort(struct explore_answer *answer, uint32_t count);

/* Takes the item over, and names it; one of a name that was there before is not run again. */
enum core_status explore_ahead(struct explore_search *search, struct explore_item *item);
/* Puts ahead what a world could have decided otherwise. asked: the list that it was run with, of so
 * many changes. */
enum core_status explore_branch(struct explore_search *search, const struct explore_list *asked,
                                uint32_t changes, const struct world_decisions *decisions);

/* The heap: few answers that differ from what would be first, those come first. It takes the item
 * over, unless it fails; the caller gives up what it pops. */
enum core_status explore_heap_push(struct explore_search *search, struct explore_item item);
struct explore_item explore_heap_pop(struct explore_search *search);

#endif
