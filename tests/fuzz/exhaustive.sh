# timeout: 280
# Tests --exhaustive: a failure in a single schedule of a small world is found, explained and
# repeats; a correct collective is verified, with the number of runs; one that could not be run
# completely is not called verified. Each sixth twin of a defect is verified up to 2 ranks;
# exhaustive_all.sh takes each and goes up to 3, certificate_all.sh takes the other collectives of
# the corpus.
set -u
cp "$SOURCE/tests/fuzz/exhaustive.c" .
try() { # $1: target, $2: ranks, the rest: more
    crosswait fuzz exhaustive.c --target=$1 --exhaustive=$2 "${@:3}" >out.txt 2>err.txt
    echo "$1: exit $?"
    sed -nE '/verified/p; /^  ([0-9]+ (scenarios|worlds)|for (all )?P|each with)/p
        s/^  cause      ([^ ]*).*/  \1/p' out.txt
    grep -a "^crosswait:" err.txt | grep -v "^crosswait: found "
}
try wrong_reduce 3 --only=count=1..1 --only=op=sum-int --only=calls=1 --only=in-place=no \
    --only=late=no
again=$(sed -n 's/^  again      crosswait //p' out.txt | head -1)
crosswait $again | grep -E "^(ranks|order|finding)"
try right_reduce 3
plain="--only=in-place=no --only=type=int --only=places=packed --only=communicator=world
    --only=calls=1 --only=late=no"
try wrong_allgatherv 3 $plain
try right_allgatherv 3 $plain
try right_allgatherv 1 --only=count=8
try wrong_barrier 2 | grep -v "worlds"
try right_barrier 4
small() { # $1: target, the rest: more
    try $1 3 -timeout=1 --only=root=0 --only=type=int --only=type-send=int --only=late=no \
        --only=communicator=world --only=in-place=no "${@:2}" | grep -vE "worlds|scenarios:"
}
small wrong_bcast_crash
small wrong_bcast_loop --only=calls=1 --no-shrink # takes seconds; exhaustive_all.sh: all
small wrong_bcast_leak
small wrong_bcast_empty --only=count=0..0
small wrong_gather --only=calls=1 --only=count=1..1
small right_gather --only=calls=1 --only=count=1..1
try right_bcast 3
try right_bcast 2 --time=0.0001 | sed "s,[0-9]* scenarios,some scenarios,; /worlds/d; /^  [0-9]/d"
try right_bcast 5
try right_bcast none
$BUILD/fuzz/corpus --list |
    awk -F '\t' '$4 == "-" && $7 == "-" && !/^cw_/ { print $1 }' | awk 'NR % 6 == 1' >correct.txt
mkdir -p none
CROSSWAIT_FUZZ_TARGET=$(tr '\n' , <correct.txt | sed 's/,$//') "$BUILD"/fuzz/corpus --exhaustive=2 \
    --out=none >all.txt
echo "corpus: exit $?, $(grep -c '^verified' all.txt) of $(wc -l <correct.txt) verified, $(ls none |
    wc -l) findings"
