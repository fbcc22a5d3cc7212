# A program whose windows are watched can start processes, get signals and die of one as without the
# watch.
mpicc -g -O1 -o guarded "$SOURCE/tests/explore/guarded.c" &&
    mpicc -g -fsanitize=address -o sanitized "$SOURCE/tests/explore/guarded.c" || exit 1
for what in '' shell copy handles ends; do
    crosswait explore -n 2 -- ./guarded $what >out.txt 2>&1
    echo "$what: [$?] $(grep '^error' out.txt) $(tail -1 out.txt)"
done
crosswait explore -n 2 -- ./sanitized shell >out.txt 2>&1
echo "sanitized: [$?] $(tail -1 out.txt)"
