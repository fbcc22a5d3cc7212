/* Probes, matched probes, and queries of a status. */
#include "world/exchange/explore.h"

static int probe_check(MPI_Comm comm, int source, int tag)
{
    if (!comm)
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    int size = comm->remote_size ? comm->remote_size : comm->size;
    if ((source < 0 || source >= size) && source != MPI_ANY_SOURCE && source != MPI_PROC_NULL)
        return world_error(comm, MPI_ERR_RANK, "rank %d of %d", source, size);
    if (tag < 0 && tag != MPI_ANY_TAG)
        return world_error(comm, MPI_ERR_TAG, "tag %d", tag);
    return MPI_SUCCESS;
}

static void status_of(const struct world_message *message, MPI_Status *status)
{
    if (!status)
        return;
    CORE_CHECK(!message || (message->source >= 0 && message->tag >= 0));
    status->MPI_SOURCE = message ? message->source : MPI_PROC_NULL;
    status->MPI_TAG = message ? message->tag : MPI_ANY_TAG;
    status->_ucount = message ? message->bytes : 0;
    status->_cancelled = 0;
}

static struct world_message *probe_await(MPI_Comm comm, int source, int tag, bool take)
{
    struct world_fiber *fiber = WORLD->fiber;
    struct world_message *message;
    if (UNLIKELY(WORLD->explore != NULL))
        return world_explore_probe(comm, source, tag, false, take);
    while (!(message = world_match_find(ME, comm->context, source, tag, take))) {
        fiber->why = "probe";
        fiber->peer = source == MPI_ANY_SOURCE
                          ? source
                          : (comm->remote_size ? comm->remote : comm->member)[source];
        fiber->tag = tag;
        CORE_CHECK(fiber->is_rank); /* a message only wakes those */
        fiber->probing = true;
        world_fiber_block();
        CORE_CHECK(!fiber->probing); /* a message arrived */
        fiber->why = NULL;
    }
    return message;
}

static bool look_late(void)
{
    return WORLD->chosen && world_choose(4, REPLAY_REASON_MATCH) == 1;
}

/* Returns the message that a poll finds; NULL if none. */
static struct world_message *probe_look(MPI_Comm comm, int source, int tag, bool take)
{
    if (UNLIKELY(WORLD->explore != NULL))
        return world_explore_probe(comm, source, tag, true, take);
    return look_late() ? NULL : world_match_find(ME, comm->context, source, tag, take);
}

static MPI_Message message_handle(struct world_message *message, MPI_Comm comm)
{
    struct ompi_message_t *made = world_handle_new(HANDLE_MESSAGE, sizeof *made);
    made->message = message;
    made->comm = comm;
    return made;
}

