# Tests the maps of all kinds of types: the digest of the sender's buffer equals that of the
# received data, so the map is that of the type; and signatures agree however long the types are.
# Holds objects/datatypes.c invariants 1 and 2; objects/typemap.h invariants 1 and 2.
. "$SOURCE/tests/interpose/lib.bash"
CROSSWAIT_PAYLOAD=digest record -x CROSSWAIT_PAYLOAD "$PROGRAMS/layouts" >out || exit 1
[ "$(wc -l <out)" = 22 ] || { echo "the program did not do what it should"; cat out; exit 1; }
check <<'P'
sent, got = ranks[0], ranks[1]
sends = [e for e in sent.events if e.name == "MPI_Send"]
receives = [e for e in got.events if e.name == "MPI_Recv"]
assert len(sends) == len(receives) == 2 + 18 + 3, len(sends)
named = {}
for s, r in zip(sends, receives):
    t, plain = sent.types[s.type], got.types[r.type]
    post = [d[2:] for d in sent.digests.get(s.seq, []) if d[:2] == (0, 0)]
    done = [d[2:] for d in got.digests.get(r.seq, []) if d[:2] == (1, 1)]
    assert post == done and len(post) == 1 and post[0][1] == t["size"], (s.tag, post, done)
    assert t["signature"] == plain["signature"] != 0, (s.tag, t["signature"], plain["signature"])
    if t["map"]:
        assert sum(n * sent.types[b]["size"] for _, b, n in t["map"]) == t["size"], s.tag
    named[s.tag] = t
assert (
    named[21]["map"] is None and named[22]["map"] is None
)  # too many segments: not kept, but the digests and signatures are there
assert named[1]["map"][0][0] == 4 * ((1 * 5 + 2) * 6 + 2) and len(named[1]["map"]) == 4, named[1]
P
