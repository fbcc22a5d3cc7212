# A signal stops an exploration of jobs (--world=mpirun) while a job runs that never ends: the
# explorer ends the job and reports what it has. However it ends, it leaves no process and no
# folder.
# timeout: 300
cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FILE *pids = fopen(argv[1], "a");
    fprintf(pids, "%d\n", (int)getpid());
    fclose(pids);
    for (;;)
        pause();
}
END
mpicc -g -O1 -o program program.c || exit 1
mkdir tmp
export TMPDIR=$PWD/tmp
for signal in INT TERM KILL; do
    /usr/bin/python3 "$SOURCE/tests/explore/stopped.py" $signal crosswait explore --world=mpirun \
        --world-time=100000 --time=0 --state=$signal.state mpirun -n 2 ./program $signal.pids
    echo "$signal: [$?] $(test -f $signal.state && echo state)"
done
# What is removed once a killed explorer's job has ended: waited for, as nothing tells when.
while ls tmp | grep -q crosswait-explore; do
    sleep 0.05
done
ls tmp | grep -c crosswait-explore
exit 0
