#!/usr/bin/python3
"""Calibration: every planted defect of corpus/defects must be found within its budget, every correct twin must survive it.

usage: calibrate.py BINARY [--seconds=S] [--runs=N] [--twin-seconds=S] [--twin-runs=N] [--table] [--only=WORD]
Prints a line for each failure and a count; with --table the table: defect, executions, seconds, axis, rule."""
import argparse, os, re, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--seconds", type=int, default=60)
parser.add_argument("--runs", type=int, default=5000000)
parser.add_argument("--twin-seconds", type=int, default=60)
parser.add_argument("--twin-runs", type=int, default=5000000)
parser.add_argument("--table", action="store_true")
parser.add_argument(
    "--correct", action="store_true", help="the correct collectives that are nobody's twin too"
)
parser.add_argument("--only", default="")
args = parser.parse_args()
binary = os.path.abspath(args.binary)


def fuzz(name, seconds, runs):
    """Returns (executions, seconds, what was found or None)."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                binary,
                "-seed=1",
                "-len_control=0",
                "-print_final_stats=1",
                "-rss_limit_mb=4096",
                "-malloc_limit_mb=8192",
                "-timeout=20",
                f"-max_total_time={seconds}",
                f"-runs={runs}",
            ],
            cwd=folder,
            env=dict(os.environ, CROSSWAIT_FUZZ_TARGET=name),
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
