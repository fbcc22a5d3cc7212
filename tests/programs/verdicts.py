"""Runs `crosswait run` on the programs of corpus/programs and compares verdicts with the TEST lines
in their heads.

    TEST: ranks=2 args=1048576 job=hangs verdict=deadlock-unbuffered
    SAFE-FROM: 1048576      (for the TEST line before it: safe from this eager threshold on)
    NEEDS: openmpi<5        (left out with a later one)

Checks for each line: the exit status, the words of the finding, the threshold, the states of the
ranks, that a job that hangs was ended, that the job's own output is the same as without crosswait,
and that the command which repeats a finding finds it again.
Usage: verdicts.py N OF [NAME...]: runs the Nth part of the lines, so that parts can be separate
tests: the first two of each program, or with VERDICTS=more all others. MPI=mpich: builds and runs
with that library, and leaves out verdicts that only Open MPI gives.
"""
import collections, functools, json, os, re, shlex, subprocess, sys

source, build = os.environ["SOURCE"], os.environ["BUILD"]
TITLES = {  # matches "RULE: TITLE"
    "deadlock-unbuffered": r"^deadlock: .*( when|, as) sends are not buffered(: rank.*)?$",
    "deadlock": r"^deadlock: (?!.*(n sends|as sends|in some order|if MPI_Comm_free)).* waits? for",
    "deadlock-some-order": r"^deadlock: .* in some order of messages$",
    "deadlock-recorded": r"^hang: ",
    "misuse": r": (different |roots |MPI_|conflicting |bytes |rank.* calls? MPI_)",
    "race": r"^race: the result depends on what comes first",
    "message": r": (types differ|ready send|1 message was never received)",
}
MPICH = os.environ.get("MPI") == "mpich"
PROGRAMS = os.path.join(build, "mpich/programs" if MPICH else "corpus/programs")
MPIRUN = "mpiexec.mpich" if MPICH else "mpirun"
FIRST = 2  # lines of a program that `make check` runs; check-all runs the others, too
STATES = {"crashed": "crashed", "killed": "killed", "aborted": "aborted"}
RULES = {
    "crashed": ("crash", 1),
    "killed": ("crash", 1),
    "aborted": ("abort", 4),
}  # what ended the job is a finding; MPI_Abort a note


@functools.cache
def is_openmpi_4():
    said = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    return " 4." in said.splitlines()[0]


def tests():
    folder = os.path.join(source, "corpus/programs")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), errors="replace") as f:
            head = f.read(4000)
        stem, ending = os.path.splitext(name)
        if "NEEDS: openmpi<5" in head and not MPICH and not is_openmpi_4():
            print(f"{name}: left out, it is for Open MPI 4")
            continue
        found = None
        for line in head.splitlines():
            match = re.search(r"TEST: ranks=(\d+) args=(.*?) ?job=(\w+) verdict=([\w-]+)", line)
            safe = re.search(r"SAFE-FROM: (\d+)", line)
            if match:
                if found:
                    yield found
                program = (
                    ["/usr/bin/python3", os.path.join(folder, name)]
                    if ending == ".py"
                    else [os.path.join(PROGRAMS, stem)]
                )
                found = {
                    "name": name,
                    "ranks": match[1],
                    "args": match[2].split(),
                    "job": match[3],
                    "verdict": match[4],
                    "program": program,
                    "safe": None,
                }
            elif safe and found:
                found["safe"] = int(safe[1])
        if found:
            yield found


def chosen(names):
    """Yields the tests of the usage; all lines of programs that it names."""
    lines = collections.Counter()
    for test in tests():
        lines[test["name"]] += 1
        more = lines[test["name"]] > FIRST
        if test["name"] in names or not names and more == (os.environ.get("VERDICTS") == "more"):
            yield test


def run(command):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100
    )


def words(text):
    """Returns the output without numbers, which timing can change (how often a loop polled), and
    without the interleaving of the ranks' lines."""
    return sorted(re.sub(r"[0-9.e+-]+", "N ", text).split())


