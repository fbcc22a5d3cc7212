/* The one follower of requests: what each communication of a rank was begun by, and what completed
 * it with which status. Events are handed in one by one, in the order in which the rank made them
 * (or in which they returned), from a trace or from a spool; for each the caller's function is
 * called with what it does to requests.
 *
 *     REQUEST_MADE     a persistent request: it does nothing yet
 *     REQUEST_MATCHED  a matched probe found a message: its id stands for it until it is received
 *     REQUEST_BEGUN    a communication begins: by a non-blocking call, by a start, or by a blocking
 *                      call, which counts as a request of its own with id 0
 *     REQUEST_DONE     it is complete, as `done` says; a blocking call's where it had returned
 *     REQUEST_FREED    MPI_Request_free: an active one goes on, and nothing more is heard of it
 *     REQUEST_ARMED    a partitioned send was started: it begins (REQUEST_BEGUN) with the call that
 *                      marks the last of its partitions as ready
 *
 * Calls that MPI refused begin nothing, nor does the start of a request that is active. What is
 * said about requests whose making is not known is passed over. In a call several steps come in the
 * order of its list; of MPI_Sendrecv the send comes first and is done last. MPI_Isendrecv begins
 * two requests, the send under the id of the call, and its twin, the receive.
 *
 * Invariants
 *  1. The table holds the persistent requests from their making to their free, the others until
 *     the call that completes or frees them (MPI_Request_get_status completes, and keeps): its size
 *     is bounded by what is under way, not by the length of the record.
 *  2. request->active holds from REQUEST_BEGUN to REQUEST_DONE, both calls included. */
#ifndef CORE_TRACE_REQUEST_H
#define CORE_TRACE_REQUEST_H

#include "core/table.h"
#include "core/trace/trace.h"

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_COLLECTIVE,
    REQUEST_MESSAGE, /* found by a matched probe, not received yet */
    REQUEST_OTHER    /* one-sided, files, generalized; receives of a message that is not known */
};
enum request_step {
    REQUEST_MADE,
    REQUEST_MATCHED,
    REQUEST_BEGUN,
    REQUEST_DONE,
    REQUEST_FREED,
    REQUEST_ARMED
};

struct request {
    uint64_t id;     /* 0: of a blocking call */
    uint64_t made;   /* seq of the call that made it */
    uint64_t begun;  /* seq of the call that began it last; 0: a persistent one, never started */
    uint32_t rounds; /* persistent ones: how often it was started; REQUEST_ROUNDS_UNTOLD */
    uint64_t turn; /* receives: seq of the call by which it stands in the order of matching: begun,
                      or the matched probe */
    uint64_t t_enter, t_leave;    /* of the call that began it last */
    uint64_t bytes;               /* as the call says; messages: as the probe found */
    int32_t comm, win, peer, tag; /* as the call says; of matched messages as the probe found */
    uint32_t own[3]; /* the caller's; 0 when it is made, but that a matched receive takes over its
                        message's */
    uint32_t pair;   /* partitioned ones meet in the order in which they are made, those alike in
                        communicator, peer and tag: how many-th of these, from 1; 0: another */
    uint8_t kind;    /* enum request_kind */
    uint8_t mode;    /* enum event_mode; sends */
    bool persistent, active;
    bool armed;     /* a partitioned send that was started, and whose partitions are not all marked
                     */
    bool cancelled; /* MPI_Cancel was called since it began */
    bool matched;   /* receives of a message that a probe had matched */
    bool inside;    /* made inside another call */
};

struct request_pairs { /* partitioned ones that were made, alike in all this */
    struct {
        int32_t comm, peer, tag;
        uint32_t kind;
    } key;
    uint32_t count;
};

struct requests { /* of one rank */
    struct core_table table;
    struct core_table pairs; /* struct request_pairs */
};

#define REQUEST_ROUNDS_UNTOLD UINT32_MAX
#define REQUEST_BYTES_UNTOLD UINT64_MAX /* of a completion: how much was received is not known */

/* done is NULL but for REQUEST_DONE. The request may be changed in `own` only. A status other than
 * CORE_OK ends it and is returned. */
typedef enum core_status (*request_fn)(enum request_step step, const struct trace_event *event,
                                       struct request *request, const struct trace_completion *done,
                                       void *context);

void requests_init(struct requests *requests);
void requests_done(struct requests *requests);
/* Forgets all, for another rank. */
void requests_clear(struct requests *requests);

/* fn may be NULL. */
enum core_status requests_follow(struct requests *requests, const struct trace_event *event,
                                 request_fn fn, void *context);
/* NULL: it is not in the table. Valid until the next requests_follow. */
struct request *requests_find(const struct requests *requests, uint64_t id);
/* The receive of an MPI_Isendrecv with this id; NULL: there is none. It is complete when both are.
 */
struct request *requests_twin(const struct requests *requests, uint64_t id);
/* Those in the table, in no order that means anything: index in [0, requests_count). */
uint32_t requests_count(const struct requests *requests);
struct request *requests_at(const struct requests *requests, uint32_t index);

#endif
