/* The messages inside collectives of MPICH's family, as a transport sees them: what the layers over
 * UCX (ucx.c) and over libfabric (libfabric.c) share.
 *
 * In the 64 bits of a tag the libraries keep a context (the communicator, and a bit for
 * collectives), a tag, and mostly the sender's rank. Only the transport's address tells the other
 * side of a message: each rank writes its own address into the folder of its spools before any rank
 * can get it. The layer learns the communicator of a context when a collective on a communicator
 * first sends or receives in it.
 *
 * A call that makes a communicator may send in it: those messages are not recorded, as no handle
 * exists yet.
 *
 * Schedules, as of non-blocking collectives, have tags of their own from TRANSPORT_TAG_SCHEDULED
 * on; a tag belongs to the call that first used it. The communicator and each part of it (the ranks
 * of a machine) count these tags on their own: a tag in a part is recorded with the part's number
 * in bits 28 to 30.
 *
 *  1. No function of MPI is called once the layer is on: the library's locks are held.
 *  2. A message whose communicator, partner or call is unknown is not recorded, and the record then
 *     says that the inside of some collectives only was seen. */
#ifndef INTERPOSE_LAYER_TRANSPORT_H
#define INTERPOSE_LAYER_TRANSPORT_H

#include "core/trace/traits.h"
#include "interpose/layer/layer.h"

/* The inner calls: what the transport's functions do. */
enum {
    UCX_SEND = CALL_COUNT,
    UCX_SSEND,
    UCX_RECEIVE,
    UCX_COMPLETE,
    FABRIC_SEND,
    FABRIC_SSEND,
    FABRIC_RECEIVE,
    FABRIC_COMPLETE,
    TRANSPORT_END
};

enum {
    TRANSPORT_COLLECTIVE = 1, /* the last bit of a context */
    TRANSPORT_PART = 0xe,     /* the next three bits: a part of the communicator */
    TRANSPORT_TAG_SCHEDULED = 32,
    TRANSPORT_ADDRESS_BYTES = 64
};

struct body_entry;
/* Redirects the transport's functions before MPI_Init. Returns false if the library does not use
 * it. */
bool ucx_found(const struct body_entry *entry);
void libfabric_found(const struct body_entry *entry);
/* Called after MPI_Init. Tells whether the layer can read this library's tags; tag_ub: the value of
 * MPI_TAG_UB. */
bool ucx_reads(const char *version);
bool libfabric_reads(const char *version, int tag_ub);
void libfabric_stop(void); /* before MPI_Finalize */

/* Tells whether a text of MPI_Get_library_version names this version. */
bool transport_version(const char *text, const char *name, const char *version);

/* Writes this rank's own address for the others. */
void transport_address(const void *address, size_t bytes);
/* Notes what the address of a partner is called from now on: an endpoint, or a number. */
void transport_partner(uint64_t name, const void *address, size_t bytes);
int32_t transport_rank(uint64_t name); /* world rank; -1: unknown */
/* Notes that a message is not recorded (invariant 2). */
void transport_lose(void);

/* Returns the lane to record an operation in; NULL: not to be recorded. */
struct lane *transport_lane_slow(void);
static inline struct lane *transport_lane(uint32_t context)
{
    return UNLIKELY(context & TRANSPORT_COLLECTIVE && recorder.layer) ? transport_lane_slow()
                                                                      : NULL;
}

/* The application's call that a message belongs to, and the message's communicator and tag. */
struct transport_call {
    uint64_t seq;
    MPI_Comm comm;
    uint32_t id, tag;
};
/* Returns false if the message is not recorded. */
bool transport_call_of(struct lane *lane, uint32_t context, uint32_t tag,
                       struct transport_call *out);

/* Begins the event of a send or a receive, without its bytes. */
struct spool_event *transport_enter(struct lane *lane, unsigned call,
                                    const struct transport_call *of, int32_t peer,
                                    uint32_t request);
/* Ends it. */
void transport_leave(struct lane *lane, struct spool_event *e, size_t bytes);

struct transport_message {
    int32_t source;
    uint32_t tag;
    uint64_t bytes;
};
/* Records that a request of the call is complete. received: NULL for a send. */
void transport_complete(unsigned call, uint64_t seq, uint32_t request, bool cancelled,
                        const struct transport_message *received);
/* Keeps sends that completed at once, until the thread makes progress. */
void transport_sent(unsigned call, uint64_t seq, uint32_t request);
/* Called when the library makes progress: records those. */
enum { TRANSPORT_KEPT_MAX = 64 };
extern __thread struct transport_kept {
    uint64_t seq;
    uint32_t count, call, request[TRANSPORT_KEPT_MAX];
} * transport_kept __attribute__((tls_model("initial-exec")));
void transport_kept_record(void);
static inline void transport_progress(void)
{
    if (UNLIKELY(transport_kept && transport_kept->count))
        transport_kept_record();
}

#endif
