# A search by states finds the outcomes of small random programs that a search by worlds finds; a
# gather and a manager with workers have few states, and for a gather that waits for ever in one
# order of 720 it finds that order.
mpicc -g -O1 -o program "$SOURCE/tests/explore/merged/program.c" || exit 1
mpicc -g -O1 -o kinds "$SOURCE/tests/explore/merged/kinds.c" || exit 1
"$BUILD/tests/explore/merged" "$PWD/program" ${programs:-1000 1014 3} | tail -n 3 |
    sed 's/.*; \([0-9]* faults\)/\1/'
for kind in "7 sum" "7 order" "4 farm"; do
    set -- $kind
    echo "$kind:"
    crosswait explore --compare=output --time=120 -n $1 -- ./kinds $2 >said 2>&1
    echo "[$?]"
    grep -E '^(error|warning|crosswait)' said
done
