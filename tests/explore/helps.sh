# expected
# The help of a failing behaviour fits that failure: it mentions the order of messages only if that
# matters, and the source of a receive only if a wildcard leaves it open. A buffered send without
# room is a failure, one with room is not. A command for the real job is there only if the MPI
# library can be made to follow it: none keeps a buffered message.
mpicc -g -o helps "$SOURCE/tests/explore/conflicts/helps.c" || exit 1
for what in unbuffered crash mismatch root operation own missing window crossed full roomy \
    detached wildcard tested; do
    crosswait explore -n 2 -- ./helps $what >out.txt 2>&1
    echo "$what: [$?] $(tail -1 out.txt); $(grep -c 'replay --live' out.txt) for the real job"
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
