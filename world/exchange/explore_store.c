/* See the header. Holds the bytes of the running rank's last store, in the rank's process. */
#include "world/exchange/explore_store.h"

#include "world/exchange/explore_report.h"
#include "world/exchange/rma.h"

enum { BYTES_KEPT = 1 << 16, PIECES_KEPT = 64 };

static uint8_t byte[BYTES_KEPT];
static struct world_piece piece[PIECES_KEPT];
static int piece_count;
static uint32_t decision; /* of the turn */
static const uint8_t *base;

/* Returns the last decision, which is the turn's: the rank runs before anything else is decided. */
static bool explore_store_last(uint32_t *out_decision)
{
    uint32_t count = EXPLORE->report.decision_count;
    if (WORLD->searcher || !count)
        return false;
    const struct world_decision *d = &EXPLORE->decision[count - 1];
    *out_decision = count - 1;
    return d->touch && !d->reads && d->rank == ME->rank;
}

static bool changes_bytes(const struct world_decider *asks)
{
    return asks->kind == EXPLORE_TURN && asks->effect && !asks->reads && asks->by != ME->rank &&
           asks->sure_low < asks->sure_high;
}

void world_store_begin(const struct world_part *part, const void *at)
{
    size_t room = BYTES_KEPT;
    const uint8_t *first = at;
    CORE_CHECK(part->rank == ME && !piece_count);
    if (!explore_store_last(&decision))
        return;
    base = part->base;
    for (const struct world_decider *asks = part->asking; asks; asks = asks->next) {
        if (!changes_bytes(asks) || !room || piece_count == PIECES_KEPT)
            continue;
        if (first && first >= asks->sure_low && first < asks->sure_high) {
            piece_count = 0; /* the turn reports this byte */
            return;
        }
        size_t bytes = (size_t)(asks->sure_high - asks->sure_low);
        bytes = bytes < room ? bytes : room;
        memcpy(&byte[BYTES_KEPT - room], asks->sure_low, bytes);
        piece[piece_count++] = (struct world_piece){asks->sure_low, asks->sure_low + bytes};
        room -= bytes;
    }
}

void world_store_drop(void)
{
    piece_count = 0;
}

void world_store_end(void)
{
    const uint8_t *before = byte;
    bool found = false;
    for (int i = 0; i < piece_count && !found; i++)
        for (const uint8_t *at = piece[i].low; at < piece[i].high && !found; at++, before++)
            if (*at != *before) {
                struct world_decision *reported = &EXPLORE->decision[decision];
                CORE_CHECK(decision < EXPLORE->report.decision_count && reported->touch);
                reported->low = (uint64_t)(at - base);
                reported->high = reported->low + 1;
                reported->behind_site = found = true;
            }
    piece_count = 0;
}
