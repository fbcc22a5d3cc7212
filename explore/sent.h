/* Records the messages of a world's ranks, and finds where two worlds differ in them. The messages
 * of one channel (from whom, to whom, tag, communicator) are compared one by one in their order.
 * The order between channels is not: a rank that answers whoever comes first sends the same in each
 * order. */
#ifndef EXPLORE_SENT_H
#define EXPLORE_SENT_H

#include <stdio.h>

#include "explore/search.h"

struct explore_message {
    struct {
        int32_t from, to, tag;
        uint32_t context;
        uint32_t index; /* in its channel, from 0 */
    } key;
    uint64_t bytes, digest, site;
    uint64_t first; /* its first element: world_event */
    char first_kind;
    uint8_t first_bytes;
    char call[32];
};

struct explore_sent {
    struct explore_message *message; /* owned */
    uint32_t count, room;
};

/* Equal where each channel has the same messages. */
enum core_status explore_sent_hash(const struct explore_events *events, uint64_t *out_hash);

/* A copy of what is compared: of at most EXPLORE_SENT_MAX messages, the first. */
enum { EXPLORE_SENT_MAX = 200000 };
enum core_status explore_sent_keep(const struct explore_events *events,
                                   struct explore_sent *out_sent);
void explore_sent_done(struct explore_sent *sent);

/* The first message of `a` that is otherwise in `b`, or else the first of `b` that is not in `a`:
 * as it is in each, NULL where it is not sent. They belong to a and b. */
struct explore_unlike {
    const struct explore_message *here, *there;
};
/* False: there is none. */
bool explore_sent_differ(const struct explore_sent *a, const struct explore_sent *b,
                         struct explore_unlike *out_unlike);
/* The message that differs; never NULL. */
const struct explore_message *explore_unlike_message(const struct explore_unlike *unlike);
/* "sends 2.5 to rank 1, tag 7"; what it is in the other with `otherwise`: ", otherwise 3.5". */
void explore_unlike_say(const struct explore_unlike *unlike, bool otherwise, FILE *file);

#endif
