/* Stores one rank: reads its lanes in parallel in the order in which calls returned, then what was
 * pending when the record ended, and how the rank ended. Also writes the trace's meta table.
 *
 * Invariants
 *  1. A rank has exactly one row in table rank, whatever its spool holds.
 *  2. The call that returned first of all lanes is stored first, so a request is made before it
 *     completes. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/check.h"
#include "core/progress.h"
#include "core/fault.h"
#include "store/store_part.h"
#include "core/text.h"
#include "core/trace/trace.h"

enum { PROGRESS_EVENTS = 256 };

/* --- what became of it ------------------------------------------------------------------------ */

struct became {
    enum event_rank_state state;
    int64_t code;
    bool died_after; /* MPI_Finalize had returned */
    bool raised;     /* MPI raised an error, and its library ends the rank for it */
    char detail[640];
};

static const struct store_rank_end *end_of(const struct store *store, int32_t rank)
{
    for (uint32_t i = 0; i < store->options->end_count; i++)
        if (store->options->end[i].rank == rank)
            return &store->options->end[i];
    return NULL;
}

static bool own_signal(int32_t number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT;
}

static void became_from_spool(const struct spool_header *header, struct became *became)
{
    became->code = STORE_NULL;
    switch ((enum spool_state)header->state) {
    case SPOOL_STATE_FINALIZED:
        became->state = EVENT_RANK_FINISHED;
        if (own_signal(header->code)) {
            became->died_after = true;
            became->code = header->code;
            snprintf(became->detail, sizeof became->detail,
                     "after MPI_Finalize: signal %" PRId32 " (%s)", (int32_t)header->code,
                     strsignal(header->code));
        }
        break;
    case SPOOL_STATE_EXITED:
        became->state = EVENT_RANK_EXITED;
        became->raised = header->end.realtime_ns && header->end.kind == EXIT_CAUSE_ERROR;
        snprintf(became->detail, sizeof became->detail, "exited without MPI_Finalize");
        break;
    case SPOOL_STATE_ABORTED:
        became->state = EVENT_RANK_ABORTED;
        became->code = header->code;
        snprintf(became->detail, sizeof became->detail, "called MPI_Abort with code %" PRId32,
                 (int32_t)header->code);
        break;
    case SPOOL_STATE_SIGNALLED:
        became->state = own_signal(header->code) ? EVENT_RANK_CRASHED : EVENT_RANK_KILLED;
        became->code = header->code;
        snprintf(became->detail, sizeof became->detail, "died of signal %" PRId32 " (%s)",
                 (int32_t)header->code,
                 header->code > 0 && header->code < 65 ? strsignal(header->code) : "unknown");
        break;
    default:
        became->state = EVENT_RANK_RUNNING;
        snprintf(became->detail, sizeof became->detail, "how it ended is not known");
    }
}

/* Combines what the spool knows of the rank with what the launcher knows of its process. */
static void became_combine(const struct store_rank_end *end, struct became *became)
{
    if (!end)
        return;
    CORE_CHECK(end->state < EVENT_RANK_STATE_COUNT);
    switch (became->state) {
    case EVENT_RANK_FINISHED: /* events after MPI_Finalize do not undo it */
        if (!end->unknown)
            became->code = end->code;
        if (end->state == EVENT_RANK_CRASHED || end->state == EVENT_RANK_KILLED) {
            became->died_after = true;
            snprintf(became->detail, sizeof became->detail, "after MPI_Finalize: %s",
                     end->detail ? end->detail : event_rank_state_text(end->state));
        }
        return;
    case EVENT_RANK_ABORTED:
    case EVENT_RANK_CRASHED:
    case EVENT_RANK_MISSING:
        break;
    case EVENT_RANK_EXITED:
        if (end->state == EVENT_RANK_KILLED)
            return; /* during its exit */
        became->code = end->unknown ? STORE_NULL : end->code;
        break;
    default: /* running, or killed by a signal that may be the launcher's */
        if (end->state == EVENT_RANK_MISSING || end->state == EVENT_RANK_RUNNING)
            break;
        became->state = end->state;
        became->code = end->unknown ? STORE_NULL : end->code;
        became->detail[0] = '\0';
    }
    bool of_library = became->raised && end->state == EVENT_RANK_CRASHED;
    if (end->detail)
        snprintf(became->detail, sizeof became->detail, "%s%s", end->detail,
                 of_library ? ", when its MPI library ended it for an error" : "");
}

