/* No layer: a library whose collectives are not seen from inside. */
#include "interpose/layer/layer.h"

const char *layer_start(const char *version)
{
    (void)version;
    return "library layer off: what this MPI library does inside its collectives is not seen";
}

void layer_stop(void)
{
}

bool layer_knows(const char *version)
{
    (void)version;
    return false;
}

MPI_Comm layer_receive_comm(MPI_Request request)
{
    (void)request;
    return recorder_handle.comm_null;
}

void layer_receive_from(MPI_Request request, int source)
{
    (void)request, (void)source;
}

const struct call_description *layer_description(unsigned call)
{
    (void)call;
    return &call_description[0];
}

int layer_starting(MPI_Comm comm, uint64_t seq)
{
    (void)comm, (void)seq;
    return 0;
}

void layer_started(MPI_Comm comm, int tag_before, uint64_t seq)
{
    (void)comm, (void)tag_before, (void)seq;
}

void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq)
{
    (void)comm, (void)id, (void)seq;
}

void layer_persistent(uint64_t init_seq, uint32_t request)
{
    (void)init_seq, (void)request;
}

void layer_restarted(uint32_t request, uint64_t seq)
{
    (void)request, (void)seq;
}

void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm)
{
    (void)lane, (void)e, (void)comm;
}
