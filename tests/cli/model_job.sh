# Plays a recorded job on the model's machine. The test makes the recorded times even (each call
# begins when the one before ends), so that only the model's times remain; the quiz cannot finish
# without buffering, and the command says so.
# expected
# timeout: 90
export CROSSWAIT_LOOPS=off # a row for each call, to put times into
job() {
    crosswait record -o "$1.db" -- timeout 60 mpirun -n "$2" "$BUILD/corpus/programs/$1" \
        >/dev/null 2>&1
    sqlite3 "$1.db" "UPDATE event_row SET t_enter = (id & 1099511627775) * 1000, duration = 1000"
}
job shift6 6
crosswait model --job=shift6.db
crosswait model --job=shift6.db --topology=line | head -4
crosswait model --job=shift6.db --topology=line --half-duplex | head -1
job quiz 2
crosswait model --job=quiz.db | head -3
crosswait model --job=quiz.db --eager=4096 | head -3
crosswait model --job=shift6.db --topology=hypercube
echo "exit $?"
