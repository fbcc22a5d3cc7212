/* See the header. A chain is a sequence of calls of MPI_Pack, or of MPI_Unpack, each of which
 * begins at the position where the one before it ended.
 *
 *  1. A rank has one open chain of each kind. A call that may belong to another buffer ends the
 *     examination of the rank: a second chain, or MPI_Unpack, before the first chain is sent; a
 *     second packed message before the first is unpacked; a position that continues nothing. */
#include "checkers/packed.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "core/trace/basic.h"
#include "core/trace/trace_message.h"

#define A_CHAIN "packed messages"

struct packed_part { /* a call of MPI_Pack or MPI_Unpack */
    uint64_t seq;
    int64_t from, count;
    uint64_t bytes;
    int32_t datatype;
};
struct packed_parts {
    struct packed_part *part; /* owned */
    uint32_t count, room;
};
struct packed_chain { /* parts[first] to parts[first + count - 1] */
    struct packed_key {
        uint64_t rank, seq; /* of the send or receive */
    } key;
    uint32_t first, count;
};
struct packed {
    const struct check_input *input;
    struct type_report *report;
    struct packed_parts packs, unpacks;
    struct core_table sent, received; /* struct packed_chain */
    /* of the rank that is read */
    uint32_t rank, pack_first, unpack_first; /* where the open chains begin */
    int64_t packed, unpacked;                /* where they end in their buffers */
    bool stop, packing, is_sent, receiving, unpacking;
    struct packed_key message; /* that is unpacked */
};

static bool is_packed(const struct trace *trace, int32_t datatype)
{
    return datatype >= 0 && (uint32_t)datatype < trace->datatype_count &&
           trace->datatype[datatype].name &&
           basic_group_find(trace->datatype[datatype].name) == BASIC_PACKED;
}

static enum core_status part_add(struct packed_parts *parts, const struct trace_event *event,
                                 int64_t from)
{
    CORE_CHECK(event->verb == VERB_PACK || event->verb == VERB_UNPACK);
    const struct packed_part part = {event->seq, from, event->count, event->bytes, event->datatype};
    return CORE_ARRAY_PUSH(parts->part, parts->count, parts->room, A_CHAIN, part);
}

static enum core_status pack_look(struct packed *p, const struct trace_event *event, int64_t from)
{
    CORE_CHECK(!p->stop); /* invariant 1 */
    CORE_CHECK(p->pack_first <= p->packs.count);
    if (!from && (!p->packing || p->is_sent)) {
        p->pack_first = p->packs.count;
        p->packing = true;
        p->is_sent = false;
    } else if (!p->packing || from != p->packed) {
        p->stop = true;
        return CORE_OK;
    }
    p->packed = from + (int64_t)event->bytes;
    return part_add(&p->packs, event, from);
}

static enum core_status chain_set(struct core_table *table, struct packed_key key, uint32_t first,
                                  uint32_t end)
{
    struct packed_chain *chain;
    CORE_CHECK(first < end);
    enum core_status status = core_table_put(table, &key, A_CHAIN, &chain);
    if (status == CORE_OK) {
        chain->first = first;
        chain->count = end - first;
    }
    return status;
}

static enum core_status unpack_look(struct packed *p, const struct trace_event *event, int64_t from)
{
    CORE_CHECK(!p->stop); /* invariant 1 */
    CORE_CHECK(p->unpack_first <= p->unpacks.count);
    if (!from && p->receiving && !p->unpacking && (!p->packing || p->is_sent)) {
        p->unpacking = true;
        p->unpack_first = p->unpacks.count;
    } else if (!p->unpacking || from != p->unpacked) {
        p->stop = true;
        return CORE_OK;
    }
    p->unpacked = from + (int64_t)event->bytes;
    enum core_status status = part_add(&p->unpacks, event, from);
    return status == CORE_OK
               ? chain_set(&p->received, p->message, p->unpack_first, p->unpacks.count)
               : status;
}

static enum core_status send_look(struct packed *p, const struct trace_event *event)
{
    const struct packed_key key = {p->rank, event->seq};
    CORE_CHECK(!p->stop); /* invariant 1 */
    p->stop |= !p->packing || event->count != p->packed;
    if (p->stop)
        return CORE_OK;
    p->is_sent = true;
    return chain_set(&p->sent, key, p->pack_first, p->packs.count);
}

static void receive_look(struct packed *p, uint64_t seq)
{
    CORE_CHECK(!p->stop); /* invariant 1 */
    p->stop |= p->receiving && !p->unpacking;
    p->receiving = true;
    p->unpacking = false;
    p->message = (struct packed_key){p->rank, seq};
}

