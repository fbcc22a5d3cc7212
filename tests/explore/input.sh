# Rank 0 of each world reads all of standard input, the others nothing, as under mpirun: from a
# pipe, and from a file. All ranks have what was read before MPI_Init, as the program runs once up
# to there.
cat >reads.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, got, begun = -1, first = -1, second = -1;
    if (argc > 1 && scanf("%d", &begun) != 1)
        begun = -2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (scanf("%d %d", &first, &second) != 2 && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d %d, and %d\n", begun, first, second, got);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o reads reads.c || exit 1
seq 30 20000 >numbers
cat >filled.py <<'END'
# filled.py FILE COMMAND...: its standard input is a pipe that all of FILE is in.
import fcntl, os, sys

text = open(sys.argv[1], "rb").read()
end, begin = os.pipe()
fcntl.fcntl(begin, fcntl.F_SETPIPE_SZ, len(text))
os.write(begin, text)
os.dup2(end, 0)
os.execvp(sys.argv[2], sys.argv[2:])
END
/usr/bin/python3 filled.py numbers crosswait explore -n 3 -- ./reads
crosswait explore --again=order=explore:0.1=2 -n 3 -- ./reads <numbers
mpirun -n 3 ./reads <numbers
crosswait explore --again=order=explore:0.1=2 -n 3 -- ./reads early <numbers
# Where there is none, and where it stays open.
crosswait explore --again=order=explore -n 3 -- ./reads </dev/null
mkfifo open && exec 3<>open && echo 1 2 >&3
crosswait explore --again=order=explore -n 3 -- ./reads <open
exec 3>&-
# run explores with the file that the job has read; live, the world reads it first.
crosswait run -o T.db -- mpirun -n 3 ./reads <numbers 2>&1 |
    grep '^explored\|^not explored\|^verdict'
crosswait replay --live --policy=order=explore:0.1=2 -- mpirun -n 3 ./reads <numbers 2>&1 |
    sed -n 2,3p
# What a launcher tells ranks in the environment is there: the number of ranks before they begin,
# each rank's own number only from MPI_Init on, which explore says.
cat >told.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    printf("%s %s\n", size ? size : "-", here ? here : "-");
    const char *early = argc > 1 ? getenv("OMPI_COMM_WORLD_LOCAL_RANK") : "0";
    if (argc > 2 || early)
        printf("%d", *early - '0');
    MPI_Init(&argc, &argv);
    printf("rank %s, here %s\n", getenv("OMPI_COMM_WORLD_RANK"),
           getenv("OMPI_COMM_WORLD_LOCAL_RANK"));
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o told told.c && env -u OMPI_COMM_WORLD_SIZE -u OMPI_COMM_WORLD_LOCAL_SIZE \
    crosswait explore --again=order=explore -n 2 -- ./told
crosswait explore -n 2 -- ./told early
crosswait explore -n 2 -- ./told early used 2>&1
exit 0
