# timeout: 200
# needs: mpich<4.1: it shows defects of MPICH 4.0.2
# slow
# Runs MPICH's own algorithms with the same scenarios: lists what can be forced; right ones pass,
# and the known defects of 4.0.2 are found: an MPI_Allgatherv of one rank ignores where its block
# belongs, a persistent gather moves the root's own block only when it is made.
set -u
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
only() { # COLLECTIVE[:ALGORITHM] OPTION...; the table of it in out.txt
    crosswait fuzz --library -- --mpi=mpich --no-trace --ranks=4 --only="$@" >out.txt 2>&1
    echo "$1: exit $?"
}
only nothing
grep -E '^  (bcast|i?allreduce|reduce_scatter_init|neighbor_alltoall):' out.txt
for right in bcast:posix-release_gather iallreduce:tsp_ring; do
    only $right --cases=5
    grep passed out.txt
done
for wrong in allgatherv:decided gather_init:decided; do
    only $wrong --ranks=5
    grep -oE '^  (allgatherv|gather_init).*|.*passed.*' out.txt
done
sed -n 's/^    again: crosswait //p' out.txt >again.txt
crosswait $(cat again.txt)
echo "again: exit $?"
# The number of a name is the one that the library takes the name for.
cat >forced.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_T_cvar_handle handle;
    int provided, index, count, value;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_index("MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", &index);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &value);
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
C
mpicc.mpich -w -o forced forced.c
only nothing
number=0
for name in $(sed -n 's/^  iallreduce: decided//p' out.txt); do
    number=$((number + 1))
    is=$(MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=$name mpiexec.mpich -n 1 ./forced)
    [ "$is" = $number ] || echo "$name is $is, not $number"
done
echo "$number names"
