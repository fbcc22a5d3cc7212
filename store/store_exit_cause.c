/* Writes how a rank ended into its tables (core/trace/exit_cause.h), from its spool and from the
 * end of its process. */
#include "core/check.h"
#include "store/store_part.h"

/* Returns the lane whose thread was the first to record the end; NULL: none did. */
static struct store_lane *lane_telling(const struct store_rank *rank)
{
    struct store_lane *telling = NULL;

    for (uint32_t i = 0; i < rank->lane_count; i++) {
        struct store_lane *lane = rank->lane[i];

        if (lane->reader.header.end.kind != EXIT_CAUSE_NONE &&
            (!telling ||
             lane->reader.header.end.realtime_ns < telling->reader.header.end.realtime_ns))
            telling = lane;
    }
    return telling;
}

/* Returns the likely lane if none recorded the end: the first thread inside a call, or else the one
 * that was last in a call. */
static const struct store_lane *lane_likely(const struct store_rank *rank)
{
    const struct store_lane *likely = NULL;

    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (spool_is_inside(&rank->lane[i]->reader.header))
            return rank->lane[i];
    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (!likely || rank->lane[i]->last_own > likely->last_own)
            likely = rank->lane[i];
    return likely;
}

static void kind_find(enum event_rank_state state, int64_t code, const struct spool_end *end,
                      struct exit_cause *cause)
{
    bool died = state == EVENT_RANK_CRASHED || state == EVENT_RANK_KILLED;

    CORE_CHECK(!end || end->kind < EXIT_CAUSE_KIND_COUNT); /* spool_header_read knows no others */
    cause->code = code;
    if (end && end->kind == EXIT_CAUSE_EXCEPTION) {
        cause->kind = EXIT_CAUSE_EXCEPTION;
        cause->code = died ? INT64_MIN : code;
    } else if (end && end->kind != EXIT_CAUSE_EXIT && end->kind != EXIT_CAUSE_NONE) {
        cause->kind = (enum exit_cause_kind)end->kind;
        cause->code = end->code;
    } else if (died) {
        cause->kind = EXIT_CAUSE_SIGNAL;
    } else if (state == EVENT_RANK_EXITED || state == EVENT_RANK_ABORTED) {
        cause->kind = state == EVENT_RANK_EXITED ? EXIT_CAUSE_EXIT : EXIT_CAUSE_ABORT;
    }
}

static void call_find(const struct store_rank *rank, const struct store_lane *telling,
                      struct exit_cause *cause)
{
    if (telling && telling->reader.header.end.elsewhere)
        telling = NULL; /* it names an unknown thread */
    const struct store_lane *lane = telling ? telling : lane_likely(rank);
    const struct spool_header *header = lane ? &lane->reader.header : NULL;

    if (!header)
        return;
    cause->inside = telling ? header->end.inside : spool_is_inside(header);
    if (!cause->inside)
        cause->seq = lane->last_own;
    else
        cause->seq = telling ? header->end.seq
                             : header->open[header->depth ? spool_innermost(header) : 0].seq;
    if (cause->seq >> STORE_SEQ_BITS)
        cause->seq = 0;
    cause->inside = cause->inside && cause->seq;
    CORE_CHECK(cause->seq >> STORE_SEQ_BITS == 0);
}

static enum core_status frames_put(struct store *store, const struct store_rank *rank,
                                   const struct spool_end *end)
{
    enum core_status status = CORE_OK;
    int64_t depth = 0;

    CORE_CHECK(end->frame_count <= EXIT_CAUSE_FRAMES_MAX); /* spool_header_read cuts it */
    for (uint32_t i = 0; i < end->frame_count && status == CORE_OK; i++) {
        int64_t site = store_map_get(&rank->ids.site, end->frame[i]);

        if (site)
            status = store_put(&store->sql, STORE_EXIT_CAUSE_FRAME, "iii", (int64_t)rank->rank,
                               depth++, site);
    }
    return status;
}

static int64_t store_exit_cause_known(int64_t value)
{
    return value == INT64_MIN ? STORE_NULL : value;
}

static int64_t unless_zero(uint64_t value)
{
    return value ? (int64_t)value : STORE_NULL;
}

/* Tells whether the program survived the recorded end. An exception that nothing caught is no end
 * if the program continued; its calls on the way out (code 1: the rank knows that it was one) are
 * not part of its work. */
static bool got_over(const struct store_lane *telling, const struct store_exit_cause_of *became)
{
    const struct spool_end *end = telling ? &telling->reader.header.end : NULL;

    return end && end->kind == EXIT_CAUSE_EXCEPTION &&
           ((became->state == EVENT_RANK_FINISHED && became->code == 0) ||
            (!end->code && telling->last_own > end->seq));
}

enum core_status store_exit_cause_of(struct store *store, const struct store_rank *rank,
                                     const struct store_exit_cause_of *became)
{
    const struct store_lane *telling = lane_telling(rank);
    telling = got_over(telling, became) ? NULL : telling;
    const struct spool_end *end = telling ? &telling->reader.header.end : NULL;
    bool raised = end && end->kind == EXIT_CAUSE_EXCEPTION;
    struct exit_cause cause = {.kind = EXIT_CAUSE_NONE, .code = INT64_MIN};
    enum core_status status;

    CORE_CHECK(became->state < EVENT_RANK_STATE_COUNT);
    CORE_CHECK(became->state != EVENT_RANK_MISSING); /* a missing rank has no lanes */
    CORE_CHECK(!became->died_after || became->state == EVENT_RANK_FINISHED);
    if (became->state == EVENT_RANK_FINISHED && !became->died_after && !raised)
        return CORE_OK; /* it survived what it saw before */
    kind_find(became->died_after ? EVENT_RANK_CRASHED : became->state, became->code, end, &cause);
    if (cause.kind == EXIT_CAUSE_NONE)
        return CORE_OK;
    call_find(rank, telling, &cause);
    status = store_put(
        &store->sql, STORE_EXIT_CAUSE, "itiiiiiiiiiiiti", (int64_t)rank->rank,
        exit_cause_kind_text(cause.kind), (int64_t)became->first, (int64_t)became->died_after,
        end ? store_clock_ns(rank->clock, end->ticks) : STORE_NULL, unless_zero(cause.seq),
        (int64_t)cause.inside, store_exit_cause_known(cause.code),
        end && end->has_detail ? (int64_t)end->detail : STORE_NULL,
        end && end->has_address ? (int64_t)end->address : STORE_NULL,
        end ? unless_zero(end->buffer_seq) : STORE_NULL,
        end ? unless_zero(end->buffer[EXIT_CAUSE_BUFFER_SEND]) : STORE_NULL,
        end ? unless_zero(end->buffer[EXIT_CAUSE_BUFFER_RECV]) : STORE_NULL,
        end && *end->text ? end->text : NULL,
        (int64_t)(end && end->elsewhere && !became->died_after));
    return status == CORE_OK && end ? frames_put(store, rank, end) : status;
}
