# timeout: 120
# Filters leave the named calls out and count them; the remaining record can be understood. Holds
# interpose/filter.c invariants 1, 2 and 3; misuse/inflight.c invariant 2.
. "$SOURCE/tests/interpose/lib.bash"
program=$PROGRAMS/counted_c
with() { # VARIABLE=VALUE ARGUMENTS...: then check
    local set=$1
    shift
    record -x "$set" "$program" "$@" >out 2>err || { echo "$set: failed"; cat err; exit 1; }
    [ -n "$MAY_SAY" ] || [ ! -s err ] || { echo "$set:"; cat err; exit 1; }
}
common='
import collections
def names(rank): return collections.Counter(e.name for e in rank.events if not e.parent)
kept = {"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Comm_dup": 1, "MPI_Comm_free": 1}
collectives = {"MPI_Bcast": 1, "MPI_Allreduce": 1, "MPI_Barrier": 1}
everything = {**kept, **collectives, "MPI_Comm_rank": 1, "MPI_Irecv": 5, "MPI_Isend": 5,
    "MPI_Waitall": 5, "MPI_Sendrecv": 1}
total = sum(everything.values())
def expect(want):
    for me, rank in ranks.items():
        assert names(rank) == want, (me, names(rank))
        assert rank.state == "finalized"
        assert rank.lost == total - sum(want.values()), (rank.lost, total)
'
try() { with "$@"; { echo "$common"; cat; } >program.py; check <program.py; }
try CROSSWAIT_CALLS=coll <<< 'expect({**kept, **collectives, "MPI_Waitall": 5})
assert all(not e.parent for r in ranks.values() for e in r.events)'
[ "$MPI" = mpich ] || # whose inside is not seen
    try CROSSWAIT_CALLS=coll,inner <<< 'expect({**kept, **collectives, "MPI_Waitall": 5})
assert any(e.parent for r in ranks.values() for e in r.events)'
try CROSSWAIT_CALLS=-coll,-comm <<< 'expect({
    n: c for n, c in everything.items() if n not in collectives and n != "MPI_Comm_rank"})'
try CROSSWAIT_CALLS=MPI_Sendrecv,MPI_Isend <<< 'expect({**kept,
    "MPI_Sendrecv": 1, "MPI_Isend": 5, "MPI_Waitall": 5})'
try CROSSWAIT_CALLS=send <<< 'expect(kept)'
try CROSSWAIT_RANKS=1 <<'P'
assert names(ranks[1]) == everything and not ranks[1].lost
assert names(ranks[0]) == {"MPI_Init": 1, "MPI_Finalize": 1}
assert ranks[0].lost == total - 2 and ranks[0].state == "finalized"
P
try CROSSWAIT_COMMS=world <<< 'expect({n: c for n, c in everything.items() if n != "MPI_Barrier"})'
try CROSSWAIT_COMMS=self <<< 'expect({**kept, "MPI_Waitall": 5})'
try CROSSWAIT_UNTIL=0 <<< 'expect(kept)'
try CROSSWAIT_FROM=1000 <<< 'expect(kept)'
try CROSSWAIT_UNTIL=1000 <<< 'expect(everything)'
with CROSSWAIT_FROM=pcontrol:1 marks
check <<'P'
import collections
for rank in ranks.values():
    n = collections.Counter(e.name for e in rank.events if not e.parent)
    assert n["MPI_Sendrecv"] == 2 and n["MPI_Isend"] == 10 and n["MPI_Comm_dup"] == 3, n
P
record -x CROSSWAIT_FROM=pcontrol:1 -x CROSSWAIT_UNTIL=pcontrol:2 "$program" marks || exit 1
check <<'P'
import collections
for rank in ranks.values():
    n = collections.Counter(e.name for e in rank.events if not e.parent)
    assert n["MPI_Sendrecv"] == 1 and n["MPI_Isend"] == 5 and n["MPI_Comm_dup"] == 3, n
P
MAY_SAY=1
try CROSSWAIT_CALLS=coll,nonsense <<< 'expect(everything)'
said="crosswait: CROSSWAIT_CALLS: 'nonsense' is not understood, so everything is recorded"
[ "$(grep -c "$said" err)" = 1 ] || { cat err; exit 1; }
MAY_SAY=
with CROSSWAIT_STACK=3
check <<'P'
for rank in ranks.values():
    for e in rank.events:
        if not e.parent and e.name != "MPI_Init":
            frames = rank.stacks[e.seq]
            assert 2 <= len(frames) <= 3 and frames[0] == e.site, (e.name, frames, e.site)
            assert rank.modules[rank.sites[frames[0]][0]].endswith("counted_c")
P