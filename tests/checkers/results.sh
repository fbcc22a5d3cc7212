# The ranks' results of the library's collectives are what MPI defines; a byte changed in the trace
# is found, and so is a rank whose result differs in some bits.
# timeout: 240
fail() { echo "$*"; exit 1; }
programs=$BUILD/corpus/programs
for p in "4 calls_coll" "3 calls_coll" "4 matvec" "6 transpose"; do
    set -- $p
    timeout 60 crosswait record --payload=full -o "$2.db" -- mpirun -n "$1" "$programs/$2" \
        >/dev/null 2>&1 || fail "$p: exit status $?"
    crosswait check --only=result,agreement "$2.db" >out || fail "$p is blamed: $(cat out)"
    [ "$(sqlite3 "$2.db" 'select count(*) > 0 from payload')" = 1 ] ||
        fail "$p: no content was kept"
done
# A byte of what each rank received, in each kind of collective, one kind at a time.
for call in MPI_Bcast MPI_Reduce MPI_Allreduce MPI_Gather MPI_Scatter MPI_Allgather MPI_Alltoall \
    MPI_Scan MPI_Exscan MPI_Reduce_scatter_block; do
    cp calls_coll.db t.db
    sqlite3 t.db "update payload set data = cast(x'5a' || substr(data, 2) as blob) where rowid in
        (select p.rowid from payload p join event e on e.id = p.event where e.call = '$call'
        and p.at = 1 and p.buffer = 1 and p.offset = 0);"
    [ "$(sqlite3 calls_coll.db \
        "select count(*) > 0 from payload p join event e on e.id = p.event
        where e.call = '$call' and p.at = 1")" = 1 ] ||
        fail "$call: no content of what was received"
    crosswait check --only=result t.db >out && fail "$call: a changed byte is not found"
    grep -q "wrong result of $call on rank" out || fail "$call: $(cat out)"
done
# Bits that differ between ranks, seen by digests alone.
timeout 60 crosswait record --payload=digest -o d.db -- mpirun -n 4 "$programs/calls_coll" \
    >/dev/null 2>&1
crosswait check --only=result,agreement d.db >out || fail "digests: $(cat out)"
sqlite3 d.db "update digest set digest = digest + 1 where rowid =
    (select d.rowid from digest d join event e on e.id = d.event
    where e.call = 'MPI_Allreduce' and d.at = 1 limit 1)"
crosswait check --only=agreement d.db >out && fail "different digests are not found"
grep -q "ranks disagree bit by bit on the result of MPI_Allreduce" out || fail "$(cat out)"
# Of a nonblocking call the program may have stored there, and what was sent may have changed.
cat >pending.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    int value[4] = {1, 2, 3, 4};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Ibcast(value, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o pending pending.c || exit 1
timeout 60 crosswait record --payload=full -o pending.db -- mpirun -n 2 ./pending >/dev/null 2>&1
crosswait check pending.db >out || fail "a nonblocking call is blamed: $(cat out)"
sqlite3 pending.db "update payload set data = cast(x'5a' || substr(data, 2) as blob) where at = 1
    and buffer = 1"
crosswait check pending.db >out && fail "a nonblocking call: a changed byte is not found"
grep -q "^error\[buffer\]: what MPI_Ibcast received on rank 1 is not what" out || fail "$(cat out)"
sqlite3 pending.db "update digest set digest = digest + 1 where at = 1 and buffer = 0"
crosswait check pending.db >out && fail "a changed send buffer is not found"
grep -q "^error\[buffer\]: the send buffer of MPI_Ibcast was written to" out || fail "$(cat out)"
grep -q "wrong result" out && fail "the library is blamed: $(cat out)"
# What a rank stores where it sends from may be what it receives by chance: one finding, no store
# elsewhere is told.
cat >chance.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    double sent[8] = {0}, got[8];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Iallreduce(sent, got, 8, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    sent[3] = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o chance chance.c || exit 1
timeout 60 crosswait run -o chance.db -- mpirun -n 2 ./chance >out 2>&1 &&
    fail "a store to what is sent is not found"
grep -q "^error\[buffer\]: the send buffer 'sendbuf' of MPI_Iallreduce was written to" out ||
    fail "$(cat out)"
grep -q "is not what the ranks sent" out && fail "another store is told: $(cat out)"
exit 0
