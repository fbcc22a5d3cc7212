# The launcher refuses a full or unwritable output folder before the job starts.
if [ "$(id -u)" = 0 ] && [ -z "$CW_INSIDE" ]; then
    exec env CW_INSIDE=1 unshare -m bash "$0"
elif [ -z "$CW_INSIDE" ]; then
    exec env CW_INSIDE=1 unshare -rm bash "$0"
fi
mkdir small && mount -t tmpfs -o size=1m none small || exit 1
crosswait record -o small/T.db touch started 2>message; echo "[$?]"
sed "s,'[^']*/small,'small," message
ls small
test ! -e started || echo "the job was started"
crosswait record -o /proc/T.db touch started 2>&1; echo "[$?]"
test ! -e started || echo "the job was started"
exit 0
