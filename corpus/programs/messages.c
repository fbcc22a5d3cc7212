/* Sends wrong messages although the job ends normally. The first argument selects the case, "fixed"
 * its correct twin. Ranks: 2.
 *
 * TEST: ranks=2 args=types job=0 verdict=message
 * TEST: ranks=2 args=types fixed job=0 verdict=clean
 * TEST: ranks=2 args=lost job=0 verdict=message
 * TEST: ranks=2 args=lost fixed job=0 verdict=clean
 * TEST: ranks=2 args=ready job=0 verdict=message
 * TEST: ranks=2 args=ready fixed job=0 verdict=clean
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;
static bool fixed;

/* Sends a column of doubles that has as many bytes as twenty integers. */
static void types(void)
{
    MPI_Datatype column;
    double matrix[10][10] = {{0}}, numbers[10];
    int integers[20];

    MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD);
    else if (fixed)
        MPI_Recv(numbers, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(integers, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
}

static void lost(void)
{
    int number = rank;
    MPI_Request request;

    if (rank == 0) {
        MPI_Isend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (fixed) {
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Nothing ensures that the receive is posted before the ready send starts. */
static void ready(void)
{
    int number = rank;
    MPI_Request request;

    if (rank == 1)
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (fixed)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (rank == 0)
        usleep(300000);
    if (rank == 0)
        MPI_Rsend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    if (argc > 1 && !strcmp(argv[1], "types"))
        types();
    else if (argc > 1 && !strcmp(argv[1], "lost"))
        lost();
    else if (argc > 1 && !strcmp(argv[1], "ready"))
        ready();
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
