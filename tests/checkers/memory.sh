# Findings name the right variables and blocks for buffers, however a program is built: exactly what
# the comments of the sources expect is found, in C, C++ and Fortran, with and without debug
# information and optimisation (memory_all.sh has more of these). Holds store_memory.c invariants 1
# and 2, variable.h invariants 1 and 2, variable_frame.c invariant 1, source_mention.h invariant 1,
# bounds.h invariants 1 and 2, heap.c invariants 2 and 3.
# timeout: 300
try() { # SOURCE COMPILER FLAG...
    local source=$SOURCE/tests/checkers/$1 compiler=$2 holds=
    shift 2
    "$compiler" -w "$@" -o program "$source" || exit 1
    case "$*" in *-g*-O0*) holds="-g stack kept" ;; *-g*) holds=-g ;; esac
    # With optimisation, later versions do not describe all arrays of the caller.
    [ "$(gfortran -dumpversion)" -ge 14 ] || holds="$holds kept"
    timeout 60 crosswait run --confirm=0 -o T.db -- mpirun -n 1 ./program >out 2>&1 </dev/null
    [ $? = 1 ] || { cat out; exit 1; }
    /usr/bin/python3 "$SOURCE/tests/checkers/memory.py" "$source" T.db $holds ||
        { echo "$source, $compiler $*"; exit 1; }
}
more="-g,-O1 -g,-O0,-fomit-frame-pointer -g,-O0,-gdwarf-4 -g,-Os -O0" more_cc=-O1
[ "${every:-}" ] || more= more_cc=
for flags in -g,-O0 -g,-O2 -g,-O2,-fno-pie,-no-pie -g,-O1,-gsplit-dwarf -O2,-no-pie $more; do
    try memory.c mpicc ${flags//,/ }
done
for flags in "-g -O0" "-g -O2" "-O2"; do OMPI_CC=clang try memory.c mpicc $flags; done
for flags in -g,-O0 -g,-O2 $more_cc; do
    flags=${flags//,/ }
    try memory_cc.cc mpicxx $flags
    try memory_f.f90 mpifort $flags -fallow-argument-mismatch
done
# bounds.h invariant 3
export ASAN_OPTIONS=detect_leaks=0
for compiler in gcc clang; do
    for flags in "-g -O0" "-g -O1"; do OMPI_CC=$compiler try memory_asan.c mpicc $flags \
        -fsanitize=address; done
done
