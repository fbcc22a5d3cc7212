/* Transposes a matrix by all-to-all personalised communication: each rank holds B rows of a
 * (B*P) x (B*P) matrix, sends block j of them to rank j, and transposes each block it receives.
 *
 * Arguments: [B]  rows on each rank, default 3. Ranks: any number.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=4 args= job=0 verdict=clean
 * TEST: ranks=5 args=2 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int b = argc > 1 ? atoi(argv[1]) : 3, n = b * size;
    int *out = malloc(sizeof(int) * (b * n + 1)), *in = malloc(sizeof(int) * (b * n + 1));

    /* Element (i, j) of A is i * n + j. The loop stores one block after the other, each transposed.
     */
    for (int block = 0; block < size; block++)
        for (int i = 0; i < b; i++)
            for (int j = 0; j < b; j++)
                out[block * b * b + j * b + i] = (rank * b + i) * n + block * b + j;
    MPI_Alltoall(out, b * b, MPI_INT, in, b * b, MPI_INT, MPI_COMM_WORLD);

    int wrong = 0;
    for (int block = 0; block < size; block++)
        for (int i = 0; i < b; i++)
            for (int j = 0; j < b; j++)
                wrong += in[block * b * b + i * b + j] != (block * b + j) * n + rank * b + i;
    printf("rank %d: %s\n", rank, wrong ? "wrong" : "right");
    free(out);
    free(in);
    MPI_Finalize();
    return wrong != 0;
}
