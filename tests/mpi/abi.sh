# The standard ABI of MPI 5.0: one binary, built with MPICH's mpicc_abi, runs with MPICH's and with
# Intel's libmpi_abi.so.1. Calls, mistakes, leaks, crashes and hangs are reported as with other
# libraries. Our header of the ABI has the values of MPICH's; the recorder knows the numbers in
# which Intel's 2021.18 differs (a draft of the standard).
# polls
. "$SOURCE/tests/mpi/pip.bash"
there mpich impi
cat >names.py <<'P'
import re
import subprocess
import sys

own, *others = sys.argv[1:]


def read(header, folder):
    done = subprocess.run(
        ["gcc", "-E", "-dM", "-I" + folder, "-include", header, "-x", "c", "/dev/null"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(re.findall(r"^#define (MPI_[A-Z0-9_]+) ", done.stdout, re.M)) | set(
        re.findall(r"\b(MPI_[A-Z0-9_]+)\b(?! *\()", open(f"{folder}/{header}").read())
    )


names = read("mpi.h", own)
names -= {n for n in names if n.endswith(("_H", "_FN"))}
names -= {"MPI_T", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"}
for header, folder in [("mpi.h", own)] + [("mpi_abi.h", other) for other in others]:
    lines = [f'    printf("{n} %lx\\n", (long)({n}));' for n in sorted(names)]
    with open("values.c", "w") as f:
        f.write(f"#include <stdio.h>\n#include <{header}>\nint main(void)\n{{\n")
        f.write("\n".join(lines) + "\n    return (int)sizeof(MPI_Status);\n}\n")
    subprocess.run(["gcc", "-w", "-I" + folder, "-o", "values", "values.c"], check=True)
    done = subprocess.run(["./values"], capture_output=True, text=True)
    values = (done.returncode, done.stdout)
    if header == "mpi.h":
        expected = values
    elif values != expected:
        for a, b in zip(expected[1].splitlines(), values[1].splitlines()):
            if a != b:
                print("ours", a, "theirs", b)
assert len(names) > 200
P
/usr/bin/python3 names.py "$SOURCE/interpose/library/abi" "$SOURCE/build/mpi/mpich/include" \
    "$SOURCE/build/mpi/impi/include"
run() { # what it must print in the report, and then the command
    local expected=$1
    shift
    LD_LIBRARY_PATH=$SOURCE/build/mpi/$library/lib with "$library" \
        crosswait run -o t.db -- mpirun -n "$@" >out 2>err
    status=$?
    grep -qE "$expected" out || { fail "$library $*: exit status $status"; cat out err; }
}
for program in quiz quiz_fixed crash_segv calls_coll calls_p2p messages callbacks op_types; do
    with mpich mpicc_abi -w -g -O1 -std=gnu11 -I"$SOURCE" -o $program \
        "$SOURCE/corpus/programs/$program.c" -lpthread || exit 1
done
with mpich mpicc_abi -w -g -O1 -o newer "$SOURCE/tests/mpi/programs/newer.c" || exit 1
with mpich mpicc_abi -w -g -O1 -o mistakes "$SOURCE/tests/mpi/programs/mistakes.c" || exit 1
readelf -d newer | grep -q 'NEEDED.*libmpi_abi\.so\.1' || { echo "not of the ABI"; exit 1; }
for library in mpich impi; do
    run '^verdict: clean' 2 ./newer all
    run '^error\[deadlock\]: rank 0 waits for rank 1, which has ended' 2 ./newer start
    run '^error\[deadlock\]: ranks 0 and 1 wait for each other' 2 ./newer ready
    run '^error\[deadlock\]: ranks 0 and 1 wait for each other' 2 ./quiz
    run '^verdict: clean' 2 ./quiz_fixed
    run '^verdict: clean' 1 ./calls_coll
    run '^verdict: clean' 4 ./calls_coll
    run '^verdict' 2 ./calls_p2p
    grep -qE '^(error|warning)\[(request|argument|leak)\]' out && { cat out; failed=1; }
    run '^error\[crash\]' 2 ./crash_segv
    run '^verdict: clean' 2 ./callbacks free fixed
    run '^verdict: clean' 2 ./op_types
    run '^error\[message\]' 2 ./messages types
    run '^verdict: clean' 2 ./messages types fixed
    run '^verdict: clean' 2 ./mistakes right
    run '^warning\[leak\]: MPI_Comm_dup' 2 ./mistakes leak
    run "^error\[argument\]: MPI_Send: 'datatype' is a datatype that was not" 2 ./mistakes wrong
    grep -q 'error\[error\] follows: .* raised an error.*Invalid datatype' out ||
        { fail "$library: the error that ended the job is not told"; cat out; }
done
exit $failed
