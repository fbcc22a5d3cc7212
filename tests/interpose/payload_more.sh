# Recomputes the digests of v- and w-variants, neighbourhoods, windows and files from what the
# program sent and received.
. "$SOURCE/tests/interpose/lib.bash"
CROSSWAIT_PAYLOAD=full record -x CROSSWAIT_PAYLOAD "$PROGRAMS/contents_more" || exit 1
check <<'P'
import struct


def contents(me, e, at, side):
    found = ranks[me].payloads.get((e.seq, at, side))
    digests = [d for d in ranks[me].digests.get(e.seq, []) if d[:2] == (at, side)]
    assert bool(found) == bool(digests) and len(digests) <= 1, (
        me,
        e.name,
        at,
        side,
        found,
        digests,
    )
    if not found:
        return None
    data = b"".join(d for _, d in found)
    assert digests[0][3] == len(data), (e.name, digests, len(data))
    return list(struct.unpack(f"<{len(data) // 4}i", data))


def calls(me, name):
    return [e for e in ranks[me].events if e.name == name and not e.parent]


POST, DONE, SEND, RECV = 0, 1, 0, 1
for me in 0, 1:

    def has(name, at, side, values, which=0):
        got = contents(me, calls(me, name)[which], at, side)
        assert got == values, (me, name, at, side, got, values)

    row = lambda rank, first, n: list(range(100 * rank + first, 100 * rank + first + n))
    give = [[2, 3], [5, 7]]
    sent = row(me, 4, give[me][0]) + row(me, 20, give[me][1])
    start = [4, 20][me]
    received = row(0, start, give[0][me]) + row(1, start, give[1][me])
    has("MPI_Alltoallv", POST, SEND, sent)
    has("MPI_Alltoallv", DONE, RECV, received)
    has("MPI_Ialltoallv", POST, SEND, sent)
    has("MPI_Ialltoallv", DONE, SEND, sent)
    has("MPI_Ialltoallv", DONE, RECV, received)
    for i in 0, 1:
        touched = [-i] + sent[1:]
        has("MPI_Start", POST, SEND, touched, i)
        has("MPI_Start", DONE, SEND, touched, i)
    mine = lambda rank, first, n: [
        v if first + k != 4 else -1 for k, v in enumerate(row(rank, first, n))
    ]
    has("MPI_Gatherv", POST, SEND, mine(me, 0, 3 + me))
    has("MPI_Gatherv", DONE, RECV, mine(0, 0, 3) + mine(1, 0, 4) if me == 0 else None)
    has("MPI_Scatterv", POST, SEND, row(0, 40, 3) + row(0, 10, 4) if me == 0 else None)
    has("MPI_Scatterv", DONE, RECV, [row(0, 40, 3), row(0, 10, 4)][me])
    has("MPI_Allgatherv", DONE, RECV, mine(0, 0, 3) + mine(1, 0, 4))
    has("MPI_Reduce_scatter", POST, SEND, mine(me, 0, 7))
    has(
        "MPI_Reduce_scatter",
        DONE,
        RECV,
        [a + b for a, b in zip(mine(0, 0, 7), mine(1, 0, 7))][3 * me : 3 + 4 * me],
    )
    has("MPI_Neighbor_allgather", DONE, RECV, row(1 - me, 0, 3))
    has("MPI_Neighbor_alltoallw", POST, SEND, row(me, 2, 2))
    has("MPI_Neighbor_alltoallw", DONE, RECV, row(1 - me, 2, 2))
    has("MPI_Put", POST, SEND, mine(me, 0, 5))
    has("MPI_Put", DONE, SEND, mine(me, 0, 5))
    has("MPI_Put", POST, SEND, row(me, 10, 5), 1)
    has(
        "MPI_Put", DONE, SEND, [v if k != 2 else -7 for k, v in enumerate(row(me, 10, 5))], 1
    )  # it was touched
    has("MPI_Get", DONE, RECV, mine(1 - (1 - me), 0, 5))
    has("MPI_Get_accumulate", POST, SEND, None)
    has("MPI_Get_accumulate", DONE, RECV, row(me, 2, 1))
    file = [v if k != 12 else -7 for k, v in enumerate(mine(me, 0, 20))]
    has("MPI_File_write_at", POST, SEND, file)
    has("MPI_File_read_at", DONE, RECV, file)
    more = (file + row(me, 20, 1))[1:]
    has("MPI_File_iwrite_at", POST, SEND, more)
    has("MPI_File_iwrite_at", DONE, SEND, more)
P
