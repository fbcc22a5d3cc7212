# slow
# expected
# timeout: 400
# Tests --exhaustive with a collective that loops for ever in several of its scenarios, of one call
# and of two: each is found, and the search continues. The twins of all defects are verified up to 3
# ranks (certificate_all.sh: the other collectives of the corpus).
cp "$SOURCE/tests/fuzz/exhaustive.c" .
crosswait fuzz exhaustive.c --target=wrong_bcast_loop --exhaustive=3 -timeout=1 --only=root=0 \
    --only=type=int --only=type-send=int --only=communicator=world --only=late=no \
    --only=in-place=no --only=root-step=0 >out.txt 2>&1
echo "exit $?"
sed -nE '/verified/p; /^  [0-9]+ scenarios/p; s/^  cause      ([^ ]*).*/  \1/p' out.txt
$BUILD/fuzz/corpus --list |
    awk -F '\t' '$4 == "-" && $7 == "-" && !/^cw_/ { print $1 }' >correct.txt
mkdir -p none
CROSSWAIT_FUZZ_TARGET=$(tr '\n' , <correct.txt | sed 's/,$//') "$BUILD"/fuzz/corpus --exhaustive=3 \
    --out=none >all.txt
echo "corpus: exit $?, $(grep -c '^verified' all.txt) of $(wc -l <correct.txt) verified, $(ls none |
    wc -l) findings"
