/* Computes vector clocks. The calls of a rank that communicate are its points, in order. A point
 * joins the clocks of what it waits for: a receive (where it completes) that of the send, a
 * collective (where it completes) those of all members' calls, MPI_Win_start those of its targets'
 * posts (but one that asserts MPI_MODE_NOCHECK does not wait), MPI_Win_wait those of its origins'
 * completes: the n-th start of an origin belongs to the n-th post that names it, window by window
 * and target by target. Opening and closing a file counts as a collective; other collective calls
 * on the file, which MPI lets return early, count only with ORDER_FILES. Clocks are numbers of
 * calls: clock[r] of a point is the last call of rank r that comes before what follows the point.
 * A call that had not returned when the job ended is waited for (its message may be there, other
 * members may have left its collective), and waits for nothing.
 *
 * With ORDER_THREADS_APART each thread has a line of points and an entry in the clocks. MPI orders
 * threads by their messages, and by a request that one begins and another completes. Other
 * synchronisation (mutexes, barriers of OpenMP) is not recorded. Assumed: the first call of a
 * thread comes after all calls of the rank that had returned, as the thread may have been created
 * only then. In a program with OpenMP the main thread's calls outside of a parallel region are
 * ordered with those of all threads. In other programs the last call of a thread comes before all
 * later calls of the rank, as the thread may have been joined.
 *
 * The computation visits a point once all that it waits for was visited; it ends when only points
 * are left that never can be (the job hung there). */
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

enum point_kind { POINT_SEND, POINT_RECEIVE, POINT_ARRIVE, POINT_LEAVE, POINT_FOLLOW };

struct point {
    uint64_t seq;
    uint64_t key; /* sends, receives: seq of the receive when it was posted; collectives and epochs:
                     index of the gathering; POINT_FOLLOW: seq of the other thread's call */
    uint64_t *clock; /* the clock after it */
    uint8_t kind;
};
struct line { /* the points of a rank or thread */
    struct point *point;
    uint32_t count, room, next;
};
struct rank_lines {
    uint32_t first, count; /* of the lines; all threads beyond the limit share the last one */
    uint8_t *thread;       /* by seq: the thread's line; NULL: one line */
    uint32_t room;
};
struct place {
    uint64_t space, number;
};
struct gathering { /* one collective, the n-th on a communicator or window; or, with 1 member, one
                      post for one origin or one complete for one target, for which others wait */
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
    bool apart; /* each thread has its own line */
    bool openmp;
    struct line *line;
    uint32_t line_count;
    struct rank_lines *rank;
    struct core_table gathering;
    struct message *message;
    uint32_t message_count, message_room;
};

#define AN_ORDER "the order of calls" /* out of memory for ... */
enum { LINES_MAX = 256 };             /* each point has a number for each of them */

static uint32_t line_of(const struct order *order, uint32_t rank, uint64_t seq)
{
    const struct rank_lines *lines = &order->rank[rank];
    CORE_CHECK(rank < order->trace->rank_count);
    return lines->first + (lines->thread && seq < lines->room ? lines->thread[seq] : 0);
}

static bool order_add(struct order *order, uint32_t rank, enum point_kind kind, uint64_t seq,
                      uint64_t key)
{
    struct line *line = &order->line[line_of(order, rank, seq)];
    CORE_CHECK(!line->count || line->point[line->count - 1].seq <= seq); /* first_point halves it */
    return CORE_ARRAY_PUSH(line->point, line->count, line->room, AN_ORDER,
                           (struct point){.seq = seq, .key = key, .kind = (uint8_t)kind}) ==
           CORE_OK;
}

/* Finds or adds the gathering. comes: the caller is a member. */
static bool order_gather(struct order *order, uint64_t space, uint64_t number, bool comes,
                         uint64_t *out_index)
{
    struct place place = {space, number};
    struct gathering *found;

    if (core_table_put(&order->gathering, &place, AN_ORDER, &found) != CORE_OK)
        return false;
    found->members += comes;
    CORE_CHECK(!found->arrived); /* all ranks are read before any point is visited */
    *out_index = (uint64_t)(found - (struct gathering *)core_table_at(&order->gathering, 0));
    return true;
}

