/* Writes the job as a schedule in GOAL, the language of LogGOPSim and related simulators: for each
 * rank its sends, receives and the work between them (nanoseconds), with dependencies. Collectives
 * are written as the library's own messages if these were recorded. Otherwise they are zero-byte
 * messages through the root or the first member, since GOAL has no collectives.
 *
 * GOAL has no communicators: each pair of communicator and tag becomes a tag of its own. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "replay/program/lower.h"
#include "reports/report.h"

struct goal_tag {
    uint32_t comm;
    int32_t tag;
    bool collective; /* tag is the number of the collective on comm */
};

struct goal {
    const struct replay_program *program;
    FILE *file;
    struct goal_tag *tag; /* sorted: the written tag is the index */
    size_t tags;
    uint64_t label, *made; /* by request of the rank: label of the operation that made it */
    uint64_t front;        /* label that the next operation requires; 0: none */
    uint64_t left_out;     /* receives whose sender is unknown */
};

struct taken { /* message that a receive took, to resolve its wildcards */
    uint32_t dest;
    uint64_t receive;
    int32_t source, tag;
};

static int taken_order(const void *left, const void *right)
{
    const struct taken *a = left, *b = right;

    if (a->dest != b->dest)
        return a->dest < b->dest ? -1 : 1;
    return (a->receive > b->receive) - (a->receive < b->receive);
}

static enum core_status taken_load(struct trace *trace, struct taken **out_taken, size_t *out_count)
{
    sqlite3_stmt *row;
    struct taken *taken = NULL;
    uint32_t count = 0, room = 0;
    enum core_status status = CORE_OK;

    if (sqlite3_prepare_v2(trace->db,
                           "SELECT c.dest, m.receive, c.source, m.tag FROM message_row m JOIN "
                           "channel c ON c.id = m.channel "
                           "WHERE m.receive IS NOT NULL ORDER BY c.dest, m.receive",
                           -1, &row, NULL) != SQLITE_OK)
        return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                           sqlite3_errmsg(trace->db));
    while (sqlite3_step(row) == SQLITE_ROW) {
        status =
            CORE_ARRAY_PUSH(taken, count, room, "the schedule's messages",
                            (struct taken){(uint32_t)sqlite3_column_int64(row, 0),
                                           (uint64_t)sqlite3_column_int64(row, 1),
                                           sqlite3_column_int(row, 2), sqlite3_column_int(row, 3)});
        if (status != CORE_OK)
            break;
    }
    sqlite3_finalize(row);
    *out_taken = taken;
    *out_count = count;
    return status;
}

/* Replaces wildcards by what the receives took, since GOAL has none. */
static enum core_status wildcards_resolve(struct trace *trace, struct replay_program *program)
{
    struct taken *taken = NULL;
    size_t count = 0;
    enum core_status status = taken_load(trace, &taken, &count);

    for (uint32_t i = 0; i < program->rank_count && count; i++)
        for (uint32_t j = 0; j < program->rank[i].op_count; j++) {
            struct replay_op *op = &program->rank[i].op[j];
            struct taken key = {.dest = i, .receive = op->event};
            bool wild = (op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV ||
                         op->kind == REPLAY_MPROBE) &&
                        (op->peer == REPLAY_ANY || op->tag == REPLAY_ANY);
            const struct taken *found =
                wild ? bsearch(&key, taken, count, sizeof key, taken_order) : NULL;
            if (found) {
                op->peer = found->source;
                op->tag =
                    op->tag == REPLAY_ANY
                        ? found->tag
                        : op->tag; /* the library's tags are negative, and not the program's */
            }
        }
    free(taken);
    return status;
}

static int tag_order(const void *left, const void *right)
{
    const struct goal_tag *a = left, *b = right;

    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->collective != b->collective)
        return a->collective ? 1 : -1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static bool is_collective(const struct replay_op *op)
{
    return op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL;
}

static bool has_tag(const struct replay_op *op)
{
    return op->kind <= REPLAY_IRECV || op->kind == REPLAY_MPROBE || is_collective(op);
}

static enum core_status tags_gather(struct goal *goal)
{
    size_t room = 0, count = 0;

