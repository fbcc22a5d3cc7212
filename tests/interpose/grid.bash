# Records collectives and checks them from the record alone. One job takes communicators of all
# sizes and all algorithms of an operation, because coll/tuned chooses its algorithm when a
# communicator is made.
. "$SOURCE/tests/interpose/lib.bash"
total=0 runs=0
ompi_info --param coll tuned --level 9 --parsable >algorithms.txt || exit 1
# algorithms OPERATION SIZES: the operation's algorithms as arguments of one_collective, those that
# are for some sizes only at these.
algorithms() {
    local number name sizes=$2 even
    even=$(for p in 2 4 6 8; do case $sizes in *-*) echo -n "$p,";;
        *) [[ ,$sizes, == *,$p,* ]] && echo -n "$p,";; esac; done)
    while read -r number name; do
        case $1-$name in
        *-two_proc) [[ $sizes == 2* ]] && echo "$1:$number@2" ;;
        allgather-neighbor|allgatherv-neighbor) [ -z "$even" ] || echo "$1:$number@$even" ;;
        *) echo "$1:$number@$sizes" ;;
        esac
    done < <(sed -n "s/.*coll_tuned_$1_algorithm:enumerator:value:\([1-9][0-9]*\):\(.*\)/\1 \2/p" \
        algorithms.txt)
}
# one WAYS P ARGUMENTS..: runs one_collective on P ranks; messages must have gone in at least so
# many different ways.
one() {
    local least=$1 p=$2 count inner ways found
    shift 2
    if ! record -n "$p" "$PROGRAMS/one_collective" "$@" >log 2>&1; then
        echo "P=$p $*: the program failed"; cat log; exit 1
    fi
    found=$(PYTHONPATH=$SOURCE/tests:$SOURCE/tests/interpose /usr/bin/python3 \
        "$SOURCE/tests/interpose/grid.py" "$SPOOL" 2>&1) ||
        { echo "P=$p $*: $found"; exit 1; }
    read -r count inner ways <<<"$found"
    [ "$inner" -gt 0 ] || { echo "P=$p $*: no inner message was recorded"; exit 1; }
    [ "$ways" -ge "$least" ] ||
        { echo "P=$p $*: messages went in $ways ways, at least $least were expected"; exit 1; }
    total=$((total + count)) runs=$((runs + 1))
}
tuned() { OMPI_MCA_coll_tuned_use_dynamic_rules=1 one "$@"; }
# The one operation whose algorithm can only be set from outside: a job for each. tuned_outside P
# SIZES COUNTS..
tuned_outside() {
    local p=$1 case
    for case in $(algorithms allgatherv $2); do
        local rest=${case#*:}
        OMPI_MCA_coll_tuned_allgatherv_algorithm=${rest%@*} tuned 2 $p allgatherv@${rest#*@} \
            "${@:3}"
    done
}
inside="bcast reduce allreduce alltoall alltoallv allgather barrier reduce_scatter"
inside+=" reduce_scatter_block gather scatter scan exscan"
operations="$inside allgatherv"
