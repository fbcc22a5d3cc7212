# Fits alpha and beta to a recorded ping-pong. For the real one only an answer is expected; then the
# test replaces the times by those of a formula, and expects the formula back; then by times of two
# protocols.
# expected
# timeout: 90
export CROSSWAIT_LOOPS=off # a row for each call, to put times into
crosswait record -o pp.db -- timeout 60 mpirun -n 2 "$BUILD/corpus/programs/pingpong" 9 65536 \
    >/dev/null 2>&1
crosswait model --measure pp.db >answer && grep -cE '^ +[0-9]+ +9 ' answer
times() { # SQL for one way in ns, of the bytes sent
    sqlite3 pp.db "
        CREATE TEMP TABLE trip AS
            SELECT s.id AS send, r.id AS recv, s.bytes AS bytes, s.t_enter AS t FROM event s
            JOIN event r ON r.rank = 0 AND r.seq = s.seq + 1
            WHERE s.rank = 0 AND s.call = 'MPI_Send' AND r.call = 'MPI_Recv';
        UPDATE event_row SET duration = 0 WHERE id IN (SELECT send FROM trip);
        UPDATE event_row SET t_enter = (SELECT t FROM trip WHERE recv = event_row.id),
            duration = (SELECT 2 * ($1) FROM trip WHERE recv = event_row.id)
            WHERE id IN (SELECT recv FROM trip);"
}
times '1000 + bytes / 8 * 3'
crosswait model --measure pp.db
times 'CASE WHEN bytes < 5000 THEN 1000 + bytes / 8 ELSE 5000 + bytes / 8 * 2 END'
crosswait model --measure pp.db --word=16 | tail -4
crosswait record -o none.db -- timeout 60 mpirun -n 2 "$BUILD/corpus/programs/shift6" >/dev/null \
    2>&1
crosswait model --measure none.db
echo "exit $?"
