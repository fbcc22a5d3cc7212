/* A variable in a file of parallel NetCDF-4, or of PnetCDF's format: each rank writes its part, and
 * reads that of the next one. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>

enum { PART = 12 };

int main(int argc, char **argv)
{
    int rank, size, file, dimension, variable, wrong = 0, value[PART];
    int mode = argc > 1 && argv[1][0] == 'p' ? NC_64BIT_OFFSET : NC_NETCDF4;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    size_t start = (size_t)rank * PART, count = PART;
    int status = nc_create_par("part.nc", NC_CLOBBER | mode, MPI_COMM_WORLD, MPI_INFO_NULL, &file);

    if (status != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    nc_def_dim(file, "x", (size_t)size * PART, &dimension);
    nc_def_var(file, "values", NC_INT, 1, &dimension, &variable);
    nc_put_att_text(file, variable, "unit", 5, "metre");
    nc_enddef(file);
    nc_var_par_access(file, variable, NC_COLLECTIVE);
    for (int i = 0; i < PART; i++)
        value[i] = rank * 100 + i;
    nc_put_vara_int(file, variable, &start, &count, value);
    nc_close(file);

    nc_open_par("part.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
    nc_inq_varid(file, "values", &variable);
    start = (size_t)((rank + 1) % size) * PART;
    nc_var_par_access(file, variable, NC_COLLECTIVE);
    nc_get_vara_int(file, variable, &start, &count, value);
    for (int i = 0; i < PART; i++)
        wrong += value[i] != (rank + 1) % size * 100 + i;
    printf("rank %d: %d wrong\n", rank, wrong);
    nc_close(file);
    MPI_Finalize();
    return wrong != 0;
}
