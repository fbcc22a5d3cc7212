/* Bodies of the calls that no template can express: starting and ending, and the waits and tests on
 * several requests. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/decide.h"
#include "interpose/filter.h"
#include "interpose/life.h"
#include "interpose/misuse/bounds.h"
#include "interpose/live_order.h"

/* Opens the event of MPI_Init in a program that is recorded since its first session. */
static struct spool_event *join_open(struct lane **out_lane, unsigned call, void **cfa)
{
    struct lane *lane = recorder.by_session ? recorder_lane(cfa) : NULL;
    struct spool_event *e = lane ? recorder_enter(lane, call, cfa) : NULL;

    *out_lane = lane;
    if (e)
        recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    if (e)
        recorder_open(lane, e);
    return e;
}

/* Notes that the call has returned. Resets `raised`: a handler of the program may have got the
 * error that the call returns. */
static void special_back(struct spool_event *e)
{
    recorder_thread.raised = false;
    recorder_back(e);
}

static int join_close(struct lane *lane, struct spool_event *e, int returned)
{
    special_back(e);
    if (returned == MPI_SUCCESS)
        session_joined(lane);
    recorder_leave(lane, e, returned, STEP_ON);
    return returned;
}

int special_Init(Init_fn real, void **cfa, int *argc, char ***argv)
{
    struct lane *lane;
    struct spool_event *e = join_open(&lane, CALL_Init, cfa);
    if (UNLIKELY(e))
        return join_close(lane, e, real(argc, argv));
    if (recorder_thread.current || recorder.on || recorder.ended) {
        usage_outside(CALL_Init, cfa);
        return real(argc, argv);
    }
    uint64_t t_enter = recorder_started_clock();
    recorder_thread.current = recorder_nobody;
    int returned = real(argc, argv);
    recorder_thread.current = NULL;
    recorder_started(0, t_enter, CALL_Init, cfa, returned);
    return returned;
}

int special_Init_thread(Init_thread_fn real, void **cfa, int *argc, char ***argv, int required,
                        int *provided)
{
    struct lane *lane;
    struct spool_event *e = join_open(&lane, CALL_Init_thread, cfa);
    if (UNLIKELY(e))
        return join_close(lane, e, real(argc, argv, required, provided));
    if (recorder_thread.current || recorder.on || recorder.ended) {
        usage_outside(CALL_Init_thread, cfa);
        return real(argc, argv, required, provided);
    }
    uint64_t t_enter = recorder_started_clock();
    recorder_thread.current = recorder_nobody;
    int returned = real(argc, argv, required, provided);
    recorder_thread.current = NULL;
    recorder_started(required, t_enter, CALL_Init_thread, cfa, returned);
    return returned;
}

/* Tells whether MPI runs although the recorder did not see its start: MPI_Init ran inside dlopen
 * (entry/README.md). */
bool special_started_unseen(void)
{
    int started = 0, ended = 0;
    return !recorder.on && !recorder.ended && !recorder.lanes &&
           OWN(Initialized)(&started) == MPI_SUCCESS && started &&
           OWN(Finalized)(&ended) == MPI_SUCCESS && !ended;
}

struct lane *special_start_late(void **cfa)
{
    static atomic_flag tried = ATOMIC_FLAG_INIT;

    if (atomic_flag_test_and_set(&tried))
        return NULL;
    recorder.late = true;
    recorder_started(0, recorder_started_clock(), CALL_Init, cfa, MPI_SUCCESS);
    if (recorder.on)
        recorder_unknown(recorder.lanes);
    return recorder_thread.ready;
}

int special_Finalize(Finalize_fn real, void **cfa)
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) && !(lane = usage_outside(CALL_Finalize, cfa)))
        return real();
    struct spool_event *e = recorder_enter(lane, CALL_Finalize, cfa);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    usage_detaching(lane, e->seq, USAGE_OF_PROCESS, cfa);
    usage_finalizing(lane, e->seq);
    usage_unwinding(lane, e->seq);
    usage_caught(lane, e->seq);
    recorder_open(lane, e);
    recorder_finalizing(lane);
    int returned = real();
    special_back(e);
    usage_finalized(lane, e->seq);
    recorder_leave(lane, e, returned, STEP_ON);
    recorder_finalized(lane);
    if (recorder_plain())
        life_make_trace(recorder_folder());
    return returned;
}

