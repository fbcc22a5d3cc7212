# expected
# A hang proven by the launcher is a finding of its own only where no other checker says why.
job() { crosswait record -o $1$2.db -- mpirun -n 2 $BUILD/corpus/programs/hangs $1 $2 >/dev/null 2>err; }
show() { grep -v '= again\|^$'; }
job epochs
crosswait check --only=hang epochs.db >out; echo "[$?]"
show <out
crosswait check epochs.db >out; echo "[$?]"
grep -c '^error.hang' out
job epochs fixed
crosswait check --only=hang epochsfixed.db >out; echo "[$?]"
