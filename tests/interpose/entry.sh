# timeout: 240
# However a program gets MPI's functions, the recorder sees its calls, and the program gets the same
# as without crosswait: bound at once or late, by a table, without a PLT, by weak references, by
# dlsym, in the library's own handle, or with a tool between that finds functions itself. As an
# audit module and preloaded, with both libraries. Holds interpose/entry/redirect.h invariants 1 and
# 2; interpose/entry/body.h invariant 2.
failed=0
cat >ways.c <<'C'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#pragma weak MPI_No_such_function
int MPI_No_such_function(void);
static int (*const table[])(void *, int, MPI_Datatype, int, MPI_Comm) = {MPI_Bcast};
int main(int argc, char **argv)
{
    int x = 1;
#ifdef BY_DLSYM
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(library, "MPI_Init");
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm) =
        (int (*)(void *, int, MPI_Datatype, int, MPI_Comm))dlsym(library, "MPI_Bcast");
    int (*barrier)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(library, "PMPI_Barrier");
    int (*finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
#else
    int (*init)(int *, char ***) = MPI_Init;
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm) = table[0];
    int (*barrier)(MPI_Comm) = PMPI_Barrier;
    int (*finalize)(void) = MPI_Finalize;
#endif
    init(&argc, &argv);
    bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    barrier(MPI_COMM_WORLD);
    printf("%d %d\n", MPI_No_such_function != NULL,
           dlsym(RTLD_DEFAULT, "MPI_No_such_function") != NULL);
    return finalize();
}
C
# Wraps what it finds next, and calls nothing by MPI's second names.
cat >tool.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int (*next)(void *, int, MPI_Datatype, int, MPI_Comm) =
        (int (*)(void *, int, MPI_Datatype, int, MPI_Comm))dlsym(RTLD_NEXT, "MPI_Bcast");
    puts("tool");
    return next(buffer, count, type, root, comm);
}
C
try() { # WAY LIBRARY BCASTS PROGRAM...: the same output, and so many calls of MPI_Bcast recorded
    local way=$1 mpi=$2 bcasts=$3 mpirun=mpirun
    shift 3
    [ $mpi = openmpi ] || mpirun=mpiexec.mpich
    rm -rf T.db*
    $mpirun -n 1 "$@" >expected 2>&1 </dev/null
    $mpirun -n 1 env $way="$BUILD/libcrosswait.so" CROSSWAIT_OUT="$PWD/T.db" "$@" >out 2>&1 \
        </dev/null
    diff expected out && [ "$(sqlite3 T.db "select sum(call = 'MPI_Bcast'),
        sum(call = 'MPI_Barrier'), sum(call = 'MPI_Finalize') from event where parent is null")" = \
        "$bcasts|1|1" ] && return
    echo "$way $mpi $*:"
    sqlite3 T.db "select call from event where parent is null"
    failed=1
}
for mpi in openmpi mpich; do
    cc=mpicc so=libmpi.so.40
    [ $mpi = openmpi ] || { cc=mpicc.mpich so=libmpich.so.12; }
    $cc -g -w -o late ways.c -Wl,-z,lazy -ldl && $cc -g -w -o now ways.c -Wl,-z,now -ldl &&
        $cc -g -w -O2 -fno-plt -fno-pie -no-pie -o noplt ways.c -ldl &&
        $cc -g -w -DBY_DLSYM "-DLIBRARY=\"$so\"" -o bydlsym ways.c -ldl &&
        $cc -w -shared -fPIC -o tool.so tool.c -ldl || exit 1
    for way in LD_AUDIT LD_PRELOAD; do
        for program in ./late ./now ./noplt ./bydlsym; do try $way $mpi 2 $program; done
        LD_BIND_NOW=1 try $way $mpi 2 ./late
        [ $way = LD_PRELOAD ] || LD_PRELOAD=$PWD/tool.so try $way $mpi 2 ./late
    done
done
# A program that works with MPI and without: there is none.
cat >weak.c <<'C'
#include <stdio.h>
int MPI_Initialized(int *flag) __attribute__((weak));
int main(void)
{
    return printf("%d\n", MPI_Initialized != NULL) < 0;
}
C
gcc -fPIE -pie -o weak weak.c || exit 1
for way in LD_AUDIT LD_PRELOAD; do
    [ "$(env $way="$BUILD/libcrosswait.so" ./weak 2>&1)" = 0 ] || { echo "$way: weak"; failed=1; }
done
# A library that no recorder is for, and a recorder that is not there: the program goes on.
printf 'int %s(void) { return 7; }\n' PMPI_Init PMPI_Finalize PMPI_Comm_rank |
    gcc -shared -fPIC -Wl,-soname,libmpi_other.so.1 -o libmpi_other.so.1 -x c - || exit 1
echo 'int PMPI_Init(void); int main(void) { return PMPI_Init(); }' |
    gcc -x c - -o other -L. -l:libmpi_other.so.1 -Wl,-rpath,"$PWD" || exit 1
cp "$BUILD/libcrosswait.so" .
for way in LD_AUDIT LD_PRELOAD; do
    env $way="$BUILD/libcrosswait.so" ./other 2>err
    [ $? = 7 ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q 'nothing is recorded.* no recorder for its MPI library .*libmpi_other.so.1$' err ||
        { cat err; failed=1; }
    env $way="$PWD/libcrosswait.so" ./late >out 2>err
    [ $? = 0 ] && [ "$(cat out)" = "0 0" ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q 'cannot be loaded: .*libcrosswait-mpich.so' err || { cat out err; failed=1; }
done
exit $failed
