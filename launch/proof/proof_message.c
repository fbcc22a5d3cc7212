/* Decides for the launcher's proof whether a message may still match a waiting receive, and a
 * receive a send. */
#include "core/matching/matching.h"
#include "core/work.h"
#include "launch/proof/proof.h"
#include "launch/proof/proof_inside.h"

bool proof_open_sends(const struct history_rank *rank, int32_t source,
                      const struct history_open *open, struct history_channel_key *out_key)
{
    const struct history_call *call = history_open_call(rank, open);
    const struct history_space *space =
        history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);

    if (!call || !space || (call->class != EVENT_CLASS_SEND && call->class != EVENT_CLASS_SENDRECV))
        return false;
    *out_key = (struct history_channel_key){.global = space->global,
                                            .source = source,
                                            .dest = history_space_world(space, open->event.peer),
                                            .tag = open->event.tag};
    return out_key->dest >= 0;
}

/* Tells whether the open call of the source sends on this channel. */
static bool sends_to(const struct history_rank *source, const struct history_open *open,
                     const struct history_channel_key *key)
{
    struct history_channel_key its;

    return proof_open_sends(source, key->source, open, &its) && memcmp(&its, key, sizeof its) == 0;
}

uint64_t proof_channel_open(const struct history *history, const struct history_channel_key *key)
{
    const struct history_channel *channel =
        history_channel_find(history, key->global, key->source, key->dest, key->tag);
    const struct history_rank *source = &history->rank[key->source];
    uint64_t sent = channel ? channel->sent : 0;
    uint64_t received = channel ? channel->received : 0;

    for (uint32_t i = 0; i < source->open_count; i++)
        sent += sends_to(source, &source->open[i], key);
    return sent > received ? sent - received : 0;
}

bool proof_channel_arrived(const struct proof_prover *prover, const struct history_channel *channel,
                           bool certain)
{
    const struct history_rank *source = &prover->history.rank[channel->key.source];
    uint8_t standing = prover->standing[channel->key.source];

    if (channel->buffered || (!proof_is_idle(standing) && standing != PROOF_ENDED))
        return false;
    for (uint32_t i = 0; i < source->open_count; i++) {
        const struct history_open *open = &source->open[i];
        const struct history_call *call = history_open_call(source, open);

        /* MPI_Send would have returned if a receive had taken the message */
        if (sends_to(source, open, &channel->key) &&
            ((certain && call->class == EVENT_CLASS_SEND) ||
             !proof_idle_enough(prover, channel->key.source, channel->key.dest,
                                history_bytes(source, open->event.type, open->event.count))))
            return false;
    }
    return !core_table_find(&prover->index.undelivered, &channel->key);
}

/* The receives that compete with a waiting receive. Those posted before it that accept all that it
 * accepts come first; they differ in whether they accept more sources, and more tags. */
struct rivals {
    uint64_t before[2][2]; /* such receives, [of any source][of any tag] */
    uint64_t some;         /* posted before it, accepting some of what it accepts */
    uint64_t
        message[2][2]; /* messages that nobody is known to have received, [source fits][tag fits] */
    bool arrived;      /* all messages that fit it have arrived */
};

/* Tells whether the earlier receives of these kinds (bit 2 * any source + any tag) take all
 * messages that fit them: then none is left for this one. */
static bool rivals_take_all(const struct rivals *rivals, unsigned kinds)
{
    uint64_t takers = 0, messages = 0;

    for (unsigned kind = 0; kind < 4; kind++)
        takers += kinds & 1u << kind ? rivals->before[kind >> 1][kind & 1] : 0;
    for (unsigned fits = 0; fits < 4; fits++) {
        bool taken = false;

        for (unsigned kind = 0; kind < 4 && !taken;
             kind++) /* accepts the source, or any; the tag, or any */
            taken = kinds & 1u << kind && (fits >> 1 || kind >> 1) && (fits & 1 || kind & 1);
        messages += taken ? rivals->message[fits >> 1][fits & 1] : 0;
    }
    return messages <= takers;
}

