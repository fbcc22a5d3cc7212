# slow
# expected
# timeout: 200
# --exhaustive where a collective loops for ever in several of its scenarios, of one call and two:
# each is found, and the search goes on.
cp "$SOURCE/tests/fuzz/exhaustive.c" .
crosswait fuzz exhaustive.c --target=wrong_bcast_loop --exhaustive=3 -timeout=1 --only=root=0 \
    --only=type=int --only=communicator=world --only=late=no --only=in-place=no >out.txt 2>&1
echo "exit $?"
sed -nE '/verified/p; /^  [0-9]+ scenarios/p; s/^  cause      ([^ ]*).*/  \1/p' out.txt
