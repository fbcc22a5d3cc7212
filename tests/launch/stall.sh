# expected
# timeout: 200
# --stall ends, without a proof, a job that makes no progress except futile polls, and says which
# rank is where; without the option the launcher does not end such a job.
. $SOURCE/tests/launch/lib.bash
own ../../tests/launch/patience cw.patience
said() { grep -h "^crosswait:\|^verdict" $1.out $1.err | grep -v 'report on' |
    sed 's/for [0-9]* s)/for N s)/g'; }
for mode in outside aside vain; do
    crosswait run --stall=4 -o $mode.db -- mpirun -n 2 ./cw.patience $mode >$mode.out 2>$mode.err
    echo "$mode: $?"
    said $mode
    ranks $mode.db
    echo "left behind $(left cw.patience)"
done
# a job whose only calls are local ones moves
for mode in asks clock; do
    crosswait run --stall=4 -o $mode.db -- mpirun -n 2 ./cw.patience $mode >$mode.out 2>$mode.err &
    pid[${#pid[@]}]=$!
done
for mode in asks clock; do
    wait ${pid[0]}; echo "$mode: $?"; pid=("${pid[@]:1}")
    said $mode
done
# a hang that is proven is one, and no stall
crosswait run --stall=30 -o never.db -- mpirun -n 2 ./cw.patience never >never.out 2>never.err
echo "never: $?"
said never | sed 's/; the job was ended.*//'
# slower than that is not still; nor is what comes behind MPI_Finalize
crosswait run --stall=15 -o late.db -- mpirun -n 2 ./cw.patience late >late.out 2>late.err
echo "late: $?"
said late
crosswait record --stall=6 -o record.db -- sh \
    -c "mpirun -n 2 $P/quiz_fixed >quiz.out; sleep 9; echo end" 2>record.err; echo "record: $?"
cat record.err
crosswait run --stall=soon -- true
# without it
crosswait run -o left.db -- mpirun -n 2 ./cw.patience outside >left.out 2>left.err &
wait_for "[ \"\$(ls left.db.spool/*/*.ring 2>/dev/null | wc -l)\" = 2 ]"
sleep 5
kill -TERM $! && echo "still there"
wait $!
exit 0