struct epoch {       /* epochs of one rank on one window, as origin or as target */
    uint32_t *count; /* by world rank of the other side: epochs so far */
    int64_t *member; /* of the open epoch; NULL: none */
    uint32_t members;
};

struct walk {
    struct order *order;
    uint32_t rank;
    uint64_t *number; /* by space: communicators, then windows and files */
    uint32_t spaces, comms;
    struct epoch *epoch;            /* by window: [origin, target] */
    uint32_t epochs;                /* length of epoch[]: twice the windows */
    uint32_t main;                  /* the line of MPI_Init */
    uint64_t serial;                /* the main thread's last call outside of parallel regions */
    struct met {                    /* by line of the rank */
        uint64_t first, final;      /* first and last call of the thread; 0: in a parallel region */
        uint64_t last, left, prior; /* last call so far, when it returned, the call before it */
    } met[LINES_MAX];
    uint64_t followed[LINES_MAX][LINES_MAX]; /* until which call a thread follows another one */
};

/* Counts the call as the rank's next one in its space, and returns the index + 1 of its gathering
 * in *out_member. */
static bool order_arrive(struct walk *walk, uint64_t seq, uint32_t space, uint32_t *out_member)
{
    uint64_t index;
    if (CORE_ARRAY_ROOM_ZERO(walk->number, walk->spaces, (uint64_t)space + 1, AN_ORDER) !=
            CORE_OK ||
        !order_gather(walk->order, space, ++walk->number[space], true, &index) ||
        !order_add(walk->order, walk->rank, POINT_ARRIVE, seq, index))
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

/* Adds one side of the epoch between an origin and a target: the target's post signals the origin's
 * start, or the origin's complete signals the target's wait. */
static bool order_signal(struct walk *walk, const struct trace_event *event, int side,
                         uint32_t other, uint32_t number, bool gives)
{
    CORE_CHECK(walk->rank < ORDER_RANKS_MAX && other < ORDER_RANKS_MAX); /* 12 bits each */
    uint32_t origin = side == AS_ORIGIN ? walk->rank : other,
             target = side == AS_ORIGIN ? other : walk->rank;
    bool post = (side == AS_TARGET) == gives;
    uint64_t index, space = 1ull << 62 | (uint64_t)(uint32_t)event->win << 24 |
                            (uint64_t)post << 23 | (uint64_t)origin << 12 | target;

    return order_gather(walk->order, space, number, gives, &index) &&
           order_add(walk->order, walk->rank, gives ? POINT_ARRIVE : POINT_LEAVE, event->seq,
                     index);
}

/* Follows MPI_Win_start and MPI_Win_post. */
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
            !order_signal(walk, event, side, (uint32_t)other, number, side == AS_TARGET))
            return false;
    }
    return true;
}

/* Follows MPI_Win_complete, MPI_Win_wait, and an MPI_Win_test with flag true. */
static bool close_epoch(struct walk *walk, const struct trace_event *event, int side)
{
    struct epoch *epoch = epoch_of(walk, event->win, side);

    if (!epoch)
        return event->win < 0;
    for (uint32_t i = 0; i < epoch->members; i++) {
        int64_t other = epoch->member[i];
        if (other >= 0 && other < walk->order->trace->rank_count &&
            !order_signal(walk, event, side, (uint32_t)other, epoch->count[other],
                          side == AS_ORIGIN))
            return false;
    }
    free(epoch->member);
    epoch->member = NULL;
    epoch->members = 0;
    return true;
}

/* Tells whether MPI_Win_test ended the epoch. */
static bool has_ended(struct trace *trace, const struct trace_event *event)
{
    return trace_arg_value(trace, event, "flag", 0) != 0;
}

