# timeout: 120
# --exhaustive runs every combination of decisions that MPI allows once. The numbers on three ranks
# follow from what each collective does: two orders per rank, to the power of ranks; twice as many
# with receives that complete in either order; those and both at once; each again with a test that
# says yes or no; two askers' two questions in any order. Random schedules are among them. Another
# search, which merges nothing, counts the same sets: the certificates are valid.
set -u
cp "$SOURCE/tests/fuzz/schedules.c" .
only="--only=count=1 --only=type=int --only=type-send=int
    --only=calls=1 --only=late=no --only=communicator=world"
crosswait fuzz schedules.c --exhaustive=3 $only --only=waiting=for-data >out.txt 9>>all ||
    cat out.txt
grep -c ^verified out.txt
crosswait fuzz schedules.c --certificate=out.txt >held.txt 9>/dev/null || cat held.txt
grep -c ^holds: held.txt
while read -r name number; do
    grep "^$name 3 " all >one
    echo "$name: $(sort -u one | wc -l) of $number, run $(wc -l <one) times"
done <<'NUMBERS'
probed 8
any 64
some 27
probed_tested 64
any_tested 512
master 6
relay 2
asked 24
NUMBERS
crosswait fuzz schedules.c --ranks=1..3 $only --without=also,other,traffic \
    -runs=8000 -seed=1 >out.txt 2>&1 9>>chance || cat out.txt
sort -u all >all.sorted
sort -u chance | comm -13 all.sorted - | wc -l
[ "$(sort -u chance | grep -c ' 3 ')" -gt 100 ] || echo "chance came to less"