static enum core_status rank_put(struct store *store, int32_t rank,
                                 const struct spool_header *header, const struct became *became,
                                 uint64_t events, uint64_t folded, uint64_t lost, uint32_t threads,
                                 bool cut)
{
    const struct store_clock *clock = header ? store_clock_of(store, rank) : NULL;

    CORE_CHECK(rank == store->ranks_put); /* invariant 1 here and in store.c: each once, in order */
    CORE_CHECK(rank < store->world_size);
    CORE_CHECK(became->state < EVENT_RANK_STATE_COUNT);
    CORE_CHECK(header || !events); /* a rank without a spool has no calls */
    store->ranks_put++;
    return store_put(&store->sql, STORE_RANK, "ititiiiiiiit", (int64_t)rank,
                     header ? header->machine.name : NULL,
                     header ? (int64_t)header->pid : STORE_NULL,
                     event_rank_state_text(became->state), became->code, (int64_t)events,
                     (int64_t)folded, (int64_t)(lost & INT64_MAX), (int64_t)threads, (int64_t)cut,
                     clock && clock->compared ? clock->ahead_ns - store_clock_of(store, 0)->ahead_ns
                                              : STORE_NULL,
                     *became->detail ? became->detail : NULL);
}

enum core_status store_rank_missing(struct store *store, int32_t rank)
{
    struct became became = {
        .state = EVENT_RANK_MISSING, .code = STORE_NULL, .detail = "left no spool"};

    became_combine(end_of(store, rank), &became);
    return rank_put(store, rank, NULL, &became, 0, 0, 0, 0, true);
}

/* --- its lanes -------------------------------------------------------------------------------- */

static enum core_status lanes_open(struct store *store, struct store_rank *rank,
                                   const struct spool_lane_name *name, uint32_t count)
{
    rank->lane = core_alloc_zero(count, sizeof *rank->lane);
    if (!rank->lane)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    for (uint32_t i = 0; i < count; i++) {
        struct store_lane *lane = core_alloc_zero(1, sizeof *lane);
        CORE_CHECK(name[i].rank == rank->rank);
        CORE_CHECK(!i || name[i - 1].lane < name[i].lane); /* spool_lanes_list sorts them */
        if (!lane)
            return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
        enum core_status status =
            spool_reader_open(&lane->reader, store->job_path, name[i].rank, name[i].lane);
        if (status != CORE_OK) {
            store_note(store, "rank %" PRId32 ", thread %" PRIu32 ": the spool was left out: %s",
                       name[i].rank, name[i].lane, lane->reader.why);
            free(lane);
            rank->torn = true;
            if (status == CORE_NO_MEMORY)
                return core_report(status, "cannot read the spools: out of memory");
            continue;
        }
        lane->open = true;
        lane->number = name[i].lane;
        rank->lane[rank->lane_count++] = lane;
        if (name[i].lane >= rank->thread_count)
            rank->thread_count = name[i].lane + 1;
    }
    rank->thread_next = rank->thread_count;
    CORE_CHECK(rank->lane_count <= count);
    CORE_CHECK(rank->thread_count >= rank->lane_count); /* each lane has its own number */
    return CORE_OK;
}

/* Reads all definitions first: they are in the lane of the thread that first needed them, and other
 * threads use them. */
static enum core_status definitions_read(struct store *store, struct store_rank *rank)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && rank->lane_count > 1 && i < rank->lane_count; i++) {
        const struct spool_head *head;
        struct spool_reader reader;
        if (spool_reader_open(&reader, store->job_path, rank->rank, rank->lane[i]->number) !=
            CORE_OK)
            continue;
        spool_reader_pass_loops(&reader);
        while (status == CORE_OK && (head = spool_reader_next(&reader)))
            if (head->kind >= SPOOL_DEF_CALL && head->kind <= SPOOL_DEF_HINT)
                status = store_define(store, rank, head);
        spool_reader_close(&reader);
    }
    return status;
}

static struct store_lane *lane_earliest(struct store_rank *rank)
{
    struct store_lane *earliest = NULL;

    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (!rank->lane[i]->at_end &&
            (!earliest || rank->lane[i]->event.t_leave < earliest->event.t_leave))
            earliest = rank->lane[i];
    CORE_CHECK(!earliest || earliest->event.seq); /* store_lane_next gives no call without one */
    return earliest;
}

static uint64_t bytes_read(const struct store_rank *rank)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < rank->lane_count; i++)
        bytes += spool_reader_position(&rank->lane[i]->reader);
    return bytes;
}

/* Notes whether the recorder summed up the times of the lane's call, and finds the sums of the
 * calls of its place if it lies in the first of the rounds. */
