/* A call that MPI refuses on rank 0, or on all, and around it communication that is in order.
 *
 * refused CASE return|fatal: what the error handler does. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int from[4], to[4];
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Message message = MPI_MESSAGE_NULL;

static void send_any_tag(void)
{
    MPI_Send(from, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD);
}
static void send_tag(void)
{
    MPI_Send(from, 1, MPI_INT, 1, -5, MPI_COMM_WORLD);
}
static void send_rank(void)
{
    MPI_Send(from, 1, MPI_INT, 7, 5, MPI_COMM_WORLD);
}
static void send_any_rank(void)
{
    MPI_Ssend(from, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD);
}
static void send_count(void)
{
    MPI_Send(from, -1, MPI_INT, 1, 5, MPI_COMM_WORLD);
}
static void send_type(void)
{
    MPI_Send(from, 1, MPI_DATATYPE_NULL, 1, 5, MPI_COMM_WORLD);
}
static void send_comm(void)
{
    MPI_Send(from, 1, MPI_INT, 1, 5, MPI_COMM_NULL);
}
static void isend(void)
{
    MPI_Isend(from, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void irecv(void)
{
    MPI_Irecv(to, 1, MPI_INT, 9, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void recv_count(void)
{
    MPI_Recv(to, -1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void sendrecv(void)
{
    MPI_Sendrecv(from, 1, MPI_INT, 1, MPI_ANY_TAG, to, 1, MPI_INT, 1, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
static void send_init(void)
{
    MPI_Send_init(from, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
}
static void mprobe(void)
{
    MPI_Mprobe(7, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}
static void iprobe(void)
{
    int found;
    MPI_Iprobe(7, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}
static void bcast(void)
{
    MPI_Bcast(from, 1, MPI_INT, 9, MPI_COMM_WORLD);
}
static void ibcast(void)
{
    MPI_Ibcast(from, 1, MPI_INT, -1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void split(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, -7, 0, &made);
}
static void attach(void)
{
    static char room[1000];
    MPI_Buffer_attach(room, -1);
}

static const struct {
    const char *name;
    void (*make)(void);
} cases[] = {
    {"send_any_tag", send_any_tag},
    {"send_tag", send_tag},
    {"send_rank", send_rank},
    {"send_any_rank", send_any_rank},
    {"send_count", send_count},
    {"send_type", send_type},
    {"send_comm", send_comm},
    {"isend", isend},
    {"irecv", irecv},
    {"recv_count", recv_count},
    {"sendrecv", sendrecv},
    {"send_init", send_init},
    {"mprobe", mprobe},
    {"iprobe", iprobe},
    {"bcast", bcast},
    {"ibcast", ibcast},
    {"split", split},
    {"attach", attach},
};

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 3 && !strcmp(argv[2], "return"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc == 3 && rank == 0 && !strcmp(argv[1], cases[i].name))
            cases[i].make();
    if (rank == 0)
        MPI_Send(from, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    else
        MPI_Recv(to, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(from, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
