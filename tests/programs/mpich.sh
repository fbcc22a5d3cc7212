# With MPICH the same programs get the same verdicts as with Open MPI.
# timeout: 300
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
MPI=mpich python3 "$SOURCE/tests/programs/verdicts.py" 1 1 quiz.c quiz_fixed.c wildcard_order.c \
    wildcard_order_fixed.c \
    ring_allgather_safe.c reduce_alone.c two_comms_crossed.c calls_misc.c op_types.c \
    ring_f08.f90 ring_mpi.f90 ring_mpif.f bottom_f08.f90 bottom_mpi.f90 callbacks_fortran.f90 ||
    exit 1
# A trace says which library it is of, and counts are the same.
crosswait record -o a.db -- mpirun -n 2 "$BUILD/corpus/programs/ring_allgather_safe" >/dev/null ||
    exit 1
crosswait record -o b.db -- mpiexec.mpich -n 2 "$BUILD/mpich/programs/ring_allgather_safe" \
    >/dev/null || exit 1
for db in a b; do
    sqlite3 $db.db "select call, peer, tag, bytes, count(*) from event where not parent
        group by 1, 2, 3, 4 order by 1, 2, 3, 4" >$db.events
    sqlite3 $db.db "select source, dest, tag, bytes from message where not inner
        order by 1, 2, 3, 4" >$db.messages
done
diff a.events b.events && diff a.messages b.messages || exit 1
sqlite3 b.db "select value from meta where key = 'library'" | grep -q MPICH || exit 1
# Whatever starts the program: the library that it loads decides.
crosswait run -o c.db -- mpiexec.mpich -n 2 sh -c "$BUILD/mpich/programs/quiz_fixed" >out 2>err &&
    [ "$(sqlite3 c.db "select count(*) from rank where state = 'finished'")" = 2 ] || { cat out err
    exit 1; }
crosswait run -o d.db -- mpiexec.mpich -n 2 "$BUILD/corpus/programs/dlopen_mpi" >/dev/null 2>err
[ $? -lt 128 ] && ! grep -qi segmentation err || { cat err; exit 1; }
# A program that is linked statically with MPI is not seen, and does what it does without crosswait.
if ls /usr/lib/*/libmpich.a >/dev/null 2>&1; then # Debian 13 has none
    needs='lib(hwloc|uc[a-z]+|fabric|pmix?)[.]'
    libraries=$(ldd /usr/lib/*/libmpich.so | awk -v "needs=$needs" '$3 ~ needs { print $3 }')
    mpicc.mpich -g -w -c -o ring.o "$SOURCE/corpus/programs/ring_allgather_safe.c" -I "$SOURCE" &&
        gcc -o ring ring.o /usr/lib/*/libmpich.a $libraries -lm -lpthread || exit 1
    crosswait run -o s.db -- mpiexec.mpich -n 2 ./ring >out 2>err
    [ $? = 3 ] && grep -q 'nothing was recorded' err && ! grep -q verdict out err ||
        { cat out err; exit 1; }
    mpiexec.mpich -n 2 ./ring | sort >plain
    sort out | diff plain - || exit 1
else
    echo "not with a static library: this system has no libmpich.a"
fi
# What buffered sends take besides their data is the library's.
sqlite3 a.db "select value from meta where key = 'bsend_overhead'" | grep -qx 128 || exit 1
sqlite3 b.db "select value from meta where key = 'bsend_overhead'" | grep -qx 96 || exit 1
# An error that is fatal is what ended the rank, and not the signal by which MPICH's launcher ends
# it then; a call that was refused is no communication, as with Open MPI. Holds layer/mpich_error.c
# invariant 1.
mpicc.mpich -g -w -o refused "$SOURCE/tests/checkers/refused.c" || exit 1
for what in send_tag bcast attach; do
    crosswait record -o e.db -- mpiexec.mpich -n 2 ./refused $what fatal >out 2>&1
    crosswait check e.db >out
    [ "$(grep -c '^error\[' out)" = 1 ] && grep -q '^error\[argument\]' out &&
        grep -q 'error\[error\] follows: rank 0: .* raised an error, and errors are fatal' out ||
        { cat out; exit 1; }
    crosswait record -o e.db -- mpiexec.mpich -n 2 ./refused $what return >out 2>&1
    crosswait check --only=error,crash e.db >out || { cat out; exit 1; }
done
# A null file handle is the one whose error handler files are opened with, also where it is a null
# pointer, in the job and in worlds.
cat >null.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    MPI_Errhandler_free(&handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (rank)
        MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        for (int i = 0; i < 2; i++)
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
P
mpicc.mpich -g -o null null.c || exit 1
crosswait run -o null.db -- mpiexec.mpich -n 3 ./null >null.txt &&
    grep -q 'explored: 2 behaviours, all there are: 1 outcome' null.txt ||
    { cat null.txt; exit 1; }
# Of the bytes of a long double some have no value, in which ranks may differ.
cat >padded.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    long double a[3], b[3];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(a, rank * 31, sizeof a);
    for (int i = 0; i < 3; i++)
        a[i] = i;
    MPI_Allreduce(a, b, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc.mpich -g -O0 -o padded padded.c && crosswait run -- mpiexec.mpich -n 3 ./padded >out 2>&1 &&
    grep -q 'verdict: clean' out || { cat out; exit 1; }
