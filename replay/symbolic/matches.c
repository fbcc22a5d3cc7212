/* Finds the runs of receives and their candidates. The idea and the invariants are in matches.h. */
#include "replay/symbolic/matches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/work.h"

static const char what[] = "matches";

/* PASSED_OVER: limit per send and run of messages examined in vain, which keeps the work linear if
 * tags are received in another order than sent. */
enum { PASSES_MAX = 8, PASSED_OVER = 64 };

struct channel { /* messages of one sender to one receiver */
    uint32_t to, from, first;
};

struct finder {
    const struct replay_program *program;
    struct matches *matches;
    enum core_status status;
    struct channel *channel; /* sorted by to, from */
    uint32_t channel_count, channel_room;
    uint32_t *channel_first; /* by receiver, and the end */
    uint64_t *base;          /* by rank: its first operation */
    uint32_t *run_at;        /* by operation: its run plus 1 */
    uint32_t *wait; /* for the current rank, by request: operation that waits for it, plus 1 */
    struct order order;
    uint64_t passed_over; /* messages that a run examined but does not accept */
};

bool matches_is_send(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->peer >= 0;
}

bool matches_is_quiet(const struct replay_rank *rank, const struct replay_op *op)
{
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_FREE:
    case REPLAY_COMPUTE:
    case REPLAY_COMBINE:
        return true;
    case REPLAY_SEND:
    case REPLAY_ISEND:
    case REPLAY_RECV:
    case REPLAY_IRECV:
        return op->peer == REPLAY_PROC_NULL;
    case REPLAY_IPROBE:
        return !(op->flags & REPLAY_FLAG_DONE) || op->peer == REPLAY_PROC_NULL;
    case REPLAY_TEST:
        return !(op->flags & REPLAY_FLAG_DONE);
    case REPLAY_WAIT_ALL:
        return rank->set[op->request].count == 0;
    default:
        return false;
    }
}

/* Notes what the encoding cannot handle; event: 0 if the text names none. */
static void matches_exclude(struct finder *f, const char *text, uint32_t rank, uint64_t event)
{
    if (!f->matches->excluded[0])
        snprintf(f->matches->excluded, sizeof f->matches->excluded, text, rank,
                 (unsigned long long)event);
}

