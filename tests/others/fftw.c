/* A transform in two dimensions by FFTW, there and back. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <stdio.h>

enum { ROWS = 24, COLUMNS = 20 };

int main(int argc, char **argv)
{
    ptrdiff_t rows, start, size;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    size = fftw_mpi_local_size_2d(ROWS, COLUMNS, MPI_COMM_WORLD, &rows, &start);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan there = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                           FFTW_ESTIMATE);
    fftw_plan back = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                          FFTW_ESTIMATE);

    for (ptrdiff_t i = 0; i < rows * COLUMNS; i++)
        data[i] = (double)((start * COLUMNS + i) * 7 % 11);
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows; i++)
        printf("%td: %.3f\n", start + i, creal(data[i * COLUMNS + 3]) / (ROWS * COLUMNS));
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(data);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
