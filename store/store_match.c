/* Pairs sends with receives. MPI's messages do not overtake each other: messages from one rank to
 * another on a communicator with one tag are received in the order of sending, by the receives that
 * matched that tag, in the order of posting. So one queue per (communicator, source, destination,
 * tag) suffices; it is settled when both its ranks have been read. If calls are missing before or
 * between the recorded ones (a filter, a window, a ring that keeps only the last ones), counting
 * may go wrong: then a queue is paired only if both sides are equally long, with equal sizes, and
 * no message arrives before it is sent. Otherwise its sides stay unpaired. If info lets the
 * messages of a communicator overtake each other, a receive gets the first message of its size.
 *
 * Messages inside the MPI library are separate from the application's: their tags have a space of
 * their own.
 *
 * Invariants
 *  1. Numbers of queues and nodes are indices from 1; 0 is none. Free ones are in a list, by
 *     `next`.
 *  2. A live queue is in the bucket of its side's hash, and in the due list of the larger of its
 *     two ranks.
 *  3. New nodes come in blocks for one queue each, so that whoever walks a queue visits few pages
 *     of the spill file. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/random.h"
#include "core/trace/trace.h"
#include "store/store_part.h"
#include "core/work.h"

enum {
    CLOCK_SLACK_NS = 1000000,
    OVERTAKEN_MAX = 64, /* limit of messages that one may overtake */
    BLOCK_NODES_MAX = 64
};

struct store_match_node { /* a side of one message, or of `count` messages */
    uint64_t order, seq;
    int64_t bytes;
    int64_t time; /* of several: the step of order and seq from one to the next */
    uint32_t next;
    uint32_t count; /* 0: one that may have matched nothing */
};
struct store_match_queue {
    struct store_side side;
    uint32_t first[2], last[2]; /* nodes: 0 sends, 1 receives */
    uint32_t block, block_left; /* its next nodes, and how many */
    uint32_t block_nodes;       /* nodes of its last block */
    bool disorder[2];
    bool runs;      /* nodes represent several messages, without times */
    uint32_t chain; /* next in the bucket */
    uint32_t due;   /* next in the due list; of a free queue: next free queue */
};

static uint64_t side_hash(const struct store_side *side)
{
    uint64_t hash = core_random_mix((uint64_t)(uint32_t)side->source << 32 | (uint32_t)side->dest);

    return core_random_mix(
        hash ^ ((uint64_t)side->comm << 33 | (uint64_t)(uint32_t)side->tag << 1 | side->inner) ^
        (uint64_t)side->pair << 48);
}

static bool side_equal(const struct store_side *a, const struct store_side *b)
{
    return a->comm == b->comm && a->source == b->source && a->dest == b->dest && a->tag == b->tag &&
           a->inner == b->inner && a->pair == b->pair;
}

static enum core_status buckets_grow(struct store_match *match)
{
    uint32_t room = match->bucket_room ? match->bucket_room * 2 : 256;
    uint32_t *bucket = core_alloc_zero(room, sizeof *bucket);

    if (!bucket)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    for (uint32_t i = 0; i < match->bucket_room; i++)
        for (uint32_t at = match->bucket[i], next; at; at = next) {
            uint32_t to = (uint32_t)side_hash(&match->queue[at].side) & (room - 1);
            next = match->queue[at].chain;
            match->queue[at].chain = bucket[to];
            bucket[to] = at;
        }
    free(match->bucket);
    match->bucket = bucket;
    match->bucket_room = room;
    return CORE_OK;
}

static uint32_t queue_find(const struct store_match *match, const struct store_side *side)
{
    uint32_t at =
        match->bucket_room ? match->bucket[side_hash(side) & (match->bucket_room - 1)] : 0;

    for (; at && !side_equal(&match->queue[at].side, side); core_work(1))
        at = match->queue[at].chain;
    return at;
}

