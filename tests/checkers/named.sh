# Findings name objects by the program's name for them, or by the call that made them, never by an
# internal number. The hang of a job comes first, whatever warnings concern the calls in which it
# hangs.
# timeout: 120
cat >named.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    float value[4] = {0};
    MPI_Comm row, halo;
    MPI_Datatype column, pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &row);
    MPI_Comm_dup(row, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Type_vector(2, 1, 2, MPI_FLOAT, &column);
    MPI_Type_contiguous(2, MPI_FLOAT, &pair);
    MPI_Type_set_name(pair, "pair");
    MPI_Allreduce(&value[0], &value[1], 1, MPI_FLOAT, rank ? MPI_SUM : MPI_MAX, row);
    MPI_Allreduce(&value[0], &value[1], 1, MPI_FLOAT, rank ? MPI_SUM : MPI_MAX, halo);
    if (rank == 0)
        MPI_Barrier(row);
    else
        MPI_Bcast(value, 1, MPI_INT, 0, row);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o named named.c &&
    crosswait run -o T.db -- mpirun -n 3 ./named >out.txt 2>/dev/null
echo "$?"
sed -n '/^[a-z-]*\[/,/^where/p' out.txt |
    sed 's/, since .*//; s/ended [0-9.]* s after/ended N s after/; /^where/d'
crosswait dump --no-time --rank=0 T.db | grep -v "^0 [0-9]*  " | cut -d' ' -f3- |
    grep -E '^MPI_(Comm_(split|dup)|Type|Allreduce)' | sort -u
crosswait report --format=json T.db |
    grep -cE '"(call|title|subject)": .*(comm [0-9]|communicator [0-9]|request=|datatype=)'
exit 0
