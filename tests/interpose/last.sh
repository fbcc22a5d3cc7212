# timeout: 120
# With only the newest events kept, files are bounded however long the program runs, definitions are
# complete, and the trace is readable, also for a rank that is killed.
. "$SOURCE/tests/interpose/ends.bash"
record -x CROSSWAIT_LAST=1000 "$ended" count run 200000 >out || exit 1
check <<'P'
import glob, os

for me, rank in ranks.items():
    events = [e for e in rank.events if not e.parent]
    assert 1000 <= len(events) < 17000, len(events)
    assert rank.lost + len(rank.events) == max(e.seq for e in rank.events), (
        rank.lost,
        len(rank.events),
        rank.events[-1].seq,
    )
    assert rank.events[-1].name == "MPI_Finalize" and rank.state == "finalized"
    assert [e.seq for e in rank.events] == list(range(rank.events[0].seq, rank.events[-1].seq + 1))
    assert all(
        e.name.startswith(("MPI_", "pml_", "request_")) and (not e.comm or e.comm in rank.comms)
        for e in rank.events
    )
    assert rank.comms[1]["members"] == [0, 1] and {e.site for e in events} <= rank.sites.keys()
size = sum(os.path.getsize(f) for f in glob.glob("spool/*/*"))
assert size < 2 * 1700000, size
P
rm -f count.*
record -x CROSSWAIT_LAST=1000 "$ended" count kill 200000 >out 2>err
end_ranks
check <<'P'
for rank in ranks.values():
    assert rank.state == "running" and len(rank.events) >= 500
P
crosswait record -o T.db --last=500 -- $MPIRUN -n 2 "$ended" count run 100000 >out || exit 1
[ "$(sqlite3 T.db "select count(*) from rank where state = 'finished' and lost > 100000")" = 2 ] ||
    { sqlite3 T.db 'select * from rank'; exit 1; }
crosswait dump T.db | tail -1 | grep -q MPI_Finalize || exit 1