int special_Abort(Abort_fn real, void **cfa, MPI_Comm comm, int errorcode)
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane)) /* the call may come from an error handler or a callback: the state still
                            records it */
        lane = recorder_thread.current && recorder_thread.current != recorder_nobody
                   ? recorder_thread.current
                   : NULL;
    if (UNLIKELY(!lane) || lane->depth >= SPOOL_DEPTH_MAX)
        return real(comm, errorcode);
    struct spool_event *e = recorder_enter(lane, CALL_Abort, cfa);
    recorder_fields(e, recorder_comm(lane, comm), EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    const int64_t in[] = {errorcode};
    recorder_args(lane, e->seq, 0, 1, in);
    recorder_open(lane, e);
    recorder_aborting(lane, errorcode);
    int returned = real(comm, errorcode);
    special_back(e);
    recorder_leave(lane, e, returned, STEP_ON);
    return returned;
}

int special_Pcontrol(Pcontrol_fn real, void **cfa, int level)
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane))
        return real(level);
    filter_mark(level);
    if (UNLIKELY(recorder.filter) && filter_out(lane, CALL_Pcontrol, recorder_handle.comm_null))
        return real(level);
    struct spool_event *e = recorder_enter(lane, CALL_Pcontrol, cfa);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    const int64_t in[] = {level};
    recorder_args(lane, e->seq, 0, 1, in);
    recorder_open(lane, e);
    int returned = real(level);
    special_back(e);
    recorder_leave(lane, e, returned, STEP_LOCAL);
    return returned;
}

/* --- several requests ------------------------------------------------------------------------- */

/* Enters a call on several requests, and commits the list of request ids. NULL lane: call
 * through. */
enum { SURE_MAX = 1 << 16 }; /* more requests are a mistake of the program */
struct several {
    struct lane *lane;
    bool keeps; /* MPI_Request_get_status_...: the requests stay */
    struct spool_event *e;
    struct request_info *info; /* NULL: out of memory, completions are not recorded */
    int count;
    const MPI_Status *statuses; /* that the call fills whatever completes; NULL: none */
    bool some;                  /* the call fills the next two */
    const int *outcount, *indices;
    int32_t *id;  /* of the requests; NULL: out of memory */
    uint64_t key; /* polls only: a hash of the ids */
    bool again;   /* polls only: the list is on record */
    bool none;    /* polls only: no request is active */
    struct poll_outcome outcome;
};

static void list_write(struct several *s)
{
    if (s->id)
        recorder_list(s->lane, s->e->seq, 1, SPOOL_LIST_REQUESTS, 4, s->count, s->id);
}

/* Checks the statuses that the call writes. */
static void statuses_look(struct several *s, void **cfa, int count, const MPI_Status *status)
{
    if (recorder_status_there(status))
        bounds_array(s->lane, s->e, cfa, "array_of_statuses", status, count, sizeof *status,
                     USAGE_WRITE);
}

/* Checks the outputs before the library writes them, which may end the job. */
static void outputs_look(struct several *s, void **cfa)
{
    if (s->some) {
        usage_pointer(s->lane, s->e->seq, s->outcount, "outcount");
        usage_pointer(s->lane, s->e->seq, s->count > 0 ? (const void *)s->indices : "",
                      "array_of_indices");
    } else if (s->statuses) {
        statuses_look(s, cfa, s->count, s->statuses);
    }
}

/* Enters the call. out: the call has valid output pointers. Fills *s in place: a returned struct
 * would be copied in wider words than it was stored in, which waits for the stores. */
static void special_enter(struct several *s, unsigned call, void **cfa, const MPI_Request *request,
                          bool poll, bool out)
{
    struct lane *lane = s->lane;
    const MPI_Request *given = request;
    int count = s->count;

    if (UNLIKELY(!out ||
                 count > SURE_MAX)) /* the library refuses the call before it reads them all */
        request = recorder_seen(request, (int64_t)count * (int64_t)sizeof *request);
    s->e = poll ? recorder_poll_enter(lane, call, cfa) : recorder_enter(lane, call, cfa);
    if (UNLIKELY(turns.on))
        live_order_came(s->e->seq);
    recorder_fields(s->e, 0, EVENT_NONE, EVENT_NONE, 0, count, 0);
    usage_least(lane, s->e->seq, count, "count", 0);
    usage_pointer(lane, s->e->seq, count > 0 ? (const void *)request : "", "array_of_requests");
    bounds_array(lane, s->e, cfa, "array_of_requests", given, count, sizeof *given, USAGE_READ);
    outputs_look(s, cfa);
    s->info = count > 0 && request ? recorder_request_list(lane, count, request) : NULL;
    for (int i = 0; s->info && i < count; i++)
        if (call == CALL_Startall)
            recorder_request_starting(lane, s->e->seq, s->info[i]);
        else if (UNLIKELY(recorder_persistent || !s->info[i].id))
            recorder_request_waiting(lane, s->e->seq, s->info[i], count == 1);
    for (int i = 0; UNLIKELY(recorder_partitioned) && call == CALL_Waitall && s->info && i < count;
         i++)
        recorder_partitions_awaited(lane, s->e->seq, s->info[i]);
    s->id = s->info ? recorder_scratch(lane, (size_t)count * sizeof *s->id) : NULL;
    for (int i = 0; s->id && i < count; i++)
        s->id[i] = (int32_t)s->info[i].id;
    if (poll) {
        s->none = s->id != NULL;
        for (int i = 0; s->id && i < count; i++) {
            s->key = (s->key ^ s->key >> 29 ^ (uint32_t)s->id[i]) * 0x9E3779B97F4A7C15u;
            s->none &= !s->id[i];
        }
        s->again = recorder_poll_expect(lane, s->e, s->key);
    }
    if (!s->again)
        list_write(s);
    if (UNLIKELY(recorder.perturb))
        perturb_before(lane, s->e, true);
    recorder_open(lane, s->e);
}

