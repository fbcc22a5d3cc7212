# A mistake that ranks make in each communicator of one split is one finding; mistakes in other
# calls, or with other roots, stay apart.
cat >rows.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, x = 0, y = 0;
    MPI_Comm row;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    if (!strcmp(argv[1], "all") && rank % 2)
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, row);
    else if (!strcmp(argv[1], "two") && rank < 4 && rank % 2)
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, row);
    else if (!strcmp(argv[1], "two") && rank % 2)
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, row);
    else
        MPI_Bcast(&x, 1, MPI_INT, 0, row);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o rows rows.c || exit 1
for what in all two right; do
    echo "$what:"
    crosswait run -o rows.db -- mpirun -n 6 ./rows $what 2>/dev/null |
        grep -E '^(error|verdict)|the same in|^ --> '
done
exit 0
