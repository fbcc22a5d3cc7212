/* Error classes of mistaken calls, errors returned. For 2 ranks and more. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void say(const char *what, int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("%s: class %d\n", what, class);
}

static void of_messages(void)
{
    int value[4] = {0}, flag;
    MPI_Status status[2];
    MPI_Request request = MPI_REQUEST_NULL, two[2];
    say("send to rank size", MPI_Send(value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
    say("send to rank -5", MPI_Send(value, 1, MPI_INT, -5, 0, MPI_COMM_WORLD));
    say("send count -1", MPI_Send(value, -1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    say("send tag -3", MPI_Send(value, 1, MPI_INT, 1, -3, MPI_COMM_WORLD));
    say("send any tag", MPI_Send(value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD));
    say("send no type", MPI_Send(value, 1, MPI_DATATYPE_NULL, 1, 0, MPI_COMM_WORLD));
    say("send no comm", MPI_Send(value, 1, MPI_INT, 1, 0, MPI_COMM_NULL));
    say("recv from rank size", MPI_Recv(value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, status));
    say("irecv count -1", MPI_Irecv(value, -1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
    say("probe of rank size", MPI_Probe(size, 0, MPI_COMM_WORLD, status));
    say("start of null", MPI_Start(&request));
    say("free of null request", MPI_Request_free(&request));
    say("cancel of null", MPI_Cancel(&request));
    say("wait for null", MPI_Wait(&request, status));
    say("test of null", MPI_Test(&request, &flag, status));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(value, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) {
        int code = MPI_Recv(value, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, status);
        say("truncated", code);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Send(value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(value, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Irecv(value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &two[0]);
        MPI_Irecv(value + 1, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &two[1]);
        say("waitall truncated", MPI_Waitall(2, two, status));
        say("the whole one", status[0].MPI_ERROR);
        say("the cut one", status[1].MPI_ERROR);
    }
}

static void of_handles(void)
{
    int value, flag, dims[2] = {2, 0}, ranks[2] = {0, 0};
    MPI_Datatype type = MPI_DATATYPE_NULL, vector;
    MPI_Group group, made;
    MPI_Comm comm = MPI_COMM_NULL, cart;
    MPI_Op op = MPI_SUM;
    MPI_Aint lb, extent;
    say("size of no type", MPI_Type_size(type, &value));
    say("commit of no type", MPI_Type_commit(&type));
    say("vector count -1", MPI_Type_vector(-1, 1, 1, MPI_INT, &vector));
    say("contiguous of nothing", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &vector));
    say("extent of no type", MPI_Type_get_extent(MPI_DATATYPE_NULL, &lb, &extent));
    say("size of no comm", MPI_Comm_size(comm, &value));
    say("free of world", MPI_Comm_free(&(MPI_Comm){MPI_COMM_WORLD}));
    say("free of sum", MPI_Op_free(&op));
    say("reduce with no op", MPI_Allreduce(&value, &flag, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    say("band of doubles",
        MPI_Allreduce(&(double){1}, &(double){2}, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
    say("bcast root size", MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    say("bcast count -1", MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD));
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    ranks[0] = size;
    say("incl of rank size", MPI_Group_incl(group, 1, ranks, &made));
    say("size of no group", MPI_Group_size(MPI_GROUP_NULL, &value));
    MPI_Group_free(&group);
    say("cart of world", MPI_Cartdim_get(MPI_COMM_WORLD, &value));
    say("cart too large",
        MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){size, 2}, (int[]){0, 0}, 0, &cart));
    say("dims that do not divide", MPI_Dims_create(7, 2, dims));
    say("attribute of no key", MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &comm, &flag));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    of_messages();
    of_handles();
    MPI_Finalize();
    return 0;
}
