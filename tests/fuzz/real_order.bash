# order SCHEDULE HOW...: whichever call shows the order of arrival, the same wrong value appears in
# process and on real ranks (real_order.c).
declare -A schedule=(
    [delays]='delays uniform;delays-seed 3;buffering eager'
    [shuffle]='shuffle yes;choices 040102010102010001030302010100000101010101010103;buffering '\
'credits;credits 1'
)
order() {
    local how by=$1
    mkdir "$by" && cd "$by" && cp "$SOURCE/tests/fuzz/real_order.c" order.c || exit 1
    for how in "${@:2}"; do
        printf '%s\n' 'crosswait scenario 1' "collective by_$how" 'ranks 5' 'op affine-pair' \
            >$how.txt
        echo "${schedule[$by]}" | tr ';' '\n' >>$how.txt
        crosswait fuzz order.c -o ../order --explain=$how.txt 2>/dev/null |
            grep "^finding" >process.txt
        crosswait fuzz order.c -o ../order --real=$how.txt 2>/dev/null </dev/null |
            grep "^finding" >ranks.txt
        [ -s process.txt ] || echo "$how: silent under $by"
        diff process.txt ranks.txt >/dev/null && echo "$how, $by: the same" ||
            { echo "$how, $by:"; cat process.txt ranks.txt; }
    done
    cd ..
}
