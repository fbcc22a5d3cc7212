/* Writes how the job was ended into its tables (core/trace/ending.h). */
#include "core/check.h"
#include "store/store_part.h"

/* Writes the set of ranks of a wait; equal sets are stored once. */
static enum core_status spans_put(struct store *store, const struct ending *ending,
                                  const struct ending_wait *wait, uint32_t *out_id)
{
    const struct ending_span *span = ending->span + wait->first;
    bool is_new = false;
    enum core_status status = store_intern(&store->rank_span, wait->count ? (const void *)span : "",
                                           wait->count * sizeof *span, out_id, &is_new);

    CORE_CHECK((uint64_t)wait->first + wait->count <= ending->span_count);
    for (uint32_t i = 0; is_new && i < wait->count && status == CORE_OK; i++) {
        CORE_CHECK(span[i].first <= span[i].last); /* ending.h invariant 1 */
        CORE_CHECK(!i || span[i - 1].last < span[i].first);
        status = store_put(&store->sql, STORE_RANK_SPAN, "iii", (int64_t)*out_id,
                           (int64_t)span[i].first, (int64_t)span[i].last);
    }
    return status;
}

/* wait: NULL if there is none. */
static enum core_status row_put(struct store *store, const struct ending *ending, uint32_t index,
                                const struct ending_wait *wait)
{
    const struct ending_call *call = &ending->call[index];
    bool judged = call->role == ENDING_CORE || call->role == ENDING_BEHIND;
    bool tagged = wait && wait->tag != EVENT_NONE, reasoned = wait && wait->basis;
    bool numbered =
        wait && (wait->object == ENDING_OBJECT_COMM || wait->object == ENDING_OBJECT_WIN ||
                 wait->object == ENDING_OBJECT_FILE);
    enum core_status status = CORE_OK;
    uint32_t spans = 0;

    CORE_CHECK(call->role < ENDING_ROLE_COUNT);
    CORE_CHECK(!wait || wait->need < ENDING_NEED_COUNT);
    CORE_CHECK(!wait || wait->object < ENDING_OBJECT_COUNT);
    CORE_CHECK(!wait || wait->basis < ENDING_BASIS_COUNT);
    if (wait)
        status = spans_put(store, ending, wait, &spans);
    return status != CORE_OK
               ? status
               : store_put(
                     &store->sql, STORE_PROOF, "iiiittittiiiiitiit", STORE_NULL, (int64_t)index + 1,
                     (int64_t)call->rank, call->seq ? (int64_t)call->seq : STORE_NULL,
                     *call->call ? call->call : NULL, ending_role_text(call->role),
                     judged ? STORE_NULL : (int64_t)call->still_ms,
                     wait ? ending_need_text(wait->need) : NULL,
                     wait ? ending_object_text(wait->object) : NULL,
                     numbered ? (int64_t)wait->global : STORE_NULL,
                     tagged ? (int64_t)wait->tag : STORE_NULL,
                     wait ? (int64_t)wait->wildcard : STORE_NULL,
                     wait ? (int64_t)wait->ended : STORE_NULL, wait ? (int64_t)spans : STORE_NULL,
                     reasoned ? ending_basis_text(wait->basis) : NULL,
                     reasoned ? (int64_t)wait->number : STORE_NULL,
                     reasoned ? (int64_t)wait->rivals : STORE_NULL,
                     wait && wait->job ? ending_job_text(wait->job) : NULL);
}

/* Writes the facts that support the arguments of the proof. */
static enum core_status grounds_put(struct store *store, const struct ending *ending)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < ending->rank_count && status == CORE_OK; i++) {
        const struct ending_rank *r = &ending->rank[i];
        const struct ending_stand *s = &r->stand;

        CORE_CHECK(r->standing < ENDING_STANDING_COUNT && s->look < ENDING_LOOK_COUNT);

