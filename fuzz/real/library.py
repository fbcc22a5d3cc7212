#!/usr/bin/python3
"""crosswait fuzz --library: forces an MPI library's own collective algorithms one by one and runs
them with the fuzzer's scenarios.

usage: library.py SHARE FOLDER [--mpi=openmpi|mpich|intel] [--ranks=N] [--cases=N] [--seed=S]
                  [--only=COLLECTIVE[:ALGORITHM]] [--seconds=S] [--diff=FILE] [--scenario=FILE]
                  [--no-synchronous] [--no-shrink] [--no-trace]
One MPI job runs the cases of a plan. If a case ends the job (a wrong result, a crash, a hang), the
next job continues with the following case. Algorithms take turns, a few cases each, so that a short
campaign tries a few cases of every algorithm. An algorithm that can only be chosen before a job
starts gets jobs of its own. With Open MPI and libcrosswait.so a second pass makes all sends inside
the library synchronous. Then failing cases are shrunk, and a crash is repeated by its case alone.
Prints a table of the failures, the smallest case of each, and the command that repeats it;
FOLDER/table holds all rows, and --diff=FILE compares them with those of an earlier run. Exit
status: 0 nothing found (with --diff: nothing new), 1 findings, 2 a mistake in the command line, 3
the campaign could not run."""
import argparse, collections, ctypes, glob, math, os, re, shutil, signal, subprocess, sys, time

parser = argparse.ArgumentParser(prog="crosswait fuzz --library --", add_help=True)
parser.add_argument("share")
parser.add_argument("folder")
parser.add_argument("--mpi", choices=("openmpi", "mpich", "intel"), default="openmpi")
parser.add_argument("--ranks", type=int, default=6)
parser.add_argument("--cases", type=int, default=60, help="for each algorithm")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only", default="", help="COLLECTIVE[:ALGORITHM]")
parser.add_argument(
    "--seconds",
    type=float,
    default=600,
    help="for all of it (600); what is not reached is named",
)
parser.add_argument("--diff", help="the table of another time: only what is new there fails")
parser.add_argument("--scenario", help="only this one, of --only=COLLECTIVE:ALGORITHM")
parser.add_argument(
    "--synchronous", action="store_true", help="of --scenario: all sends are synchronous"
)
parser.add_argument(
    "--no-synchronous", action="store_true", help="leave out the pass with all sends synchronous"
)
parser.add_argument("--no-shrink", action="store_true", help="leave cases as large as they are")
parser.add_argument("--no-trace", action="store_true", help="do not record failing cases")
args = parser.parse_args()
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader may close the pipe early
INTERRUPTED = 130  # exit status after an interrupt, as in a shell
interrupted, heard_at, parent = False, 0, os.getppid()


def on_interrupt(number, frame):
    """Stops the search at the first interrupt, and the process at a second one, if that comes more
    than a second later."""
    global interrupted, heard_at
    if os.getppid() != parent:  # the parent is gone: nobody reads the results
        os._exit(INTERRUPTED)
    if interrupted and time.monotonic() > heard_at + 1:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    interrupted, heard_at = True, time.monotonic()


def tell(text):
    """Reports progress on standard error."""
    print("crosswait: " + text, file=sys.stderr, flush=True)


def clock():
    """Returns seconds; infinity after an interrupt, so that only the report remains to be done."""
    return math.inf if interrupted else time.monotonic()


FAILURES_MAX = 3  # of one algorithm in a pass; then it gets no more cases
TURN = 10  # cases of an algorithm before the next algorithm's
CAMPAIGN = 0.7  # part of the time for finding; the rest shrinks, repeats and records cases
SHRINK_SECONDS = 60  # for one case
ALONE_SECONDS = 40  # for one case in a job of its own, which ends itself earlier
RECORD_SECONDS = 60
UNTRIED = ", not run alone"
PREFERRED = 60  # above the priority of tuned, below that of the component for one rank
ENDLESS = 29  # exit status of library_main if a case does not end
HEADER = "crosswait library table 1"
# environment: the pairs that select the algorithm when a job starts. variable: the control variable
# that a job sets to `number`; "-" if none.
Algorithm = collections.namedtuple("Algorithm", "kind name variable number environment")


class Row:
    """The results of an algorithm: the number of cases that ran, and the failures."""

    def __init__(self):
        self.cases, self.failures, self.absent = 0, [], False