static enum core_status queue_get(struct store_match *match, const struct store_side *side,
                                  uint32_t *out_queue)
{
    uint32_t at = queue_find(match, side),
             last = (uint32_t)(side->source > side->dest ? side->source : side->dest);
    enum core_status status = CORE_OK;

    CORE_CHECK(side->source >= 0);
    CORE_CHECK(side->dest >= 0);
    CORE_CHECK(at <= match->queue_count); /* invariant 1 */
    if (at) {
        *out_queue = at;
        return CORE_OK;
    }
    if (match->queue_live >= match->bucket_room)
        status = buckets_grow(match);
    if (status == CORE_OK)
        status = store_room(&match->due, sizeof *match->due, (uint64_t)last + 1, &match->due_room);
    if (status == CORE_OK && !match->queue_free)
        status = store_room(&match->queue, sizeof *match->queue, (uint64_t)match->queue_count + 2,
                            &match->queue_room);
    if (status != CORE_OK)
        return status;
    if (match->queue_free) {
        at = match->queue_free;
        match->queue_free = match->queue[at].due;
    } else {
        at = ++match->queue_count;
    }
    CORE_CHECK(at && at <= match->queue_count);                       /* invariant 1 */
    CORE_CHECK((match->bucket_room & (match->bucket_room - 1)) == 0); /* used as a mask */
    uint32_t in = (uint32_t)side_hash(side) & (match->bucket_room - 1);
    match->queue[at] = (struct store_match_queue){
        .side = *side, .chain = match->bucket[in], .due = match->due[last]};
    match->bucket[in] = at;
    match->due[last] = at;
    match->queue_live++;
    CORE_CHECK(match->queue_live <= match->queue_count);
    *out_queue = at;
    return CORE_OK;
}

enum core_status store_match_queue(struct store *store, const struct store_side *side,
                                   uint32_t *out_queue)
{
    return queue_get(&store->match, side, out_queue);
}

/* Opens a block for a queue that has used up its last one, twice as large as that. */
static enum core_status block_open(struct store *store, struct store_match_queue *queue)
{
    struct store_match *match = &store->match;
    uint32_t nodes = queue->block_nodes ? queue->block_nodes * 2 : 1;

    CORE_CHECK(!queue->block_left); /* no node is lost */
    nodes = nodes < BLOCK_NODES_MAX ? nodes : BLOCK_NODES_MAX;
    enum core_status status =
        store_spill_room(&match->spill, store->sql.partial, &match->node, sizeof *match->node,
                         (uint64_t)match->node_count + nodes + 1, &match->node_room);
    if (status != CORE_OK)
        return status;
    queue->block = match->node_count + 1;
    queue->block_left = queue->block_nodes = nodes;
    match->node_count += nodes;
    return CORE_OK;
}

/* Takes a node of the queue's block, a free one, or one of a new block (invariant 3). */
static enum core_status node_take(struct store *store, struct store_match_queue *queue,
                                  uint32_t *out_node)
{
    struct store_match *match = &store->match;

    if (!queue->block_left && match->node_free) {
        *out_node = match->node_free;
        match->node_free = match->node[*out_node].next;
        return CORE_OK;
    }
    enum core_status status = queue->block_left ? CORE_OK : block_open(store, queue);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(queue->block_left > 0 && queue->block <= match->node_count); /* invariant 3 */
    queue->block_left--;
    *out_node = queue->block++;
    return CORE_OK;
}

static enum core_status node_put(struct store *store, uint32_t number, int half,
                                 const struct store_match_node *node)
{
    struct store_match *match = &store->match;
    struct store_match_queue *queue = &match->queue[number];
    uint32_t at;
    enum core_status status = node_take(store, queue, &at);

    if (status != CORE_OK)
        return status;
    match->node[at] = *node;
    match->node[at].next = 0;
    CORE_CHECK(at <= match->node_count); /* invariant 1 */
    CORE_CHECK(!queue->first[half] == !queue->last[half]);
    if (!queue->first[half]) {
        queue->first[half] = at;
    } else {
        struct store_match_node *last = &match->node[queue->last[half]];
        last->next = at;
        if (last->order + (last->count > 1 ? (last->count - 1) * (uint64_t)last->time : 0) >
            node->order)
            queue->disorder[half] = true;
    }
    queue->last[half] = at;
    store_spill_walk(&match->spill, 1);
    return CORE_OK;
}

