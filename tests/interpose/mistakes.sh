# A program's mistakes: error codes and output are what they are without recording, and each is on record.
# Holds misuse/usage.c invariants 1 and 2.
. "$SOURCE/tests/interpose/lib.bash"
mpirun -n 1 "$BUILD/tests/interpose/mistakes" >expected 2>expected.err </dev/null
code=$?
for payload in none digest full; do
    record -n 1 -x CROSSWAIT_PAYLOAD=$payload "$BUILD/tests/interpose/mistakes" >out 2>err
    [ $? = $code ] || { echo "exit status differs from $code"; cat out err; exit 1; }
    diff expected out || { echo "the error codes changed"; exit 1; }
done
[ "$(grep -vc '^0 ' out)" -gt 20 ] || { cat out; exit 1; }
check <<'P'
codes = [int(line.split()[0]) for line in open("out")]
tried = [e for e in ranks[0].events if not e.parent and e.name not in ("MPI_Init", "MPI_Finalize", "MPI_Error_class", "MPI_Comm_set_errhandler")][1:]
assert [bool(e.error) for e in tried] == [bool(c) for c in codes], [(e.name, e.error, c) for e, c in zip(tried, codes) if bool(e.error) != bool(c)]
P
