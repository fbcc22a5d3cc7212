# timeout: 120
# Tests Open MPI 5's starters, with stubs for those that are not installed. Its mpirun becomes
# prterun, which has a child for each rank, names jobs prterun-NODE-PID@NUMBER and passes the
# variables in mca_base_env_list to other machines. Its prun asks a daemon, prte, which already
# runs: this daemon starts the ranks and does not belong to the job. Under the stubs Open MPI 4's
# mpirun starts the ranks.
. "$SOURCE/tests/launch/lib.bash"
bad=0
fail() { echo "$*"; bad=1; }
ulimit -c 0
real=$(command -v mpirun)
cat >stub.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* As in Open MPI 5: the job's name, and a segment of shared memory that is named by a number. */
int PMPI_Init(int *argc, char ***argv)
{
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "PMPI_Init");
    int made = init(argc, argv);
    const char *name = getenv("STUB_JOB"), *segment = getenv("STUB_SEGMENT");
    char path[200];

    if (name)
        setenv("PMIX_NAMESPACE", name, 1);
    if (segment) {
        snprintf(path, sizeof path, "%s.%s", segment, getenv("OMPI_COMM_WORLD_RANK"));
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        if (fd < 0 || ftruncate(fd, 4096) < 0 ||
            mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
            abort();
    }
    return made;
}
C
cat >program.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int me, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "crash") && me == 1)
        raise(SIGSEGV);
    if (!strcmp(how, "crash"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "hang"))
        MPI_Recv(&token, 1, MPI_INT, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return !strcmp(how, "three") ? 3 : 0;
}
C
mkdir bin
cat >bin/mpirun <<'S'
#!/bin/bash
export PRTE_MCA_schizo_proxy=ompi
exec "${0%/*}/prterun" "$@"
S
cat >bin/prterun <<'S'
#!/bin/bash
named=() clean=()
while case $1 in
    --host) # as to another machine
        for name in ${!CROSSWAIT_*} LD_PRELOAD; do clean+=(-u $name); done
        IFS=';' read -ra list <<<"${OMPI_MCA_mca_base_env_list-}"
        for name in "${list[@]}"; do [ -z "${!name+set}" ] || named+=("$name=${!name}"); done
        shift 2 ;;
    -n) n=$2; shift 2 ;;
    *) false ;;
    esac; do :; done
env -u OMPI_MCA_mca_base_env_list "${clean[@]}" "$REAL" -n $n env "${named[@]}" "$@" &
trap 'kill $!; wait $!; exit 143' TERM
wait $!
S
# A request is a folder: what to run, and who waits for the exit status.
cat >bin/prte <<'S'
#!/bin/bash
while read -r request <&9; do
    bash "$request/command" 9<&- </dev/null
    echo $? >"$request/status"
done
S
cat >bin/prun <<'S'
#!/bin/bash
shift # -n
request=$(mktemp -d "$DVM/request.XXXXXX")
{
    IFS=';' read -ra list <<<"${OMPI_MCA_mca_base_env_list-}"
    for name in "${list[@]}"; do
        [ -z "${!name+set}" ] || printf 'export %s=%q\n' "$name" "${!name}"
    done
    printf 'exec "$REAL" -n'
    printf ' %q' "$@"
} >"$request/command"
mkfifo "$request/status"
echo "$request" >"$DVM/requests"
read -r status <"$request/status"
exit $status
S
chmod +x bin/*
mpicc -shared -fPIC -o libstub.so stub.c -ldl &&
    mpicc -g -o program program.c -L. -lstub -Wl,-rpath,"$PWD" || exit 1
export REAL=$real PATH=$PWD/bin:$PATH
node=ip-10-0-0-12.a-region-with-a-long-name.compute.internal
recorded() { # the command; out, err
    rm -f T*.db
    timeout 60 crosswait record -o T.db "$@" >out 2>err </dev/null
}
states() { ranks $1 | cut -d' ' -f1,2 | tr '\n' ' '; }
while read -r how status states; do
    for to in "" "--host here:2"; do
        STUB_JOB=prterun-$node-4711@1 recorded -- mpirun $to -n 2 ./program $how
        is=$?
        [ $is = $status ] || fail "$how $to: exit status $is: $(cat out err)"
        [[ "$(states T.db)" =~ ^($states)\ $ ]] || fail "$how $to: $(states T.db) $(cat err)"
    done
done <<'W'
work 0 0 finished 1 finished
three 3 (0 finished 1 [a-z]*|0 [a-z]* 1 finished)
crash 139 0 [a-z]* 1 crashed
W
# Two jobs whose names differ at the end only are two.
recorded -- sh -c "STUB_JOB=prterun-$node-4711@1 prterun -n 2 ./program &&
    STUB_JOB=prterun-$node-4712@1 prterun -n 3 ./program" || fail "two jobs: $(cat out err)"
[ "$(states T.db)$(states T-2.db)" = \
    "0 finished 1 finished 0 finished 1 finished 2 finished " ] || fail "two jobs: $(ls)"
# A hang is proven and ended, and what was left in shared memory is removed, but not another job's.
segment=/dev/shm/sm_segment.$(hostname).$(id -u).c0de$$
: >"${segment}1.0"
STUB_SEGMENT=$segment STUB_JOB=prterun-$node-4711@1 recorded -- mpirun -n 2 ./program hang
grep -q '^crosswait: deadlock' err || fail "hang: $(cat out err)"
[ "$(left program)" = 0 ] || fail "hang: ranks are left"
[ "$(ls $segment*)" = "${segment}1.0" ] || fail "hang: in shared memory: $(ls $segment*)"
rm -f $segment*
# prun: the daemon has an environment of its own, and outlives what is ended.
export DVM=$PWD
mkfifo requests
exec 9<>requests
env -u LD_PRELOAD prte 9<&9 >dvm.out 2>&1 &
dvm=$!
trap 'kill $dvm; wait $dvm; rm -f $segment*' EXIT
recorded -- prun -n 2 ./program || fail "prun: exit status $?: $(cat out err)"
[ "$(states T.db)" = "0 finished 1 finished " ] || fail "prun: $(states T.db) $(cat err)"
recorded -- prun -n 2 ./program three
[ $? = 3 ] || fail "prun three: $(cat out err)"
recorded -- prun -n 2 ./program hang
grep -q '^crosswait: deadlock' err || fail "prun hang: $(cat out err)"
[ "$(left program)" = 0 ] || fail "prun hang: ranks are left"
kill -0 $dvm || fail "the daemon was ended"
wait_for '! pgrep -P $dvm >/dev/null' # what it ran has noticed
exit $bad
