# The search through the real MPI library (--world=mpirun) finds as many behaviours and outcomes as
# in worlds of processes, each way to fail as often, with the same output; the printed schedule
# repeats the behaviour. jobs_more.sh has further programs.
# timeout: 900
for name in ${programs:-test waitany persistent early}; do
    file=$SOURCE/tests/explore/programs/$name.c
    ranks=$(sed -n '1s/^.* \([0-9]*\) ranks.*/\1/p' "$file")
    mpicc -g -O1 -o $name "$file" || exit 1
    crosswait explore --json=$name.worlds -q --time=0 -n $ranks -- ./$name
    crosswait explore --world=mpirun --world-time=300 --json=$name.jobs -q --time=0 \
        mpirun -n $ranks ./$name
    echo "$name: [$?]"
    /usr/bin/python3 "$SOURCE/tests/explore/same.py" $name.worlds $name.jobs
done
[ -z "$programs" ] || exit 0
schedule=$(/usr/bin/python3 -c '
import json
print(json.load(open("waitany.jobs"))["findings"][0]["schedule"])')
crosswait explore --world=mpirun --world-time=300 --again="$schedule" -n 4 -- ./waitany \
    >again.txt 2>&1
echo "again: [$?]"
# Whether a send that is polled for has a buffer is given as well; without, this one polls for ever,
# which no job proves.
mpicc -g -O1 -o spins "$SOURCE/tests/explore/programs/spins.c" || exit 1
crosswait explore --world=mpirun --world-time=10 -n 2 -- ./spins | sed -n '$p'
# What cannot be asked for.
for options in "--gdb=0 --again=order=explore" --compare=messages --world=mars; do
    crosswait explore --world=mpirun $options -n 4 -- ./waitany 2>&1 | head -1
done
