# Records the calls of a small program that ends and of one that hangs, and in which call each rank
# hangs. Holds interpose invariant 5; spool/spool.h invariants 4 and 7.
. "$SOURCE/tests/interpose/lib.bash"
record "$CORPUS/quiz" >/dev/null || exit 1
check <<'P'
for me, rank in ranks.items():
    names = [e.name for e in rank.events]
    assert names == [
        "MPI_Init",
        "MPI_Comm_rank",
        "MPI_Comm_size",
        "MPI_Isend",
        "MPI_Wait",
        "MPI_Irecv",
        "MPI_Wait",
        "MPI_Finalize",
    ], names
    assert [e.seq for e in rank.events] == list(range(1, 9))
    send, wait, receive, wait2 = rank.events[3:7]
    assert (send.comm, send.peer, send.tag, send.count) == (1, 1 - me, 7, 8) and rank.types[
        send.type
    ]["name"] == "MPI_CHAR", vars(send)
    assert wait.request == send.request and wait.done[0]["request"] == send.request
    assert (
        wait2.done[0]["source"] == 1 - me
        and wait2.done[0]["bytes"] == 8
        and wait2.request == receive.request != send.request
    )
    assert rank.state == "finalized" and not rank.open and not rank.lost
    assert all(e.t_enter <= e.t_leave for e in rank.events)
    assert all(rank.modules[rank.sites[e.site][0]].endswith("/quiz") for e in rank.events)
assert (
    ranks[0].comms[1]["global"] == ranks[1].comms[1]["global"]
    and ranks[0].comms[2]["global"] != ranks[1].comms[2]["global"]
)
P
LIMIT=3 record "$CORPUS/quiz" 1000000 >/dev/null 2>&1 && exit 1
end_ranks
check <<'P'
for me, rank in ranks.items():
    assert rank.state == "running" and [e.name for e in rank.open] == ["MPI_Wait"], rank.open
    assert rank.open[0].request == rank.events[-1].request and rank.events[-1].name == "MPI_Isend"
P
