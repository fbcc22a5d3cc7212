/* Calls MPI_Alltoallw with a datatype whose data begin behind its origin. A negative displacement
 * puts the origin of a block before the array, and its data inside of the array.
 *
 * Arguments: right: all data are in the array. past: the last block exceeds its end. Ranks: 2.
 *
 * TEST: ranks=2 args=right job=0 verdict=clean
 * TEST: ranks=2 args=past job=0 verdict=misuse
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { INTS = 8, PART = 4, BYTES = PART * (int)sizeof(int) };

static int out[INTS], in[INTS];

int main(int argc, char **argv)
{
    const int whole = INTS, part = PART, start = PART, past = argc > 1 && !strcmp(argv[1], "past");
    const int counts[2] = {1, 1}, sent[2] = {-BYTES, 0}, received[2] = {-BYTES, past ? BYTES : 0};
    int me;
    MPI_Datatype second, types[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Type_create_subarray(1, &whole, &part, &start, MPI_ORDER_C, MPI_INT, &second);
    MPI_Type_commit(&second);
    types[0] = types[1] = second;
    for (int i = 0; i < INTS; i++)
        out[i] = 10 * me + i;
    MPI_Alltoallw(out, counts, sent, types, in, counts, received, types, MPI_COMM_WORLD);
    printf("rank %d: %d and %d\n", me, in[0], in[PART]);
    MPI_Type_free(&second);
    MPI_Finalize();
    return 0;
}
