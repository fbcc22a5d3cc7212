/* Explains why a send does not complete although a fitting receive is posted. The spool does not
 * say which message that receive took: it has not been waited for. But a library that had its time
 * has matched all that can match, and a send whose message matched has returned. So this send's
 * message did not match: all receives that fit it have taken other messages. This file searches for
 * such an assignment, a different message for each receive. If there is none, the observation is
 * not understood, and nothing is claimed.
 *
 * The other messages are those whose sends have returned or are not waited for: of two sends that
 * both do not return, neither was taken. */
#include "core/array.h"
#include "core/matching/matching.h"
#include "launch/proof/proof.h"
#include "launch/proof/proof_inside.h"

enum { RECEIVES_MAX = 64, CHANNELS_MAX = 64 };

struct match {
    struct {
        int32_t source, tag; /* world ranks; EVENT_ANY */
    } receive[RECEIVES_MAX];
    struct {
        int32_t source, tag;
        uint64_t left;  /* messages that may have been taken and are not assigned */
        uint32_t first; /* index + 1 of a receive that has one of them; others by next */
        bool visited;
    } channel[CHANNELS_MAX];
    uint32_t next[RECEIVES_MAX]; /* receive of the same channel; index + 1 */
    uint32_t receives, channels;
};

static bool proof_match_fits(const struct match *match, uint32_t receive, int32_t source,
                             int32_t tag)
{
    return matching_accepts(match->receive[receive].source, source) &&
           matching_accepts(match->receive[receive].tag, tag);
}

/* --- what is there ---------------------------------------------------------------------------- */

static bool receive_collect(int32_t source, int32_t tag, void *context)
{
    struct match *match = context;

    if (match->receives == RECEIVES_MAX)
        return false;
    match->receive[match->receives].source = source;
    match->receive[match->receives++].tag = tag;
    return true;
}

/* Finds the receive of the destination's open call, on the send's communicator. False: unknown. */
static bool open_receives(const struct history_rank *rank, const struct history_open *open,
                          const struct history_call *call, const struct proof_send *send,
                          int32_t *out_source, int32_t *out_tag)
{
    const struct history_space *space =
        history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);
    bool both = call->class == EVENT_CLASS_SENDRECV;

    if (!space || (both && !open->has_recv_half) ||
        (!both && call->class != EVENT_CLASS_RECV && call->class != EVENT_CLASS_PROBE &&
         call->class != EVENT_CLASS_MPROBE))
        return false;
    *out_source = EVENT_NONE; /* another communicator: nothing that fits */
    *out_tag = both ? open->recv_half.tag : open->event.tag;
    if (space->global == send->global)
        *out_source = history_space_world(space, both ? open->recv_half.peer : open->event.peer);
    return true;
}

/* Collects the receives that fit the message and may have taken another one. False: for some this
 * is unknown. */
static bool receives_collect(const struct proof_prover *prover, const struct proof_send *send,
                             struct match *match)
{
    const struct history_rank *rank = &prover->history.rank[send->dest];

    for (uint32_t i = 0; i < rank->open_count; i++) {
        const struct history_open *open = &rank->open[i];
        const struct history_call *call = history_open_call(rank, open);
        int32_t source, tag;

        if (!call || !trait_in(call->traits, TRAIT_RECEIVES))
            continue;
        if (!open_receives(rank, open, call, send, &source, &tag))
            return false;
        if (!matching_accepts(source, send->source) || !matching_accepts(tag, send->tag))
            continue;
        if (call->class != EVENT_CLASS_SENDRECV || !receive_collect(source, tag, match))
            return false; /* a call that only receives would have returned */
    }
    if (!proof_index_fitting_each(prover, send, receive_collect, match))
        return false;
    return true;
}