static bool file_orders(const struct walk *walk, const struct trace_event *event)
{
    return !event->error &&
           (walk->order->files || event->verb == VERB_OPEN_FILE || event->verb == VERB_CLOSE_FILE);
}

/* Returns the space in which a collective call orders its ranks; -1: it orders none. */
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

/* Makes the call follow an earlier call of another thread. */
static bool order_follow(struct walk *walk, const struct trace_event *event, uint64_t seq)
{
    uint32_t first = walk->order->rank[walk->rank].first;
    uint32_t own = line_of(walk->order, walk->rank, event->seq) - first,
             other = line_of(walk->order, walk->rank, seq) - first;

    CORE_CHECK(own < LINES_MAX && other < LINES_MAX);
    if (own == other || walk->followed[own][other] >= seq)
        return true;
    walk->followed[own][other] = seq;
    return order_add(walk->order, walk->rank, POINT_FOLLOW, event->seq, seq);
}

/* Recognises a parallel region: compilers make it a function of its own. */
static bool is_parallel(const struct trace_site *site)
{
    return site->symbol &&
           (strstr(site->symbol, "_omp_fn") || strstr(site->symbol, "omp_outlined"));
}

static bool in_parallel(const struct trace *trace, const struct trace_event *event)
{
    return event->site > 0 && (uint32_t)event->site < trace->site_count &&
           is_parallel(&trace->site[event->site]);
}

/* Adds the assumed order of threads (see the head of this file). */
static bool follow_threads(struct walk *walk, const struct trace_event *event)
{
    struct order *order = walk->order;
    const struct rank_lines *lines = &order->rank[walk->rank];
    uint32_t own = line_of(order, walk->rank, event->seq) - lines->first;
    bool serial = order->openmp && own == walk->main && !in_parallel(order->trace, event),
         good = true;

    CORE_CHECK(own < lines->count);
    for (uint32_t i = 0; i < lines->count && good; i++) {
        const struct met *met = &walk->met[i];
        uint64_t returned = met->left <= event->t_enter ? met->last : met->prior;
        if (i != own && returned &&
            (serial || walk->met[own].first == event->seq || met->final == returned))
            good = order_follow(walk, event, returned);
    }
    if (good && walk->serial)
        good = order_follow(walk, event, walk->serial);
    if (serial)
        walk->serial = event->seq;
    struct met *met = &walk->met[own];
    met->prior = met->last;
    met->last = event->seq;
    met->left = event->pending ? UINT64_MAX : event->t_leave;
    return good;
}

/* Finds which thread made each call, and the first and last call of each thread. */
static enum core_status read_threads(struct walk *walk)
{
    struct trace *trace = walk->order->trace;
    struct rank_lines *lines = &walk->order->rank[walk->rank];
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    CORE_CHECK(lines->count > 1);
    enum core_status status = trace_cursor_open(trace, walk->rank, &cursor);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        uint32_t thread = event.thread < 0 ? 0 : (uint32_t)event.thread,
                 own = thread < lines->count ? thread : lines->count - 1;
        struct met *met = &walk->met[own];
        if (event.parent)
            continue;
        status = CORE_ARRAY_ROOM_ZERO(lines->thread, lines->room, event.seq + 1, AN_ORDER);
        if (status != CORE_OK)
            break;
        lines->thread[event.seq] = (uint8_t)own;
        if (event.verb == VERB_INIT)
            walk->main = own;
        bool parallel = in_parallel(trace, &event);
        if (!met->last)
            met->first = parallel ? 0 : event.seq;
        met->final = parallel ? 0 : event.seq;
        met->last = event.seq;
    }
    for (uint32_t i = 0; i < lines->count; i++)
        walk->met[i].last = 0;
    trace_cursor_close(cursor);
    return status;
}

