# A program that is built with a sanitizer runs under the recorder as without: a correct one
# finishes, and a wrong one is reported in the same words, with the same exit status. Sanitizers
# report nothing about the recorder. Reports about the MPI library itself are ignored.
source=$SOURCE/tests/interpose/programs/sanitized.c
runtime=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
    MSAN_OPTIONS=halt_on_error=0
fail() { echo "$*"; tail -n 30 bare.err recorded.err; exit 1; }
build() {
    OMPI_CC=$2 MPICH_CC=$2 mpicc -g -O1 "${@:3}" -o "$1" "$source" -lpthread ||
        fail "$1 cannot be built"
}
said='sanitized\.c|is located|byte\(s\) in 1 object|does not come first'
# What is said of the program, without process numbers and addresses: what it is, where, and the
# bytes beside it.
reports() {
    sed -E 's/0x[0-9a-f]+|==[0-9]+==|\(pid=[0-9]+\)| +\(BuildId: [0-9a-f]+\)//g' "$1" |
        grep -E "$said" | grep -v ' thread T[0-9]* created' | sort -u
}
ours() { grep -E '^ *#[01] .*libcrosswait' "$1"; }
# compare PROGRAM MISTAKE REPORTS COMMAND...: REPORTS is no or yes.
compare() {
    # One rank makes the mistake: with more, what mpirun returns depends on who of them ends first.
    local ranks=1 bare recorded
    [ "$2" != fine ] || ranks=2
    timeout 300 mpirun -n $ranks "./$1" "$2" >bare.out 2>bare.err
    bare=$?
    rm -rf t.db t.db.spool
    timeout 300 "${@:4}" mpirun -n $ranks "./$1" "$2" >recorded.out 2>recorded.err
    recorded=$?
    [ "$recorded" = "$bare" ] || fail "$1 $2, ${*:4}: exit status $recorded, not $bare"
    cmp bare.out recorded.out || fail "$1 $2, ${*:4}: it prints something else"
    diff <(reports bare.err) <(reports recorded.err) ||
        fail "$1 $2, ${*:4}: it is reported in other words"
    ours recorded.err && fail "$1 $2, ${*:4}: a report on the recorder"
    [ "$(reports bare.err | grep -c "${source##*/}")" -gt 0 ] || [ "$3" = no ] ||
        fail "$1 $2: not reported at all"
    [ "$2" != fine ] || [ ! -f t.db ] || crosswait check -q t.db ||
        fail "$1 $2, ${*:4}: not clean but $?"
    cases=$((cases + 1)) status=$recorded
}
# races PROGRAM COMPILER WAY...: all races of programs/races.c that are reported bare are, recorded.
races() {
    local source=$SOURCE/tests/interpose/programs/races.c said='races\.c' way
    build "$1" "$2" -fsanitize=thread
    for way in "${@:3}"; do compare "$1" races yes $way; done
    [ "$(grep -c '^SUMMARY: ThreadSanitizer: data race' bare.err)" -ge 8 ] ||
        fail "$1: the program's own races are not reported"
}
record="crosswait record -o t.db --"
looking="env CROSSWAIT_BUFFERS=on $record"
much="crosswait record --payload=full --stack=6 -o t.db --"
plain="env LD_PRELOAD=$BUILD/libcrosswait.so CROSSWAIT_OUT=$PWD/t.db"
cases=0