def check(test):
    """Yields sentences on what is wrong."""
    job = [MPIRUN, "-n", test["ranks"]] + test["program"] + test["args"]
    did = run(["crosswait", "run", "-o", "T.db", "--"] + job)
    verdict = test["verdict"]
    expected = 1 if verdict in TITLES else RULES.get(verdict, (None, 4))[1]
    if verdict == "clean":
        expected = 0
    if did.returncode != expected:
        yield (
            f"exit status {did.returncode}, expected"
            f" {expected}\n{did.stdout[-2500:]}{did.stderr[-1000:]}"
        )
        return
    told = run(["crosswait", "report", "--format=json", "T.db"])
    if told.returncode > 1:
        yield f"report: exit status {told.returncode}\n{told.stdout[-600:]}{told.stderr[-600:]}"
        return
    report = json.loads(told.stdout)
    errors = [f for f in report["findings"] if f["severity"] != "note"]
    if verdict in TITLES:
        if not any(re.search(TITLES[verdict], f"{f['rule']}: {f['title']}") for f in errors):
            yield f"no finding says '{TITLES[verdict]}': {[f['title'] for f in errors]}"
        for finding in errors:
            if not all(c.get("call") and c.get("site") for c in finding["calls"] if c["core"]):
                yield f"a rank of the core has no call or no place: {finding['calls']}"
            again = run(shlex.split(finding["repeat"]))
            if again.returncode != (
                0 if finding["rule"] == "race" else 1
            ):  # a world with another result is no failure
                yield (
                    f"'{finding['repeat']}' exits with {again.returncode}:"
                    f" {again.stdout[-600:]}{again.stderr[-600:]}"
                )
    elif verdict in RULES:
        rules = [
            f["rule"]
            for f in report["findings"]
            if f["rule"] == RULES[verdict][0] or f["severity"] != "note"
        ]
        if rules != [RULES[verdict][0]]:
            yield f"findings of {rules}, expected {RULES[verdict][0]}"
    elif errors:
        yield f"blamed: {[f['title'] for f in errors]}"
    if test["safe"] is not None:
        facts = " ".join(fact for f in errors for fact in f["facts"])
        told = re.search(r"buffering=eager:(\d+)\)", facts)
        # the record of a job that hung ends there: its later messages are unknown
        if (
            not told
            or int(told[1]) > test["safe"]
            or (test["job"] != "hangs" and int(told[1]) != test["safe"])
        ):
            yield f"not said to be safe from {test['safe']} bytes on: {facts}"
    if (test["job"] == "hangs") != bool(report["job"]["ended_by_crosswait"]):
        yield f"ended by crosswait: {report['job']['ended_by_crosswait']}"
    states = [r["state"] for r in report["ranks"]]
    if verdict in STATES and STATES[verdict] not in states:
        yield f"no rank {STATES[verdict]}: {states}"
    if verdict == "clean" and set(states) != {"finished"}:
        yield f"ranks are {states}"
    if test["job"] == "0":
        plain = run(job)
        if plain.returncode:
            yield f"exit status {plain.returncode} without crosswait: {plain.stderr[-1000:]}"
            return
        shown = did.stdout.split("crosswait: report on")[0]
        if words(plain.stdout) != words(shown):
            yield f"the job printed {shown!r}, without crosswait {plain.stdout!r}"


def main():
    part, parts = int(sys.argv[1]), int(sys.argv[2])
    failed = count = 0
    for index, test in enumerate(chosen(sys.argv[3:])):
        if index % parts != part - 1:
            continue
        count += 1
        for problem in check(test):
            failed += 1
            print(
                (
                    f"{test['name']} ranks={test['ranks']} args={' '.join(test['args'])}"
                    f" ({test['verdict']}):"
                    f" {problem}"
                ),
                flush=True,
            )
    print(f"{count} lines, {failed} problems")
    return 1 if failed or not count else 0


sys.exit(main())
