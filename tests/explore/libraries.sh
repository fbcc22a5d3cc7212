# expected
# Programs are explored whichever MPI library they, or the libraries they load, are built for. A
# program that loads libraries of two MPI implementations, or one unknown to worlds, is refused and
# not blamed.
cat >first.c <<'C'
#include <mpi.h>
#include <stdio.h>
int go(void)
{
    int rank, size, got;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
#ifdef PROGRAM
int main(void)
{
    return go();
}
#endif
C
cat >later.c <<'C'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *part = dlopen("./part.so", RTLD_NOW);
    int (*count)(void) = (int (*)(void))dlsym(part, "count");
    size = count();
    MPI_Finalize();
    return size == 0;
}
C
cat >part.c <<'C'
#include <mpi.h>
int count(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}
C
mpicc -g -o later later.c -ldl || exit 1
gcc -shared -Wl,-soname,libmpi_cray.so.12 -o libmpi_cray.so -x c /dev/null && mpicc -w -o unknown \
    later.c -ldl -Wl,--no-as-needed -L. -lmpi_cray -Wl,-rpath,. || exit 1
mv libmpi_cray.so libmpi_cray.so.12
crosswait explore -n 2 -- ./unknown 2>&1
echo "[$?]"
for compiler in mpicc.mpich mpicc; do
    echo "--- $compiler"
    $compiler -g -DPROGRAM -o program first.c && $compiler -g -shared -fPIC -o module.so first.c &&
        $compiler -g -shared -fPIC -o part.so part.c || exit 1
    crosswait explore -n 3 -- ./program 2>&1
    echo "[$?]"
    crosswait explore -n 3 -- /usr/bin/python3 -c \
        "import ctypes; ctypes.CDLL('./module.so').go()" 2>&1
    echo "[$?]"
    crosswait explore -n 2 -- ./later 2>&1
    echo "[$?]"
    launcher=mpirun$(test $compiler = mpicc || echo .mpich)
    crosswait run -o $compiler.db -- $launcher -n 3 ./program >run.txt 2>&1
    echo "run: [$?] $(grep -E '^(error|warning)|explored' run.txt)"
done
