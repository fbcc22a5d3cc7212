/* Saves a search in a file of lines of words; the first line names the format. A file that this
 * code cannot have written is refused as a whole. */
#include "explore/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/search/state.h"

enum { STATE_VERSION = 11 };

static void write_answers(const struct explore_list *list, uint32_t count, FILE *file)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct explore_answer *a = &list->answer[i];
        putc(' ', file);
        replay_name_write(
            &(struct replay_name){.rank = a->rank, .id = a->number, .source = a->answer}, true,
            file);
        fputs(a->serves ? "+" : "", file);
    }
}

static void write_list(const struct explore_list *list, FILE *file)
{
    fprintf(file, " %" PRIu32, list->count);
    write_answers(list, list->count, file);
    putc('\n', file);
}

static void write_sends(const struct explore_sends *sends, FILE *file)
{
    fprintf(file, " %d %" PRIu32, sends->wait, sends->kept.count);
    for (uint32_t i = 0; i < sends->kept.count; i++) {
        putc(' ', file);
        replay_name_write(&sends->kept.name[i], false, file);
    }
}

static void write_places(const struct core_table *table, FILE *file)
{
    fprintf(file, "places %" PRIu32 "\n", table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct explore_place *place = core_table_at(table, i);
        fprintf(file, "%" PRIx64 " %" PRIu32 "\n", place->hash, place->class);
    }
}

static void write_hashes(const char *word, const struct core_table *table, FILE *file)
{
    fprintf(file, "%s %" PRIu32, word, table->count);
    for (uint32_t i = 0; i < table->count; i++)
        fprintf(file, " %" PRIx64, *(const uint64_t *)core_table_at(table, i));
    putc('\n', file);
}

static void write_items(const struct explore_item *item, uint32_t count, FILE *file)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct explore_list none = {0};
        fprintf(file, "%" PRIu32 " %" PRIx64 " %" PRIu32, item[i].changes, item[i].hash,
                item[i].kept + item[i].own.count);
        write_answers(item[i].kept ? &item[i].stem->list : &none, item[i].kept, file);
        write_answers(&item[i].own, item[i].own.count, file);
        putc('\n', file);
    }
}

static void write_store(const struct explore_store *store, FILE *file)
{
    fprintf(file, "%d %d %d %d %" PRIx64 " %" PRIx64 " %s", store->others, store->behind_site,
            store->owner, store->other, store->own_site, store->other_site,
            *store->call ? store->call : "-");
    write_list(&store->list, file);
    putc('\n', file);
}

static void write_stores(const struct explore_stores *stores, FILE *file)
{
    fprintf(file, "stores %" PRIu32 "\n", stores->count);
    for (uint32_t i = 0; i < stores->count; i++)
        write_store(&stores->store[i], file);
}

static void write_search(const void *context, FILE *file)
{
    const struct explore_search *s = context;
    fprintf(file,
            "counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32
            " %d %d\n",
            s->behaviours, s->worlds, s->cut, s->sampled, s->unbuffered, s->decisions_max,
            s->limited | s->overtaking << 1 | s->early << 2 | s->went_astray << 3 |
                (int)s->unless << 4 | s->race.found << 7 | (int)s->outside << 8,
            s->asked_again);
    write_stores(&s->stores, file);
    write_hashes("known", &s->known, file);
    write_hashes("met", &s->met, file);
    write_places(&s->places, file);
    fprintf(file, "outcomes %" PRIu32 "\n", s->class_count);
    for (uint32_t i = 0; i < s->class_count; i++) {
        const struct explore_class *c = &s->class[i];
        fprintf(file, "%" PRIx64 " %" PRIu64 " %d", c->key, c->count, c->sampled);
        write_sends(&c->sends, file);
        write_list(&c->first, file);
        write_list(&c->asked, file);
        fprintf(file, "%zu %s\n", c->failure ? strlen(c->failure) : 0,
                c->failure ? c->failure : "");
    }
    fprintf(file, "ahead %" PRIu32 "\n", s->heap_count + s->overdue_count);
    write_items(s->heap, s->heap_count, file);
    write_items(s->overdue, s->overdue_count, file);
}

/* Reads one name, and whether a '+' follows it. */
static bool read_name(FILE *file, bool answer, struct replay_name *out_name, bool *out_plus)
{
    char word[64];
    const char *at = word;
    bool good = fscanf(file, " %63s", word) == 1 && replay_name_read(&at, answer, out_name);
    *out_plus = good && *at == '+';
    return good && !at[*out_plus];
}

static bool read_list(FILE *file, struct explore_list *out_list)
{
    uint32_t count;
    *out_list = (struct explore_list){0};
    if (fscanf(file, " %" SCNu32, &count) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct replay_name name;
        bool serves;
        if (!read_name(file, true, &name, &serves) || name.id > UINT32_MAX)
            return false;
        const struct explore_answer a = {name.rank, (uint32_t)name.id, name.source, serves};
        if (CORE_ARRAY_PUSH(out_list->answer, out_list->count, out_list->room, "a schedule", a) !=
            CORE_OK)
            return false;
    }
    return true;
}

static bool read_sends(FILE *file, struct explore_sends *out_sends)
{
    uint32_t count;
    int wait;
    *out_sends = (struct explore_sends){0};
    if (fscanf(file, " %d %" SCNu32, &wait, &count) != 2)
        return false;
    out_sends->wait = wait != 0;
    for (uint32_t i = 0; i < count; i++) {
        struct replay_name name;
        bool plus;
        if (!read_name(file, false, &name, &plus) || plus ||
            replay_policy_add(&out_sends->kept, &name) != CORE_OK)
            return false;
    }
    return true;
}

