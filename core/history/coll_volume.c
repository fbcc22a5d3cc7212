/* Compares the sizes that the members of a collective call give each other, only to detect that
 * some do not match (history.h). For a call with a size for each member a rank keeps one number:
 * the sum of all sizes, each multiplied by a factor of its pair of members. If both sides of a pair
 * state the same size, it adds the same to both sums, of all that is given and of all that is
 * taken; so if the sums differ, the sizes of some pair do. */
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/history/history.h"
#include "core/random.h"
#include "core/spool/spool_read.h"

/* Returns an odd factor, so that no difference in size is lost; 0 for a rank with itself, which
 * never waits. */
uint64_t history_block_weight(uint32_t source, uint32_t dest)
{
    return source == dest ? 0 : core_random_mix((uint64_t)source << 32 | dest) | 1;
}

/* --- lists ------------------------------------------------------------------------------------ */

void history_blocks_list(struct history *history, struct history_lane *kept,
                         const struct spool_list *list)
{
    static const int8_t part_of[] = {[SPOOL_LIST_SEND_COUNTS] = HISTORY_SEND_COUNTS,
                                     [SPOOL_LIST_SEND_TYPES] = HISTORY_SEND_TYPES,
                                     [SPOOL_LIST_RECV_COUNTS] = HISTORY_RECV_COUNTS,
                                     [SPOOL_LIST_RECV_TYPES] = HISTORY_RECV_TYPES};
    const int32_t *value = spool_tail(list, sizeof *list);
    struct history_part *part;

    if ((list->head.a != SPOOL_LIST_SEND_COUNTS && list->head.a != SPOOL_LIST_SEND_TYPES &&
         list->head.a != SPOOL_LIST_RECV_COUNTS && list->head.a != SPOOL_LIST_RECV_TYPES) ||
        list->head.b != sizeof *value)
        return;
    part = &kept->part[part_of[list->head.a]];
    CORE_CHECK(part_of[list->head.a] >= 0 && part_of[list->head.a] < HISTORY_PARTS);
    if (part->seq != list->seq) {
        part->seq = list->seq;
        part->count = 0;
    }
    if (CORE_ARRAY_ROOM(part->value, part->room, (uint64_t)part->count + list->count,
                        "sizes of collectives")) {
        history->unclear = true;
        return;
    }
    for (uint32_t i = 0; i < list->count; i++)
        part->value[part->count++] = value[i];
}

/* Returns the call's list for `size` members; NULL if it has none, or one of another length. */
static const int32_t *part_of(const struct history_lane *kept, uint32_t which, uint64_t seq,
                              uint32_t size)
{
    const struct history_part *part = &kept->part[which];

    return part->seq == seq && part->count == size ? part->value : NULL;
}

/* --- one side of a call ----------------------------------------------------------------------- */

struct side {
    const int32_t *count, *type; /* for each member; NULL: the same for all */
    int64_t one_count;           /* EVENT_NONE: unknown */
    uint32_t one_type;
};

static struct side side_of(const struct history_lane *kept, const struct spool_event *event,
                           uint32_t which, uint32_t size)
{
    bool sends = which == HISTORY_GIVES;
    bool receives_too = kept->recv_half.seq == event->seq && kept->recv_half.head.words;

    return (struct side){
        .count = part_of(kept, sends ? HISTORY_SEND_COUNTS : HISTORY_RECV_COUNTS, event->seq, size),
        .type = part_of(kept, sends ? HISTORY_SEND_TYPES : HISTORY_RECV_TYPES, event->seq, size),
        .one_count = sends          ? event->count
                     : receives_too ? kept->recv_half.count
                                    : EVENT_NONE,
        .one_type = sends          ? event->type
                    : receives_too ? kept->recv_half.type
                                   : 0};
}

/* Returns the bytes for, or from, one member; -1: unknown. */
static int64_t side_bytes(const struct history_rank *rank, const struct side *side, uint32_t with)
{
    int64_t count = side->count ? side->count[with] : side->one_count;
    uint32_t type = side->type ? (uint32_t)side->type[with] : side->one_type;

    return count < 0 || (count && !type) ? -1 : history_bytes(rank, type, count);
}

/* Sets one size for all members. */
static void side_set(struct history_coll *coll, uint32_t which, int64_t bytes)
{
    CORE_CHECK(bytes >= -1);
    if (bytes < 0)
        return;
    coll->sides |= (uint8_t)(HISTORY_KNOWN << which);
    coll->side[which] = (uint64_t)bytes;
}

/* Sets the sum of a size for each member; whose: the side that states the sizes. */
static void side_sum(const struct history_rank *rank, struct history_coll *coll, uint32_t which,
                     const struct side *whose, uint32_t place, uint32_t size)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < size; i++) {
        int64_t bytes = side_bytes(rank, whose, i);

        if (bytes < 0)
            return;
        sum += (uint64_t)bytes * (which == HISTORY_GIVES ? history_block_weight(place, i)
                                                         : history_block_weight(i, place));
    }
    CORE_CHECK(which == HISTORY_GIVES || which == HISTORY_TAKES);
    CORE_CHECK(!(coll->sides & HISTORY_KNOWN << which)); /* a side is set once */
    coll->sides |= (uint8_t)((HISTORY_KNOWN | HISTORY_LISTED) << which);
    coll->side[which] = sum;
}

