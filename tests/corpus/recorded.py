"""Compares the calls that a program says it made (`calls rank=R MPI_X=N ...` in its output) with
those in the trace."""
import re, sqlite3, sys

trace, output, name = sys.argv[1:]
made, recorded, problems = {}, {}, 0
with open(output) as lines:
    for line in lines:
        match = re.match(r"calls rank=(\d+) (.*)", line)
        if match:
            made[int(match[1])] = {
                call: int(n) for call, n in (word.split("=") for word in match[2].split())
            }
for rank, call, n in sqlite3.connect(trace).execute(
    "SELECT rank, call, sum(repeat) FROM event WHERE parent IS NULL GROUP BY rank, call"
):
    recorded.setdefault(rank, {})[call] = n
for rank in sorted(set(made) | set(recorded)):
    ours, theirs = made.get(rank, {}), recorded.get(rank, {})
    for call in sorted(set(ours) | set(theirs)):
        if ours.get(call, 0) != theirs.get(call, 0):
            print(
                f"{name}: rank {rank} called {call} {ours.get(call, 0)} times, recorded are"
                f" {theirs.get(call, 0)}"
            )
            problems += 1
if not made:
    print(f"{name}: printed no counts")
sys.exit(1 if problems or not made else 0)
