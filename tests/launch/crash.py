"""Compares what remains after a death with what the ranks counted themselves.

    crash.py trials N SEED   kill one rank, all ranks, mpirun or the launcher at a random moment,
                             N times
    crash.py modes           segv, abort(), MPI_Abort, exit without MPI_Finalize, no descriptors
    crash.py full            the disk fills up during the run; needs the right to mount

For each rank the trace must have every call that had returned, and no call that was not entered.
Prints a line with the counts for each kind."""
import collections, os, random, re, shutil, signal, sqlite3, struct, subprocess, sys, time

BUILD = os.environ["BUILD"]
WITNESS = BUILD + "/tests/launch/witness"
problems = []
hung = collections.Counter()


def counts(folder, ranks):
    """Returns (entered, returned, finished) of each rank; None if a rank had not begun to count."""
    result = []
    for rank in range(ranks):
        try:
            with open(f"{folder}/count.{rank}", "rb") as f:
                data = f.read(24)
            result.append(struct.unpack("3Q", data) if len(data) == 24 else None)
        except FileNotFoundError:
            result.append(None)
    return result


def recorded(trace, ranks):
    """Returns (state, calls entered, calls returned, lost) of each rank."""
    with sqlite3.connect(trace) as db:
        if db.execute("pragma integrity_check").fetchone()[0] != "ok":
            problems.append(f"{trace} is damaged")
        state = dict(
            (r, (s, lost, cut))
            for r, s, lost, cut in db.execute("select rank, state, lost, cut from rank")
        )
        calls = dict(
            (r, (n, m))
            for r, n, m in db.execute(
                "select rank, count(*), sum(t_leave notnull or t_enter isnull) from event where"
                " call = 'MPI_Sendrecv_replace' and parent is null group by rank"
            )
        )
    return [
        (state.get(r, ("absent", 0, 0))[0],) + calls.get(r, (0, 0)) + (state.get(r, ("", 0, 0))[1],)
        for r in range(ranks)
    ]


def compare(what, folder, trace, ranks, may_lose=False, unseen=False):
    """Returns how many calls were compared with the trace. unseen: nobody saw how ranks ended."""
    total = 0
    for rank, (own, seen) in enumerate(zip(counts(folder, ranks), recorded(trace, ranks))):
        if own is None:
            continue
        state, entered, returned, lost = seen
        total += own[1]
        if may_lose and lost:
            continue
        if returned < own[1]:
            problems.append(
                f"{what}: rank {rank} ({state}) had {own[1]} calls returned, the trace has"
                f" {returned}"
            )
        if entered > own[0]:
            problems.append(
                f"{what}: rank {rank} ({state}) had entered {own[0]} calls, the trace has {entered}"
            )
        ends = ("finished", "ended", "killed", "exited") + ("unknown",) * unseen
        if own[2] and state not in ends:
            problems.append(f"{what}: rank {rank} had come to MPI_Finalize, the trace says {state}")
    return total


