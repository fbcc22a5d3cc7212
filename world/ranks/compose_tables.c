/* See the header. */
#include "world/ranks/compose_inside.h"

#include <string.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

bool rank_compose_is_full(uint32_t count, uint32_t most)
{
    CORE_CHECK(count <= most);
    if (count == most)
        rank_states_give_up("ranks have too many states of their own");
    return count == most;
}

static void places_put(struct places *places, uint64_t hash, uint32_t entry)
{
    size_t at = hash % places->count;
    CORE_CHECK((places->count & (places->count - 1)) == 0);
    while (places->at[at])
        at = (at + 1) % places->count;
    places->at[at] = entry + 1;
}

static void places_free(struct places *places)
{
    if (places->at)
        munmap(places->at, places->count * sizeof *places->at);
    *places = (struct places){0};
}

/* Makes room for one more than `used` entries. */
static bool places_grow(struct places *places, uint32_t used, uint64_t (*hash_of_entry)(uint32_t))
{
    struct places more = {.count = places->count ? 2 * places->count : PLACES_LEAST};
    CORE_CHECK(2 * (uint64_t)used <= places->count);
    if (2 * (uint64_t)(used + 1) <= places->count)
        return true;
    more.at = rank_room_new(more.count * sizeof *more.at);
    if (!more.at) {
        rank_states_give_up("out of memory for its states");
        return false;
    }
    for (uint32_t i = 0; i < used; i++)
        places_put(&more, hash_of_entry(i), i);
    places_free(places);
    *places = more;
    return true;
}

static uint64_t local_hash(uint32_t local)
{
    CORE_CHECK(local < compose.local_count);
    return compose.local[local].is.hash[0];
}

uint32_t rank_compose_local_put(const struct rank_local *is, uint32_t parent, uint32_t message)
{
    struct places *places = &compose.local_place;
    CORE_CHECK(parent == NONE || parent < compose.local_count);
    if (!places_grow(places, compose.local_count, local_hash))
        return NONE;
    size_t at = is->hash[0] % places->count;
    for (; places->at[at]; at = (at + 1) % places->count) {
        const struct rank_local *have = &compose.local[places->at[at] - 1].is;
        if (have->hash[0] == is->hash[0] && have->hash[1] == is->hash[1])
            return places->at[at] - 1;
    }
    if (rank_compose_is_full(compose.local_count, LOCALS_MAX) ||
        rank_compose_is_full(compose.want_count > WANTS_MAX - RANK_WANTS_MAX, 1))
        return NONE;
    struct rank_want *want = compose.want + compose.want_count;
    if (is->want_count)
        memcpy(want, is->want, is->want_count * sizeof *want);
    compose.want_count += is->want_count;
    const uint32_t length = parent == NONE ? 0 : compose.local[parent].length + 1;
    struct local *local = &compose.local[compose.local_count];
    *local = (struct local){.is = *is, .parent = parent, .message = message, .length = length};
    local->is.want = want;
    places->at[at] = ++compose.local_count;
    return compose.local_count - 1;
}

static bool message_same(const struct rank_message *a, const struct rank_message *b)
{
    return a->context == b->context && a->source == b->source && a->tag == b->tag &&
           a->world == b->world && a->dest == b->dest && a->bytes == b->bytes &&
           a->type == b->type && a->call == b->call && memcmp(a->data, b->data, a->bytes) == 0;
}

static uint64_t contents_hash(const struct rank_message *m)
{
    return XXH3_64bits(m->data, m->bytes) ^
           core_random_mix((uint64_t)(uint32_t)m->tag << 32 | (uint32_t)m->dest) ^
           core_random_mix((uint64_t)m->context << 32 | (uint32_t)m->world);
}

static uint64_t message_hash(uint32_t message)
{
    CORE_CHECK(message < compose.message_count);
    return contents_hash(&compose.message[message]);
}

uint32_t rank_compose_message_put(struct rank_message message)
{
    struct places *places = &compose.message_place;
    if (!places_grow(places, compose.message_count, message_hash))
        return NONE;
    size_t at = contents_hash(&message) % places->count;
    for (; places->at[at]; at = (at + 1) % places->count)
        if (message_same(&compose.message[places->at[at] - 1], &message))
            return places->at[at] - 1;
    if (rank_compose_is_full(compose.message_count, MESSAGES_MAX))
        return NONE;
    if (message.bytes > DATA_BYTES - compose.data_used) {
        rank_states_give_up("out of memory for its messages");
        return NONE;
    }
    uint8_t *data = compose.data + compose.data_used;
    memcpy(data, message.data, message.bytes);
    compose.data_used += (message.bytes + 15) & ~(size_t)15;
    message.data = data;
    compose.message[compose.message_count] = message;
    places->at[at] = ++compose.message_count;
    return compose.message_count - 1;
}

uint32_t rank_compose_set_put(uint32_t rank, const uint32_t message[], uint32_t count,
                              int32_t answer)
{
    CORE_CHECK(count <= SET_MAX);
    return rank_compose_message_put((struct rank_message){.tag = answer,
                                                          .world = OF_SET,
                                                          .dest = (int32_t)rank,
                                                          .bytes = count * sizeof *message,
                                                          .data = (const uint8_t *)message});
}

uint32_t rank_compose_set_read(uint32_t set, const struct rank_message *out_message[SET_MAX])
{
    const struct rank_message *m = &compose.message[set];
    const uint32_t *message = (const uint32_t *)(const void *)m->data;
    const uint32_t count = (uint32_t)(m->bytes / sizeof *message);
    CORE_CHECK(m->world == OF_SET && count <= SET_MAX);
    for (uint32_t i = 0; i < count; i++)
        out_message[i] = &compose.message[message[i]];
    return count;
}

static uint64_t step_hash(uint32_t step)
{
    CORE_CHECK(compose.step[step].key);
    return core_random_mix(compose.step[step].key);
}

static uint64_t step_key(uint32_t local, uint32_t message)
{
    CORE_CHECK(local < compose.local_count && message < MESSAGES_MAX + RANK_WANTS_MAX);
    return (uint64_t)(local + 1) << 32 | message;
}

const struct step *rank_compose_step_find(uint32_t local, uint32_t message)
{
    const uint64_t key = step_key(local, message);
    const struct places *places = &compose.step_place;
    if (!places->count)
        return NULL;
    for (size_t at = core_random_mix(key) % places->count; places->at[at];
         at = (at + 1) % places->count)
        if (compose.step[places->at[at] - 1].key == key)
            return &compose.step[places->at[at] - 1];
    return NULL;
}

bool rank_compose_step_room(void)
{
    return !rank_compose_is_full(compose.step_count, STEPS_MAX) &&
           places_grow(&compose.step_place, compose.step_count, step_hash);
}

void rank_compose_step_add(uint32_t local, uint32_t message)
{
    struct step *step = &compose.step[compose.step_count];
    CORE_CHECK(compose.step_count < STEPS_MAX);
    step->key = step_key(local, message);
    step->before = compose.local[local].step;
    places_put(&compose.step_place, step_hash(compose.step_count), compose.step_count);
    compose.local[local].step = ++compose.step_count;
}

void rank_compose_tables_free(void)
{
    places_free(&compose.local_place);
    places_free(&compose.message_place);
    places_free(&compose.step_place);
    rank_seen_clear(&compose.seen);
}
