"""A plugin of pytest for tests of mpi4py programs: `pytest -p crosswait_pytest --crosswait=4`.

Each test runs in a job of its own, `crosswait run -- mpirun -n 4 python -m pytest TEST`: every rank
runs the test, and it fails if a rank fails or crosswait finds something. A hang costs only seconds,
and the following tests still run. A test that all ranks skip is skipped.

The plugin relies on the commands `crosswait` and `mpirun`, and on pytest alone. Installed by pip it
needs no -p. State: the folder of the traces and outcomes of this session, `.crosswait` below
pytest's root."""
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

import crosswait

INSIDE = "CROSSWAIT_PYTEST"  # in a rank: the file to which it adds its outcome
CLEAN, TROUBLE = 0, 3  # exit statuses of crosswait


def pytest_addoption(parser):
    group = parser.getgroup("crosswait", "MPI tests under crosswait")
    group.addoption(
        "--crosswait", type=int, metavar="N", help="run each test under crosswait, on N ranks"
    )
    group.addoption(
        "--crosswait-launcher",
        default="mpirun -n {ranks}",
        metavar="CMD",
        help="what starts the ranks (default: mpirun -n {ranks})",
    )
    group.addoption(
        "--crosswait-options",
        default="",
        metavar="WORDS",
        help="further options of crosswait run, e.g. '--stall=60 --ignore=leak'",
    )
    group.addoption(
        "--crosswait-report",
        action="append",
        default=[],
        metavar="FORMAT:FILE",
        help="one report on all tests, e.g. sarif:crosswait.sarif; may be given again",
    )


def pytest_configure(config):
    if os.environ.get(INSIDE):
        config.pluginmanager.register(Rank(os.environ[INSIDE]), "crosswait-rank")
    elif config.getoption("crosswait") is not None:
        if config.getoption("crosswait") < 1:
            raise pytest.UsageError("--crosswait takes a number of ranks of at least 1")
        config.pluginmanager.register(Session(config), "crosswait-session")


class Rank:
    """Runs inside of a rank: writes the outcome of the test there for the session."""

    def __init__(self, path):
        self.path = path

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = crash.message if crash else ""
            if report.skipped and report.longrepr:
                reason = report.longrepr[2]
            line = f"{report.outcome} {reason}".replace("\n", " ")
            with open(self.path, "a") as file:
                file.write(line + "\n")


class Session:
    def __init__(self, config):
        self.config = config
        self.ranks = config.getoption("crosswait")
        self.folder = config.rootpath / ".crosswait"
        self.traces = []
        self.crosswait = crosswait.command()
        if not self.crosswait:
            raise pytest.UsageError("--crosswait: there is no command crosswait on the PATH")
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.folder.mkdir()
            (self.folder / ".gitignore").write_text("*\n")
        except OSError as error:
            raise pytest.UsageError(f"--crosswait: cannot replace {self.folder}: {error}")

    def command(self, item, trace):
        launcher = self.config.getoption("crosswait_launcher").format(ranks=self.ranks)
        inner = [sys.executable, "-m", "pytest", item.nodeid, "-q", "--color=no"]
        inner += ["-p", "no:cacheprovider"]
        if not self.config.pluginmanager.has_plugin("crosswait"):  # no entry point is installed
            inner += ["-p", "crosswait_pytest"]
        return (
            [self.crosswait, "run", "-o", str(trace)]
            + shlex.split(self.config.getoption("crosswait_options"))
            + ["--"]
            + shlex.split(launcher)
            + inner
            + ["--rootdir", str(self.config.rootpath)]
        )

    def run(self, item):
        """Returns exit status, output, and the outcomes of the ranks that wrote one."""
        name = f"test-{len(list(self.folder.glob('*.out'))) + 1}"
        trace, told = self.folder / f"{name}.db", self.folder / f"{name}.out"
        told.touch()
        done = subprocess.run(
            self.command(item, trace),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=self.config.rootpath,
            env={**os.environ, INSIDE: str(told)},
        )
        if trace.exists():
            self.traces.append(str(trace))
        outcomes = [line.split(" ", 1) for line in told.read_text().splitlines()]
        passed = outcomes and all(outcome == "passed" for outcome, _ in outcomes)
        # A test without MPI leaves no trace; then its own outcome decides.
        status = (
            CLEAN
            if done.returncode == TROUBLE and passed and not trace.exists()
            else done.returncode
        )
        return status, done.stdout, outcomes

    def judge(self, item):
        status, output, outcomes = self.run(item)
        if outcomes and all(outcome == "skipped" for outcome, _ in outcomes):
            pytest.skip(outcomes[0][1])
        if status != CLEAN:
            found = [line for line in output.splitlines() if re.match(r"(error|warning)\[", line)]
            failed = [reason for outcome, reason in outcomes if outcome == "failed"]
            said = re.findall("^ *(crosswait: (?!report on ).*)", output, re.M)
            if found:
                head = found[0]
            elif failed:
                head = f"a rank failed: {failed[0]}"
            else:
                head = said[-1] if said else f"crosswait: exit status {status}"
            # pytest's summary shows the first line only.
            pytest.fail(f"{head}\n\n{output}\n[crosswait: exit status {status}]", pytrace=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        call = pytest.CallInfo.from_call(lambda: self.judge(item), when="call")
        report = pytest.TestReport.from_item_and_call(item, call)
        item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_sessionfinish(self):
        for wanted in self.config.getoption("crosswait_report"):
            form, colon, path = wanted.partition(":")
            if not colon:
                raise pytest.UsageError(f"--crosswait-report takes FORMAT:FILE, not '{wanted}'")
            if self.traces:
                subprocess.run(
                    [self.crosswait, "report", f"--format={form}", "-o", path, *self.traces]
                )
