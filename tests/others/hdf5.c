/* A data set in a file of parallel HDF5: each rank writes its rows, collectively, and reads those
 * of the next one, on its own. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 5, COLUMNS = 8 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, value[ROWS][COLUMNS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    hsize_t whole[2] = {(hsize_t)size * ROWS, COLUMNS}, part[2] = {ROWS, COLUMNS};
    hsize_t start[2] = {(hsize_t)rank * ROWS, 0};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);

    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fcreate("rows.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t space = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, part, NULL);
    hid_t set =
        H5Dcreate(file, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        value[i / COLUMNS][i % COLUMNS] = rank * 1000 + i;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
    H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, value);
    H5Dclose(set);
    H5Fclose(file);

    file = H5Fopen("rows.h5", H5F_ACC_RDONLY, access);
    set = H5Dopen(file, "rows", H5P_DEFAULT);
    start[0] = (hsize_t)((rank + 1) % size) * ROWS;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
    H5Dread(set, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, value);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += value[i / COLUMNS][i % COLUMNS] != (rank + 1) % size * 1000 + i;
    printf("rank %d: %d wrong\n", rank, wrong);
    H5Dclose(set);
    H5Fclose(file);
    H5Sclose(space);
    H5Sclose(memory);
    H5Pclose(access);
    H5Pclose(transfer);
    MPI_Finalize();
    return wrong != 0;
}
