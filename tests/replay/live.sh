# Forces a found schedule in the real job: it hangs and confirms the finding, or finishes and does
# not.
# expected
# timeout: 180
set -u
B=$BUILD/corpus/programs
show() {
    echo "\$ crosswait replay $*" | sed "s|$BUILD/||g"
    # an mpirun that is being ended may crash in its own clean-up, and says so in lines that begin
    # with [host:pid]; or its libevent does, in one that begins with [warn]
    crosswait replay "$@" 2>&1 |
        grep -v -e 'received' -e '^\[[^] ]*:[0-9]*\]' -e '^\[warn\] Epoll' |
        sed -E 's/([0-9])\.[0-9]+/\1.N/g'
    echo "[${PIPESTATUS[0]}]"
}
record() { ranks=$1 name=$2
    crosswait record -o $name.db -- timeout 60 mpirun -n $ranks $B/$name >/dev/null 2>&1; }
record 2 quiz
crosswait check quiz.db >/dev/null
show --live quiz.db -- mpirun -n 2 $B/quiz
sqlite3 quiz.db "select rule, confirmed from finding where rule = 'deadlock'"
sqlite3 quiz.db "select policy, verdict from run"
crosswait replay quiz-live.db | head -1
record 3 wildcard_order
crosswait check wildcard_order.db >/dev/null
show --live wildcard_order.db -- mpirun -n 3 $B/wildcard_order
sqlite3 wildcard_order.db "select rule, confirmed from finding where rule = 'deadlock'"
record 2 quiz_fixed
show --live quiz_fixed.db -- mpirun -n 2 $B/quiz_fixed
show --live --policy=buffering=rendezvous -o other.db quiz_fixed.db -- mpirun -n 2 $B/quiz_fixed
ls other.db
show --live --policy=buffering=credits:1 quiz.db -- mpirun -n 2 $B/quiz
show --live --policy=buffering=list:0.2 quiz.db -- mpirun -n 2 $B/quiz
show --live quiz.db
show quiz.db -- mpirun -n 2 $B/quiz
show --live --time=2 --policy=buffering=eager quiz.db -- sleep 30
