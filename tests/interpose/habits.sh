# timeout: 300
# What programs do besides MPI (programs/habits.c): each prints and ends as without crosswait, and
# has only the findings listed here. Holds interpose invariant 1.
habits=$BUILD/tests/interpose/habits
failed=0
words() { sed -E 's/[0-9a-f]*[0-9][0-9a-f]*/N/g' "$1" | sort; }
try() { # VERDICT HABIT...
    local verdict=$1 plain
    shift
    rm -rf T.db* plain ours
    mkdir plain ours
    (cd plain && timeout 100 mpirun -n 2 "$habits" "$@" >../plain.out 2>../plain.err </dev/null)
    plain=$?
    (cd ours && timeout 100 crosswait run -q -o ../T.db -- mpirun -n 2 "$habits" "$@" >../out \
        2>../err </dev/null)
    sed -n '/^crosswait: report on/,$p' out >report
    sed -i '/^crosswait: report on/,$d; /^verdict: /d' out
    grep -v '^crosswait:' err >job.err
    [ "$(sqlite3 T.db "select value from meta where key = 'exit_code'")" = $plain ] &&
        diff <(sort plain.out) <(sort out) &&
        { [ $plain != 0 ] || diff <(words plain.err) <(words job.err); } &&
        [ "$(crosswait check T.db | sed -n 's/ in the recorded order; others are possible//
            /^verdict/p')" = "verdict: $verdict" ] && return
    echo "$*: exit status $plain:"
    cat err report
    failed=1
}
lost="clean as far as it was recorded, 1 note"
try clean children aborting-child session undumpable coroutine bottomless \
    deep little-stack alarmed \
    user-signals faults communicators requests reaped blocked
try "clean, 1 note" jumping # a rank that there is not, whose error it handles
try "clean, 1 note" swapping
try "clean, 1 note" ends-in-handler
try clean cancelled
try clean unset files-closed numbers-reused
try clean blocked-before locked no-memory-more
try clean few-files faults-before elsewhere confined
try "$lost" jailed unseen-thread
[ "$(grep -c '^crosswait: a thread of rank [01] is not recorded' err)" = 2 ] ||
    { cat err; failed=1; }
try clean prints-at-exit finalized-at-exit
try clean lives-in-thread
try clean quick
try clean quicker
try "1 error" quick-unfinished
try clean exits-in-thread
try clean main-leaves
try "1 warning" dies-of-term
exit $failed
