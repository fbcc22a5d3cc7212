# timeout: 280
# Runs crosswait fuzz on users' files: it shrinks a finding, explains it and repeats it in process
# and on real ranks; for each kind of bad file it reports what is wrong. Holds fuzz invariant 1.
set -u
ring() { # $1: how the ring sends
    cat <<END
#include <mpi.h>
#include <stdlib.h>
int my_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size;
    MPI_Aint lb, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(recvtype, &lb, &extent);
    char *recv = recvbuf;
    int left = (rank - 1 + size) % size, right = (rank + 1) % size;
    if (sendbuf != MPI_IN_PLACE)
        MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, 0, recv + rank * recvcount * extent,
                     recvcount, recvtype, rank, 0, comm, MPI_STATUS_IGNORE);
    for (int step = 0; step < size - 1; step++) {
        void *out = recv + (rank - step + size) % size * recvcount * extent;
        void *in = recv + (rank - step - 1 + size) % size * recvcount * extent;
        $1
    }
    return MPI_SUCCESS;
}
COLLECTIVE(allgather, "allgather.ring", my_allgather)
END
}
barrier() { # $1: global code, $2: what a barrier does
    cat <<END
#include <mpi.h>
#include <stdlib.h>
$1
int my_barrier(MPI_Comm comm)
{
    $2
    return MPI_Barrier(comm);
}
COLLECTIVE(barrier, "", my_barrier)
END
}
try() { # $1: title, the rest: arguments; prints the status and what matters
    title=$1; shift
    crosswait fuzz "$@" >out.txt 2>err.txt
    echo "$title: exit $?"
    sed -E 's/crash-[0-9a-f]+/crash-X/g; s/timeout-[0-9a-f]+/timeout-X/g; s/oom-[0-9a-f]+/oom-X/g
        s/leak-[0-9a-f]+/leak-X/g; s/, branches seen: .*//' out.txt
}

ring 'MPI_Send(out, recvcount, recvtype, right, 1, comm);
        MPI_Recv(in, recvcount, recvtype, left, 1, comm, MPI_STATUS_IGNORE);' >ring.c
