# A job whose ranks may not write files as large as a spool continues; the launcher says that
# nothing is recorded, and leaves no folder that would hinder the next run.
cat >small.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    struct rlimit most = {4096, 4096};
    int rank;
    signal(SIGXFSZ, SIG_IGN);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return setrlimit(RLIMIT_FSIZE, &most);
}
END
sed 's/    MPI_Init/    setrlimit(RLIMIT_FSIZE, \&most);\n    MPI_Init/' small.c >none.c
mpicc -g -o small small.c && mpicc -g -o none none.c || exit 1
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo
crosswait record -o T.db -- mpirun -n 2 ./small && echo recorded
for i in 1 2 3; do
    crosswait record -o T.db -- mpirun -n 2 ./none 2>err
    echo "[$?] $(ls -d T.db*)"
    grep "^crosswait: nothing" err
done
# A rank that is ended before it has begun its records (the file is there, its header is not) takes
# neither the job's exit status nor the traces of other jobs of the command.
begins() { # FOLDER
    mkdir "$CROSSWAIT_SPOOL/$1" && truncate -s 100000 "$CROSSWAIT_SPOOL/$1/0.0.ring"
}
export -f begins
mpicc -g -o whole "$SOURCE/corpus/programs/quiz_fixed.c"
crosswait record -o T.db -- bash -c 'begins first; exit 7'
echo "[$?] $(ls -d T*.db*)"
crosswait record -o T.db -- bash -c 'begins first; mpirun -n 2 ./whole >/dev/null; exit 8'
echo "[$?] $(ls -d T*.db*)"
