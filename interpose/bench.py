#!/usr/bin/python3
"""Measures the cost of recording, side by side with no recorder and with EZTrace if installed:
   CPU added per call (also relative to the plain call) and to an exchange of two ranks; CPU added
   to a stencil program, memory of a rank, bytes per event; with valgrind the instructions of a
   call. All times are CPU times, never wall times, and each round runs every recorder, so that
   other load on the machine affects all alike.
   bench.py BUILD"""
import os, re, resource, shutil, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
from mpirun import MPIRUN

BUILD = os.path.abspath(sys.argv[1])
ENV = dict(os.environ, **MPIRUN)
NONE, OURS, RUN, BARE, DIGEST, EZTRACE = (
    "no recorder",
    "crosswait",
    "crosswait, as run does",
    "crosswait, no library layer",
    "crosswait, digests",
    "EZTrace with OTF2",
)
EXTRA = {
    OURS: {},
    RUN: {"CROSSWAIT_BUFFERS": "on", "CROSSWAIT_PAYLOAD": "sample"},  # with buffer checks
    BARE: {"CROSSWAIT_INSIDE": "off"},
    DIGEST: {"CROSSWAIT_PAYLOAD": "digest"},
}
# limits relative to plain runs: time added to a call to oneself, and time of an exchange of two
# ranks
TIMES = {OURS: (2.1, 1.3), RUN: (3.2, 1.6)}
CALLS, PASSES, LARGE = 150000, 7, 65536  # bench_record makes PASSES passes of CALLS calls
ROUNDS, GRID = {1: 15, 2: 7}, ["300", "512"]  # by ranks
HALO_ROUNDS, HALO_STEPS = 9, 300000
COUNTED = (3000, 12000)


def run(ranks, command, kind, folder):
    """Returns the program's standard output, and the bytes that the recorder wrote."""
    trace = os.path.join(folder, "trace")
    shutil.rmtree(trace, ignore_errors=True)
    args, env = ["mpirun", "-n", str(ranks)], dict(ENV)
    if kind == EZTRACE:
        args += ["eztrace", "-t", "openmpi", "-o", trace]
    elif kind != NONE:
        env.update(EXTRA[kind], CROSSWAIT_SPOOL=trace)
        args += ["-x", "CROSSWAIT_SPOOL", "-x", "LD_PRELOAD=" + BUILD + "/libcrosswait.so"] + [
            a for k in EXTRA[kind] for a in ("-x", k)
        ]
    out = subprocess.run(
        args + command, env=env, cwd=folder, capture_output=True, text=True, timeout=120, check=True
    ).stdout
    return out, sum(
        os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(trace) for f in files
    )


def times(ratio, bar):
    return f"{ratio:5.2f} times  (bar {bar})" + ("  beyond" if ratio > bar else "")


def per_call(kinds, folder):
    """Returns the time to read the clock at both ends of a call, in ns: the least possible cost."""
    best, large, size, clock = {}, {}, {}, 1e9
    program = BUILD + "/tests/interpose/bench_record"
    for _ in range(3):
        for kind in kinds:
            out, size[kind] = run(1, [program, str(CALLS)], kind, folder)
            best[kind] = min(best.get(kind, 1e9), float(out.split()[-1]))
            clock = min(clock, float(out.split()[1]))
            if kind in (NONE, DIGEST):
                out, _ = run(1, [program, "6000", str(LARGE)], kind, folder)
                large[kind] = min(large.get(kind, 1e9), float(out.split()[-1]))
    print(
        "a call: messages of 8 bytes to oneself (Irecv, Send, Wait), CPU ns a call, best of 3;"
        " bytes an event as written by the ranks"
    )
    for kind in kinds:
        bar = {OURS: "  (bar 60)", DIGEST: "  (bar 100)"}.get(kind, "")
        print(
            f"  {kind:30s} {best[kind]:7.1f}"
            + (
                f"   added {best[kind] - best[NONE]:6.1f}  "
                f" {size[kind] / CALLS / PASSES:6.1f} bytes an event{bar}"
                if kind != NONE
                else ""
            )
        )
    for kind in TIMES:
        added = times(best[kind] / best[NONE] - 1, TIMES[kind][0])
        print(f"  {kind:30s} added, of the plain call: {added}")
    print(
        f"  reading the clock twice a call alone       {clock:7.1f}: {clock / best[NONE]:.2f} times"
        " the plain call"
    )
    # Three calls per message, two of which (the send, the receive's wait) digest its bytes.
    each = 3 * ((large[DIGEST] - large[NONE]) - (best[DIGEST] - best[NONE])) / (2 * LARGE)
    print(f"  digests of {LARGE} bytes: {each:.3f} ns a byte  (bar 0.1)")
    return clock


