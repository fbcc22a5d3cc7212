"""Applies the remedies that check calls proven to the source: random programs of sends and receives
(a line each) that need buffering. If check says which receive to post before which send, the test
moves the line; if a patch moves it, the test applies the patch; if check says which two calls
MPI_Sendrecv replaces, the test replaces them. The new program must have no deadlock in any order
and buffering, and finish without buffering. remedy.py SEED COUNT"""
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
EXCHANGE = re.compile(
    r"= help: call MPI_Sendrecv (.*) \(MPI_Sendrecv_replace for one buffer\): then no order and no"
)
REPLACED = re.compile(r"in place of MPI_Send \(R\.c:(\d+)\) and MPI_Recv \(R\.c:(\d+)\)")
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
        kind = draw.choice(("recv", "recv", "recv", "post"))
        of[b].append((kind, n, f"&in[{n}], 1, MPI_INT, {a}, {tag}, MPI_COMM_WORLD"))
    lines = []
    for rank, calls in enumerate(of):
        if draw.random() < 0.7:  # sends first: needs buffers
            calls.sort(key=lambda c: c[0] != "send")
        lines.append((rank, "begin", 0, ""))
        for kind, n, text in calls:
            lines.append((rank, kind, n, text))
            if kind == "post":
                lines.append((rank, "wait", n, text))
        lines.append((rank, "end", 0, ""))
    return ranks, lines


def text_of(line):
    rank, kind, n, text = line
    call = {
        "begin": f"if (me == {rank}) {{",
        "end": "}",
        "send": text,
        "both": text,
        "recv": f"MPI_Recv({text}, MPI_STATUS_IGNORE);",
        "post": f"MPI_Irecv({text}, &q[{n}]);",
        "wait": f"MPI_Wait(&q[{n}], MPI_STATUS_IGNORE);",
    }[kind]
    return call + "\n"


def build(lines, name):
    with open(name + ".c", "w") as f:
        f.write(HEAD + "".join(map(text_of, lines)) + TAIL)
    subprocess.run(["mpicc", "-g", "-o", name, name + ".c"], check=True)


def run(*words):
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout + done.stderr


def replace(lines, offer):
    """Replaces a send and the receive behind it."""
    first = HEAD.count("\n") + 1
    result = list(lines)
    for send, receive in REPLACED.findall(offer):
        a, b = int(send) - first, int(receive) - first
        if b != a + 1:
            sys.exit(f"not one behind the other: {offer}")
        sent = lines[a][3].removeprefix("MPI_Send(").removesuffix(", MPI_COMM_WORLD);")
        text = f"MPI_Sendrecv({sent}, {lines[b][3]}, MPI_STATUS_IGNORE);"
        result[a], result[b] = (lines[a][0], "both", 0, text), None
    return [line for line in result if line]


def mend(lines, offer):
    """Applies the change: posts receives before a send, and waits for them at their old place; a
    receive that was nonblocking has its wait."""
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
        if at not in moved:
            result.append(line)
        elif kind == "recv":
            result.append((rank, "wait", n, text))
    return result


draw = random.Random(SEED)
print("seed", SEED)
wrong = offered = exchanged = patched = deadlocks = 0
for number in range(COUNT):
    ranks, lines = program(draw)
    build(lines, "R")
    run("crosswait", "record", "-o", "R.db", "--", "mpirun", "-n", str(ranks), "./R")
    status, said = run("crosswait", "check", "R.db")
    deadlocks += "error[deadlock]" in said
    offer, exchange = OFFER.search(said), EXCHANGE.search(said)
    status, patch = run("crosswait", "report", "--format=suggest", "R.db")
    if patch.startswith("crosswait: no patch: "):
        patch = ""
    if not offer and not exchange:
        if patch:
            sys.exit(f"program {number}: a patch without an offer:\n{patch}")
        continue
    what = (offer or exchange).group(0)
    offered += offer is not None
    exchanged += exchange is not None
    pairs = (PAIR if offer else REPLACED).findall((offer or exchange).group(1))
    if not pairs:
        sys.exit(f"program {number}: what is offered is not understood: {what}")
    build(mend(lines, what) if offer else replace(lines, what), "F")
    if patch:
        patched += 1
        made = open("F.c").read()
        subprocess.run(["patch", "-sp1", "R.c"], input=patch, text=True, check=True)
        if open("R.c").read() != made:
            sys.exit(f"program {number}: {what}: the patch does something else:\n{patch}")
    run("crosswait", "record", "-o", "F.db", "--", "mpirun", "-n", str(ranks), "./F")
    for words in (["check", "F.db"], ["replay", "--explore", "F.db"], ["replay", "F.db"]):
        status, said = run("crosswait", *words)
        if status:
            print(f"program {number}: {what}: made so, {' '.join(words)} ends with {status}")
            wrong += 1
few = COUNT >= 20 and not (exchanged and patched)
if deadlocks < COUNT // 5 or offered + exchanged < COUNT // 8 or few:
    sys.exit(
        f"{deadlocks} deadlocks, {offered} receives to post, {exchanged} exchanges and {patched} "
        f"patches of {COUNT} programs are too few"
    )
sys.exit(1 if wrong else 0)
