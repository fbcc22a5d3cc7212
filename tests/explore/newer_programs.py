"""Explores programs of tests/explore/newer, whose functions are newer than MPI 3.1, with each
library of build/mpi that has these functions: prints the finding of each wrong program once, and
where a library differs from the others or a correct program is blamed.

    newer_programs.py LIBRARY..."""
import os, re, sys

sys.dont_write_bytecode = True
import abis

PROGRAMS = f"{abis.SOURCE}/tests/explore/newer"
# Of what Open MPI 5.0 has nothing.
LACKS = {"openmpi": ("large", "getstatus")}


def of(library):
    """Returns the programs whose functions the library has."""
    names = sorted(n[:-2] for n in os.listdir(PROGRAMS))
    return [n for n in names if n not in LACKS.get(library, ())]


def explored(words, name, flag):
    """Compiles a program with a library and explores it. Returns the output with the status."""
    before, abis.PROGRAMS = abis.PROGRAMS, PROGRAMS
    try:
        return abis.explored(words, name, flag)
    finally:
        abis.PROGRAMS = before


def short(text):
    """Returns the lines that tell what was found."""
    lines = [
        l
        for l in text.split("\n")
        if re.match(r"error|note|crosswait|\[|.*\|  +\^|.* leads |.*another behaviour", l)
    ]
    return "\n".join("    " + l for l in lines)


def main():
    compilers = {n: w for n, w in abis.compilers().items() if n in sys.argv[1:]}
    differ = runs = 0
    for name in of(None):
        said = {}
        for library, words in compilers.items():
            if name not in of(library):
                continue
            runs += 2
            for flag in ("-DWRONG", "-DCORRECT"):
                text = explored(words, name, flag)
                if text != said.setdefault(flag, text):
                    differ += 1
                    print(f"{name} {flag} with {library}:\n{text}")
        print(f"{name}:\n{short(said['-DWRONG'])}")
        print(f"  correct: {said['-DCORRECT']}".rstrip().replace("\n", " "))
    print(f"{runs} runs, {differ} differ" if sys.argv[2:] else f"{differ} differ")


if __name__ == "__main__":
    main()
