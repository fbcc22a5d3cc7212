# timeout: 300
# Whatever a program does, checkers, engines and reports come back: traces of about 10,000 calls
# that make no sense (tests/interpose/illegal.py), and of programs with wrong arguments here and
# there.
. "$SOURCE/tests/checkers/sweep.bash"
program=$BUILD/tests/interpose/illegal
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" try "$program" >tried || exit 1
crosswait record -o illegal.db -- mpirun -q -n 1 "$program" run <tried >record.out 2>&1
calls=$(sqlite3 illegal.db 'select count(*) from event where parent is null')
[ "$calls" -gt 9000 ] || { echo "too few calls: $calls"; tail -5 record.out; exit 1; }
sweep_all illegal.db
mpicc -g -O1 -o random "$SOURCE/tests/checkers/random_arguments.c" || exit 1
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    rm -f t.db
    crosswait record -o t.db -- mpirun -q -n $((2 + seed % 2)) ./random "$seed" >record.out 2>&1
    [ -f t.db ] || { echo "seed $seed leaves no trace"; cat record.out; exit 1; }
    sweep t.db
done
echo "$calls calls"
exit "$((swept_badly != 0))"
