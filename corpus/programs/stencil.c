/* A five-point stencil on a two-dimensional grid with halo exchange, like many simulations.
 * Benchmarks measure the cost of recording with it.
 *
 * Arguments: [ITERATIONS] [N]  defaults 100 and 64; each rank has N x N points. Ranks: any number.
 * Prints the sum over the grid, and the time of the loop on rank 0.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=4 args=50 32 job=0 verdict=clean
 * INPROC: prints times
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int iterations = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 64;
    int size, rank, dims[2] = {0, 0}, periods[2] = {1, 1}, up, down, left, right;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);

    int stride = n + 2;
    double *now = calloc((size_t)stride * stride, sizeof(double));
    double *next = calloc((size_t)stride * stride, sizeof(double));
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            now[i * stride + j] = (rank * 31 + i * 7 + j) % 17;
    MPI_Datatype column;
    MPI_Type_vector(n, 1, stride, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    double start = MPI_Wtime();
    for (int k = 0; k < iterations; k++) {
        MPI_Request all[8];
        MPI_Irecv(now + 1, n, MPI_DOUBLE, up, 1, grid, &all[0]);
        MPI_Irecv(now + (n + 1) * stride + 1, n, MPI_DOUBLE, down, 2, grid, &all[1]);
        MPI_Irecv(now + stride, 1, column, left, 3, grid, &all[2]);
        MPI_Irecv(now + stride + n + 1, 1, column, right, 4, grid, &all[3]);
        MPI_Isend(now + n * stride + 1, n, MPI_DOUBLE, down, 1, grid, &all[4]);
        MPI_Isend(now + stride + 1, n, MPI_DOUBLE, up, 2, grid, &all[5]);
        MPI_Isend(now + stride + n, 1, column, right, 3, grid, &all[6]);
        MPI_Isend(now + stride + 1, 1, column, left, 4, grid, &all[7]);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++) {
                const double *p = now + i * stride + j;
                next[i * stride + j] = 0.2 * (p[0] + p[-1] + p[1] + p[-stride] + p[stride]);
            }
        double *swap = now;
        now = next;
        next = swap;
    }
    double seconds = MPI_Wtime() - start, sum = 0, total = 0;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            sum += now[i * stride + j];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, grid);
    if (rank == 0)
        printf("sum %.6g\nseconds %.6f\n", total, seconds);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