/* Tells whether the call would have returned if the request were complete. */
static bool is_awaited(const struct history_rank *rank, const struct history_open *open,
                       uint64_t id)
{
    const struct history_call *call = history_open_call(rank, open);
    uint8_t class = call ? call->class : EVENT_CLASS_OTHER;

    if (requests_twin(&rank->requests, id)) /* its receive may be incomplete */
        return false;

    if (class == EVENT_CLASS_WAIT)
        return open->event.request == id;
    if (class != EVENT_CLASS_WAITANY && class != EVENT_CLASS_WAITSOME &&
        !(class == EVENT_CLASS_WAITALL && open->request_total == 1))
        return false;
    for (uint32_t i = 0; i < open->request_count; i++)
        if (open->request[i] == id)
            return true;
    return false;
}

/* Counts, among the first `before` sends of the channel, those that a rank waits for in vain. */
static uint64_t sends_awaited(const struct history_rank *source,
                              const struct history_channel_key *key, uint64_t before)
{
    uint64_t sends = 0;

    for (uint32_t i = 0; i < requests_count(&source->requests); i++) {
        const struct request *r = requests_at(&source->requests, i);
        const struct history_space *space = r->pair ? NULL : history_request_space(source, r);
        bool awaited = false;

        if (!space || r->kind != REQUEST_SEND || !r->active || r->tag != key->tag ||
            space->global != key->global || history_space_world(space, r->peer) != key->dest ||
            history_request_number(r) > before)
            continue;
        for (uint32_t k = 0; k < source->open_count; k++)
            awaited |= is_awaited(source, &source->open[k], r->id);
        sends += awaited;
    }
    return sends;
}

/* Collects the other messages to the same rank. False: too many channels, or one of unknown order.
 */
static bool messages_collect(const struct proof_prover *prover, const struct proof_send *send,
                             struct match *match)
{
    const struct history *history = &prover->history;

    for (uint32_t i = 0; i < history->channels.count; i++) {
        const struct history_channel *c = core_table_at(&history->channels, i);
        bool own = c->key.source == send->source && c->key.tag == send->tag;
        uint64_t sent = own && send->number <= c->sent ? send->number - 1 : c->sent;

        if (c->key.global != send->global || c->key.dest != send->dest)
            continue;
        if (match->channels == CHANNELS_MAX || c->mixed)
            return false;
        uint64_t awaited = sends_awaited(&history->rank[c->key.source], &c->key, sent);
        sent -= awaited < sent ? awaited : sent;
        if (sent <= c->received)
            continue;
        match->channel[match->channels].source = c->key.source;
        match->channel[match->channels].tag = c->key.tag;
        match->channel[match->channels++].left = sent - c->received;
    }
    return true;
}

/* --- the search ------------------------------------------------------------------------------- */

static void proof_match_give(struct match *match, uint32_t channel, uint32_t receive)
{
    match->next[receive] = match->channel[channel].first;
    match->channel[channel].first = receive + 1;
}

/* Finds a message for the receive, and reassigns others if necessary (an augmenting path, at most
 * as deep as there are channels). */
static bool proof_match_augment(struct match *match, uint32_t receive)
{
    for (uint32_t c = 0; c < match->channels; c++) {
        if (match->channel[c].visited ||
            !proof_match_fits(match, receive, match->channel[c].source, match->channel[c].tag))
            continue;
        match->channel[c].visited = true;
        if (match->channel[c].left) {
            match->channel[c].left--;
            proof_match_give(match, c, receive);
            return true;
        }
        for (uint32_t *at = &match->channel[c].first; *at; at = &match->next[*at - 1]) {
            uint32_t other = *at - 1, behind = match->next[other];

            if (!proof_match_augment(match, other))
                continue;
            *at = behind;
            proof_match_give(match, c, receive);
            return true;
        }
    }
    return false;
}

/* Tells whether a call only sends, receives and waits, or finalizes: the library calls no operation
 * of the program in it. */
