/* Indexes pending messages and receives by what they match, so that the cost per item of a call
 * that waits for many stays constant. Each proof builds the index when it first needs it.
 *
 * A receive, or a message that no rank is known to have received, has four keys: its source or ALL,
 * with its tag or ALL. So an operation with any source or any tag finds all that fit it under one
 * key. A receive's wildcard (EVENT_ANY) is a value of its own.
 *
 * Invariant: entries of receives are sorted by key, and under a key in the order in which they were
 * posted. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"
#include "launch/proof/proof.h"
#include "launch/proof/proof_inside.h"

enum { ALL = INT32_MIN };

struct fit_key { /* hashed and compared as bytes: no padding */
    uint64_t global;
    int32_t dest, source, tag;
    uint32_t uncounted; /* receives: 1: it does not count as earlier than any other */
};
struct proof_posted {
    struct fit_key key;
    uint64_t order; /* when it was posted */
};
struct message_sum {
    struct fit_key key;
    uint64_t count;
    bool on_way[2]; /* some have not arrived; [certain] is passed to proof_channel_arrived */
};
struct unclear { /* a rank with a receive that may take unknown messages */
    uint64_t rank;
};
struct undelivered { /* a channel with a send that may not have left its rank */
    struct history_channel_key key;
};

/* --- receives --------------------------------------------------------------------------------- */

