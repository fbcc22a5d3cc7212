# Making and freeing objects again and again does not increase the recorder's memory; its time does
# not grow with the square of requests, nor that of reports with the square of messages. Holds
# interpose invariant 4; objects/handles.c invariant 1; objects/datatypes.c invariant 3;
# objects/requests.c invariant 2.
# timeout: 120
. "$SOURCE/tests/interpose/lib.bash"
set -u
churn=$PROGRAMS/churn
grown() { awk '$1 == "rank" { if ($5 > most) most = $5 } END { print most + 0 }' "$1"; }
timeout 200 $MPIRUN -n 2 "$churn" 10000 0 >bare.txt || exit 1
timeout 200 crosswait record -o T.db -- $MPIRUN -n 2 "$churn" 10000 0 >recorded.txt || exit 1
[ "$(grown recorded.txt)" \
    -lt $(($(grown bare.txt) + 1500)) ] || { cat bare.txt recorded.txt; exit 1; }
timeout 200 crosswait record -o M.db -- $MPIRUN -n 2 "$churn" 0 10000 || exit 1
for format in perfetto html; do
    timeout 200 crosswait report --no-check --format=$format -o report M.db || { echo "$format: $?"
        exit 1; }
done
[ "$(sqlite3 M.db 'select count(*) from message where not inner')" = 20000 ]
CROSSWAIT_BUFFERS=on timeout 200 crosswait record -o R.db -- $MPIRUN -n 1 "$churn" 0 0 16000 \
    >ratios.txt || exit 1
awk '/times as long/ { n++; if ($(NF - 3) > 3) slow = 1 } END { exit slow || n != 2 }' \
    ratios.txt || { cat ratios.txt; exit 1; }
