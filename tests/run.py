#!/usr/bin/python3
"""Runs every test and prints a line for each, then `N passed, N failed`, and how many were skipped,
if any.

Tests are found by name, never listed by hand:
  build/tests/unit/test_*   cmocka binaries; each of their tests counts
  tests/*/NAME.sh           passes with exit status 0; if there is a NAME.out, standard output must
                            equal it too
The line of a test ends with the amount of its work, from the last line of its output like
`1,234 cases`.

A script runs in an empty folder of its own (TMPDIR points into it) with BUILD, SOURCE and PATH set,
so that `crosswait` and `libcrosswait.so` are the built ones; Open MPI may oversubscribe and run as
root. Header comments set the rest: `# timeout: SECONDS` (default 120; the runner allows PATIENCE
times that, as the machine may be busy), `# slow` (only with --all), `# alone` (not beside other
tests: it measures time, or fills the machine), `# polls` (ranks that wait poll instead of sleeping
between two polls, tests/idle.c: if that matters, or if a sanitizer's runtime must be loaded first),
`# needs: openmpi<5: REASON` (skipped with the reason, if this machine has another version). When a
test ends or times out, the runner kills all processes of its session and removes what its ranks
shared. The folders are in memory if there is plenty, unless TMPDIR says otherwise.
"""
import argparse, concurrent.futures, contextlib, functools, glob, os, re, signal, subprocess, sys
import tempfile, threading, time

from mpirun import MPIRUN

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOM = 2 << 30  # bytes of memory that must be free to keep the tests' files in memory
PATIENCE = 4  # factor of a test's time limit, as the machine may be busy
IDLE = 0.1  # idle part of the cores' time at which another test starts
SHOWN = 400  # number of tests that --times lists
sessions = set()  # of running tests


def descendants_of_session(session):
    """Returns the processes in the test's session, or marked with its id, as mpirun puts ranks into
    groups of their own."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", errors="replace") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{entry}/environ", "rb") as f:
                environ = f.read()
        except OSError:
            continue
        if fields[0] != "Z" and (
            int(fields[3]) == session or f"CROSSWAIT_TEST_ID={session}\0".encode() in environ
        ):
            found.append(int(entry))
    return found


def kill(processes):
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait(child, timeout):
    """Returns (exit status or None on timeout, resources that it and its children used)."""
    expired = threading.Event()

    def expire():
        expired.set()
        os.kill(child.pid, signal.SIGKILL)

    timer = threading.Timer(timeout, expire)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    return None if expired.is_set() else child.returncode, usage


def run(command, cwd, env, timeout):
    """Returns (exit status or None on timeout, output, number of processes left behind, resources
    used)."""
    shell = ["/bin/bash", "-c", 'export CROSSWAIT_TEST_ID=$$; exec "$0" "$@"'] + command
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            shell,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        sessions.add(child.pid)
        status, usage = wait(child, timeout)
        left = descendants_of_session(child.pid)
        if left and status is not None:  # they may be just ending
            time.sleep(0.5)
            left = descendants_of_session(child.pid)
        kill(left)
        sessions.remove(child.pid)
        out.seek(0)
        text = out.read().decode(errors="replace")
        return status, text, len(left) if status is not None else 0, usage


def header(path, key):
    with open(path, errors="replace") as f:
        for line in f.read(2000).splitlines():
            match = re.match(r"#\s*" + key + r"(?::\s*(.*))?$", line)
            if match:
                return match.group(1) or "yes"
    return None


GROUPS = "/sys/fs/cgroup"


def memory_limits():
    """Returns the bytes that the control groups of this process, in either version, allow it."""
    with open("/proc/self/cgroup") as f:
        lines = [line.split(":", 2) for line in f.read().splitlines()]
    for _, controllers, path in lines:
        if not controllers:
            where, names = GROUPS, ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            where, names = GROUPS + "/memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        path = path.strip("/")
        while True:  # this group and its parents
            with contextlib.suppress(OSError, ValueError):  # "max", or the outermost
                most, used = (int(open(os.path.join(where, path, n)).read()) for n in names)
                yield most - used
            if not path:
                break
            path = os.path.dirname(path)


def memory_free():
    """Returns the bytes that files in memory may take: the least of the machine's free memory, the
    limits of this process and the room of the file system."""
    place = os.statvfs("/dev/shm")
    with open("/proc/meminfo") as f:
        left = int(re.search(r"MemAvailable:\s*(\d+)", f.read()).group(1)) * 1024
    if place.f_flag & os.ST_NOEXEC:
        return 0
    return min(left, place.f_bavail * place.f_frsize, *memory_limits())


def working_folder():
    """Returns the folder where tests work: in memory if there is plenty. ext4 is slow to make files
    after others were removed, which took half of the tests' time."""
    try:
        return "/dev/shm" if "TMPDIR" not in os.environ and memory_free() >= ROOM else None
    except OSError:
        return None