/* Sets what a rank gives if it passed MPI_IN_PLACE: its data is in the receive buffer. */
static void gives_in_place(const struct history_rank *rank, struct history_coll *coll, uint8_t verb,
                           const struct side *takes, uint32_t place, uint32_t size)
{
    if (verb == VERB_ALLGATHER)
        side_set(coll, HISTORY_GIVES, side_bytes(rank, takes, place));
    else if (takes->count)
        side_sum(rank, coll, HISTORY_GIVES, takes, place, size);
    else
        side_set(coll, HISTORY_GIVES, side_bytes(rank, takes, place));
}

/* Sets the sides of a call in which all ranks pass the same list of sizes. */
static void sizes_of_all(const struct history_rank *rank, const struct history_lane *kept,
                         const struct spool_event *event, uint32_t size, struct history_coll *coll)
{
    struct side side = {.count = part_of(kept, HISTORY_RECV_COUNTS, event->seq, size),
                        .one_type = event->type};

    if (side.count)
        side_sum(rank, coll, HISTORY_GIVES, &side, size, size);
}

void history_blocks_of(const struct history_rank *rank, const struct history_lane *kept,
                       const struct spool_event *event, uint32_t place, uint32_t size,
                       struct history_coll *coll)
{
    const struct history_call *call = &rank->call[event->head.a];
    struct side side[2];

    if (call->verb == VERB_REDUCE_SCATTER)
        sizes_of_all(rank, kept, event, size, coll);
    if (!history_gives_blocks(call) || place >= size)
        return;
    for (uint32_t which = 0; which < 2; which++) {
        side[which] = side_of(kept, event, which, size);
        if (side[which].count)
            side_sum(rank, coll, which, &side[which], place, size);
        else
            side_set(coll, which, side_bytes(rank, &side[which], 0));
    }
    if (!(coll->sides & HISTORY_KNOWN << HISTORY_GIVES) &&
        (call->verb == VERB_ALLGATHER || call->verb == VERB_ALLTOALL))
        gives_in_place(rank, coll, call->verb, &side[HISTORY_TAKES], place, size);
}

/* --- all that a rank gives and takes ---------------------------------------------------------- */

static int64_t add_known(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Returns the bytes of a side with a size for each member. */
static int64_t listed_bytes(const struct history_rank *rank, const struct history_part *counts,
                            const struct history_part *types, uint32_t type, uint64_t seq)
{
    int64_t all = 0;

    for (uint32_t i = 0; i < counts->count; i++) {
        bool own = types->seq == seq && i < types->count;

        all = add_known(all, counts->value[i] < 0
                                 ? -1
                                 : history_bytes(rank, own ? (uint32_t)types->value[i] : type,
                                                 counts->value[i]));
    }
    return all;
}

/* Returns the size on one side times the number of blocks; 0 if the call does not give it
 * (MPI_IN_PLACE: the other side does). */
static int64_t side_carried(const struct history_rank *rank, const struct history_lane *kept,
                            const struct spool_event *event, uint32_t which, uint32_t blocks)
{
    bool gives = which == HISTORY_GIVES;
    const struct history_part *counts =
        &kept->part[gives ? HISTORY_SEND_COUNTS : HISTORY_RECV_COUNTS];
    const struct history_part *types = &kept->part[gives ? HISTORY_SEND_TYPES : HISTORY_RECV_TYPES];
    bool receives_too = kept->recv_half.seq == event->seq && kept->recv_half.head.words;
    CORE_CHECK(which == HISTORY_GIVES || which == HISTORY_TAKES);
    int64_t count = gives ? event->count : receives_too ? kept->recv_half.count : 0, bytes;
    uint32_t type = gives ? event->type : receives_too ? kept->recv_half.type : 0;

    if (counts->seq == event->seq)
        return listed_bytes(rank, counts, types, type, event->seq);
    bytes = history_bytes(rank, type, count);
    return bytes > 0 && blocks > INT64_MAX / bytes ? INT64_MAX : bytes * (bytes < 0 ? 1 : blocks);
}

int64_t history_blocks_carried(const struct history_rank *rank, const struct history_space *space,
                               const struct history_lane *kept, const struct spool_event *event)
{
    CORE_CHECK(event->head.a < rank->call_count);
    const struct history_call *call = &rank->call[event->head.a];
    bool neighbor = trait_in(call->traits, TRAIT_NEIGHBOR);
    const struct history_part *all = &kept->part[HISTORY_RECV_COUNTS];
    uint32_t blocks[2] = {space->inter ? space->remote_size : space->size};

    blocks[HISTORY_TAKES] = blocks[HISTORY_GIVES];
    if (call->verb == VERB_REDUCE_SCATTER && all->seq == event->seq)
        return listed_bytes(rank, all, &kept->part[HISTORY_RECV_TYPES], event->type, event->seq);
    if (!neighbor && !history_gives_blocks(call))
        return history_bytes(rank, event->type, event->count);
    if (neighbor && space->neighbors)
        memcpy(blocks, space->neighbors->edges, sizeof blocks);
    if (call->verb == VERB_GATHER)
        blocks[HISTORY_GIVES] = 1;
    if (call->verb == VERB_SCATTER)
        blocks[HISTORY_TAKES] = 1;
    return add_known(side_carried(rank, kept, event, HISTORY_GIVES, blocks[HISTORY_GIVES]),
                     side_carried(rank, kept, event, HISTORY_TAKES, blocks[HISTORY_TAKES]));
}