/* Adds the points of a call. Collectives keep their gathering in own[0]. */
static enum core_status point_add(enum request_step step, const struct trace_event *event,
                                  struct request *request, const struct trace_completion *done,
                                  void *context)
{
    struct walk *walk = context;
    struct order *order = walk->order;
    bool good = step != REQUEST_DONE || !order->apart || order_follow(walk, event, request->begun);
    int64_t space;

    (void)done;
    if (!good)
        return core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
    if (step == REQUEST_BEGUN && request->kind == REQUEST_SEND) {
        good = order_add(order, walk->rank, POINT_SEND, event->seq, 0);
    } else if (step == REQUEST_DONE && request->kind == REQUEST_RECEIVE) {
        good = order_add(order, walk->rank, POINT_RECEIVE, event->seq, request->begun);
    } else if (step == REQUEST_BEGUN && request->kind == REQUEST_COLLECTIVE) {
        space = space_of(walk, event, request);
        good = space < 0 || order_arrive(walk, event->seq, (uint32_t)space, &request->own[0]);
    } else if (step == REQUEST_DONE && request->kind == REQUEST_COLLECTIVE && request->own[0]) {
        good = order_add(order, walk->rank, POINT_LEAVE, event->seq, request->own[0] - 1);
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
        good = event->pending || open_epoch(walk, event, AS_ORIGIN);
        break;
    case EVENT_CLASS_RMA_TEST:
        good = event->pending || !has_ended(walk->order->trace, event) ||
               close_epoch(walk, event, AS_TARGET);
        break;
    case EVENT_CLASS_RMA_WAIT:
        good = event->pending || close_epoch(walk, event, AS_TARGET);
        break;
    default:
        return CORE_OK;
    }
    return good ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
}

static enum core_status read_calls(struct walk *walk)
{
    struct requests requests;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true, threads = walk->order->rank[walk->rank].count > 1;
    enum core_status status = trace_cursor_open(walk->order->trace, walk->rank, &cursor);

    if (status != CORE_OK)
        return status;
    requests_init(&requests);
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        if (event.parent)
            continue;
        if (threads && !follow_threads(walk, &event))
            status = core_report(CORE_NO_MEMORY, "out of memory for the order of calls");
        if (status == CORE_OK)
            status = requests_follow(&requests, &event, point_add, walk);
        if (status == CORE_OK)
            status = epoch_add(walk, &event);
    }
    trace_cursor_close(cursor);
    requests_done(&requests);
    return status;
}

static enum core_status read_rank(struct order *order, uint32_t rank)
{
    struct walk *walk;
    enum core_status status = CORE_ARRAY_NEW(walk, 1, AN_ORDER);

    if (status != CORE_OK)
        return status;
    walk->order = order;
    walk->rank = rank;
    walk->comms = order->trace->comm_count;
    if (order->rank[rank].count > 1)
        status = read_threads(walk);
    if (status == CORE_OK)
        status = read_calls(walk);
    for (uint32_t i = 0; i < walk->epochs; i++) {
        free(walk->epoch[i].count);
        free(walk->epoch[i].member);
    }
    free(walk->epoch);
    free(walk->number);
    free(walk);
    return status;
}

static enum core_status add_message(const struct trace_message *message, void *context)
{
    struct order *order = context;
    return CORE_ARRAY_PUSH(
        order->message, order->message_count, order->message_room, AN_ORDER,
        (struct message){message->source, message->dest, message->send, message->receive});
}

/* Returns the index of the first point with this seq or a later one. */
static uint32_t first_point(const struct line *line, uint64_t seq)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, line->count, line->point[at].seq < seq);
    CORE_CHECK(low == 0 || line->point[low - 1].seq < seq);
    CORE_CHECK(low == line->count || line->point[low].seq >= seq);
    return low;
}

