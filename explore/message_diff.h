/* Records the messages of a world's ranks, and finds where two worlds differ in them. The messages
 * of one channel (sender, receiver, tag, communicator) are compared one by one in their order. The
 * order between channels does not count: a rank that answers whichever message comes first sends
 * the same in each order. */
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

/* Computes a hash that is equal if each channel has the same messages. */
enum core_status message_diff_hash(const struct explore_events *events, uint64_t *out_hash);

/* Copies what is compared of the first MESSAGE_DIFF_MAX messages. */
enum { MESSAGE_DIFF_MAX = 200000 };
enum core_status message_diff_keep(const struct explore_events *events,
                                   struct message_diff *out_sent);
void message_diff_done(struct message_diff *sent);

/* Leaves out of `sent` what those messages hold that differ between a and b. */
enum core_status message_diff_mask(struct message_diff *sent, const struct message_diff *a,
                                   const struct message_diff *b);

/* The first message of `a` that differs in `b`, or else the first of `b` that is not in `a`, as
 * each of the two has it; NULL where it is not sent. Both point into a and b. */
struct explore_unlike {
    const struct explore_message *here, *there;
};
/* Finds the first difference; false if there is none. */
bool message_diff_differ(const struct message_diff *a, const struct message_diff *b,
                         struct explore_unlike *out_unlike);
/* Returns `here`, or else `there`: never NULL. */
const struct explore_message *explore_unlike_message(const struct explore_unlike *unlike);
/* Prints "sends 2.5 to rank 1, tag 7"; with `otherwise` also the other world's: ", otherwise 3.5".
 */
void explore_unlike_say(const struct explore_unlike *unlike, bool otherwise, FILE *file);

#endif
