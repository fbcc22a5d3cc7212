# Sourced. `sweep T.db` runs all checkers, policies of each kind, and report formats on the trace;
# `sweep_all T.db` also runs each checker alone, and every policy and format. A command that ends
# with a status that is not crosswait's, is refused as wrong usage, or fails an assertion, is
# printed and counted in $swept_badly.
swept_badly=0
swept() {
    local status
    crosswait "$@" >swept.out 2>swept.err
    status=$?
    [ "$status" -le 5 ] && [ "$status" -ne 2 ] && ! grep -q "crosswait: bug:" swept.err && return
    echo "crosswait $*: exit status $status"
    grep "bug:" swept.err
    swept_badly=$((swept_badly + 1))
}
# words TRACE KEY: all ways to fill this word of a policy, as the command that refuses another
# lists them, with arguments.
words() {
    crosswait replay -q -p "$2=?" "$1" 2>&1 |
        sed "s/.*$2= takes: //; s/, \(explore\|[a-z-]*\)/\n\1/g" |
        sed 's/:RANK.EVENT=SOURCE.*/:0.4=0/; s/:RANK.EVENT.*/:0.3/; s/:BYTES/:64/; s/:N$/:1/
             s/:P .*/:50/; s/:NS/:1000/; s/:FROM-TO/:0-1/; s/:RANK$/:0/' |
        grep -v '^explore\|^speeds\|^$' # which are of the live job and of worlds
}
# A few of each.
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
    sweep_rest "$1" 'text html json sarif junit dot perfetto goal'
}
sweep_rest() { # TRACE FORMATS
    local format
    swept replay --explore --budget=200 "$1"
    swept replay --need "$1"
    swept replay --inside "$1"
    for format in $2; do
        swept report -f "$format" -o swept.report "$1"
    done
    swept dump --args "$1"
}
# All that there are, as the commands themselves list them.
sweep_all() {
    local buffering order delay collectives=synchronising threads=free checker
    swept check "$1"
    for checker in $(crosswait check --list | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
        swept check --only="$checker" "$1"
    done
    for buffering in $(words "$1" buffering); do
        for order in $(words "$1" order); do
            for delay in $(words "$1" delay); do
                [ "$delay" = none ] || [ "$buffering/$order" = random:50/random ] || continue
                swept replay -p "buffering=$buffering order=$order coll=$collectives delay=$delay \
threads=$threads seed=3" "$1"
                case $collectives in
                synchronising) collectives=relaxed ;;
                relaxed) collectives=strict threads=recorded ;;
                strict) collectives=synchronising threads=free ;;
                esac
            done
        done
    done
    swept report --verbose --recheck "$1"
    sweep_rest "$1" \
        "$(crosswait report -f '?' "$1" 2>&1 | sed 's/.*there are: //; s/;.*//; s/,//g')"
}
# sweep_random SEED...: of programs with wrong arguments here and there.
sweep_random() {
    local seed
    mpicc -g -O1 -o random "$SOURCE/tests/checkers/random_arguments.c" || exit 1
    for seed in "$@"; do
        rm -f t.db
        crosswait record -o t.db -- mpirun -n $((2 + seed % 2)) ./random "$seed" \
            >record.out 2>&1
        [ -f t.db ] || { echo "seed $seed leaves no trace"; cat record.out; exit 1; }
        sweep t.db
    done
}