def shared_folder():
    """Makes the folder for what the ranks of a test share; its removal also removes what killed
    ranks left."""
    if not os.path.isdir("/dev/shm"):
        return contextlib.nullcontext()
    return tempfile.TemporaryDirectory(prefix="cw", dir="/dev/shm", ignore_cleanup_errors=True)


class Abandoned:
    """Removes what killed ranks of MPICH and Intel MPI leave in /dev/shm, where no test can name
    another folder. Its name follows from the launcher's process id: a later job whose launcher gets
    that id finds it, and fails in MPI_Init. Files of other jobs stay: those that are older than the
    runner, that a process maps, or that are so young that one may be about to."""

    YOUNG = 60  # seconds

    def __init__(self):
        self.since = self.looked = time.time()

    def mapped(self):
        names = set()
        for maps in glob.glob("/proc/[0-9]*/maps"):
            with contextlib.suppress(OSError), open(maps, errors="replace") as f:
                names.update(re.findall(r"/dev/shm/mpich_shm_\w+", f.read()))
        return names

    def remove(self):
        now = time.time()
        if now - self.looked < self.YOUNG / 4:
            return
        self.looked = now
        old = set()
        for name in glob.glob("/dev/shm/mpich_shm_*"):
            with contextlib.suppress(OSError):
                made = os.stat(name)
                if self.since <= made.st_mtime < now - self.YOUNG and made.st_uid == os.getuid():
                    old.add(name)
        for name in old - self.mapped() if old else old:
            with contextlib.suppress(OSError):
                os.unlink(name)


def environment(build, folder, shared, idle):
    env = dict(os.environ)
    kept = {"CROSSWAIT_RELEASES", "CROSSWAIT_DEBIAN"}  # folders that some slow tests may use
    for name in [n for n in env if n.startswith(("CROSSWAIT", "OMPI_", "PMIX_"))]:
        if name not in kept:
            del env[name]
    env.pop("CI", None)  # in CI the fuzzer would continue after a finding
    env.update(
        BUILD=build,
        SOURCE=SOURCE,
        TMPDIR=folder,
        LC_ALL="C",
        BASH_ENV=SOURCE + "/tests/shell.bash",
        OMP_WAIT_POLICY="passive",  # threads that wait for each other sleep
        PATH=build + ":" + os.path.dirname("/usr/bin/python3") + ":" + env["PATH"],
        **MPIRUN,
    )
    if shared:
        os.chmod(shared, 0o1777)  # tests run as other users, too
        env["OMPI_MCA_btl_vader_backing_directory"] = shared
        env["OMPI_MCA_osc_sm_backing_directory"] = shared
    if idle and os.path.exists(build + "/tests/libidle.so"):  # builds with SAN= lack it
        env["LD_PRELOAD"] = build + "/tests/libidle.so"
    return env


def amount(output):
    """Returns `: 12,345 cases` from the last line of this kind in the output, else nothing."""
    found = re.findall(r"^([0-9,]+) ((?:cases|measurements|programs|lines)\b.*)$", output, re.M)
    return f": {int(found[-1][0].replace(',', '') or 0):,} {found[-1][1]}" if found else ""


