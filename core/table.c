/* See table.h. */
#include "core/table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/array.h"

enum { SLOTS_FIRST = 16 };

/* Hashes a key; most keys are one word, for which no call is needed. The multiplication spreads
 * consecutive numbers; the shift lets the upper half of the word count. */
static inline uint64_t hash_of(const struct core_table *table, const void *key)
{
    if (table->key_bytes == sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, key, sizeof word);
        return (word ^ word >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    }
    return XXH3_64bits(key, table->key_bytes);
}

static inline bool same_key(const struct core_table *table, const void *a, const void *b)
{
    if (table->key_bytes == sizeof(uint64_t)) {
        uint64_t one, other;
        memcpy(&one, a, sizeof one);
        memcpy(&other, b, sizeof other);
        return one == other;
    }
    return memcmp(a, b, table->key_bytes) == 0;
}

/* Returns the slot that holds the key, or the empty slot where the key belongs. */
static uint32_t slot_of(const struct core_table *table, const void *key)
{
    uint32_t mask = table->slot_count - 1, at = (uint32_t)hash_of(table, key) & mask;

    CORE_CHECK(table->count < table->slot_count); /* invariant 3 */
    while (table->slot[at] && !same_key(table, core_table_at(table, table->slot[at] - 1), key))
        at = (at + 1) & mask;
    return at;
}

static enum core_status slots_grow(struct core_table *table, const char *what)
{
    struct core_table larger = *table;

    larger.slot_count = table->slot_count ? table->slot_count * 2 : SLOTS_FIRST;
    if (larger.slot_count == 0)
        return core_report(CORE_LIMIT, "more than %u entries for %s", table->count, what);
    CORE_CHECK((larger.slot_count & (larger.slot_count - 1)) == 0); /* slot_of masks with it */
    CORE_CHECK(table->count <= larger.slot_count / 2);              /* invariant 3 */
    enum core_status status = CORE_ARRAY_NEW(larger.slot, larger.slot_count, what);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t at = slot_of(&larger, core_table_at(table, i));
        CORE_CHECK(larger.slot[at] == 0); /* invariant 1: no key occurs twice */
        larger.slot[at] = i + 1;
    }
    free(table->slot);
    *table = larger;
    return CORE_OK;
}

void *core_table_find(const struct core_table *table, const void *key)
{
    if (table->count == 0)
        return NULL;
    uint32_t index = table->slot[slot_of(table, key)];
    return index ? core_table_at(table, index - 1) : NULL;
}

/* Adds a key that the table does not contain. */
static enum core_status table_add_key(struct core_table *table, const void *key, const char *what)
{
    enum core_status status = CORE_OK;

    if (table->count >= table->room)
        status = core_array_grow(&table->entry, table->entry_bytes, &table->room,
                                 (uint64_t)table->count + 1, CORE_ARRAY_DOUBLE, what);
    if (status == CORE_OK && (uint64_t)table->count * 2 + 2 > table->slot_count)
        status = slots_grow(table, what);
    if (status != CORE_OK)
        return status;
    uint32_t at = slot_of(table, key);
    CORE_CHECK(table->slot[at] == 0);
    table->slot[at] = ++table->count;
    CORE_CHECK(table->count <= table->room);           /* array.h invariant 1 */
    CORE_CHECK(table->count <= table->slot_count / 2); /* invariant 3 */
    char *entry = core_table_at(table, table->count - 1);
    memset(entry, 0, table->entry_bytes);
    memcpy(entry, key, table->key_bytes);
    return CORE_OK;
}

enum core_status core_table_put(struct core_table *table, const void *key, const char *what,
                                void *out_entry)
{
    CORE_CHECK(table->key_bytes > 0 && table->key_bytes <= table->entry_bytes);
    void *entry = core_table_find(table, key);
    if (!entry) {
        enum core_status status = table_add_key(table, key, what);
        if (status != CORE_OK)
            return status;
        entry = core_table_at(table, table->count - 1);
    }
    memcpy(out_entry, &entry, sizeof entry);
    return CORE_OK;
}

/* Empties a slot. Moves entries behind it up where a search would no longer find them. */
static void slot_clear(struct core_table *table, uint32_t hole)
{
    uint32_t mask = table->slot_count - 1;

    CORE_CHECK(table->slot[hole] != 0);
    for (uint32_t at = (hole + 1) & mask; table->slot[at]; at = (at + 1) & mask) {
        uint32_t home = (uint32_t)hash_of(table, core_table_at(table, table->slot[at] - 1)) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->slot[hole] = table->slot[at];
            hole = at;
        }
    }
    table->slot[hole] = 0;
}

void core_table_remove(struct core_table *table, void *entry)
{
    CORE_CHECK(table->count > 0);
    uint32_t slot = slot_of(table, entry);
    CORE_CHECK(table->slot[slot] != 0);                               /* its key is found */
    CORE_CHECK(core_table_at(table, table->slot[slot] - 1) == entry); /* no copy of an entry */
    void *last = core_table_at(table, table->count - 1);

    if (last != entry) {
        table->slot[slot_of(table, last)] = table->slot[slot];
        memcpy(entry, last, table->entry_bytes);
    }
    slot_clear(table, slot);
    table->count--;
}

void core_table_clear(struct core_table *table)
{
    if (table->slot)
        memset(table->slot, 0, table->slot_count * sizeof *table->slot);
    table->count = 0;
}

void core_table_done(struct core_table *table)
{
    CORE_ARRAY_DONE(table->entry, table->count, table->room);
    free(table->slot);
    table->slot = NULL;
    table->slot_count = 0;
}
