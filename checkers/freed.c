/* See freed.h. Keeps, for each object, the last use by each thread until a thread frees the object,
 * and the free from then on. Operations that are pending when the object is freed are not uses: MPI
 * lets them complete after the free. */
#include "checkers/freed.h"

#include <inttypes.h>

#include "checkers/conflict/order.h"
#include "core/check.h"
#include "core/table.h"

enum { THREADS_MAX = 64 };

struct object_key {
    uint64_t object, thread; /* thread: the number plus 1; 0: the free */
};
struct object_call {
    struct object_key key;
    uint64_t seq, t_leave;
    int32_t thread;
    bool pending;
};
struct freed {
    const struct check_input *input;
    struct finding_list *list;
    struct order *order; /* NULL: not needed yet */
    bool too_many;       /* too many ranks for order_new */
    struct core_table call;
    struct told_once {    /* [true]: errors, [false]: notes */
        uint32_t finding; /* index + 1; 0: none yet */
        int32_t site;     /* of the free */
    } told[2];
    bool rank_told[2];
};

static const char *kind_of(const struct trace_event *event)
{
    return trait_in(event->traits, TRAIT_FILE)     ? "file"
           : trait_in(event->traits, TRAIT_WINDOW) ? "window"
                                                   : "communicator";
}

/* Returns a number for the call's object; 0: none that can be freed. */
static uint64_t object_of(const struct trace_event *event)
{
    bool on_comm = !(event->traits & (TRAIT_BIT(WINDOW) | TRAIT_BIT(FILE)));
    int32_t id = on_comm ? event->comm : event->win;

    return id < 0 ? 0 : ((uint64_t)id + 1) * 2 + on_comm;
}

static enum core_status order_get(struct freed *f)
{
    enum core_status status = CORE_OK;

    if (!f->order && !f->too_many) {
        status = order_new(f->input->trace, ORDER_THREADS_APART, &f->order);
        f->too_many = !f->order;
    }
    return status;
}

static void freed_tell(struct freed *f, bool error, uint64_t use, const struct trace_event *event,
                       uint64_t freed)
{
    struct trace_event free_call;

    CORE_CHECK(use != freed);
    if (f->rank_told[error] ||
        trace_event_get(f->input->trace, event->rank, freed, &free_call) != CORE_OK)
        return;
    f->rank_told[error] = true;
    struct told_once *told = &f->told[error];
    if (told->finding && told->site != free_call.site)
        return;
    struct finding *finding =
        told->finding
            ? &f->list->finding[told->finding - 1]
            : finding_list_add(f->list, RULE_THREAD, error ? FINDING_ERROR : FINDING_NOTE);
    if (!finding)
        return;
    if (!told->finding) {
        finding_title(finding,
                      "%s: a thread frees a %s that another one uses, and no "
                      "synchronisation orders the two",
                      f->input->trace->call[free_call.call].name, kind_of(event));
        finding->assumed = !error;
        finding->remedy = REMEDY_OUTLIVE;
        if (!error)
            finding_fact(finding, "this holds unless something outside of MPI orders the threads "
                                  "of a rank");
        *told = (struct told_once){f->list->count, free_call.site};
    }
    finding_core_add(finding, f->input->trace, event->rank, freed);
    finding_core_add(finding, f->input->trace, event->rank, use);
}

/* Handles a thread that frees what other threads have used. */
static enum core_status freed_step(struct freed *f, const struct trace_event *event,
                                   uint64_t object)
{
    enum core_status status = CORE_OK;

    for (uint64_t thread = 0; thread < THREADS_MAX && status == CORE_OK; thread++) {
        struct object_key key = {object, thread + 1};
        const struct object_call *use =
            (int32_t)thread == event->thread ? NULL : core_table_find(&f->call, &key);
        if (!use || (status = order_get(f)) != CORE_OK || !f->order ||
            order_before(f->order, event->rank, use->seq, event->rank, event->seq))
            continue;
        CORE_CHECK(use->seq < event->seq);
        freed_tell(f, use->pending || use->t_leave > event->t_enter, use->seq, event, event->seq);
    }
    return status;
}

/* Handles a thread that uses what another one may have freed. */
static enum core_status used_step(struct freed *f, const struct trace_event *event, uint64_t object)
{
    struct object_key key = {object, 0};
    const struct object_call *freed = core_table_find(&f->call, &key);
    enum core_status status = CORE_OK;

    if (!freed || freed->thread == event->thread || (status = order_get(f)) != CORE_OK ||
        !f->order || order_before(f->order, event->rank, freed->seq, event->rank, event->seq))
        return status;
    CORE_CHECK(freed->seq < event->seq);
    freed_tell(f, true, event->seq, event, freed->seq);
    return status;
}

static enum core_status freed_step_event(struct freed *f, const struct trace_event *event)
{
    static const uint64_t frees =
        TRAIT_BIT(FREES_COMM) | TRAIT_BIT(FREES_WIN) | TRAIT_BIT(FREES_FILE);
    uint64_t object = object_of(event);
    bool is_free = event->traits & frees;
    struct object_call *call;

    if (!object || event->thread < 0 || event->thread >= THREADS_MAX || event->error)
        return CORE_OK;
    enum core_status status = is_free ? freed_step(f, event, object) : used_step(f, event, object);
    struct object_key key = {object, is_free ? 0 : (uint64_t)event->thread + 1};
    if (status == CORE_OK)
        status = core_table_put(&f->call, &key, "what threads use", &call);
    if (status != CORE_OK)
        return status;
    call->seq = event->seq;
    call->t_leave = event->t_leave;
    call->thread = event->thread;
    call->pending = event->pending;
    return CORE_OK;
}

static enum core_status read_rank(struct freed *f, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(f->input->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    CORE_CHECK(rank < f->input->trace->rank_count);
    core_table_clear(&f->call);
    f->rank_told[false] = f->rank_told[true] = false;
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more)
        if (!event.parent)
            status = freed_step_event(f, &event);
    trace_cursor_close(cursor);
    return status;
}

enum core_status freed_check(const struct check_input *input, struct finding_list *list)
{
    struct freed f = {.input = input, .list = list, .call = CORE_TABLE(struct object_call, key)};
    enum core_status status = CORE_OK;

    for (uint32_t rank = 0; rank < input->trace->rank_count && status == CORE_OK; rank++)
        if (input->trace->rank[rank].threads > 1 && !input->trace->rank[rank].lost)
            status = read_rank(&f, rank);
    for (int i = 0; i < 2 && status == CORE_OK; i++)
        if (f.told[i].finding)
            status = finding_title_ranks(&list->finding[f.told[i].finding - 1]);
    core_table_done(&f.call);
    order_free(f.order);
    return status;
}
