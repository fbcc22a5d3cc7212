/* Memory that a rank attached to a window which has none of its own (MPI_Win_create_dynamic). */
#ifndef CHECKERS_CONFLICT_REGION_H
#define CHECKERS_CONFLICT_REGION_H

#include "checkers/conflict/access.h"
#include "checkers/conflict/order.h"
#include "checkers/conflict/rma_conflict.h"
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
/* An error: the access is of memory that its target never attached. */
void regions_say_outside(const struct regions *regions, const struct trace_event *event,
                         const struct access *access, struct finding_dedup *dedup);

/* Says so if nothing, or nothing that is known (a note: once), makes sure that the memory is
 * attached while it is accessed. base: the address that the bytes of accesses count from. */
struct regions_said { /* zeroed */
    bool noted;
    uint32_t looked;
};
enum core_status regions_compare(struct regions_said *said, const struct regions *regions,
                                 const struct access *access, int64_t base,
                                 const struct rma_accesses *all, const struct order *order,
                                 struct finding_dedup *dedup);

#endif
