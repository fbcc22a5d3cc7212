# One exploration by several processes: the same bytes from one, two and four; a process that is
# killed loses nothing; the folder goes.
# timeout: 180
set -eu
B=$BUILD/corpus/programs
crosswait record -o T.db -- timeout 60 mpirun -n 3 $B/wildcard_order >/dev/null
mpicc -g -o every_way "$SOURCE/tests/replay/every_way.c"
crosswait record -o every.db -- timeout 60 mpirun -n 4 ./every_way
for n in 1 2 4; do
    code=0
    timeout 60 mpirun -n $n crosswait replay --explore T.db >T.$n 2>/dev/null || code=$?
    [ $code = 1 ]
    timeout 60 mpirun -n $n crosswait replay --explore --budget=1500 every.db >every.$n \
        2>/dev/null || [ $? = 5 ]
done
cmp T.1 T.2 && cmp T.1 T.4 && cmp every.1 every.2 && cmp every.1 every.4
crosswait replay --explore T.db | grep again: | cmp - <(grep again: T.1)
! ls -d *.explore 2>/dev/null
# By hand, so that one can be killed in the middle of its work.
for rank in 0 1 2; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 crosswait replay --explore \
        --budget=1500 every.db >by_hand.$rank &
    eval pid$rank=$!
done
kill -9 $pid1
wait $pid0 || true
wait $pid2 || true
cat by_hand.0 by_hand.2 | cmp - every.1
ls -d *.explore 2>/dev/null && exit 1
echo good
