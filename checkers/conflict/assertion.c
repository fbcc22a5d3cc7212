/* See assertion.h. The n-th MPI_Win_start of an origin that names a target belongs to the n-th
 * MPI_Win_post of that target that names the origin. */
#include "checkers/conflict/assertion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

/* Finds the counter of epochs that the followed rank has had with `other`, as origin or as target.
 */
static enum core_status count_of(struct assertions *assertions, int32_t win, uint32_t other,
                                 bool target, uint32_t **out_count)
{
    struct assertion_side key = {win, other, target};
    struct assertion_count *count;
    CORE_CHECK(win >= 0);
    enum core_status status = core_table_put(&assertions->count, &key, "epochs", &count);

    if (status == CORE_OK)
        *out_count = &count->count;
    return status;
}

static enum core_status assertion_opened(struct assertions *assertions,
                                         const struct trace_event *event, int64_t mode,
                                         uint32_t other)
{
    bool target = event->verb == VERB_POST;
    struct assertion_epoch *epoch;
    uint32_t *count;
    enum core_status status = count_of(assertions, event->win, other, target, &count);

    if (status != CORE_OK)
        return status;
    struct assertion_key key = {event->win, target ? other : event->rank,
                                target ? event->rank : other, ++*count};
    status = core_table_put(&assertions->epoch, &key, "epochs", &epoch);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(target ? !epoch->post : !epoch->start); /* each rank is followed only once */
    if (target) {
        epoch->post = event->seq;
        epoch->post_mode = mode;
    } else {
        epoch->start = event->seq;
        epoch->start_mode = mode;
    }
    return CORE_OK;
}

static enum core_status assertion_is_calm(struct assertions *assertions,
                                          const struct trace_event *event, uint64_t synced)
{
    CORE_CHECK(synced < event->seq);
    return CORE_ARRAY_PUSH(assertions->calm, assertions->calm_count, assertions->calm_room,
                           "assertions",
                           (struct assertion_calm){event->win, event->rank, synced, event->seq});
}

enum core_status assertions_follow(struct assertions *assertions, struct trace *trace,
                                   const struct trace_event *event, uint64_t synced)
{
    bool opens = event->verb == VERB_POST || event->verb == VERB_START_EPOCH;
    int64_t mode, *member = NULL;
    enum core_status status = CORE_OK;
    uint32_t members = 0;

    if (event->error || (!opens && event->verb != VERB_FENCE))
        return CORE_OK;
    mode = trace_arg_value(trace, event, "assert", 0);
    if (event->verb != VERB_START_EPOCH && (mode & EVENT_ASSERT_NOSTORE))
        status = assertion_is_calm(assertions, event, synced);
    if (status == CORE_OK && opens &&
        trace_group_get(trace, trace_arg_value(trace, event, "group", 0), &member, &members) !=
            CORE_OK)
        members = 0;
    for (uint32_t i = 0; i < members && status == CORE_OK; i++)
        if (member[i] >= 0 && member[i] < trace->rank_count)
            status = assertion_opened(assertions, event, mode, (uint32_t)member[i]);
    free(member);
    return status;
}

void assertions_put(struct assertions *assertions, const struct trace_event *event, uint32_t target)
{
    struct assertion_side side = {event->win, target, false};
    const struct assertion_count *count = core_table_find(&assertions->count, &side);
    struct assertion_key key = {event->win, event->rank, target, count ? count->count : 0};
    struct assertion_epoch *epoch = core_table_find(&assertions->epoch, &key);

    CORE_CHECK(!epoch || !epoch->put || epoch->put < event->seq);
    if (epoch && !epoch->put)
        epoch->put = event->seq;
}

void assertions_next(struct assertions *assertions)
{
    core_table_clear(&assertions->count);
}

void assertions_done(struct assertions *assertions)
{
    core_table_done(&assertions->epoch);
    core_table_done(&assertions->count);
    free(assertions->calm);
}

/* Checks MPI_MODE_NOCHECK: a start and its post must both assert it, and the post must come first.
 */
static void compare_check(const struct assertion_epoch *epoch, const struct order *order,
                          struct finding_dedup *dedup)
{
    uint32_t origin = epoch->key.origin, target = epoch->key.target;
    bool start = epoch->start_mode & EVENT_ASSERT_NOCHECK,
         post = epoch->post_mode & EVENT_ASSERT_NOCHECK;
    struct finding *finding;

