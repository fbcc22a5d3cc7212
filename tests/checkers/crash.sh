# The first finding says what ended a job: which rank went first, in or after which call, by what
# signal or status, with the stack, and where the address lies. Recording changes neither the job's
# output nor its exit status. The twins have handlers of their own, or end normally.
# timeout: 400
export PYTHONUNBUFFERED=1
cat >dies.c <<'P'
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* 20 GB: the kernel puts the heap at random up to 1 GB behind the data of the program. */
#define FAR 5000000000L
static int buffer[1000];
static volatile int zero;
static void compute(int *where, long far) { where[far] = 3; }
static void *work(void *unused)
{
    sleep(1); /* the other thread has long been in MPI_Recv */
    compute(buffer, FAR);
    return unused;
}
static int is(char **argv, const char *what) { return argv[1] && !strcmp(argv[1], what); }
static void (*volatile nothing)(void);
int main(int argc, char **argv)
{
    int rank, index;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD), buffer[0] = getpid();
    if (rank == 0)
        MPI_Send(buffer, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(buffer, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        if (is(argv, "store")) compute(buffer, FAR);
        if (is(argv, "before")) compute(buffer, -FAR);
        if (is(argv, "inside"))
            MPI_Allreduce((void *)64, buffer, 100, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        if (is(argv, "thread")) {
            pthread_t thread;
            pthread_create(&thread, NULL, work, NULL);
            MPI_Recv(buffer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (is(argv, "divide")) buffer[0] = 5 / zero;
        if (is(argv, "jump")) nothing();
        if (is(argv, "abort")) abort();
        if (is(argv, "kill")) kill(getpid(), SIGKILL);
        if (is(argv, "error")) MPI_Send(buffer, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        if (is(argv, "gives_up")) MPI_Abort(MPI_COMM_WORLD, 7);
        if (is(argv, "undefined")) {
            MPI_Waitany(1, &none, &index, MPI_STATUS_IGNORE);
            compute(buffer, index * FAR);
        }
        if (is(argv, "exit")) exit(3);
        if (is(argv, "_exit")) _exit(4);
    }
    if (rank == 0 && is(argv, "thread")) sleep(60); /* it is ended because of the other one */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 1 && is(argv, "late")) compute(NULL, 2);
    if (rank == 0 || !is(argv, "nonzero")) return 0;
    while (!kill(buffer[0], 0)) /* mpirun kills a rank 0 that still is in MPI_Finalize */
        usleep(1000);
    return 9;
}
P
cat >throws.cc <<'P'
#include <mpi.h>
#include <stdexcept>
static void check(int rank) { if (rank == 1) throw std::runtime_error("no"); }
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    check(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
P
cat >overruns.f90 <<'P'
subroutine fill(a, n)
  integer, intent(inout) :: a(*)
  integer(8), intent(in) :: n
  a(n) = 1
end subroutine
program overruns
  use mpi
  integer :: rank, ierr
  integer :: a(1000)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Bcast(a, 1000, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call fill(a, 5000000000_8)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
P
# What a call from Fortran without its last argument does, but with the same address each time.
cat >lacks.f90 <<'P'
program lacks
  if (rank == 1) call MPI_Bcast(x, & ! (five, not six
      max(1, 1), MPI_INTEGER, 0, MPI_COMM_SELF)
P
cat >lacks.c <<'P'
#include <mpi.h>
void mpi_bcast_(void *, int *, int *, int *, int *, int *);
int main(int argc, char **argv)
{
    int rank, one = 1, root = 0, type, comm, error;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    type = MPI_Type_c2f(MPI_INT), comm = MPI_Comm_c2f(MPI_COMM_SELF);
    mpi_bcast_(&one, &one, &type, &root, &comm, &error);
#line 3 "lacks.f90"
    if (rank == 1) mpi_bcast_(&one, &one, &type, &root, &comm, (int *)16);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
P
cat >dies.py <<'P'
import ctypes, sys
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 1:
    ctypes.string_at(16)
MPI.COMM_WORLD.Barrier()
P
cat >twin.c <<'P'
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile sig_atomic_t seen;
static volatile int zero;
static struct sigaction before;
static void recover(int number) { seen = number; siglongjmp(back, 1); }
static void note(int number) { seen = number; }
static void pass_on(int number, siginfo_t *info, void *context)
{
    fprintf(stderr, "mine\n");
    before.sa_sigaction(number, info, context);
}
int main(int argc, char **argv)
{
    const char *how = argv[1];
    int rank, value;
    if (!strcmp(how, "early")) signal(SIGSEGV, recover);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank ? 0 : getpid();
    if (!strcmp(how, "late")) signal(SIGSEGV, recover);
    if (!strcmp(how, "divides")) signal(SIGFPE, recover);
    if (!strcmp(how, "terminated")) signal(SIGTERM, note);
    if (!strcmp(how, "chain")) {
        struct sigaction mine = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &mine, &before);
    }
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1 && !sigsetjmp(back, 1)) {
        if (strstr("early late chain", how)) *(volatile int *)16 = 1;
        if (!strcmp(how, "divides")) value = 1 / zero;
        if (!strcmp(how, "terminated")) raise(SIGTERM);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 1) printf("%d\n", (int)seen);
    if (rank == 0 || strcmp(how, "three")) exit(0);
    while (!kill(value, 0)) /* mpirun kills a rank 0 that still is in MPI_Finalize */
        usleep(1000);
    exit(3);
}
P
mpicc -g -O0 -w -o dies dies.c && mpicxx -g -O0 -o throws throws.cc &&
    mpifort -g -O0 -o overruns overruns.f90 && mpifort -g -O0 -w -o lacks lacks.c &&
    mpicc -g -w -o twin twin.c || exit 1
# What of the output does not depend on addresses, processes and times; and not what tells that the
# wrappers of calls are there. What mpirun says of the end it may lose, with us and without: Open
# MPI 5's prterun says more, and ends it with a null byte. It may also say it in the midst of a
# rank's line, behind the number of a frame of the stack.
plain_text() {
    sed -E 's/\x00//g; /libcrosswait/d; /^-+$/d; /^(mpirun|prterun) /d; /^ *$/d
        /^thus causing the job/d; /^ *(Process name|Exit code):/d; /^signal [0-9]+ \(/d
        s/^\[[^]]*\] ?//; s/\[0x[0-9a-f]+\]//; s/0x[0-9a-f]+/ADDRESS/g
        s/(libmpi\.so\.40\()P?MPI_[A-Za-z_]+\+/\1+/
        s/process \[[0-9,]+\]/process/
        s/PID [0-9]+/PID/; s/^\[ *[0-9]+\] *//; s/name: .*/name/
        s/-{20,}//; /^ *$/d
        /^PMIX ERROR: PMIX_ERR_UNREACH/d' | sort
}
try() { # WHAT COMMAND...
    local what=$1 plain recorded
    shift
    echo "== $what"
    mpirun -n 2 "$@" >plain.txt 2>&1
    plain=$?
    rm -f T.db
    crosswait record -o T.db -- mpirun -n 2 "$@" >recorded.txt 2>&1
    recorded=$?
    [ $plain = $recorded ] || echo "exit status $plain without us, $recorded with us"
    [[ $what = error || $what = gives_up ]] || # mpirun may lose what it is to print together
    diff <(plain_text <plain.txt) <(plain_text <recorded.txt) >differs.txt ||
        { echo "the output differs"; cat differs.txt; }
    crosswait check --only=crash,lifecycle T.db |
        sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/^(verdict: clean) as far.*/\1/
            s/[a-z_]*(mem|str)[a-z0-9_]+ \(libc/\1... (libc/; /^$/d; /  again/d
            s/= stack: ffi_call \(libffi\.so\.8\)/= stack: str... (libc.so.6)/' # of Python 3.13
}
for how in store before inside thread divide jump undefined abort kill error gives_up exit _exit \
    late nonzero; do
    try $how ./dies $how >tried.txt
    # Behind MPI_Finalize the other rank has ended by itself, or not yet.
    [ $how = late ] && sed -i '/rank 0 was ended because of it/d' tried.txt
    # It may be gone before its status is seen.
    [ $how = _exit ] &&
        sed -i "s/= with exit status 4/= its exit status is not known; the job's is 4/" tried.txt
    cat tried.txt
done
try C++ ./throws
try Fortran ./overruns
try arguments ./lacks
try Python /usr/bin/python3 dies.py
try faulthandler /usr/bin/python3 -X faulthandler dies.py
# Nobody sees the rank's status here: the recorder itself says that it died behind MPI_Finalize.
# mpirun may end the other rank before that one has left MPI_Finalize.
mpirun -n 2 -x LD_PRELOAD="$BUILD/libcrosswait.so" -x CROSSWAIT_SPOOL="$PWD/alone" ./dies late \
    >/dev/null 2>&1
crosswait recover -o alone.db alone 2>&1 |
    sed -E '/: 2 ranks, [0-9]+ events$/d; /^ *rank 0: unknown, how it ended is not known$/d'
crosswait check --only=crash alone.db | grep '^error'
for how in early late divides terminated three; do
    try "own $how" ./twin $how
done
# A handler that calls what was there before it: what that prints has our frame no more than the
# program's.
crosswait record -o T.db -- mpirun -n 2 ./twin chain 2>&1 |
    grep -c "^mine\|Signal: Segmentation fault"
crosswait check --only=crash T.db | grep "^error"
# What ended the job stands first, in every format; for people, with its cause, of which it is the
# second block at most.
crosswait record -o T.db -- mpirun -n 2 ./dies error >/dev/null 2>&1
crosswait check T.db >/dev/null
for format in text json sarif junit html; do
    crosswait report --format=$format -o out.$format T.db >/dev/null 2>&1
    /usr/bin/python3 - out.$format <<'P'
import re, sys
text = open(sys.argv[1], errors="replace").read()
first = text.find("raised an error, and errors are fatal")
second = text.find("but the communicator has 2 ranks")
block = len(re.findall(r"^\w+\[[\w-]+\]: |<article ", text[: max(first, 0)], re.M))
print(sys.argv[1], "first" if 0 <= first < second else f"in block {block}")
P
done
crosswait run -o T.db -- mpirun -n 2 ./dies store >/dev/null 2>&1
echo "run: $?"
crosswait run -o T.db -- mpirun -n 2 ./dies gives_up >/dev/null 2>&1
echo "run, MPI_Abort: $?"
exit 0
