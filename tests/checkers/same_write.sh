# expected
# Ranks write to the same place of a file: an error if they write different contents, a note if they
# write the same, a warning if the contents are unknown.
cat > prog.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_File f;
    int rank, header[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    header[0] += argc > 1 ? rank : 0;
    MPI_File_open(MPI_COMM_WORLD, "same_write.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &f);
    MPI_File_write_at(f, 0, header, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c
severity() {
    crosswait run "$1" -o T.db -- mpirun -n 2 ./prog $2 >/dev/null 2>&1
    crosswait check --only=file T.db | grep -o '^[a-z]*\[file\]: conflicting' || echo nothing
}
severity --payload=digest
severity --payload=digest other
severity --payload=none