static enum core_status event_look(struct packed *p, const struct trace_event *event)
{
    struct trace *trace = p->input->trace;
    if (event->error || event->pending)
        return CORE_OK;
    if (event->verb == VERB_PACK || event->verb == VERB_UNPACK) {
        const int64_t to = trace_arg_value(trace, event, "position", -1),
                      from = to - (int64_t)event->bytes;
        if (!event->bytes)
            return CORE_OK;
        return event->verb == VERB_PACK ? pack_look(p, event, from) : unpack_look(p, event, from);
    }
    const bool sends = is_packed(trace, event->datatype),
               half = event->has_recv_half && is_packed(trace, event->recv_datatype);
    if (!sends && !half)
        return CORE_OK;
    if (half || trait_in(event->traits, TRAIT_PERSISTENT))
        p->stop = true;
    else if (trait_in(event->traits, TRAIT_SENDS))
        return send_look(p, event);
    else if (trait_in(event->traits, TRAIT_RECEIVES) &&
             !trait_in(event->traits, TRAIT_MAKES_REQUEST))
        receive_look(p, event->seq);
    else
        p->stop = true;
    return CORE_OK;
}

static enum core_status rank_look(struct packed *p, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    CORE_CHECK(rank < p->input->trace->rank_count);
    enum core_status status = trace_cursor_open(p->input->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    p->rank = rank;
    p->stop = p->packing = p->is_sent = p->receiving = p->unpacking = false;
    while (!p->stop && status == CORE_OK &&
           (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
        if (!event.parent)
            status = event_look(p, &event);
    trace_cursor_close(cursor);
    return status;
}

static bool is_predefined(const struct trace *trace, int32_t datatype)
{
    return datatype >= 0 && (uint32_t)datatype < trace->datatype_count &&
           trace->datatype[datatype].name &&
           basic_group_find(trace->datatype[datatype].name) != BASIC_UNKNOWN;
}

/* Compares two calls that begin at the same position; those of different length only if both have
 * predefined datatypes. */
static enum core_status parts_compare(struct packed *p, const struct packed_key key[2],
                                      const struct packed_part *pack,
                                      const struct packed_part *unpack, bool *out_differ)
{
    const struct trace *trace = p->input->trace;
    struct type_pair pair = {.meeting = TYPE_PACKED,
                             .rank = {(uint32_t)key[0].rank, (uint32_t)key[1].rank},
                             .seq = {pack->seq, unpack->seq}};
    CORE_CHECK(pack->from == unpack->from);
    if (pack->bytes != unpack->bytes &&
        !(is_predefined(trace, pack->datatype) && is_predefined(trace, unpack->datatype)))
        return CORE_OK;
    bool whole = pack->bytes == unpack->bytes;
    pair.difference =
        types_compare(trace, pack->datatype, whole ? pack->count : 1, unpack->datatype,
                      whole ? unpack->count : 1, &pair.name[0], &pair.name[1]);
    *out_differ = pair.difference == TYPES_DIFFER;
    return *out_differ ? type_report_add(p->report, &pair) : CORE_OK;
}

/* After the first difference all later calls are shifted. */
static enum core_status chains_compare(struct packed *p, const struct packed_chain *sent,
                                       const struct packed_chain *received)
{
    const struct packed_key key[2] = {sent->key, received->key};
    enum core_status status = CORE_OK;
    bool differ = false;
    CORE_CHECK((uint64_t)sent->first + sent->count <= p->packs.count);
    CORE_CHECK((uint64_t)received->first + received->count <= p->unpacks.count);
    for (uint32_t u = 0, k = 0; u < received->count && status == CORE_OK && !differ; u++) {
        const struct packed_part *unpack = &p->unpacks.part[received->first + u];
        while (k < sent->count && p->packs.part[sent->first + k].from < unpack->from)
            k++;
        if (k < sent->count && p->packs.part[sent->first + k].from == unpack->from)
            status = parts_compare(p, key, &p->packs.part[sent->first + k], unpack, &differ);
    }
    return status;
}

static enum core_status message_compare(const struct trace_message *message, void *context)
{
    struct packed *p = context;
    const struct packed_key send = {message->source, message->send},
                            receive = {message->dest, message->receive};
    const struct packed_chain *sent = core_table_find(&p->sent, &send),
                              *received = core_table_find(&p->received, &receive);
    return sent && received ? chains_compare(p, sent, received) : CORE_OK;
}

static bool has_verb(const struct trace *trace, enum verb verb)
{
    for (uint32_t i = 0; i < trace->call_count; i++)
        if (trace->call[i].verb == verb)
            return true;
    return false;
}

enum core_status packed_compare(const struct check_input *input, struct type_report *report)
{
    struct packed p = {.input = input,
                       .report = report,
                       .sent = CORE_TABLE(struct packed_chain, key),
                       .received = CORE_TABLE(struct packed_chain, key)};
    enum core_status status = CORE_OK;
    if (input->notes->threads || !has_verb(input->trace, VERB_PACK) ||
        !has_verb(input->trace, VERB_UNPACK))
        return CORE_OK;
    for (uint32_t rank = 0; rank < input->trace->rank_count && status == CORE_OK; rank++)
        status = rank_look(&p, rank);
    if (status == CORE_OK && p.received.count)
        status = trace_messages_each(input->trace, false, message_compare, &p);
    core_table_done(&p.sent);
    core_table_done(&p.received);
    free(p.packs.part);
    free(p.unpacks.part);
    return status;
}
