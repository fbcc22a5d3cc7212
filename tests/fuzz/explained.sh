# A finding is printed when it is found, before it is shrunk; its explanation has puts, locks and
# flushes, the place where memory in use was freed, what stored a wrong result, and which change of
# the scenario passes. A tag that MPI does not promise is a note, not a finding; SIGTERM ends the
# campaign, which then prints its findings. Holds fuzz/stored.c invariants 1 and 2.
set -u
cp "$SOURCE/tests/fuzz/explained.c" .
for name in puts_early frees_copy frees_request spoils cuts high_tags; do
    crosswait fuzz explained.c -o out --target=$name -seed=1 -runs=400 --without=slow,traffic \
        >said.txt 2>errors.txt
    echo "$name: exit $?"
    grep -c "^crosswait: found .*crashes/crash-" errors.txt
    grep -E "^note|^  (with|place|freed|stored|changes|cause) " said.txt
    timeline=$(sed -n 's/^  timeline  *//p' said.txt)
    [ $name != puts_early ] || grep "  rank 0" "$timeline"
    [ $name != frees_request ] || grep "is under way" "$timeline"
    rm -rf out/crashes out/corpus
done
crosswait fuzz explained.c -o out --target=puts_early -k --time=600 >said.txt 2>errors.txt &
job=$!
for _ in $(seq 600); do
    grep -q "^crosswait: found " errors.txt && break
    sleep 0.1
done
kill -TERM $job
wait $job
echo "ended: exit $?"
grep -q "^  cause " said.txt || echo "what was found is not told"
