# expected
# A test that needs another version of a library than the installed one is skipped, as is one that
# prints that it is; the runner prints the reason and counts it. A test that has what it needs runs.
mkdir -p tree/tests/room bin build
cp "$SOURCE"/tests/{run,mpirun}.py tree/tests/
printf '#!/bin/sh\necho "mpirun (Open MPI) 5.0.7"\n' >bin/mpirun
chmod +x bin/mpirun
test_needs() { # NAME, CONDITION
    printf '# needs: %s: it forces what 4.1 has\n' "$2" >"tree/tests/room/$1.sh"
}
test_needs older 'openmpi<5'
test_needs newer 'openmpi>=5'
test_needs exactly 'openmpi>=5.0.7'
echo 'echo "skipped: no such daemon here"' >tree/tests/room/daemon.sh
echo "what it would print" >tree/tests/room/daemon.out
PATH=$PWD/bin:$PATH /usr/bin/python3 tree/tests/run.py -j 1 --build build | sed 's/ ([0-9.]* s)//'
