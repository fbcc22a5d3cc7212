/* Adds to the record of a proof the facts that its arguments rest on (core/trace/ending.h), so that
 * another program can check them against the trace: how each rank stood and up to which event it
 * was read; the channels with unreceived messages of ranks that wait, and the channels that a wait
 * names; and the collectives that the members of an awaited one had entered. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "launch/proof/proof.h"
#include "launch/proof/proof_inside.h"

_Static_assert((int)PROOF_STILL == ENDING_STANDING_STILL &&
                   (int)PROOF_IDLE_64MIB == ENDING_STANDING_RESTED,
               "a standing is recorded as it is");

static const char what[] = "what a proof stands on";

struct channel_named { /* a channel already added */
    struct history_channel_key key;
};
struct object_named {
    struct {
        uint64_t object, global;
    } key;
};
struct grounds {
    const struct proof_prover *prover;
    struct ending *ending;
    struct core_table channels, objects;
    uint8_t *waits; /* by rank: the record contains a call of it */
};

static enum core_status ranks_add(const struct grounds *grounds)
{
    const struct proof_prover *prover = grounds->prover;
    struct ending *ending = grounds->ending;
    enum core_status status = CORE_OK;

    for (uint32_t r = 0; r < prover->history.rank_count && status == CORE_OK; r++) {
        const struct history_rank *rank = &prover->history.rank[r];
        struct ending_rank its = {.rank = r,
                                  .standing = (enum ending_standing)prover->standing[r],
                                  .seq = rank->seq,
                                  .threads = rank->lanes};

        for (uint32_t i = 0; i < rank->open_count; i++)
            if (rank->open[i].event.seq > its.seq)
                its.seq = rank->open[i].event.seq;
        status = CORE_ARRAY_PUSH(ending->rank, ending->rank_count, ending->rank_room, what, its);
    }
    return status;
}

/* --- channels --------------------------------------------------------------------------------- */

static enum core_status channel_add(struct grounds *grounds, const struct history_channel_key *key)
{
    const struct history *history = &grounds->prover->history;
    const struct history_channel *channel =
        history_channel_find(history, key->global, key->source, key->dest, key->tag);
    struct ending *ending = grounds->ending;
    struct channel_named *named;

    if (core_table_find(&grounds->channels, key))
        return CORE_OK;
    uint64_t received = channel ? channel->received : 0, sent = channel ? channel->sent : 0;
    const struct history_rank *source = &history->rank[key->source];
    for (uint32_t i = 0; i < source->open_count; i++) {
        struct history_channel_key its;

        sent += proof_open_sends(source, key->source, &source->open[i], &its) &&
                memcmp(&its, key, sizeof its) == 0;
    }
    struct ending_channel counted = {key->global, key->source, key->dest, key->tag, sent, received};
    enum core_status status = core_table_put(&grounds->channels, key, what, &named);
    return status != CORE_OK ? status
                             : CORE_ARRAY_PUSH(ending->channel, ending->channel_count,
                                               ending->channel_room, what, counted);
}

static bool is_rank(const struct grounds *grounds, int32_t rank)
{
    return rank >= 0 && (uint32_t)rank < grounds->prover->history.rank_count;
}

/* Adds the channels with messages that no rank is known to have received. */
static enum core_status channels_open_add(struct grounds *grounds)
{
    const struct history *history = &grounds->prover->history;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < history->channels.count && status == CORE_OK; i++) {
        const struct history_channel *c = core_table_at(&history->channels, i);

        if (is_rank(grounds, c->key.source) && is_rank(grounds, c->key.dest) &&
            (grounds->waits[c->key.source] || grounds->waits[c->key.dest]) &&
            proof_channel_open(history, &c->key))
            status = channel_add(grounds, &c->key);
    }
    for (uint32_t r = 0; r < history->rank_count; r++)
        for (uint32_t i = 0; i < history->rank[r].open_count && status == CORE_OK; i++) {
            struct history_channel_key key;

            if (proof_open_sends(&history->rank[r], (int32_t)r, &history->rank[r].open[i], &key) &&
                is_rank(grounds, key.dest) && (grounds->waits[r] || grounds->waits[key.dest]))
                status = channel_add(grounds, &key);
        }
    return status;
}

