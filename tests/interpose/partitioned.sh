# timeout: 300
# Partitioned messages, and sends and receives with one request for both, if a library has them:
# correct programs are clean and print the same as without crosswait; each mistake is found, and
# nothing else; a hang is ended after a proof.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
PROGRAM=$BUILD/mpich/interpose/partitioned
failed=0
# try WHAT STATUS RULES: the rules of the findings that are no notes, in order.
try() {
    crosswait run -q -o "$1.db" --json="$1.json" -- mpiexec.mpich -n 2 "$PROGRAM" "$1" >"$1.out" \
        2>"$1.err" </dev/null
    local status=$?
    local rules
    rules=$(sqlite3 "$1.db" "select group_concat(rule, ' ') from (select rule from finding
        where severity <> 'note' order by rule)")
    [ "$status" = "$2" ] && [ "$rules" = "$3" ] && return
    echo "$1: exit status $status, '$rules', and not $2, '$3'"
    cat "$1.err" "$1.out"
    failed=1
}
for what in right alike answered both collective; do
    try $what 0 ""
    mpiexec.mpich -n 2 "$PROGRAM" $what >$what.alone 2>&1 </dev/null
    diff <(sort $what.alone) <(sort $what.out) || failed=1
done
try both_unbuffered 1 deadlock
try mixed 1 deadlock
try crossed 1 collective
try less 1 hang
try touched 1 buffer
try early 1 buffer
try deadlock 1 deadlock
try never 1 "deadlock request"
try both_deadlock 1 deadlock
try twice 1 "request request"
try unstarted 1 "leak request"
try range 1 "argument request"
# has DB TEXT: what its findings and their calls say.
has() {
    crosswait report "$1.db" 2>/dev/null | tr -s ' \n' ' ' | grep -qF "$2" && return
    echo "$1 does not say: $2"
    crosswait report "$1.db"
    failed=1
}
has never "whose partition 2 is not marked as ready (of 4 partitions, 1 are not)"
has twice "partition 1 is marked as ready for the second time"
has unstarted "a partition is marked as ready before 'request' is started"
has range "'partition' is 4, of a request with 4 partitions"
has mixed "after its last progress: it could never have continued"
has mixed "that gets no message is not in partitions, unlike what is waited for"
has less "waits for rank 1, to enter the collective"
has never "after its last progress: it could never have continued"
has deadlock "after its last progress: it could never have continued"
has both_unbuffered "completed only because the library buffered what was sent"
# A message of a pair begins where the last partition is marked; pairs that are alike are told
# apart.
[ "$(sqlite3 right.db "select count(*) from message m join event e on e.rank = m.source and
    e.seq = m.send_seq where e.call = 'MPI_Pready_list' and m.bytes = 800")" = 3 ] ||
    { echo "the messages of right"; sqlite3 right.db "select * from message"; failed=1; }
[ "$(sqlite3 alike.db "select count(*) from message where send_seq and recv_seq")" = 3 ] ||
    { echo "the messages of alike"; sqlite3 alike.db "select * from message"; failed=1; }
[ "$(sqlite3 both.db "select count(*), count(distinct source), sum(bytes) from message
    where send_seq and recv_seq")" = "4|2|40" ] ||
    { echo "the messages of both"; sqlite3 both.db "select * from message"; failed=1; }
exit $failed
