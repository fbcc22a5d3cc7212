# timeout: 120
# An interrupt ends only the fuzzer: it shrinks and prints the findings so far, or says that there
# are none.
set -u
cat >two.c <<'C'
#include <mpi.h>
static int send_all(int less, void *b, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(b, n > 4 ? n - less : n, t, i, 1, comm);
    return MPI_SUCCESS;
}
static int wrong(void *b, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    return send_all(1, b, n, t, root, comm);
}
static int right(void *b, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    return send_all(0, b, n, t, root, comm);
}
static int slow(void *b, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    for (volatile int i = 0; i < 3000000; i++)
        ;
    return send_all(0, b, n, t, root, comm);
}
COLLECTIVE(bcast, "", slow)
COLLECTIVE(bcast, "", wrong)
COLLECTIVE(bcast, "", right)
C
/usr/bin/python3 - <<'P'
import glob, os, signal, subprocess, time


def interrupted(target, sign, *more):
    """Starts it, waits for a file that shows how far it is, and interrupts all of it."""
    job = subprocess.Popen(
        ["crosswait", "fuzz", "-o", target, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while job.poll() is None and not sign():
        time.sleep(0.05)
    os.killpg(job.pid, signal.SIGINT)
    said = job.communicate()[0]
    print(target, job.returncode)
    for line in said.splitlines():
        if "cause" in line or "interrupted" in line:
            print(line.split(" (")[0])


def processes(program):
    """That run it."""
    found = set()
    for link in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(link) == os.path.abspath(program):
                found.add(link)
        except OSError:
            pass  # it has ended meanwhile
    return found


def processes_below(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return f.read().split()


def killed(target, *more):
    """Kills crosswait alone: the jobs that it had started end, too."""
    job = subprocess.Popen(["crosswait", "fuzz", "-o", target, *more], start_new_session=True)
    ranks = target + "/library_main-openmpi"
    while job.poll() is None and not processes(ranks):
        time.sleep(0.05)
    assert job.poll() is None, "it had ended before"
    driver = processes_below(job.pid)
    job.kill()
    job.wait()

    def left():
        return processes(ranks) | {pid for pid in driver if os.path.exists("/proc/" + pid)}

    ended = time.monotonic() + 20
    while left() and time.monotonic() < ended:
        time.sleep(0.05)
    print(target, "left behind:", len(left()))


def of_two(target):
    return "two.c", "--target=" + target, "--time=600"


def has_cases():
    return os.path.exists("library/log") and os.path.getsize("library/log")


interrupted("wrong", lambda: glob.glob("wrong/crashes/crash-*"), *of_two("wrong"), "--keep-going")
interrupted("right", lambda: glob.glob("right/corpus/*"), *of_two("right"))
small = *of_two("slow"), "--exhaustive=4"
interrupted("slow", lambda: os.path.exists("slow/exhaustive.txt"), *small)
interrupted("library", has_cases, "--library", "--", "--only=scan", "--seconds=600", "--ranks=3")
killed("gone", "--library", "--", "--only=scan", "--seconds=600", "--cases=100000")
P
