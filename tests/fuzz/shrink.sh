# timeout: 120
# Shrinking keeps only what matters: of many delays one link, of a long schedule a few answers, of a
# full scenario its needed parts; the result still fails, and passes without any of them.
set -u
export CROSSWAIT_FUZZ_TARGET=
fuzz="$BUILD/fuzz/corpus"
shrink() { # $1: title, the rest: lines
    title=$1; shift
    { echo "crosswait scenario 1"; printf '%s\n' "$@"; } >large.txt
    "$fuzz" --replay large.txt >/dev/null && echo "$title: the scenario itself does not fail"
    echo "$title: $("$fuzz" --shrink=large.txt --out=small.txt)"
    "$fuzz" --replay small.txt >/dev/null && echo "$title: what is left does not fail"
    grep -Ev "^(crosswait|collective|op|type|type-send|parameter|dims)" small.txt |
    grep -Ev "^(slow -1|root 0|calls 1|sizes even|flight 1|places packed)$" |
    grep -Ev " (0|no|none|first|world|-)$"
}
without() { # $1: sed expression that takes it away
    sed "$1" small.txt >less.txt
    "$fuzz" --replay less.txt >/dev/null && echo "  without that: nothing"
}
everything='root 2;count 9;type strided;type-send pair;calls 2;traffic yes;communicator dup'
everything+=';sizes uneven;sizes-seed 9'
IFS=';'
shrink "many delays" "collective defect_reduce_arrival_order" "ranks 7" "op affine-int" \
    $everything "buffering eager" "delays uniform" "delays-seed 7"
"$fuzz" --explain=small.txt | head -1
without 's/^delay .*/delay none/'
shrink "a slow link among many" "collective defect_bcast_try_and_ask" "ranks 6" $everything \
    "buffering eager" "delays heavy" "delays-seed 3"
"$fuzz" --explain=small.txt | head -1
without 's/^delay .*/delay none/'
choices=$(printf '%02x' 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5 0 2 8 8 4 \
    1 9 7 1 6 9 3 9 9 3 7 5 1)
shrink "a long schedule" "collective defect_reduce_arrival_order" "ranks 5" "op affine-int" \
    $everything "communicator world" "buffering eager" "shuffle yes" "choices $choices"
without 's/^choices .*/choices -/'
shrink "few messages held" "collective defect_allgather_first_send" "ranks 6" $everything \
    "buffering credits" "credits 2"
without 's/^buffering .*/buffering rendezvous/'
without 's/^buffering .*/buffering eager/'
shrink "few bytes held" "collective defect_gather_first_and_last" "ranks 4" "count 8" \
    "buffering pool" "pool-bytes 24" "delays swarm" "delays-seed 5"
without 's/^buffering .*/buffering rendezvous/'
without 's/^buffering .*/buffering eager/'
shrink "unbuffered sends" "collective defect_alltoall_send_first" "ranks 6" $everything \
    "buffering rendezvous" "delays swarm" "delays-seed 5"
