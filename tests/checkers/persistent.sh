# Findings on persistent requests name the call that made them, and its place; starting one twice is
# one finding and nothing else; several requests of one call make one finding.
# timeout: 180
cat >persistent.c <<'P'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, twice, cut, value[8] = {0};
    MPI_Request request, both[2];
    MPI_Init(&argc, &argv);
    twice = argc > 1 && !strcmp(argv[1], "twice");
    cut = argc > 1 && !strcmp(argv[1], "types");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1 && !strcmp(argv[1], "several")) {
        MPI_Send_init(value, 1, MPI_INT, !rank, 4, MPI_COMM_WORLD, &both[0]);
        MPI_Recv_init(value + 4, 1, MPI_INT, !rank, 4, MPI_COMM_WORLD, &both[1]);
        MPI_Startall(2, both);
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    } else if (rank == 0) {
        MPI_Recv_init(value, 4, cut ? MPI_FLOAT : MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        if (twice)
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Send(value, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o persistent persistent.c || exit 1
for how in twice several types fixed; do
    rm -f T.db
    timeout 60 crosswait record -o T.db -- mpirun -n 2 ./persistent $how >/dev/null 2>&1
    echo "$how: $?"
    # Open MPI 5 refuses to start it, 4.1 does not.
    crosswait check T.db | grep -v "= again\|^$" |
        if [ $how = twice ]; then grep -v '= the call returned MPI_ERR_REQUEST'; else cat; fi
done
# Nor does its buffer overlap itself.
timeout 60 crosswait run -o R.db -- mpirun -n 2 ./persistent twice 2>&1 |
    grep '^error\|follows\|^verdict'
# An object whose free was refused is told so.
cat >kept.c <<'P'
#include <mpi.h>
static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm; (void)key; (void)value; (void)extra;
    return MPI_ERR_OTHER;
}
int main(int argc, char **argv)
{
    MPI_Comm copy;
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_attr(copy, key, NULL);
    if (argc > 1)
        MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o kept kept.c || exit 1
for how in '' freed; do
    timeout 60 crosswait run -o K.db -- mpirun -n 2 ./kept $how 2>&1 |
        grep '^error\|^warning\|^verdict'
done
exit 0
