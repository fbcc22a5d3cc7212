"""Checks the record of the counted sequence of calls (programs/counted*) in any language: no call
may be missing or recorded twice."""
import collections, sys

import spool

EXPECTED = {
    "MPI_Comm_rank": 1,
    "MPI_Irecv": 5,
    "MPI_Isend": 5,
    "MPI_Waitall": 5,
    "MPI_Sendrecv": 1,
    "MPI_Bcast": 1,
    "MPI_Allreduce": 1,
    "MPI_Comm_dup": 1,
    "MPI_Barrier": 1,
    "MPI_Comm_free": 1,
    "MPI_Finalize": 1,
}


def check(ranks, init="MPI_Init", ignore=(), where=None):
    assert len(ranks) == 2, ranks.keys()
    for me, rank in ranks.items():
        assert rank.state == "finalized" and not rank.open and not rank.lost and not rank.stopped, (
            rank.state,
            rank.note,
        )
        mine = [
            e for e in rank.events if not e.parent and not e.name.startswith(tuple(ignore) or "?")
        ]
        names = collections.Counter(e.name for e in mine)
        expected = collections.Counter(
            {
                n: c
                for n, c in {**EXPECTED, init: 1}.items()
                if not n.startswith(tuple(ignore) or "?")
            }
        )
        assert (
            names == expected
        ), f"rank {me}: too many {names - expected}, missing {expected - names}"
        assert [e.seq for e in rank.events] == list(
            range(1, len(rank.events) + 1)
        ), "sequence numbers are not whole"
        sends, receives = [e for e in mine if e.name == "MPI_Isend"], [
            e for e in mine if e.name == "MPI_Irecv"
        ]
        assert [(e.peer, e.tag, e.count, rank.types[e.type]["size"]) for e in sends + receives] == [
            (1 - me, i, 4, 4) for i in range(1, 6)
        ] * 2
        for i, wait in enumerate(e for e in mine if e.name == "MPI_Waitall"):
            assert wait.lists[1, 1] == [receives[i].request, sends[i].request], (
                wait.lists,
                receives[i].request,
                sends[i].request,
            )
            assert sorted((d["index"], d["source"], d["bytes"]) for d in wait.done) == [
                (0, 1 - me, 16),
                (1, -32768, 0),
            ], wait.done
        both = next(e for e in mine if e.name == "MPI_Sendrecv")
        assert (
            both.peer,
            both.tag,
            both.recv_half["peer"],
            both.recv_half["tag"],
            both.done[0]["bytes"],
        ) == (
            1 - me,
            9,
            1 - me,
            9,
            16,
        )
        dup = next(e for e in mine if e.name == "MPI_Comm_dup")
        assert (
            next(e for e in mine if e.name == "MPI_Barrier").comm
            == dup.request
            == next(e for e in mine if e.name == "MPI_Comm_free").comm
        )
        assert rank.ops[next(e for e in mine if e.name == "MPI_Allreduce").tag][0] == "MPI_SUM"
        if where:
            modules = {rank.modules[rank.sites[e.site][0]] for e in mine}
            assert all(where in m for m in modules), modules
    assert (
        ranks[0].comms[dup.request]["global"]
        == ranks[1].comms[dup.request]["global"]
        != ranks[0].comms[1]["global"]
    )


if __name__ == "__main__":
    check(
        spool.read(sys.argv[1]),
        *sys.argv[2:3],
        ignore=sys.argv[4].split(",") if len(sys.argv) > 4 else (),
        where=sys.argv[3] if len(sys.argv) > 3 else None,
    )
