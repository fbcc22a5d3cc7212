/* Completion: every wait and test, freeing and cancelling requests, generalised requests. */
#include "world/exchange/explore.h"
#include "world_newer.h"

static bool wait_idle(MPI_Request request) /* null or inactive */
{
    return request == MPI_REQUEST_NULL || !request->active;
}

static int wait_bad(MPI_Request request)
{
    if (request != MPI_REQUEST_NULL && !handle_good(request, HANDLE_REQUEST))
        return world_error(NULL, MPI_ERR_REQUEST,
                           "the request was completed or freed before, or is not one");
    return MPI_SUCCESS;
}

/* Checks that no other thread is in a call that completes the request: MPI allows one at a time. */
static int wait_shared(MPI_Request request)
{
    if (wait_idle(request) || !request->completing || request->completing == WORLD->fiber)
        return MPI_SUCCESS;
    CORE_CHECK(request->completing->rank == ME);
    return world_error(NULL, MPI_ERR_REQUEST,
                       "another thread of the rank waits for the request at the same time");
}

/* Sets the thread that may block in a call that completes these requests; by: NULL when it no
 * longer does. */
static void completing_set(int count, MPI_Request request[], struct world_fiber *by)
{
    CORE_CHECK_HOT(count <= 0 || request);
    for (int i = 0; i < count; i++)
        if (!wait_idle(request[i]))
            request[i]->completing = by;
}

static int bad_any(int count, MPI_Request request[])
{
    if (count < 0)
        return world_error(NULL, MPI_ERR_ARG, "count %d", count);
    if (count > 0 && !request)
        return world_error(NULL, MPI_ERR_REQUEST, "the array is NULL");
    uint32_t list = ++WORLD->lists;
    for (int i = 0; i < count; i++) {
        int code = wait_bad(request[i]);
        if (!code)
            code = wait_shared(request[i]);
        if (code)
            return code;
        if (wait_idle(request[i]))
            continue;
        if (UNLIKELY(request[i]->listed == list))
            return world_error(NULL, MPI_ERR_REQUEST,
                               "the array has a request twice, the second at %d", i);
        request[i]->listed = list;
    }
    return MPI_SUCCESS;
}

/* Runs world_explore_wait; no other thread may complete these requests meanwhile. */
static int32_t explore_wait(enum world_explore_kind kind, int count, MPI_Request request[],
                            bool test)
{
    CORE_CHECK_HOT(WORLD->explore);
    completing_set(count, request, WORLD->fiber);
    int32_t answer = world_explore_wait(kind, count, request, test);
    completing_set(count, request, NULL);
    return answer;
}

static const MPI_Status empty = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};

/* Sets the fields of a status except MPI_ERROR, which only calls for several requests set. */
static void status_set(MPI_Status *status, const MPI_Status *from)
{
    if (!status)
        return;
    int error = status->MPI_ERROR;
    *status = *from;
    status->MPI_ERROR = error;
}

void world_wait_describe(const struct ompi_request_t *request)
{
    struct world_fiber *fiber = WORLD->fiber;
    CORE_CHECK_HOT(!request->complete);
    fiber->tag = request->tag;
    fiber->context = request->context;
    fiber->bytes = 0;
    switch (request->kind) {
    case REQUEST_SEND:
        fiber->why = "send";
        fiber->bytes = request->count * request->type->size;
        break;
    case REQUEST_RECV:
        fiber->why = "receive";
        break;
    case REQUEST_COLL:
        fiber->why = request->helped->waits ? request->helped->waits : "waits for a collective";
        for (int i = 0; i < request->helped->part_count; i++)
            if (request->helped->part[i]->active && !request->helped->part[i]->complete) {
                world_wait_describe(request->helped->part[i]);
                return;
            }
        return;
    case REQUEST_EPOCH:
        fiber->why = "waits for the ranks that access its window";
        return;
    default:
        fiber->why = "waits for a generalised request";
        return;
    }
    CORE_CHECK_HOT(request->peer == MPI_ANY_SOURCE || request->peer >= 0);
    fiber->peer = request->peer == MPI_ANY_SOURCE
                      ? MPI_ANY_SOURCE
                      : (request->comm->remote_size ? request->comm->remote
                                                    : request->comm->member)[request->peer];
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit(WORLD_EVENT_BLOCK, fiber->peer, request->tag, request->context, fiber->bytes,
                   request->id, request->kind == REQUEST_SEND);
}

