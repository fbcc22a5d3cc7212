# Programs that use correctly every way to communicate that the engine models are recorded, then run
# in many legal worlds. None may stop or look wrong, and the same policy prints the same bytes.
# Holds checkers invariant 1; logical/run.h invariant 3.
# timeout: 120
set -eu
. "$SOURCE/tests/launch/lib.bash"
mpicc -g -o every_way "$SOURCE/tests/replay/every_way.c"
crosswait record -o T.db -- timeout 60 mpirun -n 4 ./every_way
good() {
    crosswait replay "$@" T.db >out.txt 2>&1 || { echo "failed: replay $*"; cat out.txt; exit 1; }
    head -1 out.txt | grep -q '^finished$' || { echo "not finished: replay $*"; cat out.txt; exit 1
    }
    if grep -E 'not modelled|never|longer than|disagree|without room|before its receive' out.txt; \
        then echo "a false alarm: replay $*"; exit 1; fi
}
for coll in synchronising relaxed; do
    for buffering in rendezvous eager eager:4 credits:0 credits:1 pool:4 pool:100 random:50; do
        good --policy="buffering=$buffering coll=$coll"
        good --policy="buffering=$buffering coll=$coll order=random delay=uniform:1" --runs=50
    done
    good --policy="order=first delay=swarm coll=$coll" --runs=50
    good --policy="delay=slow-rank:2 coll=$coll"
done
if [ "$(sqlite3 T.db "select value from meta where key = 'layer'")" = on ]; then
    good --inside
    good --inside --policy="buffering=eager order=first"
fi
crosswait replay --policy="order=random delay=uniform:1" --runs=20 T.db >first.txt
crosswait replay --policy="order=random delay=uniform:1" --runs=20 T.db >second.txt
cmp first.txt second.txt
crosswait replay --explore --budget=300 T.db >explored.txt || [ $? = 5 ]
grep -q '^no deadlock in' explored.txt
[ "$(sqlite3 T.db 'select count(*) > 10 and count(distinct verdict) >= 2 from run')" = 1 ]
# One-sided: epochs that hang, and their twins.
mpicc -g -o window_start "$SOURCE/tests/replay/window_start.c"
for what in "" complete test lock; do
    timeout 100 crosswait record -o bad.db -- mpirun -n 2 ./window_start $what >/dev/null 2>&1 &
    [ "$what" != test ] || { # a poll proves nothing: it is ended when the other rank waits
        wait_for "standing bad.db '.*' 'in MPI_Recv'"
        kill -TERM $!; }
    wait $! || true
    crosswait record -o good.db -- timeout 30 mpirun -n 2 ./window_start $what right
    case $what in test) call=MPI_Win_test;; lock) call=MPI_Win_lock;; *) call=MPI_Win_start;; esac
    crosswait replay bad.db >bad.txt || true
    [ "$(head -1 bad.txt)" = deadlock ] && grep -q "$call.*window_start.c:" bad.txt ||
        { echo "$what: not found"; cat bad.txt; exit 1; }
    crosswait replay good.db >good.txt
    [ "$(head -1 good.txt)" = finished ] && ! grep 'not modelled' good.txt ||
        { echo "$what: a false alarm"; cat good.txt; exit 1; }
done
echo good
