/* Changes the recorded calls and decides whether the result deadlocks. See checkers/remedy_tried.h.
 *
 * A change models a change of the source: it applies to all calls of a place, on every rank.
 *
 * Invariants
 *  1. A receive is posted earlier only if it passes no receive or probe that could take the same
 *     messages: each still gets its own.
 *  2. A change is offered only if no order and no buffering deadlocks after it (trial_cures; with a
 *     tag of its own, in the recorded calls: trial_cures_calls). */
#include "checkers/remedy_tried.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/remedy_trial.h"
#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"

enum {
    PAIRS_MAX = 4,
    SITES_MAX = 8,
    NEAR_MAX = 4096 /* operations between a send and a receive posted before it */
};

struct tried_pair { /* places of a send and of a later receive */
    int32_t send, receive;
    uint64_t send_event, receive_event; /* of one rank that makes both calls */
    uint32_t rank;
};
struct tried {
    struct trial trial;
    struct tried_pair pair[PAIRS_MAX];
    uint32_t pair_count;
    int32_t named[SITES_MAX]; /* places of MPI_ANY_SOURCE receives */
    uint32_t named_count;
};

/* Tells whether an operation between send and receive stays where it is and could take the same
 * messages as the receive. `before`: per operation, the send before which it is posted; UINT32_MAX:
 * it stays. */
static bool is_in_the_way(const struct replay_rank *of, const uint32_t *before, uint32_t first,
                          uint32_t receive)
{
    const struct replay_op *moved = &of->op[receive];

    CORE_CHECK(first < receive && receive < of->op_count);
    CORE_CHECK(trial_is_receive(moved) && before[receive] == UINT32_MAX);
    for (uint32_t i = first; i < receive; i++) {
        const struct replay_op *op = &of->op[i];
        if (trial_takes_messages(op) && before[i] == UINT32_MAX && op->comm == moved->comm &&
            matching_overlaps(op->peer, moved->peer) && matching_overlaps(op->tag, moved->tag))
            return true;
    }
    return false;
}

/* Finds the send before which each receive is posted: the first send at the pair's place since the
 * last such receive. False: a receive cannot be posted there, so the source cannot be changed so
 * (invariant 1). */
static bool posts_find(const struct tried *t, uint32_t rank, const struct tried_pair *pair,
                       uint32_t *before)
{
    const struct replay_rank *of = &t->trial.program->rank[rank];
    uint32_t send = UINT32_MAX;
    bool received = false;

    CORE_CHECK(pair->send > 0 && pair->receive > 0);
    for (uint32_t i = 0; i < of->op_count; i++) {
        const struct replay_op *op = &of->op[i];
        if (trial_is_send(op) && t->trial.site[rank][i] == pair->send &&
            (send == UINT32_MAX || received)) {
            send = i;
            received = false;
        }
        if (!trial_is_receive(op) || t->trial.site[rank][i] != pair->receive || send == UINT32_MAX)
            continue;
        received = true;
        if (before[i] != UINT32_MAX) /* already posted before another pair's send */
            continue;
        if (i - send > NEAR_MAX || is_in_the_way(of, before, send, i))
            return false;
        before[i] = send;
    }
    return true;
}

static enum core_status receive_post(struct replay_program *to, uint32_t rank,
                                     const struct replay_op *op, int32_t request)
{
    struct replay_op posted = *op;

    CORE_CHECK(trial_is_receive(op));
    CORE_CHECK((op->kind == REPLAY_RECV) == (request >= 0));
    if (op->kind == REPLAY_RECV) {
        posted.kind = REPLAY_IRECV;
        posted.request = request;
    }
    return replay_program_add(to, rank, &posted);
}

/* Copies the operations of a rank, with each receive before its send in `before`. */
static enum core_status rank_post(const struct replay_rank *from, const uint32_t *before,
                                  struct replay_program *to, uint32_t rank)
{
    struct {
        int32_t request;            /* of a receive that was blocking */
        uint32_t first, last, next; /* index + 1 of receives posted before this, and after this */
    } * post;
    int32_t next = from->request_count;
    enum core_status status = CORE_ARRAY_NEW(post, from->op_count + 1ul, "a remedy");

