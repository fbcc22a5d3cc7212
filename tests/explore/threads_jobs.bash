# The common part of explore/threads_jobs and threads_jobs_more: `both RANKS COMMAND...` explores in
# worlds of processes and in jobs, and compares.
both() { # ranks, command
    local ranks=$1
    shift
    crosswait explore --json=worlds -q --time=0 -n "$ranks" -- "$@" >/dev/null
    echo "$*: [$?]"
    crosswait explore --world=mpirun --world-time=300 --json=jobs -q --time=0 -n "$ranks" -- "$@" \
        >/dev/null
    echo "    [$?]"
    /usr/bin/python3 "$SOURCE/tests/explore/same.py" worlds jobs
}
mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" &&
    mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c" &&
    mpicc -g -O1 -pthread -o queue "$SOURCE/tests/explore/programs/threads.c" &&
    mpicc -g -O1 -pthread -DCORRECT -o queue_correct "$SOURCE/tests/explore/programs/threads.c" &&
    mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
for program in thread_levels threads_pairs threads_duplex; do
    mpicc -g -O1 -pthread -I "$SOURCE" -o $program "$SOURCE/corpus/programs/$program.c" || exit 1
done
