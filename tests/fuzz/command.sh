# timeout: 280
# crosswait fuzz on users' files: a finding is shrunk, explained and repeated in process and on real ranks; each kind of bad file
# is reported as what it is.
set -u
ring() { # $1: how the ring sends
    cat <<END
#include <mpi.h>
#include <stdlib.h>
int my_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size;
    MPI_Aint lb, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(recvtype, &lb, &extent);
    char *recv = recvbuf;
    int left = (rank - 1 + size) % size, right = (rank + 1) % size;
    if (sendbuf != MPI_IN_PLACE)
        MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, 0, recv + rank * recvcount * extent, recvcount, recvtype, rank, 0, comm,
                     MPI_STATUS_IGNORE);
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
    printf '#include <mpi.h>\n#include <stdlib.h>\n%s\nint my_barrier(MPI_Comm comm)\n{\n    %s\n    return MPI_Barrier(comm);\n}\n' "$1" "$2"
    echo 'COLLECTIVE(barrier, "", my_barrier)'
}
try() { # $1: title, the rest: arguments; prints the status and what matters
    title=$1; shift
    crosswait fuzz "$@" >out.txt 2>err.txt
    echo "$title: exit $?"
    sed -E 's/crash-[0-9a-f]+/crash-X/g; s/timeout-[0-9a-f]+/timeout-X/g; s/oom-[0-9a-f]+/oom-X/g; s/leak-[0-9a-f]+/leak-X/g' out.txt
}

ring 'MPI_Send(out, recvcount, recvtype, right, 1, comm); MPI_Recv(in, recvcount, recvtype, left, 1, comm, MPI_STATUS_IGNORE);' >ring.c
try "send, then receive" ring.c -seed=1 --time=20
scenario=$(ls crosswait-fuzz/ring/crashes/*.txt | grep -v explained)
try "again" ring.c --explain=$scenario
crosswait fuzz ring.c --real=$scenario >out.txt 2>&1
echo "on real ranks: exit $?"
grep -c "^finding: deadlock: rank [01] of MPI_COMM_WORLD has not ended" out.txt | sed 's/[12]/it hangs/'
ring 'MPI_Sendrecv(out, recvcount, recvtype, right, 1, in, recvcount, recvtype, left, 1, comm, MPI_STATUS_IGNORE);' >good.c
crosswait fuzz good.c -seed=1 -runs=400 --junit=good.xml >out.txt 2>&1
echo "exchange: exit $?"
cat good.xml
grep -o "good.c: nothing found" out.txt

barrier '' 'this is not C' >broken.c
try "does not compile" broken.c
grep -a "does not compile" err.txt
printf '#include <mpi.h>\nint f(MPI_Comm c) { return MPI_Barrier(c); }\n' >nothing.c
try "registers nothing" nothing.c -runs=1
cat err.txt
barrier '' 'MPI_Win win; MPI_Win_create(&win, 1, 1, MPI_INFO_NULL, comm, &win); MPI_Win_free(&win);' >window.c
try "a call that is not there" window.c -runs=1
grep -a "has no" err.txt
grep -a -c " Sendrecv_replace " err.txt
barrier '' 'for (volatile int i = 0; i < 1; i *= 2) continue;' >endless.c
try "without end" endless.c -runs=10 -timeout=2 --no-shrink | head -2
barrier 'static void *kept[100000]; static int n;' 'for (int i = 0; i < 4000; i++) { char *p = malloc(1 << 20); for (int k = 0; k < 1 << 20; k += 4096) p[k] = 1; kept[n++] = p; }' >memory.c
try "memory without end" memory.c -runs=10 -rss_limit_mb=300 --no-shrink | head -2
barrier '' 'int r; MPI_Comm_rank(comm, &r); if (r == 1) exit(0);' >exits.c
try "exits" exits.c -runs=10 | head -2
barrier '' 'int r; MPI_Comm_rank(comm, &r); if (r == 2) abort();' >aborts.c
try "aborts" aborts.c -runs=10 | head -2
barrier 'static int deep(volatile char *p) { volatile char room[4096]; room[0] = p[0]; return deep(room) + room[1]; }' 'volatile char c = 0; int r; MPI_Comm_rank(comm, &r); if (r == 1) deep(&c);' >stack.c
try "stack overflow" stack.c -runs=10 --no-shrink | head -2
barrier '' 'char *p = malloc(8); int r; MPI_Comm_rank(comm, &r); p[8 + r] = 1; free(p);' >overrun.c
try "overrun" overrun.c -runs=10 --no-shrink | head -2
barrier '' 'volatile char *p = malloc(100); p[0] = 1; p = NULL;' >leaks.c
try "leaks memory" leaks.c -runs=3 --no-shrink --junit=leaks.xml | head -2
grep -c "<failure" leaks.xml
mkdir -p jobs && cd jobs && cp ../good.c . && crosswait fuzz good.c -jobs=2 -workers=2 -runs=50 >out.txt 2>&1; echo "two jobs: exit $?"; cd ..
try "no such file" absent.c
cat err.txt
