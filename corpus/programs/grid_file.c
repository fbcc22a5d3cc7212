/* Keeps a grid in one file, in strips of columns: each rank writes its strip through a view, and
 * reads the strip of its right neighbour.
 *
 * The argument selects a mistake. "ghosts": each rank also writes the neighbour's first column
 * (with the same values, so the output is right); "unsynced": only a barrier precedes the read;
 * "early": only MPI_File_sync precedes it. Without an argument: correct. Ranks: any number.
 *
 * TEST: ranks=3 args= job=0 verdict=clean
 * TEST: ranks=3 args=ghosts job=0 verdict=misuse
 * TEST: ranks=3 args=unsynced job=0 verdict=misuse
 * TEST: ranks=3 args=early job=0 verdict=misuse
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 4 };

static void show(MPI_File f, int first, int columns, int all)
{
    int sizes[2] = {ROWS, all}, part[2] = {ROWS, columns}, from[2] = {0, first};
    MPI_Datatype strip;

    MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &strip);
    MPI_Type_commit(&strip);
    MPI_File_set_view(f, 0, MPI_INT, strip, "native", MPI_INFO_NULL);
    MPI_Type_free(&strip);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *wrong = argc > 1 ? argv[1] : "";
    int rank, size, value[ROWS * (COLUMNS + 1)], sum = 0;
    MPI_File f;
    char path[4096];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int all = size * COLUMNS, next = (rank + 1) % size,
        columns = COLUMNS + (strcmp(wrong, "ghosts") == 0 && rank + 1 < size);

    snprintf(path, sizeof path, "%s/grid_file.%d.%s.dat",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", size, wrong);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    for (int i = 0; i < ROWS * columns; i++)
        value[i] = rank * COLUMNS + i % columns; /* the column's number */
    show(f, rank * COLUMNS, columns, all);
    MPI_File_write_all(f, value, ROWS * columns, MPI_INT, MPI_STATUS_IGNORE);
    if (strcmp(wrong, "unsynced") != 0)
        MPI_File_sync(f);
    if (strcmp(wrong, "early") != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(wrong, "unsynced") != 0)
        MPI_File_sync(f);
    show(f, next * COLUMNS, COLUMNS, all);
    MPI_File_read_all(f, value, ROWS * COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += value[i] == next * COLUMNS + i % COLUMNS;
    printf("rank %d read %d numbers of rank %d\n", rank, sum, next);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
