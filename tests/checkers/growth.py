"""Counts the steps of judging each family of calls at three sizes: growth.py BUILD [FAMILY...].
Prints nothing if all grow linearly."""
import contextlib, sqlite3, subprocess, sys

BUILD = sys.argv[1]
# family, ranks, n: enough calls to make the fixed steps of a trace negligible
FAMILIES = """
halo 2 500                      pingpong 2 1000                 pingping 2 1000
sendrecv 3 1000                 persistent 2 500                flood 2 1000
flood_any 3 500                 flood_tags 2 1000               outstanding 2 400
outstanding_tags 2 400          waitany 2 1000                  polls 2 500
probes 2 1000                   matched_probes 2 500            collectives 2 300
vectors 2 500                   icollectives 2 200              icollectives_live 2 200
comms 2 100                     comms_live 2 100                groups 2 500
datatypes 2 500                 datatypes_live 2 500            infos 2 500
local 2 1000                    attributes 2 500                packs 2 500
puts_fenced 2 1000              puts_locked 2 500               gets_flushed 2 1000
accumulates 2 1000              cas 2 1000                      cas_fenced 2 1000
post_start 2 300                windows 2 20                    windows_live 2 20
files 2 500
thread_a_round 2 50             thread_exchanges 2 100          thread_probes 2 100
outstanding_any 3 300           outstanding_any_tags 3 300      unexpected_tags 3 300
attachments 2 500
thread_stream 2 250             thread_collectives 2 25         windows_shared 2 50
thread_rounds 4 200             thread_accumulates 2 500        thread_fetches 2 500
mutex 2 100                     polling 2 100                   icollectives_polled 2 100
refused 2 300
""".split()
# Limits the ratio of steps per call at 2 n and n, and at 4 n and n; fewer steps than LEAST are
# ignored. The number of polls of a rank is random, and counts as calls.
GROWTH, LEAST = 1.25, 20000


def steps(family, ranks, count):
    trace = f"{family}.{count}.db"
    job = ["mpirun", "-n", ranks, BUILD + "/tests/bench/jobs/families", family, str(count)]
    done = subprocess.run(
        ["crosswait", "record", "-o", trace, "--"] + job, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{family}: {done.stderr}")
    with contextlib.closing(sqlite3.connect(trace)) as database:
        calls = database.execute("select count(*) from event").fetchone()[0]
    return calls, int(
        subprocess.run(
            [BUILD + "/tests/tools/trace_work", trace], capture_output=True, text=True, check=True
        ).stdout
    )


wrong = 0
for family, ranks, n in zip(*[iter(FAMILIES)] * 3):
    if sys.argv[2:] and family not in sys.argv[2:]:
        continue
    calls, few = steps(family, ranks, int(n))
    for times in (2, 4):
        more, many = steps(family, ranks, times * int(n))
        grows = many > LEAST and many / more > GROWTH * few / calls
        wrong += grows
        if grows or "-v" in sys.argv:
            print(
                f"{family}: {few} steps for {calls} calls, {many} for {more}:"
                f" {many / few:.1f} times"
            )
sys.exit(1 if wrong else 0)
