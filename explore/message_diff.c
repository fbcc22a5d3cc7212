/* See the header. */
#include "explore/message_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/table.h"

#define A_MESSAGE "the messages of a world"

struct channel {
    struct {
        int32_t from, to, tag;
        uint32_t context;
    } key;
    uint32_t count;
    uint64_t hash;
};

static enum core_status channel_of(struct core_table *table, const struct world_event *e,
                                   struct channel **out_channel)
{
    const struct channel like = {.key = {e->rank, e->peer, e->tag, e->context}};
    return core_table_put(table, &like.key, A_MESSAGE, out_channel);
}

enum core_status message_diff_hash(const struct explore_events *events, uint64_t *out_hash)
{
    struct core_table channels = CORE_TABLE(struct channel, key);
    enum core_status status = CORE_OK;
    uint64_t sum = 0;

    for (size_t i = 0; i < events->count && status == CORE_OK; i++) {
        const struct world_event *e = &events->event[i];
        struct channel *channel;
        if (e->kind != WORLD_EVENT_SEND)
            continue;
        status = channel_of(&channels, e, &channel);
        if (status == CORE_OK)
            channel->hash = core_random_mix(channel->hash ^ core_random_mix(e->digest ^ e->bytes));
    }
    for (uint32_t i = 0; i < channels.count; i++) { /* in any order */
        const struct channel *channel = core_table_at(&channels, i);
        uint64_t hash = core_random_mix((uint64_t)(uint32_t)channel->key.from << 32 |
                                        (uint32_t)channel->key.to);
        hash ^= (uint64_t)(uint32_t)channel->key.tag << 32 | channel->key.context;
        sum += core_random_mix(core_random_mix(hash) ^ channel->hash);
    }
    core_table_done(&channels);
    *out_hash = sum;
    return status;
}

/* --- two worlds ------------------------------------------------------------------------------- */

static struct explore_message message_of(const struct world_event *e, uint32_t index)
{
    struct explore_message made = {.key = {e->rank, e->peer, e->tag, e->context, index},
                                   .bytes = e->bytes,
                                   .digest = e->digest,
                                   .site = e->site,
                                   .first = e->first,
                                   .first_kind = e->first_kind,
                                   .first_bytes = e->first_bytes};
    size_t length = e->call ? strlen(e->call) : 0;
    if (length >= sizeof made.call)
        length = sizeof made.call - 1;
    memcpy(made.call, e->call ? e->call : "", length);
    return made;
}

enum core_status message_diff_keep(const struct explore_events *events,
                                   struct message_diff *out_sent)
{
    struct core_table channels = CORE_TABLE(struct channel, key);
    struct message_diff made = {0};
    enum core_status status = CORE_OK;

    for (size_t i = 0; i < events->count && made.count < MESSAGE_DIFF_MAX && status == CORE_OK;
         i++) {
        struct channel *channel;
        if (events->event[i].kind != WORLD_EVENT_SEND)
            continue;
        status = channel_of(&channels, &events->event[i], &channel);
        if (status == CORE_OK)
            status = CORE_ARRAY_PUSH(made.message, made.count, made.room, A_MESSAGE,
                                     message_of(&events->event[i], channel->count++));
    }
    core_table_done(&channels);
    if (status != CORE_OK)
        message_diff_done(&made);
    else
        *out_sent = made;
    return status;
}

void message_diff_done(struct message_diff *sent)
{
    CORE_ARRAY_DONE(sent->message, sent->count, sent->room);
}

struct place { /* a message's place in its list */
    struct {
        int32_t from, to, tag;
        uint32_t context, index;
    } key;
    uint32_t at;
};
_Static_assert(sizeof(((struct place *)NULL)->key) == sizeof(((struct explore_message *)NULL)->key),
               "a message is looked up by its key");

static enum core_status places_fill(const struct message_diff *sent, struct core_table *places)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < sent->count && status == CORE_OK; i++) {
        struct place *place;
        status = core_table_put(places, &sent->message[i].key, A_MESSAGE, &place);
        if (status == CORE_OK)
            place->at = i;
    }
    return status;
}

static bool is_same(const struct explore_message *a, const struct explore_message *b)
{
    return a->bytes == b->bytes && a->digest == b->digest;
}

/* Returns the first message of `a` that `b` has differently or not at all; `places` finds the
 * messages of `b`. NULL if there is none. */
static const struct explore_message *first_unlike(const struct message_diff *a,
                                                  const struct message_diff *b,
                                                  const struct core_table *places,
                                                  const struct explore_message **out_other)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct place *place = core_table_find(places, &a->message[i].key);
        *out_other = place ? &b->message[place->at] : NULL;
        if (!place || !is_same(&a->message[i], *out_other))
            return &a->message[i];
    }
    *out_other = NULL;
    return NULL;
}

