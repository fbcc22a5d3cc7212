# A plain run verifies the results of a sample of collectives, the same calls on all ranks, and says
# how many; a library that combines in the wrong order (Open MPI can be made to do so) is found.
# Holds misuse/payload.c invariant 2.
# timeout: 240
fail() { echo "$*"; exit 1; }
mpicc -g -o verified "$SOURCE/tests/checkers/verified.c" || fail "cannot be built"
for ranks in 2 3 4; do
    crosswait run -o T.db -- mpirun -n $ranks ./verified >out 2>&1 ||
        fail "$ranks ranks: exit status $?: $(cat out)"
    grep -Eq ', 3[6-9] results verified' out || fail "$ranks ranks: $(cat out)"
done
export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_reduce_algorithm=2
crosswait run -o W.db -- mpirun -n 4 ./verified >out 2>&1 && fail "a wrong order is not found"
said='wrong result of MPI_Reduce on rank 0: the contributions were combined in the order 3, 2, 1, 0'
grep -q "$said" out || fail "$(cat out)"
[ "$(crosswait report --format=json W.db | grep -c '"rule": "result"')" = 1 ] ||
    fail "others are blamed: $(cat out)"
