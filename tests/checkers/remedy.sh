# A remedy is called proven only if it was tried: this test makes the change in random programs
# (remedy_all.sh has more).
# timeout: 200
python3 "$SOURCE/tests/checkers/remedy.py" "${SEED:-11}" 8 || exit 1

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
helped cycles 4 'call MPI_Sendrecv in .*(cycles.c:8) .* in place of .*(cycles.c:12) .* (proven)$'

# The same tag: a place at which another message needs the tag keeps it.
cat >chain.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        MPI_Send(&x, 1, MPI_INT, 1, SENT, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, me - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1)
        MPI_Send(&x, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
cat >twice.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 2 && me == 0; i++)
        MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
C
hung() { # PROGRAM RANKS WHAT-THE-HELP-SAYS
    mpicc -g -DSENT=6 -o "$1" "$1.c"
    crosswait run -o H.db -- mpirun -n "$2" "./$1" >said 2>/dev/null
    grep -q "^   = help: $3: then no buffering of the recorded calls deadlocks" said ||
        { echo "$1: $(grep 'help:' said)"; wrong=1; }
}
hung chain 3 'use tag 5 in MPI_Send (chain.c:8)'
hung twice 2 'use tag 5 in MPI_Recv (twice.c:11)'
mpicc -DSENT=5 -o chain chain.c && crosswait run -q -o H.db -- mpirun -n 3 ./chain || wrong=1

# A patch moves a line only past calls of its block that do not use its buffer, request or
# variables.
for way in 'moves 1 y,request' 'same-request 1 y,again' 'same-buffer 1 x,request' \
    'blocks 0 y,request'; do
    read -r name straight names <<<"$way"
    IFS=, read -r buffer request <<<"$names"
    between='MPI_Isend(x, 1, MPI_INT, 1 - me, 8, MPI_COMM_WORLD, &again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);'
    [ "$straight" = 1 ] || between="if (me < 2) {
    $between
    }"
    cat >move.c <<C
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, n = 1, x[2] = {1, 1}, y[2], z[2];
    MPI_Request request, again, third;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Irecv(z, 1, MPI_INT, 1 - me, 8, MPI_COMM_WORLD, &third);
    MPI_Send(x, n, MPI_INT, 1 - me, 7, MPI_COMM_WORLD);
    $between
    MPI_Irecv($buffer, n, MPI_INT, !me, 7 % 8, MPI_COMM_WORLD, &$request);
    MPI_Wait(&$request, MPI_STATUS_IGNORE);
    MPI_Wait(&third, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
C
    mpicc -g -o move move.c
    crosswait run -q -o H.db --suggest=H.patch -- mpirun -n 2 ./move
    if [ "$name" != moves ]; then
        [ ! -e H.patch ] || { echo "$name:"; cat H.patch; wrong=1; }
        crosswait report --format=suggest -o H.patch H.db 2>said
        grep -q '^crosswait: no patch in' said || { echo "$name: no word of a patch"; wrong=1; }
        crosswait check H.db | grep -q '= help: post MPI_Irecv' ||
            { echo "$name: no help"; wrong=1; }
        continue
    fi
    patch -sp1 move.c <H.patch && mpicc -g -o move move.c
    crosswait run -q -o H.db -- mpirun -n 2 ./move || { echo "patched, it fails"; wrong=1; }
done
exit $wrong
