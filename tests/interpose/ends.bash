# Ways to end, with counts. `try HOW LIMIT STATE` runs `ended HOW LIMIT` on 2 ranks; the record must
# have every call that returned.
. "$SOURCE/tests/interpose/lib.bash"
ended=$PROGRAMS/ended
try() {
    local how=$1 limit=$2 state=$3 code plain
    rm -f count.*
    record "$ended" count "$how" "$limit" >out 2>err
    code=$?
    end_ranks
    check "$state" "$how" <<'P' || exit 1
import struct
state, how = sys.argv[1:3]
assert len(ranks) == 2, ranks.keys()
for me, rank in ranks.items():
    returned = struct.unpack("<Q", open(f"count.{me}", "rb").read(8))[0]
    recorded = [e for e in rank.events if e.name in ("MPI_Irecv", "MPI_Send", "MPI_Wait")]
    assert not rank.lost and not rank.stopped, rank.note
    said = f"{how}: rank {me}: {returned} calls returned, {len(recorded)} are on record"
    assert returned <= len(recorded) <= returned + 1, said
    for receive, send, wait in zip(recorded[::3], recorded[1::3], recorded[2::3]):
        assert (receive.name, send.name, wait.name) == ("MPI_Irecv", "MPI_Send", "MPI_Wait")
        assert wait.done[0]["request"] == receive.request and wait.done[0]["bytes"] == 8
assert ranks[1].state == state, ranks[1].state
P
    LAST_CODE=$code
}
