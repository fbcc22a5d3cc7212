# A program with mistakes gets the same error codes and prints the same as without recording, and
# the record has each mistake. Holds misuse/usage.c invariants 1 and 2.
. "$SOURCE/tests/interpose/lib.bash"
$MPIRUN -n 1 "$PROGRAMS/mistakes" >expected 2>expected.err </dev/null
code=$?
said() { awk '/^(=|$)/ { exit } 1' "$1"; } # MPICH's mpiexec has a word behind it
for payload in none digest full; do
    record -n 1 -x CROSSWAIT_PAYLOAD=$payload "$PROGRAMS/mistakes" >out 2>err
    [ $? = $code ] || { echo "exit status differs from $code"; cat out err; exit 1; }
    said expected >wanted && said out >got && diff wanted got || { echo "the error codes changed"
        exit 1; }
done
[ "$(grep -vc '^0 ' got)" -gt 20 ] || { cat got; exit 1; }
check <<'P'
codes = [int(line.split()[0]) for line in open("got")]
tried = [
    e
    for e in ranks[0].events
    if not e.parent
    and e.name not in ("MPI_Init", "MPI_Finalize", "MPI_Error_class", "MPI_Comm_set_errhandler")
][1:]
assert [bool(e.error) for e in tried] == [bool(c) for c in codes], [
    (e.name, e.error, c) for e, c in zip(tried, codes) if bool(e.error) != bool(c)
]
P
