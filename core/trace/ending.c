/* The record of how a job was ended (ending.h). Holds no state of its own. */
#include "core/trace/ending.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

static const char what[] = "how the job was ended";

/* --- names ------------------------------------------------------------------------------------ */

#define X(name, text) text,
static const char *const reasons[] = {ENDING_REASONS(X)};
static const char *const roles[] = {ENDING_ROLES(X)};
static const char *const needs[] = {ENDING_NEEDS(X)};
static const char *const objects[] = {ENDING_OBJECTS(X)};
static const char *const bases[] = {ENDING_BASES(X)};
static const char *const standings[] = {ENDING_STANDINGS(X)};
static const char *const looks[] = {ENDING_LOOKS(X)};
static const char *const jobs[] = {ENDING_JOBS(X)};
#undef X

static unsigned text_find(const char *const *list, unsigned count, const char *text)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(list[i], text))
            return i;
    return count;
}

const char *ending_reason_text(enum ending_reason reason)
{
    return reason < ENDING_REASON_COUNT ? reasons[reason] : NULL;
}

const char *ending_role_text(enum ending_role role)
{
    return role < ENDING_ROLE_COUNT ? roles[role] : NULL;
}

const char *ending_need_text(enum ending_need need)
{
    return need < ENDING_NEED_COUNT ? needs[need] : NULL;
}

const char *ending_object_text(enum ending_object object)
{
    return object < ENDING_OBJECT_COUNT ? objects[object] : NULL;
}

const char *ending_basis_text(enum ending_basis basis)
{
    return basis < ENDING_BASIS_COUNT ? bases[basis] : NULL;
}

const char *ending_standing_text(enum ending_standing standing)
{
    return standing < ENDING_STANDING_COUNT ? standings[standing] : NULL;
}

const char *ending_job_text(enum ending_job job)
{
    return job < ENDING_JOB_COUNT ? jobs[job] : NULL;
}

enum ending_job ending_job_find(const char *text)
{
    return (enum ending_job)text_find(jobs, ENDING_JOB_COUNT, text);
}

bool ending_reaches_jobs(const struct ending *ending)
{
    for (uint32_t i = 0; i < ending->wait_count; i++)
        if (ending->wait[i].job != ENDING_JOB_OWN)
            return true;
    return false;
}

const char *ending_look_text(enum ending_look look)
{
    return look < ENDING_LOOK_COUNT ? looks[look] : NULL;
}

enum ending_reason ending_reason_find(const char *text)
{
    return (enum ending_reason)text_find(reasons, ENDING_REASON_COUNT, text);
}

enum ending_role ending_role_find(const char *text)
{
    return (enum ending_role)text_find(roles, ENDING_ROLE_COUNT, text);
}

enum ending_need ending_need_find(const char *text)
{
    return (enum ending_need)text_find(needs, ENDING_NEED_COUNT, text);
}

enum ending_object ending_object_find(const char *text)
{
    return (enum ending_object)text_find(objects, ENDING_OBJECT_COUNT, text);
}

enum ending_basis ending_basis_find(const char *text)
{
    return (enum ending_basis)text_find(bases, ENDING_BASIS_COUNT, text);
}

enum ending_standing ending_standing_find(const char *text)
{
    return (enum ending_standing)text_find(standings, ENDING_STANDING_COUNT, text);
}

enum ending_look ending_look_find(const char *text)
{
    return (enum ending_look)text_find(looks, ENDING_LOOK_COUNT, text);
}

/* --- building --------------------------------------------------------------------------------- */

enum core_status ending_call_add(struct ending *ending, const struct ending_call *call)
{
    enum core_status status =
        CORE_ARRAY_PUSH(ending->call, ending->call_count, ending->call_room, what, *call);

    if (status != CORE_OK)
        return status;
    ending->call[ending->call_count - 1].first = ending->wait_count; /* invariant 2 */
    ending->call[ending->call_count - 1].count = 0;
    return CORE_OK;
}

static int rank_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