/* Called when a test is back. Returns true if it was folded into a poll. */
static bool poll_again(struct several *s, void **cfa, int returned, bool found)
{
    s->outcome = (struct poll_outcome){returned != MPI_SUCCESS ? POLL_OTHER
                                       : !found                ? POLL_NOTHING
                                       : s->none               ? POLL_STEADY
                                                               : POLL_OTHER,
                                       found};
    if (recorder_poll_again(s->lane, s->e, cfa, s->key, s->outcome, found ? STEP_ON : STEP_IN_VAIN))
        return true;
    if (s->again)
        list_write(s);
    return false;
}

/* Returns the error of one member of a list: only MPI_ERR_IN_STATUS makes the errors in the
 * statuses valid. */
static int error_of(int returned, const MPI_Status *status)
{
    return returned == MPI_ERR_IN_STATUS && recorder_status_there(status) ? status->MPI_ERROR
           : returned == MPI_ERR_IN_STATUS                                ? MPI_SUCCESS
                                                                          : returned;
}

static void done_all(struct several *s, int count, const MPI_Request *request, MPI_Status *status,
                     int returned)
{
    if (s->info && LIKELY(returned == MPI_SUCCESS && !s->keeps))
        recorder_done_all(s->lane, s->e->seq, count, s->info, request, status);
    else if (s->info && (s->keeps || returned == MPI_ERR_IN_STATUS))
        for (int i = 0; i < count; i++) {
            MPI_Status *own = recorder_status_there(status) ? &status[i] : MPI_STATUS_IGNORE;
            int error = error_of(returned, own);
            if (error != MPI_ERR_PENDING)
                recorder_done(s->lane, s->e->seq, (uint32_t)i, s->info[i],
                              s->keeps ? NULL : &request[i], own, error);
        }
}

int special_Startall(Startall_fn real, void **cfa, int count, MPI_Request array_of_requests[])
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, CALL_Startall, recorder_handle.comm_null)))
        return real(count, array_of_requests);
    struct several s = {.lane = lane, .count = count};
    special_enter(&s, CALL_Startall, cfa, array_of_requests, false, true);
    for (int i = 0; s.info && i < count; i++)
        if (UNLIKELY((s.info[i].kind & REQUEST_KIND_MASK) == REQUEST_COLL) && recorder.layer)
            layer_restarted(s.info[i].id, s.e->seq);
    for (int i = 0; UNLIKELY(recorder.payload) && s.info && i < count; i++)
        payload_started(lane, s.info[i].id, s.e->seq);
    int returned = real(count, array_of_requests);
    special_back(s.e);
    for (int i = 0; s.info && i < count; i++)
        recorder_request_started(s.info[i], &array_of_requests[i]);
    recorder_leave(lane, s.e, returned, STEP_ON);
    return returned;
}

int special_Waitall(Waitall_fn real, void **cfa, int count, MPI_Request array_of_requests[],
                    MPI_Status array_of_statuses[])
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, CALL_Waitall, recorder_handle.comm_null)))
        return real(count, array_of_requests, array_of_statuses);
    struct several s = {.lane = lane, .count = count, .statuses = array_of_statuses};
    special_enter(&s, CALL_Waitall, cfa, array_of_requests, false, true);
    if (array_of_statuses == MPI_STATUSES_IGNORE && s.info)
        array_of_statuses = recorder_statuses(lane, count);
    int returned = real(count, array_of_requests, array_of_statuses);
    special_back(s.e);
    done_all(&s, count, array_of_requests, array_of_statuses, returned);
    recorder_leave(lane, s.e, returned, STEP_ON);
    return returned;
}

