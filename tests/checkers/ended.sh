# What a finding says of the recorded run, and of the job that was run again, is how they ended: a
# run that crashed did not complete, and a command that ended well, but ran no job or was killed,
# refutes nothing.
# timeout: 180
cat >past.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return MPI_Finalize();
}
P
mpicc -g -o past past.c || exit 1
for how in "" aborts; do
    rm -f past.db
    crosswait record -o past.db -- mpirun -q -n 2 ./past $how >/dev/null 2>&1
    crosswait check --only=deadlock past.db | grep -o "the recorded run.*"
done
# The first run is that of a program whose finding only the real job can tell; what runs after it
# is told by an argument.
cat >once <<'S'
#!/bin/bash
program=$1 then=$2
[ -f ran ] || { touch ran; exec mpirun -n 2 "$program"; }
case $then in
same) exec mpirun -n 2 "$program" ;;
nothing) exit 0 ;;
killed) mpirun -n 2 "$program"; kill -TERM $$ ;;
less) exec mpirun -n 1 true ;;
fails) mpirun -n 2 "$program"; exit 7 ;;
esac
S
chmod +x once
for then in same nothing killed less fails; do
    rm -rf ran once.db
    crosswait run -o once.db -- ./once "$BUILD/corpus/programs/test_once" "$then" >once.txt 2>&1
    echo "$then: $?"
    grep -o "refuted: .*\|not confirmed: .*\|confirmed: .*" once.txt
done
exit 0
