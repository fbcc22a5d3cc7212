/* Executions of one search, spread over several processes, of this machine or of one job. The
 * search stays in its process and keeps its own order: it gives out beforehand what it has yet to
 * execute, and takes what came of it when it comes to that. So the result does not depend on how
 * many processes take part, nor on which of them is faster.
 *
 * A question and its answer are bytes, which both sides understand alike: they are one binary.
 *
 * A helper is a child that ends with this process, or another process of the job, which ends when
 * the search does. The search goes on without a helper that died or could not start. */
#ifndef CORE_SEARCH_SPREAD_H
#define CORE_SEARCH_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/search/meeting.h"
#include "core/status.h"

struct search_spread;
struct search_helper; /* the helper's side */

struct search_bytes {
    const void *at;
    size_t bytes;
};
enum { SEARCH_PARTS = 6 }; /* of an answer, at most */

/* Answers a question: the parts, one behind the other, are the answer; they stay until the next
 * question. Where it fails the search executes by itself. */
typedef enum core_status (*search_answer_fn)(void *context, const void *question, size_t bytes,
                                             struct search_bytes out_part[SEARCH_PARTS]);

/* The body of a helper: prepares what it needs, and serves until the search has ended. */
typedef void (*search_help_fn)(void *context, struct search_helper *helper);
void search_helper_serve(struct search_helper *helper, search_answer_fn answer, void *context);

/* Starts so many children, and lets `others` processes of that job help as well; to be called
 * before anything is started that a child should not have. */
enum core_status search_spread_open(int children, uint64_t job, int others, search_help_fn help,
                                    void *context, struct search_spread **out_spread);
void search_spread_free(struct search_spread *spread);
/* The other side: helps whoever listens for that job, until it has ended. */
void search_spread_join(uint64_t job, search_help_fn help, void *context);

/* How many more questions can be given out now. */
int search_spread_room(struct search_spread *spread);
/* Gives a question out, unless it is already, or nobody can take it; hash: its name. True: a helper
 * has it, or had it. */
bool search_spread_give(struct search_spread *spread, uint64_t hash,
                        const struct search_bytes part[2]);
/* The answer, aligned as malloc does and valid until the next call; it waits for it if need be.
 * False: the question was not given out, or its helper is gone. */
bool search_spread_take(struct search_spread *spread, uint64_t hash,
                        struct search_bytes *out_answer);

#endif
