# MPI 4's calls, if a library has them: the record has each with the arguments of its int form; the
# constructors for large counts make the same types as the int ones. Values that do not fit into an
# int are passed on and counted.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
export MPI=mpich
. "$SOURCE/tests/interpose/lib.bash"
CROSSWAIT_PAYLOAD=digest CROSSWAIT_BUFFERS=on record "$PROGRAMS/mpi4" "$PWD/told" >out 2>&1 ||
    { cat out; exit 1; }
check <<'P'
import collections

for me, rank in ranks.items():
    told = collections.Counter({n: int(c) for n, c in map(str.split, open(f"told.{me}"))})
    got = collections.Counter(e.name for e in rank.events)
    got -= collections.Counter(["MPI_Init", "MPI_Finalize"])
    assert got == told and len(told) > 45, f"not made: {got - told}; not recorded: {told - got}"
    assert not rank.lost and rank.state == "finalized"
    by = lambda name: [e for e in rank.events if e.name == name]
    send, receive = ("MPI_Send_c", "MPI_Recv_c") if me == 0 else ("MPI_Recv_c", "MPI_Send_c")
    assert len(by(send)) == 22 and not by(receive)
    if me == 0:  # of each pair, the same
        types = [rank.types[e.type] for e in by("MPI_Send_c")]
        for large, small in zip(types[::2], types[1::2]):
            assert large["map"] and [(d, n) for d, _, n in large["map"]] == [
                (d, n) for d, _, n in small["map"]
            ], (large, small)
            assert (large["signature"], large["size"], large["extent"]) == (
                small["signature"],
                small["size"],
                small["extent"],
            )
    gatherv = by("MPI_Gatherv_c")[0]
    assert gatherv.count == me + 1 and (list(gatherv.lists.values()) == [[1, 2], [0, 1]]) == (
        me == 0
    ), gatherv.lists
    assert list(by("MPI_Allgatherv_c")[0].lists.values()) == [[1, 2], [0, 1]]
    assert len(by("MPI_Alltoallv_c")[0].lists) == 4 and by("MPI_Get_count_c")[0].args == {
        "count": 6
    }
sends = [e for e in ranks[0].events if e.name == "MPI_Send_c"]
receives = [e for e in ranks[1].events if e.name == "MPI_Recv_c"]
for send, receive in zip(sends, receives):
    assert [d[2:] for d in ranks[0].digests[send.seq]] == [
        d[2:] for d in ranks[1].digests[receive.seq]
    ], (send.seq, receive.seq)
P
record "$PROGRAMS/mpi4" "$PWD/told" huge >out 2>&1 || { cat out; exit 1; }
check <<'P'
assert all(rank.lost == 2 and rank.state == "finalized" for rank in ranks.values()), [
    rank.lost for rank in ranks.values()
]
P
MPI=mpich python3 "$SOURCE/tests/programs/verdicts.py" 1 1 large_counts.c
