#!/usr/bin/python3
"""Calibration: every planted defect of corpus/defects must be found within its budget, every
correct twin must survive it.

usage: calibrate.py BINARY [--seconds=S] [--runs=N] [--twin-seconds=S] [--twin-runs=N] [--table]
                    [--only=WORD] [--seed=N] [--compare=SEEDS] [--ways=NAME,...]
Prints a line for each failure and a count; --table prints a table: defect, executions, seconds,
axis, rule. --compare=SEEDS prints instead, for each kind of guidance, the executions until each
defect is found, as the median of SEEDS seeds."""
import argparse, math, os, re, resource, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--seconds", type=int, default=60)
parser.add_argument("--runs", type=int, default=5000000)
parser.add_argument("--twin-seconds", type=int, default=60)
parser.add_argument("--twin-runs", type=int, default=5000000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--table", action="store_true")
parser.add_argument(
    "--correct", action="store_true", help="the correct collectives that are nobody's twin too"
)
parser.add_argument("--only", default="")
parser.add_argument("--compare", type=int, default=0, help="seeds")
parser.add_argument("--ways", default="", help="of --compare, these alone")
args = parser.parse_args()
binary = os.path.abspath(args.binary)


def fuzz(name, seconds, runs, seed=args.seed, **environment):
    """Returns (executions, seconds, what was found or None)."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                binary,
                f"-seed={seed}",
                "-len_control=0",
                # else libFuzzer suspects leaks of its own threads and reruns inputs uncounted
                "-detect_leaks=0",
                "-print_final_stats=1",
                "-rss_limit_mb=4096",
                "-malloc_limit_mb=8192",
                "-timeout=20",
                f"-max_total_time={seconds}",
                f"-runs={runs}",
            ],
            cwd=folder,
            # symbolizing stacks takes longer than most findings, and nobody reads them here
            env=dict(
                os.environ,
                CROSSWAIT_FUZZ_TARGET=name,
                ASAN_OPTIONS="symbolize=0",
                UBSAN_OPTIONS="symbolize=0",
                **environment,
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            errors="replace",
        )
    took = time.monotonic() - started
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    finding = re.search(r"crosswait: \S+?: (\S+): (.*)", done.stderr) or re.search(
        r"ERROR: (\S+): (\S+)", done.stderr
    )
    if done.returncode and not finding:
        return 0, took, "exit status %d: %s" % (done.returncode, done.stderr[-400:])
    return (
        int(executions.group(1)) if executions else 0,
        took,
        finding and f"{finding.group(1)}: {finding.group(2)}",
    )


rows = [
    line.split("\t")
    for line in subprocess.run(
        [binary, "--list"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
]
# What guides the fuzzer: the default, and variants that lack a part or add one.
GOES_BY = {
    "ours": "coverage",
    "and pattern": "coverage pattern",
    "pattern": "pattern",
    "neither": "",
    "uncrossed": "coverage uncrossed",
    "all mutated": "coverage anew=0",
    "all anew": "anew=100",
    "plain bytes": "coverage bytes",
    "uniform": "anew=100 uniform=100",
}
if args.ways:
    GOES_BY = {way: GOES_BY[way] for way in args.ways.split(",")}


def computed():
    """Returns the CPU seconds of all ended child processes; waiting for the CPU is not counted."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(names):
    """Prints the executions until each defect is found; a missed defect counts all its runs."""
    print(f"{'defect':40}" + "".join(f" {way:>12}" for way in GOES_BY))
    medians, missed = {way: [] for way in GOES_BY}, dict.fromkeys(GOES_BY, 0)
    executions, seconds = dict.fromkeys(GOES_BY, 0), dict.fromkeys(GOES_BY, 0.0)
    for name in names:
        line = f"{name:40}"
        for way, words in GOES_BY.items():
            taken = []
            for seed in range(1, args.compare + 1):
                before = computed()
                done = fuzz(name, args.seconds, args.runs, seed, CROSSWAIT_FUZZ_GOES_BY=words)
                seconds[way] += computed() - before
                executions[way] += done[0]
                missed[way] += not done[2]
                taken.append(max(done[0], 1) if done[2] else args.runs)
            medians[way].append(statistics.median(taken))
            line += f" {'-' if medians[way][-1] >= args.runs else round(medians[way][-1]):>12}"
        print(line, flush=True)
    means = {way: math.exp(sum(map(math.log, m)) / len(m)) for way, m in medians.items()}
    print(f"{'geometric mean':40}" + "".join(f" {round(mean):12}" for mean in means.values()))
    first = next(iter(means.values()))
    ratios = "".join(f" {mean / first:12.2f}" for mean in means.values())
    print(f"{'times as many as ' + next(iter(means)):40}" + ratios)
    print(f"{'not found, of all seeds':40}" + "".join(f" {count:12}" for count in missed.values()))
    print(f"{'executions, all':40}" + "".join(f" {count:12}" for count in executions.values()))
    print(f"{'seconds of computing, all':40}" + "".join(f" {s:12.1f}" for s in seconds.values()))


if args.compare:
    compare(sorted(row[0] for row in rows if row[3] != "-" and args.only in row[0]))
    sys.exit()
twins = {row[5] for row in rows if row[3] != "-"}
failed = found = silent = 0
table = []
for name, kind, model_row, expect, axis, twin, printed in sorted(rows):
    if args.only not in name:
        continue
    if expect != "-":
        executions, seconds, finding = fuzz(name, args.seconds, args.runs)
        table.append((name, executions, seconds, axis, finding))
        if finding:
            found += 1
        else:
            failed += 1
            print(f"{name}: not found in {executions} executions, {seconds:.0f} s")
    elif name in twins or (args.correct and printed == "-"):
        executions, seconds, finding = fuzz(name, args.twin_seconds, args.twin_runs)
        if finding:
            failed += 1
            print(f"{name}: is correct, but: {finding[:300]}")
        else:
            silent += 1
if args.table:
    print(f"{'defect':40} {'executions':>10} {'seconds':>8}  axis; found as")
    for name, executions, seconds, axis, finding in sorted(table):
        print(f"{name:40} {executions:10} {seconds:8.2f}  {axis}; {(finding or 'not found')[:60]}")
    print(f"{found} defects found, {silent} correct ones silent, {failed} failed")
else:
    print(f"{failed} failed")
sys.exit(1 if failed or not found + silent else 0)
