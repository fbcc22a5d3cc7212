# The memory for writing a trace does not grow with the job: neither with messages of a rank to
# itself, which are paired after the rank has been read, nor with those to a rank that is read
# later.
cat >ring.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int me, size, in, calls = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm comm = argc > 2 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < calls; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, (me + 1) % size, 0, &in, 1, MPI_INT, (me + size - 1) % size, 0,
                     comm, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -O1 -o ring ring.c || exit 1
. "$SOURCE/tests/interpose/lib.bash"
held() { # calls [self]: KiB that `recover` had at most, of a job with so many calls a rank
    record ./ring "$@" || exit 1
    rm -f T.db
    /usr/bin/python3 - <<'P'
import resource, subprocess, sys
subprocess.run(["crosswait", "recover", "-o", "T.db", "spool"], check=True, stdout=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
    [ "$(sqlite3 T.db 'select count(*) from message where send_id and recv_id')" = $((2 * $1)) ] ||
        { echo "not all messages are paired" >&2; exit 1; }
}
for of in "" self; do
    less=$(held 80000 $of 2>err) && more=$(held 160000 $of 2>err) || { cat err; exit 1; }
    [ $((more - less)) -lt 2048 ] || { echo "${of:-ring}: $less KiB, then $more KiB"; exit 1; }
done