    for (uint32_t i = 0; status == CORE_OK && i < from->op_count; i++) {
        if (before[i] == UINT32_MAX)
            continue;
        CORE_CHECK(before[i] < i && trial_is_send(&from->op[before[i]]));
        post[i].request = from->op[i].kind == REPLAY_RECV ? next++ : -1;
        if (post[before[i]].last)
            post[post[before[i]].last - 1].next = i + 1;
        else
            post[before[i]].first = i + 1;
        post[before[i]].last = i + 1;
    }
    for (uint32_t i = 0; status == CORE_OK && i < from->op_count; i++) {
        struct replay_op op = from->op[i];
        for (uint32_t k = post[i].first; status == CORE_OK && k; k = post[k - 1].next)
            status = receive_post(to, rank, &from->op[k - 1], post[k - 1].request);
        if (status != CORE_OK || (before[i] != UINT32_MAX && op.kind == REPLAY_IRECV))
            continue;
        if (before[i] != UINT32_MAX) {
            op.kind = REPLAY_WAIT;
            op.request = post[i].request;
        }
        status = replay_program_add(to, rank, &op);
    }
    free(post);
    return status;
}

static enum core_status pairs_apply(const struct tried *t, uint32_t first, uint32_t count,
                                    struct replay_program *to, bool *out_changed)
{
    enum core_status status = trial_frame_copy(t->trial.program, to);
    bool can = true, any = false;

    *out_changed = false;
    for (uint32_t rank = 0; status == CORE_OK && can && rank < t->trial.program->rank_count;
         rank++) {
        const struct replay_rank *from = &t->trial.program->rank[rank];
        uint32_t *before;
        status = CORE_ARRAY_NEW(before, from->op_count + 1ul, "a remedy");
        if (status != CORE_OK)
            break;
        memset(before, 0xff, (from->op_count + 1ul) * sizeof *before);
        for (uint32_t i = first; can && i < first + count; i++)
            can = posts_find(t, rank, &t->pair[i], before);
        for (uint32_t i = 0; i < from->op_count; i++)
            any |= before[i] != UINT32_MAX;
        status = trial_sets_copy(from, to, rank);
        if (status == CORE_OK)
            status = rank_post(from, before, to, rank);
        free(before);
    }
    *out_changed = can && any;
    return status;
}

/* Changes an operation of the copy as `how` says. Returns false if it stays as it was. */
typedef bool (*op_change_fn)(const struct tried *t, const void *how, uint32_t rank, uint32_t i,
                             struct replay_op *op);

/* Copies the program, with each operation that the function changes. */
static enum core_status ops_apply(const struct tried *t, op_change_fn change, const void *how,
                                  struct replay_program *to, bool *out_changed)
{
    enum core_status status = trial_frame_copy(t->trial.program, to);

    *out_changed = false;
    for (uint32_t rank = 0; status == CORE_OK && rank < t->trial.program->rank_count; rank++) {
        const struct replay_rank *from = &t->trial.program->rank[rank];
        status = trial_sets_copy(from, to, rank);
        for (uint32_t i = 0; status == CORE_OK && i < from->op_count; i++) {
            struct replay_op op = from->op[i];
            *out_changed |= change(t, how, rank, i, &op);
            status = replay_program_add(to, rank, &op);
        }
    }
    return status;
}

/* Names the source that a receive of this place had. how: the site. */
static bool name_change(const struct tried *t, const void *how, uint32_t rank, uint32_t i,
                        struct replay_op *op)
{
    const int32_t *site = how;

    if (!trial_takes_messages(op) || op->peer != REPLAY_ANY || op->matched < 0 ||
        t->trial.site[rank][i] != *site)
        return false;
    op->peer = op->matched;
    return true;
}

/* --- deciding --------------------------------------------------------------------------------- */

static enum core_status pairs_cure(const struct tried *t, uint32_t first, uint32_t count,
                                   bool *out_cured)
{
    struct replay_program changed = {0};
    bool any;
    CORE_CHECK(first + count <= t->pair_count);
    enum core_status status = pairs_apply(t, first, count, &changed, &any);

    *out_cured = false;
    if (status == CORE_OK && any)
        status = trial_cures(&changed, out_cured); /* invariant 2 */
    replay_program_done(&changed);
    return status;
}

