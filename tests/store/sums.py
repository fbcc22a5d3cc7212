"""Compares traces with summed times of long loops with traces that have the times of each call, of
the same spools: all queries must give the same answers except for times, and a slow round must be
found with its number. A second run of the job, whose times are summed up in its spools, must give
the same answers, too.

    sums.py BUILD ROUNDS SLOW     rounds of the loop; which of them is slow"""
import difflib, json, os, re, sqlite3, subprocess, sys

BUILD, ROUNDS, SLOW = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
MS = 900  # duration of the slow round
FAMILIES = [("persistent", 4000), ("matched_probes", 4000)]
if ROUNDS > 100000:
    FAMILIES += [("sendrecv", 20000), ("pingpong", 20000), ("halo", 20000)]
JOBS = [("slow_round", ["./slow_round", str(ROUNDS), str(SLOW), str(MS)])] + [
    (name, [BUILD + "/tests/bench/jobs/families", name, str(n)]) for name, n in FAMILIES
]
SAME = [  # except for times
    "select rank, seq, call, parent, peer, tag, bytes, comm, request, site from event order by id",
    "select * from completion order by id, idx",
    (
        "select source, dest, tag, bytes, send_seq, recv_seq, send_id, recv_id from message order"
        " by source, dest, comm, tag, inner, send_seq, recv_seq"
    ),
    "select rank, seq, call, comm, number from collective order by id",
    (
        "select rank, call, site, inner, sum(calls), sum(total) from spent group by 1, 2, 3, 4"
        " order by 1, 2, 3, 4"
    ),
    "select event, number, duration, usual from slow_round order by event",
]


def call(*words, code=(0, 1), **more):
    done = subprocess.run(
        ["crosswait", *words], capture_output=True, timeout=200, env=dict(os.environ, **more)
    )
    said = done.stdout.decode(errors="replace")
    if done.returncode not in code:
        sys.exit(f"{' '.join(words)}: [{done.returncode}] {done.stderr.decode()}")
    return re.sub(r"(sums|exact)\.db", "T.db", said)


def number(database, question):
    return database.execute(question).fetchone()[0]


def compare(name, sums):
    """Makes a trace of the same spools with the times of each call."""
    call("recover", "--times=all", "R.db.spool", "-o", "exact.db")
    exact = sqlite3.connect("exact.db")
    assert number(exact, "select count(*) from event_sum") == 0, f"{name}: --times=all sums up"
    untimed = number(sums, "select count(*) from event where t_enter is null and t_leave is null")
    assert untimed == number(sums, "select sum(calls) from event_sum"), f"{name}: times made up"
    for question in SAME:
        if sums.execute(question).fetchall() != exact.execute(question).fetchall():
            sys.exit(f"{name}: {question}: the answers differ")
    kept = "select id, t_enter, t_leave from event where t_enter not null order by id"
    times = dict((id, rest) for id, *rest in exact.execute(kept))
    for id, *rest in sums.execute(kept):
        assert times[id] == rest, f"{name}: event {id}: other times"
    for words in ("check", "dump --no-time", "report"):
        both = [
            [line for line in call(*words.split(), trace).splitlines() if line[:8] != "waiting:"]
            for trace in ("sums.db", "exact.db")  # sums lack some times: the share differs
        ]
        if both[0] != both[1]:
            differ = "\n".join(difflib.unified_diff(both[1], both[0], lineterm=""))
            sys.exit(f"{name}: {words} says something else of sums:\n{differ}")
    pages = [call("report", "--format=html", trace) for trace in ("sums.db", "exact.db")]
    sent = [re.findall(r'"(?:messages|side|cells)":\d+', page) for page in pages]
    assert sent[0] == sent[1] and len(sent[0]) == 3, f"{name}: other messages: {sent}"
    exact.close()
    said = json.loads(call("diff", "--format=json", "sums.db", "exact.db"))
    for what in ("places", "collectives", "other_calls", "other_order"):
        assert not said[what], f"{name}: diff says that sums differ: {said[what]}"
    for form in ("perfetto", "json"):
        call("report", "--format=" + form, "sums.db")
    said = subprocess.run(
        ["crosswait", "report", "--format=goal", "sums.db"], capture_output=True, text=True
    )
    assert said.returncode and "record with --times=all" in said.stderr, said.stderr


def slow_is_told(trace):
    why = call("report", "--format=why", trace)
    slow = re.findall(r"a slow round: round ([\d,]+) of a loop of rank (\d) took", why)
    assert (f"{SLOW:,}", "1") in slow, why
    assert "only sums of the times are known" in why, why


def compare_runs(name, job, first, calls):
    """Records the job again, with sums in the spools."""
    call("record", "--keep-spool", "--no-watch", "-o", "S.db", "--", "mpirun", "-n", "2", *job)
    again = sqlite3.connect("S.db")
    for question in SAME[:4]:
        if again.execute(question).fetchall() != first.execute(question).fetchall():
            sys.exit(f"{name}: {question}: the answers differ from those of sums in spools")
    untimed = number(again, "select count(*) from event where t_enter is null")
    for what in ("event_sum", "event_sum_call", "event_sum_log"):
        assert untimed == number(again, f"select sum(calls) from {what}"), f"{name}: {what}"
    assert untimed / calls > 0.2, f"{name}: only {untimed} calls are summed up"
    if name == "slow_round":
        slow_is_told("S.db")
    again.close()


def spool_bytes(folder):
    files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sum(os.path.getsize(name) for name in files if name.endswith(".spool"))


for name, job in JOBS:
    words = ["--keep-spool", "--no-watch", "-o", "R.db", "--", "mpirun", "-n", "2", *job]
    call("record", *words, CROSSWAIT_TIMES="all")
    call("recover", "R.db.spool", "-o", "sums.db")
    sums = sqlite3.connect("sums.db")
    calls = number(sums, "select sum(events) from rank")
    share = number(sums, "select ifnull(sum(calls), 0) from event_sum") / calls
    assert share > 0.2, f"{name}: only {share} of the calls are summed up"
    if calls < 1000000:
        compare(name, sums)
    if name == "slow_round":
        slow_is_told("sums.db")
        size = os.path.getsize("sums.db") / calls
        print(f"{ROUNDS} rounds: {size:.2f} bytes a call", file=sys.stderr)
        assert ROUNDS < 500000 or size < 0.3, f"{size} bytes a call"
        longest = number(sums, "select max(messages) from message_part")
        assert longest > ROUNDS / 2, f"only {longest} messages in a row"
    if calls < 1000000:
        compare_runs(name, job, sums, calls)
    else:
        call("record", "--keep-spool", "--no-watch", "-o", "S.db", *words[4:])
        ratio = spool_bytes("R.db.spool") / spool_bytes("S.db.spool")
        assert ratio > 4, f"{name}: the spools with all times have {ratio} times the bytes"
    sums.close()
    subprocess.run("rm -rf R.db.spool R.db S.db.spool S.db sums.db exact.db".split())