    for (uint32_t i = 0; i < goal->program->rank_count; i++)
        room += goal->program->rank[i].op_count;
    goal->tag = malloc((room + 1) * sizeof *goal->tag);
    if (!goal->tag)
        return core_report(CORE_NO_MEMORY, "out of memory for the schedule's tags");
    for (uint32_t i = 0; i < goal->program->rank_count; i++)
        for (uint32_t j = 0; j < goal->program->rank[i].op_count; j++) {
            const struct replay_op *op = &goal->program->rank[i].op[j];
            if (has_tag(op) && op->tag >= 0)
                goal->tag[count++] = (struct goal_tag){op->comm, op->tag, is_collective(op)};
        }
    qsort(goal->tag, count, sizeof *goal->tag, tag_order);
    for (size_t i = 0; i < count; i++)
        if (goal->tags == 0 || tag_order(&goal->tag[goal->tags - 1], &goal->tag[i]) != 0)
            goal->tag[goal->tags++] = goal->tag[i];
    return CORE_OK;
}

static size_t tag_of(const struct goal *goal, const struct replay_op *op)
{
    struct goal_tag key = {op->comm, op->tag, is_collective(op)};
    const struct goal_tag *found = bsearch(&key, goal->tag, goal->tags, sizeof key, tag_order);

    return found ? (size_t)(found - goal->tag) : 0;
}

/* Ends an operation's line and makes the operation require the front, which must complete first.
 * Returns its label. */
static uint64_t line_end(struct goal *goal)
{
    uint64_t label = goal->label++;

    fputc('\n', goal->file);
    if (goal->front)
        fprintf(goal->file, "l%" PRIu64 " requires l%" PRIu64 "\n", label, goal->front);
    return label;
}

static uint64_t report_goal_message(struct goal *goal, bool send, int32_t peer, uint64_t bytes,
                                    size_t tag)
{
    fprintf(goal->file, "l%" PRIu64 ": %s %" PRIu64 "b %s %" PRId32 " tag %zu", goal->label,
            send ? "send" : "recv", bytes, send ? "to" : "from", peer, tag);
    return line_end(goal);
}

static uint64_t report_goal_work(struct goal *goal, uint64_t nanoseconds)
{
    fprintf(goal->file, "l%" PRIu64 ": calc %" PRIu64, goal->label, nanoseconds);
    return line_end(goal);
}

/* Writes one half of a collective on its hub: all messages at once after `after`. Returns the label
 * of an operation that requires them all. */
static uint64_t report_goal_hub(struct goal *goal, const struct replay_comm *comm, uint32_t rank,
                                bool outward, size_t tag, uint64_t after)
{
    uint32_t count = comm->member ? comm->count : goal->program->rank_count;
    uint64_t first = goal->label;

    goal->front = after;
    for (uint32_t i = 0; i < count; i++) {
        int32_t peer = comm->member ? comm->member[i] : (int32_t)i;
        if (peer >= 0 && peer != (int32_t)rank)
            report_goal_message(goal, outward, peer, 0, tag);
    }
    uint64_t behind = goal->label;
    goal->front = first < behind ? first : after;
    uint64_t last = report_goal_work(goal, 0);
    for (uint64_t label = first + 1; label < behind; label++)
        fprintf(goal->file, "l%" PRIu64 " requires l%" PRIu64 "\n", last, label);
    return last;
}

/* Writes a collective as messages in to the root or first member, and out again. Collectives with a
 * root need one direction only. */
static uint64_t report_goal_collective(struct goal *goal, uint32_t rank, const struct replay_op *op)
{
    const struct replay_comm *comm = &goal->program->comm[op->comm];
    bool rooted = op->mode == REPLAY_COLL_FROM_ROOT || op->mode == REPLAY_COLL_TO_ROOT;
    int32_t middle = rooted && op->peer >= 0 ? op->peer : comm->member ? comm->member[0] : 0;
    uint64_t front = goal->front, last = report_goal_work(goal, 0);

    for (int outward = 0; outward < 2; outward++) {
        if (op->mode == (outward ? REPLAY_COLL_TO_ROOT : REPLAY_COLL_FROM_ROOT))
            continue;
        goal->front = last;
        last = (int32_t)rank == middle
                   ? report_goal_hub(goal, comm, rank, outward, tag_of(goal, op), last)
                   : report_goal_message(goal, !outward, middle, 0, tag_of(goal, op));
    }
    goal->front = front;
    return last;
}

/* Returns the label that a wait requires; 0 if none of its requests is in the schedule. */
static uint64_t report_goal_join(struct goal *goal, const int32_t *request, uint32_t count)
{
    uint64_t label = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!goal->made[request[i]])
            continue;
        if (!label)
            label = report_goal_work(goal, 0);
        fprintf(goal->file, "l%" PRIu64 " requires l%" PRIu64 "\n", label, goal->made[request[i]]);
    }
    return label;
}