def halo(clock, folder):
    """Measures two ranks that only exchange: 2 Irecv, 2 Isend, Waitall per step. Their timing
    varies between runs by more than recording costs, so each kind's best run counts."""
    kinds, best, start = [NONE] + list(TIMES), {}, {}

    def cpu(kind, steps):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(2, [BUILD + "/tests/bench/jobs/families", "halo", str(steps)], kind, folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    for turn in range(HALO_ROUNDS):
        for kind in kinds if turn % 2 else kinds[::-1]:
            best[kind] = min(best.get(kind, 1e9), cpu(kind, HALO_STEPS))
            start[kind] = min(start.get(kind, 1e9), cpu(kind, 1))
    seconds = {kind: best[kind] - start[kind] for kind in kinds}
    print(
        f"exchange, 2 ranks, {HALO_STEPS} steps: CPU of the job without starting it, in times of"
        f" the plain one ({seconds[NONE]:.2f} s); best of {HALO_ROUNDS} rounds"
    )
    for kind in TIMES:
        print(f"  {kind:30s} {times(seconds[kind] / seconds[NONE], TIMES[kind][1])}")
    least = 1 + clock * 1e-9 * 2 * 5 * HALO_STEPS / seconds[NONE]
    print(f"  reading the clock twice a call {least:4.2f} times, where no rank waits for the other")


def counted(path):
    """Returns the instructions of a callgrind run, without checks that run as long as time allows:
    they depend on the machine."""
    total, left_out, names, callee = 0, 0, {}, None
    with open(path) as lines:
        for line in lines:
            if line.startswith("cfn="):
                number, name = re.match(r"cfn=\((\d+)\) ?(.*)", line).groups()
                callee = names.setdefault(number, name)
            elif line.startswith("fn="):
                number, name = re.match(r"fn=\((\d+)\) ?(.*)", line).groups()
                names.setdefault(number, name)
            elif line.startswith("calls="):
                if callee in ("usage_look_slow", "usage_relook_slow"):
                    left_out += int(next(lines).split()[1])
            elif line.startswith("totals:"):
                total = int(line.split()[1])
    return total - left_out


def instructions(folder):
    """Measures costs that do not change on a busy machine."""
    if not shutil.which("valgrind"):
        print("valgrind is not installed here: instructions are not counted (apt-get install it)")
        return
    out, each, program = os.path.join(folder, "counts"), {}, BUILD + "/tests/interpose/bench_record"
    for kind in [NONE] + list(TIMES):
        seen = []
        for calls in COUNTED:
            valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out]
            run(1, valgrind + [program, str(calls)], kind, folder)
            seen.append(counted(out))
        each[kind] = (seen[1] - seen[0]) / (COUNTED[1] - COUNTED[0]) / PASSES
    print("the same, instructions a call, by callgrind; without looking at what receives hold")
    for kind in each:
        print(f"  {kind:30s} {each[kind]:7.0f}   added {each[kind] - each[NONE]:6.0f}")


def stencil(ranks_of_job, kinds, folder):
    rounds = ROUNDS[ranks_of_job]
    ratios, most, own = {k: [] for k in kinds}, {k: [] for k in kinds}, {k: [] for k in kinds}
    for turn in range(rounds):
        seconds = {}
        for kind in kinds if turn % 2 else kinds[::-1]:
            out, _ = run(
                ranks_of_job, [BUILD + "/tests/interpose/bench_stencil"] + GRID, kind, folder
            )
            ranks = re.findall(r"rank cpu ([0-9.]+) most (\d+) own (\d+)", out)
            seconds[kind] = sum(float(r[0]) for r in ranks)
            most[kind].append(max(int(r[1]) for r in ranks))
            own[kind].append(max(int(r[2]) for r in ranks))
        for kind in kinds:
            ratios[kind].append(100 * (seconds[kind] / seconds[NONE] - 1))
    waits = (
        "halo exchanged with itself, so no time goes into waiting"
        if ranks_of_job == 1
        else "waiting for each other included"
    )
    print(
        f"stencil, {ranks_of_job} rank(s) ({waits}): {GRID[0]} steps of {GRID[1]} x"
        f" {GRID[1]} points a rank, CPU of the ranks' loops against no recorder in the same"
        f" round;\n  median of {rounds} rounds, [quarter, three quarters]; memory of a rank: most"
        " it ever had, and of its own when it ended"
    )
    for kind in kinds:
        text = f"  {kind:30s}"
        if kind != NONE:
            low, middle, high = statistics.quantiles(ratios[kind], n=4)
            text += f" {middle:+6.2f} % [{low:+.2f}, {high:+.2f}]" + (
                "  (bar 2 %)" if kind == OURS else ""
            )
        kb, private = statistics.median(most[kind]), statistics.median(own[kind])
        text += f"   memory {kb / 1024:.1f} MB, own {private / 1024:.1f} MB"
        if kind != NONE:
            text += (
                f": added {(kb - statistics.median(most[NONE])) / 1024:+.2f} MB, own"
                f" {(private - statistics.median(own[NONE])) / 1024:+.2f} MB"
            )
        print(text + ("  (bar 2 MB)" if kind == OURS else ""))


def main():
    kinds = [NONE, OURS, RUN, BARE, DIGEST]
    if shutil.which("eztrace"):
        kinds.append(EZTRACE)
    else:
        print("EZTrace is not installed here, so it is not compared (apt-get install eztrace)")
    with tempfile.TemporaryDirectory(prefix="cwbench") as folder:
        clock = per_call(kinds, folder)
        instructions(folder)
        halo(clock, folder)
        for ranks in ROUNDS:
            stencil(ranks, [k for k in kinds if k not in (RUN, BARE)], folder)


main()
