"""Makes the table of docs/mpi.md from runs: matrix.py [--write]. Runs programs plainly and under
`crosswait run` with each MPI library of versions.txt, and with MPICH's standard ABI; prints each
cell that differs from the document. --write writes the table into the document.

The correct and the wrong programs are the lines of corpus/programs (TEST: ...) and of
tests/mpi/programs that are listed here; each library runs each."""
import os, re, sqlite3, subprocess, sys

sys.dont_write_bytecode = True
SOURCE = os.environ.get("SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
MPI = f"{SOURCE}/build/mpi"
DOCUMENT = f"{SOURCE}/docs/mpi.md"
sys.path[:0] = [f"{SOURCE}/interpose/generate", f"{SOURCE}/world/newer"]
import generate
import newer as of_worlds

sys.path.insert(0, f"{SOURCE}/tests/explore")
os.environ["SOURCE"] = SOURCE
import abis
import newer_programs

LIBRARIES = {  # the environment, and the name that stands in the table
    "openmpi": ("openmpi", "Open MPI 5.0.11"),
    "mpich": ("mpich", "MPICH 5.0.2"),
    "impi": ("impi", "Intel MPI 2021.18"),
    "abi": ("mpich", "standard ABI (MPICH 5.0.2)"),
}
RIGHT = [
    ("calls_coll", 4, ""),
    ("callbacks", 2, "delete fixed"),
    ("messages", 2, "types fixed"),
    ("messages", 2, "lost fixed"),
    ("callbacks", 2, "free fixed"),
    ("callbacks", 2, "copy fixed"),
    ("op_types", 2, ""),
    ("quiz_fixed", 2, ""),
    ("newer", 2, "all"),
    ("mistakes", 2, "right"),
]
# Programs and the finding that each must have: those that end by themselves, and those that hang.
WRONG = [
    ("quiz", 2, "", r"^error\[deadlock\]"),
    ("messages", 2, "types", r"^error\[message\]"),
    ("messages", 2, "lost", r"^(error|warning)\[message\]"),
    ("mistakes", 2, "wrong", r"^error\[argument\].*not committed"),
    ("mistakes", 2, "leak", r"^warning\[leak\]: MPI_Comm_dup"),
    ("crash_segv", 2, "", r"^error\[crash\].*SIGSEGV"),
    ("abort_one", 2, "", r"^note\[abort\]|MPI_Abort"),
]
HANGS = [
    ("callbacks", 2, "copy", r"^error\[deadlock\]"),
    ("callbacks", 2, "free", r"^error\[deadlock\]"),
    ("newer", 2, "start", r"^error\[deadlock\]"),
    ("newer", 2, "ready", r"^error\[deadlock\]"),
]
# Programs of tests/explore/programs: windows, matching, completion, collectives, callbacks,
# threads.
WORLDS = (
    *("window", "exclusive", "accumulate", "stores", "probe", "waitany", "waitsome", "testany"),
    *("cancelled", "persistent", "general", "connect", "threads", "buffering", "needle"),
)
# Collectives of tests/interpose/programs/one_collective.c; each also as MPI_I...
COLLECTIVES = (
    *("Bcast", "Reduce", "Allreduce", "Alltoall", "Alltoallv", "Allgather", "Allgatherv"),
    *("Barrier", "Reduce_scatter", "Reduce_scatter_block", "Gather", "Scatter", "Scan", "Exscan"),
)
PYTHON = {
    "right": ("from mpi4py import MPI\nMPI.COMM_WORLD.allreduce(1)\n", r"^verdict: clean$"),
    "hang": (
        "from mpi4py import MPI\nMPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)\n",
        r"^error\[deadlock\]",
    ),
    "error": (
        "from mpi4py import MPI\nMPI.COMM_WORLD.Send(b'', dest=9)\n",
        r"error\[exception\] follows: .*rank",
    ),
}


def run(words, env):
    done = subprocess.run(
        ["timeout", "-k", "5", "100", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=env,
    )
    return done.returncode, done.stdout, done.stderr


class Column:
    def __init__(self, name):
        self.name, (self.at, self.title) = name, LIBRARIES[name]
        self.at = f"{MPI}/{self.at}"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA", "UCX_"))}
        self.env["PATH"] = f"{self.at}/bin:{self.env['PATH']}"
        if name == "abi":
            self.env["LD_LIBRARY_PATH"] = f"{self.at}/lib"
        self.wrong = []
        self.built = {}

    def program(self, name):
        if name not in self.built:
            folders = ("tests/mpi/programs", "tests/interpose/programs", "corpus/programs")
            sources = [f"{SOURCE}/{folder}/{name}.c" for folder in folders]
            source = next(path for path in sources if os.path.exists(path))
            cc = {"impi": ["gcc"], "abi": ["mpicc_abi"]}.get(self.name, ["mpicc"])
            at = [
                f"-I{self.at}/include",
                f"{self.at}/lib/libmpi.so.12",
                f"-Wl,-rpath,{self.at}/lib",
            ]
            words = [*cc, "-w", "-g", "-O1", "-std=gnu11", f"-I{SOURCE}", "-pthread", source]
            words += at if self.name == "impi" else []
            status, _, err = run([*words, "-o", f"./{name}.{self.name}", "-lm"], self.env)
            assert status == 0, err
            self.built[name] = f"./{name}.{self.name}"
        return self.built[name]

    def job(self, name, ranks, args):
        return ["mpirun", "-n", str(ranks), self.program(name), *args.split()]

    def watched(self, job, *options):
        if os.path.exists("T.db"):
            os.remove("T.db")
        return run(["crosswait", "run", *options, "-o", "T.db", "--", *job], self.env)

    def count(self, what, good):
        if not good:
            self.wrong.append(f"{self.name}: {what}")
        return bool(good)

    def right(self):
        harmed = blamed = 0
        for name, ranks, args in RIGHT:
            job = self.job(name, ranks, args)
            plain = run(job, self.env)
            status, out, err = self.watched(job)
            own = [l for l in out.splitlines() if l in plain[1].splitlines()]
            same = sorted(own) == sorted(plain[1].splitlines())
            crashed = re.search(r"^error\[(crash|exit)\]", out, re.M)
            harmed += not self.count(
                f"{name} {args}: harmed", plain[0] == 0 and same and not crashed
            )
            blame = re.findall(r"^(?:error|warning)\[.*", out, re.M)
            blamed += not self.count(
                f"{name} {args}: {blame}", not blame and "\nverdict: clean" in out
            )
        return f"{harmed} / {blamed} of {len(RIGHT)}"

    def told(self, tests):
        good = 0
        for name, ranks, args, finding in tests:
            _, out, err = self.watched(self.job(name, ranks, args))
            good += self.count(f"{name} {args}:\n{out}{err}", re.search(finding, out, re.M))
        return f"{good} of {len(tests)}"

    def ended(self):
        good = 0
        for name, ranks, args, finding in HANGS:
            _, out, err = self.watched(self.job(name, ranks, args))
            good += self.count(
                f"{name} {args}:\n{out}{err}",
                re.search(finding, out, re.M) and "the job was ended" in err,
            )
        return f"{good} of {len(HANGS)}"

    def python(self):
        if self.name == "abi":
            return "-"  # mpi4py's wheels find the libraries' own
        good = 0
        for name, (text, finding) in PYTHON.items():
            with open(f"{name}.py", "w") as f:
                f.write(text)
            _, out, err = self.watched(["mpirun", "-n", "2", "python", f"{name}.py"])
            good += self.count(f"{name}.py:\n{out}{err}", re.search(finding, out, re.M))
        return f"{good} of {len(PYTHON)}"

    def worlds(self):
        """Returns the programs for which worlds find the same as with this machine's Open MPI."""
        compiler = abis.compiler(self.name)
        good = 0
        for name in WORLDS:
            for flags in ([], ["-DCORRECT"]):
                own = abis.explored(["mpicc"], name, *flags)
                good += self.count(f"{name} {flags}", own == abis.explored(compiler, name, *flags))
        return f"{good} of {2 * len(WORLDS)}"

    def worlds_newer(self):
        """Returns for how many programs with functions newer than MPI 3.1 worlds find the mistake,
        and none without it."""
        programs = newer_programs.of(self.name)
        good = 0
        for name in programs:
            for flag, status in (("-DWRONG", 1), ("-DCORRECT", 0)):
                text = newer_programs.explored(abis.compiler(self.name), name, flag)
                good += self.count(f"{name} {flag}:\n{text}", text.endswith(f"[{status}]\n"))
        return f"{good} of {2 * len(programs)}"

    def worlds_functions(self):
        """Returns for how many functions of its header worlds have one."""
        library = {"openmpi": "libmpi.so.40", "abi": "libmpi_abi.so.1"}.get(
            self.name, "libmpi.so.12"
        )
        exported = subprocess.run(
            ["nm", "-D", "--defined-only", f"{SOURCE}/build/ranks/{library}"],
            capture_output=True,
            text=True,
        ).stdout
        there = set(re.findall(r" [TW] MPI_(\w+)", exported)) - of_worlds.LACKED
        header = "mpi_abi.h" if self.name == "abi" else "mpi.h"
        named = generate.functions_of_header(["gcc", f"-I{self.at}/include"], header)
        named = {name for name in named if not name.startswith("X_")}
        return f"{len(named & there)} of {len(named)}"

    def inside(self):
        """Returns the collectives whose inner messages are recorded, for every call on every rank.
        MPICH uses UCX, Intel MPI libfabric."""
        names = [*COLLECTIVES, *("I" + name.lower() for name in COLLECTIVES)]
        job = self.job("one_collective", 4, " ".join(n.lower() for n in names) + " 3 1000")
        self.watched(job, "--inside=transport")
        with sqlite3.connect("T.db") as trace:
            made = trace.execute(
                "WITH parents AS (SELECT DISTINCT e.id - s.parent_back AS id FROM event_row e"
                " JOIN shape s ON s.id = e.shape WHERE s.parent_back IS NOT NULL)"
                " SELECT c.name, count(*) = count(p.id) FROM event_row e"
                " JOIN shape s ON s.id = e.shape JOIN call c ON c.id = s.call"
                " LEFT JOIN parents p ON p.id = e.id"
                " WHERE s.parent_back IS NULL GROUP BY c.name"
            )
            seen = dict(made.fetchall())
        unseen = [n for n in names if seen.get("MPI_" + n) != 1]
        self.count(f"nothing is seen inside of {unseen}", not unseen)
        return f"{len(names) - len(unseen)} of {len(names)}"

    def lacking(self):
        """Returns the functions of its header for which calls.table has no row."""
        include = f"{self.at}/include"
        header = "mpi_abi.h" if self.name == "abi" else "mpi.h"
        calls, lines, _ = generate.read(f"{SOURCE}/interpose/calls.table")
        generate.all_forms(calls, lines)
        return str(
            len(set(generate.functions_of_header(["gcc", f"-I{include}"], header)) - set(lines))
        )

    def cells(self):
        return [
            self.right(),
            self.told(WRONG),
            self.ended(),
            self.python(),
            self.worlds(),
            self.worlds_newer(),
            self.worlds_functions(),
            self.inside(),
            self.lacking(),
        ]


ROWS = [
    "right programs: harmed / blamed",
    "wrong programs: told",
    "hangs: proven and ended",
    "mpi4py of its wheel: right",
    "worlds: explored as with Open MPI 4.1",
    "worlds: programs with newer functions, wrong and right: told",
    "worlds: functions of its header (`MPI_`) that they have",
    "collectives: the library's messages inside are recorded (`--inside=transport`)",
    "functions of its header that are not recorded",
]


def main():
    columns = [Column(name) for name in LIBRARIES]
    cells = [column.cells() for column in columns]
    lines = [
        "| | " + " | ".join(c.title for c in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for i, row in enumerate(ROWS):
        lines.append(f"| {row} | " + " | ".join(column[i] for column in cells) + " |")
    made = "\n".join(lines) + "\n"
    with open(DOCUMENT) as f:
        text = f.read()
    begin, end = "<!-- matrix -->\n", "<!-- end -->\n"
    before, rest = text.split(begin)
    stands, after = rest.split(end)
    for column in columns:
        for what in column.wrong:
            print(what)
    if "--write" in sys.argv:
        with open(DOCUMENT, "w") as f:
            f.write(before + begin + made + end + after)
    elif stands != made:
        print(f"docs/mpi.md has other cells (make docs writes them):\n{made}")
        return 1
    return 0


sys.exit(main())
