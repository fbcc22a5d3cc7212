/* The one hash table. It finds fixed-size entries by the key that they begin with, and keeps them
 * in the order in which they were added.
 *
 *     struct port { uint64_t address; uint32_t uses; };
 *     struct core_table ports = CORE_TABLE(struct port, address);
 *     struct port *port;
 *     status = core_table_put(&ports, &address, "ports", &port);    found, or new with uses == 0
 *     port = core_table_find(&ports, &address);                     NULL: not found
 *     for (uint32_t i = 0; i < ports.count; i++)
 *         port = core_table_at(&ports, i);
 *
 * A key is any number of bytes, compared as bytes: a struct as key must have no padding. A pointer
 * to an entry is valid until the next core_table_put or core_table_remove. An index is valid until
 * an entry is removed: then the last entry takes the place of the removed one.
 *
 * Invariants
 *  1. entry[0, count) are in the order of their first core_table_put, until an entry is removed; no
 *     two have the same key.
 *  2. Each entry is in exactly one slot (as its index + 1; 0: empty), and no slot between the one
 *     its hash names and its own is empty.
 *  3. At least half of the slots are empty, so that searching ends. */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/check.h"
#include "core/status.h"

struct core_table {
    size_t entry_bytes, key_bytes;
    char *entry;
    uint32_t count, room; /* array.h */
    uint32_t *slot, slot_count;
};

/* An empty table of entries of a struct type whose first member is the key. */
#define CORE_TABLE(type, key)                                                              \
    {                                                                                      \
        .entry_bytes = sizeof(type) + 0 * sizeof(char[offsetof(type, key) == 0 ? 1 : -1]), \
        .key_bytes = sizeof(((type *)NULL)->key)                                           \
    }

/* Returns the entry, or NULL. */
void *core_table_find(const struct core_table *table, const void *key);

/* Finds the entry of `key`; if there is none, adds one that is zero behind its key, and increments
 * table->count. `out_entry` is the address of the caller's pointer. A failure is reported ("out of
 * memory for WHAT") and leaves the table unchanged. */
enum core_status core_table_put(struct core_table *table, const void *key, const char *what,
                                void *out_entry);

/* Removes an entry; the last entry takes its place. */
void core_table_remove(struct core_table *table, void *entry);

/* Returns the entry at an index below table->count. */
static inline void *core_table_at(const struct core_table *table, uint32_t index)
{
    CORE_CHECK(index < table->count);
    return table->entry + (size_t)index * table->entry_bytes;
}

/* core_table_clear forgets the entries and keeps the memory; core_table_done frees it as well. */
void core_table_clear(struct core_table *table);
void core_table_done(struct core_table *table);

#endif
