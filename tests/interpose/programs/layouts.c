/* Types whose maps take some thought: rank 0 sends one element of each, rank 1 receives the same
 * bytes as plain ints or pairs, and prints what came so that the test can tell that the type means
 * what it should. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 22 };
static int me, tag;
static char *buffer;

static void message(const char *name, MPI_Datatype type, MPI_Datatype plain, int ints)
{
    int size, plain_size;
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, name);
    MPI_Type_size(type, &size);
    MPI_Type_size(plain, &plain_size);
    tag++;
    for (int i = 0; i < ROOM / 4; i++)
        ((int *)buffer)[i] = i + 1;
    if (me == 0)
        MPI_Send(buffer, 1, type, 1, tag, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, size / plain_size, plain, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1)
        for (int i = 0; i < ints; i++)
            printf("%s%d%s", i ? " " : "", ((int *)buffer)[i] - 1, i == ints - 1 ? "\n" : "");
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Datatype t, u, pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    buffer = malloc(ROOM);
    MPI_Type_create_subarray(3, (int[]){4, 5, 6}, (int[]){2, 2, 3}, (int[]){1, 2, 2}, MPI_ORDER_C,
                             MPI_INT, &t);
    message("sub_c", t, MPI_INT, 12);
    MPI_Type_create_subarray(3, (int[]){4, 5, 6}, (int[]){2, 2, 3}, (int[]){1, 2, 2},
                             MPI_ORDER_FORTRAN, MPI_INT, &t);
    message("sub_f", t, MPI_INT, 12);
    const int kinds[3] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    const int dflt[3] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                         MPI_DISTRIBUTE_DFLT_DARG},
              grid[3] = {2, 3, 1};
    for (int rank = 0; rank < 6; rank++) {
        MPI_Type_create_darray(6, rank, 3, (int[]){5, 7, 3}, kinds, dflt, grid, MPI_ORDER_C,
                               MPI_INT, &t);
        message("darray_c", t, MPI_INT, 6);
        MPI_Type_create_darray(6, rank, 3, (int[]){5, 7, 3}, kinds, dflt, grid, MPI_ORDER_FORTRAN,
                               MPI_INT, &t);
        message("darray_f", t, MPI_INT, 6);
        MPI_Type_create_darray(
            6, rank, 3, (int[]){11, 13, 2},
            (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
            (int[]){2, 3, MPI_DISTRIBUTE_DFLT_DARG}, grid, MPI_ORDER_C, MPI_INT, &t);
        message("darray_k", t, MPI_INT, 6);
    }
    MPI_Type_vector(5000, 3, 7, MPI_INT, &t);
    message("long", t, MPI_INT, 6);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &u);
    MPI_Type_create_resized(u, 0, 24, &pair);
    MPI_Type_contiguous(120000, pair, &t);
    MPI_Type_free(&u);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &u);
    MPI_Type_commit(&u);
    message("pairs", t, u, 1);
    MPI_Type_create_f90_real(6, 30, &t);
    MPI_Type_contiguous(10, t, &t);
#ifdef MPICH_NAME /* what it takes them for: Fortran's own type, or that of C */
    message("f90", t, MPI_REAL, 0);
#else
    message("f90", t, MPI_FLOAT, 0);
#endif
    MPI_Type_free(&pair);
    MPI_Type_free(&u);
    MPI_Finalize();
    free(buffer);
    return 0;
}
