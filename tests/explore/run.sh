# The explored orders of `run` show what the job's own record does not, say what was tried, and
# blame no twin; a job that writes files writes them once.
for name in last accumulate; do
    mpicc -g -o $name "$SOURCE/tests/explore/programs/$name.c" &&
        mpicc -g -DCORRECT -o $name-correct "$SOURCE/tests/explore/programs/$name.c" || exit 1
done
touch -d yesterday last* accumulate*
for name in last accumulate; do
    # In some orders the job itself fails, and then says so: until it does not.
    for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
        crosswait run -o $name.db -- mpirun -n 4 ./$name >$name.txt 2>&1 && break
        grep -q '^explored' $name.txt && break
    done
    grep -E '^(error|warning)\[(behaviour|race)|^explored' $name.txt
    crosswait report --format=junit $name.db | grep -A1 'name="crosswait.\(behaviour\|race\)"' |
        grep -c '<failure'
    crosswait run -o $name.db -- mpirun -n 4 ./$name-correct >$name.txt 2>&1
    echo "correct: [$?] $(grep '^explored' $name.txt)"
done
crosswait run -o files.db -- mpirun -n 4 sh -c './accumulate-correct; echo >written' >files.txt 2>&1
echo "[$?] $(grep '^explored\|^not explored' files.txt)"
# What depends on the order is not printed, but sent on: told, and not blamed.
for twin in WRONG CORRECT; do
    mpicc -g -DSENT -D$twin -o sent "$SOURCE/tests/explore/programs/accumulate.c" || exit 1
    crosswait run -o sent.db -- mpirun -n 4 ./sent >sent.txt 2>&1
    echo "[$?] $(grep '^explored' sent.txt)"
done
# The same, as explore says it, in each format; and where messages are compared.
mpicc -g -DSENT -o sent "$SOURCE/tests/explore/programs/accumulate.c" || exit 1
crosswait explore --json=sent.json --html=sent.html -j 2 -n 4 -- ./sent
grep -o '"sends_differ".*' sent.json
grep -c 'not all send the same: rank 0' sent.html
crosswait explore --compare=messages --json=sent.json --html=sent.html -n 4 -- ./sent |
    grep -v ' = help\| = on the real'
grep -c 'sends 4 to rank 2, otherwise 4.25' sent.json
grep -c 'sends 4 to rank 2, otherwise 4.25' sent.html
# Also where what comes first is a lock.
for twin in WRONG CORRECT; do
    mpicc -g -D$twin -o exclusive "$SOURCE/tests/explore/programs/exclusive.c" || exit 1
    crosswait run -o exclusive.db -- mpirun -n 3 ./exclusive >exclusive.txt 2>&1
    echo "[$?] $(grep '^explored' exclusive.txt)"
done
