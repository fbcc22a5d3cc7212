# expected
# A program was built in one folder, from a relative name, and runs in another: reports show its
# source lines and name places relative to the current folder; reports for machines have paths below
# the sources' root. A repository that has moved is found below the current folder, if the line has
# the call; the fingerprints of findings stay the same.
mkdir -p tree/src tree/out run && cd tree
cat >src/type.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Finalize();
    return 0;
}
END
(cd out && mpicc -g -o type ../src/type.c)
cd ../run
place() { grep -A 2 -- '-->' | sed 's/ *rank.*//'; }
report() { crosswait report --color=never "$@" 2>/dev/null | place; }
paths() { crosswait report --format=sarif "$@" 2>/dev/null | grep -o '"uri": .*' | sort -u; }
marks() {
    crosswait report --format=sarif "$@" 2>/dev/null |
        grep -o '"primaryLocationLineHash": "[^"]*"'
}
echo "== where it runs"
crosswait run --color=never -o type.db -- mpirun -n 1 ../tree/out/type | place
echo "== at the root of the sources"
cd ../tree && report ../run/type.db
echo "== above them"
cd .. && report run/type.db
echo "== for machines"
paths run/type.db | sed 's|file://.*/|file://.../|'
paths --source-root=tree run/type.db | sed 's|file://.*/|file://.../|'
marks run/type.db >before
echo "== built from another checkout"
mkdir -p copy/src && cp tree/src/type.c copy/src && (cd copy && mpicc -g -o type src/type.c) &&
    crosswait run -q -o copy.db -- mpirun -n 1 copy/type
marks copy.db | cmp - before && echo "the same marks"
echo "== moved"
mv tree gone && cd gone && report ../run/type.db
sed -i 's/MPI_Type_contiguous/MPI_Type_dup/' src/type.c && report ../run/type.db
