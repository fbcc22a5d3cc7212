# What MPI leaves undefined in a receive buffer may be written, wherever the data of its elements
# begin; what lies between and behind the elements may not.
set -u
cp "$SOURCE/tests/fuzz/unspecified.c" .
for name in {right,wrong}_{reduce_scatter,exscan} wrong_{reduce_scatter,exscan}_gap; do
    crosswait fuzz unspecified.c --target=$name -seed=1 -runs=3000 --ranks=1..3 >out.txt 2>&1
    echo "$name: exit $?"
    sed -nE 's,^  cause +[^:]*:([a-z-]*).*,\1,p' out.txt | head -1
done
