# Runs without the launcher: only LD_PRELOAD, or LD_AUDIT, under mpirun. MPI_Finalize leaves the
# trace and nothing else; the output is the program's own.
. "$SOURCE/tests/interpose/lib.bash"
$MPIRUN -n 3 "$CORPUS/ring_allgather_safe" 2>&1 | sort >expected
export CROSSWAIT_OUT=T.db
LD_PRELOAD=$LIBRARY timeout 40 $MPIRUN -n 3 "$CORPUS/ring_allgather_safe" 2>&1 </dev/null | sort |
    diff - expected || exit 1
[ "$(ls)" = $'T.db\nexpected' ] || { echo "left behind: $(ls)"; exit 1; }
[ "$(sqlite3 T.db "select group_concat(state) from rank")" = finished,finished,finished ] ||
    { sqlite3 T.db 'select * from rank'; exit 1; }
[ "$(crosswait dump T.db | grep -c MPI_Finalize)" = 3 ] || exit 1
unset CROSSWAIT_OUT
LD_AUDIT=$LIBRARY timeout 40 $MPIRUN -n 2 "$CORPUS/quiz" >/dev/null </dev/null || exit 1
[ -s crosswait.db ] || { echo "no crosswait.db: $(ls)"; exit 1; }
# Where no trace can be made of it, the spools stay, and it is said how to go on.
cp "$BUILD"/libcrosswait*.so .
export CROSSWAIT_OUT="it's U.db"
LD_PRELOAD=$PWD/${LIBRARY##*/} timeout 40 $MPIRUN -n 2 "$CORPUS/quiz" >out 2>err </dev/null ||
    exit 1
said="crosswait: the trace '.*U.db' is not written; try: crosswait recover -o"
grep -q "$said '.*it'\\\\''s U.db' '.*U.db.spool/.*'" err || { cat err; exit 1; }
sh -c "$(sed -n "s/.*try: //p" err)" >/dev/null && [ -s "it's U.db" ] ||
    { echo "the advice does not work"; exit 1; }