@functools.cache
def version(program):
    """Returns the version of an installed program as numbers; None if unknown."""
    command = {
        "openmpi": ["mpirun", "--version"],
        "mpich": ["mpichversion"],
        "cargo": ["cargo", "--version"],
    }[program]
    with contextlib.suppress(OSError):
        said = subprocess.run(command, capture_output=True, text=True).stdout
        found = re.search(r"^(?:mpirun|MPICH Version|cargo).*?(\d+(?:\.\d+)+)", said, re.M)
        return found and tuple(map(int, found.group(1).split(".")))


def lacked(needs):
    """Returns which condition of a `# needs:` line this machine does not meet; None if it does."""
    condition, _, reason = needs.partition(":")
    program, relation, bound = re.fullmatch(r"(\w+)(<|>=)([\d.]+)", condition.strip()).groups()
    have = version(program)
    if have and (have < tuple(map(int, bound.split(".")))) == (relation == "<"):
        return None
    have = ".".join(map(str, have)) if have else "not here"
    return f"needs {program}{relation}{bound}, which is {have} here:{reason}"


class Test:
    """One test: a cmocka binary or a script. run() stores the result."""

    def __init__(self, path, build):
        self.path, self.build = path, build
        self.script = path.endswith(".sh")
        self.name = os.path.relpath(path, SOURCE if self.script else build + "/tests").removeprefix(
            "tests/"
        )
        self.timeout = float((self.script and header(path, "timeout")) or 120)
        self.slow = self.script and header(path, "slow")
        self.alone = self.script and header(path, "alone")
        self.idle = self.script and not header(path, "polls")
        needs = self.script and header(path, "needs")
        self.skipped = lacked(needs) if needs else None
        self.passed = self.failed = 0
        self.problem = None

    def run(self, update):
        started = time.monotonic()
        with tempfile.TemporaryDirectory(
            prefix="cw", dir=working_folder()
        ) as folder, shared_folder() as shared:
            status, self.output, left, usage = run(
                ["/bin/bash", self.path] if self.script else [self.path],
                folder,
                environment(self.build, folder, shared, self.idle),
                PATIENCE * self.timeout,
            )
        self.amount = amount(self.output)
        if self.script and status == 0 and self.output.startswith("skipped: "):
            self.skipped = self.output.strip().removeprefix("skipped: ")
        if status is None:
            self.problem = f"no end within {PATIENCE * self.timeout:g} s"
        elif status != 0:
            self.problem = f"exit status {status}"
        elif left:
            self.problem = f"left {left} processes behind"
        if self.script:
            if not self.skipped:
                self.compare(update)
            self.failed = bool(self.problem)
            self.passed = not self.problem and not self.skipped
        else:
            self.count()
        self.seconds = time.monotonic() - started
        self.user, self.system = usage.ru_utime, usage.ru_stime

    def count(self):
        """Reads from a cmocka binary's output how many of its tests passed."""
        good = re.search(r"\[  PASSED  \] (\d+) test", self.output)
        bad = re.search(r"\[  FAILED  \] (\d+) test", self.output)
        self.passed = int(good.group(1)) if good else 0
        if not self.problem and not self.passed:
            self.problem = "ran no test"
        if self.problem:
            self.failed = int(bad.group(1)) if bad else 1

    def compare(self, update):
        """Compares a script's output with NAME.out, if there is one."""
        path = self.path[:-3] + ".out"
        if self.problem or not (os.path.exists(path) or (update and header(self.path, "expected"))):
            return
        expected = open(path).read() if os.path.exists(path) else ""
        if self.output == expected:
            return
        if update:
            with open(path, "w") as f:
                f.write(self.output)
            return
        self.problem = "output differs from " + os.path.relpath(path, SOURCE)
        with tempfile.NamedTemporaryFile("w", suffix=".got") as got:
            got.write(self.output)
            got.flush()
            self.output = subprocess.run(
                ["diff", "-u", path, got.name], capture_output=True, text=True
            ).stdout

    def show(self):
        if self.problem:
            print(f"FAIL {self.name} ({self.seconds:.1f} s): {self.problem}")
            print("    " + "\n    ".join(self.output.splitlines()[-60:]), flush=True)
        elif self.skipped:
            print(f"skip {self.name}: {self.skipped}", flush=True)
        else:
            print(f"ok   {self.name} ({self.seconds:.1f} s){self.amount}", flush=True)


