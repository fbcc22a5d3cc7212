# Reading memory never ends a job: a job that takes from MPI what it sends, or names memory that MPI
# does not touch, works as without crosswait, whatever the recorder reads; memory that was unmapped
# in flight is reported. Holds misuse/inflight.c invariant 5; program/memory.c invariants 1 and 2;
# misuse/payload.c invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
program=$PROGRAMS/unmapped
$MPIRUN -n 2 "$program" >bare 2>&1 || { cat bare; exit 1; }
for buffers in off on; do
    for payload in none digest full; do
        record -x CROSSWAIT_BUFFERS=$buffers -x CROSSWAIT_PAYLOAD=$payload "$program" >out 2>&1 &&
            diff bare out || {
            echo "buffers $buffers, payload $payload"; cat out; exit 1; }
    done
done
# Digests are there where memory is, and only there: of the send that was unmapped the first, of
# what is sent to nobody from nowhere none.
check <<'P'
sends = [
    e for e in ranks[0].events if e.name in ("MPI_Isend", "MPI_Start", "MPI_Send") and not e.parent
]


def digests(e):
    return [d[:2] for d in ranks[0].digests.get(e.seq, [])]


RETURNED = 5  # whose pages may be there or not
for i, e in enumerate(sends[:8]):
    assert digests(e)[0] == (0, 0) and (i == RETURNED or len(digests(e)) == 1), (
        i,
        e.name,
        digests(e),
    )
assert [digests(e) for e in sends if e.peer == -2] == [[]] * 3, [
    (e.name, e.peer, digests(e)) for e in sends
]
P
crosswait run -o T.db -- $MPIRUN -n 2 "$program" contiguous >out 2>&1
status=$?
[ $status = 1 ] && grep -qx done out &&
    grep -q "unmapped before that call had completed" out || { echo "[$status]"
        cat out; exit 1; }
