"""Applies the remedies that check calls proven to the source: random programs of sends and receives
(a line each) that need buffering. If check says which receive to post before which send, the test
moves the line; the new program must have no deadlock in any order and buffering, and finish without
buffering. remedy.py SEED COUNT"""
import random, re, subprocess, sys

SEED, COUNT = int(sys.argv[1]), int(sys.argv[2])
HEAD = """#include <mpi.h>
static int in[64], out[64];
static MPI_Request q[64];
int main(int argc, char **argv) { int me;
MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &me);
"""
TAIL = "MPI_Finalize(); return 0; }\n"
OFFER = re.compile(
    r"= help: post (.*), into memory that is not used in between: then no order and no"
)
PAIR = re.compile(
    r"MPI_I?[Rr]ecv \(R\.c:(\d+)\)(?: as an MPI_Irecv)? before MPI_Send \(R\.c:(\d+)\)"
)


def program(draw):
    """Returns lines (rank, kind, number, text): messages in a global order, or sends first."""
    ranks = draw.randrange(2, 4)
    of = [[] for _ in range(ranks)]
    for n in range(draw.randrange(2, 6)):
        a, b = draw.sample(range(ranks), 2)
        tag = draw.randrange(2)
        of[a].append(("send", n, f"MPI_Send(&out[{n}], 1, MPI_INT, {b}, {tag}, MPI_COMM_WORLD);"))
        of[b].append(("recv", n, f"&in[{n}], 1, MPI_INT, {a}, {tag}, MPI_COMM_WORLD"))
    lines = []
    for rank, calls in enumerate(of):
        if draw.random() < 0.7:  # sends first: needs buffers
            calls.sort(key=lambda c: c[0] == "recv")
        lines += [(rank, *c) for c in calls]
    return ranks, lines


def text_of(line):
    rank, kind, n, text = line
    call = {
        "send": text,
        "recv": f"MPI_Recv({text}, MPI_STATUS_IGNORE);",
        "post": f"MPI_Irecv({text}, &q[{n}]);",
        "wait": f"MPI_Wait(&q[{n}], MPI_STATUS_IGNORE);",
    }[kind]
    return f"if (me == {rank}) {call}\n"


def build(lines, name):
    with open(name + ".c", "w") as f:
        f.write(HEAD + "".join(map(text_of, lines)) + TAIL)
    subprocess.run(["mpicc", "-g", "-o", name, name + ".c"], check=True)


def run(*words):
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout + done.stderr


def mend(lines, offer):
    """Applies the change: posts receives before a send, and waits for them at their old place."""
    first = HEAD.count("\n") + 1
    moved = {}
    for receive, send in PAIR.findall(offer):
        moved[int(receive) - first] = int(send) - first
    result = []
    for at, line in enumerate(lines):
        for receive, send in sorted(moved.items()):
            if send == at:
                rank, _, n, text = lines[receive]
                result.append((rank, "post", n, text))
        rank, kind, n, text = line
        result.append((rank, "wait", n, text) if at in moved else line)
    return result


draw = random.Random(SEED)
print("seed", SEED)
wrong = offered = deadlocks = 0
for number in range(COUNT):
    ranks, lines = program(draw)
    build(lines, "R")
    run("crosswait", "record", "-o", "R.db", "--", "mpirun", "-n", str(ranks), "./R")
    status, said = run("crosswait", "check", "R.db")
    deadlocks += "error[deadlock]" in said
    offer = OFFER.search(said)
    if not offer:
        continue
    offered += 1
    pairs = PAIR.findall(offer.group(1))
    if not pairs:
        sys.exit(f"program {number}: what is offered is not understood: {offer.group(0)}")
    build(mend(lines, offer.group(1)), "F")
    run("crosswait", "record", "-o", "F.db", "--", "mpirun", "-n", str(ranks), "./F")
    for words in (["check", "F.db"], ["replay", "--explore", "F.db"], ["replay", "F.db"]):
        status, said = run("crosswait", *words)
        if status:
            print(
                f"program {number}: {offer.group(0)}: made so, {' '.join(words)} ends with {status}"
            )
            wrong += 1
if deadlocks < COUNT // 5 or offered < COUNT // 8:
    sys.exit(f"{deadlocks} deadlocks and {offered} remedies of {COUNT} programs are too few")
sys.exit(1 if wrong else 0)
