# slow
# timeout: 300
# Checkers, engines and reports end normally whatever a program does: on traces of 7,000 to 10,000
# senseless calls (tests/interpose/illegal.py), and of two programs with some wrong arguments.
# illegal_all.sh has more of both.
. "$SOURCE/tests/checkers/sweep.bash"
program=$BUILD/tests/interpose/illegal
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" try "$program" >tried || exit 1
crosswait record -o illegal.db -- mpirun -n 1 "$program" run <tried >record.out 2>&1
calls=$(sqlite3 illegal.db 'select count(*) from event where parent is null')
[ "$calls" -gt 7000 ] || { echo "too few calls: $calls"; tail -5 record.out; exit 1; }
sweep_all illegal.db
sweep_random 1 2
echo "$calls calls"
exit "$((swept_badly != 0))"
