/* Makes the calls for dynamic processes: spawns copies of itself, connects two of its ranks over a
 * port, a published name and a socket. Each parent rank prints how often it made each call (the
 * children call only Init, Comm_get_parent, Comm_rank, Recv, Disconnect, Finalize).
 *
 * Arguments: none (the children get one). Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * NEEDS: openmpi<5, as what spawns on 5.0.7 crashes its mpirun, or never ends
 * INPROC: no, it starts processes, and joins them over a socket
 * WORLD: no, it starts processes, and joins them over a socket
 */
#include <mpi.h>

#include "corpus/programs/counted.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int child(MPI_Comm parent)
{
    int number = 0, rank;
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Recv, &number, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
    EXPECT(number == 42);
    CALL(MPI_Comm_disconnect, &parent);
    CALL0(MPI_Finalize);
    return 0;
}

/* Rank 0 opens a port, rank 1 connects to it. */
static void port(int rank)
{
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    int mine = rank, theirs = -1;
    if (rank == 0) {
        CALL(MPI_Open_port, MPI_INFO_NULL, name);
        CALL(MPI_Send, name, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 6, MPI_COMM_WORLD);
        CALL(MPI_Comm_accept, name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    } else {
        CALL(MPI_Recv, name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CALL(MPI_Comm_connect, name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    CALL(MPI_Sendrecv, &mine, 1, MPI_INT, 0, 7, &theirs, 1, MPI_INT, 0, 7, other,
         MPI_STATUS_IGNORE);
    EXPECT(theirs == 1 - rank);
    CALL(MPI_Comm_disconnect, &other);
    if (rank == 0)
        CALL(MPI_Close_port, name);
}

/* Rank 0 publishes its port under a name, rank 1 looks it up. */
static void service(int rank)
{
    char name[MPI_MAX_PORT_NAME] = "", looked_up[MPI_MAX_PORT_NAME] = "", service_name[64];
    int token = (int)getpid();
    if (rank == 0) {
        snprintf(service_name, sizeof(service_name), "calls_spawn.%d", token);
        CALL(MPI_Open_port, MPI_INFO_NULL, name);
        CALL(MPI_Publish_name, service_name, MPI_INFO_NULL, name);
        CALL(MPI_Send, &token, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        CALL(MPI_Recv, looked_up, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 9, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
        EXPECT(!strcmp(name, looked_up));
        CALL(MPI_Unpublish_name, service_name, MPI_INFO_NULL, name);
        CALL(MPI_Close_port, name);
    } else {
        CALL(MPI_Recv, &token, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        snprintf(service_name, sizeof(service_name), "calls_spawn.%d", token);
        CALL(MPI_Lookup_name, service_name, MPI_INFO_NULL, looked_up);
        CALL(MPI_Send, looked_up, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 9, MPI_COMM_WORLD);
    }
}

/* Ranks 0 and 1 join over a socket. */
static void join(int rank)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0), end = -1, port_number;
    int mine = rank, theirs = -1;
    MPI_Comm other;
    if (rank == 0) {
        EXPECT(!bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
               !listen(listener, 1));
        EXPECT(!getsockname(listener, (struct sockaddr *)&address, &length));
        port_number = address.sin_port;
        CALL(MPI_Send, &port_number, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
        end = accept(listener, NULL, NULL);
        close(listener);
    } else {
        CALL(MPI_Recv, &port_number, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        address.sin_port = (in_port_t)port_number;
        EXPECT(!connect(listener, (struct sockaddr *)&address, sizeof(address)));
        end = listener;
    }
    CALL(MPI_Comm_join, end, &other);
    CALL(MPI_Sendrecv, &mine, 1, MPI_INT, 0, 7, &theirs, 1, MPI_INT, 0, 7, other,
         MPI_STATUS_IGNORE);
    EXPECT(theirs == 1 - rank);
    CALL(MPI_Comm_disconnect, &other);
    close(end);
}

int main(int argc, char **argv)
{
    int rank, size, codes[2], number = 42;
    char *arguments[] = {"child", NULL}, *commands[2] = {argv[0], argv[0]},
         **both[2] = {arguments, arguments};
    int ones[2] = {1, 1};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm parent, children;
    /* Open MPI's shared memory does not connect processes of two jobs, even on one machine. */
    setenv("OMPI_MCA_btl", "self,vader,tcp", 1);
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_get_parent, &parent);
    if (parent != MPI_COMM_NULL)
        return child(parent);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    CALL(MPI_Comm_spawn, argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes);
    for (int i = 0; i < 2 && rank == 0; i++)
        CALL(MPI_Send, &number, 1, MPI_INT, i, 5, children);
    CALL(MPI_Comm_disconnect, &children);
    CALL(MPI_Comm_spawn_multiple, 2, commands, both, ones, infos, 0, MPI_COMM_WORLD, &children,
         codes);
    for (int i = 0; i < 2 && rank == 0; i++)
        CALL(MPI_Send, &number, 1, MPI_INT, i, 5, children);
    CALL(MPI_Comm_disconnect, &children);
    if (rank < 2) {
        port(rank);
        service(rank);
        join(rank);
    }
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
