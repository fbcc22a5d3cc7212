# timeout: 200
# The same programs must print the same on the in-process MPI and on Open MPI. Each program says for
# how many ranks it is.
set -eu
fail=0
for source in "$SOURCE"/tests/world/conform/*.c; do
    name=$(basename "$source" .c)
    ranks=$(sed -n 's/.*For \([0-9]*\) ranks.*/\1/p' "$source")
    ranks=${ranks:-4}
    mpicc -w -I"$SOURCE" -o real "$source" -lm
    gcc -w -Dmain=crosswait_program_main $(mpicc --showme:compile) -I"$SOURCE" -c \
        -o program.o "$source"
    "$SOURCE/fuzz/program/globals.sh" program.o
    gcc -o world program.o "$BUILD/obj/fuzz/program/program_main.o" "$BUILD/hot/libworld.a" \
        "$BUILD/libcore.a" -lm
    rm -f real.rank.*
    timeout 60 mpirun -n $ranks sh -c 'exec ./real >real.rank.$OMPI_COMM_WORLD_RANK' 2>real.err ||
        { echo "$name: fails under mpirun"; cat real.err real.rank.*; exit 1; }
    sort real.rank.* >real.out # lines of different ranks come in any order; mpirun may tear them
    for how in "-p rendezvous" "-p eager" "-p eager:64" "-s 1" "-s 2 -p rendezvous" \
        "-s 3 -p eager"; do
        ./world -n $ranks $how >world.raw 2>world.err || { echo "$name $how: findings"
            cat world.err; fail=1; }
        sort world.raw >world.out
        diff -u real.out world.out >diff.out || { echo "$name $how: differs"; head -40 diff.out
            fail=1; }
    done
    [ $fail = 0 ] && echo "$name: the same"
done
exit $fail