/* --- a receive before its send ---------------------------------------------------------------- */

/* Returns the first receive after an operation from a rank of the core. */
static const struct replay_op *receive_behind(const struct replay_rank *of, uint32_t op,
                                              const struct replay_waitfor *waitfor)
{
    for (uint32_t i = op + 1; i < of->op_count; i++) {
        int32_t from = of->op[i].peer == REPLAY_ANY ? of->op[i].matched : of->op[i].peer;
        if (!trial_is_receive(&of->op[i]))
            continue;
        for (uint32_t k = 0; k < waitfor->blocked_count; k++)
            if (waitfor->blocked[k].standing == REPLAY_IN_CORE &&
                (int32_t)waitfor->blocked[k].rank == from)
                return &of->op[i];
    }
    return NULL;
}

/* Tells whether both are separate calls that can change places: not halves of MPI_Sendrecv, not
 * started by MPI_Start. */
static bool is_plain(const struct tried *t, const struct tried_pair *pair)
{
    struct trace *trace = t->trial.input->trace;
    struct trace_event send, receive;

    return trace_event_get(trace, pair->rank, pair->send_event, &send) == CORE_OK &&
           trace_event_get(trace, pair->rank, pair->receive_event, &receive) == CORE_OK &&
           (send.class == EVENT_CLASS_SEND || send.class == EVENT_CLASS_ISEND) &&
           (receive.class == EVENT_CLASS_RECV || receive.class == EVENT_CLASS_IRECV);
}

static void pair_add(struct tried *t, const struct replay_waitfor *waitfor,
                     const struct replay_blocked *blocked)
{
    const struct replay_rank *of = &t->trial.program->rank[blocked->rank];
    uint32_t send = blocked->count ? waitfor->clause[blocked->first].op : blocked->op;
    CORE_CHECK(send < of->op_count);
    const struct replay_op *receive = receive_behind(of, blocked->op, waitfor);

    if (!receive || !trial_is_send(&of->op[send]) || t->pair_count == PAIRS_MAX)
        return;
    struct tried_pair pair = {t->trial.site[blocked->rank][send],
                              t->trial.site[blocked->rank][receive - of->op], of->op[send].event,
                              receive->event, blocked->rank};
    if (pair.send <= 0 || pair.receive <= 0 || !is_plain(t, &pair))
        return;
    for (uint32_t i = 0; i < t->pair_count; i++)
        if (t->pair[i].send == pair.send && t->pair[i].receive == pair.receive)
            return;
    t->pair[t->pair_count++] = pair;
}

/* Tells whether on every rank each blocking send of the pair's place is directly followed by its
 * blocking receive: then MPI_Sendrecv can replace the two. It waits for the same operations as the
 * posted receive, the send and the wait that were tried. */
static bool is_exchange(const struct tried *t, const struct tried_pair *pair)
{
    CORE_CHECK(pair->send > 0 && pair->receive > 0);
    for (uint32_t rank = 0; rank < t->trial.program->rank_count; rank++) {
        const struct replay_rank *of = &t->trial.program->rank[rank];
        for (uint32_t i = 0; i < of->op_count; i++) {
            bool sends = t->trial.site[rank][i] == pair->send,
                 receives = t->trial.site[rank][i] == pair->receive;
            if (sends && (of->op[i].kind != REPLAY_SEND || of->op[i].mode != REPLAY_STANDARD ||
                          i + 1 == of->op_count || t->trial.site[rank][i + 1] != pair->receive))
                return false;
            if (receives &&
                (of->op[i].kind != REPLAY_RECV || !i || t->trial.site[rank][i - 1] != pair->send))
                return false;
        }
    }
    return true;
}

static enum core_status exchanges_word(const struct tried *t, uint32_t first, uint32_t count,
                                       FILE *file)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(first + count <= t->pair_count);
    for (uint32_t i = first; status == CORE_OK && i < first + count; i++) {
        const struct tried_pair *pair = &t->pair[i];
        fputs(i == first ? "call MPI_Sendrecv in place of " : ", and in place of ", file);
        status = trial_call_write(&t->trial, pair->rank, pair->send_event, file);
        fputs(" and ", file);
        if (status == CORE_OK)
            status = trial_call_write(&t->trial, pair->rank, pair->receive_event, file);
    }
    fprintf(file, " (MPI_Sendrecv_replace for one buffer): then %s", trial_cure);
    return status;
}

