# If the disk fills up while the trace is written, the command says so, leaves no incomplete file,
# and keeps the spool; with more room it succeeds. Holds store invariant 1; store/store.c invariant
# 2; launch invariant 4.
if [ -z "$CW_INSIDE" ]; then
    [ "$(id -u)" = 0 ] && exec env CW_INSIDE=1 unshare -m bash "$0"
    exec env CW_INSIDE=1 unshare -rm bash "$0"
fi
mkdir small && mount -t tmpfs -o size=64k none small || exit 1
"$BUILD/tests/tools/spool_make" T.spool whole
crosswait recover T.spool -o small/T.db 2>&1; echo "[$?]"
ls small
mount -o remount,size=2m small
crosswait recover T.spool -o small/T.db 2>&1; echo "[$?]"
ls small
crosswait recover T.spool -o /proc/T.db 2>&1; echo "[$?]"
mount -o remount,ro small
crosswait recover T.spool -o small/U.db 2>&1; echo "[$?]"
exit 0
