# Messages that the library sends to make a communicator after MPI_Comm_idup has returned belong to
# that call, whichever collective makes progress. Holds layer/openmpi.c invariant 3.
. "$SOURCE/tests/interpose/lib.bash"
record -n 3 "$BUILD/tests/interpose/idup" 30 || exit 1
check <<'P'
import collections

for me, rank in ranks.items():
    own = {e.seq: e for e in rank.events if not e.parent}
    count = collections.defaultdict(collections.Counter)
    for e in rank.events:
        if e.parent:
            count[e.parent][
                "send" if "send" in e.name else "recv" if "recv" in e.name else e.name
            ] += 1
    kinds = collections.defaultdict(set)
    for seq, inner in count.items():
        kinds[own[seq].name].add((inner["send"], inner["recv"]))
    assert set(kinds) == {"MPI_Comm_idup", "MPI_Iallreduce", "MPI_Barrier"}, kinds
    assert (
        sum(own[s].name == "MPI_Comm_idup" for s in count) == 30
    ), "a communicator was made without a message"
    assert (
        len(kinds["MPI_Barrier"]) == 1 and len(kinds["MPI_Iallreduce"]) == 1
    ), kinds  # alike, whatever else goes on
    assert all(s and r for s, r in kinds["MPI_Comm_idup"]), kinds
P