static enum core_status posts_word(const struct tried *t, uint32_t first, uint32_t count,
                                   FILE *file)
{
    enum core_status status = CORE_OK;
    bool blocking = false;

    CORE_CHECK(first + count <= t->pair_count);
    for (uint32_t i = first; status == CORE_OK && i < first + count; i++) {
        struct trace_event receive;
        fprintf(file, i == first ? "post " : ", and ");
        status = trial_call_write(&t->trial, t->pair[i].rank, t->pair[i].receive_event, file);
        fprintf(file, " before ");
        if (status == CORE_OK)
            status = trial_call_write(&t->trial, t->pair[i].rank, t->pair[i].send_event, file);
        if (status == CORE_OK)
            status = trace_event_get(t->trial.input->trace, t->pair[i].rank,
                                     t->pair[i].receive_event, &receive);
        blocking |= status == CORE_OK && receive.class != EVENT_CLASS_IRECV;
    }
    fprintf(file, "%s, into memory that is not used in between: then %s",
            blocking ? ", as an MPI_Irecv that is waited for where the receive is now" : "",
            trial_cure);
    return status;
}

/* Keeps the change as a move of a line, if it is one: MPI_Irecv before a send of the same file. */
static enum core_status move_set(const struct tried *t, const struct tried_pair *pair,
                                 struct finding_move *move)
{
    const struct trace *trace = t->trial.input->trace;
    const struct trace_site *send = &trace->site[pair->send],
                            *receive = &trace->site[pair->receive];
    struct trace_event event;
    enum core_status status =
        trace_event_get(t->trial.input->trace, pair->rank, pair->receive_event, &event);

    if (status != CORE_OK || event.class != EVENT_CLASS_IRECV || !send->path || !receive->path ||
        strcmp(send->path, receive->path) != 0 || send->line <= 0 || receive->line <= send->line)
        return status;
    *move = (struct finding_move){.path = strdup(receive->path),
                                  .call = strdup(trace->call[event.call].name),
                                  .line = receive->line,
                                  .before = send->line};
    return move->path && move->call ? CORE_OK
                                    : core_report(CORE_NO_MEMORY, "out of memory for a remedy");
}

static enum core_status pairs_word(const struct tried *t, uint32_t first, uint32_t count,
                                   struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    bool exchange = true;

    CORE_CHECK(!finding->tried && count > 0);
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    for (uint32_t i = first; i < first + count; i++)
        exchange = exchange && is_exchange(t, &t->pair[i]);
    enum core_status status =
        exchange ? exchanges_word(t, first, count, file) : posts_word(t, first, count, file);
    if (fclose(file) != 0)
        status =
            status == CORE_OK ? core_report(CORE_NO_MEMORY, "out of memory for a remedy") : status;
    if (status == CORE_OK && !exchange && count == 1)
        status = move_set(t, &t->pair[first], &finding->move);
    if (status == CORE_OK)
        finding->tried = text;
    else
        free(text);
    return status;
}

enum core_status remedy_try_post(const struct check_input *input, struct finding *finding,
                                 const struct replay_waitfor *waitfor)
{
    struct tried t = {0};
    bool tried, cures = false;
    uint32_t first = 0, count = 1;
    enum core_status status = trial_open(&t.trial, input, true, &tried);

    for (uint32_t i = 0; status == CORE_OK && tried && i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE)
            pair_add(&t, waitfor, &waitfor->blocked[i]);
    for (; status == CORE_OK && tried && !cures && first < t.pair_count; first += !cures)
        status = pairs_cure(&t, first, 1, &cures);
    if (status == CORE_OK && tried && !cures && t.pair_count > 1) {
        first = 0;
        count = t.pair_count;
        status = pairs_cure(&t, first, count, &cures);
    }
    if (status == CORE_OK && cures)
        status = pairs_word(&t, first, count, finding);
    CORE_CHECK(status != CORE_OK || cures == (finding->tried != NULL));
    trial_close(&t.trial);
    return status;
}

