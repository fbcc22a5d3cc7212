#!/usr/bin/python3
"""Measures worlds per second of the fuzzer with sanitizers and coverage, as a ratio to a barrier of
8 ranks in the same run, and compares the ratios with bars.

usage: speed.py BINARY [RUNS]
Time is CPU time, without the start of the process and the first worlds, which touch memory for the
first time. Each run of a collective has a run of the barrier beside it, because other processes on
the machine slow both down; the printed ratio is the median of ROUNDS. Exit status 1 if a collective
cannot be measured; a missed bar is only printed."""
import os, resource, statistics, subprocess, sys, tempfile

binary = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
ROUNDS = 9


def computed(target, ranks, count):
    env = dict(os.environ, CROSSWAIT_FUZZ_TARGET=target, CROSSWAIT_FUZZ_NARROW=f"ranks={ranks}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                binary,
                "-seed=1",
                "-len_control=0",
                f"-runs={count}",
                "-rss_limit_mb=4096",
                "-timeout=60",
            ],
            env=env,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{target}: the fuzzer ended with status {done.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(collectives):
    """Returns for each (target, ranks, runs) a list of seconds per world, measured side by side."""
    starts = {}
    whole = {of: [] for of in collectives}
    for _ in range(ROUNDS):
        for target, ranks, count in collectives:
            took = computed(target, ranks, count // 2)
            starts[target] = min(took, starts.get(target, took))
            whole[target, ranks, count].append(computed(target, ranks, count + count // 2))
    return [[(took - starts[of[0]]) / of[2] for took in whole[of]] for of in collectives]


for ranks, bar in (8, 4), (64, 40):
    for name, target in (
        ("allgather", "cw_allgather_ring"),
        ("alltoall", "cw_alltoall_pairwise_xor"),
        ("alltoallv", "fixed_alltoallv_zero_skip"),
    ):
        barrier, one = measured(
            [
                ("cw_barrier_allreduce", 8, runs),
                (target, ranks, runs // 2 if ranks == 8 else max(runs // 16, 50)),
            ]
        )
        ratio = statistics.median(b / a for a, b in zip(barrier, one))
        print(
            f"{name:12} {ranks:3} ranks {1 / statistics.median(one):8.0f} worlds/s,"
            f" 1/{ratio:.1f} of the barrier's {1 / statistics.median(barrier):.0f}   bar 1/{bar}"
            + ("" if ratio <= bar else "   MISSED"),
            flush=True,
        )
