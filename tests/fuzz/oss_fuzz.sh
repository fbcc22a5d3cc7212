# The output of ci/oss-fuzz/build.sh works as OSS-Fuzz uses it: a fuzzer continues from the corpus
# in the zip file, writes its findings to -artifact_prefix, and runs such an input again.
set -u
mkdir -p src/collectives work out seeds found
cat >src/collectives/chain.c <<'END'
#include <mpi.h>
static int chain(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int rank, size;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    int place = (rank - root + size) % size;
    if (place > 0)
        MPI_Recv(b, n, t, (rank - 1 + size) % size, 1, c, MPI_STATUS_IGNORE);
    if (place < size - 1)
        MPI_Send(b, RIGHT || n < 5 ? n : n - 1, t, (rank + 1) % size, 1, c);
    return MPI_SUCCESS;
}
COLLECTIVE(bcast, "", chain)
END
sed 's/RIGHT/1/' src/collectives/chain.c >src/collectives/right.c
sed 's/RIGHT/0/' src/collectives/chain.c >src/collectives/wrong.c
rm src/collectives/chain.c
export SRC=$PWD/src WORK=$PWD/work OUT=$PWD/out RUNS=200
(cd src && "$SOURCE/ci/oss-fuzz/build.sh" >../log 2>&1) || { cat log; exit 1; }
ls out
for name in right wrong; do
    /usr/bin/python3 -m zipfile -e out/${name}_seed_corpus.zip seeds/$name
    [ "$(ls seeds/$name | wc -l)" -gt 3 ] || echo "$name: no corpus"
    sed -n 's/ = /=/p' "out/$name.options" | sed 's/^/-/' >options
    out/$name $(cat options) -artifact_prefix=found/$name- -seed=1 -runs=2000 seeds/$name \
        >log 2>&1
    echo "$name: $([ $? = 0 ] && echo silent || echo found)"
done
out/wrong found/wrong-crash-* >log 2>&1
echo "again: $([ $? = 0 ] && echo silent || grep -oE "^crosswait: chain: [a-z-]+" log | head -1)"
