# timeout: 240
# A quota is used up while the job runs, on a file system that writes changed data to new blocks
# (btrfs, in a file of this test): the rings lose their disk space, the job does not notice. If no
# such file system can be made or mounted, the test says so.
. "$SOURCE/tests/launch/rights.bash"
cat >calls.c <<'C'
/* Calls until there is a file named "over", and some after that; then each rank says something. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int me, its = 0, more = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    while (all < 500) {
        more += access(argv[1], F_OK) == 0;
        MPI_Allreduce(&more, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Sendrecv(&me, 1, MPI_INT, 1 - me, 1, &its, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        usleep(1000);
    }
    printf("rank %d got %d\n", me, its);
    MPI_Finalize();
    return argc < 2;
}
C
mpicc -g -o "$SHARED/bin/calls" calls.c && chmod a+rx "$SHARED/bin/calls" || exit 1
printf 'rank 0 got 1\nrank 1 got 0\n' >expected
cat >inside.sh <<'S'
mount -o loop "$PWD/disk" "$SHARED/disk" || exit 125
btrfs quota enable "$SHARED/disk" && btrfs subvolume create "$SHARED/disk/home" >/dev/null &&
    btrfs qgroup limit "$2" "$SHARED/disk/home" && chown $ALICE "$SHARED/disk/home" || exit 125
bash -c "$1"
code=$?
umount "$SHARED/disk"
exit $code
S
inside() { # LIMIT COMMAND: under that quota
    truncate -s 0 disk && truncate -s 128m disk && mkdir -p "$SHARED/disk" &&
        mkfs.btrfs -q -M disk >/dev/null 2>&1 &&
        unshare -m env SHARED="$SHARED" ALICE=$ALICE bash "$PWD/inside.sh" "$2" "$1" >said 2>&1
}
export -f as
export ALICE CROSSWAIT SHARED
D=$SHARED/disk/home
inside 64m true || {
    echo "skipped: no file system with a quota can be had here"
    exit 0
}
inside 3m "as $ALICE '$CROSSWAIT' record -o '$D/a.db' -- mpirun -n 2 '$SHARED/bin/calls' /" &&
    fail "a folder without room was taken: $(cat said)"
grep -q "^crosswait: cannot record to '.*/a.db': less than 4 MB free (Disk quota exceeded)" said ||
    fail "a small quota: $(cat said)"
cat >fills.sh <<'S'
as $ALICE "$CROSSWAIT" record -o "$D/b.db" -- \
    mpirun -n 2 "$SHARED/bin/calls" "$SHARED/over" >out 2>err &
job=$!
begun() { head -qc 4 "$D"/b.db.spool/*/[01].0.ring 2>/dev/null | tr -d '\0' | wc -c; } # magic words
until [ "$(begun)" = 8 ]; do sleep 0.05; done
for file in 1 2 3; do # what was only promised is given back when it is written
    as $ALICE dd if=/dev/zero of="$D/fill$file" bs=4k count=32000 2>dd && exit 1
    sync -f "$D" # from here on each page of a ring asks for room again
done
touch "$SHARED/over"
wait $job
S
export D
inside 12m "bash fills.sh"
code=$?
sort out | cmp - expected || fail "the output changed: $code $(cat said out err)"
[ $code = 3 ] || fail "exit status $code: $(cat said err)"
ended="^crosswait: recording ended on rank [01], the program continues"
[ "$(grep -c "$ended: its file system has no room left" err)" = 2 ] ||
    fail "what was said: $(cat err)"
grep -q "^crosswait: .*b.db.*Disk quota exceeded" err || fail "the trace: $(cat err)"
