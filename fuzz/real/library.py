#!/usr/bin/python3
"""crosswait fuzz --library: the MPI library's own collective algorithms, forced one by one, under the fuzzer's scenarios.

usage: library.py SHARE FOLDER [--ranks=N] [--cases=N] [--seed=S] [--only=COLLECTIVE[:ALGORITHM]] [--seconds=S] [--no-synchronous]
One MPI job is kept alive and goes through a plan; when a case ends it (a wrong result, a crash, a hang), the next job goes on behind that
case. The cases of all algorithms are dealt out in turns, so that little time is a little of everything. A second pass makes all sends
synchronous inside the library, if libcrosswait.so is there. Prints a table: collective, algorithm ("decided": the library's own choice), cases,
verdict. Exit status 0 nothing found, 1 findings, 3 trouble."""
import argparse, glob, os, re, shutil, signal, subprocess, sys, time

parser = argparse.ArgumentParser(prog="crosswait fuzz --library --", add_help=True)
parser.add_argument("share")
parser.add_argument("folder")
parser.add_argument("--ranks", type=int, default=6)
parser.add_argument("--cases", type=int, default=60, help="for each algorithm")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only", default="")
parser.add_argument(
    "--seconds",
    type=float,
    default=600,
    help="for both passes together (600); what is not reached is named",
)
parser.add_argument(
    "--no-synchronous", action="store_true", help="leave out the pass with all sends synchronous"
)
parser.add_argument("--no-trace", action="store_true", help="do not record failing cases")
args = parser.parse_args()
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough
FAILURES_MAX = 3  # of one algorithm; then the next one's turn
TURN = 10  # cases of an algorithm before the next one's
COLLECTIVES = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce_scatter",
    "scan",
]


def trouble(message):
    print("crosswait: " + message, file=sys.stderr)
    sys.exit(3)


