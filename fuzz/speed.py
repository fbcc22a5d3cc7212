#!/usr/bin/python3
"""Worlds a second of the fuzzer with sanitizers and coverage, as a ratio to a barrier of 8 ranks in
the same run, with bars.

usage: speed.py BINARY [RUNS]
Time is that of computing. A barrier is measured beside each run of a collective, as others on the
machine slow both down, and of each the run that was disturbed least counts. Exit status 1 when a
collective cannot be measured; a bar that is missed is only told."""
import os, resource, subprocess, sys, tempfile

binary = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
ROUNDS = 6


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


def least(measured):
    """Of (target, ranks, runs) the seconds a world, without those of a start, side by side."""
    best = {}
    for _ in range(ROUNDS):
        for target, ranks, count in measured:
            for n in (1, count):
                took = computed(target, ranks, n)
                best[target, n] = min(took, best.get((target, n), took))
    return [(best[target, count] - best[target, 1]) / count for target, _, count in measured]


for ranks, bar in (8, 4), (64, 40):
    for name, target in (
        ("allgather", "cw_allgather_ring"),
        ("alltoall", "cw_alltoall_pairwise_xor"),
        ("alltoallv", "fixed_alltoallv_zero_skip"),
    ):
        barrier, one = least(
            [
                ("cw_barrier_allreduce", 8, runs),
                (target, ranks, runs // 2 if ranks == 8 else max(runs // 32, 50)),
            ]
        )
        print(
            f"{name:12} {ranks:3} ranks {1 / one:8.0f} worlds/s, 1/{one / barrier:.1f} of the"
            f" barrier's {1 / barrier:.0f}   bar 1/{bar}"
            + ("" if one <= bar * barrier else "   MISSED"),
            flush=True,
        )
