"""Exports traces to OTF2 and imports them: the result must have the same messages, the same calls
at the same times and no further findings, and OTF2's own reader must read the whole archive.

    round.py BUILD SOURCE all     every program of corpus/programs, every family of tests/bench/jobs
    round.py BUILD SOURCE SEED    a few of them, randomly drawn"""
import collections, glob, os, random, re, shutil, sqlite3, subprocess, sys

BUILD, SOURCE, WHICH = sys.argv[1:4]
sys.path.insert(0, SOURCE + "/tests/tools")
import recorded_jobs

FAMILIES = """
halo 2 300              pingpong 2 300          sendrecv 3 300          persistent 2 200
flood 2 300             flood_any 3 200         flood_tags 2 200        waitany 2 200
polls 2 200             probes 2 200            matched_probes 2 200    collectives 3 100
vectors 2 200           icollectives 2 100      comms 2 50              groups 2 100
datatypes 2 100         packs 2 100             puts_fenced 2 100       puts_locked 2 100
windows 2 20            files 2 100             thread_exchanges 2 50   thread_stream 2 100
thread_collectives 2 25 mutex 2 50
"""
ALWAYS = ["halo", "persistent", "sendrecv", "quiz.c"]
DRAWN = 5
CALL = "select rank, thread, call, t_enter, t_leave from event where parent is null"
# Of calls that had returned when the job ended: the archive has no others.
MESSAGE = """select m.source, m.dest, m.tag, m.bytes, c.size + c.remote_size from message m
    join comm c on c.id = m.comm join event s on s.id = m.send_id join event r on r.id = m.recv_id
    where not m.inner and s.t_leave is not null and r.t_leave is not null"""
# Calls that the archive does not show as such: they are left out, or have no effect.
UNTOLD = re.compile(r"MPI_(Test|Isendrecv)")


def chosen():
    every = list(recorded_jobs.jobs(BUILD, SOURCE, FAMILIES))
    if WHICH == "all":
        return every
    print("seed", WHICH)
    some = random.Random(int(WHICH)).sample(every, DRAWN)
    return [j for j in every if j[0] in ALWAYS or j in some]


def run(*words, status=(0,)):
    done = subprocess.run(words, capture_output=True, text=True, timeout=200)
    if done.returncode not in status:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def rows(path, question):
    database = sqlite3.connect(path)
    found = database.execute(question).fetchall()
    database.close()
    return collections.Counter(found)


def record(ranks, job):
    for path in glob.glob("T*.db"):
        os.unlink(path)
    subprocess.run(
        ["crosswait", "record", "--no-watch", "-o", "T.db", "--", "mpirun", "-n", ranks] + job,
        capture_output=True,
        timeout=200,
        stdin=subprocess.DEVNULL,
    )
    return sorted(glob.glob("T*.db"))


def compare(name, trace):
    """Returns what is wrong with the imported trace."""
    shutil.rmtree("A", ignore_errors=True)
    run("crosswait", "report", "--format=otf2", "-o", "A", trace)
    read = run("otf2-print", "--show-all", "A/traces.otf2")
    if read.stderr:
        yield "otf2-print: " + read.stderr.splitlines()[0]
    said = run("crosswait", "import", "A/traces.otf2", "-o", "B.db").stdout
    before, after = rows(trace, MESSAGE), rows("B.db", MESSAGE)
    if before != after:
        yield (
            f"messages: gone {list((before - after).items())[:3]}, new"
            f" {list((after - before).items())[:3]}"
        )
    told = len(re.findall(r"^MPI_I?SEND\s", read.stdout, re.M))
    if told < sum(before.values()):
        yield f"otf2-print shows {told} sends of {sum(before.values())}"
    gone = rows(trace, CALL) - rows("B.db", CALL)
    gone = [call for call in gone if call[4] is not None and not UNTOLD.match(call[2])]
    left_out = re.search(r"(\d+) calls? (is|are) left out", said.replace(",", ""))
    if gone and not left_out and "polls" not in name:
        yield f"calls: gone {gone[:3]}"
    if run("crosswait", "check", trace, status=(0, 1, 5)).returncode == 0:
        check = run("crosswait", "check", "B.db", status=(0, 1, 5))
        if check.returncode == 1:
            yield "blamed: " + check.stdout.splitlines()[0]


wrong, traces, messages = 0, 0, 0
for name, ranks, job in chosen():
    for trace in record(ranks, job):
        traces += 1
        messages += sum(rows(trace, MESSAGE).values())
        for fault in compare(name, trace):
            print(f"{name}, {trace}: {fault}")
            wrong += 1
if not traces or messages < 100:
    sys.exit(f"{traces} traces with {messages} messages are too few to tell anything")
sys.exit(1 if wrong else 0)
