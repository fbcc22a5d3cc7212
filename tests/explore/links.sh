# A search of file accesses cannot distinguish a file that has two names, or one that is deleted at
# its close while other ranks open it by its name. It says that there may be more behaviours.
cat >links.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, linked = strcmp(argv[1], "linked") == 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mode = strcmp(argv[1], "deleted") ? 0 : MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_SELF, rank && linked ? "second" : "first", MPI_MODE_RDWR | mode,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o links links.c || exit 1
for name in plain deleted linked; do
    rm -f first second
    echo 12 >first
    [ $name = linked ] && ln first second
    crosswait explore -n 2 -- ./links $name >out 2>&1
    echo "$name: [$?] $(grep -E '^crosswait' out | tail -1)"
done
