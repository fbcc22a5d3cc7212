# A remedy is called proven only if it was tried: this test makes the change in random programs.
# timeout: 200
python3 "$SOURCE/tests/checkers/remedy.py" "${SEED:-11}" 24 || exit 1

# None is offered where the change cannot be made so: half of an MPI_Sendrecv; a receive that in
# another round has one behind it that could take its message. Two cycles take both changes.
cat >half.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 1, y, z;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Send(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD);
    MPI_Sendrecv(&x, 1, MPI_INT, 1 - me, 8, &y, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Recv(&z, 1, MPI_INT, 1 - me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
C
cat >behind.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 1, y, z;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 2; i++) {
        MPI_Send(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD);
        if (i == 1)
            MPI_Recv(&z, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 1)
            MPI_Send(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
C
cat >cycles.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 1, y;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me < 2) {
        MPI_Send(&x, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&x, 1, MPI_INT, 5 - me, 2, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, 5 - me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
C
wrong=0
helped() { # PROGRAM RANKS WHAT-THE-HELP-SAYS
    mpicc -g -o "$1" "$1.c" && crosswait record -o H.db -- mpirun -n "$2" "./$1" >/dev/null
    crosswait check H.db >said
    grep -q "^   = help: $3" said || { echo "$1: $(grep 'help:' said)"; wrong=1; }
}
helped half 2 'break the cycle'
helped behind 2 'break the cycle'
helped cycles 4 'post MPI_Recv (cycles.c:9) before .* and MPI_Recv (cycles.c:12) .* (proven)$'
exit $wrong