static enum core_status sum_note(struct store *store, const struct store_lane *lane)
{
    const struct spool_reader *reader = &lane->reader;
    const struct spool_sum *sum = reader->sum;
    enum core_status status = CORE_OK;

    store->summed = reader->summed;
    store->times = NULL;
    if (!reader->summed)
        return CORE_OK;
    if (!store->fold)
        return core_report(CORE_BAD_INPUT, "the times of loops are summed up in the spool, so each "
                                           "call cannot have a row: record with --times=all");
    uint64_t call = sum->rounds * sum->head.a - 1 - reader->sum_left;
    CORE_CHECK(reader->sum_left < sum->rounds * sum->head.a); /* one was returned */
    if (!call) {
        struct spool_sum *copy = core_alloc(sum->head.words * 8ul);
        if (!copy)
            return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
        memcpy(copy, sum, sum->head.words * 8ul);
        status = CORE_ARRAY_PUSH(store->sum, store->sum_count, store->sum_room, "the trace", copy);
        if (status != CORE_OK)
            free(copy);
    }
    if (call >= sum->head.a || status != CORE_OK)
        return status;
    sum = store->sum[store->sum_count - 1];
    const uint64_t *end = (const uint64_t *)(const void *)sum + sum->head.words;
    for (store->times = (const void *)(sum + 1); call; call--)
        store->times = spool_sum_times_next(store->times, end);
    return CORE_OK;
}

static void sums_done(struct store *store)
{
    for (uint32_t i = 0; i < store->sum_count; i++)
        free(store->sum[i]);
    CORE_ARRAY_DONE(store->sum, store->sum_count, store->sum_room);
}

static enum core_status calls_read(struct store *store, struct store_rank *rank)
{
    enum core_status status = CORE_OK;
    struct store_lane *lane;

    if (store->fold)
        status = store_loop_rank(store);
    for (uint32_t i = 0; status == CORE_OK && i < rank->lane_count; i++)
        status = store_lane_next(store, rank, rank->lane[i]);
    while (status == CORE_OK && (lane = lane_earliest(rank))) {
        CORE_CHECK(!lane->at_end); /* invariant 2 */
        lane->last_seq = lane->event.seq;
        if (!lane->event.parent)
            lane->last_own = lane->event.seq;
        status = sum_note(store, lane);
        if (status == CORE_OK)
            status = store_loop_begin(store, rank, lane);
        if (status == CORE_OK)
            status = store_event(store, rank, lane->number, &lane->event, lane->parts,
                                 lane->parts ? lane->parts->calls : 1, false);
        if (status == CORE_OK)
            status = store_loop_end(store, rank, lane);
        if (status == CORE_OK)
            status = store_lane_next(store, rank, lane);
        if (rank->events % PROGRESS_EVENTS == 0)
            core_progress_at(store->bytes_read + bytes_read(rank));
    }
    store->bytes_read += bytes_read(rank);
    store->summed = false;
    store->times = NULL;
    return status;
}

/* Stores polls that were still being folded when the record ended. */
static enum core_status polls_read(struct store *store, struct store_rank *rank,
                                   struct store_lane *lane)
{
    const struct spool_header *header = &lane->reader.header;
    enum core_status status = CORE_OK;

    CORE_CHECK(header->poll_count <= SPOOL_POLLS_MAX); /* spool_header_read ensures it */
    for (uint32_t i = 0; status == CORE_OK && i < header->poll_count; i++) {
        const struct spool_poll *poll = &header->poll[i];
        if (poll->event.seq <= lane->last_seq ||
            poll->event.seq >> STORE_SEQ_BITS) /* written since */
            continue;
        lane->last_seq = lane->last_own = poll->event.seq;
        status = store_event(store, rank, lane->number, &poll->event,
                             store_lane_parts(lane, poll->event.seq), poll->calls, false);
    }
    return status;
}

/* Returns the parts of a call that had not returned. A repeating poll has those of its first round,
 * except for its outcome. */
static struct store_gather *pending_parts(struct store_lane *lane, uint32_t depth)
{
    const struct spool_header *header = &lane->reader.header;
    struct store_gather *parts = store_lane_parts(lane, header->open[depth].seq);

    CORE_CHECK(depth < header->depth);
    CORE_CHECK(header->poll_again <= header->poll_count);
    if (parts || depth || !header->poll_again)
        return parts;
    parts = store_lane_parts(lane, header->poll[header->poll_again - 1].event.seq);
    if (parts)
        parts->arg_count = parts->frame_count = 0;
    return parts;
}

