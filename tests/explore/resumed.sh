# Combines state, helpers and jobs: a search that is killed or interrupted again and again, while
# several processes run its worlds, gives the result of one that is never stopped; so does a search
# of jobs on the real library.
# timeout: 400
# slow
mpicc -g -O1 -include "$SOURCE/tests/explore/paced.h" -o accumulate \
    "$SOURCE/tests/explore/programs/accumulate.c" || exit 1
mpicc -g -O1 -o sums "$SOURCE/tests/explore/programs/accumulate.c" || exit 1
crosswait explore --json=whole --time=0 -n 6 -- ./accumulate >whole.txt 2>&1
for signal in INT KILL; do
    /usr/bin/python3 "$SOURCE/tests/explore/stop.py" $signal crosswait explore -j 3 \
        --state=$signal.state --json=$signal --time=0 -n 6 -- ./accumulate >$signal.txt
    cmp whole $signal && cmp whole.txt $signal.txt && echo "$signal: the same"
done
# By 3 worlds at a time, with another number of helpers each time.
crosswait explore --world=mpirun --world-time=300 --json=jobs --time=0 mpirun -n 4 ./sums \
    >jobs.txt 2>&1
for jobs in 2 1 3 2 1 2 3 1; do
    crosswait explore --world=mpirun --world-time=300 -j $jobs --state=jobs.state --worlds=3 \
        --time=0 --json=parts mpirun -n 4 ./sums >/dev/null 2>&1
    grep -q '"complete": true' parts && break
done
for file in jobs parts; do
    grep -E '"(behaviours|outcomes|complete)"' $file
done
