/* Records the memory that ranks attach to a window of MPI_Win_create_dynamic. */
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
        uint64_t since, until; /* attaching and detaching call; until 0: never detached */
        uint32_t earlier; /* index + 1 of an earlier region, still attached, with the same start; 0:
                             none */
    } * region;
    uint32_t count, room;
    struct core_table attached; /* by start address: the last region attached there */
};
enum core_status regions_add(struct regions *regions, struct region region);
/* Ends the last attached region that begins at `low`; the call `seq` detaches it. */
void regions_end(struct regions *regions, int64_t low, uint64_t seq);
void regions_done(struct regions *regions);

/* Tells whether any region, at any time, held the address. */
bool regions_hold(const struct regions *regions, int64_t at);
/* Reports an error: the target never attached the memory that the access touches. */
void regions_say_outside(const struct regions *regions, const struct trace_event *event,
                         const struct access *access, struct finding_dedup *dedup);

/* Reports an access during which the memory may not be attached: an error, or a note (once) if
 * something unrecorded may order the two. base: the address from which the accesses count bytes. */
struct regions_said { /* zeroed */
    bool noted;
    uint32_t looked;
};
enum core_status regions_compare(struct regions_said *said, const struct regions *regions,
                                 const struct access *access, int64_t base,
                                 const struct rma_accesses *all, const struct order *order,
                                 struct finding_dedup *dedup);

#endif
