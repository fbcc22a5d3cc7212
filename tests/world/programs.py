"""Runs the programs of corpus/programs in one process and compares their output and end: for the
first TEST line of each with mpirun, for the others with one process under other policies and
seeds.

Runs each TEST line except those that an INPROC line excludes:
    INPROC: no, REASON            not in one process
    INPROC: not ARGUMENTS, ...    not with these arguments
    INPROC: prints times          numbers are not compared
and those of programs that request MPI_THREAD_MULTIPLE.
Also checks the verdict: a clean program must be clean under every policy and seed below, and print
the same; an expected deadlock, misuse or abort must be found.
"""
import concurrent.futures, os, re, shutil, subprocess, sys, tempfile

source, build = os.environ["SOURCE"], os.environ["BUILD"]
folder = os.path.join(source, "corpus/programs")
LINKER = "-fuse-ld=gold" if shutil.which("ld.gold") else "-fuse-ld=lld"  # gold: until Debian 13
FLAGS = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True).stdout.split()
POLLS = re.compile(
    r" MPI_(T_\w+|Win_test|Test|Testany|Testall|Testsome|Iprobe|Improbe|Request_get_status)=\d+"
)
FOUND = {"misuse": "collective-mismatch", "message": "leftover-message", "aborted": "abort"}


def source_of(name):
    with open(os.path.join(folder, name), errors="replace") as f:
        return f.read()


def head(name):
    return source_of(name)[:4000]


def run(command, seconds=60):
    # Each mpirun has its own TMPDIR, because it removes the folder of its sessions, even if another
    # mpirun has just begun to use it.
    with tempfile.TemporaryDirectory() as own:
        try:
            did = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
                env=dict(os.environ, TMPDIR=own),
            )
        except subprocess.TimeoutExpired:
            return None, "", "no end"
    return did.returncode, did.stdout, did.stderr


def compile(name, work):
    """Returns the command of the program in one process, or what went wrong."""
    stem, ending = os.path.splitext(name)
    thing, program = os.path.join(work, stem + ".o"), os.path.join(work, stem)
    compiler = "g++" if ending == ".cpp" else "gcc"
    libraries = [
        os.path.join(build, p)
        for p in ("obj/fuzz/program/program_main.o", "hot/libworld.a", "libcore.a")
    ]
    for step in (
        [
            compiler,
            "-w",
            "-O1",
            "-g",
            "-D_GNU_SOURCE",
            "-DOMPI_SKIP_MPICXX",
            "-I" + source,
            *FLAGS,
            "-c",
            "-o",
            thing,
            os.path.join(folder, name),
        ],
        ["objcopy", "--redefine-sym", "main=crosswait_program_main", thing],
        [os.path.join(source, "fuzz/program/globals.sh"), thing],
        [compiler, LINKER, "-o", program, thing, *libraries, "-lm"],
    ):
        status, _, errors = run(step)
        if status:
            return None, errors
    return program, None


def lines(text, times):
    text = POLLS.sub("", text)
    return sorted((re.sub(r"[0-9.e+-]+", "N", text) if times else text).splitlines())


def check(program, name, ranks, args, job, verdict, times, both):
    def world(*options):
        return run([program, "-n", ranks, *options, "--", *args])

    status, printed, errors = world()
    if job == "hangs":
        if not re.search("^(deadlock|collective-mismatch): ", errors, re.M):
            yield f"hangs with mpirun, here not: {errors}"
        return
    real, expected, trouble = status, printed, ""
    if both:
        real, expected, trouble = run(
            [
                "mpirun",
                "-n",
                ranks,
                os.path.join(build, "corpus/programs", os.path.splitext(name)[0]),
                *args,
            ]
        )
    if (
        verdict in ("misuse", "message") and status == 0
    ):  # it handles the errors itself, or they need another order or a comparison of types
        verdict = "harmless"
    if verdict != "misuse" and lines(printed, times) != lines(expected, times):
        yield f"prints\n{printed}not\n{expected}{errors}"
    if verdict in ("crashed", "killed"):
        if status >= 0 or (both and status != -(real - 128)):
            yield f"ends with {status}, with mpirun {real}"
    elif verdict in FOUND:
        if FOUND[verdict] + ": " not in errors:
            yield f"no {FOUND[verdict]}: {errors}"
    elif status or real:
        yield f"ends with {status}, with mpirun {real}: {errors}{trouble}"
    elif verdict == "deadlock-unbuffered":
        if "deadlock: " not in world("-p", "rendezvous")[2]:
            yield "no deadlock without buffers"
    elif verdict == "deadlock-some-order":
        if not any("deadlock: " in world("-s", str(seed))[2] for seed in range(1, 41)):
            yield "no deadlock in forty orders"
    elif verdict == "clean":
        for options in (
            ["-p", "rendezvous"],
            ["-s", "1"],
            ["-s", "2", "-p", "eager"],
            ["-s", "3", "-p", "rendezvous"],
        ):
            status, again, errors = world(*options)
            if status or lines(again, times) != lines(expected, times):
                yield f"{' '.join(options)}: ends with {status}, prints\n{again}{errors}"


def program_of(name, work):
    text = head(name)
    words = re.findall(r"INPROC: (.*)", text)
    refused = [w[4:] for w in words if w.startswith("no, ")]
    if "MPI_THREAD_MULTIPLE" in source_of(name):
        refused.append("its threads call MPI")
    if refused:
        return name, refused[0], []
    program, trouble = compile(name, work)
    if trouble:
        return name, None, [f"{name}: is not built: {trouble}"]
    skipped = [re.match(r"not ([^,]*),", w)[1] for w in words if w.startswith("not ")]
    faults, count = [], 0
    for ranks, args, job, verdict in re.findall(
        r"TEST: ranks=(\d+) args=(.*?) ?job=(\w+) verdict=([\w-]+)", text
    ):
        if args in skipped:
            continue
        count += 1
        for fault in check(
            program, name, ranks, args.split(), job, verdict, "prints times" in words, count == 1
        ):
            faults.append(f"{name}, {ranks} ranks, '{args}': {fault}")
    return name, count, faults


def main():
    names = [n for n in sorted(os.listdir(folder)) if re.search(r"TEST: ", head(n))]
    failed = done = ways = 0
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, outcome, faults in pool.map(lambda n: program_of(n, work), names):
            if isinstance(outcome, str):
                print(f"not in one process: {name}: {outcome}")
            for fault in faults:
                print(fault)
            failed += bool(faults)
            done += isinstance(outcome, int)
            ways += outcome if isinstance(outcome, int) else 0
    print(f"{done} programs, {ways} runs, in one process as with mpirun; {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
