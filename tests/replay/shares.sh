# Several processes share one exploration, of a job or of our own programs: one, two and four give
# the same bytes; a process that is killed loses nothing; no file remains except the state, from
# which another process continues.
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
! ls -d .crosswait* 2>/dev/null
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
! ls -d .crosswait* 2>/dev/null
for n in 1 2 4; do
    crosswait replay --explore --jobs=$n --state=state.$n --budget=1500 every.db >jobs.$n ||
        [ $? = 5 ]
    cmp jobs.$n every.1
done
cmp state.1 state.2 && cmp state.1 state.4
# Two shares are lacking, the others are not explored again: one is made to say another number.
sed '/^share 3$/,/^end$/d; /^share 9$/,/^end$/d' state.1 >less
crosswait replay --explore --state=less --budget=1500 every.db >again || [ $? = 5 ]
cmp again every.1 && cmp less state.1
sed '/^share 3$/{n;s/^\(exploration 2 [0-9]* [0-9]* [0-9]*\) [0-9]*/\1 7000/}' state.1 >other
crosswait replay --explore --state=other --budget=1500 every.db >changed || [ $? = 5 ]
! cmp -s changed every.1
refused() { # WHY FILE OPTION...
    local why=$1 file=$2 code=0
    shift 2
    crosswait replay --explore --state=$file "$@" every.db >/dev/null 2>said || code=$?
    [ $code != 0 ] && [ $code != 5 ] && grep -q "$why" said
}
head -c 300 state.1 >cut
refused damaged cut --budget=1500
refused 'another command' state.1 --budget=1600
sed '1s/ 2 / 99 /' state.1 >newer
refused 'another version' newer --budget=1500
echo good