static enum core_status pending_read(struct store *store, struct store_rank *rank)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < rank->lane_count; i++) {
        struct store_lane *lane = rank->lane[i];
        status = polls_read(store, rank, lane);
        CORE_CHECK(lane->reader.header.depth <= SPOOL_DEPTH_MAX);
        for (uint32_t k = 0; status == CORE_OK && k < lane->reader.header.depth; k++) {
            const struct spool_event *open = &lane->reader.header.open[k];
            /* killed after the record was committed but before the slot was released */
            if (!open->seq || open->seq >> STORE_SEQ_BITS || open->seq == lane->last_seq)
                continue;
            status = store_event(store, rank, lane->number, open, pending_parts(lane, k), 1, true);
        }
    }
    return status;
}

static enum core_status rank_finish(struct store *store, struct store_rank *rank)
{
    const struct store_rank_end *end = end_of(store, rank->rank);
    const struct spool_header *telling = NULL;
    enum core_status status;
    struct became became = {0};
    uint64_t lost = 0;
    bool cut = rank->torn;

    CORE_CHECK(rank->window.next > rank->window.last); /* all its rows are written */
    for (uint32_t i = 0; i < rank->lane_count; i++) {
        const struct spool_reader *reader = &rank->lane[i]->reader;
        const struct spool_header *header = &reader->header;
        if (!telling || header->state > telling->state)
            telling = header;
        lost += header->lost;
        store->unread += header->unread;
        if (reader->torn)
            store_note(store, "rank %" PRId32 ", thread %" PRIu32 ": cut off: %s", rank->rank,
                       rank->lane[i]->number, reader->why);
        if (header->stopped)
            store_note(store, "rank %" PRId32 ", thread %" PRIu32 ": recording ended early: %s",
                       rank->rank, rank->lane[i]->number,
                       *header->note ? header->note : "no reason given");
        cut = cut || reader->torn || header->stopped;
        rank->gaps = rank->gaps || header->flags & (SPOOL_FLAG_LAST | SPOOL_FLAG_FILTERED) ||
                     (header->lost && !header->stopped);
        store->unturned = store->unturned || header->flags & SPOOL_FLAG_UNTURNED;
        if (header->layer > store->layer)
            store->layer = header->layer;
    }
    if (rank->lost_records > lost)
        lost = rank->lost_records;
    store->gaps[rank->rank] = rank->gaps || rank->lost_records;
    if (store->gaps[rank->rank])
        store_note(store,
                   "rank %" PRId32
                   ": calls were left out, so not all of its messages can be paired",
                   rank->rank);
    CORE_CHECK(telling); /* store_rank_missing handles ranks without lanes */
    became_from_spool(telling, &became);
    became_combine(end, &became);
    status = store_exit_cause_of(store, rank,
                                 &(struct store_exit_cause_of){.state = became.state,
                                                               .code = became.code,
                                                               .first = end && end->first,
                                                               .died_after = became.died_after});
    if (status != CORE_OK)
        return status;
    store->events += rank->events;
    store->folded += rank->folded;
    store->lost += lost;
    return rank_put(store, rank->rank, telling, &became, rank->events, rank->folded, lost,
                    rank->thread_count > rank->lane_count ? rank->thread_count : rank->lane_count,
                    cut);
}

enum core_status store_rank_read(struct store *store, const struct spool_lane_name *lane,
                                 uint32_t lane_count)
{
    struct store_rank rank = {.rank = lane->rank,
                              .window = {.row = store->window_row, .next = 1},
                              .clock = store_clock_of(store, lane->rank)};
    enum core_status status;

    CORE_CHECK(lane_count > 0); /* store_rank_missing handles ranks without lanes */
    requests_init(&rank.requests);
    status = lanes_open(store, &rank, lane, lane_count);
    if (status == CORE_OK && !rank.lane_count) {
        status = store_rank_missing(store, rank.rank);
        goto done;
    }
    if (status == CORE_OK)
        status = definitions_read(store, &rank);
    if (status == CORE_OK)
        status = calls_read(store, &rank);
    if (status == CORE_OK)
        status = pending_read(store, &rank);
    if (status == CORE_OK)
        status = store_message_finish(store, &rank);
    if (status == CORE_OK)
        status = store_window_flush(store, &rank);
    if (status == CORE_OK)
        status = rank_finish(store, &rank);
done:
    sums_done(store);
    if (status == CORE_OK)
        status = store_match_rank(store, rank.rank);
    CORE_CHECK(status != CORE_OK || store->ranks_put == rank.rank + 1); /* invariant 1 */
    for (uint32_t i = 0; i < rank.lane_count; i++) {
        store_lane_close(rank.lane[i]);
        free(rank.lane[i]);
    }
    free(rank.lane);
    requests_done(&rank.requests);
    event_view_done(&rank.view);
    store_ids_done(&rank.ids);
    return status;
}

