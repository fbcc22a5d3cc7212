# Findings say what a run relied on besides buffering, and put similar sends into one line;
# suspicions that the real job refuted appear only if the user asks for everything.
# timeout: 120
build=$BUILD/corpus/programs
ln -s "$build" programs
say() { sed -n '/^crosswait: report/,/^verdict/p' | sed 1d; }
crosswait run -o token.db -- mpirun -n 3 programs/token_bcast 0 >token.txt; echo "$?"
say <token.txt
# run explores for about as long as the job took: it has time on a busy machine, too.
echo '#include <unistd.h>
int once(int, char **);
int main(int argc, char **argv) { sleep(5); return once(argc, argv); }' >sleeps.c
mpicc -g -Dmain=once -c "$SOURCE/corpus/programs/test_once.c" || exit 1
mpicc -o once test_once.o sleeps.c || exit 1
crosswait run -o once.db -- mpirun -n 2 ./once >once.txt
echo "$?"
say <once.txt
grep -o '1 suspected deadlock did not.*again' once.txt
crosswait report --verbose once.db | sed -n '/^note/,/^$/p'
cat >many.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value = 0, messages = 12;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < (rank ? messages : messages * (size - 1)); i++)
        if (rank)
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
P
mpicc -o many many.c && crosswait record -o many.db -- mpirun -n 4 ./many || exit 1
crosswait check --only=deadlock --budget=100 many.db
exit 0