    CORE_CHECK(origin < dedup->input->trace->rank_count);
    CORE_CHECK(target < dedup->input->trace->rank_count);
    if (!epoch->start || !epoch->post || (!start && !post) ||
        (start && post && order_before(order, target, epoch->post, origin, epoch->start)))
        return;
    finding = post && !start ? finding_dedup_add(dedup, FINDING_ERROR, target, epoch->post)
                             : finding_dedup_add(dedup, FINDING_ERROR, origin, epoch->start);
    if (!finding)
        return;
    finding->remedy = REMEDY_ASSERT;
    if (start && post)
        finding_title(finding,
                      "MPI_Win_start: it asserts MPI_MODE_NOCHECK, but nothing orders the "
                      "MPI_Win_post of rank %" PRIu32 " before it (rank %" PRIu32 ")",
                      target, origin);
    else
        finding_title(finding,
                      "%s: it asserts MPI_MODE_NOCHECK, the %s of rank %" PRIu32
                      " that belongs to it does not: both must, or none (rank %" PRIu32 ")",
                      start ? "MPI_Win_start" : "MPI_Win_post",
                      start ? "MPI_Win_post" : "MPI_Win_start", start ? target : origin,
                      start ? origin : target);
    finding_core_add(finding, dedup->input->trace, start ? target : origin,
                     start ? epoch->post : epoch->start);
}

static void compare_put(const struct assertion_epoch *epoch, struct finding_dedup *dedup)
{
    struct finding *finding;
    struct trace_event event;

    CORE_CHECK(!epoch->put || epoch->start < epoch->put);
    if (!epoch->put || !epoch->post || !(epoch->post_mode & EVENT_ASSERT_NOPUT) ||
        trace_event_get(dedup->input->trace, epoch->key.origin, epoch->put, &event) != CORE_OK)
        return;
    finding = finding_dedup_add(dedup, FINDING_ERROR, epoch->key.origin, epoch->put);
    if (!finding)
        return;
    finding->remedy = REMEDY_ASSERT;
    finding_title(finding,
                  "%s: it writes to the window of rank %" PRIu32
                  ", whose MPI_Win_post asserts MPI_MODE_NOPUT (rank %" PRIu32 ")",
                  dedup->input->trace->call[event.call].name, epoch->key.target, epoch->key.origin);
    finding_call_add(finding, dedup->input->trace, epoch->key.target, epoch->post);
}

void assertions_compare(const struct assertions *assertions, const struct order *order,
                        struct finding_dedup *dedup)
{
    for (uint32_t i = 0; i < assertions->epoch.count; i++) {
        const struct assertion_epoch *epoch = core_table_at(&assertions->epoch, i);

        compare_check(epoch, order, dedup);
        compare_put(epoch, dedup);
    }
}

static int calm_compare(const void *a, const void *b)
{
    const struct assertion_calm *x = a, *y = b;

    if (x->win != y->win)
        return x->win < y->win ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void say_stored(const struct assertion_calm *calm, const struct access *store,
                       struct finding_dedup *dedup)
{
    struct trace *trace = dedup->input->trace;
    struct finding *finding;
    struct trace_event event;

    CORE_CHECK(store->low < store->high && calm->from < calm->to);
    if (trace_event_get(trace, calm->rank, calm->to, &event) != CORE_OK)
        return;
    finding = finding_dedup_wrong(dedup, &event, calm->from,
                                  "it asserts MPI_MODE_NOSTORE, but the rank's window was written "
                                  "to since the call before it that synchronised it");
    if (!finding)
        return;
    finding->remedy = REMEDY_ASSERT;
    finding_fact(finding,
                 "rank %" PRIu32 " wrote to bytes %" PRId64 " to %" PRId64 " of its window",
                 calm->rank, store->low, store->high - 1);
    if (store->itself)
        finding_place(finding, trace, "it was written to there", store->site);
    else
        finding_call_add(finding, trace, calm->rank, store->seq);
}

void assertions_compare_stores(struct assertions *assertions, const struct access *access,
                               uint32_t count, struct finding_dedup *dedup)
{
    const struct assertion_calm *all = assertions->calm;
    uint32_t calms = assertions->calm_count, last = UINT32_MAX;

    CORE_CHECK(access || !count);
    if (calms)
        qsort(assertions->calm, calms, sizeof *assertions->calm, calm_compare);
    for (uint32_t i = 0; calms && i < count; i++) {
        const struct access *store = &access[i];
        struct assertion_calm key = {store->win, store->origin, 0, store->seq};
        uint32_t at = CORE_ARRAY_FIND(k, 0, calms, calm_compare(&all[k], &key) < 0);

        if (store->kind != STORE || at == calms || at == last || all[at].win != key.win ||
            all[at].rank != key.rank || all[at].from >= store->seq ||
            access_explained(dedup->input->trace, NULL, access, count, store))
            continue;
        CORE_CHECK(store->seq <= all[at].to);
        say_stored(&all[at], store, dedup);
        last = at; /* one store per assertion is enough */
    }
}
