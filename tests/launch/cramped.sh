# timeout: 240
# Runs ranks with few rights, as another user: with system calls that containers forbid, little
# address space, a root that cannot be written, little shared memory, a spool folder that fills up
# or cannot be mapped. The job does the same as without crosswait, which says what it could not
# record.
. "$SOURCE/tests/launch/rights.bash"
PLAIN="LD_PRELOAD=$SHARED/bin/libcrosswait.so"
as $ALICE mpirun -n 2 "$RING" 2>&1 | sort >expected
same() { # WHAT FILE: the job's output, and at most one line of ours a rank
    grep -v '^crosswait: ' "$2" | sort | diff - expected ||
        fail "$1: the output differs: $(cat "$2")"
    [ "$(grep -c '^crosswait: ' "$2")" -le 2 ] || fail "$1: too many words: $(cat "$2")"
}
recorded() { [ "$(sqlite3 "$1" "select group_concat(state) from rank")" = finished,finished ] ||
    fail "$1: $(sqlite3 "$1" 'select * from rank')"; }

# No perf_event_open, ptrace or process_vm_readv (Docker's own filter has the first two of these).
cat >deny.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define DENY(call)                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        DENY(SYS_perf_event_open),
        DENY(SYS_ptrace),
        DENY(SYS_process_vm_readv),
        DENY(SYS_process_vm_writev),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 125;
    execvp(argv[1], argv + 1);
    return 126;
}
C
gcc -o "$SHARED/bin/deny" deny.c || exit 1
as $ALICE "$SHARED/bin/deny" "$CROSSWAIT" record --payload=full -o "$SHARED/s.db" -- mpirun \
    -n 2 "$RING" >out 2>&1 || fail "seccomp: $(cat out)"
same seccomp out
recorded "$SHARED/s.db"
as $ALICE "$SHARED/bin/deny" "$CROSSWAIT" run -o "$SHARED/t.db" -- mpirun -n 2 "$QUIZ" 1000000 \
    >out 2>&1
[ $? = 1 ] && grep -q "the job was ended" out || fail "seccomp: a hang is not ended: $(cat out)"

# Address space: the least that the job itself does with, and the recorder's own. With one heap: how
# many 64 MB heaps malloc() reserves depends on which threads happen to meet in it.
limited() { echo "ulimit -v $(($1 * 1024)); MALLOC_ARENA_MAX=1 exec '$RING'"; }
runs() { as $ALICE mpirun -n 2 sh -c "$(limited "$1")" >out 2>&1 </dev/null &&
    sort out | cmp -s - expected; }
low=64 least=2048
runs $least || fail "the job needs more than 2 GB: $(cat out)"
while [ $((least - low)) -gt 16 ]; do
    middle=$(((low + least) / 2))
    if runs $middle; then least=$middle; else low=$middle; fi
done
until runs $least && runs $least && runs $least; do least=$((least + 16)); done
for more in 16 32; do
    rm -rf "$SHARED"/v.db*
    as $ALICE "$CROSSWAIT" record -o "$SHARED/v.db" -- mpirun -n 2 sh \
        -c "$(limited $((least + more)))" >out 2>&1 </dev/null
    same "ulimit -v $((least + more)) MB" out
done

# In a mount namespace of its own.
cat >inside.sh <<'S'
mount --make-rprivate / && mount --bind "$SHARED" "$SHARED" || exit 125
case $1 in
read-only) mount -o remount,ro,bind / ;;
shm) mount -t tmpfs -o size=64k,mode=1777 tmpfs /dev/shm ;;
esac || exit 125
shift
exec "$@"
S
ALICE_SH=$SHARED/alice.sh
inside() { unshare -m env SHARED="$SHARED" sh "$PWD/inside.sh" "$@"; }
cat >"$ALICE_SH" <<S
cd '$SHARED' || exit 1
exec setpriv --reuid=$ALICE --regid=$ALICE --clear-groups \\
    env HOME='$SHARED/home.$ALICE' TMPDIR='$SHARED/home.$ALICE' "\$@"
S
inside read-only sh "$ALICE_SH" "$CROSSWAIT" record -o "$SHARED/r.db" -- mpirun -n 2 "$RING" \
    >out 2>&1
[ $? != 125 ] || fail "no mount namespaces here: $(cat out)"
same "read-only root" out
recorded "$SHARED/r.db"
inside read-only sh "$ALICE_SH" "$CROSSWAIT" record -o /nowhere.db -- mpirun -n 2 "$RING" >out \
    2>&1
[ $? = 3 ] && grep -q "^crosswait: cannot record to '/nowhere.db'" out && ! grep -q rank out ||
    fail "read-only folder: $(cat out)"
inside read-only sh "$ALICE_SH" env "$PLAIN" CROSSWAIT_SPOOL=/nowhere mpirun -n 2 "$RING" >out \
    2>&1 || fail "read-only spool: $(cat out)"
same "read-only spool" out
grep -q "is not recorded: cannot make the folder" out ||
    fail "read-only spool: nothing is said: $(cat out)"
unset OMPI_MCA_osc_sm_backing_directory
export OMPI_MCA_btl_vader_backing_directory="$SHARED/home.$ALICE"
inside shm sh "$ALICE_SH" "$CROSSWAIT" record -o "$SHARED/m.db" -- mpirun -n 2 "$RING" >out 2>&1
same "little /dev/shm" out
recorded "$SHARED/m.db"
unset OMPI_MCA_btl_vader_backing_directory

# A filesystem that cannot be mapped: as recorded into, mmap fails.
cat >nomap.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd >= 0 && flags & MAP_SHARED && readlink(link, path, sizeof path - 1) > 0 &&
        strstr(path, ".ring")) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
C
gcc -shared -fPIC -o "$SHARED/bin/nomap.so" nomap.c || exit 1
as $ALICE env "LD_PRELOAD=$SHARED/bin/nomap.so $SHARED/bin/libcrosswait.so" \
    CROSSWAIT_SPOOL="$SHARED/n.spool" mpirun -n 2 "$RING" >out 2>&1 || fail "no mmap: $(cat out)"
same "no mmap" out
grep -q "is not recorded: .*No such device" out || fail "no mmap: nothing is said: $(cat out)"
