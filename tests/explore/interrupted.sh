# expected
# A search that Ctrl-C ends after its first worlds says so, and exits with 130 if it found nothing.
cat >sums.c <<'C'
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; !rank && i < size; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 1;
}
C
mpicc -g -include "$SOURCE/tests/explore/paced.h" -o sums sums.c || exit 1
for how in right wrong; do
    /usr/bin/python3 - crosswait explore --time=0 -n 6 -- ./sums ${how#right} <<'P'
import os, signal, subprocess, sys

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
child = subprocess.Popen(
    sys.argv[1:],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    start_new_session=True,
    env=dict(os.environ, PACED=str(os.getpid())),
    preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1]),
)
for _ in range(18):
    signal.sigwait([signal.SIGUSR1])
os.killpg(child.pid, signal.SIGINT)
said = child.communicate()[0].splitlines()[-1]
print(child.returncode, "then the search was interrupted" in said)
P
done