static struct point *send_point(const struct order *order, uint32_t rank, uint64_t seq)
{
    struct line *line = &order->line[line_of(order, rank, seq)];
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

static void order_join(uint64_t *clock, const uint64_t *other, uint32_t lines)
{
    for (uint32_t i = 0; other && i < lines; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

/* Returns the last point of the line up to call seq; NULL: none. */
static const struct point *last_point(const struct line *line, uint64_t seq)
{
    uint32_t behind = first_point(line, seq + 1);
    CORE_CHECK(!behind || line->point[behind - 1].seq <= seq);
    return behind ? &line->point[behind - 1] : NULL;
}

/* Tells whether the sends that the receive took, or the call that the point follows, were visited.
 */
static bool sources_seen(const struct order *order, uint32_t rank, const struct point *point,
                         const struct message *first)
{
    const struct message *end = order->message + order->message_count;

    if (point->kind == POINT_FOLLOW) {
        const struct point *last =
            last_point(&order->line[line_of(order, rank, point->key)], point->key);
        return !last || last->clock;
    }
    for (const struct message *m = first;
         m && m < end && m->dest == rank && m->receive == point->key; m++) {
        const struct point *send = send_point(order, m->source, m->send);
        if (send && !send->clock)
            return false;
    }
    return true;
}

static void sources_join(const struct order *order, uint32_t rank, struct point *point,
                         const struct message *first)
{
    const struct message *end = order->message + order->message_count;

    CORE_CHECK(point->clock);
    if (point->kind == POINT_FOLLOW) {
        uint32_t other = line_of(order, rank, point->key);
        const struct point *last = last_point(&order->line[other], point->key);
        order_join(point->clock, last ? last->clock : NULL, order->line_count);
        if (point->clock[other] < point->key)
            point->clock[other] = point->key;
    }
    for (const struct message *m = first;
         m && m < end && m->dest == rank && m->receive == point->key; m++) {
        const struct point *send = send_point(order, m->source, m->send);
        order_join(point->clock, send ? send->clock : NULL, order->line_count);
    }
}

/* Visits a point; false: what it waits for was not visited yet. */
static bool order_take(struct order *order, uint32_t rank, uint32_t line, struct point *point,
                       const uint64_t *before)
{
    CORE_CHECK(!point->clock); /* each point is visited once */
    CORE_CHECK(line < order->line_count);
    struct gathering *g = point->kind == POINT_ARRIVE || point->kind == POINT_LEAVE
                              ? core_table_at(&order->gathering, (uint32_t)point->key)
                              : NULL;
    const struct message *first =
        point->kind == POINT_RECEIVE ? messages_of(order, rank, point->key) : NULL;

    if ((point->kind == POINT_LEAVE && g->arrived < g->members) ||
        !sources_seen(order, rank, point, first))
        return false;
    core_work(1);
    point->clock = calloc(order->line_count, sizeof *point->clock);
    if (!point->clock)
        return false;
    order_join(point->clock, before, order->line_count);
    CORE_CHECK(!before || before[line] <= point->seq); /* calls of a thread are in order */
    point->clock[line] = point->seq;
    sources_join(order, rank, point, first);
    switch (point->kind) {
    case POINT_ARRIVE:
        g->arrived++;
        CORE_CHECK(g->arrived <= g->members); /* members were counted when the ranks were read */
        if (!g->clock)
            g->clock = calloc(order->line_count, sizeof *g->clock);
        if (g->clock)
            order_join(g->clock, point->clock, order->line_count);
        break;
    case POINT_LEAVE:
        order_join(point->clock, g->clock, order->line_count);
        break;
    default:
        break;
    }
    return true;
}

static bool run_line(struct order *order, uint32_t rank, uint32_t index)
{
    struct line *line = &order->line[index];
    bool moved = false;

    while (line->next < line->count &&
           order_take(order, rank, index, &line->point[line->next],
                      line->next ? line->point[line->next - 1].clock : NULL)) {
        CORE_CHECK(line->point[line->next].clock);
        line->next++;
        moved = true;
    }
    return moved;
}

static void order_run(struct order *order)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t rank = 0; rank < order->trace->rank_count; rank++)
            for (uint32_t i = 0; i < order->rank[rank].count; i++)
                moved |= run_line(order, rank, order->rank[rank].first + i);
    }
}