void world_must_return(bool inside)
{
    WORLD->fiber->must_return = inside;
}

void world_wait_noted(MPI_Comm comm)
{
    struct world_fiber *fiber = WORLD->fiber;
    const bool alone = comm && comm->size == 1 && !comm->remote_size;
    if (LIKELY(!fiber->must_return) || alone)
        return;
    CORE_CHECK(fiber->rank == ME && fiber->call);
    fiber->must_return = false; /* once */
    world_note(WORLD_RULE_BLOCKING_START,
               "rank %d waits in %s for other ranks, in a call that must return without them",
               ME->rank, fiber->call);
}

void world_wait_allowed(const struct ompi_request_t *request)
{
    if (request->peer != MPI_PROC_NULL)
        world_wait_noted(request->comm);
}

void world_request_wait(struct ompi_request_t *request)
{
    struct world_fiber *fiber = WORLD->fiber;
    world_wait_allowed(request);
    CORE_CHECK_HOT(!request->complete && !request->waiter);
    request->waiter = fiber;
    fiber->waiting = 1;
    world_wait_describe(request);
    world_fiber_block();
    CORE_CHECK_HOT(request->complete && fiber->waiting <= 0);
    fiber->why = NULL;
}

/* Blocks until `need` of the active requests are complete. */
static void wait_for(int count, MPI_Request request[], int need)
{
    struct world_fiber *fiber = WORLD->fiber;
    int complete = 0;
    const struct ompi_request_t *first = NULL;
    completing_set(count, request, fiber);
    for (int i = 0; i < count; i++) {
        if (wait_idle(request[i]))
            continue;
        if (request[i]->complete) {
            complete++;
        } else {
            request[i]->waiter = fiber;
            if (!first)
                first = request[i];
        }
    }
    CORE_CHECK_HOT(complete >= need || first); /* some request can still end the wait */
    if (complete < need) {
        fiber->waiting = need - complete;
        world_wait_allowed(first);
        world_wait_describe(first);
        world_fiber_block();
        CORE_CHECK_HOT(fiber->waiting <= 0);
        fiber->why = NULL;
    }
    for (int i = 0; i < count; i++)
        if (!wait_idle(request[i]))
            request[i]->waiter = NULL;
    completing_set(count, request, NULL);
}

static void general_query(struct ompi_request_t *request, struct world_general *general)
{
    CORE_CHECK(request->kind == REQUEST_GENERAL && general->query);
    if (!general->fortran) {
        request->error = general->query(general->state, &request->status);
        return;
    }
    MPI_Aint state = (MPI_Aint)general->state;
    MPI_Fint code = MPI_SUCCESS;
    void (*query)(MPI_Aint * state, MPI_Status * status, MPI_Fint * code);
    memcpy(&query, &general->query, sizeof query);
    query(&state, &request->status, &code); /* a status has the same layout in Fortran */
    request->error = code;
}

/* Frees the state once the request is complete and its handle is freed, whichever is later. */
static void general_release(struct world_general *general)
{
    if (!general->free)
        return;
    if (!general->fortran) {
        general->free(general->state);
        return;
    }
    MPI_Aint state = (MPI_Aint)general->state;
    MPI_Fint ignored;
    void (*release)(MPI_Aint * state, MPI_Fint * code);
    memcpy(&release, &general->free, sizeof release);
    release(&state, &ignored);
}

