# --seconds of fuzz --library limits the whole run, including shrinking and repeating; after SIGTERM
# the command prints its findings at once. The library here crashes in each case of many algorithms.
# slow
# needs: openmpi<5: its algorithms are those of Open MPI 4.1
cat >wrong.c <<'END'
#include <mpi.h>
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank;
    (void)buffer, (void)count, (void)type, (void)root;
    PMPI_Comm_rank(comm, &rank);
    *(volatile int *)8 = rank;
    return MPI_SUCCESS;
}
END
mpicc -w -shared -fPIC -o wrong.so wrong.c || exit 1
/usr/bin/python3 - <<'P'
import os, signal, subprocess, time

words = ["crosswait", "fuzz", "--library", "--", "--only=bcast", "--ranks=2", "--no-synchronous"]
wrong = dict(os.environ, LD_PRELOAD=os.path.abspath("wrong.so"))


def started(seconds):
    return subprocess.Popen(
        [*words, f"--seconds={seconds}"],
        env=wrong,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


begun = time.monotonic()
job = started(8)
said = job.communicate()[0]
took = time.monotonic() - begun
# One case that is made small may take 60 seconds, and one that is run alone 40.
assert job.returncode == 1 and "crash" in said and "table: " in said, said
assert took < 40, f"{took:.0f} s of 8"

job = started(600)
found = 0
while found < 3 and (line := job.stderr.readline()):
    found += ": found " in line
assert found == 3, "nothing was found"
begun = time.monotonic()
job.send_signal(signal.SIGTERM)
said = job.communicate()[0]
took = time.monotonic() - begun
assert job.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM), job.returncode
assert "interrupted: what was found until then" in said and "crash, not run alone" in said, said
assert took < 35, f"{took:.0f} s after SIGTERM"
P
