# --exhaustive tries what MPI lets its library do with the calls of a collective (collectives that
# wait for all ranks or for none, the order of an operation that commutes), and says that it is not
# verified where it does not: a clock, the time at which a freed request's buffer is free. Each
# defect has a correct twin, which is verified.
set -u
cp "$SOURCE/tests/fuzz/exhaustive_calls.c" calls.c && cp "$SOURCE/tests/fuzz/linear.h" .
mkdir -p none
look() { # $1: ranks, $2: collectives; of each what is said, and the first finding
    CROSSWAIT_FUZZ_TARGET=$2 CROSSWAIT_FUZZ_NARROW="calls=1..2 \
        without=late,root-step,root-bend,strided,type-send,backwards" \
        ./crosswait-fuzz/calls/fuzz --exhaustive=$1 --out=none >said 2>found
    sed -nE 's/^((not )?verified: [^;]*)(.*calls.*|.*schedules.*|.*tag.*)?$/\1\3/p' said |
        sed 's/[1-9][0-9]* scenarios\{0,1\} fail/some fail/'
    sed -nE 's/^crosswait: found ([^:]*: [^:]*).*/  \1/p' found | sort -u
}
crosswait fuzz calls.c -runs=1 >/dev/null 2>&1
look 2 empty_barrier,full_barrier
look 3 bcast_then_send,bcast_of_all
look 3 sum_in_order,sum_in_any_order
look 2 allocated,high_tag
look 2 said_to_commute,kept_in_order,reduce_to_itself,reduce_in_place
look 2 frees_its_send,waits_for_it,ends_its_process,never_written,waits_at_once,only_starts
for what in CLOCK TICKS VERSION; do
    CFLAGS=-D$what crosswait fuzz calls.c --exhaustive=1 | sed -n 's/^not verified: //p'
done
CFLAGS=-DTAGS crosswait fuzz calls.c --exhaustive=2 --only=count=1 --only=calls=1 2>/dev/null |
    grep verified