def algorithms():
    """(collective, control variable, number, name) of everything that Open MPI's tuned component can be told to use."""
    try:
        text = subprocess.run(
            ["ompi_info", "--param", "coll", "tuned", "--level", "9", "--parsable"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except FileNotFoundError:
        trouble(
            "ompi_info is needed to list the library's algorithms, and is not on the PATH; Debian"
            " has it: apt-get install openmpi-bin"
        )
    except (OSError, subprocess.CalledProcessError) as error:
        trouble(f"cannot ask ompi_info for the library's algorithms: {error}")
    found = []
    for match in re.finditer(r":(coll_tuned_(\w+)_algorithm):enumerator:value:(\d+):(\S+)", text):
        if match.group(2) in COLLECTIVES:
            found.append(
                (
                    match.group(2),
                    match.group(1),
                    int(match.group(3)),
                    "decided" if match.group(3) == "0" else match.group(4),
                )
            )
    wanted = [f for f in found if not args.only or args.only in (f[0], f"{f[0]}:{f[3]}")]
    if not wanted:
        there = "\n".join(
            f"  {name}: " + " ".join(f[3] for f in found if f[0] == name)
            for name in dict.fromkeys(f[0] for f in found)
        )
        trouble(
            f"there is no collective or algorithm '{args.only}'; there are, to be given as"
            f" COLLECTIVE or COLLECTIVE:ALGORITHM,\n{there}"
        )
    return wanted


def build():
    if not shutil.which("mpicc"):
        trouble(
            "mpicc is needed to build what runs the library's collectives, and is not on the PATH;"
            " Debian has it: apt-get install libopenmpi-dev"
        )
    program = os.path.join(args.folder, "library_main")
    sources = [
        os.path.join(args.share, "src", name)
        for name in (
            "library_main.c",
            "scenario.c",
            "elements.c",
            "shape.c",
            "execute.c",
            "registry.c",
        )
    ]
    if os.path.exists(program) and all(
        os.path.getmtime(program) > os.path.getmtime(s) for s in sources
    ):
        return program
    done = subprocess.run(
        [
            "mpicc",
            "-std=gnu11",
            "-g",
            "-O1",
            "-w",
            "-I" + os.path.join(args.share, "include"),
            "-o",
            program,
        ]
        + sources
        + [os.path.join(args.share, "lib", name) for name in ("libreplay.a", "libcore.a")]
        + ["-lm"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        trouble("cannot build library_main: " + done.stderr[-2000:])
    return program


def job(plan, synchronous, ended, preset=None):
    """Runs one job over the plan, perhaps with a control variable set from outside. Returns the log's lines and its exit status, None when
    the time was over before."""
    plan_path, log_path = os.path.join(args.folder, "plan"), os.path.join(args.folder, "log")
    with open(plan_path, "w") as f:
        for collective, variable, number, name, first, count in plan:
            f.write(f"{collective} {variable} {number} {name} {first} {count}\n")
    open(log_path, "w").close()
    env = dict(os.environ, OMPI_MCA_coll_tuned_use_dynamic_rules="1", **(preset or {}))
    command = ["mpirun", "--oversubscribe", "-n", str(args.ranks)]
    if synchronous:
        command += [
            "-x",
            "LD_PRELOAD=" + synchronous,
            "-x",
            "CROSSWAIT_POLICY=buffering=rendezvous",
            "-x",
            "CROSSWAIT_OUT=" + os.path.join(args.folder, "synchronous.db"),
        ]
    child = subprocess.Popen(
        command + [program, plan_path, log_path, str(args.seed)],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=open(os.path.join(args.folder, "stderr"), "w"),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    last, size = time.monotonic(), -1
    while child.poll() is None:
        time.sleep(0.05)
        now = os.path.getsize(log_path)
        if now != size:
            last, size = time.monotonic(), now
        if time.monotonic() - last > 40:  # even the ranks' own watch is stuck
            os.killpg(child.pid, signal.SIGKILL)
        if time.monotonic() > ended:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            break
    with open(log_path, errors="replace") as f:
        return f.read().splitlines(), None if time.monotonic() > ended else child.returncode


def campaign(title, synchronous, ended):
    """Returns {(collective, name): [cases, [failure...]]}."""
    every = algorithms()
    rest = [
        a + (first, min(TURN, args.cases - first))
        for first in range(0, args.cases, TURN)
        for a in every
    ]
    table = {(a[0], a[3]): [0, []] for a in every}
    fixed = go_through(title, rest, table, synchronous, ended, None)
    for algorithm in {
        entry[:4]: None for entry in fixed
    }:  # cannot be changed in a running job: a job of their own each
        go_through(
            title,
            [entry for entry in fixed if entry[:4] == algorithm],
            table,
            synchronous,
            ended,
            {"OMPI_MCA_" + algorithm[1]: str(algorithm[2])},
        )
    return table


def go_through(title, rest, table, synchronous, ended, preset):
    """Job after job until the plan is done. Returns the entries whose variable could not be set."""
    fixed = []
    while rest and time.monotonic() < ended:
        lines, status = job(rest, synchronous, ended, preset)
        current, failed = None, None
        for line in lines:
            words = line.split(" ", 3)
            if words[0] == "start":
                current = (int(words[1]), int(words[2]), words[3])
                table[(rest[current[0]][0], rest[current[0]][3])][0] += 1
            elif words[0] == "fixed":
                fixed.append(rest[int(words[1])])
            elif words[0] == "finding":
                failed = line.split(" ", 1)[1]
        if status in (0, None):
            break
        if current is None:
            with open(os.path.join(args.folder, "stderr"), errors="replace") as f:
                trouble(
                    f"the job ended with status {status} before its first case:\n{f.read()[-1500:]}"
                )
        at, case, description = current
        collective, variable, number, name, first, count = rest[at]
        failures = table[(collective, name)][1]
        failures.append((case, description, failed or f"crash (mpirun's status {status})"))
        left = first + count - case - 1
        again = [(collective, variable, number, name, case + 1, left)] if left > 0 else []
        rest = [
            entry
            for entry in again + rest[at + 1 :]
            if len(table[(entry[0], entry[3])][1]) < FAILURES_MAX
        ]
        if sys.stderr.isatty():
            print(f"{title}: {collective} {name}: {failures[-1][2]}", file=sys.stderr)
    return fixed


def verdict(cases, failures):
    if not failures:
        return "passed" if cases else "not reached in the time given"
    only = all("does not commute" in description for case, description, failure in failures)
    return failures[0][2].split(" ", 1)[0] + (
        ", only with operations that do not commute" if only else ""
    )


def show(title, table):
    found = 0
    print(title)
    print(f"  {'collective':15} {'algorithm':22} {'cases':>5}  verdict")
    for (collective, name), (cases, failures) in table.items():
        print(f"  {collective:15} {name:22} {cases:5}  {verdict(cases, failures)}")
        for case, description, failure in failures:
            found += 1
            print(f"    case {case}: {description}: {failure}")
    return found


def record(table):
    """One trace for each algorithm that failed: the failing case alone, recorded."""
    crosswait = os.path.join(os.path.dirname(os.path.dirname(args.share)), "crosswait")
    if not os.path.exists(crosswait):
        crosswait = os.path.join(os.path.dirname(os.path.dirname(args.share)), "bin", "crosswait")
    if args.no_trace or not os.path.exists(crosswait):
        return
    variables = {(a[0], a[3]): a for a in algorithms()}
    for key, (cases, failures) in table.items():
        if not failures:
            continue
        collective, variable, number, name = variables[key]
        base = os.path.join(args.folder, f"{collective}-{name}")
        with open(base + ".plan", "w") as f:
            f.write(f"{collective} {variable} {number} {name} {failures[0][0]} 1\n")
        preset = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_" + variable: str(number)}
        command = [
            crosswait,
            "record",
            "-o",
            base + ".db",
            "--",
            "mpirun",
            "--oversubscribe",
            "-n",
            str(args.ranks),
            program,
            base + ".plan",
            base + ".log",
            str(args.seed),
        ]
        try:
            subprocess.run(
                command,
                env=dict(os.environ, **preset),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            pass
        print(
            f"  again: {' '.join(k + '=' + v for k, v in preset.items())} {' '.join(command[5:])}"
            + (f"; trace: {base}.db" if os.path.exists(base + ".db") else "")
        )


program = build()
preload = [
    p
    for p in (
        os.path.join(args.share, "..", "..", "libcrosswait.so"),
        os.path.join(args.share, "..", "..", "lib", "libcrosswait.so"),
    )
    if os.path.exists(p)
]
twice = preload and not args.no_synchronous
started = time.monotonic()
table = campaign("forced", None, started + args.seconds / (2 if twice else 1))
found = show("the library's algorithms, forced one by one, on %d ranks" % args.ranks, table)
if found:
    record(table)
if twice:
    found += show(
        "the same, every send inside the library synchronous",
        campaign("synchronous", os.path.abspath(preload[0]), started + args.seconds),
    )
sys.exit(1 if found else 0)
