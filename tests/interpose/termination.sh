# A process whose handler ends it after a SIGTERM from outside made no mistake: its end is a note,
# which says so. The same end without the signal is an error. sigaction, signal and handlers get the
# same values as without crosswait. Holds entry/termination.h invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
cat >program.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t came, from;
static void one(int number) { came += number; }
static void three(int number, siginfo_t *info, void *context)
{
    came += number;
    from = context && info->si_pid == getpid();
}
static void ends(int number) { exit(number); }
static void answers(void)
{
    struct sigaction old, action = {.sa_handler = one, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    printf("%d", signal(SIGTERM, one) == SIG_DFL);
    printf("%d", signal(SIGTERM, one) == one);
    printf("%d", sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == one &&
                     !(old.sa_flags & SA_SIGINFO));
    raise(SIGTERM);
    printf(" %d", came);
    printf("%d", sigaction(SIGTERM, &action, &old) == 0 && old.sa_handler == one);
    raise(SIGTERM);
    printf(" %d", came);
    action.sa_sigaction = three, action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    printf(" %d", sigaction(SIGTERM, &action, &old) == 0 && old.sa_handler == one &&
                      old.sa_flags & SA_RESTART && sigismember(&old.sa_mask, SIGUSR1));
    kill(getpid(), SIGTERM);
    printf(" %d %d", came, from);
    printf("%d", sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    printf("%d", signal(SIGTERM, SIG_IGN) == SIG_DFL && signal(SIGTERM, one) == SIG_IGN);
    puts("");
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "before"))
        signal(SIGTERM, ends);
    MPI_Init(&argc, &argv);
    if (!strcmp(how, "behind"))
        signal(SIGTERM, ends);
    if (!*how)
        answers();
    else if (!strcmp(how, "itself"))
        exit(SIGTERM);
    else
        raise(SIGTERM);
    MPI_Finalize();
    return 0;
}
C
cat >engine.py <<'P'
import os
import signal
import sys

from mpi4py import MPI

MPI.COMM_WORLD.Barrier()


def stop(number, frame):
    raise RuntimeError("the loop was stopped")


signal.signal(signal.SIGTERM, stop)
if len(sys.argv) > 1:
    os.kill(os.getpid(), signal.SIGTERM)
raise RuntimeError("the loop was stopped")
P
mpicc -g -w -o program program.c || exit 1
failed=0
./program >expected 2>&1
crosswait run -o T.db -- ./program >out 2>err || { cat out err; failed=1; }
grep -qxF "$(cat expected)" out || { cat expected out; failed=1; }
try() { # RULE COMMAND...: a note where it was told to end, else an error
    local rule=$1 told=1 expected=error
    shift
    case $* in *itself | *engine.py) told=0 ;; *) expected=note ;; esac
    crosswait run -o T.db -- $MPIRUN -n 1 "$@" >out 2>err
    grep -qE "^$expected\[$rule\]" out &&
        [ "$(grep -c 'SIGTERM .* had asked the process to end' out)" = $told ] ||
        { echo "$*:"; cat out err; failed=1; }
}
try lifecycle ./program before
try lifecycle ./program behind
try lifecycle ./program itself
try exception /usr/bin/python3 engine.py told
try exception /usr/bin/python3 engine.py
exit $failed