static uint64_t report_goal_receive(struct goal *goal, const struct replay_op *op)
{
    if (op->peer < 0 || op->tag < 0) {
        goal->left_out += op->peer != REPLAY_PROC_NULL;
        return 0;
    }
    return report_goal_message(goal, false, op->peer, op->bytes, tag_of(goal, op));
}

static void report_goal_operation(struct goal *goal, uint32_t rank, const struct replay_op *op)
{
    const struct replay_rank *own = &goal->program->rank[rank];
    uint64_t label = 0;
    bool blocks = true;

    switch (op->kind) {
    case REPLAY_ISEND:
        blocks = false; /* fall through */
    case REPLAY_SEND:
        if (op->peer >= 0)
            label = report_goal_message(goal, true, op->peer, op->bytes, tag_of(goal, op));
        break;
    case REPLAY_IRECV:
        blocks = false; /* fall through */
    case REPLAY_RECV:
        label = report_goal_receive(goal, op);
        break;
    case REPLAY_ICOLL:
        blocks = false; /* fall through */
    case REPLAY_COLL:
        label = report_goal_collective(goal, rank, op);
        break;
    case REPLAY_MPROBE:
        label = report_goal_receive(goal, op);
        break;
    case REPLAY_IMRECV:
        goal->made[op->request] = op->tag >= 0 ? goal->made[op->tag] : 0;
        return;
    case REPLAY_WAIT:
        label = report_goal_join(goal, &op->request, 1);
        break;
    case REPLAY_WAIT_ALL:
        label = report_goal_join(goal, own->member + own->set[op->request].first,
                                 own->set[op->request].count);
        break;
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME: {
        const struct replay_set *set = &own->set[op->request];
        if (set->chosen >= 0)
            label = op->kind == REPLAY_WAIT_ANY
                        ? report_goal_join(goal, own->member + set->first + set->chosen, 1)
                        : report_goal_join(goal, own->member + set->first, (uint32_t)set->chosen);
        break;
    }
    case REPLAY_COMPUTE:
        label = op->bytes >= 1000 ? report_goal_work(goal, op->bytes / 1000) : 0;
        break;
    default:
        return;
    }
    if (op->request >= 0 && (op->kind == REPLAY_ISEND || op->kind == REPLAY_IRECV ||
                             op->kind == REPLAY_ICOLL || op->kind == REPLAY_MPROBE))
        goal->made[op->request] = label;
    if (label && blocks)
        goal->front = label;
}

static enum core_status report_goal_schedule(struct goal *goal, uint32_t rank)
{
    const struct replay_rank *own = &goal->program->rank[rank];

    goal->made = calloc((size_t)own->request_count + 1, sizeof *goal->made);
    if (!goal->made)
        return core_report(CORE_NO_MEMORY, "out of memory for the schedule of rank %" PRIu32, rank);
    goal->label = 1;
    goal->front = 0;
    fprintf(goal->file, "\nrank %" PRIu32 " {\n", rank);
    for (uint32_t i = 0; i < own->op_count; i++)
        report_goal_operation(goal, rank, &own->op[i]);
    fprintf(goal->file, "}\n");
    free(goal->made);
    return CORE_OK;
}

enum core_status report_goal(const struct report_facts *facts, FILE *file)
{
    struct replay_program program = {0};
    struct goal goal = {.program = &program, .file = file};
    enum core_status status = trace_times_needed(facts->trace, "a schedule in GOAL");

    if (status == CORE_OK)
        status = replay_lower(facts->trace,
                              &(struct replay_lower_options){.inside = true, .compute = true},
                              &program, NULL);

    if (status != CORE_OK)
        return status;
    status = wildcards_resolve(facts->trace, &program);
    if (status == CORE_OK)
        status = tags_gather(&goal);
    fprintf(file, "num_ranks %" PRIu32 "\n", program.rank_count);
    for (uint32_t i = 0; i < program.rank_count && status == CORE_OK; i++)
        status = report_goal_schedule(&goal, i);
    if (goal.left_out)
        fprintf(stderr,
                "crosswait: %" PRIu64
                " receives are not in the schedule: their sources are not known\n",
                goal.left_out);
    free(goal.tag);
    replay_program_done(&program);
    if (status == CORE_OK && ferror(file))
        status = report_unwritten(facts);
    return status;
}