/* --- meta ------------------------------------------------------------------------------------- */

static enum core_status meta_text(struct store *store, const char *key, const char *value)
{
    return value && *value ? store_put(&store->sql, STORE_META, "tt", key, value) : CORE_OK;
}

static enum core_status meta_number(struct store *store, const char *key, int64_t value)
{
    return store_put(&store->sql, STORE_META, "ti", key, value);
}

static enum core_status meta_start(struct store *store)
{
    time_t seconds = (time_t)(store->start_ns / 1000000000);
    char text[64] = "";
    struct tm when;
    enum core_status status;

    if (gmtime_r(&seconds, &when))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &when);
    status = meta_text(store, "start", text);
    return status != CORE_OK ? status : meta_number(store, "start_ns", store->start_ns);
}

static enum core_status meta_hosts(struct store *store)
{
    char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < store->clock_count && used < sizeof text - 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "",
                                 store->clock[i].machine.name);
    CORE_CHECK(used < sizeof text); /* none was cut off */
    return meta_text(store, "hosts", text);
}

static enum core_status meta_totals(struct store *store)
{
    const struct store_totals *totals = &store->totals;
    char text[160];

    CORE_CHECK(totals->end_ns >= totals->first_ns); /* row_write: no call leaves before it enters */
    snprintf(text, sizeof text,
             "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, totals->calls,
             totals->inner_events, totals->end_ns - totals->first_ns, totals->end_ns,
             totals->messages, totals->message_bytes);
    return meta_text(store, "totals", text);
}

/* Stores the words of the command line as a shell reads them. */
static enum core_status meta_program(struct store *store, const struct spool_header *first)
{
    const char *word = first->program, *end = word + sizeof first->program;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    while (file && word < end && *word && memchr(word, '\0', (size_t)(end - word))) {
        if (word != first->program)
            fputc(' ', file);
        core_text_shell(word, file);
        word += strlen(word) + 1;
        CORE_CHECK(word <= end);
    }
    enum core_status status = core_text_close(file, &text)
                                  ? meta_text(store, "program", text)
                                  : core_report(CORE_NO_MEMORY, "out of memory for the trace");
    free(text);
    return status;
}

enum core_status store_meta(struct store *store, const struct store_options *options)
{
    enum core_status status = meta_number(store, "version", TRACE_SCHEMA_VERSION);
    const struct spool_header *first = &store->first;

    if (status == CORE_OK)
        status = meta_text(store, "command", options->command);
    if (status == CORE_OK)
        status = meta_program(store, first);
    if (status == CORE_OK && options->exit_code >= 0)
        status = meta_number(store, "exit_code", options->exit_code);
    if (status == CORE_OK && options->interrupted)
        status = meta_text(store, "interrupted", options->interrupted);
    if (status == CORE_OK)
        status = meta_start(store);
    if (status == CORE_OK)
        status = meta_text(store, "library", first->library);
    if (status == CORE_OK)
        status = meta_text(store, "job", first->job);
    if (status == CORE_OK)
        status = meta_number(store, "rank_count", store->world_size);
    if (status == CORE_OK)
        status =
            meta_text(store, "tick_source", first->tick_hz == 1000000000 ? "clock_gettime" : "tsc");
    if (status == CORE_OK)
        status = meta_number(store, "tick_hz", (int64_t)(first->tick_hz & INT64_MAX));
    if (status == CORE_OK)
        status = meta_text(store, "layer",
                           store->layer == SPOOL_LAYER_SAMPLE ? "sample"
                           : store->layer                     ? "on"
                                                              : "off");
    if (status == CORE_OK)
        status = meta_number(store, "bsend_overhead", first->bsend_overhead);
    if (status == CORE_OK && store->unturned)
        status = meta_text(store, "turns", "lost");
    if (status == CORE_OK)
        status = meta_hosts(store);
    if (status == CORE_OK)
        status = meta_number(store, "events", (int64_t)store->events);
    if (status == CORE_OK)
        status = meta_number(store, "folded", (int64_t)store->folded);
    if (status == CORE_OK)
        status = meta_number(store, "lost", (int64_t)(store->lost & INT64_MAX));
    if (status == CORE_OK && store->unread)
        status = meta_number(store, "unread", (int64_t)(store->unread & INT64_MAX));
    if (status == CORE_OK)
        status = meta_totals(store);
    return status != CORE_OK ? status : meta_text(store, "notes", store->notes);
}
