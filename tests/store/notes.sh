# Every way to send and to receive: the trace pairs exactly the messages that the program says it
# received. Holds store_message.c invariants 1 and 2.
# timeout: 120
mpicc -g -O1 -o talk "$SOURCE/tests/store/talk.c" || exit 1
for n in 2 3 5; do
    timeout 60 crosswait record -o talk.db -- mpirun -n $n ./talk >said || exit 1
    sort said >said.sorted
    sqlite3 -separator ' ' talk.db 'SELECT source, dest, tag, bytes FROM message WHERE inner = 0' |
        sort >traced
    cmp said.sorted traced || { diff said.sorted traced; exit 1; }
    echo "$n ranks: $(wc -l <traced) messages," \
         "$(sqlite3 talk.db 'SELECT count(*) FROM message WHERE inner = 0
             AND (send_id IS NULL OR recv_id IS NULL)') with one side only"
    sqlite3 talk.db "SELECT 'received before it was sent', * FROM message m
        JOIN event e ON e.id = m.recv_id
        WHERE e.class = 'recv' AND e.t_leave < m.t_send"
    sqlite3 talk.db "SELECT 'a rank did not finish', * FROM rank
        WHERE state <> 'finished' OR cut OR lost"
    crosswait dump talk.db --no-time >/dev/null || exit 1
done
