# timeout: 200
# Worlds for programs of other ABIs than Open MPI's: their constants are those of the libraries'
# headers; programs and their callbacks see handles as with Open MPI, and invalid handles are
# refused; shims_all.sh: programs of conform/ print the same as with the library.
pip=$SOURCE/build/mpi fail=0
folders=()
if command -v mpicc.mpich >/dev/null; then
    folders+=("$(mpicc.mpich -show | grep -o -- '-I[^ ]*' | head -1 | cut -c 3-)")
fi
for name in mpich impi; do
    [ ! -f "$pip/$name/.installed" ] || folders+=("$pip/$name/include")
done
{
    echo '#include <mpi.h>'
    sed -n 's/^ *\(MPI_[A-Z0-9_]*\) = \([^,]*\),*$/\
_Static_assert((int)(long)(\1) == (int)(\2), "\1");/p' "$SOURCE/world/shims/mpich.h"
    echo '_Static_assert((long)MPI_IN_PLACE == -1 && !MPI_BOTTOM, "addresses");'
    echo '_Static_assert((long)MPI_STATUS_IGNORE == 1, "a status that is not asked for");'
    echo '_Static_assert((long)MPI_STATUSES_IGNORE == 1, "statuses that are not asked for");'
    echo '_Static_assert(MPI_BSEND_OVERHEAD >= 88, "no library needs less");'
    echo '_Static_assert(sizeof(MPI_Status) == 20, "a status");'
} >constants.c
for folder in "${folders[@]}"; do
    gcc -w -fsyntax-only -I"$folder" constants.c 2>errors.txt ||
        { fail=1; echo "$folder:"; grep -m 5 error errors.txt; }
done
world() { crosswait explore --again=order=explore "$@" 2>&1; }
mpicc -w -g -o own "$SOURCE/tests/world/shims/handles.c" && world -n 2 -- ./own | sort >own.txt
grep -v ': yes$' own.txt
compare() { # NAME COMPILER LAUNCHER
    "$2" -w -g -DONE_WORD -o "$1" "$SOURCE/tests/world/shims/handles.c" || exit 1
    world -n 2 -- ./$1 | sort | diff own.txt - || { fail=1; echo "$1: other handles"; }
    world -n 1 -- ./$1 bad | grep -v '^0 done$' && { fail=1; echo "$1: handles that are none"; }
    for program in ${programs-}; do
        "$2" -w -I"$SOURCE" -o $program "$SOURCE/tests/world/conform/$program.c" -lm || exit 1
        ranks=$(sed -n 's/.*For \([0-9]*\) ranks.*/\1/p' "$SOURCE/tests/world/conform/$program.c")
        "$3" -n ${ranks:-4} ./$program 2>&1 </dev/null | sort >real.txt
        world -n ${ranks:-4} -- ./$program | sort | diff real.txt - >diff.txt ||
            { fail=1; echo "$1, $program:"; head -5 diff.txt; }
    done
}
[ ${#folders[@]} = 0 ] || [[ ${folders[0]} = "$pip"* ]] || compare mpich mpicc.mpich mpirun.mpich
[ ! -f "$pip/mpich/.installed" ] || compare abi "$pip/mpich/bin/mpicc_abi" "$pip/mpich/bin/mpirun"
exit $fail
