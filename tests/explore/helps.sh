# expected
# The help of a failing behaviour is for that failure: no word of the order of messages where none
# matters. A buffered send without room is a failure, and none where the room is there.
mpicc -g -o helps "$SOURCE/tests/explore/conflicts/helps.c" || exit 1
for what in unbuffered crash mismatch root missing window crossed full roomy; do
    crosswait explore -n 2 -- ./helps $what >out.txt 2>&1
    echo "$what: [$?] $(tail -1 out.txt)"
    grep -E '^(error|warning)|= help' out.txt | sort -u
done
# A message inside a collective has a tag that nobody gave, and it is not shown.
crosswait explore -n 4 -- ./helps inter 2>&1 | grep 'rank [0-9]: '
for what in crossed collectives lock tag; do
    crosswait run -o $what.db -- mpirun -n 2 ./helps $what >out.txt 2>&1
    echo "run, $what: [$?]"
    grep -E '^(error|warning)|= help|no receive takes' out.txt
done
exit 0
