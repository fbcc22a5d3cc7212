/* Vector clocks. Each rank's calls that talk to others are its points, in order; a point takes over
 * the clocks of what it waits for: a receive (where it completes) that of the send, a collective
 * (where it completes) those of all members' calls, MPI_Win_start those of its targets' posts (but
 * one that asserts MPI_MODE_NOCHECK does not wait), MPI_Win_wait those of its origins' completes:
 * the n-th start of an origin belongs to the n-th post that names it, window by window and target
 * by target. Opening and closing a file counts as a collective; its other collective calls, which
 * MPI lets return early, only where that is asked for. Clocks are numbers of calls: clock[r] of a
 * point is the last call of rank r that comes before what follows the point.
 *
 * Points are gone through in any order in which all that a point waits for has been seen; points
 * that never can be (the job hung there) end it. */
#include "checkers/conflict/order.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/table.h"
#include "core/trace/request.h"
#include "core/trace/trace_message.h"
#include "core/work.h"

enum point_kind { POINT_SEND, POINT_RECEIVE, POINT_ARRIVE, POINT_LEAVE };

struct point {
    uint64_t seq;
    uint64_t key; /* sends, receives: the receive's seq as posted; collectives and epochs: index of
                     its gathering */
    uint64_t *clock; /* behind it */
    uint32_t rank;   /* receives: the source */
    uint8_t kind;
};
struct line { /* a rank's points */
    struct point *point;
    uint32_t count, room, next;
};
struct place {
    uint64_t space, number;
};
struct gathering { /* one collective: its n-th on a communicator or window; or a post for one
                      origin, or a complete for one target, for which others wait: 1 member */
    struct place place;
    uint64_t *clock;
    uint32_t arrived, members;
};
struct message {
    uint32_t source, dest;
    uint64_t send, receive;
};
struct order {
    struct trace *trace;
    bool files; /* every collective call on a file orders its ranks */
    struct line *line;
    struct core_table gathering;
    struct message *message;
    uint32_t message_count, message_room;
};

#define AN_ORDER "the order of calls" /* out of memory for ... */

static bool add(struct order *order, uint32_t rank, enum point_kind kind, uint64_t seq,
                uint64_t key)
{
    struct line *line = &order->line[rank];
    CORE_CHECK(!line->count || line->point[line->count - 1].seq <= seq); /* first_point halves it */
    return CORE_ARRAY_PUSH(line->point, line->count, line->room, AN_ORDER,
                           (struct point){.seq = seq, .key = key, .kind = (uint8_t)kind}) ==
           CORE_OK;
}

/* comes: the caller is a member. */
static bool gather(struct order *order, uint64_t space, uint64_t number, bool comes,
                   uint64_t *out_index)
{
    struct place place = {space, number};
    struct gathering *found;

    if (core_table_put(&order->gathering, &place, AN_ORDER, &found) != CORE_OK)
        return false;
    found->members += comes;
    CORE_CHECK(!found->arrived); /* ranks are read before anything runs */
    *out_index = (uint64_t)(found - (struct gathering *)core_table_at(&order->gathering, 0));
    return true;
}

struct epoch {       /* of one rank on one window: as origin, or as target */
    uint32_t *count; /* by world rank of the other side: epochs with it so far */
    int64_t *member; /* of the one that is open; NULL none */
    uint32_t members;
};

struct walk {
    struct order *order;
    uint32_t rank;
    uint64_t *number; /* by space: communicators, then windows and files */
    uint32_t spaces, comms;
    struct epoch *epoch; /* by window: as origin, as target */
    uint32_t epochs;     /* of these, twice as many as windows */
};

/* The gathering to which a call counts as the rank's next one in its space: its index + 1 in
 * *out_member. */
static bool arrive(struct walk *walk, uint64_t seq, uint32_t space, uint32_t *out_member)
{
    uint64_t index;
    if (CORE_ARRAY_ROOM_ZERO(walk->number, walk->spaces, (uint64_t)space + 1, AN_ORDER) !=
            CORE_OK ||
        !gather(walk->order, space, ++walk->number[space], true, &index) ||
        !add(walk->order, walk->rank, POINT_ARRIVE, seq, index))
        return false;
    *out_member = (uint32_t)index + 1;
    return true;
}

enum { AS_ORIGIN, AS_TARGET };

static struct epoch *epoch_of(struct walk *walk, int32_t win, int side)
{
    uint32_t ranks = walk->order->trace->rank_count;

