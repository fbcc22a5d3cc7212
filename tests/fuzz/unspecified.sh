# A collective may write the bytes of a receive buffer that MPI leaves undefined, wherever the data
# of its elements begin; not the bytes between and behind the elements.
set -u
cp "$SOURCE/tests/fuzz/unspecified.c" .
for name in {right,wrong}_{reduce_scatter,exscan} wrong_{reduce_scatter,exscan}_gap; do
    crosswait fuzz unspecified.c --target=$name -seed=1 -runs=3000 --ranks=1..3 >out.txt 2>&1
    echo "$name: exit $?"
    sed -nE 's,^  cause +[^:]*:([a-z-]*).*,\1,p' out.txt | head -1
done
