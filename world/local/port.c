/* Ports: groups of one world's ranks that connect to each other, and the names under which ports
 * are published. A connecting root sends a message to the port's rank and gets one back, so the
 * choice of an MPI_Comm_accept is that of a wildcard receive, and is explored as such. The messages
 * are empty: the port holds the data of both sides.
 *
 * A lookup of a name before it is published fails: whether the publication comes first is not
 * explored, and the world reports that.
 *
 * Invariant: the port holds a side for each pending message to it, and those of a rank in the order
 * of its messages. */
#include <stdio.h>

#include "core/random.h"
#include "world/exchange/explore.h"
#include "world/state.h"

enum { PORTS = 0x20000001, REPLIES = 0x20000003 };

struct side {
    const int *member;
    int size;
    uint32_t context;
    int code; /* of the root's call, for its group */
    /* of a connecting side */
    int rank;
    struct side *next, *answer;
};

struct world_port {
    struct world_port *next;
    int rank;
    uint32_t number;
    bool open;
    struct side *waiting, **waiting_end;
};

struct world_service {
    struct world_service *next;
    const char *name, *port;
};

static const char *text_keep(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(world_alloc(bytes), text, bytes);
}

static struct world_port *port_of(const char *name)
{
    int rank;
    uint32_t number;
    if (!name || sscanf(name, "world:%d.%u", &rank, &number) != 2)
        return NULL;
    struct world_port *port = WORLD->ports;
    while (port && (port->rank != rank || port->number != number || !port->open))
        port = port->next;
    return port;
}

int MPI_Open_port(MPI_Info info, char *port_name)
{
    ENTER("MPI_Open_port");
    (void)info;
    struct world_port *port = world_zalloc(sizeof *port);
    *port = (struct world_port){
        .next = WORLD->ports, .rank = ME->rank, .number = ++ME->port_count, .open = true};
    port->waiting_end = &port->waiting;
    WORLD->ports = port;
    snprintf(port_name, MPI_MAX_PORT_NAME, "world:%d.%u", port->rank, port->number);
    CORE_CHECK(port_of(port_name) == port);
    return MPI_SUCCESS;
}

int MPI_Close_port(const char *port_name)
{
    ENTER("MPI_Close_port");
    struct world_port *port = port_of(port_name);
    if (!port || port->rank != ME->rank)
        return world_error(NULL, MPI_ERR_PORT, "this rank has not opened such a port");
    port->open = false;
    CORE_CHECK(!port_of(port_name)); /* names of ports are unique */
    return MPI_SUCCESS;
}

/* --- names ------------------------------------------------------------------------------------ */

static struct world_service **service_of(const char *name)
{
    struct world_service **link = &WORLD->services;
    while (*link && strcmp((*link)->name, name))
        link = &(*link)->next;
    return link;
}

int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    ENTER("MPI_Publish_name");
    (void)info;
    if (*service_of(service_name))
        return world_error(NULL, MPI_ERR_SERVICE, "'%s' is published already", service_name);
    struct world_service *made = world_alloc(sizeof *made);
    *made = (struct world_service){WORLD->services, text_keep(service_name), text_keep(port_name)};
    WORLD->services = made;
    CORE_CHECK(*service_of(service_name) == made);
    return MPI_SUCCESS;
}

int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    ENTER("MPI_Unpublish_name");
    (void)info;
    struct world_service **link = service_of(service_name);
    if (!*link || strcmp((*link)->port, port_name))
        return world_error(NULL, MPI_ERR_SERVICE, "'%s' is not published", service_name);
    *link = (*link)->next;
    CORE_CHECK(!*service_of(service_name)); /* it was published once */
    return MPI_SUCCESS;
}

int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
    ENTER("MPI_Lookup_name");
    (void)info;
    world_explore_limited();
    world_poll_failed(); /* the others run first */
    const struct world_service *service = *service_of(service_name);
    if (!service)
        return world_error(NULL, MPI_ERR_NAME, "'%s' is not published", service_name);
    snprintf(port_name, MPI_MAX_PORT_NAME, "%s", service->port);
    return MPI_SUCCESS;
}