def children(pid, name=None):
    """Returns the children of a process, those with the name if one is given: the launcher has
    another child beside the command."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            pids = [int(p) for p in f.read().split()]
        return [p for p in pids if name is None or open(f"/proc/{p}/comm").read().strip() == name]
    except OSError:
        return []


def gone(folder):
    """Waits until no rank of this folder lives, and no mpirun that could still start ranks."""
    for _ in range(600):
        alive = False
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/cmdline", "rb") as f:
                        alive |= WITNESS.encode() + b"\0" + folder.encode() + b"\0" in f.read()
                except OSError:
                    pass
        if not alive:
            return True
        time.sleep(0.05)
    return False


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def trial(number, victim, rng):
    folder = os.path.abspath(f"t{number}")
    os.mkdir(folder)
    ranks = rng.choice((2, 3, 4))
    trace = folder + "/T.db"
    with open(folder + "/out", "wb") as out:
        launcher = subprocess.Popen(
            [
                "crosswait",
                "record",
                "-o",
                trace,
                "--",
                "mpirun",
                "-n",
                str(ranks),
                WITNESS,
                folder,
                "12000",
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        if rng.random() < 0.8:  # most moments are after the first rank has begun
            for _ in range(400):
                if os.path.exists(folder + "/count.0") or launcher.poll() is not None:
                    break
                time.sleep(0.01)
        time.sleep(rng.random() * 0.5)
        starter = (children(launcher.pid, 'mpirun') or [0])[0]
        mine = children(starter) if starter else []
        if victim == "launcher":
            kill(launcher.pid)
        elif victim == "mpirun" and starter:
            kill(starter)
        elif victim == "rank" and mine:
            kill(rng.choice(mine))
        elif victim == "ranks":
            for pid in mine:
                kill(pid)
        try:
            launcher.wait(20)
        except (
            subprocess.TimeoutExpired
        ):  # ranks that die while they connect leave Open MPI's mpirun waiting for ever
            hung[victim] += 1
            kill(starter)
            launcher.wait()
    if not gone(folder):
        problems.append(f"trial {number}, {victim}: ranks were left behind")
    if victim == "launcher" and os.path.isdir(trace + ".spool") and os.listdir(trace + ".spool"):
        done = subprocess.run(
            ["crosswait", "recover", "-o", trace, trace + ".spool"], capture_output=True, text=True
        )
        if done.returncode:
            problems.append(f"trial {number}: recover: {done.stderr}")
    total = 0
    if os.path.exists(trace):
        unseen = victim == "launcher"
        total = compare(f"trial {number}, {victim}", folder, trace, ranks, unseen=unseen)
    elif any(counts(folder, ranks)):
        problems.append(
            f"trial {number}, {victim}: no trace; " + open(folder + "/out").read()[-300:]
        )
    shutil.rmtree(folder)
    return total


def trials(count, seed):
    rng = random.Random(seed)
    done, calls = collections.Counter(), collections.Counter()
    for number in range(count):
        victim = ("rank", "ranks", "mpirun", "launcher")[number % 4]
        calls[victim] += trial(number, victim, rng)
        done[victim] += 1
    for victim in done:
        print(
            f"SIGKILL of {victim}: {done[victim]} trials, {calls[victim]} calls held against the"
            f" traces (seed {seed})"
            + (f"; {hung[victim]} times mpirun itself hung" if hung[victim] else "")
        )


def mode(name, at="500", ranks=3, rounds="3000", prefix=(), output="T.db", may_lose=False):
    folder = os.path.abspath("m_" + name)
    os.mkdir(folder)
    command = ["mpirun", "-n", str(ranks), WITNESS, folder, rounds, name, at]
    plain = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    trace = os.path.join(folder, output)
    with_it = subprocess.run(
        list(prefix) + ["crosswait", "record", "-o", trace, "--"] + command,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    if plain.returncode != with_it.returncode:
        problems.append(
            f"{name}: exit status {with_it.returncode}, without crosswait {plain.returncode}"
        )
    if sorted(plain.stdout.splitlines()) != sorted(with_it.stdout.splitlines()):
        problems.append(f"{name}: the output differs")
    said = [
        line
        for line in with_it.stderr.decode(errors="replace").splitlines()
        if line.startswith("crosswait")
    ]
    total = compare(name, folder, trace, ranks, may_lose)
    states = " ".join(f"{rank}:{seen[0]}" for rank, seen in enumerate(recorded(trace, ranks)))
    print(
        f"{name}: status {with_it.returncode}, {states};"
        f" {'more than 1000' if total > 1000 else total} calls held against the trace"
    )
    for line in sorted(set(line.replace(os.getcwd() + "/", "") for line in said)):
        print("  " + line)


def modes():
    for name in ("segv", "abort", "kill", "mpi_abort", "exit"):
        mode(name)
    mode("nofd")


def full():
    """Fills the disk while the job runs: the job must not notice; the trace is made elsewhere, and
    says how many calls it lacks."""
    folder, ranks = os.path.abspath("full"), 3
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", folder], check=True)
    done = subprocess.run(
        [
            "crosswait",
            "record",
            "--times=all",  # so that the spools of a loop grow
            "-o",
            folder + "/T.db",
            "--",
            "mpirun",
            "-n",
            str(ranks),
            WITNESS,
            ".",
            "200000",
            "quick",
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    print(f"disk full: status {done.returncode}, {len(done.stdout.splitlines())} lines of output")
    for line in sorted(
        set(
            re.sub(r"/(prterun-.*-)?[0-9]+'", "/JOB'", line.replace(os.getcwd() + "/", ""))
            for line in done.stderr.splitlines()
        )
    ):
        print("  " + line)
    done = subprocess.run(
        ["crosswait", "recover", "-o", "R.db", folder + "/T.db.spool"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        problems.append("recover: " + done.stderr)
        return
    for own, seen in zip(counts(".", ranks), recorded("R.db", ranks)):
        state, entered, returned, lost = seen
        if not 1000 < returned < own[1] or returned + lost < own[1] or state != "finished":
            problems.append(
                f"of {own[1]} calls {returned} are recorded, {lost} said to be lost; {state}"
            )


if sys.argv[1] == "full":
    full()
elif sys.argv[1] == "trials":
    trials(int(sys.argv[2]), int(sys.argv[3]))
else:
    modes()
for problem in problems:
    print("PROBLEM", problem)
sys.exit(1 if problems else 0)
