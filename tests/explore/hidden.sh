# States that look equal but differ: the program decides by values that no state shows at once. A
# gather that finds one order of 720 has two outcomes wherever it keeps what it knows; one that does
# not print the order has one.
mpicc -g -O1 -o places "$SOURCE/tests/explore/hidden/places.c" || exit 1
mpicc -g -O1 -o kinds "$SOURCE/tests/explore/hidden/kinds.c" || exit 1
printf 0123456789 >numbers
mkdir 0 1 2 3 4 5 6 7
cd 0 && ln -s ../numbers numbers || exit 1
for place in ${places:-pending}; do
    for twin in "" done; do
        timeout 60 crosswait explore --compare=output -n 7 -- ../places $place $twin >said 2>&1
        echo "$place $twin: [$?] $(sed -n 's/^crosswait: .*: \([0-9]* outcomes*\)$/\1/p' said)"
    done
done
for which in ${kinds:-1}; do
    crosswait explore -n 7 -- ../kinds $which 2>&1 | grep -c "basic types are not those"
done
# Where there is no such search, the report for scripts says why.
crosswait explore -q --compare=output --json=why.json -n 7 -- ../places info >/dev/null 2>&1
grep -o '"states_why".*' why.json