enum core_status ending_span_add(struct ending *ending, struct ending_span span)
{
    CORE_CHECK(ending->wait_count > 0);
    struct ending_wait *wait = &ending->wait[ending->wait_count - 1];
    const struct ending_span *before = wait->count ? &ending->span[ending->span_count - 1] : NULL;
    enum core_status status;

    CORE_CHECK(wait->first + wait->count == ending->span_count); /* they follow each other */
    if (span.last < span.first || (before && span.first <= before->last + 1)) /* invariant 1 */
        return CORE_BAD_FORMAT;
    status = CORE_ARRAY_PUSH(ending->span, ending->span_count, ending->span_room, what, span);
    wait->count += status == CORE_OK;
    return status;
}

enum core_status ending_wait_add(struct ending *ending, const struct ending_wait *wait,
                                 const uint32_t *rank, uint32_t rank_count)
{
    enum core_status status;
    uint32_t *sorted;

    CORE_CHECK(ending->call_count > 0);
    CORE_CHECK(ending->call[ending->call_count - 1].first +
                   ending->call[ending->call_count - 1].count ==
               ending->wait_count); /* invariant 2 */
    status = CORE_ARRAY_NEW(sorted, rank_count, what);
    if (status != CORE_OK)
        return status;
    if (rank_count) {
        memcpy(sorted, rank, rank_count * sizeof *sorted);
        qsort(sorted, rank_count, sizeof *sorted, rank_compare);
    }
    status = CORE_ARRAY_PUSH(ending->wait, ending->wait_count, ending->wait_room, what, *wait);
    if (status == CORE_OK) {
        ending->wait[ending->wait_count - 1].first = ending->span_count;
        ending->wait[ending->wait_count - 1].count = 0;
        ending->call[ending->call_count - 1].count++;
    }
    for (uint32_t i = 0, end; i < rank_count && status == CORE_OK; i = end) {
        for (end = i + 1; end < rank_count && sorted[end] <= sorted[end - 1] + 1; end++)
            continue;
        status = ending_span_add(ending, (struct ending_span){sorted[i], sorted[end - 1]});
    }
    free(sorted);
    CORE_CHECK(status != CORE_OK || /* invariant 1: each rank once */
               ending_wait_ranks(ending, &ending->wait[ending->wait_count - 1]) <= rank_count);
    return status;
}

uint32_t ending_wait_ranks(const struct ending *ending, const struct ending_wait *wait)
{
    uint32_t ranks = 0;

    CORE_CHECK((uint64_t)wait->first + wait->count <= ending->span_count);
    for (uint32_t i = 0; i < wait->count; i++)
        ranks += ending->span[wait->first + i].last - ending->span[wait->first + i].first + 1;
    return ranks;
}

enum core_status ending_frame_add(struct ending *ending, const struct ending_call *call,
                                  const char *module, uint64_t address)
{
    struct ending_frame frame = {call->rank, call->seq, strdup(module), address};
    enum core_status status =
        frame.module
            ? CORE_ARRAY_PUSH(ending->frame, ending->frame_count, ending->frame_room, what, frame)
            : core_report(CORE_NO_MEMORY, "out of memory for %s", what);

    CORE_CHECK(call->seq);
    CORE_CHECK(ending->call_count > 0); /* it is of one of them */
    if (status != CORE_OK)
        free(frame.module);
    return status;
}

void ending_frames_drop(struct ending *ending)
{
    for (uint32_t i = 0; i < ending->frame_count; i++)
        free(ending->frame[i].module);
    CORE_ARRAY_DONE(ending->frame, ending->frame_count, ending->frame_room);
}

void ending_done(struct ending *ending)
{
    ending_frames_drop(ending);
    CORE_ARRAY_DONE(ending->call, ending->call_count, ending->call_room);
    CORE_ARRAY_DONE(ending->wait, ending->wait_count, ending->wait_room);
    CORE_ARRAY_DONE(ending->span, ending->span_count, ending->span_room);
    CORE_ARRAY_DONE(ending->rank, ending->rank_count, ending->rank_room);
    CORE_ARRAY_DONE(ending->channel, ending->channel_count, ending->channel_room);
    CORE_ARRAY_DONE(ending->member, ending->member_count, ending->member_room);
    memset(ending, 0, sizeof *ending);
}
