# calls.table has every function that an mpi.h of any library declares: those installed, and those
# under $BUILD/mpi (Open MPI 5, MPICH 5, Intel MPI) if they exist. Each function of the table is in
# some header, and each row agrees with each header that has it.
headers=$PWD/headers
flags() { # of a compiler wrapper, what it gives the compiler before a program
    "$@" 2>/dev/null | tr ' ' '\n' | grep '^-I' | tr '\n' ' '
}
{
    version=$(mpicc --showme:version)
    [[ $version = *"Open MPI 4."* ]] && echo -n "openmpi4 " || echo -n "system "
    echo "$(flags mpicc --showme:compile)"
    if command -v mpicc.mpich >/dev/null; then
        mpichversion | grep -q '^MPICH Version:.*4\.0' && echo -n "mpich4 " || echo -n "mpich_new "
        flags mpicc.mpich -show | tr -d '\n'
        echo
    fi
    for include in "$BUILD"/mpi/*/include; do
        [ ! -e "$include/mpi.h" ] || echo "$(basename "$(dirname "$include")") -I$include"
    done
} >"$headers"
/usr/bin/python3 - "$headers" <<'P' || exit 1
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SOURCE"] + "/interpose/generate")
import generate, table

path = os.environ["SOURCE"] + "/interpose/calls.table"
fill, declared, names = generate.templates(), set(), []
for line in open(sys.argv[1]):
    name, *flags = line.split()
    old = ["-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0"]
    compiler = ["gcc", *old, *flags]
    calls, lines, ext, lacks = generate.whole_table(path, compiler, False)
    assert sum(c.declared for c in calls) > 400, name
    declared.update(c.name for c in calls if c.declared)
    names.append(name)
    os.makedirs("gen-" + name)
    for file, text in {
        "interpose_calls.h": fill["interpose_calls_h"](calls, ext, lacks),
        "interpose_rows.h": fill["interpose_rows_h"](calls, "calls.table", lines),
    }.items():
        with open(f"gen-{name}/{file}", "w") as f:
            f.write(text)
# The MPIX_ names of Open MPI 4 and MPICH 4.0 are in no other header.
if {"openmpi", "mpich", "impi", "mpich4", "openmpi4"} <= set(names):
    unknown = sorted(c.full for c in calls if not c.spare and c.name not in declared)
    assert not unknown, f"declared by no header: {unknown}"
P
bad=0
while read -r name flags; do
    gcc -std=c11 -D_GNU_SOURCE -w -fsyntax-only -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 \
        -DOMPI_REMOVED_USE_STATIC_ASSERT=0 -I"gen-$name" $flags -I"$SOURCE" -x c \
        "gen-$name/interpose_rows.h" || { echo "$name: rows differ"; bad=1; }
done <"$headers"
exit $bad
