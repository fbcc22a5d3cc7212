"""Programs of tests/explore/programs in worlds, with each MPI library that is here: what is said of
each, and its exit status, is what it is with Open MPI. abis.py all|PROGRAM..."""
import difflib, os, re, shutil, subprocess, sys

SOURCE = os.environ["SOURCE"]
PROGRAMS = f"{SOURCE}/tests/explore/programs"
PIP = f"{SOURCE}/build/mpi"


def compiler(name):
    """The words that compile with a library of build/mpi; None: it is not there."""
    at = f"{PIP}/{'mpich' if name == 'abi' else name}"
    if not os.path.exists(f"{at}/.installed"):
        return None
    if name == "impi":  # its wheels have no compiler wrapper that runs as it is
        library = [f"{at}/lib/libmpi.so.12", f"-Wl,-rpath,{at}/lib"]
        return ["gcc", f"-I{at}/include", "-pthread", *library]
    return [f"{at}/bin/{'mpicc_abi' if name == 'abi' else 'mpicc'}"]


def compilers():
    """By the names of libraries."""
    found = {name: compiler(name) for name in ("openmpi", "mpich", "impi", "abi")}
    found["Debian's mpich"] = shutil.which("mpicc.mpich") and ["mpicc.mpich"]
    return {name: words for name, words in found.items() if words}


def explored(compiler, name, *flags):
    """The exit status and what was said, of a program that a library's compiler makes."""
    source = f"{PROGRAMS}/{name}.c"
    with open(source) as f:
        told = re.search(r"(\d+) ranks", f.readline())
    ranks = told.group(1) if told else "4"
    # behind its source: a library in the command is only looked for there
    words = [compiler[0], "-w", "-g", "-O1", *flags, "-o", name, source, *compiler[1:]]
    subprocess.run(words, check=True)
    done = subprocess.run(
        ["crosswait", "explore", "-n", ranks, "--", f"./{name}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return f"{done.stdout}[{done.returncode}]\n"


def main():
    names = sys.argv[1:]
    if names == ["all"]:
        names = sorted(n[:-2] for n in os.listdir(PROGRAMS) if n.endswith(".c"))
    others = compilers()
    differ, runs = 0, 0
    for name in names:
        for flags in ([], ["-DCORRECT"]):
            said = explored(["mpicc"], name, *flags)
            for library, words in others.items():
                other = explored(words, name, *flags)
                runs += 1
                if other != said:
                    differ += 1
                    print(f"{name} {' '.join(flags)} with {library}:")
                    print("\n".join(difflib.unified_diff(said.split("\n"), other.split("\n"))))
    print(f"{runs} runs with {len(others)} libraries, {differ} differ from Open MPI's")
    return differ != 0


if __name__ == "__main__":
    sys.exit(main())
