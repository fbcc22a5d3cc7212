# Tests with the MPI libraries of pip (versions.txt): `libraries` names them, `use NAME` puts the
# compiler and the starter of one first, `start N PROGRAM...` is the starter's command.
libraries="openmpi mpich impi"
for library in $libraries; do
    [ -x "$BUILD/mpi/$library/bin/mpirun" ] ||
        { echo "$BUILD/mpi/$library is not there: make deps-mpi"; exit 1; }
done
plain_path=$PATH
use() {
    root=$BUILD/mpi/$1
    PATH=$root/bin:$plain_path
    starter="mpirun -n"
    unset I_MPI_ROOT
    case $1 in
    openmpi) starter="mpirun --oversubscribe -n" ;;
    impi)
        export I_MPI_ROOT=$root
        unset HWLOC_SYNTHETIC # Intel's starter crashes of it
        ;;
    esac
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 I_MPI_FABRICS=shm
}