static enum core_status node_add(struct store *store, const struct store_side *side, int half,
                                 const struct store_match_node *node)
{
    uint32_t number;
    enum core_status status = queue_get(&store->match, side, &number);

    if (!node->count)
        store_loop_odd(store);
    store_loop_message(store, half, side, node->order, node->seq, node->bytes);
    return status != CORE_OK ? status : node_put(store, number, half, node);
}

enum core_status store_match_add(struct store *store, uint32_t queue, bool receives, uint64_t order,
                                 uint64_t seq, int64_t bytes, int64_t time)
{
    struct store_match_node node = {
        .order = order, .seq = seq, .bytes = bytes, .time = time, .count = 1};

    CORE_CHECK(queue > 0 && queue <= store->match.queue_count); /* invariant 1 */
    return node_put(store, queue, receives, &node);
}

enum core_status store_match_again(struct store *store, uint32_t number, bool receives,
                                   struct store_match_run *run)
{
    struct store_match_queue *queue = &store->match.queue[number];
    struct store_match_node *last = run->node ? &store->match.node[run->node] : NULL;
    struct store_match_node node = {.order = run->order,
                                    .seq = run->seq,
                                    .bytes = run->bytes,
                                    .time = (int64_t)run->step,
                                    .count = 1};

    CORE_CHECK(number > 0 && number <= store->match.queue_count); /* invariant 1 */
    queue->runs = true;
    if (last && run->node == queue->last[receives] && last->count < UINT32_MAX &&
        last->seq + last->count * run->step == run->seq) {
        last->count++;
        return CORE_OK;
    }
    enum core_status status = node_put(store, number, receives, &node);
    run->node = store->match.queue[number].last[receives];
    return status;
}

bool store_match_run_grows(const struct store *store, uint32_t number, bool receives,
                           const struct store_match_run *run, uint64_t rounds)
{
    const struct store_match *match = &store->match;

    if (!number || !run->node || match->queue[number].last[receives] != run->node)
        return false;
    const struct store_match_node *last = &match->node[run->node];
    return last->count && rounds <= UINT32_MAX - last->count &&
           last->seq + (last->count - 1) * run->step == run->seq;
}

void store_match_run_grow(struct store *store, struct store_match_run *run, uint64_t rounds)
{
    struct store_match_node *last = &store->match.node[run->node];

    CORE_CHECK(run->node && rounds <= UINT32_MAX - last->count); /* store_match_run_grows */
    last->count += (uint32_t)rounds;
    run->order += rounds * run->step;
    run->seq += rounds * run->step;
}

enum core_status store_match_send(struct store *store, const struct store_side *side, uint64_t seq,
                                  int64_t bytes, int64_t time)
{
    struct store_match_node node = {
        .order = seq, .seq = seq, .bytes = bytes, .time = time, .count = 1};

    CORE_CHECK(side->dest < store->world_size); /* store_world yields no others */
    return node_add(store, side, 0, &node);
}

enum core_status store_match_receive(struct store *store, const struct store_side *side,
                                     uint64_t order, uint64_t seq, int64_t bytes, int64_t time,
                                     bool maybe)
{
    struct store_match_node node = {
        .order = order, .seq = seq, .bytes = bytes, .time = time, .count = !maybe};

    CORE_CHECK(side->source < store->world_size); /* store_world yields no others */
    return node_add(store, side, 1, &node);
}