def find(build, words, slow):
    paths = sorted(
        p for p in glob.glob(build + "/tests/unit/test_*") if not p.endswith((".d", ".o"))
    )
    tests = [Test(path, build) for path in paths + sorted(glob.glob(SOURCE + "/tests/*/*.sh"))]
    return [
        t
        for t in tests
        if (not words or any(word in t.name for word in words)) and (slow or not t.slow)
    ]


class Machine:
    """Tells whether the processors are idle for a part of the time."""

    def __init__(self):
        self.last, self.since = self.counted(), time.monotonic()

    @staticmethod
    def counted():
        with open("/proc/stat") as f:
            ticks = [int(word) for word in f.readline().split()[1:9]]
        return ticks[3], sum(ticks)

    def idles(self):
        """Called repeatedly; measures the time since its last answer, at least a second."""
        if time.monotonic() - self.since < 1:
            return False
        idle, ticks = (now - before for now, before in zip(self.counted(), self.last))
        self.__init__()
        return idle > IDLE * ticks


def run_some(tests, jobs, most, update):
    """Starts long tests first, so that none runs alone at the end; more than `jobs` at a time, up
    to `most`, while the machine is partly idle. If the runner is interrupted, ends the running
    tests with all that they started."""
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=most)
    waiting = sorted(tests, key=lambda t: -t.timeout)
    running, machine, abandoned = {}, Machine(), Abandoned()
    try:
        while waiting or running:
            while waiting and (len(running) < jobs or len(running) < most and machine.idles()):
                test = waiting.pop(0)
                running[pool.submit(test.run, update)] = test
            for done in concurrent.futures.wait(
                running, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED
            ).done:
                done.result()
                running.pop(done).show()
            abandoned.remove()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(done.done() for done in running):
            for session in list(sessions):
                kill(descendants_of_session(session))
            time.sleep(0.1)


def run_all(tests, jobs, most, update):
    """Runs all tests; those that need the machine alone run last."""
    run_some([t for t in tests if not t.alone], jobs, most, update)
    run_some([t for t in tests if t.alone], 1, 1, update)


def interrupted(number, _):
    signal.signal(number, signal.SIG_IGN)  # the cleanup takes a moment
    sys.exit(128 + number)


def show_times(tests):
    """Prints the CPU seconds of the longest tests and of all: in programs, in the system."""
    most = sorted(tests, key=lambda t: -t.user - t.system)[:SHOWN]
    print(f"\n{'seconds':>8} {'user':>7} {'system':>7}")
    for user, system, name in [(t.user, t.system, t.name) for t in most] + [
        (sum(t.user for t in tests), sum(t.system for t in tests), f"all {len(tests)}")
    ]:
        print(f"{user + system:8.1f} {user:7.1f} {system:7.1f}  {name}")
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--all", action="store_true", help="the slow tests too")
    parser.add_argument(
        "--update", action="store_true", help="rewrite the .out files from what was printed"
    )
    parser.add_argument(
        "--times", action="store_true", help="list the tests that took most computing"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        help="tests at a time (default: four more than cores, and more while cores are idle)",
    )
    parser.add_argument("only", nargs="*", help="run tests whose name contains one of these")
    args = parser.parse_args()

    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
        signal.signal(number, interrupted)
    found = find(os.path.abspath(args.build), args.only, args.all)
    tests = [t for t in found if not t.skipped]
    for test in [t for t in found if t.skipped]:
        test.show()
    cores = len(os.sched_getaffinity(0))
    if args.jobs:
        run_all(tests, args.jobs, args.jobs, args.update)
    else:
        run_all(tests, cores + 4, 5 * cores, args.update)
    for test in tests:
        if test.problem:
            print(f"failed: {test.name}; again: make check ONLY={test.name}")
    if args.times:
        show_times(tests)
    passed, failed = sum(t.passed for t in tests), sum(t.failed for t in tests)
    skipped = sum(bool(t.skipped) and not t.problem for t in found)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed + skipped else 0


if __name__ == "__main__":
    sys.exit(main())
