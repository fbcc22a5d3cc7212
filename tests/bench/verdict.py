"""Measures the cost of the verdict, side by side in one run: each family of calls
   (tests/bench/jobs/families.c) alone, and under `crosswait run` up to the verdict; `check` of a
   trace of a million calls against one query of sqlite3 over it; and the growth of `check` with the
   number of calls.
   verdict.py BUILD [MILLIONS] [FAMILY... | growth]     MILLIONS: of calls a family, default 1"""
import os, resource, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from mpirun import MPIRUN

BUILD = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]
MILLIONS = int(WANTED.pop(0)) if WANTED and WANTED[0].isdigit() else 1
ENV = dict(os.environ, **MPIRUN)
# family, ranks, n: about a million calls each, fewer if MPI itself is slow
FAMILIES = """
halo 2 100000                   pingpong 2 250000               pingping 2 160000
sendrecv 2 500000               persistent 2 250000             flood 2 500000
flood_any 4 150000              flood_tags 2 500000             outstanding 2 10000
outstanding_tags 2 10000        waitany 2 300000                polls 2 200000
probes 2 300000                 matched_probes 2 250000         collectives 4 60000
vectors 4 100000                icollectives 4 40000            icollectives_live 4 40000
icollectives_polled 4 40000     comms 4 10000                   comms_live 4 10000
groups 2 250000                 datatypes 2 100000              datatypes_live 2 100000
infos 2 125000                  local 4 500000                  attributes 2 160000
packs 2 250000                  puts_fenced 2 500000            puts_locked 2 160000
gets_flushed 2 250000           accumulates 2 500000            cas 2 200000
cas_fenced 2 200000             polling 2 20000                 post_start 2 80000
windows 4 1000                  windows_live 4 1000             files 2 100000
thread_a_round 2 1000           thread_exchanges 2 5000         thread_probes 2 5000
outstanding_any 3 10000         outstanding_any_tags 3 5000     unexpected_tags 3 5000
attachments 2 10000             thread_stream 2 20000           thread_collectives 4 5000
thread_rounds 4 3000            thread_accumulates 2 50000      thread_fetches 2 25000
mutex 2 20000                   windows_shared 4 1000
""".split()
BEYOND_S, QUERY = 2, "select count(*), sum(bytes), max(t_leave) from event"


def measure(command, folder):
    """Returns wall seconds and CPU seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, env=ENV, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 5):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return (
        time.monotonic() - start,
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    )


def family(name, ranks, n, folder):
    n = str(int(n) * MILLIONS)
    job = ["mpirun", "-n", ranks, BUILD + "/tests/bench/jobs/families", name, n]
    plain, plain_cpu = measure(job, folder)
    trace = os.path.join(folder, name + ".db")
    judged, judged_cpu = measure(
        [BUILD + "/crosswait", "run", "--confirm=0", "-o", trace, "--"] + job, folder
    )
    check, _ = measure([BUILD + "/crosswait", "check", "-q", trace], folder)
    within = judged <= 2 * plain + BEYOND_S
    within_cpu = judged_cpu <= 2 * plain_cpu + BEYOND_S
    says = "" if within else "  beyond" if not within_cpu else "  beyond, for want of a core"
    print(
        (
            f"  {name:20s} n = {n:>8s}   job {plain:7.2f}   run {judged:7.2f}   of it check"
            f" {check:7.2f}   processor {plain_cpu:7.2f} {judged_cpu:7.2f}{says}"
        ),
        flush=True,
    )
    if name != "halo":
        os.unlink(trace)


def families(wanted, folder):
    """Measures each family. Returns how many of them failed."""
    failed = 0
    print(
        "a job as it is, and from its start to the verdict: seconds, and those of processors"
        f" (bar of both: twice, and {BEYOND_S} s)"
    )
    for name, ranks, n in zip(*[iter(FAMILIES)] * 3):
        if wanted and name not in wanted:
            continue
        try:
            family(name, ranks, n, folder)
        except RuntimeError as why:  # e.g. the MPI library cannot do so much
            print(f"  {name:20s} not measured: {why}", flush=True)
            failed += 1
    return failed


def query(folder):
    trace = os.path.join(folder, "halo.db")
    if not os.path.exists(trace):
        return
    check, sqlite = (
        min(measure(c, folder)[1] for _ in range(3))
        for c in ([BUILD + "/crosswait", "check", "-q", trace], ["sqlite3", trace, QUERY])
    )
    report, _ = min(measure([BUILD + "/crosswait", "report", trace], folder) for _ in range(3))
    print(
        f"check of {MILLIONS} million calls: {check:.2f} s CPU, one query of sqlite3"
        f" {sqlite:.2f} s: {check / sqlite:.1f} times (bar 3)"
    )
    print(f"report of it, text: {report:.2f} s (bar 0.3)")


def check_of(trace, folder):
    """Returns CPU seconds and peak memory, in MB, of `check`."""
    child = subprocess.Popen([BUILD + "/crosswait", "check", "-q", trace], cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"check of {trace}: exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def growth(folder):
    """Measures `check` with 1, 2, 4 and 10 million calls: time per million, and memory."""
    first = 0
    for millions in (1, 2, 4, 10):
        trace = os.path.join(folder, "growth.db")
        job = ["mpirun", "-n", "2", BUILD + "/tests/bench/jobs/families", "halo"]
        measure(
            [BUILD + "/crosswait", "record", "-o", trace, "--"] + job + [f"{millions}00000"], folder
        )
        took, memory = min(check_of(trace, folder) for _ in range(3))
        os.unlink(trace)
        first = first or took
        print(
            (
                f"check of {millions:2d} million calls: {took:5.2f} s CPU,"
                f" {took / millions / first:.2f} times the first's a million (bar 1.5),"
                f" {memory:4.0f} MB (bar, of 10: 1000)"
            ),
            flush=True,
        )


with tempfile.TemporaryDirectory() as folder:
    failed = families(WANTED, folder)
    query(folder)
    if not WANTED or "growth" in WANTED:
        growth(folder)
sys.exit(1 if failed else 0)
