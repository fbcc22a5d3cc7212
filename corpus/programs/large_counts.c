/* Makes MPI 4's calls with large counts; without MPI 4 the same calls with int counts.
 *
 * Arguments: right: correct messages, collectives with a count for each rank, types. swapped: each
 * rank sends before it receives. types: rank 1 sends ints, rank 0 receives floats. Ranks: 2.
 *
 * TEST: ranks=2 args=right job=0 verdict=clean
 * TEST: ranks=2 args=swapped job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 4000
 * TEST: ranks=2 args=types job=0 verdict=message
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION < 4
#define COUNT int
#define PLACE int
#define MPI_Send_c MPI_Send
#define MPI_Recv_c MPI_Recv
#define MPI_Isend_c MPI_Isend
#define MPI_Gatherv_c MPI_Gatherv
#define MPI_Alltoallv_c MPI_Alltoallv
#define MPI_Bcast_c MPI_Bcast
#define MPI_Reduce_c MPI_Reduce
#define MPI_Type_vector_c MPI_Type_vector
#define MPI_Get_count_c MPI_Get_count
#else
#define COUNT MPI_Count
#define PLACE MPI_Aint
#endif

enum { INTS = 1000 };
static int me, in[2 * INTS], out[2 * INTS];

static void swapped(void)
{
    MPI_Send_c(out, INTS, MPI_INT, 1 - me, 1, MPI_COMM_WORLD);
    MPI_Recv_c(in, INTS, MPI_INT, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void types(void)
{
    if (me)
        MPI_Send_c(out, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        MPI_Recv_c(in, 4, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void right(void)
{
    const COUNT counts[2] = {2, 2};
    const PLACE places[2] = {0, 2};
    MPI_Request request;
    MPI_Status status;
    MPI_Datatype column;
    COUNT received;

    MPI_Type_vector_c(10, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Isend_c(out, 2, column, 1 - me, 2, MPI_COMM_WORLD, &request);
    MPI_Recv_c(in, INTS, MPI_INT, 1 - me, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Get_count_c(&status, MPI_INT, &received);
    MPI_Gatherv_c(out, 2, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast_c(in, 5, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce_c(in, out, 5, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d received %d\n", me, (int)received);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "right";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (!strcmp(how, "swapped"))
        swapped();
    else if (!strcmp(how, "types"))
        types();
    else
        right();
    MPI_Finalize();
    return 0;
}
