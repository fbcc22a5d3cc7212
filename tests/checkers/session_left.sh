# A program that uses only a session and exits with the session open is told to finalize the
# session, not to call MPI_Finalize. If it finalizes the session, there is no finding. Ranks that
# give one communicator different string tags wait for ever: the report shows both tags.
command -v mpicc.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
cat >session.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    int rank, tagged = argc > 2;
    MPI_Group_rank(group, &rank);
    MPI_Comm_create_from_group(group, tagged && rank ? "one" : "all", MPI_INFO_NULL,
                               MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    if (argc > 1)
        MPI_Session_finalize(&session);
    return 0;
}
C
mpicc.mpich -g -o session session.c || exit 1
timeout 60 crosswait run -o left.db -- mpiexec.mpich -n 2 ./session >out 2>/dev/null
grep -q '^error\[lifecycle\]: ranks* [01].* without MPI_Session_finalize$' out &&
    grep -q 'help: call MPI_Session_finalize' out || { cat out; exit 1; }
timeout 60 crosswait run -o right.db -- mpiexec.mpich -n 2 ./session right >out 2>/dev/null
grep -q '^verdict: clean$' out || { cat out; exit 1; }
timeout 60 crosswait run --stall=2 -o t.db -- mpiexec.mpich -n 2 ./session right tags >out 2>&1
grep -q "^error\[hang\]: .* string tag 'all', rank 1 with 'one'$" out || { cat out; exit 1; }
