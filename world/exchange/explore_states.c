/* See the header. */
#include "world/exchange/explore_states.h"

#include <stdlib.h>
#include <string.h>

#include "world/exchange/explore_cancel.h"
#include "world/exchange/explore_report.h"

void world_states_beyond(const char *why)
{
    if (UNLIKELY(WORLD->searcher != NULL) && EXPLORE && !EXPLORE->beyond)
        EXPLORE->beyond = why;
}

/* Calls allowed after the first decision, sorted: what they change is part of a state, or they
 * change nothing. */
static const char *const calls_supported[] = {
    "MPI_Abort",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Bsend",
    "MPI_Bsend_init",
    "MPI_Buffer_attach",
    "MPI_Buffer_detach",
    "MPI_Cancel",
    "MPI_Cart_coords",
    "MPI_Cart_get",
    "MPI_Cart_map",
    "MPI_Cart_rank",
    "MPI_Cart_shift",
    "MPI_Cartdim_get",
    "MPI_Comm_c2f",
    "MPI_Comm_call_errhandler",
    "MPI_Comm_compare",
    "MPI_Comm_delete_attr",
    "MPI_Comm_f2c",
    "MPI_Comm_get_attr",
    "MPI_Comm_get_errhandler",
    "MPI_Comm_get_name",
    "MPI_Comm_get_parent",
    "MPI_Comm_rank",
    "MPI_Comm_remote_size",
    "MPI_Comm_set_attr",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_set_name",
    "MPI_Comm_size",
    "MPI_Comm_test_inter",
    "MPI_Dims_create",
    "MPI_Dist_graph_neighbors",
    "MPI_Dist_graph_neighbors_count",
    "MPI_Errhandler_c2f",
    "MPI_Errhandler_f2c",
    "MPI_Exscan",
    "MPI_Finalize",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Get_address",
    "MPI_Get_count",
    "MPI_Get_elements",
    "MPI_Get_elements_x",
    "MPI_Get_processor_name",
    "MPI_Graph_get",
    "MPI_Graph_map",
    "MPI_Graph_neighbors",
    "MPI_Graph_neighbors_count",
    "MPI_Graphdims_get",
    "MPI_Group_c2f",
    "MPI_Group_compare",
    "MPI_Group_f2c",
    "MPI_Group_rank",
    "MPI_Group_size",
    "MPI_Group_translate_ranks",
    "MPI_Ibsend",
    "MPI_Improbe",
    "MPI_Imrecv",
    "MPI_Info_c2f",
    "MPI_Info_f2c",
    "MPI_Info_get",
    "MPI_Info_get_nkeys",
    "MPI_Info_get_nthkey",
    "MPI_Info_get_valuelen",
    "MPI_Iprobe",
    "MPI_Irecv",
    "MPI_Irsend",
    "MPI_Is_thread_main",
    "MPI_Isend",
    "MPI_Issend",
    "MPI_Mprobe",
    "MPI_Mrecv",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Op_c2f",
    "MPI_Op_commutative",
    "MPI_Op_f2c",
    "MPI_Pack",
    "MPI_Pack_external",
    "MPI_Pack_external_size",
    "MPI_Pack_size",
    "MPI_Probe",
    "MPI_Query_thread",
    "MPI_Recv",
    "MPI_Recv_init",
    "MPI_Reduce",
    "MPI_Reduce_local",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Request_c2f",
    "MPI_Request_f2c",
    "MPI_Request_free",
    "MPI_Request_get_status",
    "MPI_Rsend",
    "MPI_Rsend_init",
    "MPI_Scan",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Send",
    "MPI_Send_init",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Ssend",
    "MPI_Ssend_init",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Status_c2f",
    "MPI_Status_f2c",
    "MPI_Status_set_cancelled",
    "MPI_Status_set_elements",
    "MPI_Status_set_elements_x",
    "MPI_Test",
    "MPI_Test_cancelled",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Topo_test",
    "MPI_Type_c2f",
    "MPI_Type_f2c",
    "MPI_Type_get_attr",
    "MPI_Type_get_contents",
    "MPI_Type_get_envelope",
    "MPI_Type_get_extent",
    "MPI_Type_get_name",
    "MPI_Type_get_true_extent",
    "MPI_Type_size",
    "MPI_Type_size_x",
    "MPI_Unpack",
    "MPI_Unpack_external",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Waitany",
    "MPI_Waitsome",
};

