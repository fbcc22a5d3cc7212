/* Matrix times vector on a q x q grid of ranks: the vector is broadcast down the columns, each rank
 * multiplies its block, and the partial results are summed along the rows. The top row holds the
 * vector, the first column gets the result.
 *
 * Arguments: [N]  rows and columns of a block, default 4. Ranks: a square number.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=4 args= job=0 verdict=clean
 * TEST: ranks=9 args=7 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long element(long row, long column)
{
    return (row * 7 + column * 3) % 11;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, q = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 4;
    while ((q + 1) * (q + 1) <= size)
        q++;
    if (q * q != size) {
        if (!rank)
            fprintf(stderr, "the grid needs a square number of ranks, not %d\n", size);
        MPI_Finalize();
        return 2;
    }
    int row = rank / q, column = rank % q;
    MPI_Comm row_comm, column_comm;
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &row_comm);
    MPI_Comm_split(MPI_COMM_WORLD, column, row, &column_comm);

    long *x = calloc(n, sizeof(long)), *part = calloc(n, sizeof(long)),
         *y = calloc(n, sizeof(long));
    if (row == 0)
        for (int j = 0; j < n; j++)
            x[j] = column * n + j + 1;
    MPI_Bcast(x, n, MPI_LONG, 0, column_comm);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            part[i] += element(row * n + i, column * n + j) * x[j];
    MPI_Reduce(part, y, n, MPI_LONG, MPI_SUM, 0, row_comm);

    int wrong = 0;
    if (column == 0) {
        for (int i = 0; i < n; i++) {
            long expected = 0;
            for (int j = 0; j < q * n; j++)
                expected += element(row * n + i, j) * (j + 1);
            wrong += y[i] != expected;
        }
        printf("row %d: %s\n", row, wrong ? "wrong" : "right");
    }
    free(x);
    free(part);
    free(y);
    MPI_Comm_free(&row_comm);
    MPI_Comm_free(&column_comm);
    MPI_Finalize();
    return wrong != 0;
}