static int posted_compare(const void *a, const void *b)
{
    const struct proof_posted *x = a, *y = b;
    int order = memcmp(&x->key, &y->key, sizeof x->key);

    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* Orders the posts of several threads: one comes before another only if its call had returned
 * before. */
static uint64_t order_of(const struct history_rank *rank, uint64_t made, uint64_t left)
{
    return rank->lanes > 1 ? left : made;
}

static enum core_status posted_add(struct proof_index *index, const struct history_rank *rank,
                                   int32_t dest, const struct request *r)
{
    const struct history_space *space = history_request_space(rank, r);
    enum core_status status = CORE_OK;

    if (r->kind != REQUEST_RECEIVE || !r->active || r->pair)
        return CORE_OK; /* partitioned messages match only their partners */
    if (!space || r->cancelled) {
        const struct unclear key = {.rank = (uint64_t)dest};
        struct unclear *entry;

        status = core_table_put(&index->unclear, &key, "what ranks wait for", &entry);
    }
    if (!space)
        return status;
    int32_t source = r->peer == EVENT_ANY ? EVENT_ANY : history_space_world(space, r->peer);
    for (int k = 0; k < 4 && status == CORE_OK; k++) {
        struct proof_posted entry = {.key = {.global = space->global,
                                             .dest = dest,
                                             .source = k & 2 ? ALL : source,
                                             .tag = k & 1 ? ALL : r->tag,
                                             .uncounted = r->persistent || r->cancelled},
                                     .order = order_of(rank, r->made, r->t_leave)};

        status = CORE_ARRAY_PUSH(index->posted, index->posted_count, index->posted_room,
                                 "what ranks wait for", entry);
    }
    return status;
}

static enum core_status undelivered_add(struct proof_prover *prover, int32_t source,
                                        const struct request *r)
{
    const struct history_space *space = history_request_space(&prover->history.rank[source], r);
    struct undelivered *entry;

    if (!space || r->kind != REQUEST_SEND || !r->active || r->pair)
        return CORE_OK;
    const struct history_channel_key key = {.global = space->global,
                                            .source = source,
                                            .dest = history_space_world(space, r->peer),
                                            .tag = r->tag};
    if (key.dest < 0 || (uint32_t)key.dest >= prover->history.rank_count ||
        proof_idle_enough(prover, source, key.dest, (int64_t)r->bytes))
        return CORE_OK;
    return core_table_put(&prover->index.undelivered, &key, "what ranks wait for", &entry);
}

static enum core_status requests_add(struct proof_prover *prover)
{
    enum core_status status = CORE_OK;

    for (uint32_t r = 0; r < prover->history.rank_count; r++) {
        const struct history_rank *rank = &prover->history.rank[r];

        core_work(requests_count(&rank->requests));
        for (uint32_t i = 0; i < requests_count(&rank->requests) && status == CORE_OK; i++) {
            status = posted_add(&prover->index, rank, (int32_t)r, requests_at(&rank->requests, i));
            if (status == CORE_OK)
                status = undelivered_add(prover, (int32_t)r, requests_at(&rank->requests, i));
        }
    }
    return status;
}

static void receives_make(struct proof_prover *prover)
{
    struct proof_index *index = &prover->index;

    if (index->receives_made)
        return;
    index->unclear = (struct core_table)CORE_TABLE(struct unclear, rank);
    index->undelivered = (struct core_table)CORE_TABLE(struct undelivered, key);
    index->receives_made = true;
    prover->no_memory |= requests_add(prover) != CORE_OK;
    if (index->posted_count)
        qsort(index->posted, index->posted_count, sizeof *index->posted, posted_compare);
}

/* Returns the index of the first entry that is not less. */
static uint32_t posted_find(const struct proof_index *index, const struct fit_key *key,
                            uint64_t order)
{
    const struct proof_posted wanted = {.key = *key, .order = order};

    core_work(1);
    uint32_t low = CORE_ARRAY_FIND(at, 0, index->posted_count,
                                   posted_compare(&index->posted[at], &wanted) < 0);
    return low;
}

/* Counts the receives under the key that were posted before. */
static uint64_t posted_before(const struct proof_index *index, const struct fit_key *key,
                              uint64_t order)
{
    return posted_find(index, key, order) - posted_find(index, key, 0);
}

void proof_index_before(struct proof_prover *prover, const struct proof_receive *receive,
                        uint64_t before[2][2], uint64_t *out_rivals)
{
    const struct history_rank *rank = &prover->history.rank[receive->dest];
    uint64_t order = receive->seq ? order_of(rank, receive->seq, receive->entered) : 0;
    bool any_source = receive->source == EVENT_ANY, any_tag = receive->tag == EVENT_ANY;

    receives_make(prover);
    *out_rivals = 0;
    for (int wider = 0; wider < 4; wider++) {
        bool source = wider >> 1, tag = wider & 1;
        struct fit_key key = {.global = receive->global,
                              .dest = receive->dest,
                              .source = source ? EVENT_ANY : receive->source,
                              .tag = tag ? EVENT_ANY : receive->tag};

        if ((any_source && source) || (any_tag && tag))
            continue; /* it already is a wildcard */
        before[source][tag] = posted_before(&prover->index, &key, order);
        key.source = any_source ? ALL : key.source;
        key.tag = any_tag ? ALL : key.tag;
        *out_rivals += posted_before(&prover->index, &key, order);
    }
}

/* Returns one of the eight keys of receives that fit a message: its source or any, its tag or any,
 * uncounted or not. */
static struct fit_key fitting_key(const struct proof_send *send, unsigned which)
{
    return (struct fit_key){.global = send->global,
                            .dest = send->dest,
                            .source = which & 2 ? EVENT_ANY : send->source,
                            .tag = which & 1 ? EVENT_ANY : send->tag,
                            .uncounted = which >> 2};
}

uint64_t proof_index_fitting(struct proof_prover *prover, const struct proof_send *send)
{
    uint64_t count = 0;

    receives_make(prover);
    for (unsigned which = 0; which < 8; which++) {
        const struct fit_key key = fitting_key(send, which);

        count += posted_before(&prover->index, &key, UINT64_MAX);
    }
    return count;
}

uint64_t proof_index_exact(struct proof_prover *prover, const struct proof_send *send)
{
    const struct fit_key key = fitting_key(send, 0);

    receives_make(prover);
    return posted_before(&prover->index, &key, UINT64_MAX);
}

bool proof_index_fitting_each(const struct proof_prover *prover, const struct proof_send *send,
                              proof_fitting_fn fn, void *context)
{
    const struct proof_index *index = &prover->index;
    const struct unclear unclear = {.rank = (uint64_t)send->dest};
    bool more = !core_table_find(&index->unclear, &unclear);

    CORE_CHECK(index->receives_made); /* the caller counted first */
    for (unsigned which = 0; which < 8 && more; which++) {
        const struct fit_key key = fitting_key(send, which);

        for (uint32_t i = posted_find(index, &key, 0);
             more && i < index->posted_count &&
             memcmp(&index->posted[i].key, &key, sizeof key) == 0;
             i++) {
            core_work(1);
            more = fn(key.source, key.tag, context);
        }
    }
    return more;
}

/* --- messages --------------------------------------------------------------------------------- */

static enum core_status message_add(struct proof_prover *prover,
                                    const struct history_channel *channel, uint64_t count)
{
    uint32_t ranks = prover->history.rank_count;
    enum core_status status = CORE_OK;

    if (channel->key.dest < 0 || (uint32_t)channel->key.dest >= ranks)
        return CORE_OK; /* no rank of the job receives it */
    for (int k = 0; k < 4 && status == CORE_OK && count; k++) {
        const struct fit_key key = {.global = channel->key.global,
                                    .dest = channel->key.dest,
                                    .source = k & 2 ? ALL : channel->key.source,
                                    .tag = k & 1 ? ALL : channel->key.tag};
        struct message_sum *sum;

        status = core_table_put(&prover->index.messages, &key, "what ranks wait for", &sum);
        if (status != CORE_OK)
            break;
        sum->count += count;
        for (int certain = 0; certain < 2; certain++)
            sum->on_way[certain] |= !proof_channel_arrived(prover, channel, certain);
    }
    return status;
}

/* Adds messages of sends that a rank is in, if they are the first of their channels. */
static enum core_status firsts_add(struct proof_prover *prover, int32_t source)
{
    const struct history_rank *rank = &prover->history.rank[source];
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < rank->open_count && status == CORE_OK; i++) {
        struct history_channel first = {0};

        if (proof_open_sends(rank, source, &rank->open[i], &first.key) &&
            !history_channel_find(&prover->history, first.key.global, source, first.key.dest,
                                  first.key.tag))
            status = message_add(prover, &first, 1);
    }
    return status;
}

