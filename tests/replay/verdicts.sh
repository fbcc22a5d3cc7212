# Tests replay on programs with known verdicts: the first line, which rank blocks which, the exit
# status; and the witness repeats the verdict.
# expected
# timeout: 180
B=$BUILD/corpus/programs
record() { ranks=$1 name=$2; shift 2
    crosswait record -o $name.db -- timeout 60 mpirun -n $ranks $B/$name "$@" >/dev/null 2>&1; }
show() {
    echo "\$ crosswait replay $*"
    crosswait replay "$@" 2>&1 |
        sed -E 's/event [0-9]+/event N/g; s/request=[0-9]+/request=R/g
            s/[0-9,]+ operations?/N operations/; s/0\.[0-9]+=/0.N=/; s/([0-9])\.[0-9]+/\1.N/g'
    echo "[${PIPESTATUS[0]}]"
}
record 2 quiz
show quiz.db
show --policy=buffering=eager quiz.db
show --explore quiz.db
show --need quiz.db
record 2 quiz_fixed
show --explore quiz_fixed.db
record 3 wildcard_order
show wildcard_order.db
show --explore wildcard_order.db
again=$(crosswait replay --explore wildcard_order.db | sed -n 's/^again: //p')
eval "$again" >/dev/null; echo "again: $?"
cp wildcard_order.db "it's order.db"
for how in "" --explore; do
    again=$(crosswait replay $how "it's order.db" | sed -n 's/^again: //p')
    eval "$again" >/dev/null; echo "again: $?"
done
record 3 wildcard_order_fixed
show --explore wildcard_order_fixed.db
record 4 ring_allgather_printed
show ring_allgather_printed.db
record 4 reduce_alone
show reduce_alone.db
record 4 two_comms_crossed
show two_comms_crossed.db
record 4 two_comms
show --explore two_comms.db
# mistakes
show
show one.db two.db
show none.db
show --policy=buffering=always quiz.db
show --explore --need quiz.db
show --runs=0 quiz.db
head -c 100 quiz.db >cut.db
show cut.db
chmod a-w quiz.db
show --quiet quiz.db
