# expected
# Which comes first of a lock of all windows and an exclusive one is not decided, so "all" is said
# only where each exclusive one was had before.
mpicc -g -o locked_all "$SOURCE/tests/explore/conflicts/locked_all.c" || exit 1
for when in before beside after; do
    crosswait explore -n 2 -- ./locked_all $when >out.txt 2>&1
    echo "$when: [$?] $(tail -1 out.txt)"
done