        status = store_put(&store->sql, STORE_PROOF_RANK, "itiitiiiiii", (int64_t)r->rank,
                           ending_standing_text(r->standing), (int64_t)r->seq, (int64_t)r->threads,
                           ending_look_text(s->look), (int64_t)s->still_ms,
                           (int64_t)s->still_ms_min, (int64_t)s->cpu_ns, (int64_t)s->cpu_ns_min,
                           (int64_t)s->runs, (int64_t)s->runs_min);
    }
    for (uint32_t i = 0; i < ending->channel_count && status == CORE_OK; i++) {
        const struct ending_channel *c = &ending->channel[i];

        status = store_put(&store->sql, STORE_PROOF_CHANNEL, "iiiiii", (int64_t)c->global,
                           (int64_t)c->source, (int64_t)c->dest, (int64_t)c->tag, (int64_t)c->sent,
                           (int64_t)c->received);
    }
    for (uint32_t i = 0; i < ending->member_count && status == CORE_OK; i++) {
        const struct ending_member *m = &ending->member[i];

        CORE_CHECK(m->object < ENDING_OBJECT_COUNT);

        status = store_put(&store->sql, STORE_PROOF_MEMBER, "tiii", ending_object_text(m->object),
                           (int64_t)m->global, (int64_t)m->rank, (int64_t)m->entered);
    }
    return status;
}

/* Writes the call paths to the calls in which ranks were, if the ranks have not recorded them. */
enum core_status store_ending_stacks(struct store *store, const struct ending *ending)
{
    enum core_status status = CORE_OK;
    int64_t depth = 0;

    for (uint32_t i = 0; ending && i < ending->frame_count && status == CORE_OK; i++) {
        const struct ending_frame *frame = &ending->frame[i], *last = i ? frame - 1 : NULL;
        uint32_t site = 0;

        CORE_CHECK(frame->module && frame->seq);
        CORE_CHECK(ending->call_count > 0); /* the stack belongs to a call */
        if (store->has_stacks)
            return CORE_OK;
        depth = last && last->rank == frame->rank && last->seq == frame->seq ? depth + 1 : 0;
        status = store_define_place(store, frame->module, frame->address, &site);
        if (status == CORE_OK)
            status = store_put_integers(
                &store->sql, STORE_STACK,
                (int64_t[]){(int64_t)frame->rank << STORE_SEQ_BITS | (int64_t)frame->seq, depth,
                            site},
                3);
    }
    return status;
}

enum core_status store_ending(struct store *store, const struct ending *ending)
{
    enum core_status status = CORE_OK;

    if (!ending || ending->reason == ENDING_NONE)
        return CORE_OK;
    CORE_CHECK(ending->reason < ENDING_REASON_COUNT);
    status = store_put(&store->sql, STORE_ENDED, "ti", ending_reason_text(ending->reason),
                       ending->reason == ENDING_DEADLOCK && !ending->limit_ms
                           ? STORE_NULL
                           : (int64_t)ending->limit_ms);
    for (uint32_t i = 0; i < ending->call_count && status == CORE_OK; i++) {
        const struct ending_call *call = &ending->call[i];

        CORE_CHECK((uint64_t)call->first + call->count <= ending->wait_count); /* invariant 2 */
        if (!call->count)
            status = row_put(store, ending, i, NULL);
        for (uint32_t w = 0; w < call->count && status == CORE_OK; w++)
            status = row_put(store, ending, i, &ending->wait[call->first + w]);
    }
    return status == CORE_OK ? grounds_put(store, ending) : status;
}

enum core_status store_unreceived(struct store *store, const struct store_options *options)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < options->unreceived_count && status == CORE_OK; i++) {
        const struct store_unreceived *one = &options->unreceived[i];
        CORE_CHECK(one->count > 0);
        status = store_put(&store->sql, STORE_UNRECEIVED, "iiiii", (int64_t)one->global,
                           (int64_t)one->rank, (int64_t)one->peer, (int64_t)one->tag,
                           (int64_t)one->count);
    }
    return status;
}