static bool is_of_messages(const struct history_call *call)
{
    switch (call ? call->class : EVENT_CLASS_OTHER) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_SENDRECV:
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_PROBE:
    case EVENT_CLASS_MPROBE:
    case EVENT_CLASS_MRECV:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_WAITANY:
    case EVENT_CLASS_WAITSOME:
    case EVENT_CLASS_FINALIZE:
        return true;
    default:
        return false;
    }
}

bool proof_is_free(const struct proof_prover *prover, int32_t rank)
{
    const struct history_rank *its = &prover->history.rank[rank];
    bool free = true;

    if (prover->free[rank])
        return prover->free[rank] == 1;
    for (uint32_t i = 0; its->lanes > 1 && i < its->open_count; i++)
        free &= is_of_messages(history_open_call(its, &its->open[i]));
    for (uint32_t i = 0; free && i < requests_count(&its->requests); i++) {
        const struct request *r = requests_at(&its->requests, i);

        free = r->kind != REQUEST_COLLECTIVE || !r->active;
    }
    prover->free[rank] = free ? 1 : 2;
    return free;
}

bool proof_idle_enough(const struct proof_prover *prover, int32_t source, int32_t dest,
                       int64_t bytes)
{
    return bytes >= 0 && proof_has_carried(prover->standing[source], (uint64_t)bytes) &&
           proof_has_carried(prover->standing[dest], (uint64_t)bytes) &&
           proof_is_free(prover, source) && proof_is_free(prover, dest);
}

bool proof_send_done_or_left(const struct proof_prover *prover, const struct proof_send *send)
{
    struct match match = {.receives = 0};

    return proof_idle_enough(prover, send->source, send->dest, send->bytes) &&
           receives_collect(prover, send, &match) && match.receives;
}

bool proof_send_unmatched(const struct proof_prover *prover, const struct proof_send *send)
{
    const struct history_channel *channel =
        history_channel_find(&prover->history, send->global, send->source, send->dest, send->tag);
    struct match match = {.receives = 0};

    return channel && proof_idle_enough(prover, send->source, send->dest, send->bytes) &&
           channel->received +
                   sends_awaited(&prover->history.rank[send->source], &channel->key, UINT64_MAX) <=
               channel->sent &&
           receives_collect(prover, send, &match) && !match.receives;
}

bool proof_send_left(const struct proof_prover *prover, const struct proof_send *send)
{
    struct match match = {.receives = 0};

    if (!proof_idle_enough(prover, send->source, send->dest, send->bytes) ||
        !receives_collect(prover, send, &match) || !match.receives ||
        !messages_collect(prover, send, &match))
        return false;
    for (uint32_t r = 0; r < match.receives; r++) {
        for (uint32_t c = 0; c < match.channels; c++)
            match.channel[c].visited = false;
        if (!proof_match_augment(&match, r))
            return false;
    }
    return true;
}

/* Tells whether the destination only holds the message, found by a matched probe. The first
 * messages of the channel were taken; a send that had its time and has not returned is not among
 * those received, whose data was transferred, so it is one of those held. */
bool proof_send_held(const struct proof_prover *prover, const struct proof_send *send)
{
    const struct history_rank *rank = &prover->history.rank[send->dest];

    if (!proof_idle_enough(prover, send->source, send->dest, send->bytes))
        return false;
    for (uint32_t i = 0; i < rank->open_count; i++) {
        const struct history_call *call = history_open_call(rank, &rank->open[i]);

        if (!call || call->class == EVENT_CLASS_MRECV) /* it may be receiving one */
            return false;
    }
    for (uint32_t i = 0; i < requests_count(&rank->requests); i++) {
        const struct request *r = requests_at(&rank->requests, i);
        const struct history_space *space =
            history_space_find(rank, HISTORY_SPACE_COMM, (uint32_t)r->comm);

        if (r->kind == REQUEST_MESSAGE && space && space->global == send->global &&
            history_space_world(space, r->peer) == send->source && r->tag == send->tag)
            return true;
    }
    return false;
}