class Failure:
    """A case that failed: the rule, its description, the file with its scenario."""

    def __init__(self, rule, text, description, path, synchronous):
        self.rule, self.text, self.description = rule, text, description
        self.path, self.synchronous, self.also_as_it_is = path, synchronous, False
        self.alone = True  # it fails without other cases before it
        self.tried = True  # False: no time was left to run a crashing case alone

    def verdict(self):
        only = "does not commute" in self.description
        only = ", only with operations that do not commute" if only else ""
        alone = UNTRIED if not self.tried else "" if self.alone else ", only behind other cases"
        return self.rule + only + alone


def trouble(message, status=3):
    print("crosswait: " + message, file=sys.stderr)
    sys.exit(status)


# --- Open MPI -------------------------------------------------------------------------------------


def openmpi_info():
    try:
        return subprocess.run(
            [tool("ompi_info"), "--param", "coll", "all", "--level", "9", "--parsable"],
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


def openmpi_component(name, **more):
    """Returns the environment that prefers a component to all others except the one for
    communicators of one rank."""
    chosen = {f"OMPI_MCA_coll_{name}_priority": str(PREFERRED), **more}
    return tuple(sorted(chosen.items()))


def openmpi_algorithms(kinds):
    """Returns the algorithms that can be forced in the components tuned, libnbc, basic, sm, adapt
    and han."""
    found = []
    enumerated = r":(coll_(?:tuned|libnbc)_(\w+)_algorithm):enumerator:value:(\d+):(\S+)"
    for variable, kind, number, name in re.findall(enumerated, info):
        name = "decided" if number == "0" else name
        for kind in (kind, kind[1:] + "_init") if "libnbc" in variable else (kind,):
            found.append(Algorithm(kind, name, variable, int(number), ()))
    for kind in kinds:
        if not any(a.kind == kind for a in found):
            found.append(Algorithm(kind, "decided", "-", 0, ()))
        if kind[0] != "i" and not kind.endswith("_init"):
            found.append(Algorithm(kind, "basic", "-", 0, openmpi_component("basic")))
    for kind in ("barrier", "bcast", "reduce", "allreduce"):
        found.append(Algorithm(kind, "sm", "-", 0, openmpi_component("sm")))
    for variable, kind, names in re.findall(r":(coll_adapt_(\w+)_algorithm):help:(.*)", info):
        for number, name in re.findall(r"(\d+): (\w+)", names):
            chosen = openmpi_component("adapt", **{"OMPI_MCA_" + variable: number})
            for kind_of in (kind, "i" + kind):
                found.append(Algorithm(kind_of, "adapt-" + name, "-", 0, chosen))
    for kind in dict.fromkeys(re.findall(r":coll_han_use_simple_(\w+):value", info)):
        for name, simple in ("han", "0"), ("han-simple", "1"):
            chosen = openmpi_component("han", **{"OMPI_MCA_coll_han_use_simple_" + kind: simple})
            found.append(Algorithm(kind, name, "-", 0, chosen))
    return [a for a in found if a.kind in kinds]


AGENT = """#!/bin/bash
# What mpirun takes for ssh: HOST COMMAND..., on this machine, which has another name there.
shift
exec unshare -r -u /bin/bash -c 'hostname far; exec /bin/bash -c "$*"' x "$@"
"""


def openmpi_machines(environment, ranks):
    """Returns mpirun's options and the environment of a job. The ranks run on this machine; for
    han, which needs two machines, half of them run on this one under another name, if the kernel
    allows that."""
    here = ["--oversubscribe"], {}
    if "OMPI_MCA_coll_han_priority" not in dict(environment) or "Open MPI v4" in version:
        return here
    if subprocess.run(["unshare", "-r", "-u", "true"], capture_output=True).returncode:
        return here
    agent = os.path.abspath(os.path.join(args.folder, "agent"))
    with open(agent, "w") as f:
        f.write(AGENT)
    os.chmod(agent, 0o700)
    each = (ranks + 1) // 2
    hosts = f"{os.uname().nodename}:{each},far:{each}"
    more = {"PRTE_MCA_plm_ssh_agent": agent, "OMPI_MCA_mpi_yield_when_idle": "1"}
    return ["--host", hosts], more


def openmpi_absent(environment):
    """Tells whether the component that the environment prefers refuses communicators here."""
    component = [re.match("OMPI_MCA_coll_(.*)_priority", key) for key, value in environment]
    component = [match.group(1) for match in component if match]
    if not component:
        return False
    said = os.path.join(args.folder, "said")
    shutil.rmtree(said, ignore_errors=True)
    apart = ["--output-filename", said] if "Open MPI v4" in version else []  # one file per rank
    # han needs two ranks on each of two machines.
    machines, more = openmpi_machines(environment, 4)
    done = subprocess.run(
        [tool("mpirun"), *machines, "-n", "4" if more else "2", *apart]
        + [program, os.devnull, os.devnull, "1"],
        env=dict(os.environ, OMPI_MCA_coll_base_verbose="20", **dict(environment), **more),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    pattern = rf"selecting +{component[0]}, priority +{PREFERRED}, Enabled"
    for folder, folders, files in os.walk(said):
        for name in files:
            with open(os.path.join(folder, name), errors="replace") as f:
                if re.search(pattern, f.read()):
                    return False
    return not re.search(pattern.encode(), done.stdout + done.stderr)


def openmpi_version():
    text = subprocess.run([tool("ompi_info"), "--version"], capture_output=True, text=True).stdout
    return text.splitlines()[0] if text else "Open MPI"


# --- MPICH ----------------------------------------------------------------------------------------


def mpich_names(description, strings):
    """Returns the values that a control variable's description lists, in order. A value is glued to
    the word before it, so take the longest end of the word that is a string in the library."""
    names = []
    for word in re.findall(r"([A-Za-z_]+) *- (?:Force|Internal|Fallback)", description):
        ends = (word[i:] for i in range(len(word)))
        names.append(next((e for e in ends if e.encode() + b"\0" in strings), word))
    return names


def mpich_algorithms(kinds):
    """Returns the algorithms that MPICH's control variables can force: those of its generic layer,
    and those for ranks that share memory."""
    listed = subprocess.run(
        [tool("mpiexec"), "-n", "1", program, "--algorithms"], capture_output=True, text=True
    ).stdout
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    path = re.search(r"libmpi\w*\.so\S* => (\S+)", libraries)
    if not path:
        trouble("cannot find MPICH's library among those of " + program)
    with open(path.group(1), "rb") as f:
        strings = b"".join(set(re.findall(rb"[A-Za-z_]{2,80}\0", f.read())))
    generic, device = ((("MPIR_CVAR_DEVICE_COLLECTIVES", value),) for value in ("none", "all"))
    found = []
    for line in listed.splitlines():
        variable, description = line.split("\t")
        match = re.fullmatch(r"MPIR_CVAR_(\w+?)_(POSIX_)?INTRA_ALGORITHM", variable)
        if not match:
            continue
        kind, prefix = match.group(1).lower(), "posix-" if match.group(2) else ""
        of = (kind, kind[1:] + "_init") if kind[0] == "i" else (kind,)
        for number, name in enumerate(mpich_names(description, strings)):
            if prefix and name == "mpir":
                continue  # a call of the generic layer
            name = prefix + ("decided" if name == "auto" else name)
            for kind in of:
                chosen = device if prefix else generic
                found.append(Algorithm(kind, name, variable, number, chosen))
    for kind in kinds:
        if not any(a.kind == kind for a in found):
            found.append(Algorithm(kind, "decided", "-", 0, generic))
    return [a for a in found if a.kind in kinds]


def mpich_version():
    text = subprocess.run([tool("mpichversion")], capture_output=True, text=True).stdout
    match = re.search(r"MPICH Version:\s*(\S+)", text)
    return "MPICH " + match.group(1) if match else "MPICH"


# --- Intel MPI ------------------------------------------------------------------------------------


def intel_folder():
    """Returns the folder of the installation."""
    return os.path.dirname(os.path.dirname(os.path.realpath(tool("impi_info"))))


def intel_algorithms(kinds):
    """Returns the presets of algorithms that Intel MPI offers, by number."""
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(intel_folder(), "lib"))
    said = subprocess.run([tool("impi_info"), "-e", "-a"], env=env, capture_output=True)
    ranges = {}
    for block in re.split(r"^(?=I_MPI_)", said.stdout.decode(errors="replace"), flags=re.M):
        match = re.match(r"I_MPI_ADJUST_(\w+)\b.*?range: *(\d+)-(\d+)", block, re.S)
        if match:
            ranges[match.group(1).lower()] = range(int(match.group(2)), int(match.group(3)) + 1)
    found = []
    for kind in kinds:
        found.append(Algorithm(kind, "decided", "-", 0, ()))
        for number in ranges.get(kind, ()):
            chosen = (("I_MPI_ADJUST_" + kind.upper(), str(number)),)
            found.append(Algorithm(kind, f"preset-{number}", "-", 0, chosen))
    return found


def intel_version():
    text = subprocess.run([tool("mpiexec"), "--version"], capture_output=True, text=True).stdout
    match = re.search(r"Version (\S+)", text)
    return "Intel MPI " + match.group(1) if match else "Intel MPI"


def intel_flags():
    """Returns the compiler's options, as the compiler wrapper of Intel's wheel does not run."""
    lib = os.path.join(intel_folder(), "lib")
    include = "-I" + os.path.join(intel_folder(), "include")
    return [include, os.path.join(lib, "libmpi.so.12"), "-Wl,-rpath," + lib, "-pthread"]


# --- either ---------------------------------------------------------------------------------------


def tool(name):
    """Returns the path of a program of the library, under Debian's name for it or the plain one, in
    the first folder of PATH with a program that only this library has."""
    mark = {"openmpi": "ompi_info", "mpich": "mpichversion", "intel": "impi_info"}[args.mpi]
    for folder in os.environ["PATH"].split(os.pathsep):
        if os.path.exists(os.path.join(folder, mark)):
            paths = [os.path.join(folder, n) for n in (f"{name}.{args.mpi}", name)]
            return next((path for path in paths if os.path.exists(path)), name)
    return name


def build():
    compiler, more = [tool("mpicc")], []
    if args.mpi == "intel":
        if not shutil.which(tool("impi_info")):
            trouble("impi_info of Intel MPI is not on the PATH: put bin/ of its folder there")
        compiler, more = ["gcc"], intel_flags()
    if not shutil.which(compiler[0]):
        package = "libopenmpi-dev" if args.mpi == "openmpi" else "libmpich-dev"
        trouble(
            "mpicc is needed to build what runs the library's collectives, and is not on the PATH;"
            f" Debian has it: apt-get install {package}"
        )
    made = os.path.join(args.folder, "library_main-" + args.mpi)
    source = os.path.join(args.share, "src")
    sources = [os.path.join(source, name) for name in ("library_main.c", "registry.c")]
    sources += sorted(glob.glob(os.path.join(source, "scenario", "*.c")))
    if os.path.exists(made) and all(os.path.getmtime(made) > os.path.getmtime(s) for s in sources):
        return made
    archives = [os.path.join(args.share, "lib", name) for name in ("libreplay.a", "libcore.a")]
    include = "-I" + os.path.join(args.share, "include")
    done = subprocess.run(
        [*compiler, "-std=gnu11", "-g", "-O1", "-w", include, "-o", made]
        + sources
        + archives
        + [*more, "-lm", "-ldl"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        trouble("cannot build library_main: " + done.stderr[-2000:])
    return made


def wanted(found):
    """Returns the algorithms that --only selects."""
    chosen = [a for a in found if args.only in ("", a.kind, f"{a.kind}:{a.name}")]
    if not chosen:
        there = "\n".join(
            f"  {kind}: " + " ".join(a.name for a in found if a.kind == kind)
            for kind in dict.fromkeys(a.kind for a in found)
        )
        trouble(
            (
                f"there is no collective or algorithm '{args.only}'; there are, to be given as"
                f" COLLECTIVE or COLLECTIVE:ALGORITHM,\n{there}"
            ),
            2,
        )
    return chosen


def launch_command(environment, synchronous):
    """Returns the command that starts a job, and its environment."""
    env = dict(os.environ, OMPI_MCA_coll_tuned_use_dynamic_rules="1", **dict(environment))
    if args.mpi == "intel":
        env.setdefault("I_MPI_THREAD_YIELD", "2")  # if there are more ranks than cores
    if args.mpi != "openmpi":
        return [tool("mpiexec"), "-n", str(args.ranks)], env
    machines, more = openmpi_machines(environment, args.ranks)
    env.update(more)
    command = [tool("mpirun"), *machines, "-n", str(args.ranks)]
    if synchronous:
        out = os.path.join(args.folder, "synchronous.db")
        for word in (
            "LD_PRELOAD=" + preload,
            "CROSSWAIT_POLICY=buffering=rendezvous",
            "CROSSWAIT_OUT=" + out,
        ):
            command += ["-x", word]
    return command, env


libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_us():
    """Makes the kernel end the child when this process ends, for whatever reason."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def job(plan, environment, synchronous, ended):
    """Runs one job over the plan's lines. Returns the lines of its log and its exit status; None
    instead of the status if the time was over first."""
    plan_path, log_path = os.path.join(args.folder, "plan"), os.path.join(args.folder, "log")
    with open(plan_path, "w") as f:
        f.writelines(line + "\n" for line in plan)
    open(log_path, "w").close()
    command, env = launch_command(environment, synchronous)
    with open(os.path.join(args.folder, "stderr"), "w") as errors:
        child = subprocess.Popen(
            command + [program, plan_path, log_path, str(args.seed)],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_us,
        )
    last, size = clock(), -1
    while child.poll() is None:
        time.sleep(0.02)
        now = os.path.getsize(log_path)
        if now != size:
            last, size = clock(), now
        if clock() > ended:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            break
        if clock() - last > 40:  # even the ranks' own time limit does not work
            os.killpg(child.pid, signal.SIGKILL)
    with open(log_path, errors="replace") as f:
        return f.read().splitlines(), None if clock() > ended else child.returncode


def forced(algorithm):
    """Returns the beginning of the algorithm's lines in a plan."""
    return f"{algorithm.kind} {algorithm.variable} {algorithm.number} {algorithm.name}"


def outside(algorithm):
    """Returns the algorithm, selected by the environment, as a running job cannot change it."""
    chosen = (("OMPI_MCA_" + algorithm.variable, str(algorithm.number)),)
    return algorithm._replace(variable="-", environment=algorithm.environment + chosen)


def ended_first(status):
    with open(os.path.join(args.folder, "stderr"), errors="replace") as f:
        trouble(f"the job ended with status {status} before its first case:\n{f.read()[-1500:]}")


def told_by(status):
    """Returns the finding for a job whose ranks reported none, by its exit status."""
    return "hang no end within 15 s" if status == ENDLESS else f"crash mpirun's status {status}"


def case_path(algorithm, failure_key):
    return os.path.join(args.folder, "-".join((algorithm.kind, algorithm.name, failure_key)))


def keep_failure(algorithm, row, found, description, status, synchronous):
    """Adds the case that ended the job to the row's failures, and keeps its scenario."""
    rule, _, text = (found or told_by(status)).partition(" ")
    failure = Failure(rule, text, description, "", synchronous)
    key = rule + ("-order" if "commute," in failure.verdict() else "")
    failure.path = case_path(algorithm, key + ("-synchronous" if synchronous else "") + ".txt")
    if all(f.path != failure.path for f in row.failures):
        shutil.copyfile(os.path.join(args.folder, "log.scenario"), failure.path)
    row.failures.append(failure)


def go_through(entries, environment, table, synchronous, ended):
    """Runs jobs until all entries (algorithm, first case, count) are done. Returns the entries
    whose algorithm only the environment can select."""
    fixed = []
    while entries and clock() < ended:
        plan = [f"{forced(a)} cases {first} {count}" for a, first, count in entries]
        lines, status = job(plan, environment, synchronous, ended)
        current = found = None
        for line in lines:
            words = line.split(" ", 3)
            if words[0] == "start":
                current = (int(words[1]), int(words[2]), words[3])
                found = None
                table[entries[current[0]][0][:2]].cases += 1
            elif words[0] == "fixed":
                fixed.append(entries[int(words[1])])
            elif words[0] == "finding":
                found = line.split(" ", 1)[1]
        if status in (0, None):
            break
        if current is None:
            ended_first(status)
        at, case, description = current
        algorithm, first, count = entries[at]
        row = table[algorithm[:2]]
        keep_failure(algorithm, row, found, description, status, synchronous)
        failure = row.failures[-1]
        tell(f"found {algorithm.kind} {algorithm.name}: {failure.verdict()}: {failure.text}")
        left = first + count - case - 1
        entries = ([(algorithm, case + 1, left)] if left > 0 else []) + entries[at + 1 :]
        entries = [
            e
            for e in entries
            if sum(f.synchronous == synchronous for f in table[e[0][:2]].failures) < FAILURES_MAX
        ]
    return fixed


def campaign(algorithms, table, synchronous, ended):
    """Runs all algorithms, in groups of one environment; each group gets its part of the time."""
    groups = {}
    for algorithm in algorithms:
        groups.setdefault(algorithm.environment, []).append(algorithm)
    left, fixed = len(algorithms), []
    for environment, group in groups.items():
        now = clock()
        until = now + max(ended - now, 0) * len(group) / left
        left -= len(group)
        if args.mpi == "openmpi" and openmpi_absent(environment):
            for algorithm in group:
                table[algorithm[:2]].absent = True
            continue
        turns = range(0, args.cases, TURN)
        rest = [(a, first, min(TURN, args.cases - first)) for first in turns for a in group]
        fixed += go_through(rest, environment, table, synchronous, until)
    for algorithm in dict.fromkeys(a for a, first, count in fixed):
        again = outside(algorithm)
        entries = [(again, first, count) for a, first, count in fixed if a == algorithm]
        go_through(entries, again.environment, table, synchronous, ended)


# --- shrinking ------------------------------------------------------------------------------------


def shrink(algorithm, failure, ended):
    """Shrinks the scenario of a failure in one job after the other, and updates its description."""
    step = 0
    while clock() < ended:
        line = f"{forced(algorithm)} shrink {failure.rule} {step} {failure.path}"
        lines, status = job([line], algorithm.environment, failure.synchronous, ended)
        if any(line.startswith("fixed ") for line in lines):
            algorithm = outside(algorithm)
            continue
        last = found = None
        for line in lines:
            words = line.split(" ", 2)
            if words[0] == "small":
                failure.description = words[2]
            elif words[0] == "step":
                last, found = int(words[2]), None
            elif words[0] == "finding":
                found = words[1]
                if found == failure.rule:
                    failure.text = words[2]
        if status in (0, None) or last is None:
            return
        ended_by = found or told_by(status).split(" ")[0]
        step = -1 - last if ended_by == failure.rule else last + 1


def run_alone(algorithm, path, synchronous, ended):
    """Runs a scenario in a job of its own. Returns its description and the finding, or ""."""
    for chosen in algorithm, outside(algorithm):
        line = f"{forced(chosen)} again {path}"
        lines, status = job([line], chosen.environment, synchronous, ended)
        if not any(line.startswith("fixed ") for line in lines):
            break
    started = [line.split(" ", 3)[3] for line in lines if line.startswith("start ")]
    found = [line.split(" ", 1)[1] for line in lines if line.startswith("finding ")]
    if not started:
        ended_first(status)
    if status and not found:
        found = [told_by(status)]
    return started[0], found[0] if found else ""


def confirm(algorithm, failure, first):
    """Tells whether a crash belongs to its case: an earlier case of the job can have corrupted
    memory. It does if a job with this case alone fails, with the shrunk or the first scenario."""
    for text in None, first:
        if text:
            with open(failure.path, "w") as f:
                f.write(text)
        ended = min(clock() + ALONE_SECONDS, deadline)
        if clock() >= deadline:
            failure.tried = False
            return
        description, found = run_alone(algorithm, failure.path, failure.synchronous, ended)
        if found:
            failure.rule, _, failure.text = found.partition(" ")
            failure.description = description
            return
    failure.description, failure.alone = description, False


def distinct(table, algorithms):
    """Keeps one failure for each verdict of an algorithm and shrinks it. Marks verdicts that need
    synchronous sends. Each failure gets an equal part of the remaining time."""
    left = len({(a, f.verdict()) for a in algorithms for f in table[a[:2]].failures})
    for algorithm in algorithms:
        row, kept = table[algorithm[:2]], {}
        for failure in row.failures:
            before = kept.setdefault(failure.verdict(), failure)
            before.also_as_it_is |= not failure.synchronous
        for failure in kept.values():
            with open(failure.path) as f:
                first = f.read()
            now = clock()
            if not args.no_shrink and now < deadline:
                tell(f"making {algorithm.kind} {algorithm.name} small: {failure.verdict()}")
                ended = min(now + SHRINK_SECONDS, now + (deadline - now) / max(left, 1), deadline)
                shrink(algorithm, failure, ended)
            left -= 1
            if failure.rule == "crash":
                confirm(algorithm, failure, first)
        row.failures = []
        for failure in kept.values():  # shrinking can make two verdicts equal
            if failure.verdict() not in (f.verdict() for f in row.failures):
                row.failures.append(failure)


def again_command(algorithm, failure):
    words = ["crosswait fuzz --library --output=" + args.folder, "--", f"--ranks={args.ranks}"]
    if args.mpi != "openmpi":
        words.append("--mpi=" + args.mpi)
    if failure.synchronous:
        words.append("--synchronous")
    words += [f"--only={algorithm.kind}:{algorithm.name}", "--scenario=" + failure.path]
    return " ".join(words)


def record(algorithm, failure):
    """Records a trace of the failing case alone. Returns its path, or None."""
    root = os.path.dirname(os.path.dirname(args.share))
    crosswait = [os.path.join(root, part) for part in ("crosswait", "bin/crosswait")]
    crosswait = [path for path in crosswait if os.path.exists(path)]
    left = deadline - clock()
    if left <= 0 or args.no_trace or failure.synchronous or not crosswait:
        return None
    base = failure.path.removesuffix(".txt")
    chosen = (
        outside(algorithm) if algorithm.variable != "-" and args.mpi == "openmpi" else algorithm
    )
    with open(base + ".plan", "w") as f:
        f.write(f"{forced(chosen)} again {failure.path}\n")
    command, env = launch_command(chosen.environment, False)
    recorder = [crosswait[0], "record", "-o", base + ".db", "--"]
    try:
        subprocess.run(
            recorder + command + [program, base + ".plan", base + ".log", str(args.seed)],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=min(RECORD_SECONDS, left),
        )
    except subprocess.TimeoutExpired:
        pass
    return base + ".db" if os.path.exists(base + ".db") else None


# --- the table ------------------------------------------------------------------------------------


def sends(failure):
    return "any" if failure.also_as_it_is else "synchronous"


def show(algorithms, table):
    """Prints the failures and a summary. Returns the number of failures."""
    count = 0
    ranks = f"{args.ranks} rank" + "s" * (args.ranks != 1)
    print(
        f"{version} on {ranks}: {len(algorithms)} algorithms of"
        f" {len({a.kind for a in algorithms})} collectives,"
        f" {sum(row.cases for row in table.values())} cases"
    )
    for algorithm in algorithms:
        for failure in table[algorithm[:2]].failures:
            if not count:
                print(f"  {'collective':20} {'algorithm':26} {'sends':11} verdict: smallest case")
            count += 1
            print(
                f"  {algorithm.kind:20} {algorithm.name:26} {sends(failure):11}"
                f" {failure.verdict()}: {failure.description}"
            )
            print(f"    {failure.text}\n    again: {again_command(algorithm, failure)}")
            trace = record(algorithm, failure)
            if trace:
                print(f"    trace: {trace}")
    passed = sum(1 for row in table.values() if row.cases and not row.failures)
    print(f"{passed} of {len(algorithms)} algorithms passed, {count} findings")
    for words, some in (
        ("not reached in the time given", [a for a in algorithms if is_missed(table[a[:2]])]),
        (
            "not offered by the library for such communicators",
            [a for a in algorithms if table[a[:2]].absent],
        ),
    ):
        if some:
            print(f"{words}: " + ", ".join(f"{a.kind}:{a.name}" for a in some))
    return count


def is_missed(row):
    return not row.cases and not row.absent


def lines_of(algorithms, table):
    """Yields the rows of the table for FOLDER/table: collective, algorithm, verdict, sends,
    smallest case."""
    for a in algorithms:
        row = table[a[:2]]
        for failure in row.failures:
            yield (a.kind, a.name, failure.verdict(), sends(failure), failure.description)
        if not row.failures:
            verdict = "passed" if row.cases else "absent" if row.absent else "not reached"
            yield (a.kind, a.name, verdict, "-", "-")


def write_table(rows):
    path = os.path.join(args.folder, "table")
    with open(path, "w") as f:
        f.write(f"{HEADER}\t{version}\n")
        f.writelines("\t".join(row) + "\n" for row in rows)
    print("table: " + path)


def read_table(path):
    try:
        with open(path) as f:
            header, *lines = f.read().splitlines()
    except (OSError, ValueError) as error:
        trouble(f"cannot read the table '{path}': {error}", 2)
    if not header.startswith(HEADER) or any(line.count("\t") != 4 for line in lines):
        trouble(f"'{path}' is no table of crosswait fuzz --library", 2)
    return header.partition("\t")[2], [tuple(line.split("\t")) for line in lines]


def cause(row):
    """Returns the key by which rows of two tables are compared. A write outside of the library's
    memory shows as a crash, a wrong result or an overrun, which differs between runs: these count
    as one cause."""
    rule = re.match("[a-z-]*", row[2]).group()
    same = rule in ("crash", "wrong-result", "overrun")
    needs = row[2][len(rule) :].replace(UNTRIED, "")
    return row[0], row[1], "memory or result" if same else rule, needs


def compare(rows, old_version, old):
    """Prints new failures and those that are gone. Returns the number of new ones."""
    good = ("passed", "absent", "not reached")
    before = {cause(row) for row in old if row[2] not in good}
    now = {cause(row) for row in rows if row[2] not in good}
    tried = {row[:2] for row in rows if row[2] not in ("absent", "not reached")}
    if old_version != version:
        print(f"the other table is of {old_version}")
    new = [row for row in rows if cause(row) in now - before]
    gone = [row for row in old if cause(row) in before - now and row[:2] in tried]
    for row in new:
        print(f"new: {row[0]} {row[1]}: {row[2]}: {row[4]}")
    for row in gone:
        print(f"gone: {row[0]} {row[1]}: {row[2]}: {row[4]}")
    if not new and not gone:
        print("as in the other table")
    return len(new)


def run_one(algorithm):
    """Runs the scenario of --scenario and prints the result. Returns the exit status."""
    if not os.access(args.scenario, os.R_OK):
        trouble(f"cannot read the scenario '{args.scenario}'", 2)
    if args.synchronous and not preload:
        trouble("--synchronous needs libcrosswait.so and Open MPI", 2)
    ended = clock() + args.seconds
    description, found = run_alone(algorithm, args.scenario, args.synchronous, ended)
    print(f"{algorithm.kind} {algorithm.name}: {description}")
    print("no finding" if not found else "finding: " + found.replace(" ", ": ", 1))
    return 1 if found else 0


program = build()
started = time.monotonic()  # the time limit does not include the build
deadline = started + args.seconds
info = openmpi_info() if args.mpi == "openmpi" else None
listed = subprocess.run([program, "--collectives"], capture_output=True, text=True, check=True)
kinds = listed.stdout.split()
algorithms_of, version_of = {
    "openmpi": (openmpi_algorithms, openmpi_version),
    "mpich": (mpich_algorithms, mpich_version),
    "intel": (intel_algorithms, intel_version),
}[args.mpi]
known = algorithms_of(kinds)
version = version_of()
algorithms = wanted(known)
preload = [os.path.join(args.share, "../..", p) for p in ("libcrosswait.so", "lib/libcrosswait.so")]
preload = next((os.path.abspath(p) for p in preload if os.path.exists(p)), None)
if args.mpi != "openmpi":
    preload = None  # only Open MPI's internal sends can be made synchronous
if args.scenario:
    if len(algorithms) != 1:
        trouble("--scenario needs --only=COLLECTIVE:ALGORITHM", 2)
    sys.exit(run_one(algorithms[0]))
last = read_table(args.diff) if args.diff else None
twice = preload and not args.no_synchronous
signal.signal(signal.SIGINT, on_interrupt)
signal.signal(signal.SIGTERM, on_interrupt)
table = {a[:2]: Row() for a in algorithms}
campaign(algorithms, table, False, started + CAMPAIGN * args.seconds / (2 if twice else 1))
if twice:
    campaign(algorithms, table, True, started + CAMPAIGN * args.seconds)
if interrupted:
    print("interrupted: what was found until then")
distinct(table, algorithms)
found = show(algorithms, table)
rows = list(lines_of(algorithms, table))
write_table(rows)
wrong = compare(rows, *last) if last else found
sys.exit(INTERRUPTED if interrupted else 1 if wrong else 0)
