/* Converts ticks to nanoseconds since the job's start. All ranks of a host read the same counter,
 * so they share one clock, that of the host's lowest rank; its rate comes from the two readings
 * against real time that are farthest apart. If a relay compared a host's clock with that of the
 * launcher's machine, its lead and its drift are subtracted. For hosts that were not compared, real
 * time is believed, and a note says so.
 *
 * Invariants
 *  1. rank_clock[r] is the index of the clock of world rank r; ranks without a spool have 0.
 *  2. mult is ns per tick * 2^48, rounded; so two ranks of one host never disagree about an order
 *     of ticks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "store/store_part.h"

enum { RATE_SPAN_NS_MIN = 1000000000 };

static uint64_t mult_of(uint64_t ns, uint64_t ticks)
{
    CORE_CHECK(ticks > 0);
    unsigned __int128 mult = ((unsigned __int128)ns << STORE_CLOCK_BITS) / ticks;

    return mult > UINT64_MAX ? UINT64_MAX : (uint64_t)mult;
}

/* Tells whether two counters run at the same rate, within the error of a short calibration. */
static bool same_counter(uint64_t a, uint64_t b)
{
    uint64_t less = a < b ? a : b, more = a < b ? b : a;

    return more - less <= less / 100;
}

/* Returns how fast the host's clock gains, in nanoseconds per second. It counts only what both
 * comparisons prove beyond their error, and only if no one set a clock in between. */
static int64_t drift_of(const struct spool_compared *compared)
{
    enum { DRIFT_MAX = 1000000 };
    const struct spool_compared *first = &compared[0], *last = &compared[1];
    int64_t span = (int64_t)((last->realtime_ns - first->realtime_ns) & INT64_MAX),
            half = last->ahead_ns / 2 - first->ahead_ns / 2;
    __int128 drift;

    if (!first->realtime_ns || last->realtime_ns <= first->realtime_ns || span < RATE_SPAN_NS_MIN ||
        (uint64_t)(half < 0 ? -half : half) <= first->error_ns / 2 + last->error_ns / 2)
        return 0;
    drift = (__int128)half * 2000000000 / span;
    return drift < -DRIFT_MAX || drift > DRIFT_MAX ? 0 : (int64_t)drift;
}

static int64_t store_clock_drifted(int64_t drift, int64_t span_ns)
{
    return (int64_t)((__int128)drift * span_ns / 1000000000);
}

/* Reads the clock of a host from one lane: its header and clock records. */
static void clock_read(struct spool_reader *reader, struct store_clock *out_clock)
{
    const struct spool_header *header = &reader->header;
    struct spool_clock first = {.ticks = header->start_ticks,
                                .realtime_ns = header->start_realtime_ns},
                       last = first;
    const struct spool_head *head;
    int64_t drift = drift_of(header->compared);
    const struct spool_compared *compared =
        &header->compared[!drift && header->compared[1].realtime_ns &&
                          header->compared[1].error_ns < header->compared[0].error_ns];

    spool_reader_pass_loops(reader);
    while ((head = spool_reader_next(reader)))
        if (head->kind == SPOOL_CLOCK)
            memcpy(&last, head, sizeof last);
    CORE_CHECK(header->tick_hz > 0); /* spool_header_read refuses others */
    out_clock->ticks = header->start_ticks;
    out_clock->mult = mult_of(1000000000, header->tick_hz);
    int64_t span = (int64_t)((last.realtime_ns - first.realtime_ns) & INT64_MAX);
    if (last.ticks > first.ticks && span > RATE_SPAN_NS_MIN && span < STORE_NS_MAX) {
        uint64_t measured =
            mult_of((uint64_t)(span - store_clock_drifted(drift, span)), last.ticks - first.ticks);
        if (same_counter(measured, out_clock->mult)) /* otherwise the clock was set */
            out_clock->mult = measured;
    }
    /* start_ns becomes relative to the job's start once all clocks are known. */
    out_clock->start_ns = header->start_realtime_ns > (uint64_t)STORE_NS_MAX * 4
                              ? STORE_NS_MAX * 4
                              : (int64_t)header->start_realtime_ns;
    if (!compared->realtime_ns || compared->ahead_ns <= -STORE_NS_MAX ||
        compared->ahead_ns >= STORE_NS_MAX || compared->realtime_ns > (uint64_t)STORE_NS_MAX * 4)
        return;
    out_clock->compared = true;
    out_clock->ahead_ns = compared->ahead_ns;
    out_clock->start_ns -=
        compared->ahead_ns +
        store_clock_drifted(drift, out_clock->start_ns - (int64_t)compared->realtime_ns);
}

