# timeout: 120
# Calls of every class: the record has the calls that the program counted, one by one, and samples
# of arguments and outcomes. Holds core invariant 1; spool/spool.h invariants 6, 8 and 9;
# interpose/objects/handles.c invariant 2.
. "$SOURCE/tests/interpose/lib.bash"
for n in 2 4; do
    record -n $n "$PROGRAMS/classes" "$PWD/file" >out 2>err || { cat out err; exit 1; }
    [ ! -s err ] || { cat err; exit 1; }
    check <<'P'
import collections

told = collections.defaultdict(dict)
for me in ranks:
    for line in open(f"file.{me}"):
        name, n = line.split()
        told[me][name] = int(n)
assert len(told) == len(ranks) and all(len(t) > 270 for t in told.values()), {
    r: len(t) for r, t in told.items()
}
for me, rank in ranks.items():
    got = collections.Counter(e.name for e in rank.events if not e.parent for _ in range(e.repeat))
    got -= collections.Counter(["MPI_Init_thread", "MPI_Finalize"])
    told_of = collections.Counter(told[me])
    for name in [n for n in got if n.endswith(("_c2f", "_f2c")) and n not in told_of]:
        del got[name]  # of MPICH, functions in some versions and macros in others
    assert (
        got == told_of
    ), f"rank {me}: recorded and not made: {got - told_of}; made and not recorded: {told_of - got}"
    assert not rank.lost and rank.state == "finalized" and not rank.stopped
    by = lambda name: [e for e in rank.events if e.name == name and not e.parent]
    assert by("MPI_Get_count")[0].args == {"count": 4}
    assert by("MPI_Comm_split")[0].args == {"color": me % 2, "key": me}
    cart = by("MPI_Cart_create")[0]
    assert cart.lists[2, 8][0] * cart.lists[2, 8][1] == len(ranks) and tuple(cart.lists[3, 8]) == (
        1,
        0,
    )
    assert rank.comms[cart.request]["topology"] == 1 and rank.comms[cart.request]["parent"] == 1
    assert by("MPI_Cart_shift")[0].args.keys() == {"direction", "disp", "rank_source", "rank_dest"}
    assert [rank.types[e.type]["name"] for e in by("MPI_Put")] and by("MPI_Put")[0].recv_half[
        "count"
    ] == 4
    assert by("MPI_File_open")[0].texts[1].endswith("/file") and by("MPI_File_open")[0].comm
    assert by("MPI_Info_set")[0].texts == {1: "key", 2: "value"}
    send = by("MPI_Send")
    assert [e.error for e in send if e.count == -1] == [2], "the error code that was returned"
    assert [e.peer for e in send if e.peer < 0] == [-2]
    cancelled = [e for e in by("MPI_Wait") if e.done and e.done[0]["cancelled"]]
    assert len(cancelled) == 1, [(e.seq, e.done) for e in cancelled]
    mrecv = by("MPI_Mrecv")[0]
    assert (
        mrecv.request == by("MPI_Mprobe")[0].request != 0
        and by("MPI_Imrecv")[0].args["message"] == by("MPI_Improbe")[-1].request
    )
    alltoallw = by("MPI_Alltoallw")[0]
    assert sorted(r for _, r in alltoallw.lists) == [2, 3, 4, 5, 6, 7] and all(
        len(v) == len(ranks) for v in alltoallw.lists.values()
    )
    gatherv = by("MPI_Gatherv")[0]
    assert (len(gatherv.lists) == 2) == (me == 0) and (gatherv.recv_half is not None) == (me == 0)
    struct = rank.types[by("MPI_Type_create_struct")[0].request]
    assert [(d, c) for d, _, c in struct["map"]] == [(0, 1), (8, 1), (16, 1)] and struct[
        "size"
    ] == 13, struct
    vector = rank.types[by("MPI_Type_vector")[0].request]
    assert [(d, c) for d, _, c in vector["map"]] == [(0, 1), (8, 1), (16, 1)] and vector[
        "extent"
    ] == 20
    sub = rank.types[by("MPI_Type_create_subarray")[0].request]
    assert [(d, c) for d, _, c in sub["map"]] == [(20, 2), (36, 2)], sub
    assert (
        rank.types[by("MPI_Type_contiguous")[0].request]["signature"]
        == vector["signature"]
        == sub["signature"]
        != struct["signature"]
    )
    reduced, scanned = (rank.ops[by(name)[0].tag] for name in ("MPI_Reduce", "MPI_Scan"))
    assert all(name == "user" and rank.sites[site] for name, _, site in (reduced, scanned))
    assert reduced[1] == 1
    starts = by("MPI_Startall")[0].lists[1, 1]
    assert (
        starts
        == by("MPI_Waitall")[1].lists[1, 1]
        == [e.request for e in by("MPI_Send_init") + by("MPI_Bsend_init") + by("MPI_Recv_init")]
    ), starts
# Each communicator that several ranks hold has one global id, and no two share one. Of those that
# the library makes for itself a rank knows what its messages went through.
everybody = collections.defaultdict(set)
for me, rank in ranks.items():
    for c in rank.comms.values():
        if c["parent"] or c["name"]:
            everybody[c["global"]].add((me, c["id"]))
        assert len(c["members"]) == c["size"] + c["remote"] and c["members"][c["rank"]] == me
for made in everybody.values():
    assert len({me for me, _ in made}) == len(made), "two communicators of a rank have one id"
    members = {tuple(sorted(ranks[me].comms[i]["members"])) for me, i in made}
    assert len(members) == 1 and {me for me, _ in made} == set(next(iter(members))), (made, members)
P
done
# And the whole way: the trace is made, and its calls are readable.
crosswait record -o T.db -- $MPIRUN -n 2 "$PROGRAMS/classes" "$PWD/file" >/dev/null || exit 1
crosswait dump T.db >dump || exit 1
[ "$(grep -c MPI_ dump)" -gt 800 ] || exit 1