/* Makes the lines of all ranks. */
static enum core_status lines_make(struct order *order)
{
    struct trace *trace = order->trace;
    uint32_t most = LINES_MAX / (trace->rank_count + 1);
    enum core_status status =
        CORE_ARRAY_NEW(order->rank, (uint64_t)trace->rank_count + 1, AN_ORDER);

    for (uint32_t rank = 0; status == CORE_OK && rank < trace->rank_count; rank++) {
        uint32_t threads = order->apart ? trace->rank[rank].threads : 1;
        uint32_t count = threads > most ? most : threads ? threads : 1;
        order->rank[rank] = (struct rank_lines){.first = order->line_count, .count = count};
        order->line_count += count;
        CORE_CHECK(order->line_count <= LINES_MAX);
    }
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(order->line, (uint64_t)order->line_count + 1, AN_ORDER);
    for (uint32_t i = 0; order->apart && i < trace->site_count; i++)
        order->openmp |= is_parallel(&trace->site[i]);
    return status;
}

enum core_status order_new(struct trace *trace, enum order_kind kind, struct order **out_order)
{
    struct order *order;
    enum core_status status;

    *out_order = NULL;
    _Static_assert(ORDER_RANKS_MAX <= 1 << 11, "signal() keeps two ranks in 12 and 11 bits");
    if (trace->rank_count > ORDER_RANKS_MAX)
        return CORE_OK;
    status = CORE_ARRAY_NEW(order, 1, AN_ORDER);
    if (status != CORE_OK)
        return status;
    order->trace = trace;
    order->gathering = (struct core_table)CORE_TABLE(struct gathering, place);
    order->files = kind == ORDER_FILES;
    order->apart = kind == ORDER_THREADS_APART;
    status = lines_make(order);
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
    order_run(order);
    *out_order = order;
    return CORE_OK;
}

void order_free(struct order *order)
{
    if (!order)
        return;
    for (uint32_t i = 0; order->line && i < order->line_count; i++) {
        for (uint32_t k = 0; k < order->line[i].count; k++)
            free(order->line[i].point[k].clock);
        free(order->line[i].point);
    }
    for (uint32_t rank = 0; order->rank && rank < order->trace->rank_count; rank++)
        free(order->rank[rank].thread);
    for (uint32_t i = 0; i < order->gathering.count; i++)
        free(((struct gathering *)core_table_at(&order->gathering, i))->clock);
    free(order->line);
    free(order->rank);
    core_table_done(&order->gathering);
    free(order->message);
    free(order);
}

uint32_t order_line(const struct order *order, uint32_t rank, uint64_t seq)
{
    return line_of(order, rank, seq);
}

/* Tells whether call a_seq reaches b. with: what call b_seq waits for counts too. */
static bool order_reaches(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b,
                          uint64_t b_seq, bool with)
{
    CORE_CHECK(a < order->trace->rank_count);
    CORE_CHECK(b < order->trace->rank_count);
    uint32_t from = line_of(order, a, a_seq), to = line_of(order, b, b_seq);

    if (from == to)
        return with ? a_seq <= b_seq : a_seq < b_seq;
    const struct line *line = &order->line[to];
    uint32_t behind = first_point(line, b_seq + with);
    for (; !with && behind < line->count && line->point[behind].seq == b_seq &&
           line->point[behind].kind == POINT_FOLLOW;
         behind++)
        ; /* these hold when the call begins */
    const struct point *last = behind ? &line->point[behind - 1] : NULL;
    if (!last)
        return false;
    return !last->clock || last->clock[from] >= a_seq; /* a point never visited: claims nothing */
}

bool order_before(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b, uint64_t b_seq)
{
    return order_reaches(order, a, a_seq, b, b_seq, false);
}

bool order_within(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b, uint64_t b_seq)
{
    return order_reaches(order, a, a_seq, b, b_seq, true);
}