/* --- a named source --------------------------------------------------------------------------- */

static void sites_of_wildcards(struct tried *t)
{
    for (uint32_t rank = 0; rank < t->trial.program->rank_count; rank++) {
        const struct replay_rank *of = &t->trial.program->rank[rank];
        for (uint32_t i = 0; i < of->op_count && t->named_count < SITES_MAX; i++) {
            int32_t site = t->trial.site[rank][i];
            bool known =
                site <= 0 || !trial_takes_messages(&of->op[i]) || of->op[i].peer != REPLAY_ANY;
            for (uint32_t k = 0; !known && k < t->named_count; k++)
                known = t->named[k] == site;
            if (!known)
                t->named[t->named_count++] = site;
        }
    }
}

enum core_status remedy_try_name(const struct check_input *input, struct finding *finding)
{
    struct tried t = {0};
    bool tried, cures = false;
    char place[256];
    enum core_status status = trial_open(&t.trial, input, true, &tried);

    if (status == CORE_OK && tried)
        sites_of_wildcards(&t);
    for (uint32_t i = 0; status == CORE_OK && !cures && i < t.named_count; i++) {
        struct replay_program changed = {0};
        bool any;
        status = ops_apply(&t, name_change, &t.named[i], &changed, &any);
        if (status == CORE_OK && any)
            status = trial_cures(&changed, &cures);
        replay_program_done(&changed);
        if (status == CORE_OK && cures &&
            asprintf(&finding->tried,
                     "name the source that is meant at %s, in place of MPI_ANY_SOURCE: with the "
                     "sources of the recorded run %s",
                     trace_site_text(input->trace, t.named[i], place, sizeof place),
                     trial_cure) < 0) {
            finding->tried = NULL;
            status = core_report(CORE_NO_MEMORY, "out of memory for a remedy");
        }
    }
    trial_close(&t.trial);
    return status;
}

/* --- a tag of their own ----------------------------------------------------------------------- */

/* Gives the sends of one place and the receives of another a tag that nothing else has. */
struct apart {
    int32_t send, receive; /* sites */
    int32_t from, to;
    uint64_t send_event;
    uint32_t send_rank;
};

/* Gives a send or receive of these two places its own tag. how: struct apart. */
static bool apart_change(const struct tried *t, const void *how, uint32_t rank, uint32_t i,
                         struct replay_op *op)
{
    const struct apart *apart = how;
    int32_t site = t->trial.site[rank][i];

    CORE_CHECK(i < t->trial.program->rank[rank].op_count);
    if (op->tag != apart->from || ((!trial_is_send(op) || site != apart->send) &&
                                   (!trial_takes_messages(op) || site != apart->receive)))
        return false;
    op->tag = apart->to;
    return true;
}