static void look_for_excluded(struct finder *f)
{
    const struct replay_program *program = f->program;

    if (program->overtaking)
        matches_exclude(f, "the info of a communicator lets messages overtake each other", 0, 0);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        const struct replay_rank *r = &program->rank[rank];
        if (r->end == REPLAY_END_UNKNOWN)
            matches_exclude(f, "the record of rank %" PRIu32 " ends early", rank, 0);
        if (r->when)
            matches_exclude(f, "several threads of rank %" PRIu32 " make calls", rank, 0);
        for (uint32_t i = 0; i < r->op_count; i++) {
            const struct replay_op *op = &r->op[i];
            const uint64_t id = replay_op_id(program, rank, i);
            if (op->kind == REPLAY_CANCEL && op->flags & REPLAY_FLAG_DONE)
                matches_exclude(f, "rank %" PRIu32 " cancels a request (event %llu)", rank, id);
            if ((op->kind == REPLAY_LOCK || op->kind == REPLAY_UNLOCK) &&
                op->peer != REPLAY_PROC_NULL)
                matches_exclude(f, "rank %" PRIu32 " locks a window (event %llu)", rank, id);
            if (op->kind >= REPLAY_GENERAL)
                matches_exclude(f, "rank %" PRIu32 " makes a call on a window (event %llu)", rank,
                                id);
        }
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

static bool is_receive(const struct replay_op *op)
{
    return (op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV) && op->peer != REPLAY_PROC_NULL;
}

static bool is_probe(const struct replay_op *op)
{
    return op->peer != REPLAY_PROC_NULL &&
           (op->kind == REPLAY_PROBE || op->kind == REPLAY_MPROBE ||
            (op->kind == REPLAY_IPROBE && op->flags & REPLAY_FLAG_DONE));
}

static bool same_key(const struct matches_run *run, const struct replay_op *op)
{
    return run->comm == op->comm && run->peer == op->peer && run->tag == op->tag;
}

/* Returns the receive that takes what the probe found, if it is the rank's next receive. */
static uint32_t probed_receive(const struct replay_rank *r, uint32_t probe)
{
    for (uint32_t i = probe + 1; i < r->op_count; i++) {
        const struct replay_op *op = &r->op[i], *found = &r->op[probe];
        if (is_receive(op) && op->flags & REPLAY_FLAG_PROBED && op->peer >= 0 &&
            op->comm == found->comm && (op->tag != REPLAY_ANY || found->tag == REPLAY_ANY))
            return i;
        if (is_receive(op) || is_probe(op))
            break;
    }
    return MATCHES_NONE;
}

static uint32_t matched_receive(const struct replay_rank *r, uint32_t probe)
{
    for (uint32_t i = probe + 1; i < r->op_count; i++) {
        const struct replay_op *op = &r->op[i];
        if ((op->kind == REPLAY_MRECV && op->request == r->op[probe].request) ||
            (op->kind == REPLAY_IMRECV && op->tag == r->op[probe].request))
            return i;
    }
    return MATCHES_NONE;
}

/* Finds the operation that waits for each request of a rank, alone or with others. */
static void note_waits(struct finder *f, const struct replay_rank *r)
{
    memset(f->wait, 0, (size_t)r->request_count * sizeof *f->wait);
    for (uint32_t i = 0; i < r->op_count; i++) {
        const struct replay_op *op = &r->op[i];
        if (op->kind == REPLAY_WAIT && !f->wait[op->request])
            f->wait[op->request] = i + 1;
        bool done = op->kind == REPLAY_TEST && op->flags & REPLAY_FLAG_DONE,
             all = done || op->kind == REPLAY_WAIT_ALL,
             some = op->kind == REPLAY_WAIT_ANY || op->kind == REPLAY_WAIT_SOME;
        for (uint32_t k = 0; (all || some) && k < r->set[op->request].count; k++) {
            uint32_t *wait = &f->wait[r->member[r->set[op->request].first + k]];
            if (some)
                *wait = MATCHES_NONE;
            else if (!*wait)
                *wait = i + 1;
        }
    }
}

/* Tells whether one call waits for a whole run of nonblocking receives, so that nothing shows which
 * of them are complete. Sets run->passed. */
static bool waits_as_one(struct finder *f, const struct replay_rank *r, struct matches_run *run)
{
    uint32_t first = MATCHES_NONE, last = 0, waited = 0, count = 0;

    for (uint32_t i = run->op; i <= run->last; i++) {
        if (r->op[i].kind != REPLAY_IRECV || r->op[i].peer == REPLAY_PROC_NULL)
            continue;
        uint32_t wait = f->wait[r->op[i].request];
        count++;
        waited += wait > 0;
        if (wait == MATCHES_NONE)
            return false;
        if (wait && wait - 1 < first)
            first = wait - 1;
        if (wait && wait > last)
            last = wait;
    }
    run->passed = waited ? last - 1 : MATCHES_NONE;
    if (waited != 0 && waited != count)
        return false;
    for (uint32_t i = first; waited && i < last; i++)
        if (!matches_is_quiet(r, &r->op[i]) && r->op[i].kind != REPLAY_WAIT &&
            r->op[i].kind != REPLAY_WAIT_ALL && r->op[i].kind != REPLAY_TEST)
            return false;
    return true;
}

static struct matches_run run_of(struct finder *f, uint32_t rank, uint32_t index)
{
    const struct replay_rank *r = &f->program->rank[rank];
    const struct replay_op *op = &r->op[index];
    struct matches_run run = {.rank = rank,
                              .op = index,
                              .last = index,
                              .count = 1,
                              .peer = op->peer,
                              .tag = op->tag,
                              .comm = op->comm,
                              .blocking = op->kind != REPLAY_IRECV,
                              .passed = index,
                              .deliver = MATCHES_NONE};
    if (op->kind == REPLAY_IRECV) {
        uint32_t wait = f->wait[op->request];
        run.passed = wait && wait != MATCHES_NONE ? wait - 1 : MATCHES_NONE;
    } else if (op->kind == REPLAY_MPROBE) {
        run.deliver = matched_receive(r, index);
        run.probed = true;
    } else if (op->kind != REPLAY_RECV) {
        run.deliver = op->flags & REPLAY_FLAG_PROBED ? probed_receive(r, index) : MATCHES_NONE;
        run.probed = run.deliver != MATCHES_NONE;
        run.looks = !run.probed;
    }
    return run;
}

static void add_run(struct finder *f, const struct matches_run *run)
{
    struct matches *m = f->matches;
    const struct replay_rank *r = &f->program->rank[run->rank];

    if (f->status == CORE_OK)
        f->status = CORE_ARRAY_PUSH(m->run, m->run_count, m->run_room, what, *run);
    for (uint32_t i = run->op; f->status == CORE_OK && i <= run->last; i++)
        if (is_receive(&r->op[i]) || i == run->op)
            f->run_at[f->base[run->rank] + i] = m->run_count;
}

/* Lists the runs of a rank. Operations in between that others see, or other receives, end a run. */
static void list_runs(struct finder *f, uint32_t rank)
{
    const struct replay_rank *r = &f->program->rank[rank];

    note_waits(f, r);
    for (uint32_t i = 0; i < r->op_count && f->status == CORE_OK; i++) {
        const struct replay_op *op = &r->op[i];
        if (!is_receive(op) && !is_probe(op))
            continue;
        bool wild = op->peer == REPLAY_ANY;
        f->matches->wildcards += wild;
        f->matches->receives++;
        if (is_receive(op) && op->flags & REPLAY_FLAG_PROBED) {
            uint32_t before = f->matches->run_count;
            if (!before || f->matches->run[before - 1].rank != rank ||
                f->matches->run[before - 1].deliver != i)
                matches_exclude(f,
                                "rank %" PRIu32
                                " receives what a probe found, after another receive (event %llu)",
                                rank, replay_op_id(f->program, rank, i));
            continue;
        }
        struct matches_run run = run_of(f, rank, i);
        if (!wild || !is_receive(op)) {
            add_run(f, &run);
            continue;
        }
        for (uint32_t k = i + 1; k < r->op_count; k++) {
            const struct replay_op *next = &r->op[k];
            bool quiet = matches_is_quiet(r, next);
            if (is_receive(next) && next->kind == op->kind && same_key(&run, next) &&
                !(next->flags & REPLAY_FLAG_PROBED)) {
                run.last = k;
                run.count++;
            } else if (!quiet &&
                       (run.blocking || (next->kind != REPLAY_ISEND && next->kind != REPLAY_ICOLL)))
                break;
        }
        if (run.blocking)
            run.passed = run.last;
        else if (run.count > 1 && !waits_as_one(f, r, &run))
            run = run_of(f, rank, i);
        f->matches->receives += run.count - 1;
        f->matches->wildcards += run.count - 1;
        add_run(f, &run);
        i = run.last;
    }
}

/* --- candidates ------------------------------------------------------------------------------- */

static void list_sends(struct finder *f)
{
    struct matches *m = f->matches;

    for (uint32_t rank = 0; rank < f->program->rank_count; rank++)
        for (uint32_t i = 0; i < f->program->rank[rank].op_count && f->status == CORE_OK; i++) {
            const struct replay_op *op = &f->program->rank[rank].op[i];
            if (matches_is_send(op))
                f->status = CORE_ARRAY_PUSH(m->send, m->send_count, m->send_room, what,
                                            (struct matches_send){.rank = rank,
                                                                  .op = i,
                                                                  .to = (uint32_t)op->peer,
                                                                  .tag = op->tag,
                                                                  .comm = op->comm});
        }
}

static int compare_channels(const void *a, const void *b)
{
    const struct channel *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Puts all messages into their channels, none of them taken. */
static void list_channels(struct finder *f)
{
    struct matches *m = f->matches;
    uint32_t ranks = f->program->rank_count, *last;

    f->channel_count = 0;
    f->status = CORE_ARRAY_NEW(last, ranks, what);
    for (uint32_t i = 0; i < m->send_count && f->status == CORE_OK; i++) {
        struct matches_send *send = &m->send[i];
        if (i == 0 || send[-1].rank != send->rank)
            memset(last, 0, ranks * sizeof *last);
        if (last[send->to])
            m->send[last[send->to] - 1].next = i;
        else
            f->status =
                CORE_ARRAY_PUSH(f->channel, f->channel_count, f->channel_room, what,
                                (struct channel){.to = send->to, .from = send->rank, .first = i});
        last[send->to] = i + 1;
        send->next = send->run = MATCHES_NONE;
        send->contended = false;
    }
    free(last);
    if (f->status != CORE_OK)
        return;
    if (f->channel_count)
        qsort(f->channel, f->channel_count, sizeof *f->channel, compare_channels);
    uint32_t at = 0;
    for (uint32_t to = 0; to <= ranks; to++) {
        while (at < f->channel_count && f->channel[at].to < to)
            at++;
        f->channel_first[to] = at;
    }
}

/* Tells whether the message is certainly sent after the whole run, or never. */
static bool comes_too_late(const struct finder *f, uint32_t send, const struct matches_run *run)
{
    if (!f->order.clock)
        return false;
    const uint32_t *clock = f->order.clock + (uint64_t)send * f->order.ranks;
    return clock[run->rank] == UINT32_MAX ||
           (run->passed != MATCHES_NONE && clock[run->rank] > run->passed);
}

/* Adds the first `limit` messages of a channel that the run accepts. */
static void add_candidates(struct finder *f, struct channel *channel, struct matches_run *run,
                           uint64_t limit)
{
    struct matches *m = f->matches;
    uint32_t *place = &channel->first;

    while (*place != MATCHES_NONE && limit && f->status == CORE_OK) {
        struct matches_send *send = &m->send[*place];
        core_work(1);
        if (send->run != MATCHES_NONE) {
            *place = send->next;
            continue;
        }
        if (send->comm == run->comm && matching_accepts(run->tag, send->tag)) {
            if (comes_too_late(f, *place, run))
                return; /* as are all later ones */
            f->status =
                CORE_ARRAY_PUSH(m->candidate, m->candidate_count, m->candidate_room, what, *place);
            run->candidates++;
            limit--;
        } else
            f->passed_over++;
        place = &send->next;
    }
}

static void judge_run(struct finder *f, uint32_t index, uint32_t open)
{
    struct matches *m = f->matches;
    struct matches_run *run = &m->run[index];
    uint32_t first = f->channel_first[run->rank], end = f->channel_first[run->rank + 1];

    run->candidate = m->candidate_count;
    run->candidates = 0;
    if (run->peer >= 0) {
        first = CORE_ARRAY_FIND(at, first, end, f->channel[at].from < (uint32_t)run->peer);
        if (first < end && f->channel[first].from == (uint32_t)run->peer)
            end = first + 1;
        else
            end = first;
    }
    for (uint32_t c = first; c < end; c++)
        add_candidates(f, &f->channel[c], run, (uint64_t)open + run->count);
    run->certain = run->looks || run->candidates <= run->count;
    for (uint32_t i = 0; i < run->candidates; i++)
        run->certain &= !m->send[m->candidate[run->candidate + i]].contended;
    for (uint32_t i = 0; i < run->candidates && !run->looks; i++) {
        struct matches_send *send = &m->send[m->candidate[run->candidate + i]];
        CORE_CHECK(send->run == MATCHES_NONE); /* invariant 2 */
        if (run->certain)
            send->run = index;
        else
            send->contended = true;
    }
}

/* Judges all runs in order. Counts the open receives of a rank by communicator. */
static void judge_runs(struct finder *f)
{
    struct matches *m = f->matches;
    uint32_t *open, rank = UINT32_MAX;

    list_channels(f);
    m->candidate_count = m->open = 0;
    f->passed_over = 0;
    if (f->status == CORE_OK)
        f->status = CORE_ARRAY_NEW(open, f->program->comm_count, what);
    if (f->status != CORE_OK)
        return;
    for (uint32_t i = 0; i < m->run_count && f->status == CORE_OK; i++) {
        struct matches_run *run = &m->run[i];
        if (run->rank != rank)
            memset(open, 0, f->program->comm_count * sizeof *open);
        rank = run->rank;
        judge_run(f, i, open[run->comm]);
        if (!run->certain && !run->looks)
            open[run->comm] += run->count;
        m->open += run->certain ? 0 : run->count;
        uint64_t room = ((uint64_t)m->send_count + m->run_count) * PASSED_OVER;
        if (m->candidate_count > MATCHES_CANDIDATES_MAX || f->passed_over > room) {
            matches_exclude(f, "too many messages can match the receives of rank %" PRIu32 "", rank,
                            0);
            break;
        }
    }
    free(open);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct matches_entry *x = a, *y = b;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

enum core_status matches_colls_list(const struct replay_program *program,
                                    struct matches_colls *out_colls)
{
    struct matches_colls colls = {0};
    enum core_status status = CORE_OK;

    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t i = 0; i < program->rank[rank].op_count && status == CORE_OK; i++) {
            const struct replay_op *op = &program->rank[rank].op[i];
            if (op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL)
                status = CORE_ARRAY_PUSH(
                    colls.entry, colls.count, colls.room, what,
                    (struct matches_entry){
                        .comm = op->comm, .number = (uint32_t)op->tag, .rank = rank, .op = i});
        }
    if (status == CORE_OK && colls.count)
        qsort(colls.entry, colls.count, sizeof *colls.entry, compare_entries);
    if (status == CORE_OK)
        *out_colls = colls;
    else
        free(colls.entry);
    return status;
}

void matches_colls_find(const struct matches_colls *colls, uint32_t comm, uint32_t number,
                        uint32_t *out_first, uint32_t *out_end)
{
    const struct matches_entry *e = colls->entry;
    *out_first = CORE_ARRAY_FIND(
        at, 0, colls->count, e[at].comm < comm || (e[at].comm == comm && e[at].number < number));
    *out_end =
        CORE_ARRAY_FIND(at, *out_first, colls->count, e[at].comm == comm && e[at].number == number);
}

static void matches_prepare(struct finder *f)
{
    uint64_t ops = 0;
    int32_t requests = 0;

    f->status = CORE_ARRAY_NEW(f->base, f->program->rank_count, what);
    for (uint32_t rank = 0; rank < f->program->rank_count && f->status == CORE_OK; rank++) {
        const struct replay_rank *r = &f->program->rank[rank];
        f->base[rank] = ops;
        ops += r->op_count;
        requests = r->request_count > requests ? r->request_count : requests;
    }
    if (f->status == CORE_OK)
        f->status = CORE_ARRAY_NEW(f->run_at, ops, what);
    if (f->status == CORE_OK)
        f->status = CORE_ARRAY_NEW(f->wait, (uint64_t)requests, what);
    if (f->status == CORE_OK)
        f->status = CORE_ARRAY_NEW(f->channel_first, (uint64_t)f->program->rank_count + 1, what);
}

enum core_status matches_find(const struct replay_program *program, enum replay_coll coll,
                              struct matches *out_matches)
{
    struct matches matches = {0};
    struct matches_colls colls = {0};
    struct finder f = {.program = program, .matches = &matches};
    uint32_t open = UINT32_MAX;

    look_for_excluded(&f);
    matches_prepare(&f);
    if (f.status == CORE_OK)
        list_sends(&f);
    for (uint32_t rank = 0; rank < program->rank_count && f.status == CORE_OK; rank++)
        list_runs(&f, rank);
    if (f.status == CORE_OK)
        f.status = matches_colls_list(program, &colls);
    while (f.status == CORE_OK && !matches.excluded[0] && matches.passes < PASSES_MAX) {
        free(f.order.clock);
        f.order.clock = NULL;
        f.status = order_find(program, &matches, &colls, coll, f.run_at, &f.order);
        if (f.status == CORE_OK)
            judge_runs(&f);
        matches.passes++;
        if (matches.open == 0 || matches.open == open)
            break;
        open = matches.open;
    }
    free(f.order.clock);
    free(f.channel);
    free(f.channel_first);
    free(f.base);
    free(f.run_at);
    free(f.wait);
    free(colls.entry);
    if (f.status == CORE_OK)
        *out_matches = matches;
    else
        matches_done(&matches);
    return f.status;
}

void matches_done(struct matches *matches)
{
    free(matches->send);
    free(matches->run);
    free(matches->candidate);
    *matches = (struct matches){0};
}
