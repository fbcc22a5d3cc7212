#!/usr/bin/python3
"""Runs other people's programs, as Debian packages them, plain and under `crosswait run`. Both runs
must print the same and have the same exit status, and programs.txt must explain each error and
warning.

    others.py [--name=REGEX] [--keep] [--list]

A program whose packages cannot be installed is skipped with the reason. programs.txt has
paragraphs: a line [NAME] WORDS, then lines KEY: VALUE; a line that begins with a space continues
the value before it:

    packages=A,B       packages that it needs, besides those of the paragraph [all]
    ranks=N            of mpirun (default 3)
    build: COMMAND     in its own empty folder
    run: COMMAND       what mpirun starts
    leave: REGEX       lines that are not compared: times, dates, places
    finding: RULE | REGEX | REASON   a finding that it has, by its title, and why that is right
    perhaps: RULE | REGEX | REASON   a finding that it may have: one of exploring, which may lack
                                     the time, or one that depends on timing
"""
import os, re, shutil, sqlite3, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 120  # time limit of a program


class Program:
    def __init__(self, name, words):
        self.name, self.build, self.run, self.leave, self.findings = name, "", "", [], []
        self.packages, self.ranks = [], 3
        for word in words:
            key, _, value = word.partition("=")
            if key == "packages":
                self.packages = value.split(",")
            elif key == "ranks":
                self.ranks = int(value)
            else:
                sys.exit(f"programs.txt: [{name}] {word}: not known")

    def take(self, key, value):
        if key in ("build", "run"):
            setattr(self, key, value)
        elif key == "leave":
            self.leave.append(re.compile(value))
        elif key in ("finding", "perhaps"):
            rule, title, reason = (part.strip() for part in value.split(" | "))
            assert reason, f"[{self.name}] a finding without a reason"
            self.findings.append((rule, re.compile(title), key == "finding"))
        else:
            sys.exit(f"programs.txt: [{self.name}] {key}: not known")


def programs_read():
    programs, fields = [], []
    for line in open(os.path.join(HERE, "programs.txt")).read().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        head = re.match(r"\[(.*?)\]\s*(.*)", line)
        if head:
            programs.append(Program(head[1], head[2].split()))
        elif line.startswith(" "):
            fields[-1][2] += " " + line.strip()
        else:
            key, _, value = line.partition(":")
            fields.append([programs[-1], key, value.strip()])
    for program, key, value in fields:
        program.take(key, value)
    return programs


# --- packages -----------------------------------------------------------------------------------


def missing(packages):
    said = subprocess.run(
        ["dpkg-query", "-W", "-f=${Package} ${Status}\n", *packages], capture_output=True, text=True
    ).stdout
    there = {line.split()[0] for line in said.splitlines() if "ok installed" in line}
    return [package for package in packages if package not in there]


def install(packages):
    """Returns apt's message if it fails, else nothing."""
    if os.geteuid() != 0:
        return "not root"
    done = subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
        env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"),
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["apt fails"])[-1]


def packages_get(programs):
    """Returns {package that cannot be installed: reason}."""
    wanted = missing(sorted({package for program in programs for package in program.packages}))
    if not wanted:
        return {}
    if os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], capture_output=True)
    if not install(wanted):
        return {}
    return {package: why for package in wanted for why in [install([package])] if why}


# --- one program --------------------------------------------------------------------------------


def shell(command, folder, out):
    with open(os.path.join(folder, out), "wb") as to:
        return subprocess.run(
            ["timeout", "-k", "10", str(SECONDS), "bash", "-c", command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=to,
            stderr=open(os.path.join(folder, out + ".err"), "wb"),
        ).returncode


def printed(program, folder, out):
    """Returns the lines of all ranks, sorted, as they come in any order."""
    text = open(os.path.join(folder, out), errors="replace").read()
    return sorted(
        line.rstrip()
        for line in text.splitlines()
        if not any(x.search(line) for x in program.leave)
    )


def findings(trace):
    with sqlite3.connect(trace) as db:
        found = db.execute(
            "select rule, severity, title from finding where severity <> 'note'"
        ).fetchall()
        code = db.execute("select value from meta where key = 'exit_code'").fetchone()
    return found, code and int(code[0])


def judge(program, folder, plain, code):
    """Returns sentences on what is wrong."""
    trace = os.path.join(folder, "T.db")
    if not os.path.exists(trace):
        return [f"no trace: exit {code}"]
    found, ended = findings(trace)
    wrong = []
    if ended != plain:
        wrong.append(f"exit status {plain}, under run {ended}")
    if code != (1 if found else 4 if plain else 0):
        wrong.append(f"run exits with {code}")
    one, other = printed(program, folder, "plain.txt"), printed(program, folder, "job.txt")
    differ = sorted(set(one) ^ set(other))
    if one != other:
        wrong.append(f"{len(differ)} lines differ: {differ[:6]}")
    for rule, severity, title in found:
        if not any(rule == r and x.search(title) for r, x, _ in program.findings):
            wrong.append(f"not explained: {severity}[{rule}]: {title}")
    for rule, expected, always in program.findings:
        if always and not any(rule == r and expected.search(title) for r, _, title in found):
            wrong.append(f"explained and not found any more: {rule}: {expected.pattern}")
    return wrong


def program_run(program, work):
    folder = os.path.join(work, re.sub(r"\W", "_", program.name))
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("plain", "job"):
        os.makedirs(os.path.join(folder, part))
        if program.build and shell(program.build, os.path.join(folder, part), "build.txt"):
            said = open(os.path.join(folder, part, "build.txt.err")).read()
            return [f"does not build: {said[-800:]}"], 0
    mpirun = f"mpirun -n {program.ranks} {program.run}"
    plain = shell(mpirun, os.path.join(folder, "plain"), "../plain.txt")
    start = time.monotonic()
    code = shell(
        f"crosswait run -q --stall=40 -o ../T.db -- {mpirun}",
        os.path.join(folder, "job"),
        "../job.txt",
    )
    return judge(program, folder, plain, code), time.monotonic() - start


def main():
    option = dict((a.lstrip("-").split("=", 1) + ["1"])[:2] for a in sys.argv[1:])
    programs = [p for p in programs_read() if re.search(option.get("name", ""), p.name)]
    if "list" in option:
        print("\n".join(f"{p.name}: {','.join(p.packages)}" for p in programs))
        return
    absent = packages_get(programs)
    work, bad = os.path.abspath("others.work"), 0
    for program in programs:
        why = [f"{p}: {absent[p]}" for p in program.packages if p in absent]
        if why:
            print(f"skipped: {program.name}: a package cannot be had: {'; '.join(why)}", flush=True)
            continue
        wrong, seconds = program_run(program, work)
        bad += bool(wrong)
        print(
            f"{'wrong' if wrong else 'as expected'}: {program.name} ({seconds:.1f} s)", flush=True
        )
        for sentence in wrong:
            print(f"    {sentence}", flush=True)
    if "keep" not in option and not bad:
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
