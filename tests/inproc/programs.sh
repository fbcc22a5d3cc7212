# timeout: 150
# The corpus's programs in one process: what prints a result under mpirun prints the same here; what hangs there is a deadlock here.
set -u
fail=0
build() {
    gcc -w -O1 -Dmain=crosswait_program_main $(mpicc --showme:compile) -I"$SOURCE" -c -o program.o "$SOURCE/corpus/programs/$1.c" &&
        "$SOURCE/fuzz/private.sh" program.o && gcc -o inproc program.o "$BUILD/obj/fuzz/inproc_main.o" "$BUILD/libinproc.a" "$BUILD/libcore.a" -lm
}
same() { # name, ranks, policy, arguments
    name=$1 ranks=$2 policy=$3; shift 3
    build "$name" || { echo "$name: does not build"; fail=1; return; }
    timeout 60 mpirun -n "$ranks" "$BUILD/corpus/programs/$name" "$@" 2>&1 | sort >real.out
    timeout 20 ./inproc -n "$ranks" -p "$policy" -- "$@" 2>inproc.err | sort >inproc.out
    cat inproc.err
    if diff real.out inproc.out >diff.out; then echo "$name: the same"; else echo "$name: differs"; head -5 diff.out; fail=1; fi
}
hangs() { # name, ranks, policy, arguments
    name=$1 ranks=$2 policy=$3; shift 3
    build "$name" || { echo "$name: does not build"; fail=1; return; }
    timeout 20 ./inproc -n "$ranks" -p "$policy" -- "$@" 2>&1 >/dev/null | grep -o '^deadlock: [0-9]* of [0-9]* ranks' | sed "s/^/$name: /" || fail=1
}
same matvec 4 eager
same transpose 4 eager
same shift6 6 eager
same reduce_root1 3 eager
same quiz_fixed 2 rendezvous
same ring_allgather_safe 5 rendezvous
same hypercube_allgather_safe 8 rendezvous
same wildcard_order_fixed 3 eager
hangs quiz 2 rendezvous
hangs quiz_blocking 2 rendezvous
hangs ring_allgather_printed 4 rendezvous
hangs hypercube_allgather_printed 8 rendezvous
hangs reduce_alone 4 eager
exit $fail
