"""`crosswait run` runs a program twice if its trace alone cannot tell whether its sends need
buffering: it records the first run, and tries that in the second. Each sentence about either run
must appear if its condition holds, and only then."""
import json, os, re, subprocess, sys

PROGRAM = r"""
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Ends as it is told, behind an exchange that completes whatever is buffered, which its trace
 * alone does not show. */
int main(int argc, char **argv)
{
    int rank, size, in, flag;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        return MPI_Finalize();
    if (!strcmp(argv[1], "hangs"))
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "later"))
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(argv[1], "crashes") && rank)
        raise(SIGSEGV);
    if (!strcmp(argv[1], "aborts") && rank)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(argv[1], "killed") && rank)
        raise(SIGKILL);
    if (!strcmp(argv[1], "exits") && rank)
        exit(5);
    while (!strcmp(argv[1], "computes")) {
        usleep(1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(argv[1], "finishes") && strcmp(argv[1], "fails"))
        for (;;)
            pause();
    MPI_Finalize();
    if (strcmp(argv[1], "fails"))
        return 0;
    if (!rank) /* mpirun ends whoever has not come that far when one has failed */
        return creat("left", 0600) < 0;
    while (access("left", F_OK))
        usleep(1000);
    return 7;
}
"""
# The command: $1 selects what its first run does, $2 what its second run does.
COMMAND = """#!/bin/bash
what=$([ -f ran ] && echo $2 || { touch ran; echo $1; })
case $what in
nothing) exit 0 ;;
less) exec mpirun -n 1 ./program finishes ;;
ended) mpirun -n 2 ./program finishes; kill -TERM $$ ;;
*) exec mpirun -n 2 ./program $what ;;
esac
"""
BEHIND = "finishes fails crashes aborts killed exits pauses"  # it has an assumption
SENTENCES = [  # the sentence; the first runs and the second runs that cause it
    (r"the recorded run completed", "finishes fails", None),
    (r"the recorded run got past these calls", "crashes aborts killed exits pauses", None),
    (r"\bdied of SIGSEGV", "crashes", None),
    (r"ended the job with code 3", "aborts", None),
    (r"was ended by SIGKILL", "killed", None),
    (r"exits without MPI_Finalize", "exits", None),
    (r"was ended because of it", "crashes aborts killed exits", None),
    (r"^refuted: the job was run again under this schedule, and finished", None, "finishes"),
    (r"^not confirmed: .* the job hung elsewhere", None, "hangs"),
    (r"^not confirmed: .* the command started no MPI job", None, "nothing"),
    (r"^not confirmed: .* the command started an MPI job of 1 rank", None, "less"),
    (r"^not confirmed: .* ended by signal 11", None, "crashes"),
    (r"^not confirmed: .* ended by signal 9", None, "killed"),
    (r"^not confirmed: .* ended by signal 15", None, "ended"),
    (r"^not confirmed: .* exit status 3$", None, "aborts"),
    (r"^not confirmed: .* exit status 5$", None, "exits"),
    (r"^not confirmed: .* exit status 7$", None, "fails"),
    (r"^not confirmed: .* neither ended nor was proven to hang within", None, "computes"),
    (r"^not confirmed: .* its stop proves nothing", None, "pauses"),
    (r"^a thread sent the signal \(raise does\)", "crashes", None),
    (r"^not tried in the real job: the time for that was over", None, "untried"),
    (r"^refuted: all behaviours of the program were run, and none fails", None, "explored"),
    (r"^it happened|^observed|ended in these calls", "later", None),
    # What rests on an assumption is never told as a fact about the recorded run.
    (r"(completed|got past these calls), perhaps only because the library buffered", BEHIND, None),
    (r"^the program may rely on the library to buffer 1 send", BEHIND, None),
    (r"tests for this, and may do other things than recorded", BEHIND, None),
    (r"relies on|(completed|calls) only because", "", None),
    (r"looks at the source of the message|a receive takes another message", "", None),
    (
        r"^the job made no progress for \d+ s, and crosswait ended it: a hang is possible",
        "pauses",
        None,
    ),
]
AGAIN = r"^(refuted|confirmed|not confirmed|not tried)\b"
PAIRS = [
    ("finishes", then)
    for then in (
        "finishes fails crashes aborts killed exits hangs computes pauses nothing less ended"
        " untried explored"
    ).split()
]
PAIRS += [(first, "finishes") for first in "fails crashes aborts killed exits".split()]
# Jobs that the launcher ended for lack of progress are not run again, with a proof or without.
PAIRS += [("later", ""), ("pauses", "")]


def said(first, then):
    """Returns all sentences of the findings, the verdict, the exit status."""
    for name in "ran", "left", "T.db":
        if os.path.exists(name):
            os.remove(name)
    did = subprocess.run(
        [
            "crosswait",
            "run",
            f"--confirm={dict(computes=3, untried=0.5).get(then, 30)}",
            *(["--stall=3"] if first == "pauses" else []),
            "-o",
            "T.db",
            "--",
            *(
                ["mpirun", "-n", "2", "./program", first]
                if then == "explored"
                else ["./command", first, then]
            ),
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    told = subprocess.run(
        ["crosswait", "report", "--format=json", "T.db"], capture_output=True, text=True
    )
    sentences = []
    for finding in json.loads(told.stdout)["findings"]:
        sentences += [finding["title"], *finding["facts"]]
    return sentences, re.findall(r"^verdict: (.*)", did.stdout, re.M), did


def main():
    wrong = 0
    with open("program.c", "w") as file:
        file.write(PROGRAM)
    with open("command", "w") as file:
        file.write(COMMAND)
    os.chmod("command", 0o755)
    subprocess.run(["mpicc", "-g", "-o", "program", "program.c"], check=True)
    for first, then in PAIRS:
        sentences, verdict, did = said(first, then)
        for pattern, firsts, thens in SENTENCES:
            is_said = any(re.search(pattern, s) for s in sentences)
            true = (firsts is None or first in firsts.split()) and (
                thens is None or then in thens.split()
            )
            if is_said != true:
                wrong += 1
                print(
                    f"{first}, then {then}: {'said, and is not so' if is_said else 'not said'}:"
                    f" {pattern}"
                )
        if sum(bool(re.search(AGAIN, s)) for s in sentences) != bool(then):
            wrong += 1
            print(f"{first}, then {then}: what came of trying is not said once: {sentences}")
        ends = "clean" if then == "explored" else "clean in the recorded order; others are possible"
        clean = {"finishes": ends, "fails": ends, "aborts": "clean as far as it was recorded"}
        clean["pauses"] = clean["aborts"]
        error = then == "hangs" or first in ("crashes", "exits", "later")
        expected = "1 error" if error else clean.get(first, "1 warning")
        if len(verdict) != 1 or verdict[0].split(", ")[0] != expected:
            wrong += 1
            print(f"{first}, then {then}: verdict {verdict}, not {expected}")
        if "-v" in sys.argv:
            print(first, then, sentences, verdict, did.returncode)
    print(f"{len(PAIRS)} pairs of endings, {len(SENTENCES)} sentences")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
