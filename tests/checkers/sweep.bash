# Sourced. sweep T.db: every checker, policy and report format on the trace. What comes back other
# than with a status of crosswait's own, or reaches an assertion, is printed, and counted in
# $swept_badly.
swept_badly=0
swept() {
    local status
    crosswait "$@" >swept.out 2>swept.err
    status=$?
    [ "$status" -le 5 ] && ! grep -q "crosswait: bug:" swept.err && return
    echo "crosswait $*: exit status $status"
    grep "bug:" swept.err
    swept_badly=$((swept_badly + 1))
}
sweep() {
    local buffering order collectives delay format
    swept check "$1"
    for buffering in rendezvous eager eager:64 credits:1 pool:100 random:50; do
        for order in recorded first random; do
            collectives=synchronising
            [ "$order" = first ] && collectives=relaxed
            swept replay -p "buffering=$buffering order=$order coll=$collectives seed=3" "$1"
        done
    done
    for delay in uniform:1000 exponential:1000 heavy:1000 slow-rank:0 slow-link:0-1 recorded \
        swarm; do
        swept replay -p "buffering=random:50 order=random coll=relaxed delay=$delay" "$1"
    done
    swept replay --explore --budget=200 "$1"
    swept replay --need "$1"
    swept replay --inside "$1"
    for format in text html json sarif junit dot perfetto goal; do
        swept report -f "$format" -o swept.report "$1"
    done
    swept dump "$1"
}
