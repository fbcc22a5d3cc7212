# Tests the search by single ranks: random programs whose ranks wait only for messages have the
# outcomes that a search by worlds finds. Cases: `farm` 26: the state of a rank counts; `farm` 14: a
# rank's heap grows, so that it cannot go back in one process; both with matched probes; `single` 6:
# the order of messages; `requests` 7: receives that may take messages from each other; all of
# `requests`: requests that are complete before the wait; `posted`: receives from any source that
# are completed together; `posted` 186: a message passes an earlier one of its sender; 244: a rank
# knows that a message is there; `peers`: several ranks decide, and the search leaves out orders of
# their steps. What no message of another rank shows (`unseen`) is not decided rank by rank, or not
# by states. `some`: its outcomes are known. `endless`: ranks exchange messages for ever.
for kind in "farm ${farms:-26 27 4}" "farm 14 15 3" "single ${singles:-5 8 4}" \
    "requests ${requests:-5 9 3}" "posted ${posted:-186 188 4}" "peers ${peers:-46 48 3}"; do
    set -- $kind
    mpicc -g -O1 -o "$1" "$SOURCE/tests/explore/merged/$1.c" || exit 1
    "$BUILD/tests/explore/merged" "$PWD/$1" $2 $3 $4 | tail -n 3 >said
    sed 's/.* compared, [1-9].* rank by rank.*;\( [0-9]* faults\)/some by rank,\1/' said
done
mpicc -g -O1 -o unseen "$SOURCE/tests/explore/merged/unseen.c" || exit 1
"$BUILD/tests/explore/merged" "$PWD/unseen" 0 4 5 | sed 's/: [0-9]* worlds.*;/;/'
"$BUILD/tests/explore/merged" "$PWD/posted" 244 245 4 | sed 's/: [0-9]* worlds.*;/;/'
mpicc -g -O1 -o some "$SOURCE/tests/explore/merged/some.c" || exit 1
crosswait explore --compare=output -n 5 -- ./some 1 2>&1 | sed -n 's/.* by [0-9]* states: //p'
mpicc -g -O1 -o endless "$SOURCE/tests/explore/merged/endless.c" || exit 1
crosswait explore --worlds=512 --world-time=1 -n 6 -- ./endless 2>&1 | grep '^crosswait: not'
