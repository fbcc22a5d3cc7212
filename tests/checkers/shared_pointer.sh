# expected
# Accesses at the shared file pointer conflict with accesses at an offset if the pointer can be
# there, whichever rank moves it first; there is no finding beyond the pointer's furthest place, or
# if its place is unknown.
cat > pointer.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, x[16] = {0}, how = atoi(argv[1]), at = atoi(argv[2]);
    MPI_File f;
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x[0] = rank + 1;
    MPI_File_open(MPI_COMM_WORLD, "pointer.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &f);
    if (how == 1)
        MPI_File_seek_shared(f, 32, MPI_SEEK_SET);
    if (how == 2)
        MPI_File_set_view(f, 32, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (how == 3) /* from where nobody knows */
        MPI_File_seek_shared(f, 0, MPI_SEEK_END);
    MPI_Barrier(MPI_COMM_WORLD);
    if (how == 4) /* in the order of ranks */
        MPI_File_write_ordered(f, x, 4, MPI_INT, MPI_STATUS_IGNORE);
    else if (how == 5 && rank < 2)
        MPI_File_iwrite_shared(f, x, 4, MPI_INT, &q);
    else if (how == 6 && rank < 2) /* one of them is long */
        MPI_File_write_shared(f, x, rank ? 16 : 1, MPI_INT, MPI_STATUS_IGNORE);
    else if (rank < 2)
        MPI_File_write_shared(f, x, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_File_write_at(f, at, x, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -w -o pointer pointer.c
look() {
    rm -f pointer.dat
    crosswait record -o T.db -- mpirun -n 3 --oversubscribe ./pointer $1 $2 >/dev/null 2>&1
    printf '%s' "$3: "
    crosswait check --only=file T.db | grep -o '^[a-z]*\[file\]: [a-z ]*[0-9]* to [0-9]*' ||
        echo nothing
}
look 0 28 'the second of two'
look 0 32 'behind both'
look 1 28 'before where it was set'
look 1 60 'behind where it was set'
look 2 4 'in a view, in elements'
look 2 8 'behind both in a view'
look 3 0 'from the end on'
look 4 16 'of rank 1, in the order of ranks'
look 4 32 'its own'
look 4 48 'behind all'
look 5 28 'not blocking'
look 5 32 'behind both, not blocking'
look 6 0 'where either begins'
look 6 68 'behind one that is long'
