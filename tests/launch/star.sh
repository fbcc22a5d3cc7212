# timeout: 240
# The ranks of a job exchange messages only with rank 0, on three machines of which two cannot reach
# each other: recording changes nothing, all records arrive here, and a hang is proven, with Open
# MPI and MPICH. One machine's clock is an hour ahead, which shows only in one column (on a busy
# machine the comparison of clocks may be wrong by 10 ms). Machines with the same name are
# distinguished by the start times of their kernels. Without the launcher, and with a folder that
# all machines share, the trace says that clocks were not compared.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/machines.bash"
cat >ahead.c <<'C'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int returned = (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec += clock == CLOCK_REALTIME ? 3600 : 0;
    return returned;
}
C
gcc -shared -fPIC -o ahead.so ahead.c && cp -r /etc etc &&
    echo "$PWD/ahead.so" >etc/ld.so.preload || exit 1
machine_setup="{ [ \$i != 2 ] || mount --bind '$PWD/etc' /etc; }"
machines 2
for i in 1 2; do
    bridge link set dev ca$machine_id.$i isolated on &&
        bridge link set dev cb$machine_id.$i isolated on ||
        { echo "the ways between machines cannot be closed"; exit 1; }
done
mpicc -g -o star "$SOURCE/tests/launch/programs/star.c" || exit 1
bad=0
fail() { echo "$*"; bad=1; }
# mpirun's own, if its agent began before mpirun gave it a process group.
said() { grep -v 'plm:[rs]sh: Warning: setpgid(' err; }
openmpi() { # VARIABLES of the ranks -- MODE
    local x=()
    while [ "$1" != -- ]; do x+=(-x "$1"); shift; done
    echo mpirun --host "$hosts" -n 3 $(far_options "$PWD/agent" $net.0/24) --mca btl self,tcp \
        "${x[@]}" ./star "$2"
}
mpich() {
    echo mpiexec.mpich -launcher ssh -launcher-exec "$PWD/agent" -hosts "${hosts//:1/}" \
        -localhost "$net.1" -n 3 ./star_mpich "$2"
}
export UCX_TLS=tcp,self,sm
libraries=openmpi
if command -v mpiexec.mpich >/dev/null; then
    mpicc.mpich -g -o star_mpich "$SOURCE/tests/launch/programs/star.c" || exit 1
    libraries="openmpi mpich"
fi
for library in $libraries; do
    timeout -k 5 60 crosswait record -o T.db -- $($library -- work) >out 2>err </dev/null ||
        fail "$library: exit status $?"
    [ "$(cat out; said)" = "sum 9900" ] || fail "$library: $(cat out err)"
    [ "$(ranks T.db)" = $'0 finished - \n1 finished - \n2 finished - ' ] || fail "$(ranks T.db)"
    offsets=$(sqlite3 T.db 'select rank, offset_ns from rank')
    [ "$(sqlite3 -separator ' ' T.db "select host <> '$(hostname)',
        cast(round(offset_ns / 6e10) as int) from rank")" = $'0 0\n1 0\n1 60' ] ||
        fail "$library: $offsets"
    [ "$(sqlite3 T.db "select count(*) from message join event s on s.id = send_id
        join event r on r.id = recv_id where s.t_enter > r.t_leave + 10000000")" = 0 ] ||
        fail "$library: messages are received before they are sent: $offsets"
    timeout -k 5 60 crosswait record -o T.db -- $($library -- hang) >out 2>err </dev/null
    grep -q 'deadlock: rank 0 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for' err ||
        fail "$library, hang: $(cat out err)"
    wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
done
timeout -k 5 60 $(openmpi "LD_PRELOAD=$BUILD/libcrosswait.so" "CROSSWAIT_OUT=$PWD/U.db" -- work) \
    >out 2>err </dev/null || fail "plain: exit status $?"
[ "$(cat out; said)" = "sum 9900" ] || fail "plain: $(cat out err)"
[ "$(ranks U.db)" = $'0 finished - \n1 finished - \n2 finished - ' ] || fail "plain: $(ranks U.db)"
sqlite3 U.db "select value from meta where key = 'notes'" | grep -q '^the clocks of 3 machines' ||
    fail "plain: nothing is said of the clocks"
cat >apart.sh <<SH
set -e
hostname machine
cat /proc/sys/kernel/random/uuid >/tmp/boot.\$\$
mount --bind /tmp/boot.\$\$ /proc/sys/kernel/random/boot_id
rm /tmp/boot.\$\$
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay -o lowerdir=$PWD,upperdir=/mnt/upper,workdir=/mnt/work overlay $PWD
SH
for i in 2 3; do
    ./agent $net.$i "/bin/bash $PWD/apart.sh" || fail "a machine has no name and folder of its own"
done
timeout -k 5 60 crosswait record -o T.db -- $(openmpi -- work) >out 2>err </dev/null
[ "$(cat out; said)" = "sum 9900" ] || fail "machines with one name: $(cat out err)"
[ "$(ranks T.db)" = $'0 finished - \n1 finished - \n2 finished - ' ] || fail "$(ranks T.db)"
[ "$(sqlite3 T.db 'select count(distinct host), count(*) from rank')" = '2|3' ] ||
    fail "the machines have their own names: $(sqlite3 T.db 'select host from rank')"
wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
exit $bad
