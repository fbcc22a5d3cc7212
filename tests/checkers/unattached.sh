# expected
# A buffered send without an attached buffer is reported once, and earlier messages are not
# mentioned.
cat >prog.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD))
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
crosswait run -- mpirun -n 2 ./prog >out.txt 2>/dev/null
echo "[$?]"
grep -E '^(error|warning)|follows: |earlier' out.txt
exit 0