    if (win < 0 || win > 1 << 20)
        return NULL;
    if (CORE_ARRAY_ROOM_ZERO(walk->epoch, walk->epochs, (uint64_t)win * 2 + 2, AN_ORDER) != CORE_OK)
        return NULL;
    CORE_CHECK(side == AS_ORIGIN || side == AS_TARGET);
    struct epoch *epoch = &walk->epoch[(size_t)win * 2 + (size_t)side];
    if (!epoch->count)
        epoch->count = calloc(ranks, sizeof *epoch->count);
    return epoch->count ? epoch : NULL;
}

/* One side of the epoch between an origin and a target: what the target's post gives to the
 * origin's start, or the origin's complete to the target's wait. */
static bool signal(struct walk *walk, const struct trace_event *event, int side, uint32_t other,
                   uint32_t number, bool gives)
{
    CORE_CHECK(walk->rank < ORDER_RANKS_MAX && other < ORDER_RANKS_MAX); /* 12 bits each */
    uint32_t origin = side == AS_ORIGIN ? walk->rank : other,
             target = side == AS_ORIGIN ? other : walk->rank;
    bool post = (side == AS_TARGET) == gives;
    uint64_t index, space = 1ull << 62 | (uint64_t)(uint32_t)event->win << 24 |
                            (uint64_t)post << 23 | (uint64_t)origin << 12 | target;

    return gather(walk->order, space, number, gives, &index) &&
           add(walk->order, walk->rank, gives ? POINT_ARRIVE : POINT_LEAVE, event->seq, index);
}

/* MPI_Win_start, MPI_Win_post. */
static bool open_epoch(struct walk *walk, const struct trace_event *event, int side)
{
    struct epoch *epoch = epoch_of(walk, event->win, side);
    struct trace *trace = walk->order->trace;
    int64_t group = trace_arg_value(trace, event, "group", 0);

    if (!epoch)
        return event->win < 0;
    free(epoch->member);
    epoch->member = NULL;
    epoch->members = 0;
    if (group)
        trace_group_get(trace, group, &epoch->member, &epoch->members);
    bool waits =
        side == AS_ORIGIN && !(trace_arg_value(trace, event, "assert", 0) & EVENT_ASSERT_NOCHECK);
    for (uint32_t i = 0; i < epoch->members; i++) {
        int64_t other = epoch->member[i];
        if (other < 0 || other >= trace->rank_count)
            continue;
        uint32_t number = ++epoch->count[other];
        if ((side == AS_TARGET || waits) &&
            !signal(walk, event, side, (uint32_t)other, number, side == AS_TARGET))
            return false;
    }
    return true;
}

/* MPI_Win_complete, MPI_Win_wait, and MPI_Win_test that found it ended. */
static bool close_epoch(struct walk *walk, const struct trace_event *event, int side)
{
    struct epoch *epoch = epoch_of(walk, event->win, side);

    if (!epoch)
        return event->win < 0;
    for (uint32_t i = 0; i < epoch->members; i++) {
        int64_t other = epoch->member[i];
        if (other >= 0 && other < walk->order->trace->rank_count &&
            !signal(walk, event, side, (uint32_t)other, epoch->count[other], side == AS_ORIGIN))
            return false;
    }
    free(epoch->member);
    epoch->member = NULL;
    epoch->members = 0;
    return true;
}

/* Whether MPI_Win_test says that the epoch has ended. */
static bool has_ended(struct trace *trace, const struct trace_event *event)
{
    return trace_arg_value(trace, event, "flag", 0) != 0;
}

static bool file_orders(const struct walk *walk, const struct trace_event *event)
{
    return !event->error &&
           (walk->order->files || event->verb == VERB_OPEN_FILE || event->verb == VERB_CLOSE_FILE);
}

/* The space in which a collective call orders its ranks; -1: it orders none. */
static int64_t space_of(const struct walk *walk, const struct trace_event *event,
                        const struct request *request)
{
    int64_t comm = request->comm, win = request->win < 0 ? -1 : (int64_t)walk->comms + request->win;

    switch (event->class) {
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COMM_ICREATE:
    case EVENT_CLASS_START:
        return comm;
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_WIN_FREE:
        return win;
    case EVENT_CLASS_FILE_COLL:
        return file_orders(walk, event) ? win : -1;
    default:
        return -1;
    }
}