static void messages_make(struct proof_prover *prover)
{
    const struct core_table *channels = &prover->history.channels;
    enum core_status status = CORE_OK;

    if (prover->index.messages_made)
        return;
    receives_make(prover); /* it finds what is undelivered */
    prover->index.messages = (struct core_table)CORE_TABLE(struct message_sum, key);
    prover->index.messages_made = true;
    core_work(channels->count);
    for (uint32_t i = 0; i < channels->count && status == CORE_OK; i++) {
        const struct history_channel *channel = core_table_at(channels, i);

        if (channel->key.source >= 0 && (uint32_t)channel->key.source < prover->history.rank_count)
            status =
                message_add(prover, channel, proof_channel_open(&prover->history, &channel->key));
    }
    for (uint32_t r = 0; r < prover->history.rank_count && status == CORE_OK; r++)
        status = firsts_add(prover, (int32_t)r);
    prover->no_memory |= status != CORE_OK;
}

static uint64_t sum_of(const struct proof_index *index, const struct fit_key *key, bool certain,
                       bool *out_arrived)
{
    const struct message_sum *sum = core_table_find(&index->messages, key);

    core_work(1);
    *out_arrived = !sum || !sum->on_way[certain];
    return sum ? sum->count : 0;
}

bool proof_index_messages(struct proof_prover *prover, const struct proof_receive *receive,
                          uint64_t message[2][2])
{
    int32_t source = receive->source == EVENT_ANY ? ALL : receive->source;
    int32_t tag = receive->tag == EVENT_ANY ? ALL : receive->tag;
    uint64_t sum[4];
    bool arrived = true;

    messages_make(prover);
    for (int k = 3; k >= 0; k--) { /* the last sum is that of the messages that fit */
        struct fit_key key = {.global = receive->global,
                              .dest = receive->dest,
                              .source = k & 2 ? ALL : source,
                              .tag = k & 1 ? ALL : tag};

        sum[k] = sum_of(&prover->index, &key, receive->certain, &arrived);
    }
    CORE_CHECK(sum[0] <= sum[1] && sum[0] <= sum[2]); /* those that fit are among the others */
    CORE_CHECK(sum[1] + sum[2] - sum[0] <= sum[3]);
    message[1][1] = sum[0];
    message[1][0] = sum[1] - sum[0];
    message[0][1] = sum[2] - sum[0];
    message[0][0] = sum[3] - sum[1] - sum[2] + sum[0];
    return arrived;
}

void proof_index_done(struct proof_index *index)
{
    CORE_ARRAY_DONE(index->posted, index->posted_count, index->posted_room);
    core_table_done(&index->messages);
    core_table_done(&index->undelivered);
    core_table_done(&index->unclear);
    index->receives_made = index->messages_made = false;
}