static int name_compare(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

void world_states_called(const char *call)
{
    CORE_CHECK(WORLD->begun_end && call);
    if (!bsearch(call, calls_supported, sizeof calls_supported / sizeof *calls_supported,
                 sizeof *calls_supported, name_compare))
        world_states_beyond("it makes or changes MPI objects after its first decision");
}

const char *world_states_why(void)
{
    CORE_CHECK(WORLD->searcher && EXPLORE);
    if (!EXPLORE->beyond && EXPLORE->report.limited)
        return "a call has too many possible answers";
    if (!EXPLORE->beyond && EXPLORE->report.overtaking)
        return "messages may overtake each other";
    return EXPLORE->beyond;
}

void world_states_got(struct ompi_request_t *recv, const struct world_message *message)
{
    const uint64_t place = recv->order - recv->owner->order_before;
    CORE_CHECK(WORLD->searcher && message->packed); /* match.c invariant 2 */
    if (recv->masked && message->bytes < recv->count * recv->type->size) {
        recv->owner->shorter = true;
        world_states_beyond(WORLD_STATES_SHORTER);
    }
    recv->owner->inexact |= recv->peer == MPI_ANY_SOURCE || recv->tag == MPI_ANY_TAG;
    if (recv->context % 2 || recv->checked)
        recv->owner->gained += core_random_mix(
            core_random_mix((uint64_t)(uint32_t)message->source << 32 ^ place) ^
            world_type_checksum(message->packed, message->bytes, MPI_BYTE) ^ message->bytes);
}

/* Iterates over all that ask: receives in the order of posting, then fibers. NULL: no more. */
struct asking {
    int rank;
    const struct ompi_request_t *recv;
    const struct world_fiber *fiber;
    bool begun;
};

static struct world_decider *asking_next(struct asking *at)
{
    CORE_CHECK(at->rank >= 0 && at->rank <= WORLD->rank_count);
    for (; at->rank < WORLD->rank_count; at->rank++, at->begun = false) {
        const struct world_rank *rank = &WORLD->rank[at->rank];
        if (!at->begun) {
            at->recv = rank->posted;
            at->fiber = rank->fiber;
            at->begun = true;
        }
        while (at->recv) {
            struct world_decider *d = at->recv->decider;
            at->recv = at->recv->next;
            if (d)
                return d;
        }
        while (at->fiber) {
            struct world_decider *d = at->fiber->decider;
            at->fiber = at->fiber->sibling;
            if (d)
                return d;
        }
    }
    return NULL;
}

static bool is_supported(const struct world_decider *d)
{
    CORE_CHECK(d->rank && !d->ready); /* it still asks */
    if (d->kind >= EXPLORE_BUFFER)
        world_states_beyond("it takes decisions about windows, files or threads");
    else if (d->kind == EXPLORE_RECEIVE && (d->recv->cancelling || d->recv->refuses))
        world_states_beyond("it cancels receives");
    else
        return true;
    return false;
}

bool world_states_settle(void)
{
    struct asking at = {0};
    CORE_CHECK(!WORLD->ready_count); /* otherwise ranks could run */
    for (struct world_decider *d; (d = asking_next(&at));) {
        const uint32_t first = EXPLORE->report.option_count;
        if (d->number || !is_supported(d))
            continue;
        world_explore_options(d);
        if (EXPLORE->report.option_count > first) {
            d->answer = EXPLORE->option[first].answer;
            world_explore_answered(d, first, false);
            return true;
        }
    }
    return false;
}

uint32_t world_states_branches(struct world_branch *out_branch, uint32_t room)
{
    struct asking at = {0};
    uint32_t count = 0;
    CORE_CHECK(!WORLD->ready_count && room > 0);
    for (struct world_decider *d; (d = asking_next(&at));) {
        const uint32_t first = EXPLORE->report.option_count;
        if (!d->number || !is_supported(d))
            continue;
        world_explore_options(d);
        for (uint32_t i = first; i < EXPLORE->report.option_count; i++, count++)
            if (count < room)
                out_branch[count] = (struct world_branch){d, EXPLORE->option[i].answer};
        EXPLORE->report.option_count = first;
    }
    return count;
}

void world_states_take(const struct world_branch *branch)
{
    struct world_decider *d = branch->decider;
    const uint32_t first = EXPLORE->report.option_count;
    CORE_CHECK(d->number > 0 && !d->ready);
    d->answer = branch->answer;
    world_explore_tell(d->answer);
    world_explore_answered(d, first, false);
}

/* Tells whether a rank polls for a send: whether that send has a buffer would be a decision as
 * well. */
static bool polls_sends(void)
{
    struct asking at = {0};
    for (const struct world_decider *d; (d = asking_next(&at));)
        for (int i = 0; d->polled_before && i < d->count; i++)
            if (d->request[i] && d->request[i]->kind == REQUEST_SEND)
                return true;
    return false;
}

bool world_states_fail(void)
{
    CORE_CHECK(!WORLD->ready_count && WORLD->searcher);
    if (polls_sends())
        world_states_beyond("it polls for the completion of a send");
    return world_explore_fail(UINT32_MAX);
}

bool world_states_heard(const struct world_rank *rank, const struct world_message *message)
{
    CORE_CHECK(message->world >= 0 && message->world < WORLD->rank_count);
    return rank->heard && world_explore_heard(rank, message);
}