/* Adds the channel that a wait for one rank names. */
static enum core_status channel_named_add(struct grounds *grounds, uint32_t me,
                                          const struct ending_wait *wait)
{
    bool receives = wait->need == ENDING_NEED_MESSAGE;

    if ((!receives && wait->need != ENDING_NEED_RECEIVE && wait->need != ENDING_NEED_BUFFER) ||
        wait->tag < 0 || wait->object != ENDING_OBJECT_COMM ||
        ending_wait_ranks(grounds->ending, wait) != 1)
        return CORE_OK;
    int32_t peer = (int32_t)grounds->ending->span[wait->first].first;
    const struct history_channel_key key = {.global = wait->global,
                                            .source = receives ? peer : (int32_t)me,
                                            .dest = receives ? (int32_t)me : peer,
                                            .tag = wait->tag};
    return channel_add(grounds, &key);
}

/* --- collectives ------------------------------------------------------------------------------ */

static enum history_space_kind kind_of(enum ending_object object)
{
    return object == ENDING_OBJECT_COMM   ? HISTORY_SPACE_COMM
           : object == ENDING_OBJECT_WIN  ? HISTORY_SPACE_WIN
           : object == ENDING_OBJECT_FILE ? HISTORY_SPACE_FILE
                                          : HISTORY_SPACE_FINALIZE;
}

static enum core_status members_add(struct grounds *grounds, uint32_t me,
                                    const struct ending_wait *wait)
{
    const struct history *history = &grounds->prover->history;
    struct ending *ending = grounds->ending;
    const struct history_space *space =
        history_space_global(&history->rank[me], kind_of(wait->object), wait->global);
    const struct object_named key = {.key = {(uint64_t)wait->object, wait->global}};
    struct object_named *named;
    enum core_status status = CORE_OK;

    if ((wait->need != ENDING_NEED_COLLECTIVE && wait->need != ENDING_NEED_PART) ||
        wait->object == ENDING_OBJECT_NONE || !space ||
        core_table_find(&grounds->objects, &key.key))
        return CORE_OK;
    status = core_table_put(&grounds->objects, &key.key, what, &named);
    for (uint32_t i = 0; i < space->size + space->remote_size && status == CORE_OK; i++) {
        if (!is_rank(grounds, space->member[i]))
            continue;
        uint32_t member = (uint32_t)space->member[i];
        const struct history_rank *rank = &history->rank[member];
        const struct history_space *its =
            history_space_global(rank, kind_of(wait->object), wait->global);
        struct ending_member entered = {wait->object, wait->global, member,
                                        its ? history_space_entered(rank, its) : 0};

        status = CORE_ARRAY_PUSH(ending->member, ending->member_count, ending->member_room, what,
                                 entered);
    }
    return status;
}

enum core_status proof_grounds_add(const struct proof_prover *prover, struct ending *ending)
{
    struct grounds grounds = {.prover = prover,
                              .ending = ending,
                              .channels = CORE_TABLE(struct channel_named, key),
                              .objects = CORE_TABLE(struct object_named, key)};
    enum core_status status = CORE_ARRAY_NEW(grounds.waits, prover->history.rank_count, what);

    for (uint32_t i = 0; i < ending->call_count && status == CORE_OK; i++)
        grounds.waits[ending->call[i].rank] = 1;
    if (status == CORE_OK)
        status = ranks_add(&grounds);
    if (status == CORE_OK)
        status = channels_open_add(&grounds);
    for (uint32_t i = 0; i < ending->call_count; i++)
        for (uint32_t w = 0; w < ending->call[i].count && status == CORE_OK; w++) {
            const struct ending_wait *wait = &ending->wait[ending->call[i].first + w];

            status = channel_named_add(&grounds, ending->call[i].rank, wait);
            if (status == CORE_OK)
                status = members_add(&grounds, ending->call[i].rank, wait);
        }
    core_table_done(&grounds.channels);
    core_table_done(&grounds.objects);
    free(grounds.waits);
    return status;
}
