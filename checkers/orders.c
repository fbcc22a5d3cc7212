/* See the header. */
#include "checkers/orders.h"

#include <sqlite3.h>
#include <string.h>

#include "core/check.h"
#include "core/trace/trace.h"

bool orders_are_open(const struct trace *trace)
{
    sqlite3_stmt *row;
    bool open = false;
    CORE_CHECK(trace->db);
    if (trace->imported)
        return true;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->rank[r].threads > 1)
            return true;
    for (uint32_t i = 0; i < trace->comm_count; i++)
        if (trace->comm[i].overtaking)
            return true;
    if (sqlite3_prepare_v2(
            trace->db,
            "SELECT 1 FROM shape s JOIN call c ON c.id = s.call WHERE "
            "s.parent_back IS NULL AND ((s.peer = -1 AND NOT ifnull(s.near, 0) & 1) OR "
            "(s.recv_peer = -1 AND NOT ifnull(s.near, 0) & 2) OR "
            "c.traits LIKE '%completes_any%' OR c.traits LIKE '%completes_some%' "
            "OR c.traits LIKE '%polls%' OR c.verb = 'arrived' OR "
            "c.traits LIKE '%cancels%' OR (c.traits LIKE '%shared_pointer%' AND "
            "c.traits NOT LIKE '%collective%') OR (c.traits LIKE '%dynamic%' AND "
            "c.traits LIKE '%collective%' AND c.traits NOT LIKE '%start_p%') OR "
            "(c.traits LIKE '%window%' AND "
            "c.traits NOT LIKE '%collective%' AND c.traits NOT LIKE '%local%') OR "
            "c.verb = 'win_allocate_shared' OR (c.traits LIKE '%file%' AND "
            "c.verb = 'write')) "
            "LIMIT 1",
            -1, &row, NULL) == SQLITE_OK)
        open = sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return open;
}

static const char *const extent_names[ORDERS_EXTENT_COUNT] = {
    [ORDERS_ONE] = "one",     [ORDERS_OPEN] = "open",   [ORDERS_SOME] = "some",
    [ORDERS_MAYBE] = "maybe", [ORDERS_POLLS] = "polls", [ORDERS_STATES] = "states",
    [ORDERS_ALL] = "all",     [ORDERS_FILES] = "files"};

uint64_t orders_behaviours(const struct orders *orders)
{
    return orders->extent == ORDERS_ONE ? 1 : orders->tried;
}

const char *orders_extent_name(enum orders_extent extent)
{
    CORE_CHECK(extent < ORDERS_EXTENT_COUNT);
    return extent_names[extent];
}

enum orders_extent orders_extent_named(const char *name)
{
    for (int i = 0; name && i < ORDERS_EXTENT_COUNT; i++)
        if (!strcmp(extent_names[i], name))
            return (enum orders_extent)i;
    return ORDERS_OPEN;
}
