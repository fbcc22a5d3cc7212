# timeout: 200
# --exhaustive runs exactly the set that it prints and that its header defines: loops that share no
# code with it enumerate as many scenarios and the same calls. Two calls have every pair of roots,
# and three every triple: a gather that fails only with the same root twice is found, its twin is
# verified. The certificates are valid if only the printed formulas are read. Holds
# fuzz/exhaust_set.h invariants 1, 2, 3, 4, 5 and 6.
set -u
cp "$SOURCE"/tests/fuzz/exhaustive_set.c "$SOURCE"/corpus/defects/gather_header_of_next_call.c .
for kind in gather allgatherv reduce barrier; do
    crosswait fuzz exhaustive_set.c --target=set_$kind --exhaustive=3 9>>calls
    echo "exit $?"
done >out.txt 2>&1
cat out.txt
python3 "$SOURCE/tests/fuzz/exhaustive_set.py" out.txt calls
crosswait fuzz exhaustive_set.c --certificate=out.txt 9>again
gather() { # $1: target, the rest: options
    crosswait fuzz gather_header_of_next_call.c --cflags="-I $SOURCE" --exhaustive=3 \
        --target=$1_gather_header_of_next_call "${@:2}" >out.txt 2>&1
    echo "$1 ${*:2}: exit $?"
    grep -E "verified|^  cause" out.txt
}
two="--only=count=1 --only=type=int --only=root=0 --only=calls=1..2 --no-shrink"
gather defect $two --only=root-step=0
gather defect $two --only=root-step=1
gather fixed --only=count=1
