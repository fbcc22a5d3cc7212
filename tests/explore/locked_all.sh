# expected
# The explorer does not decide whether a lock of all windows or an exclusive one comes first, so it
# says "all" only if each exclusive lock was held before.
mpicc -g -o locked_all "$SOURCE/tests/explore/conflicts/locked_all.c" || exit 1
for when in before beside after; do
    crosswait explore -n 2 -- ./locked_all $when >out.txt 2>&1
    echo "$when: [$?] $(tail -1 out.txt)"
done