void store_match_unsend(struct store *store, const struct store_side *side, uint64_t seq)
{
    struct store_match *match = &store->match;
    uint32_t number = queue_find(match, side), before = 0;

    store_loop_odd(store);
    if (!number)
        return;
    struct store_match_queue *queue = &match->queue[number];
    for (uint32_t at = queue->first[0]; at; before = at, at = match->node[at].next) {
        if (match->node[at].seq != seq)
            continue;
        if (before)
            match->node[before].next = match->node[at].next;
        else
            queue->first[0] = match->node[at].next;
        if (queue->last[0] == at)
            queue->last[0] = before;
        CORE_CHECK(!queue->first[0] == !queue->last[0]);
        match->node[at].next = match->node_free;
        match->node_free = at;
        return;
    }
}

/* --- settling a queue ------------------------------------------------------------------------- */

/* Sorts a list of nodes by order with a stable merge sort, so that what one call began keeps its
 * order. */
static uint32_t nodes_sort(struct store_match_node *node, uint32_t first)
{
    uint32_t half[2], head = 0, tail = 0;
    int turn = 0;

    if (!first || !node[first].next)
        return first;
    /* Splits the list in two by walking two steps for one; both halves keep their order. */
    uint32_t slow = first, fast = node[first].next;
    while (fast && node[fast].next) {
        slow = node[slow].next;
        fast = node[node[fast].next].next;
    }
    half[1] = node[slow].next;
    node[slow].next = 0;
    half[0] = nodes_sort(node, first);
    half[1] = nodes_sort(node, half[1]);
    while (half[0] || half[1]) {
        turn = !half[0] || (half[1] && node[half[1]].order < node[half[0]].order);
        uint32_t at = half[turn];
        half[turn] = node[at].next;
        CORE_CHECK(!tail || node[tail].order <= node[at].order); /* each half is sorted */
        if (tail)
            node[tail].next = at;
        else
            head = at;
        tail = at;
    }
    node[tail].next = 0;
    return head;
}

static enum core_status channel_get(struct store *store, const struct store_side *side,
                                    uint32_t *out_channel)
{
    int64_t row[5] = {0, side->comm ? (int64_t)side->comm : STORE_NULL, side->source, side->dest,
                      side->inner};
    enum core_status status;
    bool is_new;

    status = store_intern(&store->match.channel, row, sizeof row, out_channel, &is_new);
    if (status != CORE_OK || !is_new)
        return status;
    row[0] = *out_channel;
    return store_put_integers(&store->sql, STORE_CHANNEL, row, 5);
}

/* Tells whether the pairs from counting can be right. Clocks of two hosts may differ a little. */
static bool queue_sound(const struct store *store, const struct store_match_queue *queue)
{
    const struct store_match_node *node = store->match.node;
    bool one_host = store->rank_clock[queue->side.source] == store->rank_clock[queue->side.dest];
    uint32_t send = queue->first[0], receive = queue->first[1];

    if (queue->runs)
        return false;
    for (; send && receive; send = node[send].next, receive = node[receive].next) {
        int64_t sent = node[send].bytes, got = node[receive].bytes;
        if (!node[receive].count || (sent != STORE_NULL && got != STORE_NULL && sent != got))
            return false;
        if (node[receive].time < node[send].time - (one_host ? 0 : CLOCK_SLACK_NS))
            return false;
    }
    return !send && !receive;
}

/* Puts the sends in the order of the receives: each receive gets the first remaining send of its
 * size. */
