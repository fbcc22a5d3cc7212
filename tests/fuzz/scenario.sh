# A scenario written by hand runs, explains itself, and mistakes in it are named; shrinking keeps the finding.
set -eu
export CROSSWAIT_FUZZ_TARGET=
fuzz="$BUILD/fuzz/corpus"
cat >quiz.txt <<END
crosswait scenario 1
collective defect_alltoall_send_first
# nothing else matters
ranks 7
count 9
type strided
type-send pair
buffering rendezvous
END
"$fuzz" --explain=quiz.txt >explained.txt 2>&1 && echo "no finding?"
grep -q "^finding: deadlock" explained.txt || { cat explained.txt; exit 1; }
"$fuzz" --shrink=quiz.txt --out=small.txt || true
grep -E "^(collective|ranks|count|type|buffering)" small.txt
sed -i 's/rendezvous/eager/' quiz.txt
"$fuzz" --replay quiz.txt && echo "buffered: no finding"
sed -i 's/strided/stridden/' quiz.txt
"$fuzz" --replay quiz.txt 2>&1 || true
sed -i 's/stridden/int/; s/ranks 7/ranks 70/' quiz.txt
"$fuzz" --replay quiz.txt 2>&1 || true
printf 'crosswait scenario 1\ncollective nobody\n' >other.txt
"$fuzz" --replay other.txt 2>&1 || true