static bool read_places(struct core_table *table, FILE *file)
{
    uint32_t count;
    if (fscanf(file, " places %" SCNu32, &count) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct explore_place made, *place;
        if (fscanf(file, " %" SCNx64 " %" SCNu32, &made.hash, &made.class) != 2 ||
            core_table_put(table, &made.hash, "a search", &place) != CORE_OK)
            return false;
        place->class = made.class;
    }
    return true;
}

static bool read_hashes(const char *word, struct core_table *table, FILE *file)
{
    char found[16];
    uint32_t count;
    if (fscanf(file, " %15s %" SCNu32, found, &count) != 2 || strcmp(found, word))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash, *entry;
        if (fscanf(file, " %" SCNx64, &hash) != 1 ||
            core_table_put(table, &hash, "a search", &entry) != CORE_OK)
            return false;
    }
    return true;
}

static bool read_failure(FILE *file, char **out_failure)
{
    size_t bytes;
    if (fscanf(file, "%zu", &bytes) != 1 || bytes >= WORLD_TEXT_MAX || getc(file) != ' ')
        return false;
    if (!bytes)
        return true;
    char *text = calloc(bytes + 1, 1);
    bool good = text && fread(text, 1, bytes, file) == bytes;
    *out_failure = text; /* freed with its class */
    return good;
}

static bool read_classes(struct explore_search *s, FILE *file)
{
    uint32_t count;
    if (fscanf(file, " outcomes %" SCNu32, &count) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct explore_class c = {0};
        int sampled;
        bool good = fscanf(file, " %" SCNx64 " %" SCNu64 " %d", &c.key, &c.count, &sampled) == 3 &&
                    read_sends(file, &c.sends) && read_list(file, &c.first) &&
                    read_list(file, &c.asked) && read_failure(file, &c.failure);
        c.sampled = good && sampled;
        if (CORE_ARRAY_PUSH(s->class, s->class_count, s->class_room, "outcomes", c) != CORE_OK ||
            !good)
            return false;
    }
    return true;
}

static bool read_ahead(struct explore_search *s, FILE *file)
{
    uint32_t count;
    if (fscanf(file, " ahead %" SCNu32, &count) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct explore_item item = {0};
        bool good = fscanf(file, " %" SCNu32 " %" SCNx64, &item.changes, &item.hash) == 2 &&
                    read_list(file, &item.own);
        if (CORE_ARRAY_PUSH(s->heap, s->heap_count, s->heap_room, "a search", item) != CORE_OK ||
            !good)
            return false;
    }
    return true;
}

static bool read_store(struct explore_store *store, FILE *file)
{
    int others, behind;
    _Static_assert(sizeof store->call == 32, "the width below is one less");
    if (fscanf(file, " %d %d %d %d %" SCNx64 " %" SCNx64 " %31s", &others, &behind, &store->owner,
               &store->other, &store->own_site, &store->other_site, store->call) != 7)
        return false;
    store->others = others != 0;
    store->behind_site = behind != 0;
    return read_list(file, &store->list);
}

static bool read_stores(struct explore_stores *stores, FILE *file)
{
    uint32_t count;
    bool good = fscanf(file, " stores %" SCNu32, &count) == 1;
    for (uint32_t i = 0; good && i < count; i++) {
        struct explore_store store = {0};
        good = read_store(&store, file);
        good &= CORE_ARRAY_PUSH(stores->store, stores->count, stores->room, "a search", store) ==
                CORE_OK;
    }
    return good;
}

/* Tells whether each place leads to an existing class. */
static bool places_good(const struct explore_search *s)
{
    for (uint32_t i = 0; i < s->places.count; i++)
        if (((const struct explore_place *)core_table_at(&s->places, i))->class > s->class_count)
            return false;
    return true;
}

static bool read_search(void *context, FILE *file)
{
    struct explore_search *s = context;
    int limited, asked_again;
    bool good = fscanf(file,
                       " counts %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                       " %" SCNu32 " %d %d",
                       &s->behaviours, &s->worlds, &s->cut, &s->sampled, &s->unbuffered,
                       &s->decisions_max, &limited, &asked_again) == 8;
    s->limited = good && limited & 3;
    s->unless = good ? (unsigned)limited >> 4 & (SEARCH_UNLESS_KINDS - 1) : 0;
    s->overtaking = good && limited & 2;
    s->early = good && limited & 4;
    s->race.found = good && limited & 128;
    s->outside = good && limited >> 8 < WORLD_OUTSIDE_COUNT ? (enum world_outside)(limited >> 8)
                                                            : WORLD_OUTSIDE_NONE;
    s->outside_rank = -1; /* of an earlier run */
    s->went_astray = good && limited & 8;
    s->asked_again = good && asked_again;
    return good && read_stores(&s->stores, file) && read_hashes("known", &s->known, file) &&
           read_hashes("met", &s->met, file) && read_places(&s->places, file) &&
           read_classes(s, file) && read_ahead(s, file) && places_good(s);
}

static struct search_state state_of(const struct explore_search *s)
{
    return (struct search_state){.path = s->options->state,
                                 .kind = "crosswait-explore",
                                 .version = STATE_VERSION,
                                 .question = s->options->program};
}

enum core_status explore_state_write(const struct explore_search *s)
{
    const struct search_state state = state_of(s);
    return search_state_write(&state, write_search, s);
}

enum core_status explore_state_read(struct explore_search *s, bool *out_resumed)
{
    const struct search_state state = state_of(s);
    return search_state_read(&state, read_search, s, out_resumed);
}