static void sends_overtake(struct store_match_node *node, struct store_match_queue *queue)
{
    uint32_t *next = &queue->first[0]; /* all sends before it have their receives */

    CORE_CHECK(!queue->side.inner);
    for (uint32_t to = queue->first[1]; to && *next; to = node[to].next) {
        uint32_t *link = next;
        for (int i = 0; *link && node[*link].bytes != node[to].bytes && i < OVERTAKEN_MAX; i++)
            link = &node[*link].next;
        if (*link && link != next && node[*link].bytes == node[to].bytes) {
            uint32_t taken = *link;
            *link = node[taken].next;
            node[taken].next = *next;
            *next = taken;
        }
        next = &node[*next].next;
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

enum {
    PAIRS_MAX = 1 << 12, /* pairs examined together */
    EVERY_MAX = 16,      /* messages per round */
    ROUNDS_MIN = 3,      /* rounds per part */
    PART_MIN = 8,        /* messages in all its rows */
    RUN_MIN = 8          /* messages of two runs that are written as runs */
};
struct store_match_pair { /* a row of message_row */
    int64_t send, receive, bytes;
};

/* Returns how many pairs from the first on repeat: each equals the one `every` before, plus the
 * same steps. */
static uint32_t pairs_alike(const struct store_match_pair *pair, uint32_t count, uint32_t every)
{
    uint32_t at = every;

    CORE_CHECK(every > 0 && every <= EVERY_MAX);
    if (count <= every || pair[0].send == STORE_NULL || pair[0].receive == STORE_NULL)
        return 0;
    for (; at < count; at++) {
        const struct store_match_pair *now = &pair[at], *before = &pair[at - every];
        if (now->send == STORE_NULL || now->receive == STORE_NULL || before->send == STORE_NULL ||
            before->receive == STORE_NULL || now->bytes != before->bytes ||
            now->send - before->send != pair[every].send - pair[0].send ||
            now->receive - before->receive != pair[every].receive - pair[0].receive)
            break;
    }
    core_work(at);
    return at;
}

/* Returns the number of messages per round of the loop that begins at the first pair, and its
 * rounds; 0: no loop. */
static uint32_t pairs_round(const struct store_match_pair *pair, uint32_t count,
                            uint32_t *out_rounds)
{
    for (uint32_t every = 1; every <= EVERY_MAX; every++) {
        uint32_t rounds = pairs_alike(pair, count, every) / every;
        if (rounds < ROUNDS_MIN || rounds * every < PART_MIN)
            continue;
        CORE_CHECK(rounds <= PAIRS_MAX);
        *out_rounds = rounds;
        return every;
    }
    return 0;
}

/* Writes the collected pairs of a queue. */
static enum core_status pairs_write(struct store *store, const struct store_match_queue *queue,
                                    uint32_t channel)
{
    struct store_match *match = &store->match;
    enum core_status status = CORE_OK;

    for (uint32_t at = 0; status == CORE_OK && at < match->pair_count;) {
        const struct store_match_pair *pair = &match->pair[at];
        uint32_t rounds = 1, every = 0;
        if (store->fold)
            every = pairs_round(pair, match->pair_count - at, &rounds);
        for (uint32_t i = 0; status == CORE_OK && i < every; i++) {
            int64_t row[10] = {++match->messages,
                               channel,
                               queue->side.tag,
                               pair[i].send,
                               pair[i].receive,
                               pair[i].bytes,
                               pair[every].send - pair[0].send,
                               pair[every].receive - pair[0].receive,
                               rounds,
                               every};
            status = store_put_integers(&store->sql, STORE_MESSAGE_PART, row, 10);
        }
        if (status == CORE_OK && !every) {
            int64_t row[6] = {++match->messages, channel,       queue->side.tag,
                              pair->send,        pair->receive, pair->bytes};
            status = store_put_integers(&store->sql, STORE_MESSAGE, row, 6);
        }
        CORE_CHECK(every * rounds <= match->pair_count - at);
        match->messages += every * (rounds - 1);
        match->folded += every * rounds;
        at += every ? every * rounds : 1;
    }
    match->pair_count = 0;
    return status;
}

static enum core_status pair_put(struct store *store, const struct store_match_queue *queue,
                                 uint32_t channel, const struct store_match_pair *pair)
{
    struct store_match *match = &store->match;

    CORE_CHECK(match->pair_count < PAIRS_MAX);
    enum core_status status =
        CORE_ARRAY_PUSH(match->pair, match->pair_count, match->pair_room, "the trace", *pair);

    return status == CORE_OK && match->pair_count == PAIRS_MAX ? pairs_write(store, queue, channel)
                                                               : status;
}

/* Gives each message of the queue's runs its own node. */
static enum core_status runs_spread(struct store *store, uint32_t number)
{
    struct store_match *match = &store->match;
    enum core_status status = CORE_OK;

    CORE_CHECK(match->queue[number].runs);
    for (int half = 0; half < 2; half++) {
        uint32_t first = match->queue[number].first[half];
        match->queue[number].first[half] = match->queue[number].last[half] = 0;
        for (uint32_t at = first, next; status == CORE_OK && at; at = next) {
            struct store_match_node run = match->node[at], each = run;
            next = run.next;
            match->node[at].next = match->node_free;
            match->node_free = at;
            for (uint32_t i = 0; status == CORE_OK && i < (run.count ? run.count : 1); i++) {
                each.count = run.count ? 1 : 0;
                each.order = run.order + i * (uint64_t)run.time;
                each.seq = run.seq + i * (uint64_t)run.time;
                status = node_put(store, number, half, &each);
            }
        }
    }
    return status;
}

/* Puts the sides of a queue in matching order. */
static enum core_status queue_arrange(struct store *store, uint32_t number)
{
    struct store_match *match = &store->match;
    struct store_side side = match->queue[number].side;
    bool overtaking = side.comm && !side.inner && store->defs.comm[side.comm].overtaking;
    bool disorder = match->queue[number].disorder[0] || match->queue[number].disorder[1];
    enum core_status status = CORE_OK;

    if (match->queue[number].runs && (overtaking || disorder))
        status = runs_spread(store, number);
    struct store_match_queue *queue = &match->queue[number];
    for (int half = 0; status == CORE_OK && half < 2; half++)
        if (queue->disorder[half])
            queue->first[half] = nodes_sort(match->node, queue->first[half]);
    if (status == CORE_OK && overtaking)
        sends_overtake(match->node, queue);
    return status;
}

/* Writes `count` messages of two runs. */
static enum core_status runs_write(struct store *store, const struct store_match_queue *queue,
                                   uint32_t channel, struct store_match_node *from,
                                   struct store_match_node *to, uint32_t count)
{
    struct store_match *match = &store->match;
    int64_t bytes = to->bytes != STORE_NULL ? to->bytes : from->bytes;
    enum core_status status = pairs_write(store, queue, channel); /* keeps their order */

    CORE_CHECK(queue->runs && count <= from->count && count <= to->count);
    CORE_CHECK(status != CORE_OK || !match->pair_count);
    for (uint32_t at = 0, rounds; status == CORE_OK && at < count; at += rounds) {
        rounds = count - at < TRACE_SUM_CALLS_MAX ? count - at : TRACE_SUM_CALLS_MAX;
        int64_t row[10] = {match->messages + 1,
                           channel,
                           queue->side.tag,
                           (int64_t)from->seq + at * from->time,
                           (int64_t)to->seq + at * to->time,
                           bytes,
                           from->time,
                           to->time,
                           rounds,
                           1};
        status = store_put_integers(&store->sql, STORE_MESSAGE_PART, row, 10);
        match->messages += rounds;
        match->folded += rounds;
    }
    if (!queue->side.inner) {
        store->totals.messages += count;
        store->totals.message_bytes += bytes == STORE_NULL ? 0 : bytes * (int64_t)count;
    }
    return status;
}

/* Removes the first `count` messages of a node, which are written. Returns the next node. */
static uint32_t node_pass(struct store_match *match, uint32_t at, uint32_t count)
{
    struct store_match_node *node = &match->node[at];

    CORE_CHECK(at > 0 && count > 0); /* invariant 1 */
    if (node->count <= count)
        return node->next;
    CORE_CHECK(node->time > 0); /* several: their step */
    node->count -= count;
    node->seq += count * (uint64_t)node->time;
    return at;
}

static enum core_status queue_settle(struct store *store, uint32_t number)
{
    struct store_match *match = &store->match;
    enum core_status status = queue_arrange(store, number);
    struct store_match_queue *queue = &match->queue[number];
    bool gaps = store->gaps[queue->side.source] || store->gaps[queue->side.dest], apart;
    uint32_t channel, send, receive;

    if (status != CORE_OK)
        return status;
    apart = gaps && !queue_sound(store, queue);
    CORE_CHECK(!match->pair_count); /* pairs of an earlier queue */
    status = channel_get(store, &queue->side, &channel);
    send = queue->first[0];
    receive = queue->first[1];
    while (status == CORE_OK && (send || receive)) {
        const struct store_match_node *from = send ? &match->node[send] : NULL;
        const struct store_match_node *to =
            receive && !(apart && from) ? &match->node[receive] : NULL;
        CORE_CHECK(from || to); /* each row removes one */
        uint32_t both = !from || !to ? 0 : from->count < to->count ? from->count : to->count;
        if (both >= RUN_MIN) {
            status =
                runs_write(store, queue, channel, &match->node[send], &match->node[receive], both);
            send = node_pass(match, send, both);
            receive = node_pass(match, receive, both);
            continue;
        }
        struct store_match_pair pair = {.send = from ? (int64_t)from->seq : STORE_NULL,
                                        .receive = to ? (int64_t)to->seq : STORE_NULL,
                                        .bytes = to && to->bytes != STORE_NULL ? to->bytes
                                                 : from                        ? from->bytes
                                                                               : STORE_NULL};
        if (from || to->count)
            status = pair_put(store, queue, channel, &pair);
        if (from && !queue->side.inner) {
            store->totals.messages++;
            store->totals.message_bytes += pair.bytes == STORE_NULL ? 0 : pair.bytes;
        }
        send = from ? node_pass(match, send, 1) : 0;
        receive = to ? node_pass(match, receive, 1) : apart ? receive : 0;
        store_spill_walk(&match->spill, 2);
    }
    return status != CORE_OK ? status : pairs_write(store, queue, channel);
}

static void queue_drop(struct store_match *match, uint32_t number)
{
    struct store_match_queue *queue = &match->queue[number];
    uint32_t *link = &match->bucket[side_hash(&queue->side) & (match->bucket_room - 1)];

    CORE_CHECK(match->queue_live > 0);
    while (*link != number) {
        CORE_CHECK(*link != 0); /* invariant 2 */
        link = &match->queue[*link].chain;
    }
    *link = queue->chain;
    for (int half = 0; half < 2; half++)
        for (uint32_t at = queue->first[half], next; at; at = next) {
            next = match->node[at].next;
            match->node[at].next = match->node_free;
            match->node_free = at;
            store_spill_walk(&match->spill, 1);
        }
    for (; queue->block_left; queue->block_left--, queue->block++) {
        match->node[queue->block].next = match->node_free;
        match->node_free = queue->block;
    }
    queue->due = match->queue_free;
    match->queue_free = number;
    match->queue_live--;
}

enum core_status store_match_rank(struct store *store, int32_t world_rank)
{
    struct store_match *match = &store->match;
    enum core_status status = CORE_OK;
    uint32_t reversed = 0;

    if ((uint32_t)world_rank >= match->due_room)
        return CORE_OK;
    for (uint32_t at = match->due[world_rank], next; at;
         at = next) { /* oldest first: rows in order of matching */
        next = match->queue[at].due;
        match->queue[at].due = reversed;
        reversed = at;
    }
    match->due[world_rank] = reversed;
    while (status == CORE_OK && match->due[world_rank]) {
        uint32_t at = match->due[world_rank];
        const struct store_side *side = &match->queue[at].side;
        CORE_CHECK(side->source <= world_rank); /* invariant 2: both are read */
        CORE_CHECK(side->dest <= world_rank);
        match->due[world_rank] = match->queue[at].due;
        status = queue_settle(store, at);
        queue_drop(match, at);
    }
    return status;
}

void store_match_done(struct store_match *match)
{
    free(match->queue);
    store_spill_done(&match->spill, match->node);
    free(match->bucket);
    free(match->due);
    free(match->pair);
    store_intern_done(&match->channel);
}