try "send, then receive" ring.c -seed=1 --time=100
scenario=$(ls crosswait-fuzz/ring/crashes/*.txt | grep -v explained)
try "again" ring.c --explain=$scenario
crosswait fuzz ring.c --real=$scenario >out.txt 2>&1
echo "on real ranks: exit $?"
grep "^finding: " out.txt
ring 'MPI_Sendrecv(out, recvcount, recvtype, right, 1, in,
             recvcount, recvtype, left, 1, comm, MPI_STATUS_IGNORE);' >good.c
crosswait fuzz good.c -seed=1 -runs=400 --junit=good.xml >out.txt 2>&1
echo "exchange: exit $?"
sed -n '2,3p;$p' good.xml | sed -E 's/time="0.000"/no time/; s/time="[0-9.]+"/time="SECONDS"/'
grep -c "<testcase" good.xml
grep -c "<testcase.* time=" good.xml
grep -o "good.c: nothing found" out.txt

barrier '' 'this is not C' >broken.c
try "does not compile" broken.c
grep -a "does not compile" err.txt
printf '#include <mpi.h>\nint f(MPI_Comm c) { return MPI_Barrier(c); }\n' >nothing.c
try "registers nothing" nothing.c -runs=1
cat err.txt
barrier '' 'MPI_Comm with;
    MPI_Comm_join(0, &with);
    MPI_Comm_spawn("a", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, &with, 0);' >join.c
try "a call that is not there" join.c -runs=1
grep -a "has no" err.txt
grep -a -c " Sendrecv_replace " err.txt
barrier '' 'for (volatile int i = 0; i < 1; i *= 2) continue;' >endless.c
try "without end" endless.c -runs=10 -timeout=2 --no-shrink | head -2
barrier 'static void *kept[100000]; static int n;' 'for (int i = 0; i < 4000; i++) {
        char *p = malloc(1 << 20);
        for (int k = 0; i < 400 && k < 1 << 20; k += 4096)
            p[k] = 1; // more than the limit: but no 2 GiB of page faults
        kept[n++] = p;
    }' >memory.c
try "memory without end" memory.c -runs=10 -rss_limit_mb=300 --no-shrink | head -2
barrier '' 'int r; MPI_Comm_rank(comm, &r); if (r == 1) exit(0);' >exits.c
try "exits" exits.c -runs=10 | head -2
barrier '' 'int r; MPI_Comm_rank(comm, &r); if (r == 2) abort();' >aborts.c
try "aborts" aborts.c -runs=10 | head -2
barrier 'static int deep(volatile char *p)
{
    volatile char room[4096];
    room[0] = p[0];
    return deep(room) + room[1];
}' 'volatile char c = 0; int r; MPI_Comm_rank(comm, &r); if (r == 1) deep(&c);' >stack.c
try "stack overflow" stack.c -runs=10 --no-shrink | head -2
barrier '' 'char *p = malloc(8); int r; MPI_Comm_rank(comm, &r); p[8 + r] = 1; free(p);' >overrun.c
try "overrun" overrun.c -runs=10 --no-shrink | head -2
barrier '' 'volatile char *p = malloc(100); p[0] = 1; p = NULL;' >leaks.c
try "leaks memory" leaks.c -runs=3 --no-shrink --junit=leaks.xml | head -2
grep -c "<failure" leaks.xml
mkdir -p jobs && cd jobs && cp ../good.c .
crosswait fuzz good.c -jobs=2 -workers=2 -runs=50 >out.txt 2>&1
echo "two jobs: exit $?"
cd ..
try "no such file" absent.c
cat err.txt

refused() { # $1: title, the rest: arguments; what crosswait says itself
    title=$1; shift
    crosswait fuzz "$@" >out.txt 2>err.txt
    echo "$title: exit $?"
    grep -ah "^crosswait" err.txt
}
barrier '#include "crosswait_fuzz.h"' ';' >lib_threads.c
try "includes the header itself" lib_threads.c -runs=10
cat >plus.cpp <<'END'
#include <mpi.h>
#include <vector>
#include "crosswait_fuzz.h"
static std::vector<int> count(3);
static int my_bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(buffer, n, type, root, 1, comm, MPI_STATUS_IGNORE);
    std::vector<MPI_Request> requests((size_t)size, MPI_REQUEST_NULL);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Isend(buffer, n, type, i, SEND_TAG, comm, &requests[(size_t)i]);
    return MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE);
}
COLLECTIVE(bcast, "", my_bcast)
END
try "C++" plus.cpp --cflags=-DSEND_TAG=1 -runs=300
printf 'crosswait scenario 1\nranks 3\n' >three.txt
crosswait fuzz plus.cpp --cflags=-DSEND_TAG=1 --real=three.txt 2>&1 | tail -1
# built anew
crosswait fuzz plus.cpp --cflags=-DSEND_TAG=2 -seed=1 -runs=300 --no-shrink >out.txt 2>&1
grep -Eo "plus.cpp: deadlock|--cflags=.*--real" out.txt
cat >both.c <<'END'
#include "crosswait_fuzz.h"
int one(MPI_Comm c) { return MPI_Barrier(c); }
int two(MPI_Comm c) { (void)c; return 0; }
COLLECTIVE(barrier, "", one)
COLLECTIVE(barrier, "", two)
END
try "two collectives" both.c -seed=1 -runs=100 | head -2
try "two collectives, the good one" both.c --target=one -runs=100
refused "a target that is not there" both.c --target=three -runs=1
sed 's/""/"barrier.nobody"/' lib_threads.c >row.c; refused "an unknown row" row.c -runs=1
sed 's/""/"bcast.binomial"/' lib_threads.c >row.c; refused "another collective's row" row.c -runs=1
sed 's/(barrier/(bcast/' lib_threads.c >signature.c
refused "the signature of another call" signature.c -runs=1
{ cat lib_threads.c; echo 'int main(void) { return 0; }'; } >main.c
refused "a main of its own" main.c -runs=1
mkdir -p folder.c; refused "a folder" folder.c
refused "no source" out.txt
refused "an unknown option" lib_threads.c --frobs=1
refused "an unknown option for libFuzzer" lib_threads.c -frobs=1
refused "an input that is not there" lib_threads.c absent -runs=1
refused "no scenario" lib_threads.c --explain=folder.c
refused "no scenario" lib_threads.c --real=absent.txt
printf 'crosswait scenario 1\nranks many\n' >wrong.txt
refused "a wrong scenario" lib_threads.c --real=wrong.txt
printf 'crosswait scenario 1\ncollective nobody\n' >wrong.txt
refused "a scenario for somebody else" lib_threads.c --real=wrong.txt