bool message_diff_differ(const struct message_diff *a, const struct message_diff *b,
                         struct explore_unlike *out_unlike)
{
    struct core_table of_a = CORE_TABLE(struct place, key), of_b = CORE_TABLE(struct place, key);
    struct explore_unlike made = {0};

    if (places_fill(a, &of_a) == CORE_OK && places_fill(b, &of_b) == CORE_OK) {
        made.here = first_unlike(a, b, &of_b, &made.there);
        if (!made.here)
            made.there = first_unlike(b, a, &of_a, &made.here);
    }
    core_table_done(&of_a);
    core_table_done(&of_b);
    *out_unlike = made;
    return made.here || made.there;
}

enum core_status message_diff_mask(struct message_diff *sent, const struct message_diff *a,
                                   const struct message_diff *b)
{
    struct core_table of_a = CORE_TABLE(struct place, key), of_b = CORE_TABLE(struct place, key);
    enum core_status status = places_fill(a, &of_a);
    if (status == CORE_OK)
        status = places_fill(b, &of_b);
    for (uint32_t i = 0; i < sent->count && status == CORE_OK; i++) {
        struct explore_message *m = &sent->message[i];
        const struct place *in_a = core_table_find(&of_a, &m->key),
                           *in_b = core_table_find(&of_b, &m->key);
        if (in_a && in_b && !is_same(&a->message[in_a->at], &b->message[in_b->at]))
            m->bytes = m->digest = 0;
    }
    core_table_done(&of_a);
    core_table_done(&of_b);
    return status;
}

/* --- in words --------------------------------------------------------------------------------- */

const struct explore_message *explore_unlike_message(const struct explore_unlike *unlike)
{
    CORE_CHECK(unlike->here || unlike->there);
    return unlike->here ? unlike->here : unlike->there;
}

static int64_t as_signed(const struct explore_message *m)
{
    unsigned shift = 64 - 8 * m->first_bytes;
    return (int64_t)(m->first << shift) >> shift;
}

static void first_say(const struct explore_message *m, FILE *file)
{
    float single;
    double number;
    CORE_CHECK(m->first_bytes >= 1 && m->first_bytes <= sizeof m->first);
    if (m->first_kind == 'i') {
        fprintf(file, "%" PRId64, as_signed(m));
    } else if (m->first_kind == 'u') {
        fprintf(file, "%" PRIu64, m->first);
    } else if (m->first_bytes == sizeof single) {
        memcpy(&single, &m->first, sizeof single);
        fprintf(file, "%.9g", (double)single);
    } else {
        memcpy(&number, &m->first, sizeof number);
        fprintf(file, "%.17g", number);
    }
}

/* Prints the part of the message that differs: its first element, its size, or a hash of its bytes.
 */
static void content_say(const struct explore_message *m, const struct explore_message *other,
                        FILE *file)
{
    bool element = m->first_kind && other && other->first_kind == m->first_kind &&
                   other->first_bytes == m->first_bytes && other->first != m->first;
    if (element && m->bytes == m->first_bytes) {
        first_say(m, file);
        return;
    }
    fprintf(file, "%" PRIu64 " byte%s", m->bytes, m->bytes == 1 ? "" : "s");
    if (element) {
        fputs(" that begin with ", file);
        first_say(m, file);
    } else if (other && other->bytes == m->bytes) {
        fprintf(file, " (hash %08" PRIx32 ")", (uint32_t)m->digest);
    }
}

/* Prints the receiver, and the tag unless the message is part of a collective: world_event. */
static void address_say(const struct explore_message *m, FILE *file)
{
    fprintf(file, " to rank %" PRId32, m->key.to);
    if (m->key.context % 2 == 0)
        fprintf(file, ", tag %" PRId32, m->key.tag);
    if (m->key.index)
        fprintf(file, ", as message %" PRIu32 " of those", m->key.index + 1);
}

void explore_unlike_say(const struct explore_unlike *unlike, bool otherwise, FILE *file)
{
    const struct explore_message *m = explore_unlike_message(unlike);
    fputs(unlike->here ? "sends " : "does not send ", file);
    content_say(m, unlike->there, file);
    address_say(m, file);
    if (!otherwise)
        return;
    fputs(unlike->here && unlike->there ? ", otherwise " : ", as it otherwise does", file);
    if (unlike->here && unlike->there)
        content_say(unlike->there, unlike->here, file);
    else if (unlike->here)
        fputs(" not", file);
}
