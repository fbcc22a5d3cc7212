# timeout: 3600
# slow
# Records senseless calls in every way (tests/interpose/illegal.py): with everything that `run`
# looks at, with payloads and stacks, with the newest calls only; for each function also one call in
# which the job ends, as errors are fatal, and one in which the MPI library itself dies. Every
# checker, policy and report format must handle each trace, and those of random programs. Takes six
# minutes on two idle cores.
. "$SOURCE/tests/checkers/sweep.bash"
program=$BUILD/tests/interpose/illegal
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" try "$program" >tried || exit 1
for way in run 'record --payload=full --stack=4' 'record --last=100'; do
    rm -f t.db
    crosswait $way -o t.db -- mpirun -n 1 "$program" run tried >record.out 2>&1
    [ -f t.db ] || { echo "$way: no trace"; tail -5 record.out; exit 1; }
    sweep_all t.db
done
# The first call of a function that is refused, and that is not among those tried.
crosswait record -o t.db -- mpirun -n 1 "$program" run tried >answers 2>/dev/null
grep -v ': 0 ' answers | awk '$1 ~ /^[0-9]+$/ && !seen[$2]++ {print $1, $2}' >refused
"$program" list | grep -vxFf tried | awk '!seen[$2]++' >deadly
[ "$(wc -l <refused)" -gt 180 ] || { echo "too few: $(wc -l <refused)"; exit 1; }
ended=0
for mode in refused deadly; do
    while read -r number name; do
        echo "$number $name" >one
        rm -f t.db
        timeout 20 crosswait record -o t.db -- "$program" end one >record.out 2>&1 </dev/null
        [ -f t.db ] || { echo "$name, $mode: no trace"; tail -5 record.out; swept_badly=1
            continue; }
        ended=$((ended + 1))
        swept check t.db
        swept replay t.db
        swept replay --explore --budget=200 t.db
        swept report -f json -o swept.report t.db
        swept report -f html -o swept.report t.db
    done <$mode
done
echo "$ended calls ended a job"
sweep_random {1..12}
exit "$((swept_badly != 0))"
