/* The one follower of requests: it tells which call began each communication of a rank, and which
 * call completed it with which status. The caller hands in events one by one, in the order in which
 * the rank made them (or in which they returned), from a trace or from a spool. The follower calls
 * the caller's function for each step of a request:
 *
 *     REQUEST_MADE     the call made a persistent request, which does nothing yet
 *     REQUEST_MATCHED  a matched probe found a message: its id stands for it until it is received
 *     REQUEST_BEGUN    a communication begins: by a non-blocking call, by a start, or by a blocking
 *                      call, which counts as a request of its own with id 0
 *     REQUEST_DONE     the communication is complete, with the status `done`; that of a blocking
 *                      call is complete when the call returns
 *     REQUEST_FREED    MPI_Request_free; an active communication continues, but is no longer
 *                      followed
 *     REQUEST_ARMED    a partitioned send was started: it begins (REQUEST_BEGUN) with the call that
 *                      marks the last of its partitions as ready
 *
 * Calls that MPI refused begin nothing, nor does the start of an active request. Calls on requests
 * whose making is not recorded are ignored. Several steps of one call come in the order of its
 * list; MPI_Sendrecv begins its send first and completes it last. MPI_Isendrecv begins two
 * requests: the send under the id of the call, and its twin, the receive.
 *
 * Invariants
 *  1. The table holds the persistent requests from their making to their free, the others until the
 *     call that completes or frees them (MPI_Request_get_status completes, and keeps): its size is
 *     bounded by the requests in use, not by the length of the record.
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
    REQUEST_OTHER    /* one-sided, files, generalized; receives of an unknown message */
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
    uint64_t begun;  /* seq of the call that began it last; 0: persistent and never started */
    uint32_t rounds; /* persistent requests: number of starts; REQUEST_ROUNDS_UNTOLD */
    uint64_t turn;   /* receives: seq of the call that gives its place in the matching order: its
                        begin, or the matched probe */
    uint64_t t_enter, t_leave;    /* of the call that began it last */
    uint64_t bytes;               /* as the call says; messages: as the probe found */
    int32_t comm, win, peer, tag; /* as the call says; matched messages: as the probe found */
    uint32_t own[3]; /* for the caller; 0 at first, but a matched receive inherits those of its
                        message */
    uint32_t pair;   /* partitioned requests match in the order in which they were made: number from
                        1 among those with the same communicator, peer and tag; 0: not
                        partitioned */
    uint8_t kind;    /* enum request_kind */
    uint8_t mode;    /* enum event_mode; sends */
    bool persistent, active;
    bool armed;     /* a started partitioned send whose partitions are not all marked */
    bool cancelled; /* MPI_Cancel was called since the request began */
    bool matched;   /* receive of a message from a matched probe */
    bool inside;    /* made inside another call */
};

struct request_pairs { /* counts partitioned requests with the same key */
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
#define REQUEST_BYTES_UNTOLD UINT64_MAX /* in a completion: the received size is unknown */

/* Called for each step; done is NULL except for REQUEST_DONE. The function may change only `own` of
 * the request. A status other than CORE_OK ends requests_follow, which returns it. */
typedef enum core_status (*request_fn)(enum request_step step, const struct trace_event *event,
                                       struct request *request, const struct trace_completion *done,
                                       void *context);

void requests_init(struct requests *requests);
void requests_done(struct requests *requests);
/* Forgets all requests, for the next rank. */
void requests_clear(struct requests *requests);

/* Applies one event; fn may be NULL. */
enum core_status requests_follow(struct requests *requests, const struct trace_event *event,
                                 request_fn fn, void *context);
/* Returns the request; NULL: it is not in the table. Valid until the next requests_follow. */
struct request *requests_find(const struct requests *requests, uint64_t id);
/* Returns the receive of an MPI_Isendrecv with this id, or NULL. The call is complete when both its
 * requests are. */
struct request *requests_twin(const struct requests *requests, uint64_t id);
/* Give access to the requests in the table, in no meaningful order: index in [0,
 * requests_count). */
uint32_t requests_count(const struct requests *requests);
struct request *requests_at(const struct requests *requests, uint32_t index);

#endif