static int test_all(Testall_fn real, unsigned call, void **cfa, int count,
                    MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[])
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, call, recorder_handle.comm_null)))
        return real(count, array_of_requests, flag, array_of_statuses);
    struct several s = {
        .lane = lane, .keeps = call != CALL_Testall, .count = count, .statuses = array_of_statuses};
    special_enter(&s, call, cfa, array_of_requests, true, flag);
    if (array_of_statuses == MPI_STATUSES_IGNORE && s.info)
        array_of_statuses = recorder_statuses(lane, count);
    if (UNLIKELY(recorder.perturb) && s.info && !s.keeps && decide_here(lane))
        real = decide_Testall;
    int returned = real(count, array_of_requests, flag, array_of_statuses);
    special_back(s.e);
    bool done = returned == MPI_SUCCESS ? *flag : returned == MPI_ERR_IN_STATUS;
    if (poll_again(&s, cfa, returned, done))
        return returned;
    if (done)
        done_all(&s, count, array_of_requests, array_of_statuses, returned);
    recorder_poll_leave(lane, s.e, s.key, returned, done ? STEP_ON : STEP_IN_VAIN, s.outcome);
    return returned;
}

int special_Testall(Testall_fn real, void **cfa, int count, MPI_Request array_of_requests[],
                    int *flag, MPI_Status array_of_statuses[])
{
    return test_all(real, CALL_Testall, cfa, count, array_of_requests, flag, array_of_statuses);
}

/* Keeps the requests. */
int special_Request_get_status_all(Request_get_status_all_fn real, void **cfa, int count,
                                   const MPI_Request array_of_requests[], int *flag,
                                   MPI_Status array_of_statuses[])
{
    return test_all((Testall_fn)(uintptr_t)real, CALL_Request_get_status_all, cfa, count,
                    (MPI_Request *)(uintptr_t)array_of_requests, flag, array_of_statuses);
}

/* Records the request that a call on any of several completed. An error belongs to that request,
 * unless it concerns the call's arguments: then no request completed, and *index is unchanged. */
static void done_any(struct several *s, const MPI_Request *request, const int *index,
                     MPI_Status *status, int returned)
{
    if (!s->info || !index || *index < 0 || *index >= s->count)
        return;
    const MPI_Request *one = &request[*index];
    if (returned == MPI_SUCCESS || *one == recorder_handle.request_null ||
        recorder_error(returned) == EVENT_ERROR_TRUNCATE)
        recorder_done(s->lane, s->e->seq, (uint32_t)*index, s->info[*index], s->keeps ? NULL : one,
                      status, returned);
}

int special_Waitany(Waitany_fn real, void **cfa, int count, MPI_Request array_of_requests[],
                    int *index, MPI_Status *status)
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, CALL_Waitany, recorder_handle.comm_null)))
        return real(count, array_of_requests, index, status);
    MPI_Status own = {0};
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    struct several s = {.lane = lane, .count = count};
    special_enter(&s, CALL_Waitany, cfa, array_of_requests, false, index);
    if (UNLIKELY(recorder.perturb) && s.info && decide_here(lane))
        real = decide_Waitany;
    int returned = real(count, array_of_requests, index, status);
    special_back(s.e);
    done_any(&s, array_of_requests, index, status, returned);
    recorder_leave(lane, s.e, returned, STEP_ON);
    return returned;
}

static int test_any(Testany_fn real, unsigned call, void **cfa, int count,
                    MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, call, recorder_handle.comm_null)))
        return real(count, array_of_requests, index, flag, status);
    MPI_Status own = {0};
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    struct several s = {.lane = lane, .keeps = call != CALL_Testany, .count = count};
    special_enter(&s, call, cfa, array_of_requests, true, index && flag);
    if (UNLIKELY(recorder.perturb) && s.info && !s.keeps && decide_here(lane))
        real = decide_Testany;
    int returned = real(count, array_of_requests, index, flag, status);
    special_back(s.e);
    bool done = returned != MPI_SUCCESS || *flag;
    if (poll_again(&s, cfa, returned, done))
        return returned;
    if (done)
        done_any(&s, array_of_requests, index, status, returned);
    recorder_poll_leave(lane, s.e, s.key, returned, done ? STEP_ON : STEP_IN_VAIN, s.outcome);
    return returned;
}

int special_Testany(Testany_fn real, void **cfa, int count, MPI_Request array_of_requests[],
                    int *index, int *flag, MPI_Status *status)
{
    return test_any(real, CALL_Testany, cfa, count, array_of_requests, index, flag, status);
}

