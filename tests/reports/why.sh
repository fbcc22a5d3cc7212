# expected
# timeout: 180
# Reports which rank makes which wait, in the recorded run's own time: one rank slow at a known
# line, a late receiver, a late sender, and a balanced job. Holds reports/why.h invariants 1 and 2.
program=$SOURCE/tests/reports/programs/slow.c
mpicc -g -O0 -o slow "$program" || exit 1
line() { grep -n "/\* $1 \*/" "$program" | cut -d: -f1; }
sed_lines() { sed "s/slow.c:$(line SLOW)/slow.c:SLOW/g; s/slow.c:$(line \
    LATE)/slow.c:LATE/g; s/slow.c:$(line SEND)/slow.c:SEND/g
    s/slow.c:$(line 'LATE SEND')/slow.c:LATE-SEND/g; s/slow.c:$(line WAIT)/slow.c:WAIT/g"; }
for way in slow receiver sender balanced; do
    echo "== $way"
    crosswait run --why -o $way.db -- mpirun -n 4 ./slow $way >$way.out || echo "[$?]"
    grep -o 'rank . holds the others up\|% of the critical path is its own work.*' $way.out |
        sed 's/, most of it before/ before/' | sed_lines
    grep 'late receiver\|late sender\|at a collective.*MPI_Allreduce' $way.out | cut -c20- |
        sed 's/ranks [^ ]* in/ranks in/; s/ ([0-9]* %) and others//' | sed_lines
    # No wait is longer than the call it is spent in, and the path is no longer than the job.
    crosswait report --format=json $way.db >$way.json
    /usr/bin/python3 - $way.json <<'END'
import json, sys

why = json.load(open(sys.argv[1]))["why"]
assert (
    sum(wait["ns"] for wait in why["waits"]) <= why["mpi_ns"] <= why["elapsed_ns"]
), "waits do not fit into the calls"
assert (
    sum(part["ns"] for part in why["critical_path"]) <= why["path_ns"] <= why["elapsed_ns"]
), "the path does not fit"
END
done
# What grew: the size of messages, and how long they lie before they are received; in the balanced
# job nothing did.
cat >grows.c <<'END'
#include <mpi.h>
#include <string.h>
#include <time.h>
static char data[65536];
int main(int argc, char **argv)
{
    int rank, flood = !strcmp(argv[1], "flood");
    struct timespec pause = {0, 3000000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 100; i++) {
        int bytes = flood ? 8 : i * 600;
        if (rank == 0)
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            nanosleep(&pause, NULL);
        }
        if (!flood)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o grows grows.c
for way in flood bytes; do
    crosswait run --why -o $way.db -- mpirun -n 2 ./grows $way |
        grep '^messages grow\|^unexpected' | sed 's/[0-9.][0-9.]* [mu]*s /TIME /g'
done
crosswait report --why balanced.db | grep -c '^messages grow\|^unexpected'
crosswait report --format=html bytes.db | grep -c '<p>messages grow: those of MPI_Send'
# The same on the page; nothing is checked.
crosswait report --format=html slow.db | grep -o 'rank 2 holds the others up'
crosswait report --why slow.db | grep -c verdict
crosswait report --format=html --why slow.db 2>&1
exit 0
