#!/usr/bin/python3
"""Worlds a second of the fuzzer with sanitizers and coverage, as a ratio to a barrier of 8 ranks in
the same run, with bars.

usage: speed.py BINARY [RUNS]
Time is that of computing, the least of three runs, less that of a start. Exit status 1 when a
collective cannot be measured; a bar that is missed is only told."""
import os, resource, subprocess, sys, tempfile

binary = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5000


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


def cost(target, ranks, count):
    """Of three runs the one that others on the machine disturbed least."""
    start, whole = (min(computed(target, ranks, n) for _ in range(3)) for n in (1, count))
    return (whole - start) / count


barrier = cost("cw_barrier_allreduce", 8, 4 * runs)
print(f"{'barrier':12} {8:3} ranks {1 / barrier:8.0f} worlds/s")
for ranks, bar in (8, 4), (64, 40):
    for name, target in (
        ("allgather", "cw_allgather_ring"),
        ("alltoall", "cw_alltoall_pairwise_xor"),
        ("alltoallv", "fixed_alltoallv_zero_skip"),
    ):
        one = cost(target, ranks, runs if ranks == 8 else max(runs // 16, 50))
        print(
            f"{name:12} {ranks:3} ranks {1 / one:8.0f} worlds/s, 1/{one / barrier:.1f} of the"
            f" barrier's   bar 1/{bar}"
            + ("" if one <= bar * barrier else "   MISSED"),
            flush=True,
        )