/* Keeps the requests. */
int special_Request_get_status_any(Request_get_status_any_fn real, void **cfa, int count,
                                   const MPI_Request array_of_requests[], int *index, int *flag,
                                   MPI_Status *status)
{
    return test_any((Testany_fn)(uintptr_t)real, CALL_Request_get_status_any, cfa, count,
                    (MPI_Request *)(uintptr_t)array_of_requests, index, flag, status);
}

static void done_some(struct several *s, void **cfa, const MPI_Request *request,
                      const int *outcount, const int *index, MPI_Status *status, int returned)
{
    int count = s->count;

    if (!s->info || (returned != MPI_SUCCESS && returned != MPI_ERR_IN_STATUS) ||
        *outcount == MPI_UNDEFINED)
        return;
    bounds_array(s->lane, s->e, cfa, "array_of_indices", index, *outcount, sizeof *index,
                 USAGE_WRITE);
    statuses_look(s, cfa, *outcount, status);
    for (int i = 0; i < *outcount; i++) {
        MPI_Status *own = recorder_status_there(status) ? &status[i] : MPI_STATUS_IGNORE;
        if (index[i] >= 0 && index[i] < count)
            recorder_done(s->lane, s->e->seq, (uint32_t)index[i], s->info[index[i]],
                          s->keeps ? NULL : &request[index[i]], own, error_of(returned, own));
    }
}

int special_Waitsome(Waitsome_fn real, void **cfa, int incount, MPI_Request array_of_requests[],
                     int *outcount, int *array_of_indices, MPI_Status array_of_statuses[])
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, CALL_Waitsome, recorder_handle.comm_null)))
        return real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    struct several s = {.lane = lane,
                        .count = incount,
                        .some = true,
                        .outcount = outcount,
                        .indices = array_of_indices};
    special_enter(&s, CALL_Waitsome, cfa, array_of_requests, false, outcount && array_of_indices);
    if (array_of_statuses == MPI_STATUSES_IGNORE && s.info)
        array_of_statuses = recorder_statuses(lane, incount);
    if (UNLIKELY(recorder.perturb) && s.info && decide_here(lane))
        real = decide_Waitsome;
    int returned = real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    special_back(s.e);
    done_some(&s, cfa, array_of_requests, outcount, array_of_indices, array_of_statuses, returned);
    recorder_leave(lane, s.e, returned, STEP_ON);
    return returned;
}

static int test_some(Testsome_fn real, unsigned call, void **cfa, int incount,
                     MPI_Request array_of_requests[], int *outcount, int *array_of_indices,
                     MPI_Status array_of_statuses[])
{
    struct lane *lane = recorder_lane(cfa);
    if (UNLIKELY(!lane) ||
        (UNLIKELY(recorder.filter) && filter_out(lane, call, recorder_handle.comm_null)))
        return real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    struct several s = {.lane = lane,
                        .keeps = call != CALL_Testsome,
                        .count = incount,
                        .some = true,
                        .outcount = outcount,
                        .indices = array_of_indices};
    special_enter(&s, call, cfa, array_of_requests, true, outcount && array_of_indices);
    if (array_of_statuses == MPI_STATUSES_IGNORE && s.info)
        array_of_statuses = recorder_statuses(lane, incount);
    if (UNLIKELY(recorder.perturb) && s.info && !s.keeps && decide_here(lane))
        real = decide_Testsome;
    int returned = real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    special_back(s.e);
    bool done = returned != MPI_SUCCESS || *outcount != 0;
    if (poll_again(&s, cfa, returned, done))
        return returned;
    done_some(&s, cfa, array_of_requests, outcount, array_of_indices, array_of_statuses, returned);
    recorder_poll_leave(lane, s.e, s.key, returned, done ? STEP_ON : STEP_IN_VAIN, s.outcome);
    return returned;
}

int special_Testsome(Testsome_fn real, void **cfa, int incount, MPI_Request array_of_requests[],
                     int *outcount, int *array_of_indices, MPI_Status array_of_statuses[])
{
    return test_some(real, CALL_Testsome, cfa, incount, array_of_requests, outcount,
                     array_of_indices, array_of_statuses);
}

/* Keeps the requests. */
int special_Request_get_status_some(Request_get_status_some_fn real, void **cfa, int incount,
                                    const MPI_Request array_of_requests[], int *outcount,
                                    int *array_of_indices, MPI_Status array_of_statuses[])
{
    return test_some((Testsome_fn)(uintptr_t)real, CALL_Request_get_status_some, cfa, incount,
                     (MPI_Request *)(uintptr_t)array_of_requests, outcount, array_of_indices,
                     array_of_statuses);
}
