/* Executions of one search, distributed over several processes, on this machine or others. The
 * search stays in its process and keeps its own order: it gives out what it will execute later, and
 * takes the result when it reaches that execution. So the result depends neither on the number of
 * processes nor on their speed.
 *
 * A question and its answer are bytes; both sides understand them, as they are one binary.
 *
 * A helper is a child that ends with this process, or another process of the group, which ends
 * with the search. The search itself executes what a helper had that died. */
#ifndef CORE_SEARCH_SPREAD_H
#define CORE_SEARCH_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/search/group.h"
#include "core/status.h"

struct search_spread;
struct search_helper; /* the helper's side */

struct search_bytes {
    const void *at;
    size_t bytes;
};
enum { SEARCH_PARTS = 6 }; /* parts of an answer, at most */

/* Answers a question: the parts together are the answer, and stay valid until the next question. If
 * it fails, the search executes the question itself. */
typedef enum core_status (*search_answer_fn)(void *context, const void *question, size_t bytes,
                                             struct search_bytes out_part[SEARCH_PARTS]);

/* The body of a helper: prepares what it needs, and serves until the search ends. */
typedef void (*search_help_fn)(void *context, struct search_helper *helper);
void search_helper_serve(struct search_helper *helper, search_answer_fn answer, void *context);
/* Tells a helper that computes a long answer whether the search has ended. */
bool search_helper_alone(const struct search_helper *helper);

/* Starts so many children, and the command of --spread, if the group has one; accepts the others of
 * the group when they come. Call it before anything is started that a child must not inherit. */
enum core_status search_spread_open(int children, const struct search_group *group,
                                    search_help_fn help, void *context,
                                    struct search_spread **out_spread);
/* Ends all helpers. Tells if helpers of --spread were lost, or none came. */
void search_spread_free(struct search_spread *spread);
/* The helper's side: serves the first process of the group, until the search ends. */
void search_spread_join(const struct search_group *group, search_help_fn help, void *context);

/* Returns how many more questions can be given out now. */
int search_spread_room(struct search_spread *spread);
/* Gives a question out that was not given out before; hash: its name. False: no helper can take
 * it. */
bool search_spread_give(struct search_spread *spread, uint64_t hash,
                        const struct search_bytes part[2]);
/* Returns how many other processes have come. */
uint32_t search_spread_helpers(const struct search_spread *spread);
/* Tells whether search_spread_room has received the answer: search_spread_take does not wait. */
bool search_spread_answered(const struct search_spread *spread, uint64_t hash);
/* Messages and bytes that were sent to helpers and received from them. */
struct search_traffic {
    uint64_t messages, bytes;
};
struct search_traffic search_spread_traffic(const struct search_spread *spread);
/* Returns the answer, aligned as by malloc and valid until the next call; waits for it if
 * necessary. False: the question was not given out, or its helper is gone. */
bool search_spread_take(struct search_spread *spread, uint64_t hash,
                        struct search_bytes *out_answer);

#endif