static enum core_status clock_add(struct store *store, struct spool_reader *reader,
                                  uint32_t *out_index)
{
    const struct spool_header *header = &reader->header;
    struct store_clock *clock;
    enum core_status status;

    for (uint32_t i = 0; i < store->clock_count; i++)
        if (core_machine_same(&store->clock[i].machine, &header->machine) &&
            same_counter(store->clock[i].mult, mult_of(1000000000, header->tick_hz))) {
            *out_index = i;
            return CORE_OK;
        }
    status = CORE_ARRAY_ROOM_ZERO(store->clock, store->clock_room, (uint64_t)store->clock_count + 1,
                                  "the trace");
    if (status != CORE_OK)
        return status;
    clock = &store->clock[store->clock_count];
    clock->machine = header->machine;
    clock_read(reader, clock);
    CORE_CHECK(same_counter(clock->mult, mult_of(1000000000, header->tick_hz))); /* invariant 2 */
    *out_index = store->clock_count++;
    return CORE_OK;
}

/* Finds the earliest start, in the time of the rank's clock. */
static void start_consider(struct store *store, const struct store_clock *clock,
                           uint64_t start_ticks, bool *any)
{
    int64_t start =
        clock->start_ns + (start_ticks >= clock->ticks
                               ? store_ticks_ns(start_ticks - clock->ticks, clock->mult)
                               : -store_ticks_ns(clock->ticks - start_ticks, clock->mult));

    if (!*any || start < store->start_ns)
        store->start_ns = start;
    *any = true;
}

/* Handles hosts that were not compared. If others were, a host that was not is the launcher's
 * machine. */
static void clocks_uncompared(struct store *store)
{
    uint32_t count = 0;
    struct store_clock *one = NULL;

    for (uint32_t i = 0; i < store->clock_count; i++)
        if (!store->clock[i].compared) {
            one = &store->clock[i];
            count++;
        }
    if (count == 1 && store->clock_count > 1)
        one->compared = true;
    else if (count > 1)
        store_note(store,
                   "the clocks of %" PRIu32 " machines were not compared with each other: times of "
                   "their ranks differ by as much as the clocks do",
                   count);
}

enum core_status store_clocks_find(struct store *store)
{
    enum core_status status = CORE_OK;
    bool any = false;

    store->rank_clock = core_alloc_zero((size_t)store->world_size, sizeof *store->rank_clock);
    if (!store->rank_clock)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    for (uint32_t i = 0; status == CORE_OK && i < store->lane_count; i++) {
        struct spool_reader reader;
        uint32_t index;
        /* A header that changed since headers_read may name other ranks. */
        if ((i && store->lane[i].rank == store->lane[i - 1].rank) ||
            store->lane[i].rank >= store->world_size)
            continue;
        if (spool_reader_open(&reader, store->job_path, store->lane[i].rank, store->lane[i].lane) !=
            CORE_OK)
            continue;
        status = clock_add(store, &reader, &index);
        if (status == CORE_OK) {
            CORE_CHECK(index < store->clock_count); /* invariant 1 */
            store->rank_clock[store->lane[i].rank] = index;
            start_consider(store, &store->clock[index], reader.header.start_ticks, &any);
        }
        spool_reader_close(&reader);
    }
    for (uint32_t i = 0; i < store->clock_count; i++)
        store->clock[i].start_ns -= store->start_ns;
    clocks_uncompared(store);
    return status;
}

const struct store_clock *store_clock_of(const struct store *store, int32_t rank)
{
    static const struct store_clock none = {.mult = 1ull << STORE_CLOCK_BITS};

    CORE_CHECK(rank >= 0 && rank < store->world_size);
    CORE_CHECK(!store->clock_count ||
               store->rank_clock[rank] < store->clock_count); /* invariant 1 */
    return store->clock_count ? &store->clock[store->rank_clock[rank]] : &none;
}

void store_clocks_done(struct store *store)
{
    free(store->clock);
    free(store->rank_clock);
}
