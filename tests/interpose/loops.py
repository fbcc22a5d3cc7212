"""Tests loops that the recorder folds (core/spool/spool_loop.h): jobs recorded with and without
folding (CROSSWAIT_LOOPS=off), read by tests/spool.py, are equal except for times.
   loops.py BUILD"""
import os, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import spool

BUILD = sys.argv[1]
# family, ranks, n of jobs that make the same calls in each run; whether most calls are folded
FAMILIES = """
halo 2 400 yes          pingpong 2 800 yes      sendrecv 3 800 yes      persistent 2 500 yes
flood_tags 2 2000 yes   collectives 3 300 yes   vectors 2 500 yes       packs 2 500 yes
datatypes 2 300 no      comms 2 100 no          puts_fenced 2 500 yes   puts_locked 2 300 yes
accumulates 2 300 yes   files 2 100 no
""".split()


def record(job, ranks, loops):
    shutil.rmtree("R.db.spool", ignore_errors=True)
    subprocess.run(
        ["crosswait", "record", "--keep-spool", "--no-watch", "-o", "R.db", "--"]
        + ["mpirun", "-n", ranks]
        + job,
        env=dict(os.environ, CROSSWAIT_LOOPS=loops),
        stdout=subprocess.DEVNULL,
        timeout=300,
        check=True,
    )
    return spool.read("R.db.spool")


def rows(ranks):
    """Returns all that is known of each call, without times."""
    for number, rank in sorted(ranks.items()):
        for e in sorted(rank.events, key=lambda e: e.seq):
            fields = {k: v for k, v in vars(e).items() if k not in ("t_enter", "t_leave")}
            parts = (rank.lists, rank.done, rank.recv_halves, rank.args, rank.texts, rank.repeats)
            fields["call"] = rank.calls[e.call][0]
            yield number, fields, [part.get(e.seq) for part in parts]


wrong = calls = 0
for name, ranks, n, folds in zip(*[iter(FAMILIES)] * 4):
    job = [BUILD + "/tests/bench/jobs/families", name, n]
    off, on = (record(job, ranks, loops) for loops in ("off", "on"))
    for a, b in zip(rows(off), rows(on)):
        if a != b:
            sys.exit(f"{name}: without {a}, with {b}")
    counts = [sum(len(rank.events) for rank in each.values()) for each in (off, on)]
    if counts[0] != counts[1]:
        sys.exit(f"{name}: {counts[0]} calls without, {counts[1]} with")
    calls += counts[0]
    if folds == "yes" and not any(rank.folded for rank in on.values()):
        sys.exit(f"{name}: nothing was folded")
    if any(rank.folded for rank in off.values()):
        sys.exit(f"{name}: it was folded")
print(f"{calls:,} calls")
