# A function that the MPI library has, but neither the call table nor the header: its calls are
# recorded by name and counted, and the verdict names them. Functions of single libraries whose
# effects are not modelled (MPIX_) are reported in the same way. The library is a copy of Open MPI's
# in which a function has another name of the same hash.
library=$(ldconfig -p | sed -n 's/.*libmpi\.so\.40 .*=> //p' | head -n 1)
[ -n "$library" ] || { echo "Open MPI is not installed: make deps"; exit 1; }
LC_ALL=C sed 's/MPI_Type_lb\x00/MPI_Type_mA\x00/' "$library" >libmpi.so.40 || exit 1
cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int MPI_Type_mA(MPI_Datatype type, MPI_Aint *lower); /* MPI_Type_lb */

int main(int argc, char **argv)
{
    MPI_Group all, some;
    MPI_Aint lower = -1;
    int me, first = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &first, &some);
    MPI_Group_free(&some);
    MPI_Type_mA(MPI_INT, &lower);
    MPI_Type_mA(MPI_INT, &lower);
    MPI_Group_free(&all);
    printf("lower bound %d\n", (int)lower);
    MPI_Finalize();
    return 0;
}
C
mpicc -w -g -o program program.c -L. -l:libmpi.so.40 || exit 1
export LD_LIBRARY_PATH=$PWD
timeout 60 crosswait run -o t.db -- mpirun -n 2 ./program >out 2>err
[ $? = 0 ] && [ "$(grep -c '^lower bound 0$' out)" = 2 ] || { cat out err; exit 1; }
sed -n '/^verdict/p; s/^recorded: .*; \(crosswait does.*\); more.*/\1/p' out
crosswait dump t.db | grep -c 'MPI_Type_mA'
