# Digests and contents of buffers at post and at completion: the two sides of a message agree
# whatever their layouts, a write to a send buffer in flight shows, contents are the bytes. Holds
# misuse/payload.c invariant 3; misuse/inflight.c invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
program=$PROGRAMS/contents
CROSSWAIT_PAYLOAD=digest record -x CROSSWAIT_PAYLOAD "$program" || exit 1
check <<'P'
import struct

sent, got = ranks[0], ranks[1]
assert not sent.payloads and not got.payloads


def sends(tag):
    return [e for e in sent.events if e.tag == tag and "end" in e.name and not e.parent]


def digest(rank, e, at, side):
    return [d[2:] for d in rank.digests.get(e.seq, []) if d[:2] == (at, side)]


for tag, size in ((1, 80), (2, 80), (3, 40)):
    s, r = sends(tag)[0], next(e for e in got.events if e.tag == tag)
    (post,) = digest(sent, s, 0, 0)
    (done,) = digest(got, r, 1, 1)
    assert post == done and post[1] == size, (tag, post, done)
    if tag == 3:
        assert digest(sent, s, 1, 0) == [post]
starts = [e for e in sent.events if e.name == "MPI_Start"]
receives = [e for e in got.events if e.tag == 4]
assert len(starts) == 2
for s, r in zip(starts, receives):
    assert (
        digest(sent, s, 0, 0) == digest(sent, s, 1, 0) == digest(got, r, 1, 1)
        and digest(got, r, 1, 1)[0][1] == 20
    )
assert digest(sent, starts[0], 0, 0) != digest(sent, starts[1], 0, 0)
bad = sends(66)[0]
assert digest(sent, bad, 0, 0) != digest(sent, bad, 1, 0) and digest(
    sent, bad, 1, 0
), "the buffer that was touched"
names = {e.name: e for e in sent.events if not e.parent}, {
    e.name: e for e in got.events if not e.parent
}
assert digest(sent, names[0]["MPI_Bcast"], 1, 1) == digest(got, names[1]["MPI_Bcast"], 0, 0)
assert (
    digest(sent, names[0]["MPI_Allreduce"], 1, 1)
    == digest(got, names[1]["MPI_Allreduce"], 1, 1)
    != []
)
assert (
    digest(sent, names[0]["MPI_Allgather"], 1, 1)
    == digest(got, names[1]["MPI_Allgather"], 1, 1)
    != []
)
P
CROSSWAIT_PAYLOAD=full:24 record -x CROSSWAIT_PAYLOAD "$program" || exit 1
check <<'P'
import struct

e = next(e for e in ranks[0].events if e.tag == 2)
(offset, data), *more = ranks[0].payloads[e.seq, 0, 0]
whole = data + b"".join(d for _, d in more)
assert offset == 0 and struct.unpack("<6i", whole) == tuple(
    (3 * i) ** 2 + 1 for i in range(6)
), whole
e = next(e for e in ranks[1].events if e.tag == 2)
assert b"".join(d for _, d in ranks[1].payloads[e.seq, 1, 1]) == whole
P
record "$program" || exit 1
check <<'P'
assert not ranks[0].digests and not ranks[0].payloads
P
# The trace has them too.
crosswait record -o T.db --payload=full:24 -- $MPIRUN -n 2 "$program" || exit 1
[ "$(sqlite3 T.db "select count(distinct d.digest), count(*) from digest d
    join event e on e.id = d.event where e.tag = 2")" = "1|2" ] || {
    sqlite3 T.db "select * from digest"; exit 1; }
[ "$(sqlite3 T.db "select sum(length(data)) from payload p
    join event e on e.id = p.event where e.tag = 2")" = 48 ] || exit 1
