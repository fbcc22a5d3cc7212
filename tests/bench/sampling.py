#!/usr/bin/python3
"""Measures the cost of a sample of results: records the same job with and without it, alternately.

    sampling.py BUILD [RUNS]

Time is the job's own CPU time. The recorder keeps the first 16 calls of a collective and every
power of two, so 16 + log2(N / 16) of N calls; the bar is 1 % of the time of a job that computes. A
job that only makes calls, on one rank, where they cost almost nothing, shows the cost per call and
the fixed cost."""
import os, statistics, subprocess, sys, tempfile

build, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 15
here = os.path.dirname(os.path.abspath(__file__))
environment = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
)


def once(work, kind, job):
    trace = os.path.join(work, "T.db")
    said = subprocess.run(
        [f"{build}/crosswait", "record", f"--payload={kind}", "-o", trace, "--"]
        + ["mpirun", "-n", "1", os.path.join(work, "sampling"), *map(str, job)],
        env=environment,
        capture_output=True,
        text=True,
    )
    return int(said.stdout.split()[0])


with tempfile.TemporaryDirectory() as work:
    subprocess.run(["mpicc", "-O1", "-o", f"{work}/sampling", f"{here}/sampling.c"], check=True)
    for title, job in (
        ("100,000 calls of 8 bytes", (100000, 8, 0)),
        ("20,000 calls of 4 KiB", (20000, 4096, 0)),
        ("2,000 calls of 64 KiB", (2000, 65536, 0)),
        ("1,000 calls of 8 KiB, 0.2 ms of arithmetic each", (1000, 8192, 50000)),
    ):
        pairs = [(once(work, "none", job), once(work, "sample", job)) for _ in range(runs)]
        ratios = sorted(b / a for a, b in pairs)
        added = statistics.median(b - a for a, b in pairs)
        print(
            (
                f"{title:50} {statistics.median(a for a, _ in pairs) / 1e6:8.2f} ms,"
                f" {added / job[0]:+7.1f} ns a call, ratio {statistics.median(ratios):.4f}"
                f" [{ratios[len(ratios) // 4]:.4f}, {ratios[3 * len(ratios) // 4]:.4f}]"
            ),
            flush=True,
        )
