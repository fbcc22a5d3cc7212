# A collective that claims a row of the model keeps it: written by hand on a communicator that names
# the row, and inside the library; a broken claim is found.
# timeout: 240
fail() { echo "$*"; exit 1; }
cost=$BUILD/tests/corpus/claim_costs
for ranks in 2 4 5 8; do
    timeout 60 crosswait record -o c.db -- mpirun -n $ranks "$cost" >said 2>&1 ||
        fail "$ranks ranks: exit status $?: $(cat said)"
    claims=$(sqlite3 c.db "select count(distinct comm) from event e join arg a on a.event = e.id
        where call = 'MPI_Comm_set_name' and value like 'cost:%'")
    [ "$claims" -ge 10 ] || fail "$ranks ranks: only $claims claims were seen"
    crosswait check --only=cost c.db >out 2>&1 ||
        fail "$ranks ranks: a collective that keeps its row is blamed: $(cat out)"
done
for defect in $("$cost" defects); do
    timeout 60 crosswait record -o d.db -- mpirun -n 8 "$cost" "$defect" >said 2>&1 ||
        fail "$defect: exit status $?: $(cat said)"
    crosswait check --only=cost d.db >out &&
        fail "$defect: costs more than its row, and is not found"
    grep -q "does not keep its row" out || fail "$defect: $(cat out)"
done
# Inside the library: broadcasts of matvec among four ranks, along Open MPI's binomial tree (6) and
# from the root to each (1).
library() {
    timeout 60 crosswait record -o l.db -- mpirun -n 16 --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_bcast_algorithm $1 \
        "$BUILD/corpus/programs/matvec" >/dev/null 2>&1 || fail "algorithm $1: exit status $?"
    crosswait check --only=cost --claim=MPI_Bcast=$2 l.db >out 2>&1
}
library 6 bcast.binomial || fail "binomial: $(cat out)"
library 1 bcast.linear || fail "linear: $(cat out)"
library 1 bcast.binomial && fail "linear passes for binomial"
grep -q "MPI_Bcast does not keep its row bcast.binomial: 3 rounds" out || fail "$(cat out)"
crosswait report --format=json l.db | grep -q '"row": "bcast.linear"' ||
    fail "the report does not name the algorithm"
crosswait check --claim=MPI_Bcast=bcast.nonesuch l.db >out 2>&1
[ $? = 2 ] || fail "a claim of no row: $(cat out)"
