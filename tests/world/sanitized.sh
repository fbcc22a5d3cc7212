# slow
# timeout: 240
# Runs the in-process MPI under the address and undefined-behaviour sanitizers: its own tests, and
# the conformity programs with seeds.
set -eu
flags="-w -gline-tables-only -O0 -std=gnu11 -D_GNU_SOURCE
    -fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer -DCORE_CHECK_HOT_ON -I$SOURCE $(mpicc --showme:compile)"
export flags
mkdir objects
printf '%s\n' "$SOURCE"/world/{local,exchange,fibers}/*.c "$SOURCE"/core/matching/queue.c \
    "$SOURCE"/replay/policy/*.c "$SOURCE"/core/*.c |
    xargs -P2 -I{} sh -c \
    'clang $flags -c -o objects/$(basename $(dirname {}))_$(basename {} .c).o {}'
ar rcs libworld.a objects/*.o
clang $flags -c -o main.o "$SOURCE/fuzz/program/program_main.c"
for test in findings matching visibility; do
    clang -fuse-ld=lld $flags -o $test "$SOURCE/tests/world/$test.c" libworld.a -lm
    ./$test >out 2>&1 && echo "$test: clean" || { echo "$test:"; cat out; }
done
for source in "$SOURCE"/tests/world/conform/*.c; do
    name=$(basename "$source" .c)
    ranks=$(sed -n 's/.*For \([0-9]*\) ranks.*/\1/p' "$source")
    clang $flags -Dmain=crosswait_program_main -c -o program.o "$source"
    "$SOURCE/fuzz/program/globals.sh" program.o
    clang -fuse-ld=lld -fsanitize=address,undefined -o program program.o main.o libworld.a -lm
    for how in "-p rendezvous" "-s 1" "-s 2 -p eager"; do
        ./program -n ${ranks:-4} $how >out 2>err || { echo "$name $how:"; head -40 err; }
    done
    echo "$name: clean"
done
