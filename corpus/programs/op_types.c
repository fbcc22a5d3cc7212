/* Uses predefined operations on every basic type for which the standard defines them, and on no
 * other: all is correct.
 *
 *     TEST: ranks=2 args= job=0 verdict=clean
 *     INPROC: no, types that the in-process MPI does not reduce
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Datatype integers[] = {MPI_INT,
                               MPI_LONG,
                               MPI_SHORT,
                               MPI_UNSIGNED_SHORT,
                               MPI_UNSIGNED,
                               MPI_UNSIGNED_LONG,
                               MPI_LONG_LONG_INT,
                               MPI_LONG_LONG,
                               MPI_UNSIGNED_LONG_LONG,
                               MPI_SIGNED_CHAR,
                               MPI_UNSIGNED_CHAR,
                               MPI_INT8_T,
                               MPI_INT16_T,
                               MPI_INT32_T,
                               MPI_INT64_T,
                               MPI_UINT8_T,
                               MPI_UINT16_T,
                               MPI_UINT32_T,
                               MPI_UINT64_T};
    MPI_Datatype others[] = {MPI_AINT, MPI_COUNT, MPI_OFFSET,
                             MPI_INTEGER}; /* no logical operations */
    MPI_Datatype floats[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL,
                             MPI_DOUBLE_PRECISION};
    MPI_Datatype complexes[] = {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                                MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX};
    MPI_Datatype logicals[] = {MPI_C_BOOL, MPI_LOGICAL};
    MPI_Datatype bytes[] = {MPI_BYTE};
    MPI_Datatype pairs[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT,        MPI_LONG_INT,
                            MPI_2INT,      MPI_SHORT_INT,         MPI_LONG_DOUBLE_INT,
                            MPI_2REAL,     MPI_2DOUBLE_PRECISION, MPI_2INTEGER};
    MPI_Op order[] = {MPI_MAX, MPI_MIN}, sums[] = {MPI_SUM, MPI_PROD},
           logic[] = {MPI_LAND, MPI_LOR, MPI_LXOR}, bits[] = {MPI_BAND, MPI_BOR, MPI_BXOR},
           places[] = {MPI_MAXLOC, MPI_MINLOC};
#define ROW(ops, types)                                                    \
    {                                                                      \
        ops, types, sizeof ops / sizeof *ops, sizeof types / sizeof *types \
    }
    struct {
        MPI_Op *op;
        MPI_Datatype *type;
        size_t ops, types;
    } row[] = {
        ROW(order, integers), ROW(order, others),  ROW(order, floats),   ROW(sums, integers),
        ROW(sums, others),    ROW(sums, floats),   ROW(sums, complexes), ROW(logic, integers),
        ROW(logic, logicals), ROW(bits, integers), ROW(bits, others),    ROW(bits, bytes),
        ROW(places, pairs),
    };
    _Alignas(16) char in[64], out[64];
    int calls = 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(in, 0, sizeof in);
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (size_t o = 0; o < row[r].ops; o++)
            for (size_t t = 0; t < row[r].types; t++, calls++)
                MPI_Allreduce(in, out, 1, row[r].type[t], row[r].op[o], MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d pairs of operation and type\n", calls);
    MPI_Finalize();
    return 0;
}