/* Lists the places of sends with the receive's tag, and finds a tag that no operation has. */
static uint32_t apart_list(const struct tried *t, struct apart receive, struct apart *out)
{
    uint32_t count = 0;
    int32_t most = 0;

    CORE_CHECK(receive.receive > 0 && receive.from >= 0);
    for (uint32_t rank = 0; rank < t->trial.program->rank_count; rank++) {
        const struct replay_rank *of = &t->trial.program->rank[rank];
        for (uint32_t i = 0; i < of->op_count; i++) {
            int32_t site = t->trial.site[rank][i];
            bool known = !trial_is_send(&of->op[i]) || of->op[i].tag != receive.from || site <= 0;
            most = of->op[i].tag > most ? of->op[i].tag : most;
            for (uint32_t k = 0; !known && k < count; k++)
                known = out[k].send == site;
            if (known || count == SITES_MAX)
                continue;
            out[count] = receive;
            out[count].send = site;
            out[count].send_rank = rank;
            out[count++].send_event = of->op[i].event;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        out[i].to = most < INT32_MAX ? most + 1 : 0;
    return most < INT32_MAX && count > 1 ? count : 0; /* of one place all messages are alike */
}

static enum core_status apart_word(const struct tried *t, const struct apart *apart,
                                   const struct replay_op *receive, uint32_t rank, bool assumes,
                                   struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    CORE_CHECK(!finding->tried);
    if (!file)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    fputs("give what ", file);
    enum core_status status =
        trial_call_write(&t->trial, apart->send_rank, apart->send_event, file);
    fputs(" sends and ", file);
    if (status == CORE_OK)
        status = trial_call_write(&t->trial, rank, receive->event, file);
    fprintf(file, " receives a tag of its own: then %s%s", trial_cure,
            assumes ? "; in another order of messages a rank may make other calls" : "");
    if (fclose(file) != 0 && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    if (status == CORE_OK)
        finding->tried = text;
    else
        free(text);
    return status;
}

static enum core_status apart_try(const struct tried *t, const struct replay_blocked *blocked,
                                  struct finding *finding)
{
    const struct replay_op *op = &t->trial.program->rank[blocked->rank].op[blocked->op];
    struct apart receive = {.receive = t->trial.site[blocked->rank][blocked->op], .from = op->tag},
                 apart[SITES_MAX];
    enum core_status status = CORE_OK;
    bool cures = false, assumes, any;
    uint32_t count = 0;

    if (trial_is_receive(op) && op->peer >= 0 && op->tag >= 0 && receive.receive > 0)
        count = apart_list(t, receive, apart);
    for (uint32_t i = 0; status == CORE_OK && !cures && i < count; i++) {
        struct replay_program changed = {0};
        status = ops_apply(t, apart_change, &apart[i], &changed, &any);
        if (status == CORE_OK)
            status = trial_cures_calls(&changed, &cures, &assumes); /* invariant 2 */
        replay_program_done(&changed);
        if (status == CORE_OK && cures)
            status = apart_word(t, &apart[i], op, blocked->rank, assumes, finding);
    }
    return status;
}

enum core_status remedy_try_tag_apart(const struct check_input *input, struct finding *finding,
                                      const struct replay_waitfor *waitfor)
{
    struct tried t = {0};
    bool tried;
    enum core_status status = trial_open(&t.trial, input, true, &tried);

    for (uint32_t i = 0;
         status == CORE_OK && tried && !finding->tried && i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE)
            status = apart_try(&t, &waitfor->blocked[i], finding);
    trial_close(&t.trial);
    return status;
}

/* --- one tag ---------------------------------------------------------------------------------- */

static bool is_left(const struct replay_result *result, uint32_t rank, uint64_t event)
{
    for (uint32_t i = 0; i < result->leftover_listed; i++)
        if (result->leftover[i].rank == rank && result->leftover[i].event == event)
            return true;
    for (uint32_t i = 0; i < result->waitfor.blocked_count; i++)
        if (result->waitfor.blocked[i].rank == rank && result->waitfor.blocked[i].event == event)
            return true;
    return false;
}

struct retag { /* gives the sends, or the receives, of a place another tag */
    int32_t site, from, to;
    bool sends;
};

static bool is_retagged(const struct tried *t, const struct retag *retag, uint32_t rank, uint32_t i)
{
    CORE_CHECK(rank < t->trial.program->rank_count && i < t->trial.program->rank[rank].op_count);
    const struct replay_op *op = &t->trial.program->rank[rank].op[i];

    return (retag->sends ? trial_is_send(op) : trial_takes_messages(op)) &&
           op->tag == retag->from && t->trial.site[rank][i] == retag->site;
}

/* Tells whether each changed call has found a partner. */
static bool all_matched(const struct tried *t, const struct retag *retag,
                        const struct replay_result *after)
{
    CORE_CHECK(after->outcome != REPLAY_DEADLOCK);
    for (uint32_t rank = 0; rank < t->trial.program->rank_count; rank++)
        for (uint32_t i = 0; i < t->trial.program->rank[rank].op_count; i++)
            if (is_retagged(t, retag, rank, i) &&
                is_left(after, rank, t->trial.program->rank[rank].op[i].event))
                return false;
    return true;
}

/* *out_changed false: a call of the place with that tag has found its partner, and would lose it.
 */
static enum core_status tag_apply(const struct tried *t, const struct replay_result *result,
                                  const struct retag *retag, struct replay_program *to,
                                  bool *out_changed)
{
    enum core_status status = trial_frame_copy(t->trial.program, to);
    bool can = true, any = false;

    CORE_CHECK(retag->from != retag->to && retag->site > 0);
    for (uint32_t rank = 0; status == CORE_OK && rank < t->trial.program->rank_count; rank++) {
        const struct replay_rank *from = &t->trial.program->rank[rank];
        status = trial_sets_copy(from, to, rank);
        for (uint32_t i = 0; status == CORE_OK && i < from->op_count; i++) {
            struct replay_op op = from->op[i];
            if (is_retagged(t, retag, rank, i)) {
                can = can && is_left(result, rank, op.event);
                op.tag = retag->to;
                any = true;
            }
            status = replay_program_add(to, rank, &op);
        }
    }
    *out_changed = can && any;
    return status;
}

/* Decides whether the change leaves no deadlock. Without wildcards there is one order of matches,
 * and buffers only let ranks go on earlier, so one run without buffers decides. */
static enum core_status tag_cures(const struct tried *t, const struct replay_result *result,
                                  const struct retag *retag, bool *out_cured)
{
    struct replay_program changed = {0};
    struct replay_result after;
    bool any;
    enum core_status status = tag_apply(t, result, retag, &changed, &any);

    *out_cured = false;
    if (status == CORE_OK && any &&
        (status = replay_run_once(&changed, &check_unbuffered, &after)) == CORE_OK) {
        *out_cured = (after.outcome == REPLAY_FINISHED || after.outcome == REPLAY_STALLED) &&
                     all_matched(t, retag, &after);
        replay_result_done(&after);
    }
    replay_program_done(&changed);
    return status;
}

static enum core_status tag_word(const struct tried *t, const struct finding_link *link,
                                 int32_t tag, const char *before, FILE *file)
{
    fprintf(file, "%stag %" PRId32 " in ", before, tag);
    return trial_call_write(&t->trial, link->rank, link->seq, file);
}

/* cures: a change of the send, and of the receive. */
static enum core_status tags_word(const struct tried *t, const struct hint_tag_miss *miss,
                                  const bool *cures, struct finding *finding)
{
    enum core_status status = CORE_OK;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    CORE_CHECK(!finding->tried && (cures[0] || cures[1]));
    if (!file)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    if (cures[0])
        status = tag_word(t, &miss->send, miss->receive_tag, "use ", file);
    if (cures[1] && status == CORE_OK)
        status = tag_word(t, &miss->receive, miss->send_tag, cures[0] ? ", or " : "use ", file);
    fputs(": then no buffering of the recorded calls deadlocks (proven; the record does not have "
          "the calls that follow)",
          file);
    if (fclose(file) != 0 && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    if (status == CORE_OK)
        finding->tried = text;
    else
        free(text);
    return status;
}

enum core_status remedy_try_tag(const struct check_input *input, struct finding *finding,
                                const struct replay_result *result,
                                const struct hint_tag_miss *miss)
{
    CORE_CHECK(miss->is && miss->send_tag != miss->receive_tag);
    struct tried t = {0};
    struct trace_event send, receive;
    bool tried, cures[2] = {false, false};
    enum core_status status = trial_open(&t.trial, input, false, &tried);

    tried = tried && !input->notes->wildcards;
    if (status == CORE_OK && tried)
        status = trace_event_get(input->trace, miss->send.rank, miss->send.seq, &send);
    if (status == CORE_OK && tried)
        status = trace_event_get(input->trace, miss->receive.rank, miss->receive.seq, &receive);
    tried = tried && status == CORE_OK && send.site > 0 && receive.site > 0 &&
            (send.class == EVENT_CLASS_SEND || send.class == EVENT_CLASS_ISEND) &&
            (receive.class == EVENT_CLASS_RECV || receive.class == EVENT_CLASS_IRECV);
    if (status == CORE_OK && tried) {
        const struct retag change[] = {{send.site, miss->send_tag, miss->receive_tag, true},
                                       {receive.site, miss->receive_tag, miss->send_tag, false}};
        for (int i = 0; i < 2 && status == CORE_OK; i++)
            status = tag_cures(&t, result, &change[i], &cures[i]);
    }
    if (status == CORE_OK && (cures[0] || cures[1]))
        status = tags_word(&t, miss, cures, finding);
    trial_close(&t.trial);
    return status;
}