/* Completes an active request for the caller, and returns its error. */
static int wait_take(MPI_Request *handle, MPI_Status *status, bool with_error)
{
    struct ompi_request_t *request = *handle;
    CORE_CHECK_HOT(request->active && request->complete);
    world_request_finish(request);
    if (request->general && request->general->query) {
        general_query(request, request->general);
        general_release(request->general);
    }
    request->status._cancelled = request->cancelled;
    status_set(status, &request->status);
    if (status && with_error)
        status->MPI_ERROR = request->error;
    int code = request->error;
    if (request->persistent) {
        request->active = request->seen = false;
    } else {
        world_handle_kill(&request->handle);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

static int wait_report(const struct ompi_request_t *request, int code)
{
    if (LIKELY(code == MPI_SUCCESS))
        return code;
    CORE_CHECK(request->comm); /* its error handler is called */
    if (code == MPI_ERR_TRUNCATE)
        return world_error(
            request->comm, code,
            "a message of %zu bytes from rank %d, tag %d, for a receive of %zu posted"
            " by %s",
            (size_t)request->status._ucount, request->status.MPI_SOURCE, request->status.MPI_TAG,
            request->count * request->type->size, request->handle.made_by);
    if (code == MPI_ERR_COUNT)
        return world_error(request->comm, code, "%s gets less than it asks for: counts differ",
                           request->handle.made_by);
    return world_error(request->comm, code, "the operation of %s failed", request->handle.made_by);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    ENTER("MPI_Wait");
    CALL_USES(status, NULL, request, status);
    int code = wait_bad(*request);
    if (LIKELY(!code))
        code = wait_shared(*request);
    if (UNLIKELY(code))
        return code;
    struct ompi_request_t *waited = *request;
    if (wait_idle(waited)) {
        status_set(status, &empty);
        return MPI_SUCCESS;
    }
    if (!waited->complete) {
        waited->completing = WORLD->fiber;
        world_request_wait(waited);
        waited->completing = NULL;
    }
    return wait_report(waited, wait_take(request, status, false));
}

static int take_all(int count, MPI_Request request[], MPI_Status status[])
{
    int failed = MPI_SUCCESS;
    const struct ompi_request_t *culprit = NULL;
    for (int i = 0; i < count; i++) {
        MPI_Status *one = status ? &status[i] : NULL;
        if (wait_idle(request[i])) {
            if (one)
                *one = empty;
            continue;
        }
        const struct ompi_request_t *mine = request[i];
        int code = wait_take(&request[i], one, true);
        if (code && !culprit) {
            culprit = mine;
            failed = code;
        }
    }
    if (LIKELY(!culprit))
        return MPI_SUCCESS;
    wait_report(culprit, failed);
    return MPI_ERR_IN_STATUS;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
    ENTER("MPI_Waitall");
    CALL_USES(NULL, NULL, array_of_requests, array_of_statuses, (const void *)(uintptr_t)count);
    int code = bad_any(count, array_of_requests);
    if (UNLIKELY(code))
        return code;
    int active = 0;
    for (int i = 0; i < count; i++)
        active += !wait_idle(array_of_requests[i]);
    wait_for(count, array_of_requests, active);
    return take_all(count, array_of_requests, array_of_statuses);
}

/* Returns the index of a complete, active request: the first, or the one that the choice source
 * picks; -1 if none. *out_active tells whether any is active. */
static int find_complete(int count, MPI_Request request[], bool *out_active)
{
    int found = -1, complete = 0;
    *out_active = false;
    for (int i = 0; i < count; i++) {
        if (wait_idle(request[i]))
            continue;
        *out_active = true;
        if (request[i]->complete) {
            complete++;
            if (found < 0)
                found = i;
        }
    }
    if (complete < 2 || !WORLD->chosen)
        return found;
    int pick = (int)world_choose((uint32_t)complete, REPLAY_REASON_WAIT);
    for (int i = found;; i++) {
        CORE_CHECK_HOT(i < count); /* as many are complete */
        if (!wait_idle(request[i]) && request[i]->complete && pick-- == 0)
            return i;
    }
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
    ENTER("MPI_Waitany");
    CALL_USES(status, index, array_of_requests, index, status, (const void *)(uintptr_t)count);
    int code = bad_any(count, array_of_requests);
    if (UNLIKELY(code))
        return code;
    bool active;
    int found = find_complete(count, array_of_requests, &active);
    if (!active) {
        *index = MPI_UNDEFINED;
        status_set(status, &empty);
        return MPI_SUCCESS;
    }
    if (UNLIKELY(WORLD->explore != NULL)) {
        found = explore_wait(EXPLORE_ANY, count, array_of_requests, false);
    } else if (found < 0) {
        wait_for(count, array_of_requests, 1);
        found = find_complete(count, array_of_requests, &active);
    }
    CORE_CHECK(found >= 0 && found < count);
    *index = found;
    const struct ompi_request_t *completed = array_of_requests[found];
    return wait_report(completed, wait_take(&array_of_requests[found], status, false));
}

/* Completes the requests that are complete and that order=explore has chosen. */
static int take_some(int count, MPI_Request request[], int32_t chosen, int *outcount, int indices[],
                     MPI_Status status[])
{
    int completed = 0, active = 0, failed = MPI_SUCCESS;
    const struct ompi_request_t *culprit = NULL;
    for (int i = 0; i < count; i++) {
        if (wait_idle(request[i]) || !world_explore_named(chosen, active++) ||
            !request[i]->complete)
            continue;
        const struct ompi_request_t *mine = request[i];
        indices[completed] = i;
        int code = wait_take(&request[i], status ? &status[completed] : NULL, true);
        completed++;
        if (code && !culprit) {
            culprit = mine;
            failed = code;
        }
    }
    CORE_CHECK(completed > 0 && completed <= active);
    *outcount = completed;
    if (LIKELY(!culprit))
        return MPI_SUCCESS;
    wait_report(culprit, failed);
    return MPI_ERR_IN_STATUS;
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
    ENTER("MPI_Waitsome");
    CALL_USES(NULL, outcount, array_of_requests, outcount, array_of_indices, array_of_statuses,
              (const void *)(uintptr_t)incount);
    int code = bad_any(incount, array_of_requests);
    if (UNLIKELY(code))
        return code;
    bool active;
    int found = find_complete(incount, array_of_requests, &active);
    if (!active) {
        *outcount = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    int32_t chosen = -1;
    if (UNLIKELY(WORLD->explore != NULL))
        chosen = explore_wait(EXPLORE_SOME, incount, array_of_requests, false);
    else if (found < 0)
        wait_for(incount, array_of_requests, 1);
    return take_some(incount, array_of_requests, chosen, outcount, array_of_indices,
                     array_of_statuses);
}

/* --- tests: a completed request may still look incomplete, as it may on a real network -------- */

/* Tells whether MPI_Request_get_status has reported completion, which must then not change. */
static bool is_seen(MPI_Request request)
{
    return request->seen && request->complete;
}

/* Returns the first active request that is reported as complete; -1 if none. */
static int find_seen(int count, MPI_Request request[])
{
    for (int i = 0; i < count; i++)
        if (!wait_idle(request[i]) && is_seen(request[i]))
            return i;
    return -1;
}

static bool look_late(void)
{
    return WORLD->chosen && world_choose(4, REPLAY_REASON_WAIT) == 1;
}

/* Tells whether a test sees all requests complete. */
static bool wait_look(int count, MPI_Request request[], bool may_be_late)
{
    bool active = false, complete = true, seen = true;
    for (int i = 0; i < count; i++)
        if (!wait_idle(request[i])) {
            active = true;
            complete &= request[i]->complete;
            seen &= is_seen(request[i]);
        }
    if (active && seen && LIKELY(!WORLD->explore))
        return true;
    if (UNLIKELY(WORLD->explore != NULL) && active)
        return explore_wait(EXPLORE_ALL, count, request, true) != 0;
    return complete && !(may_be_late && active && look_late());
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    ENTER("MPI_Test");
    CALL_USES(NULL, NULL, request, flag, status);
    int code = wait_bad(*request);
    if (LIKELY(!code))
        code = wait_shared(*request);
    if (UNLIKELY(code))
        return code;
    struct ompi_request_t *tested = *request;
    *flag = 1;
    if (wait_idle(tested)) {
        status_set(status, &empty);
        return MPI_SUCCESS;
    }
    if (!wait_look(1, request, true)) {
        *flag = 0;
        world_poll_failed();
        return MPI_SUCCESS;
    }
    return wait_report(tested, wait_take(request, status, false));
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                MPI_Status array_of_statuses[])
{
    ENTER("MPI_Testall");
    CALL_USES(NULL, NULL, array_of_requests, flag, array_of_statuses,
              (const void *)(uintptr_t)count);
    int code = bad_any(count, array_of_requests);
    if (UNLIKELY(code))
        return code;
    *flag = wait_look(count, array_of_requests, false);
    if (!*flag) {
        world_poll_failed();
        return MPI_SUCCESS;
    }
    return take_all(count, array_of_requests, array_of_statuses);
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                MPI_Status *status)
{
    ENTER("MPI_Testany");
    CALL_USES(NULL, NULL, array_of_requests, index, flag, status, (const void *)(uintptr_t)count);
    int code = bad_any(count, array_of_requests);
    if (UNLIKELY(code))
        return code;
    bool active;
    int found = find_complete(count, array_of_requests, &active);
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (!active) {
        status_set(status, &empty);
        return MPI_SUCCESS;
    }
    int seen = WORLD->explore ? -1 : find_seen(count, array_of_requests);
    if (seen >= 0)
        found = seen;
    else if (UNLIKELY(WORLD->explore != NULL))
        found = explore_wait(EXPLORE_ANY, count, array_of_requests, true);
    if (found < 0 || (seen < 0 && look_late())) {
        *flag = 0;
        world_poll_failed();
        return MPI_SUCCESS;
    }
    *index = found;
    const struct ompi_request_t *completed = array_of_requests[found];
    return wait_report(completed, wait_take(&array_of_requests[found], status, false));
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
    ENTER("MPI_Testsome");
    CALL_USES(NULL, NULL, array_of_requests, outcount, array_of_indices, array_of_statuses,
              (const void *)(uintptr_t)incount);
    int code = bad_any(incount, array_of_requests);
    if (UNLIKELY(code))
        return code;
    bool active;
    int found = find_complete(incount, array_of_requests, &active);
    if (!active) {
        *outcount = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    int32_t chosen = -1;
    bool seen = find_seen(incount, array_of_requests) >= 0;
    if (UNLIKELY(WORLD->explore != NULL))
        chosen = explore_wait(EXPLORE_SOME, incount, array_of_requests, true);
    if (!chosen || (chosen < 0 && !seen && (found < 0 || look_late()))) {
        *outcount = 0;
        world_poll_failed();
        return MPI_SUCCESS;
    }
    return take_some(incount, array_of_requests, chosen, outcount, array_of_indices,
                     array_of_statuses);
}

/* The program is told that the request is complete, and keeps it. */
static void wait_show(struct ompi_request_t *request, MPI_Status *status, bool with_error)
{
    if (UNLIKELY(WORLD->explore != NULL))
        world_explore_observe(request);
    if (request->late &&
        (request->kind == REQUEST_COLL || (WORLD_PROCESSES && request->kind == REQUEST_RECV)))
        world_request_deliver(request);
    CORE_CHECK(request->active && request->complete);
    request->seen = true;
    status_set(status, &request->status);
    if (status && with_error)
        status->MPI_ERROR = request->error;
}

bool world_request_look(struct ompi_request_t *request)
{
    if (!wait_look(1, &request, false)) {
        world_poll_failed();
        return false;
    }
    wait_show(request, NULL, false);
    return true;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    ENTER("MPI_Request_get_status");
    int code = wait_bad(request);
    if (UNLIKELY(code))
        return code;
    *flag = 1;
    if (wait_idle(request))
        status_set(status, &empty);
    else if ((*flag = world_request_look(request)))
        status_set(status, &request->status);
    return MPI_SUCCESS;
}

int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                               MPI_Status array_of_statuses[])
{
    ENTER("MPI_Request_get_status_all");
    MPI_Request *request = (MPI_Request *)(uintptr_t)array_of_requests;
    int code = bad_any(count, request);
    if (code)
        return code;
    *flag = wait_look(count, request, false);
    if (!*flag)
        world_poll_failed();
    for (int i = 0; i < count && *flag; i++) {
        MPI_Status *one = array_of_statuses ? &array_of_statuses[i] : NULL;
        if (!wait_idle(request[i]))
            wait_show(request[i], one, true);
        else if (one)
            *one = empty;
    }
    return MPI_SUCCESS;
}

int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *index,
                               int *flag, MPI_Status *status)
{
    ENTER("MPI_Request_get_status_any");
    MPI_Request *request = (MPI_Request *)(uintptr_t)array_of_requests;
    int code = bad_any(count, request);
    if (code)
        return code;
    bool active;
    int found = find_complete(count, request, &active);
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (!active) {
        status_set(status, &empty);
        return MPI_SUCCESS;
    }
    if (UNLIKELY(WORLD->explore != NULL))
        found = explore_wait(EXPLORE_ANY, count, request, true);
    *flag = found >= 0;
    if (!*flag) {
        world_poll_failed();
        return MPI_SUCCESS;
    }
    CORE_CHECK(found < count);
    *index = found;
    wait_show(request[found], status, false);
    return MPI_SUCCESS;
}

int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount,
                                int array_of_indices[], MPI_Status array_of_statuses[])
{
    ENTER("MPI_Request_get_status_some");
    MPI_Request *request = (MPI_Request *)(uintptr_t)array_of_requests;
    int code = bad_any(incount, request), at = 0;
    if (code)
        return code;
    bool active;
    int32_t chosen = -1;
    const int found = find_complete(incount, request, &active);
    if (!active) {
        *outcount = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    if (UNLIKELY(WORLD->explore != NULL))
        chosen = explore_wait(EXPLORE_SOME, incount, request, true);
    *outcount = 0;
    if (!chosen || (chosen < 0 && found < 0)) {
        world_poll_failed();
        return MPI_SUCCESS;
    }
    for (int i = 0; i < incount; i++) {
        if (wait_idle(request[i]) || !world_explore_named(chosen, at++) || !request[i]->complete)
            continue;
        array_of_indices[*outcount] = i;
        wait_show(request[i], array_of_statuses ? &array_of_statuses[*outcount] : NULL, true);
        ++*outcount;
    }
    return MPI_SUCCESS;
}

/* --- freeing, cancelling ---------------------------------------------------------------------- */

/* Reports that the request of a message under way was freed. */
static void wait_freed_event(const struct ompi_request_t *freed)
{
    CORE_CHECK(freed->freed && freed->owner == ME);
    if (freed->active && !freed->complete && freed->kind <= REQUEST_RECV &&
        freed->peer != MPI_PROC_NULL)
        world_emit_message(WORLD_EVENT_FREED, freed, NULL, world_peer(freed->comm, freed->peer),
                           freed->count * freed->type->size, freed->kind == REQUEST_SEND);
}

/* A rank that frees the request of its send does not hear when the buffer is free again, and what
 * it does to the buffer meanwhile is no decision. */
static void wait_freed_send(const struct ompi_request_t *freed)
{
    if (WORLD->explore && !WORLD_PROCESSES && freed->active && freed->kind == REQUEST_SEND &&
        freed->mode != MODE_BUFFERED && freed->peer != MPI_PROC_NULL && freed->count > 0 &&
        freed->type->size > 0)
        world_explore_limited();
}

int MPI_Request_free(MPI_Request *request)
{
    ENTER("MPI_Request_free");
    if (!request || *request == MPI_REQUEST_NULL)
        return world_error(NULL, MPI_ERR_REQUEST, "the request is null");
    int code = wait_bad(*request);
    if (!code)
        code = wait_shared(*request);
    if (code)
        return code;
    struct ompi_request_t *freed = *request;
    freed->freed = true;
    wait_freed_send(freed);
    if (!WORLD_PROCESSES && UNLIKELY(WORLD->options->event != NULL))
        wait_freed_event(freed);
    if (WORLD_PROCESSES && freed->late && freed->kind == REQUEST_RECV)
        world_request_deliver(freed);
    if (freed->complete && freed->general)
        general_release(freed->general);
    if (!freed->active || freed->complete)
        world_handle_kill(&freed->handle);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int cancel_fortran(const struct ompi_request_t *request)
{
    MPI_Aint state = (MPI_Aint)request->general->state;
    MPI_Fint complete = request->complete, code = MPI_SUCCESS;
    void (*cancel)(MPI_Aint * state, MPI_Fint * complete, MPI_Fint * code);
    memcpy(&cancel, &request->general->cancel, sizeof cancel);
    cancel(&state, &complete, &code);
    return code;
}

int MPI_Cancel(MPI_Request *request)
{
    ENTER("MPI_Cancel");
    if (!request || *request == MPI_REQUEST_NULL)
        return world_error(NULL, MPI_ERR_REQUEST, "the request is null");
    int code = wait_bad(*request);
    if (code)
        return code;
    struct ompi_request_t *cancelled = *request;
    if (cancelled->general) {
        if (cancelled->general->cancel && cancelled->general->fortran)
            return cancel_fortran(cancelled);
        if (cancelled->general->cancel)
            return cancelled->general->cancel(cancelled->general->state, cancelled->complete);
        return MPI_SUCCESS;
    }
    /* As in Open MPI, a pending send is not cancelled: it completes as usual. */
    if (cancelled->kind == REQUEST_SEND && cancelled->active && cancelled->peer != MPI_PROC_NULL)
        world_explore_limited();
    if (cancelled->kind != REQUEST_RECV || !cancelled->active)
        return MPI_SUCCESS;
    if (UNLIKELY(WORLD->explore != NULL) ? world_explore_cancel(cancelled)
                                         : !cancelled->complete && world_recv_unpost(cancelled)) {
        world_gate_cancel(cancelled);
        cancelled->cancelled = true;
        cancelled->status._cancelled = 1;
        cancelled->done[0] = cancelled->done[1] = 0;
        world_request_complete(cancelled);
    }
    return MPI_SUCCESS;
}

int MPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                       MPI_Request *request)
{
    ENTER("MPI_Grequest_start");
    struct ompi_request_t *made = world_request_new(REQUEST_GENERAL);
    made->active = true;
    made->peer = MPI_PROC_NULL;
    made->comm = &ME->world;
    made->general = world_alloc(sizeof *made->general);
    *made->general = (struct world_general){
        .query = query_fn, .free = free_fn, .cancel = cancel_fn, .state = extra_state};
    made->status = empty;
    *request = made;
    return MPI_SUCCESS;
}

struct ompi_request_t *world_request_deferred(struct world_deferred *deferred)
{
    CORE_CHECK(deferred->finish);
    struct ompi_request_t *made = world_request_new(REQUEST_DEFERRED);
    made->active = made->complete = true;
    made->peer = MPI_PROC_NULL;
    made->comm = &ME->world;
    made->late = (uint8_t *)deferred;
    made->deferred = deferred;
    made->status = empty;
    return made;
}

int MPI_Grequest_complete(MPI_Request request)
{
    ENTER("MPI_Grequest_complete");
    if (!handle_good(request, HANDLE_REQUEST) || !request->general || request->complete)
        return world_error(NULL, MPI_ERR_REQUEST,
                           "not a generalised request, or one that was completed before");
    world_request_complete(request);
    if (request->freed) {
        general_release(request->general);
        world_handle_kill(&request->handle);
    }
    return MPI_SUCCESS;
}