enum competition {
    COMPETE_FREE,   /* a message may fit the receive */
    COMPETE_NONE,   /* no message sent so far fits; one that the source sends later may */
    COMPETE_OTHERS, /* the same, but a message of another rank to an earlier receive may let one
                       through */
    COMPETE_MAYBE   /* the receive is complete, or it is as with COMPETE_NONE */
};

/* Says whether messages may still match a receive; if not, by which argument, with its numbers. */
struct competing {
    enum competition is;
    enum ending_basis basis;
    uint64_t messages, rivals;
};

/* Decides whether a message sent so far can still match the receive. None can if (1) none fits, or
 * (2) receives posted before it accept all messages that fit any of these receives, or (3) all that
 * fit have arrived in time for the receive to complete, which it did not (certain), and at least as
 * many receives posted before may have taken them. */
static struct competing receive_competes(struct proof_prover *prover,
                                         const struct proof_receive *receive)
{
    const struct history_channel_key key = {.global = receive->global,
                                            .source = receive->source,
                                            .dest = receive->dest,
                                            .tag = receive->tag};
    struct rivals rivals = {0};

    if (receive->source >= 0 && receive->tag != EVENT_ANY &&
        !proof_channel_open(&prover->history, &key))
        return (struct competing){COMPETE_NONE, ENDING_BASIS_UNSENT, 0, 0};
    proof_index_before(prover, receive, rivals.before, &rivals.some);
    rivals.arrived = proof_index_messages(prover, receive, rivals.message);
    struct competing as = {COMPETE_NONE, ENDING_BASIS_UNSENT, rivals.message[1][1], rivals.some};
    if (!rivals.message[1][1])
        return as;
    bool arrived = rivals.arrived && proof_is_free(prover, receive->dest) &&
                   proof_is_idle(prover->standing[receive->dest]);
    as.basis = ENDING_BASIS_ARRIVED;
    if (receive->certain && arrived && rivals.message[1][1] <= rivals.some)
        return as;
    for (unsigned kinds = 1; kinds < 16; kinds++)
        if (rivals_take_all(&rivals, kinds)) {
            as.basis = ENDING_BASIS_TAKEN;
            as.is = kinds < 4 ? COMPETE_NONE : COMPETE_OTHERS;
            return as;
        }
    as.is = arrived && !receive->certain ? COMPETE_MAYBE : COMPETE_FREE;
    return as;
}

/* Counts the pending receives of `dest` that may take a message of the channel. */
static uint64_t receives_fitting(struct proof_prover *prover, const struct proof_send *send)
{
    const struct history_rank *rank = &prover->history.rank[send->dest];
    uint64_t count = proof_index_fitting(prover, send);

    for (uint32_t i = 0; i < rank->open_count; i++) {
        const struct history_open *open = &rank->open[i];
        const struct history_call *call = history_open_call(rank, open);
        const struct history_space *space =
            history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);
        uint8_t class = call ? call->class : EVENT_CLASS_OTHER;
        bool receives_too = class == EVENT_CLASS_SENDRECV && open->has_recv_half;
        int32_t from = receives_too ? open->recv_half.peer : open->event.peer;
        int32_t with = receives_too ? open->recv_half.tag : open->event.tag;

        if (space && space->global == send->global &&
            (receives_too || class == EVENT_CLASS_RECV || class == EVENT_CLASS_MRECV) &&
            matching_accepts(history_space_world(space, from), send->source) &&
            matching_accepts(with, send->tag))
            count++;
        if (class == EVENT_CLASS_SENDRECV && !open->has_recv_half)
            count++; /* unknown what it receives */
    }
    return count;
}