/* --- connections ------------------------------------------------------------------------------ */

/* Completes the request; returns the source of a receive. */
static int port_complete(struct ompi_request_t *request)
{
    if (!request->complete)
        world_request_wait(request);
    world_request_finish(request);
    int source = request->status.MPI_SOURCE;
    world_handle_kill(&request->handle);
    return source;
}

static void port_tell(int rank, int tag, uint32_t context)
{
    struct ompi_request_t *send = world_request_new(REQUEST_SEND);
    world_isend(NULL, 0, MPI_BYTE, rank, tag, &ME->world, context, MODE_STANDARD, send);
    port_complete(send);
}

/* Returns the sender. */
static int port_hear(int rank, int tag, uint32_t context)
{
    struct ompi_request_t *recv = world_request_new(REQUEST_RECV);
    world_irecv(NULL, 0, MPI_BYTE, rank, tag, &ME->world, context, recv);
    return port_complete(recv);
}

static struct side *waiting_take(struct world_port *port, int rank)
{
    struct side **link = &port->waiting, *side;
    while (*link && (*link)->rank != rank)
        link = &(*link)->next;
    side = *link;
    CORE_CHECK(side && side->size > 0 && !side->answer); /* the invariant */
    if (!(*link = side->next))
        port->waiting_end = link;
    return side;
}

/* Returns a context that does not depend on the order in which others are accepted, so that worlds
 * can be compared. */
static uint32_t context_own(void)
{
    uint64_t key = core_random_mix((uint64_t)ME->rank << 32 ^ ++ME->port_count);
    return (uint32_t)(key << 1) | 0x80000000u;
}

/* Does the root's part: returns the other side, or sets a code. */
static struct side *roots_meet(const char *port_name, bool accepts, MPI_Comm comm)
{
    struct world_port *port = port_of(port_name);
    struct side *mine = world_zalloc(sizeof *mine);
    if (!port || (accepts && port->rank != ME->rank)) {
        mine->code = MPI_ERR_PORT;
        return mine;
    }
    int tag = (int)port->number;
    *mine = (struct side){.member = comm->member, .size = comm->size, .rank = ME->rank};
    if (accepts) {
        int rank = port_hear(MPI_ANY_SOURCE, tag, PORTS);
        struct side *theirs = waiting_take(port, rank);
        mine->context = theirs->context;
        theirs->answer = mine;
        port_tell(rank, tag, REPLIES);
        return theirs;
    }
    CORE_CHECK(!*port->waiting_end);
    mine->context = context_own();
    *port->waiting_end = mine;
    port->waiting_end = &mine->next;
    port_tell(port->rank, tag, PORTS);
    port_hear(port->rank, tag, REPLIES);
    CORE_CHECK(mine->answer && mine->answer->context == mine->context);
    return mine->answer;
}

static int port_meet(const char *call, const char *port_name, int root, MPI_Comm handle,
                     bool accepts, MPI_Comm *newcomm)
{
    ENTER(call);
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "an intercommunicator");
    if (root < 0 || root >= comm->size)
        return world_error(comm, MPI_ERR_ROOT, "root %d of %d", root, comm->size);
    struct side *theirs = comm->rank == root ? roots_meet(port_name, accepts, comm) : NULL;
    theirs = world_meet(comm, theirs)->slot[root];
    if (!theirs)
        return world_error(comm, MPI_ERR_ROOT, "the members name different roots");
    if (theirs->code)
        return world_error(comm, theirs->code, "no port is open under that name%s",
                           accepts ? " on this rank" : "");
    CORE_CHECK(theirs->size > 0 && theirs->member);
    MPI_Comm made = world_comm_new(theirs->context, comm->rank, comm->size, comm->member, comm);
    made->remote = theirs->member;
    made->remote_size = theirs->size;
    *newcomm = made;
    return MPI_SUCCESS;
}

int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *newcomm)
{
    (void)info;
    return port_meet("MPI_Comm_accept", port_name, root, comm, true, newcomm);
}

int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm *newcomm)
{
    (void)info;
    return port_meet("MPI_Comm_connect", port_name, root, comm, false, newcomm);
}
