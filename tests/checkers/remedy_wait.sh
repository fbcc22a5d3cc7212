# A buffer that is used before its operation is complete: check offers a wait, or a flush, where the
# changed calls deadlock in no order and buffering, and the patch cures the program.
cat >use.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 1, y = 0;
    MPI_Request first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
#if defined POSTED
    MPI_Irecv(&y, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, &first);
    MPI_Isend(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, &second);
    x = 2;
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
#elif defined ALL
    MPI_Irecv(&y, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, &first);
    MPI_Isend(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, &second);
    x = 3;
    MPI_Waitall(2, (MPI_Request[]){first, second}, MPI_STATUSES_IGNORE);
#else
    MPI_Isend(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, &first);
    x = 2;
    MPI_Recv(&y, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    (void)second;
#endif
    return MPI_Finalize();
}
C
cat >flush.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, x = 1, y = 0, *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef FENCE
    MPI_Win_fence(0, win);
    MPI_Put(&x, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win);
    x = 2;
    MPI_Win_fence(0, win);
#else
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - me, 0, win);
    MPI_Put(&x, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win);
    x = 2;
    MPI_Win_flush(1 - me, win);
    MPI_Get(&y, 1, MPI_INT, 1 - me, 1, 1, MPI_INT, win);
    y = 3;
    MPI_Win_unlock(1 - me, win);
#endif
    MPI_Win_free(&win);
    return MPI_Finalize();
}
C
# The place of the use is known only where the kernel allows watchpoints.
used() { # PROGRAM KIND
    mpicc -g "-D$2" -o "$1" "$1.c"
    crosswait run -q --confirm=0 -o H.db --suggest=H.patch -- mpirun -n 2 "./$1" >/dev/null 2>&1
    echo "$1 $2"
    crosswait check --only=buffer H.db | grep -o '= help: .*' |
        sed 's/right behind it/HERE/; s/before [a-z]*\.c:[0-9]*/HERE/'
    [ ! -s H.patch ] || patch -sp1 "$1.c" <H.patch
    [ ! -e H.patch ] || sed -n 's/^[+-]    //p' H.patch
}
used use POSTED
mpicc -g -DPOSTED -o use use.c
crosswait run -q -o H.db -- mpirun -n 2 ./use || echo "patched, it fails"
used use ALL
used use BLOCKS
used flush LOCK
used flush FENCE
exit 0
