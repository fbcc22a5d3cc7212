# polls
# timeout: 120
# Loops that poll: equal polls that find nothing share an event, and so do calls in between with one
# outcome; every call is counted, also if the rank is killed in between. Holds misuse/poll_fold.c
# invariants 1, 2, 3, 4 and 5.
. "$SOURCE/tests/interpose/lib.bash"
polling=$PROGRAMS/polling
counts() { # HOW BOUND: no more than BOUND events of a rank
    check "$1" "$2" <<'P' || exit 1
import collections, struct

how, bound = sys.argv[1], int(sys.argv[2])
names = [
    "MPI_Test",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Request_get_status",
    "MPI_Iprobe",
    "MPI_Improbe",
    "MPI_Wtime",
    "MPI_Irecv",
    "MPI_Send",
    "MPI_Comm_rank",
    "MPI_Comm_get_attr",
    "MPI_Get_count",
    "MPI_Win_sync",
    "MPI_Probe",
]
assert len(ranks) == 2, ranks.keys()
for me, rank in ranks.items():
    returned = dict(zip(names, struct.unpack("<15Q", open(f"count.{me}", "rb").read(120))))
    recorded = collections.Counter()
    for e in rank.events:
        recorded[e.name] += e.repeat
        if e.repeat > 1:
            assert e.t_leave > e.t_enter, vars(e)
            assert how == "steady" or not e.args.get("flag") and not e.done, vars(e)
    assert not rank.lost and not rank.stopped, rank.note
    for name in names:
        more = sum(e.name == name for e in rank.open)
        if how == "ever":
            assert returned[name] <= recorded[name] + more <= returned[name] + 1, (
                me,
                name,
                returned,
                recorded,
                more,
            )
        else:
            assert returned[name] == recorded[name], (how, me, name, returned[name], recorded[name])
    assert len({e.seq for e in rank.events}) == len(rank.events)
    if how != "threads":
        assert [e.seq for e in rank.events] == list(
            range(1, len(rank.events) + 1)
        ), "numbers have holes"
    assert len(rank.events) <= bound, (how, len(rank.events))
    if how == "testall":
        assert all(len(e.lists[1, 1]) == 3 for e in rank.events if e.name == "MPI_Testall")
    if how == "steady":
        found = [(e.name, e.done[0]) for e in rank.events if "robe" in e.name]
        assert {(name, d["source"], d["tag"], d["bytes"]) for name, d in found} == {
            (name, 0, base, size)
            for name in ("MPI_Probe", "MPI_Iprobe")
            for base in (0, 10000)
            for size in (8, 16)
        }
        assert {e.args["count"] for e in rank.events if e.name == "MPI_Get_count"} == {1, 2}
        assert all(len(e.args) == 2 for e in rank.events if e.name == "MPI_Comm_get_attr")
    if how == "slow":
        assert all(e.repeat == 1 for e in rank.events)
P
}
for how in test testall testany testsome iprobe improbe status mixed; do
    record "$polling" count "$how" 20000 || { echo "$how: failed"; exit 1; }
    counts "$how" 600
done
record "$polling" count steady 2000 || exit 1
counts steady 600
record "$polling" count turns 3000 || exit 1
counts turns 80000
record "$polling" count threads 3000 || exit 1
counts threads 20000
record "$polling" count slow 100 || exit 1
counts slow 300
# The trace says the same, and replays.
"$BUILD/crosswait" record -o T.db -- $MPIRUN -n 1 "$polling" count testall 20000 >out 2>&1 ||
    { cat out; exit 1; }
/usr/bin/python3 - <<'P' || exit 1
import sqlite3, struct

db = sqlite3.connect("T.db")
tests = struct.unpack("<2Q", open("count.0", "rb").read(16))[1]
assert db.execute("select sum(repeat) from event where call = 'MPI_Testall'").fetchone()[0] == tests
events, folded = db.execute("select events, folded from rank").fetchone()
assert (
    events < 600
    and events + folded > tests
    and db.execute("select value from meta where key = 'folded'").fetchone()[0] == folded
)
P
"$BUILD/crosswait" dump --no-time T.db | grep -c '^0 [0-9]* MPI_Testall(.*not done.* x [0-9]' >folds
[ "$(cat folds)" -ge 2 ] || { echo "dump does not tell repeats"; exit 1; }
"$BUILD/crosswait" replay T.db --policy=buffering=eager >/dev/null 2>err || { echo "replay: $?"
    cat err; exit 1; }
# Killed while it polls: what has returned is on record, in little space.
for ms in 030 120 333; do
    rm -f count.*
    record "$polling" count ever 0 >out 2>&1 &
    job=$!
    for _ in $(seq 400); do [ -s count.0 ] && [ -s count.1 ] && break; sleep 0.05; done
    sleep 0.$ms
    end_ranks
    wait $job 2>/dev/null
    counts ever 400
    [ "$(du -cb spool/*/*.spool | tail -1 | cut -f1)" -lt 200000 ] || { echo "large spools"; exit 1
    }
done
