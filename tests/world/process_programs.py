#!/usr/bin/env python3
"""Runs the programs of corpus/programs, unmodified and in every language, in a world of processes,
and compares their output and end: for the first TEST line of each with a run of mpirun, for the
others with the TEST line.

Runs each TEST line except those that a WORLD line excludes:
    WORLD: no, REASON             not in a world of processes
    WORLD: not ARGUMENTS, ...     not with these arguments
    INPROC: prints times          numbers are not compared
If threads of a rank are in MPI at the same time, the test accepts that a world cannot decide how
the program continues.
"""
import concurrent.futures, os, re, sys

sys.path.insert(0, os.path.join(os.environ["SOURCE"], "tests/world"))
sys.argv = sys.argv[:1]
from programs import FOUND, build, folder, head, lines, run, source_of  # noqa: E402

LANGUAGES = (".c", ".cpp", ".f90", ".f", ".py")


def command_of(name):
    stem, ending = os.path.splitext(name)
    if ending == ".py":
        return ["/usr/bin/python3", os.path.join(folder, name)]
    return [os.path.join(build, "corpus/programs", stem)]


def check(name, ranks, args, job, verdict, times, both):
    program = command_of(name) + args
    status, printed, errors = run(
        [os.path.join(build, "tests/run_worlds"), "-n", ranks, "-t", "20000", *program], 120
    )
    if re.search(
        "^threads: .*MPI_THREAD_MULTIPLE", errors, re.M
    ) and "MPI_THREAD_MULTIPLE" in source_of(name):
        return
    if status in (2, 3):
        yield f"no world: {errors}"
        return
    if job == "hangs":
        if not re.search("^(deadlock|collective-mismatch|livelock|time): ", errors, re.M):
            yield f"hangs with mpirun, here not: {errors}"
        return
    clean = verdict in ("clean", "deadlock-unbuffered", "deadlock-some-order", "harmless")
    if verdict in FOUND and FOUND[verdict] + ": " not in errors and verdict == "aborted":
        yield f"no {FOUND[verdict]}: {errors}"
    if verdict in ("crashed", "killed") and not re.search("^(crash|exit-status): ", errors, re.M):
        yield f"nothing ended it: {errors}"
    if clean and status:
        yield f"ends with {status}: {errors}"
    if both and verdict != "misuse" and verdict not in ("crashed", "killed", "aborted"):
        real, expected, trouble = run(["mpirun", "-n", ranks, *program])
        # mpirun may put the end of a line behind another rank's line
        if lines(printed, times) != lines(expected, times) and (
            times or sorted(printed) != sorted(expected)
        ):
            yield f"prints\n{printed}not\n{expected}{errors}{trouble}"


def program_of(name):
    text = head(name)
    refused = re.findall(r"WORLD: no, (.*)", text)
    if refused:
        return name, refused[0], []
    skipped = re.findall(r"WORLD: not ([^,\n]*),", text)
    faults, count = [], 0
    for ranks, args, job, verdict in re.findall(
        r"TEST: ranks=(\d+) args=(.*?) ?job=(\w+) verdict=([\w-]+)", text
    ):
        if args in skipped:
            continue
        count += 1
        for fault in check(
            name, ranks, args.split(), job, verdict, "INPROC: prints times" in text, count == 1
        ):
            faults.append(f"{name}, {ranks} ranks, '{args}': {fault}")
    return name, count, faults


def main():
    names = [
        n
        for n in sorted(os.listdir(folder))
        if n.endswith(LANGUAGES) and re.search(r"TEST: ", head(n))
    ]
    failed = done = ways = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, outcome, faults in pool.map(program_of, names):
            if isinstance(outcome, str):
                print(f"not in a world: {name}: {outcome}")
            for fault in faults:
                print(fault, flush=True)
            failed += bool(faults)
            done += isinstance(outcome, int)
            ways += outcome if isinstance(outcome, int) else 0
    print(f"{done} programs, {ways} runs, in worlds of processes as with mpirun; {failed} differ")
    return failed > 0


sys.exit(main())