/* Collectives keep their gathering in own[0]. */
static enum core_status point_add(enum request_step step, const struct trace_event *event,
                                  struct request *request, const struct trace_completion *done,
                                  void *context)
{
    struct walk *walk = context;
    struct order *order = walk->order;
    bool good = true;
    int64_t space;

    (void)done;
    if (step == REQUEST_BEGUN && request->kind == REQUEST_SEND) {
        good = add(order, walk->rank, POINT_SEND, event->seq, 0);
    } else if (step == REQUEST_DONE && request->kind == REQUEST_RECEIVE) {
        good = add(order, walk->rank, POINT_RECEIVE, event->seq, request->begun);
    } else if (step == REQUEST_BEGUN && request->kind == REQUEST_COLLECTIVE) {
        space = space_of(walk, event, request);
        good = space < 0 || arrive(walk, event->seq, (uint32_t)space, &request->own[0]);
    } else if (step == REQUEST_DONE && request->kind == REQUEST_COLLECTIVE && request->own[0]) {
        good = add(order, walk->rank, POINT_LEAVE, event->seq, request->own[0] - 1);
    }
    return good ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
}

static enum core_status epoch_add(struct walk *walk, const struct trace_event *event)
{
    bool good = true;

    switch (event->class) {
    case EVENT_CLASS_RMA_POST:
        good = open_epoch(walk, event, AS_TARGET);
        break;
    case EVENT_CLASS_RMA_COMPLETE:
        good = close_epoch(walk, event, AS_ORIGIN);
        break;
    case EVENT_CLASS_RMA_START:
        good = open_epoch(walk, event, AS_ORIGIN);
        break;
    case EVENT_CLASS_RMA_TEST:
        good = !has_ended(walk->order->trace, event) || close_epoch(walk, event, AS_TARGET);
        break;
    case EVENT_CLASS_RMA_WAIT:
        good = close_epoch(walk, event, AS_TARGET);
        break;
    default:
        return CORE_OK;
    }
    return good ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
}

static enum core_status read_rank(struct order *order, uint32_t rank)
{
    struct walk walk = {.order = order, .rank = rank, .comms = order->trace->comm_count};
    struct requests requests;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(order->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    requests_init(&requests);
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        if (event.parent || event.pending)
            continue;
        status = requests_follow(&requests, &event, point_add, &walk);
        if (status == CORE_OK)
            status = epoch_add(&walk, &event);
    }
    trace_cursor_close(cursor);
    requests_done(&requests);
    for (uint32_t i = 0; i < walk.epochs; i++) {
        free(walk.epoch[i].count);
        free(walk.epoch[i].member);
    }
    free(walk.epoch);
    free(walk.number);
    return status;
}

static enum core_status add_message(const struct trace_message *message, void *context)
{
    struct order *order = context;
    return CORE_ARRAY_PUSH(
        order->message, order->message_count, order->message_room, AN_ORDER,
        (struct message){message->source, message->dest, message->send, message->receive});
}

/* The first point with this seq or a later one. */
static uint32_t first_point(const struct line *line, uint64_t seq)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, line->count, line->point[at].seq < seq);
    CORE_CHECK(low == 0 || line->point[low - 1].seq < seq);
    CORE_CHECK(low == line->count || line->point[low].seq >= seq);
    return low;
}

static struct point *send_point(struct order *order, uint32_t rank, uint64_t seq)
{
    struct line *line = &order->line[rank];
    for (uint32_t i = first_point(line, seq); i < line->count && line->point[i].seq == seq; i++)
        if (line->point[i].kind == POINT_SEND)
            return &line->point[i];
    return NULL;
}

static int compare_messages(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->dest != y->dest)
        return x->dest < y->dest ? -1 : 1;
    return (x->receive > y->receive) - (x->receive < y->receive);
}

static const struct message *messages_of(const struct order *order, uint32_t dest, uint64_t receive)
{
    struct message key = {.dest = dest, .receive = receive};
    const struct message *at =
        order->message_count
            ? bsearch(&key, order->message, order->message_count, sizeof key, compare_messages)
            : NULL;

    for (; at && at > order->message && !compare_messages(at - 1, &key); core_work(1))
        at--;
    CORE_CHECK(!at || (at->dest == dest && at->receive == receive));
    return at;
}

