# A handwritten scenario runs and explains itself; mistakes in it are named; shrinking keeps the
# finding.
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
sed -i 's/^buffering.*/buffering credits\ncredits 6/' quiz.txt
"$fuzz" --replay quiz.txt && echo "6 messages held by each: no finding"
sed -i 's/^credits 6/credits 0/' quiz.txt
"$fuzz" --explain=quiz.txt | grep -o "^finding: [a-z]*"
sed -i 's/^buffering.*/buffering pool\npool-bytes 7/' quiz.txt
"$fuzz" --explain=quiz.txt | grep -o "^finding: [a-z]*"
sed -i 's/^pool-bytes.*/pool-bytes 65535/' quiz.txt
"$fuzz" --replay quiz.txt && echo "65535 bytes held by each: no finding"
# they change the order of what happens, not the outcome
for delays in uniform heavy slow-link speeds swarm; do
    sed "s/^pool-bytes.*/&\ncommunicator grid\ndims 2\nperiods 1\ndelays $delays\ndelays-seed 5/" \
        quiz.txt >delayed.txt
    "$fuzz" --explain=delayed.txt | grep "  rank" | md5sum
    "$fuzz" --replay delayed.txt
done | sort -u | wc -l
sed -i 's/strided/stridden/' quiz.txt
"$fuzz" --replay quiz.txt 2>&1 || true
sed -i 's/stridden/int/; s/ranks 7/ranks 70/' quiz.txt
"$fuzz" --replay quiz.txt 2>&1 || true
# What the grammar of policies has is also read in its words.
head='crosswait scenario 1\ncollective defect_alltoall_send_first\nranks 5\ncount 3'
same() { # $1: old lines, $2: the same in words of policies
    printf "$head\n$1\n" >old.txt
    printf "$head\n$2\n" >new.txt
    "$fuzz" --explain=old.txt >old.out 2>&1 || true
    "$fuzz" --explain=new.txt >new.out 2>&1 || true
    sed -i 's/old.txt\|new.txt/X/' old.out new.out
    cmp old.out new.out && grep -m 1 -o "[^,]*buffered.*" new.out
}
same 'buffering credits\ncredits 2\nshuffle yes\nchoices 0102' \
    'order random\nbuffering credits:2\nchoices 0102'
same 'buffering pool\npool-bytes 8\ndelays heavy\ndelays-seed 7' \
    'seed 7\ndelay heavy:125000\nbuffering pool:8'
same 'buffering eager-bytes\neager-bytes 4\ndelays slow-link\ndelays-seed 65' \
    'buffering eager:4\ndelay slow-link:1-2'
same 'buffering chosen\nchoices 01000100' 'buffering random:50\nchoices 01000100'
for wrong in 'buffering random:30' 'buffering list:0.1' 'buffering eager:9999999' \
    'delay uniform:5' 'delay recorded' 'delay slow' 'seed 4096' 'order list:0.1=2'; do
    printf "$head\n$wrong\n" >wrong.txt
    "$fuzz" --replay wrong.txt 2>&1 || true
done
printf 'crosswait scenario 1\ncollective nobody\n' >other.txt
"$fuzz" --replay other.txt 2>&1 || true
# What ranks run holds no state, and is not instrumented (fuzz invariants 2 and 4).
for object in execute elements; do
    objdump -h "$BUILD/obj/fuzz/scenario/$object.o" |
        awk -v name=$object '($2 == ".data" || $2 == ".bss") && $3 !~ /^0*$/ {
            print name ": state in " $2 }'
    nm "$BUILD/obj/fuzz/scenario/$object.o" | grep -E '__sanitizer_cov|__asan|__ubsan' || true
done