struct need proof_recv_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t source, int32_t tag,
                            uint64_t seq, uint64_t entered, bool certain)
{
    struct proof_receive receive = {.global = space->global,
                                    .dest = me,
                                    .source = source,
                                    .tag = tag,
                                    .seq = seq,
                                    .entered = entered,
                                    .certain = certain};
    struct need need = proof_need(NEED_CERTAIN, ENDING_NEED_MESSAGE, space);
    struct competing competing;

    need.wait.tag = tag;
    if (source == EVENT_PROC_NULL || source == EVENT_NONE)
        return proof_need_unknown();
    competing = receive_competes(prover, &receive);
    if (competing.is == COMPETE_FREE)
        return proof_need_unknown();
    if (competing.is == COMPETE_MAYBE)
        need.state = NEED_MAYBE;
    need = proof_need_reasoned(need, competing.basis, competing.messages, competing.rivals);
    if (source >= 0 && competing.is != COMPETE_OTHERS) {
        proof_peer_add(prover, source);
        return need;
    }
    need.wait.wildcard = source == EVENT_ANY;
    for (uint32_t i = 0; i < (space->inter ? space->remote_size : space->size); i++) {
        int32_t peer = history_space_world(space, (int32_t)i);

        if (peer < 0)
            return proof_need_unknown();
        if (peer != me || prover->history.rank[me].open_count > 1)
            proof_peer_add(prover, peer);
    }
    return need;
}

struct need proof_send_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t dest, int32_t tag,
                            uint64_t number, bool certain, int64_t bytes)
{
    const struct history_channel *channel =
        history_channel_find(&prover->history, space->global, me, dest, tag);
    uint64_t received = channel ? channel->received : 0, fitting;
    struct need need = proof_need(certain ? NEED_CERTAIN : NEED_MAYBE, ENDING_NEED_RECEIVE, space);
    bool counted = number && !(channel && channel->mixed);
    const struct proof_send send = {.global = space->global,
                                    .source = me,
                                    .dest = dest,
                                    .tag = tag,
                                    .number = number ? number : 1,
                                    .bytes = bytes};

    need.wait.tag = tag;
    if (dest < 0)
        return proof_need_unknown();
    if (!counted)
        number = 1; /* at least */
    fitting = receives_fitting(prover, &send);
    enum ending_basis basis = ENDING_BASIS_UNRECEIVED;
    if (number <= received + fitting) {
        if (certain ? proof_send_left(prover, &send) : proof_send_done_or_left(prover, &send))
            basis = ENDING_BASIS_LEFT;
        else if (number <= received && proof_send_held(prover, &send))
            basis = ENDING_BASIS_HELD;
        else if (counted || fitting || !proof_send_unmatched(prover, &send))
            return proof_need_unknown();
    }
    proof_peer_add(prover, dest);
    return proof_need_reasoned(need, basis, counted ? number : 0, fitting);
}

void proof_detach_needs(struct proof_prover *prover, int32_t me)
{
    const struct history *history = &prover->history;

    for (uint32_t i = 0; i < history->channels.count; i++) {
        const struct history_channel *c = core_table_at(&history->channels, i);

        if (!c->buffered || c->key.source != me || c->sent <= c->received)
            continue;
        struct need need = {.state = NEED_MAYBE,
                            .wait = {.need = ENDING_NEED_BUFFER,
                                     .object = ENDING_OBJECT_COMM,
                                     .global = c->key.global,
                                     .tag = c->key.tag,
                                     .basis = ENDING_BASIS_UNRECEIVED}};
        proof_peer_add(prover, c->key.dest);
        const struct proof_send send = {.global = c->key.global,
                                        .source = me,
                                        .dest = c->key.dest,
                                        .tag = c->key.tag,
                                        .bytes = -1};
        proof_need_add(prover, receives_fitting(prover, &send) ? proof_need_unknown() : need);
    }
    if (!prover->needs.count)
        proof_need_add(prover, proof_need_unknown());
}
