# timeout: 120
# The same programs on the in-process MPI and on Open MPI must print the same.
set -eu
fail=0
for source in "$SOURCE"/tests/inproc/conform/*.c; do
    name=$(basename "$source" .c)
    ranks=4; [ "$name" = comms ] && ranks=6
    mpicc -w -o real "$source"
    gcc -w -Dmain=crosswait_program_main $(mpicc --showme:compile) -I"$SOURCE" -o inproc "$source" \
        "$SOURCE/fuzz/inproc_main.c" "$BUILD/libinproc.a" "$BUILD/libcore.a"
    timeout 60 mpirun -n $ranks ./real >real.out 2>real.err || { echo "$name: fails under mpirun"; cat real.err; exit 1; }
    for how in "-p rendezvous" "-p eager" "-p eager:64" "-s 1" "-s 2 -p rendezvous" "-s 3 -p eager"; do
        ./inproc -n $ranks $how >inproc.out 2>inproc.err || { echo "$name $how: findings"; cat inproc.err; fail=1; }
        diff -u real.out inproc.out >diff.out || { echo "$name $how: differs"; head -40 diff.out; fail=1; }
    done
    echo "$name: the same"
done
exit $fail
