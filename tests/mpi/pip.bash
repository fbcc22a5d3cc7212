# Sourced by the tests of MPI libraries that pip installs (versions.txt; `make deps-mpi`).
unset ${!OMPI_MCA_*} ${!UCX_*} ${!HWLOC_*} ${!PMIX_*} # what other tests set for other versions
failed=0
fail() { echo "$*"; failed=1; }
there() { # NAME...: all are installed
    local name
    for name; do
        [ -f "$SOURCE/build/mpi/$name/.installed" ] ||
            { echo "build/mpi/$name is not there: make deps-mpi"; exit 1; }
    done
}
# with NAME COMMAND...: the library's own mpirun and Python come first, and nothing of it is set.
with() { PATH=$SOURCE/build/mpi/$1/bin:$PATH timeout -k 5 100 "${@:2}" </dev/null; }
compiled() { # NAME OUTPUT SOURCE...: Intel's wheels have no compiler wrapper that runs as it is
    local at=$SOURCE/build/mpi/$1
    case $1 in
    impi) gcc -g -w -o "$2" "${@:3}" -pthread -I"$at/include" "$at/lib/libmpi.so.12" \
        -Wl,-rpath,"$at/lib" ;;
    *) with "$1" mpicc -g -w -o "$2" "${@:3}" -pthread ;;
    esac || { echo "$1: ${*:3} cannot be compiled"; exit 1; }
}
