"""Measures what folding loops saves, side by side in one run: records jobs with a record for each
call (CROSSWAIT_LOOPS=off) and with folded loops; stores the same spools both ways; then judges both
traces and queries them by SQL.
   fold.py BUILD [MILLIONS]     millions of calls of each family, default 1"""
import os, resource, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from mpirun import MPIRUN

BUILD = os.path.abspath(sys.argv[1])
MILLIONS = float(sys.argv[2]) if len(sys.argv) > 2 else 1
# family, ranks, n for a million calls; the last ones are as irregular as real programs can be
FAMILIES = """
halo 2 100000           halo 4 50000            persistent 2 250000     collectives 4 60000
sendrecv 2 500000       puts_fenced 2 500000    waitany 2 300000        flood_tags 2 500000
flood_any 4 150000      thread_exchanges 2 5000
""".split()
QUERY = "select count(*), sum(bytes), max(t_leave) from event"


def cpu(command, folder, **more):
    """Returns CPU seconds and wall seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=dict(os.environ, **MPIRUN, **more), capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 5):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        time.monotonic() - start,
    )


def family(name, ranks, n, folder):
    job = ["mpirun", "-n", ranks, BUILD + "/tests/bench/jobs/families", name, n]
    crosswait = BUILD + "/crosswait"
    _, plain = cpu(job, folder)
    record = {}
    for loops in ("off", "on"):
        words = ["record", "-o", "R.db", "--"]
        _, record[loops] = cpu([crosswait] + words + job, folder, CROSSWAIT_LOOPS=loops)
    # only spools with the times of all calls can be stored both ways
    cpu([crosswait, "record", "--keep-spool", "--times=all", "-o", "R.db", "--"] + job, folder)
    row = {}
    for loops in ("off", "on"):
        trace = os.path.join(folder, loops + ".db")
        store, _ = cpu(
            [crosswait, "recover", "R.db.spool", "-o", trace], folder, CROSSWAIT_LOOPS=loops
        )
        query, _ = cpu(["sqlite3", trace, QUERY], folder)
        check, _ = cpu([crosswait, "check", "-q", trace], folder)
        row[loops] = record[loops] / plain, store, check, query, os.path.getsize(trace)
    calls = int(
        subprocess.run(
            ["sqlite3", trace, "select sum(events) from rank"], capture_output=True, text=True
        ).stdout
    )
    for what in os.listdir(folder):
        subprocess.run(["rm", "-rf", os.path.join(folder, what)])
    cells = [f"{a:8.2f} {b:6.2f}" for a, b in list(zip(row["off"], row["on"]))[:4]]
    each = [f"{row[loops][4] / calls:8.2f}" for loops in ("off", "on")]
    print(f"  {name:18s} {ranks:>2s} {calls:10,d} {'  '.join(cells)}  {' '.join(each)}", flush=True)


print(
    "each column without and with loops: the clock of `record` (plain = 1); seconds of processors"
    " to\nstore, to check, and for a query of sqlite3 over all calls; bytes of the trace a call\n "
    " family          ranks  calls         record           store           check           query  "
    "          bytes"
)
with tempfile.TemporaryDirectory() as folder:
    for name, ranks, n in zip(*[iter(FAMILIES)] * 3):
        family(name, ranks, str(int(int(n) * MILLIONS)), folder)
