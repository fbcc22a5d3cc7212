# Programs whose fault needs a few choices, and their correct twins: each fault is found, no twin is
# blamed, and all behaviours were run. The printed schedule repeats the fault.
# Each second program; programs_more.sh runs the others.
# timeout: 300
number=0
for file in "$SOURCE"/tests/explore/programs/*.c; do
    [ $((number++ % 2)) = ${half:-0} ] || continue
    name=$(basename "$file" .c)
    ranks=$(sed -n '1s/^.* \([0-9]*\) ranks.*/\1/p' "$file")
    mpicc -g -O1 -o $name "$file" && mpicc -g -O1 -DCORRECT -o $name-correct "$file" || exit 1
    crosswait explore mpirun -n $ranks ./$name >$name.txt 2>&1
    status=$?
    crosswait explore -n $ranks -- ./$name-correct >$name-correct.txt 2>&1
    echo "$name: [$status], correct: [$?] $(tail -1 $name-correct.txt | sed 's/crosswait: //')"
    grep -E '^(error|warning|note)|\| +\^|\|  MPI|^crosswait' $name.txt | sed 's/^/    /'
    schedule=$(sed -n "s/^ *= again: crosswait explore --again='\([^']*\)'.*/\1/p" $name.txt |
        head -1)
    crosswait explore --again="$schedule" -n $ranks -- ./$name >again.txt 2>&1
    echo "    again: [$?]"
done
