/* States and outcomes that brute force has met, each by a hash of its own. */
#ifndef TESTS_EXPLORE_STATES_H
#define TESTS_EXPLORE_STATES_H

#include <stdio.h>
#include <stdlib.h>

#include "core/table.h"

struct met {
    uint64_t hash;
};

static inline struct core_table states_none(void)
{
    return (struct core_table)CORE_TABLE(struct met, hash);
}

static inline bool is_new(struct core_table *table, uint64_t hash)
{
    struct met *met;
    uint32_t count = table->count;
    if (core_table_put(table, &hash, "states", &met) != CORE_OK) {
        fprintf(stderr, "no memory for %u states\n", count);
        exit(1);
    }
    return table->count > count;
}

#endif
