# expected
# Every way to fail is reported: after more outcomes than are shown, at each place where ranks wait,
# with and without buffers, and if the same choices did not repeat it; no twin is blamed.
for file in "$SOURCE"/tests/explore/endings/*.c; do
    name=$(basename "$file" .c)
    ranks=$(sed -n '1s/^.* \([0-9]*\) ranks.*/\1/p' "$file")
    mpicc -g -O1 -o $name "$file" && mpicc -g -O1 -DCORRECT -o $name-correct "$file" || exit 1
    for jobs in 1 $(test $name = odd || echo 3); do # what does not repeat itself differs there
        crosswait explore -j $jobs --state=$jobs.state -n $ranks -- ./$name >$name.$jobs.txt 2>&1
        echo "$name: [$?]"
        crosswait explore -q --state=$jobs.state -n $ranks -- ./$name
        echo "$name, gone on: [$?]"
        rm $jobs.state
    done
    test $name = odd || cmp $name.1.txt $name.3.txt
    grep -v '= help\|= on the real' $name.1.txt
    crosswait explore --allow=output -n $ranks -- ./$name-correct
    echo "correct: [$?]"
done
# Any number of ranks, whatever numbers their files get.
mpicc -g -O1 -o last "$SOURCE/tests/explore/endings/last.c" || exit 1
for ranks in 46 93; do
    crosswait explore -q --worlds=1 -n $ranks -- ./last
    [ $? = 5 ] || echo "$ranks ranks: cannot be explored"
done
# A rank may end at once behind MPI_Finalize, or become another program.
mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c" || exit 1
for mode in over over-9 quick other other-1; do
    echo "$mode: $(crosswait explore -n 3 -- ./modes $mode | grep '^error\|^cross')"
done
exit 0
