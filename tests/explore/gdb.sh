# Runs one rank of a world under gdb: the rank waits until gdb has ended or traces it, and the world
# stays the same. Without gdb the explorer says so.
mpicc -g -o last "$SOURCE/tests/explore/programs/last.c" || exit 1
tool=$(command -v crosswait)
mkdir here none
cat >here/gdb <<'END'
#!/bin/bash
world=$(grep -c libmpi.so.40 /proc/$3/maps | sed 's/^[1-9].*/in a world/')
echo "gdb: $1 $2 $(cat /proc/$3/comm), $world"
END
chmod +x here/gdb
again="--again=order=explore:0.1=3 -n 4 -- ./last"
PATH=$PWD/here:$PATH "$tool" explore --gdb=2 $again
echo "[$?]"
PATH=$PWD/none "$tool" explore --gdb=2 $again
echo "[$?]"
crosswait explore --gdb=4 $again
echo "[$?]"
crosswait explore --gdb=1 -n 4 -- ./last
echo "[$?]"
# The real one, where there is one: stops in a call of the program.
if command -v gdb >/dev/null; then
    printf '%s\n' 'break MPI_Send' continue 'frame 1' detach quit |
        timeout 60 crosswait explore --gdb=3 $again 2>&1 | grep -c 'last.c:[0-9]'
else
    echo 1
fi
