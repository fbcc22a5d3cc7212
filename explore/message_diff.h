/* Records the messages of a world's ranks, and finds where two worlds differ in them. The messages
 * of one channel (from whom, to whom, tag, communicator) are compared one by one in their order.
 * The order between channels is not: a rank that answers whoever comes first sends the same in each
 * order. */
#ifndef EXPLORE_MESSAGE_DIFF_H
#define EXPLORE_MESSAGE_DIFF_H

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

struct message_diff {
    struct explore_message *message; /* owned */
    uint32_t count, room;
};

/* Equal where each channel has the same messages. */
enum core_status message_diff_hash(const struct explore_events *events, uint64_t *out_hash);

/* A copy of what is compared: of at most MESSAGE_DIFF_MAX messages, the first. */
enum { MESSAGE_DIFF_MAX = 200000 };
enum core_status message_diff_keep(const struct explore_events *events,
                                   struct message_diff *out_sent);
void message_diff_done(struct message_diff *sent);

/* The first message of `a` that is otherwise in `b`, or else the first of `b` that is not in `a`:
 * as it is in each, NULL where it is not sent. They belong to a and b. */
struct explore_unlike {
    const struct explore_message *here, *there;
};
/* False: there is none. */
bool message_diff_differ(const struct message_diff *a, const struct message_diff *b,
                         struct explore_unlike *out_unlike);
/* The message that differs; never NULL. */
const struct explore_message *explore_unlike_message(const struct explore_unlike *unlike);
/* "sends 2.5 to rank 1, tag 7"; what it is in the other with `otherwise`: ", otherwise 3.5". */
void explore_unlike_say(const struct explore_unlike *unlike, bool otherwise, FILE *file);

#endif
