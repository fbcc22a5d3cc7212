# A search by single ranks: random programs whose ranks wait for one message at a time, and random
# managers with workers, have the outcomes that a search by worlds finds. In `farm` 26 a hash that
# leaves out a rank's state loses one, in `single` 406 a queue that forgets the order of messages.
mpicc -g -O1 -o single "$SOURCE/tests/explore/merged/single.c" || exit 1
mpicc -g -O1 -o farm "$SOURCE/tests/explore/merged/farm.c" || exit 1
for kind in "farm ${farms:-1 6 3}" "farm 26 27 4" "single ${singles:-404 412 4}"; do
    set -- $kind
    "$BUILD/tests/explore/merged" "$PWD/$1" $2 $3 $4 | tail -n 3 >said
    sed 's/.* compared, [1-9].* rank by rank.*;\( [0-9]* faults\)/some by rank,\1/' said
done
