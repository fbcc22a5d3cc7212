# timeout: 120
# If the disk fills up, file sizes are limited, or a folder vanishes, recording ends with a note,
# and the program does not notice. Holds interpose invariant 1; spool/spool.h invariant 5.
if [ "$(id -u)" = 0 ] && [ -z "$CW_INSIDE" ]; then # what is mounted goes with it
    exec env CW_INSIDE=1 unshare -m bash "$0"
fi
. "$SOURCE/tests/interpose/lib.bash"
ended=$PROGRAMS/ended
$MPIRUN -n 2 "$ended" plain run 30000 2>&1 | sort >expected
expect() { # WHAT PATTERN: the program's output is its own, with one line of ours a rank at most
    [ "$code" = 0 ] || { echo "$1: exit status $code"; cat out err; exit 1; }
    sort out | diff - expected || { echo "$1: the output changed"; exit 1; }
    [ "$(grep -c "$2" err)" = 2 ] || { echo "$1: what was said:"; cat err; exit 1; }
    [ "$(grep -vc "$2" err)" = 0 ] || { echo "$1: more was said:"; cat err; exit 1; }
}
mkdir small
# Two rings fit in, and of the spools less than one rank writes, also where it is alone.
if mount -t tmpfs -o size=800k none small 2>/dev/null; then
    SPOOL=$PWD/small/spool
    record "$ended" count run 30000 >out 2>err
    code=$?
    expect "full disk" "recording ended on rank [01], the program continues: the spool cannot be\
 written: No space left on device"
    check <<'P'
for me, rank in ranks.items():
    assert rank.stopped == 28 and rank.lost > 10000 and len(rank.events) > 1000, (
        rank.stopped,
        rank.lost,
        len(rank.events),
    )
    assert len([e for e in rank.events if not e.parent]) + rank.lost >= 90000
P
    umount small
    mount -t tmpfs -o size=100k none small
    record "$ended" count run 30000 >out 2>err
    code=$?
    expect "no room at all" \
        "rank [01] is not recorded: cannot make a spool in .*: No space left on device"
    umount small
    SPOOL=$PWD/spool
else
    [ "$(id -u)" != 0 ] || { echo "root, and cannot mount a tmpfs"; exit 1; }
fi
record "$ended" count fsize 30000 >out 2>err
code=$?
expect "file size limit" \
    "recording ended on rank [01], the program continues: the spool cannot be written: File"
rm -rf spool
( while [ ! -s spool/*/1.0.spool ]; do :; done 2>/dev/null; rm -rf spool ) &
record "$ended" count run 30000 >out 2>err
code=$?
wait
[ "$code" = 0 ] && sort out | diff - expected || { echo "removed folder: exit status $code"
    cat err; exit 1; }
[ ! -s err ] || { echo "removed folder:"; cat err; exit 1; }
SPOOL=/proc/nonesuch/spool
rm -rf nothing
record "$ended" count run 30000 >out 2>err
code=$?
expect "unwritable folder" "rank [01] is not recorded: cannot make the folder"