static void join(uint64_t *clock, const uint64_t *other, uint32_t ranks)
{
    for (uint32_t i = 0; other && i < ranks; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

/* False: what it waits for has not been seen. */
static bool take(struct order *order, uint32_t rank, struct point *point, const uint64_t *before)
{
    uint32_t ranks = order->trace->rank_count;
    CORE_CHECK(!point->clock); /* each point once */
    CORE_CHECK(rank < ranks);
    struct gathering *g = point->kind == POINT_ARRIVE || point->kind == POINT_LEAVE
                              ? core_table_at(&order->gathering, (uint32_t)point->key)
                              : NULL;

    if (point->kind == POINT_LEAVE && g->arrived < g->members)
        return false;
    const struct message *first = point->kind == POINT_RECEIVE
                                      ? messages_of(order, rank, point->key)
                                      : NULL,
                         *end = first ? order->message + order->message_count : NULL;
    for (const struct message *m = first;
         m && m < end && m->dest == rank && m->receive == point->key; m++) {
        const struct point *send = send_point(order, m->source, m->send);
        if (send && !send->clock)
            return false;
    }
    core_work(1);
    point->clock = calloc(ranks, sizeof *point->clock);
    if (!point->clock)
        return false;
    join(point->clock, before, ranks);
    CORE_CHECK(!before || before[rank] <= point->seq); /* a rank's own calls are in order */
    point->clock[rank] = point->seq;
    for (const struct message *m = first;
         m && m < end && m->dest == rank && m->receive == point->key; m++) {
        const struct point *send = send_point(order, m->source, m->send);
        join(point->clock, send ? send->clock : NULL, ranks);
    }
    switch (point->kind) {
    case POINT_ARRIVE:
        g->arrived++;
        CORE_CHECK(g->arrived <= g->members); /* each member was counted as its rank was read */
        if (!g->clock)
            g->clock = calloc(ranks, sizeof *g->clock);
        if (g->clock)
            join(g->clock, point->clock, ranks);
        break;
    case POINT_LEAVE:
        join(point->clock, g->clock, ranks);
        break;
    default:
        break;
    }
    return true;
}

static void run(struct order *order)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t rank = 0; rank < order->trace->rank_count; rank++) {
            struct line *line = &order->line[rank];
            while (line->next < line->count) {
                if (!take(order, rank, &line->point[line->next],
                          line->next ? line->point[line->next - 1].clock : NULL))
                    break;
                CORE_CHECK(line->point[line->next].clock);
                line->next++;
                moved = true;
            }
        }
    }
}

enum core_status order_new(struct trace *trace, bool files, struct order **out_order)
{
    struct order *order = calloc(1, sizeof *order);
    enum core_status status = CORE_OK;

    *out_order = NULL;
    _Static_assert(ORDER_RANKS_MAX <= 1 << 11, "signal() keeps two ranks in 12 and 11 bits");
    if (trace->rank_count > ORDER_RANKS_MAX) {
        free(order);
        return CORE_OK;
    }
    if (order) {
        order->trace = trace;
        order->gathering = (struct core_table)CORE_TABLE(struct gathering, place);
        order->files = files;
        order->line = calloc(trace->rank_count + 1, sizeof *order->line);
    }
    if (!order || !order->line)
        status = core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
    for (uint32_t rank = 0; rank < trace->rank_count && status == CORE_OK; rank++)
        status = read_rank(order, rank);
    if (status == CORE_OK)
        status = trace_messages_all(trace, add_message, order);
    if (status != CORE_OK) {
        order_free(order);
        return status;
    }
    if (order->message_count)
        qsort(order->message, order->message_count, sizeof *order->message, compare_messages);
    run(order);
    *out_order = order;
    return CORE_OK;
}

void order_free(struct order *order)
{
    for (uint32_t rank = 0; order && order->line && rank < order->trace->rank_count; rank++) {
        for (uint32_t i = 0; i < order->line[rank].count; i++)
            free(order->line[rank].point[i].clock);
        free(order->line[rank].point);
    }
    for (uint32_t i = 0; order && i < order->gathering.count; i++)
        free(((struct gathering *)core_table_at(&order->gathering, i))->clock);
    if (order) {
        free(order->line);
        core_table_done(&order->gathering);
        free(order->message);
    }
    free(order);
}

bool order_before(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b, uint64_t b_seq)
{
    CORE_CHECK(a < order->trace->rank_count);
    CORE_CHECK(b < order->trace->rank_count);
    const struct line *line = &order->line[b];
    const struct point *last = NULL;

    if (a == b)
        return a_seq < b_seq;
    uint32_t behind = first_point(line, b_seq);
    last = behind ? &line->point[behind - 1] : NULL;
    if (!last)
        return false;
    return !last->clock || last->clock[a] >= a_seq; /* never reached: nothing is claimed */
}
