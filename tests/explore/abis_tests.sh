# slow
# timeout: 900
# Runs further tests of exploring with the compilers of MPICH and of the standard ABI: the outputs
# must be the same.
compilers=()
if command -v mpicc.mpich >/dev/null; then compilers+=("$(command -v mpicc.mpich)"); fi
if [ -f "$SOURCE/build/mpi/mpich/.installed" ]; then
    compilers+=("$SOURCE/build/mpi/mpich/bin/mpicc_abi")
fi
path=$PATH
for compiler in "${compilers[@]}"; do
    for test in behind endings guarded links many; do # that start no job
        folder=$PWD/$(basename "$compiler").$test
        mkdir -p "$folder/bin" "$folder/run"
        printf '#!/bin/sh\nexec %s "$@"\n' "$compiler" >"$folder/bin/mpicc"
        chmod +x "$folder/bin/mpicc"
        (cd "$folder/run" && TMPDIR=$PWD PATH=$folder/bin:$path \
            bash "$SOURCE/tests/explore/$test.sh" >../said.txt 2>&1 </dev/null)
        diff "$SOURCE/tests/explore/$test.out" "$folder/said.txt" >"$folder/diff.txt" ||
            { echo "$test with $compiler:"; head -20 "$folder/diff.txt"; fail=1; }
        rm -rf "$folder"
    done
done
exit ${fail-0}
