# timeout: 280
# slow
# Collectives between two groups: for each kind that MPI has there, the wrong one is found and its
# correct twin has no finding, with the same seed; every small world of some is verified; a finding
# is the same on real ranks; a kind that intercommunicators lack, and a claim of cost, are refused.
# Holds fuzz invariants 3 and 5.
set -u
cp "$SOURCE/tests/fuzz/intercommunicators.c" .
crosswait fuzz intercommunicators.c --target=right_bcast_any -runs=1 >/dev/null || exit 1
verdict() { # the arguments; what was found, or "silent"
    crosswait fuzz intercommunicators.c --no-shrink -seed=7 "$@" >out.txt 2>&1
    case $? in
        0) echo silent ;;
        1) sed -nE '1s/^[^:]*: (finding: )?(ERROR: )?//p' out.txt | sed -E 's/:.*//' | grep . ||
            echo "found" ;;
        *) cat out.txt ;;
    esac
}
for name in $(sed -nE 's/^TWICE\([a-z_]+, ([a-z_]+),.*/\1/p' intercommunicators.c); do
    echo "$name: $(verdict --target=wrong_$name -runs=600), its twin" \
        "$(verdict --target=right_$name -runs=600)"
done
echo "bcast_any on one group: $(verdict --target=wrong_bcast_any -runs=600 --without=first-group)"

for name in barrier_tokens bcast_any alltoall_steps; do
    crosswait fuzz intercommunicators.c --target=right_$name --exhaustive=3 | grep verified
done
crosswait fuzz intercommunicators.c --target=wrong_alltoall_steps --exhaustive=3 \
    --only=count=1..1 --only=calls=1 | grep -E "^not verified|^  cause" | head -2

real() { # $1: collective, the rest: lines of a scenario
    printf 'crosswait scenario 1\ncollective %s\n' "$1" >scenario.txt
    printf '%s\n' "${@:2}" >>scenario.txt
    for how in explain real; do
        crosswait fuzz intercommunicators.c --$how=scenario.txt 2>/dev/null </dev/null |
            sed -nE "s/^finding: ([a-z-]+):.*/$1, $how: \1/p; s/^no finding/$1, $how: silent/p" |
            sort -u
    done
}
for twin in wrong right; do
    real ${twin}_allgather_counts 'ranks 4' 'first-group 1' 'sizes uneven' 'communicator backwards'
    real ${twin}_reduce_scatter_part 'ranks 5' 'first-group 2' 'sizes uneven' 'sizes-seed 3'
done
crosswait fuzz intercommunicators.c --explain=scenario.txt | sed -n 1p
real right_gather_linear 'ranks 4' 'first-group 1' 'traffic yes'
real right_barrier_tokens 'ranks 5' 'first-group 2' 'slow 3'
real right_bcast_chain 'ranks 5' 'first-group 3' 'root 4' 'traffic yes' 'also dup' 'calls 3' \
    'root-step 1'

refused() {
    crosswait fuzz refused.c -runs=1 >out.txt 2>err.txt
    echo "exit $?"
    grep -ah "^crosswait" err.txt
}
cat >refused.c <<'C'
int f(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return MPI_Scan(s, r, n, t, op, c);
}
COLLECTIVE(scan, "", f, .communicators = COLLECTIVE_INTER)
C
refused
printf 'int f(MPI_Comm c) { return MPI_Barrier(c); }\n%s\n' \
    'COLLECTIVE(barrier, "barrier.allreduce", f, .communicators = COLLECTIVE_INTER)' >refused.c
refused
printf 'crosswait scenario 1\nranks 3\nfirst-group 3\n' >scenario.txt
crosswait fuzz intercommunicators.c --target=right_bcast_any --explain=scenario.txt 2>&1 | tail -1
