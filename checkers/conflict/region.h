/* Memory that a rank attached to a window which has none of its own (MPI_Win_create_dynamic). */
#ifndef CHECKERS_CONFLICT_REGION_H
#define CHECKERS_CONFLICT_REGION_H

#include "checkers/conflict/access.h"
#include "checkers/conflict/order.h"
#include "checkers/finding_dedup.h"
#include "core/status.h"
#include "core/table.h"

struct regions { /* zeroed: none */
    struct region {
        int64_t low, high;     /* addresses */
        uint64_t since, until; /* the calls; until: 0 at the end */
        uint32_t earlier;      /* attached and begins there too: its index + 1; 0: none */
    } * region;
    uint32_t count, room;
    struct core_table attached; /* by where they begin: the last */
};
enum core_status regions_add(struct regions *regions, struct region region);
/* The last that begins there is detached by the call. */
void regions_end(struct regions *regions, int64_t low, uint64_t seq);
void regions_done(struct regions *regions);

/* At any time. */
bool regions_hold(const struct regions *regions, int64_t at);
/* There is one that holds the byte and may be attached while it is accessed; if not, *out_other is
 * one that holds it at another time, or stays. */
bool regions_hold_then(const struct regions *regions, int64_t at, const struct access *access,
                       const struct order *order, const struct region **out_other);

/* An error: the access is of memory that its target never attached. */
void regions_say_outside(const struct regions *regions, const struct trace_event *event,
                         const struct access *access, struct finding_dedup *told);

#endif
