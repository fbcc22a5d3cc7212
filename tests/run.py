#!/usr/bin/python3
"""Runs every test and prints a line a test, then `N passed, N failed`.

Tests are found by name, never listed by hand:
  build/tests/unit/test_*   cmocka binaries; each of their tests counts
  tests/*/NAME.sh           exit status 0 passes; with NAME.out beside it, standard output must equal it too
How much a test went through is shown behind its line: the last line of its output that starts like `1,234 cases`.

A script runs in an empty folder of its own (TMPDIR points into it) with BUILD, SOURCE and PATH set, so that `crosswait`
and `libcrosswait.so` are the built ones, and with Open MPI told to oversubscribe and to run as root. Header comments
set the rest:  `# timeout: SECONDS` (120 unless told),  `# slow` (only with --all).
A test that ends or times out takes all the processes of its session with it.
"""
import argparse, glob, os, re, shutil, signal, subprocess, sys, tempfile, time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def descendants_of_session(session):
    """Processes still in the test's session, or marked with its id: mpirun puts ranks into groups of their own."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{entry}/environ", "rb") as f:
                environ = f.read()
        except OSError:
            continue
        if fields[0] != "Z" and (int(fields[3]) == session or
                                 f"CROSSWAIT_TEST_ID={session}\0".encode() in environ):
            found.append(int(entry))
    return found


def run(command, cwd, env, timeout):
    """Returns (exit status or None on timeout, output, number of processes left behind)."""
    shell = ["/bin/bash", "-c", 'export CROSSWAIT_TEST_ID=$$; exec "$0" "$@"'] + command
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(shell, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
        left = descendants_of_session(child.pid)
        if left and status is not None:     # what is just ending is not left behind
            time.sleep(0.5)
            left = descendants_of_session(child.pid)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if status is None:
            child.wait()
        out.seek(0)
        return status, out.read().decode(errors="replace"), len(left) if status is not None else 0


def header(path, key):
    with open(path, errors="replace") as f:
        for line in f.read(2000).splitlines():
            match = re.match(r"#\s*" + key + r"(?::\s*(.*))?$", line)
            if match:
                return match.group(1) or "yes"
    return None


def environment(build, folder):
    env = dict(os.environ)
    for name in [n for n in env if n.startswith(("CROSSWAIT", "OMPI_", "PMIX_"))]:
        del env[name]
    env.update(BUILD=build, SOURCE=SOURCE, TMPDIR=folder, LC_ALL="C",
               PATH=build + ":" + os.path.dirname("/usr/bin/python3") + ":" + env["PATH"],
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
               OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
               OMPI_MCA_hwloc_base_binding_policy="none")
    return env


def amount(output):
    """`: 12,345 cases`, from the last line that says how much ran; else nothing."""
    found = re.findall(r"^([0-9,]+) ((?:cases|measurements|programs|lines)\b.*)$", output, re.M)
    return f": {int(found[-1][0].replace(',', '') or 0):,} {found[-1][1]}" if found else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--all", action="store_true", help="the slow tests too")
    parser.add_argument("--update", action="store_true", help="rewrite the .out files from what was printed")
    parser.add_argument("only", nargs="*", help="run tests whose name contains one of these")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    passed = failed = 0
    failures = []

    tests = sorted(p for p in glob.glob(build + "/tests/unit/test_*") if not p.endswith((".d", ".o")))
    tests += sorted(glob.glob(SOURCE + "/tests/*/*.sh"))
    for path in tests:
        script = path.endswith(".sh")
        name = os.path.relpath(path, SOURCE if script else build + "/tests").removeprefix("tests/")
        if args.only and not any(word in name for word in args.only):
            continue
        if script and header(path, "slow") and not args.all:
            continue
        timeout = float((script and header(path, "timeout")) or 120)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="cw") as folder:
            status, output, left = run(["/bin/bash", path] if script else [path], folder,
                                       environment(build, folder), timeout)
        printed = output
        problem = None
        count = 1
        if status is None:
            problem = f"no end within {timeout:g} s"
        elif status != 0:
            problem = f"exit status {status}"
        elif left:
            problem = f"left {left} processes behind"
        if not script:
            good = re.search(r"\[  PASSED  \] (\d+) test", output)
            bad = re.search(r"\[  FAILED  \] (\d+) test", output)
            count = int(good.group(1)) if good else 0
            if not problem and not count:
                problem = "ran no test"
            if problem and bad:
                passed += count
                failed += int(bad.group(1)) - 1
        expected_path = path[:-3] + ".out"
        if script and not problem and (os.path.exists(expected_path) or
                                       (args.update and header(path, "expected"))):
            expected = open(expected_path).read() if os.path.exists(expected_path) else ""
            if output != expected and args.update:
                with open(expected_path, "w") as f:
                    f.write(output)
            elif output != expected:
                problem = "output differs from " + os.path.relpath(expected_path, SOURCE)
                with tempfile.NamedTemporaryFile("w", suffix=".got") as got:
                    got.write(output)
                    got.flush()
                    output = subprocess.run(["diff", "-u", expected_path, got.name],
                                            capture_output=True, text=True).stdout
        seconds = time.monotonic() - started
        if problem:
            failed += 1
            failures.append(name)
            print(f"FAIL {name} ({seconds:.1f} s): {problem}")
            print("    " + "\n    ".join(output.splitlines()[-60:]), flush=True)
        else:
            passed += count
            print(f"ok   {name} ({seconds:.1f} s){amount(printed)}", flush=True)
    for name in failures:
        print(f"failed: {name}; again: make check ONLY={name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
