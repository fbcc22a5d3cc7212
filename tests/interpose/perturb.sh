# timeout: 180
# Live perturbation: a correct program has the same result, a wrong one hangs.
. "$SOURCE/tests/interpose/lib.bash"
programs=$CORPUS
with() { # POLICY [-n N] COMMAND...
    export CROSSWAIT_POLICY=$1
    shift
    LIMIT=${LIMIT:-120} record "$@"
    local code=$?
    [ $code != 137 ] || code=124 # on a busy machine mpirun may have to be killed for good
    unset CROSSWAIT_POLICY
    [ $code != 124 ] || end_ranks
    return $code
}
hangs() { LIMIT=3 with "$@" >log 2>&1; [ $? = 124 ] || { echo "does not hang: $*"; cat log; exit 1
    }; }
ends() { with "$@" >log 2>&1 || { echo "does not end: $*"; cat log; exit 1; }; }
ends "buffering=eager" "$programs/quiz"
hangs "buffering=rendezvous" "$programs/quiz"
check <<'P'
for (
    me,
    rank,
) in ranks.items():  # what is on record is the application's call, not the synchronous one
    assert [e.name for e in rank.events[3:]] == ["MPI_Isend"] and [e.name for e in rank.open] == [
        "MPI_Wait"
    ]
    assert "buffering=rendezvous" in rank.notes
P
ends "buffering=rendezvous" "$programs/quiz_fixed"
ends "buffering=eager:8 seed=3" "$programs/quiz"
hangs "buffering=eager:7" "$programs/quiz"
ends "buffering=list:0.#1" "$programs/quiz"
hangs "buffering=list:0.#1,1.#1" "$programs/quiz"
hangs "buffering=list:0.4,1.4" "$programs/quiz"
ends "buffering=list:0.5,1.#2" "$programs/quiz"
ends "buffering=only:0.#1,1.#1" "$programs/quiz"
hangs "buffering=random:0" "$programs/quiz"
ends "buffering=random:100" "$programs/quiz"
hangs "buffering=rendezvous" "$programs/ring_allgather_printed"
ends "buffering=rendezvous delay=uniform:20000" "$programs/ring_allgather_safe"
for d in uniform:100000 exponential:100000 heavy:100000 slow-rank:1 slow-link:0-1 swarm recorded; do
    ends "delay=$d seed=7" "$programs/stencil"
done
# Which message a wildcard takes is chosen by the pin.
ends "order=list:0.#1=2" -n 3 "$PROGRAMS/wildcard"
check <<'P'
assert [e.done[0]["source"] for e in ranks[0].events if e.name == "MPI_Recv"] == [2, 1]
assert [e.peer for e in ranks[0].events if e.name == "MPI_Recv"] == [-1, -1]
P
ends "order=list:0.#1=1" -n 3 "$PROGRAMS/wildcard"
check <<'P'
assert [e.done[0]["source"] for e in ranks[0].events if e.name == "MPI_Recv"] == [1, 2]
P
# Inside the library's collectives too, where it is seen.
if [ "$MPI" != mpich ]; then
ends "buffering=rendezvous" -n 4 "$PROGRAMS/one_collective" bcast 5
check <<'P'
for rank in ranks.values():
    assert any("send" in e.name for r in ranks.values() for e in r.events if e.parent)
P
fi
# What cannot be had live is said once, and changes nothing.
with "buffering=credits:3" "$programs/quiz" >log 2>&1 || exit 1
said="CROSSWAIT_POLICY: 'buffering=credits' is not possible live; .*; the run is not perturbed"
[ "$(grep -c "$said" log)" = 1 ] || { cat log; exit 1; }