/* flag: NULL for a blocking probe. out: NULL if the message is not taken. */
static int probe_message(MPI_Comm comm, int source, int tag, int *flag, MPI_Message *out,
                         MPI_Status *status)
{
    struct world_message *found = NULL;
    int code = probe_check(comm, source, tag), there = 1;
    if (code)
        return code;
    if (source == MPI_PROC_NULL)
        ME->named_receives++;
    else
        found = flag ? probe_look(comm, source, tag, out) : probe_await(comm, source, tag, out);
    if (!found && source != MPI_PROC_NULL) {
        CORE_CHECK(flag); /* a blocking probe finds one */
        there = 0;
        world_poll_failed();
    } else {
        status_of(found, status);
    }
    if (flag)
        *flag = there;
    if (out)
        *out = found ? message_handle(found, comm) : there ? MPI_MESSAGE_NO_PROC : MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

int MPI_Probe(int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    ENTER("MPI_Probe");
    CALL_USES(status, NULL, status);
    return probe_message(comm_of(handle), source, tag, NULL, NULL, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    ENTER("MPI_Iprobe");
    CALL_USES(NULL, NULL, flag, status);
    return probe_message(comm_of(handle), source, tag, flag, NULL, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm handle, MPI_Message *message, MPI_Status *status)
{
    ENTER("MPI_Mprobe");
    CALL_USES(status, NULL, message, status);
    return probe_message(comm_of(handle), source, tag, NULL, message, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm handle, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    ENTER("MPI_Improbe");
    return probe_message(comm_of(handle), source, tag, flag, message, status);
}

static int probe_imrecv(const char *call, void *buf, int count, MPI_Datatype type,
                        MPI_Message *handle, MPI_Request *out_request)
{
    ENTER(call);
    if (!handle || *handle == MPI_MESSAGE_NULL || !handle_good(*handle, HANDLE_MESSAGE))
        return world_error(NULL, MPI_ERR_REQUEST, "the message is null or was received before");
    int code = world_type_check(type, true);
    if (code || count < 0)
        return world_error((*handle)->comm, code ? code : MPI_ERR_COUNT,
                           "count %d, or a bad datatype", count);
    struct ompi_request_t *request = world_request_new(REQUEST_RECV);
    request->active = true;
    request->buffer = buf;
    request->count = (size_t)count;
    request->type = type;
    request->status = (MPI_Status){.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};
    request->id = ME->request_count++;
    if (*handle == MPI_MESSAGE_NO_PROC) {
        request->comm = &ME->world;
        request->peer = MPI_PROC_NULL;
        request->complete = true;
    } else {
        struct world_message *message = (*handle)->message;
        CORE_CHECK(message && message->source >= 0);
        request->comm = (*handle)->comm;
        request->context = message->context;
        request->peer = message->source;
        request->tag = message->tag;
        request->post[0] = ME->clock[0];
        request->post[1] = ME->clock[1];
        if (UNLIKELY(WORLD->options->event != NULL))
            world_emit(WORLD_EVENT_RECV, message->world, message->tag, message->context,
                       request->count * type->size, request->id, false);
        request->done_causes = WORLD->fiber->causes;
        if (message->send)
            message->send->done_causes = WORLD->fiber->causes;
        world_message_receive(request, message);
        world_handle_kill(&(*handle)->handle);
    }
    *handle = MPI_MESSAGE_NULL;
    *out_request = request;
    return MPI_SUCCESS;
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    return probe_imrecv("MPI_Imrecv", buf, count, type, message, request);
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    ALONE("MPI_Mrecv")
    MPI_Request request;
    int code = probe_imrecv("MPI_Mrecv", buf, count, type, message, &request);
    return code ? code : MPI_Wait(&request, status);
}

/* --- statuses --------------------------------------------------------------------------------- */

int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    ENTER("MPI_Get_count");
    int code = world_type_check(datatype, false);
    if (code)
        return world_error(NULL, code, "the datatype is null or freed");
    if (datatype->size == 0)
        *count = status->_ucount == 0 ? 0 : MPI_UNDEFINED;
    else
        *count = status->_ucount % datatype->size || status->_ucount / datatype->size > 0x7fffffff
                     ? MPI_UNDEFINED
                     : (int)(status->_ucount / datatype->size);
    return MPI_SUCCESS;
}

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    ENTER("MPI_Get_elements_x");
    int code = world_type_check(datatype, false);
    if (code)
        return world_error(NULL, code, "the datatype is null or freed");
    ptrdiff_t elements = world_type_elements(datatype, status->_ucount);
    *count = elements < 0 ? MPI_UNDEFINED : elements;
    return MPI_SUCCESS;
}

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    MPI_Count wide;
    int code = MPI_Get_elements_x(status, datatype, &wide);
    if (code == MPI_SUCCESS)
        *count = wide > 0x7fffffff ? MPI_UNDEFINED : (int)wide;
    return code;
}

int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    ENTER("MPI_Status_set_elements");
    int code = world_type_check(datatype, false);
    if (code || count < 0)
        return world_error(NULL, code ? code : MPI_ERR_COUNT, "a bad datatype or count");
    if (status) {
        size_t per = datatype->basic_count ? datatype->basic_count : 1;
        status->_ucount =
            (size_t)count / per * datatype->size + (size_t)count % per * (datatype->size / per);
    }
    return MPI_SUCCESS;
}

int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
    return MPI_Status_set_elements_x(status, datatype, count);
}

int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    ENTER("MPI_Status_set_cancelled");
    status->_cancelled = flag != 0;
    return MPI_SUCCESS;
}

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    ENTER("MPI_Test_cancelled");
    *flag = status->_cancelled != 0;
    return MPI_SUCCESS;
}
