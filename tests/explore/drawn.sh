# slow
# For randomly drawn programs with windows, jobs have the behaviours and outcomes that worlds have;
# between fences the explorer does not claim that these are all.
# timeout: 600
mpicc -g -O1 -o drawn "$SOURCE/tests/explore/turns/drawn.c" || exit 1
for drawn in ${programs:-1,all,3,2 2,fence,2,3}; do
    IFS=, read -r seed how calls ranks <<<"$drawn"
    crosswait explore --json=worlds -q --time=0 -n $ranks -- ./drawn $seed $how $calls
    crosswait explore --world=mpirun --world-time=300 --json=jobs -q --time=0 -n $ranks -- \
        ./drawn $seed $how $calls
    /usr/bin/python3 - "$drawn" <<'PYTHON'
import json, sys

def said(path):
    result = json.load(open(path))
    return [result["behaviours"], result["outcomes"]], result["complete"]

(worlds, all_worlds), (jobs, all_jobs) = said("worlds"), said("jobs")
same = "the same" if worlds == jobs else f"worlds {worlds}, jobs {jobs}"
print(f"{sys.argv[1]}: {worlds}, {same}, all there are: {all_worlds} {all_jobs}")
PYTHON
done
