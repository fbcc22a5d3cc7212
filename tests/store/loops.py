"""Compares traces with folded loops with traces that have a row for each call: all queries must
give the same answers, byte for byte (store invariant 4).

    loops.py BUILD SOURCE all     every program of corpus/programs, every family of tests/bench/jobs
    loops.py BUILD SOURCE SEED    a few of them, randomly drawn, and always some with long loops"""
import glob, json, os, random, re, shutil, sqlite3, subprocess, sys

BUILD, SOURCE, WHICH = sys.argv[1:4]
sys.path.insert(0, SOURCE + "/tests/tools")
import recorded_jobs

FAMILIES = """
halo 2 700              pingpong 2 1000         sendrecv 3 1000         persistent 2 500
flood 2 1000            flood_any 3 500         flood_tags 2 500        waitany 2 500
polls 2 500             probes 2 500            matched_probes 2 500    collectives 3 300
vectors 2 500           icollectives 2 200      comms 2 100             groups 2 300
datatypes 2 300         infos 2 300             local 2 500             packs 2 500
puts_fenced 2 500       puts_locked 2 300       gets_flushed 2 500      accumulates 2 500
cas 2 300               windows 2 20            files 2 300             thread_exchanges 2 100
thread_stream 2 250     thread_collectives 2 25 mutex 2 50              polling 2 100
"""
ALWAYS, DRAWN = ["halo", "collectives"], 4
DRAWABLE = {
    "halo",
    "collectives",
    "pingpong",
    "sendrecv",
    "persistent",
    "flood",
    "waitany",
    "vectors",
    "puts_fenced",
    "thread_exchanges",
}
QUESTIONS = [
    "select * from event order by id",
    "select * from completion order by id, idx",
    "select * from arg order by event, name, idx",
    "select * from message order by source, dest, inner, comm, tag, send_seq, recv_seq",
    "select * from wait order by id",
    "select * from collective order by id",
]
SAME = ["places", "collectives", "waiting", "other_calls", "other_order"]


def chosen():
    every = list(recorded_jobs.jobs(BUILD, SOURCE, FAMILIES))
    if WHICH == "all":
        return every
    print("seed", WHICH)
    draw = random.Random(int(WHICH))
    some = draw.sample([j for j in every if j[0].endswith(".c") or j[0] in DRAWABLE], DRAWN)
    return [j for j in every if j[0] in ALWAYS or j in some]


def asked(folder):
    """Returns everything that a user can see of folder/T.db."""

    def call(*words):
        done = subprocess.run(
            ["crosswait", *words], cwd=folder, capture_output=True, text=True, timeout=300
        )
        return done.returncode, done.stdout, done.stderr

    database = sqlite3.connect(folder + "/T.db")
    seen = {q: database.execute(q).fetchall() for q in QUESTIONS}
    database.close()
    seen["check"] = call("check", "T.db")
    seen["dump"] = call("dump", "T.db")
    for form in ("text", "json", "html"):
        seen[form] = call("report", "--verbose", "--format=" + form, "T.db")
    return seen


def folded(trace):
    database = sqlite3.connect(trace)
    calls = database.execute("select ifnull(sum(calls), 0) from event_part").fetchone()[0]
    database.close()
    return calls


wrong, calls = 0, 0
for name, ranks, job in chosen():
    shutil.rmtree("spool", ignore_errors=True)
    subprocess.run(
        ["crosswait", "record", "--keep-spool", "--no-watch", "--buffers=on", "--payload=sample"]
        + ["-o", "R.db", "--", "mpirun", "-n", ranks]
        + job,
        capture_output=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    if not os.path.isdir("R.db.spool"):
        sys.exit(f"{name}: no spool")
    answers = []
    for loops in ("on", "off"):
        os.makedirs(loops, exist_ok=True)
        done = subprocess.run(
            ["crosswait", "recover", "R.db.spool", "-o", loops + "/T.db"],
            env=dict(os.environ, CROSSWAIT_LOOPS=loops),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        answers.append(asked(loops))
    said = subprocess.run(
        ["crosswait", "diff", "--format=json", "on/T.db", "off/T.db"],
        capture_output=True,
        text=True,
    )
    answers[0]["diff"] = [json.loads(said.stdout)[what] for what in SAME]
    answers[1]["diff"] = [[] for what in SAME]
    calls += folded("on/T.db")
    if folded("off/T.db"):
        sys.exit(f"{name}: CROSSWAIT_LOOPS=off, and there are loops")
    for question, answer in answers[0].items():
        if answer != answers[1][question]:
            print(f"{name}: {question}: the answer is another one with loops")
            wrong += 1
    shutil.rmtree("R.db.spool")
    for path in glob.glob("R*.db") + glob.glob("o*/T*.db"):
        os.unlink(path)
if calls < 1000:
    sys.exit(f"only {calls} calls were folded")
sys.exit(1 if wrong else 0)
