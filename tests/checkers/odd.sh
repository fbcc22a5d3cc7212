# expected
# timeout: 120
# If many ranks hang, every format names all of them, and so does the finding that says why,
# including the rank that is not in the same call as the others. (The launcher may have seen only
# some of those behind the core blocked.)
crosswait record -o T.db -- mpirun -n 24 $BUILD/tests/launch/odd 20 2>err
sed 's/;.*//' err
crosswait check --only=hang T.db >hang.text
grep '^error\|^   = observed' hang.text | sed 's/;.*//'
sqlite3 T.db "select role, proof.rank, call, need, first, last from proof
    join rank_span r on r.id = proof.ranks where role = 'core'"
for format in text html json sarif junit dot; do
    crosswait report --format=$format T.db >T.$format || [ $? = 1 ] || echo "$format: $?"
    # "2 to 5" and "2-5" name four ranks.
    perl -pi -e 's/(\d+)(?: to |-)(\d+)/join(" ", $1..$2)/ge' T.$format
    for rank in $(seq 0 23); do
        grep -qE "rank $rank\>|\"rank\": $rank\>|ranks .*\<$rank\>" T.$format ||
            echo "$format does not name rank $rank"
    done
done
