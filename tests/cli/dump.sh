# Prints events as text: all, one rank, one call, folded, with times; and refuses files that are no
# traces.
show() {
    echo "\$ crosswait $*"
    crosswait "$@" 2>&1 | sed 's/reads version [0-9]*/reads version N/'
    echo "[${PIPESTATUS[0]}]"
}

"$BUILD/tests/tools/spool_make" T.spool whole
crosswait recover T.spool >/dev/null
show dump T.db --no-time
show dump T.db --rank=1
show dump T.db --no-time --fold --rank=0 --call=allreduce
show dump T.db --no-time --call=MPI_Send
show dump T.db --rank=7
show dump T.db --rank=x
"$BUILD/tests/tools/spool_make" P.spool pending
crosswait recover P.spool >/dev/null
show dump P.db --no-time
show dump P.db --call=MPI_Nothing

show dump
show dump no.db
touch empty.db; show dump empty.db
echo "this is a text" >text.db; show dump text.db
head -c 20000 T.db >short.db; show dump short.db
head -c 50 T.db >tiny.db; show dump tiny.db
sqlite3 other.db 'CREATE TABLE x(y)'; show dump other.db
cp T.db newer.db; sqlite3 newer.db 'PRAGMA user_version=99'; show dump newer.db
cp T.db less.db; sqlite3 less.db 'DROP TABLE completion_set'; show dump less.db
cp T.db bad.db; sqlite3 bad.db "UPDATE shape SET call = 99"; show dump bad.db --rank=0
show dump .
