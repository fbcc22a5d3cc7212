/* Live perturbation. See perturb.h. Random choices depend only on the seed, the rank and the number
 * of the call, so threads and timing do not change them. */
#include "interpose/perturb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/decide.h"
#include "interpose/lock.h"
#include "interpose/live_order.h"

static struct replay_policy policy;
static uint64_t send_number, receive_number, call_number;

/* --- reading ---------------------------------------------------------------------------------- */

struct reason {
    char *text;
    size_t bytes;
};

static void perturb_hear(enum core_status status, const char *message, void *context)
{
    const struct reason *reason = context;
    (void)status;
    snprintf(reason->text, reason->bytes, "CROSSWAIT_POLICY: %s; the run is not perturbed",
             message + (strncmp(message, "policy: ", 8) ? 0 : 8));
}

bool perturb_start(const char *text, char *out_reason, size_t reason_bytes)
{
    struct reason reason = {out_reason, reason_bytes};

    replay_policy_init(&policy);
    policy.buffering = REPLAY_EAGER;
    core_report_hook(perturb_hear, &reason);
    enum core_status status = replay_policy_read(&policy, text);
    if (status == CORE_OK)
        status = replay_policy_check(&policy, REPLAY_LIVE);
    core_report_hook(NULL, NULL);
    if (status != CORE_OK)
        replay_policy_done(&policy);
    recorder.perturb = status == CORE_OK;
    if (recorder.perturb)
        live_order_start(&policy);
    return recorder.perturb;
}

/* --- at work ---------------------------------------------------------------------------------- */

static uint64_t perturb_take(uint64_t *counter)
{
    return recorder.threads ? __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED) : ++*counter;
}

static void pause_ns(uint64_t ns)
{
    if (ns >= 100)
        hidden_sleep(ns);
}

void perturb_before(struct lane *lane, const struct spool_event *e, bool waits)
{
    int rank = recorder.world_rank;
    (void)lane;
    uint64_t number = perturb_take(&call_number);
    if (turns.on) {
        live_order_came(e->seq);
        live_order_before(waits);
    }
    if (policy.delay != REPLAY_DELAY_NONE)
        pause_ns(replay_policy_delay(&policy, 1, rank, -1, number) +
                 replay_policy_delay(&policy, 1, rank, rank, number));
}

static bool perturb_buffers(struct replay_send send, uint64_t who)
{
    struct replay_choice choice;
    replay_choice_keyed(&choice, policy.seed, who, send.number);
    send.rank = (uint32_t)recorder.world_rank;
    return replay_policy_buffers(&policy, &send, &choice);
}

bool perturb_send(struct lane *lane, const struct spool_event *e, int dest, uint64_t bytes,
                  MPI_Comm comm)
{
    uint64_t number =
        decide_on() ? decision_count_send(live_order_decisions()) : perturb_take(&send_number);
    if (policy.delay == REPLAY_DELAY_SLOW_LINK || policy.delay == REPLAY_DELAY_SWARM) {
        int to = recorder_comm_world(lane, comm, dest);
        if (to >= 0)
            pause_ns(replay_policy_delay(&policy, 1, recorder.world_rank, to, number));
    }
    const struct replay_name *name =
        decide_on() ? perturb_answer(decision_of_send((uint32_t)number)) : NULL;
    if (name)
        return name->source == 0;
    return !perturb_buffers((struct replay_send){.bytes = bytes, .event = e->seq, .number = number},
                            2 * (uint64_t)recorder.world_rank);
}

/* Sends inside a collective have no names in the policy. */
bool perturb_inner_send(uint64_t bytes)
{
    if (policy.buffering == REPLAY_SEND_LIST || policy.buffering == REPLAY_SEND_ONLY)
        return false;
    return !perturb_buffers(
        (struct replay_send){.bytes = bytes, .number = perturb_take(&call_number)},
        2 * (uint64_t)recorder.world_rank + 1);
}

bool decide_on(void)
{
    return policy.order == REPLAY_ORDER_EXPLORE;
}

const struct replay_name *perturb_answer(uint64_t number)
{
    return replay_policy_find(&policy.forced, (uint32_t)recorder.world_rank, false, number);
}

static int pinned_source(struct lane *lane, const struct spool_event *e, uint64_t number,
                         int source, MPI_Comm comm)
{
    uint32_t rank = (uint32_t)recorder.world_rank;
    if (source == MPI_ANY_SOURCE && decide_on())
        return decide_receive(lane, comm);
    if (source != MPI_ANY_SOURCE || policy.order != REPLAY_ORDER_LIST)
        return source;
    const struct replay_name *name = replay_policy_find(&policy.forced, rank, false, e->seq);
    if (!name)
        name = replay_policy_find(&policy.forced, rank, true, number);
    int pinned = name ? recorder_comm_rank_of(lane, comm, name->source) : -1;
    return pinned >= 0 ? pinned : source;
}

int perturb_source(struct lane *lane, const struct spool_event *e, int source, MPI_Comm comm)
{
    return pinned_source(lane, e, perturb_take(&receive_number), source, comm);
}

/* Returns the probe's source without taking a number; a probe that finds a message takes the next
 * one (perturb_found). */
int perturb_poll(struct lane *lane, const struct spool_event *e, int source, MPI_Comm comm)
{
    return pinned_source(lane, e, __atomic_load_n(&receive_number, __ATOMIC_RELAXED) + 1, source,
                         comm);
}

void perturb_found(void)
{
    perturb_take(&receive_number);
}

int perturb_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int returned = OWN(Irecv)(recvbuf, recvcount, recvtype, source, recvtag, comm, &request);
    if (returned != MPI_SUCCESS)
        return returned;
    returned = OWN(Ssend)(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    int received = OWN(Wait)(&request, status);
    return returned != MPI_SUCCESS ? returned : received;
}
