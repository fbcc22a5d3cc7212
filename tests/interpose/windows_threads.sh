# The communicators that the library makes for windows have the same name on all ranks, in whatever
# order the ranks see them: each message inside finds its receive.
crosswait record -o T.db -- mpirun -n 3 "$BUILD/tests/interpose/windows_threads" || exit 1
lost=$(sqlite3 T.db "select count(*) from message where send_id is null or recv_id is null")
[ "$(sqlite3 T.db 'select count(*) > 1000 from message where inner')" = 1 ] && [ "$lost" = 0 ] ||
    { echo "$lost sends or receives without their other side"; exit 1; }
