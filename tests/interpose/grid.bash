# Forces each algorithm of each operation of coll/tuned, records it, checks it from the record alone. grid "SIZES" "OPERATIONS" COUNTS...
. "$SOURCE/tests/interpose/lib.bash"
ompi_info --param coll tuned --level 9 --parsable >algorithms.txt || exit 1
algorithms() { # OPERATION: lines `NUMBER NAME`
    sed -n "s/.*coll_tuned_$1_algorithm:enumerator:value:\([1-9][0-9]*\):\(.*\)/\1 \2/p" algorithms.txt
}
one() { # P OPERATION COUNTS.. with OMPI_MCA_ set
    local p=$1 inner
    shift
    if ! record -n "$p" "$BUILD/tests/interpose/one_collective" "$@" >log 2>&1; then
        echo "P=$p $1 ($2): the program failed"; cat log; exit 1
    fi
    inner=$(PYTHONPATH=$SOURCE/tests:$SOURCE/tests/interpose /usr/bin/python3 "$SOURCE/tests/interpose/grid.py" "$SPOOL" 2>&1) ||
        { echo "P=$p $*: $inner"; exit 1; }
    [ "$inner" -gt 0 ] || [ "$p" = 1 ] || { echo "P=$p $*: no inner message was recorded"; exit 1; }
    total=$((total + inner)) runs=$((runs + 1))
}
grid() {
    local sizes=$1 operations=$2 p op number name
    shift 2
    total=0 runs=0
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1
    for op in $operations; do
        while read -r number name; do
            for p in $sizes; do
                case $name in two_proc) [ "$p" = 2 ] || continue ;; esac
                case $op-$name in allgather-neighbor|allgatherv-neighbor) [ $((p % 2)) = 0 ] || continue ;; esac
                eval "export OMPI_MCA_coll_tuned_${op}_algorithm=$number"
                one "$p" "$op" "$@"
            done
            unset "OMPI_MCA_coll_tuned_${op}_algorithm"
        done < <(algorithms "$op")
    done
    unset OMPI_MCA_coll_tuned_use_dynamic_rules
    [ "$runs" -gt 0 ] || { echo "no algorithm was tried"; exit 1; }
}
# The same, with the K-th algorithm of every operation in one job: as many jobs as the operation with most has algorithms.
grid_at_once() { # P OPERATIONS COUNTS...
    local p=$1 operations=$2 op number name k more
    shift 2
    total=0 runs=0
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1
    for k in 1 2 3 4 5 6 7 8 9 10; do
        more=
        for op in $operations; do
            unset "OMPI_MCA_coll_tuned_${op}_algorithm"
            read -r number name < <(algorithms "$op" | sed -n "${k}p") || continue
            case $name in two_proc) [ "$p" = 2 ] || continue ;; neighbor) [ $((p % 2)) = 0 ] || continue ;; esac
            eval "export OMPI_MCA_coll_tuned_${op}_algorithm=$number"
            more=$more,$op
        done
        [ -z "$more" ] || one "$p" "${more#,}" "$@"
    done
    unset OMPI_MCA_coll_tuned_use_dynamic_rules
    [ "$runs" -ge 9 ] || { echo "only $runs algorithms were tried"; exit 1; }
}
