# Memory that the process cannot read, like an accelerator's: the job works, the recorder does not
# read it, and the report says once for how many calls it did not see the data. With the same data
# in readable memory the report says nothing of this.
. "$SOURCE/tests/interpose/lib.bash"
# As an MPI library that knows of accelerators: a layer below us that moves what lies on the device.
cat >device.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>
enum { BYTES = 1 << 20 };
static char *device, *host;
void *device_memory(void)
{
    int fd = memfd_create("device", 0);
    if (ftruncate(fd, BYTES))
        return NULL;
    host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return device = mmap(NULL, BYTES, PROT_NONE, MAP_SHARED, fd, 0);
}
void *device_seen(void *at)
{
    char *in = at;
    return device && in >= device && in < device + BYTES ? host + (in - device) : at;
}
int MPI_Isend(const void *at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return PMPI_Isend(device_seen((void *)at), n, type, to, tag, comm, request);
}
int MPI_Recv(void *at, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return PMPI_Recv(device_seen(at), n, type, from, tag, comm, status);
}
int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return PMPI_Allreduce(device_seen((void *)in), device_seen(out), n, type, op, comm);
}
C
cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
void *device_memory(void), *device_seen(void *at);
static int own[4096];
int main(int argc, char **argv)
{
    MPI_Request request;
    int rank, *data;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    data = argc > 1 ? own : device_memory();
    ((int *)device_seen(data))[0] = rank + 1;
    if (rank) {
        MPI_Recv(data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Isend(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(data, data + 200, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("sum %d\n", ((int *)device_seen(data))[200]);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -w -fPIC -shared -o libdevice.so device.c &&
    mpicc -g -w -o program program.c -L. -ldevice -Wl,-rpath,"$PWD" || exit 1
for payload in sample digest full; do
    crosswait run --payload=$payload -o T.db -- $MPIRUN -n 2 ./program >out 2>err
    status=$?
    calls=4 # the sample is of collectives, and what MPI owns is looked at
    [ $payload != sample ] || calls=3
    [ $status = 0 ] && [ "$(grep -c '^sum 2$' out)" = 2 ] &&
        [ "$(grep -c "; crosswait did not check the data of $calls calls: it lay in memory" out)" \
            = 1 ] && [ "$(sqlite3 T.db "select value from meta where key = 'unread'")" = $calls ] ||
        { echo "$payload: exit status $status"; cat out err; exit 1; }
    crosswait run --payload=$payload -o T.db -- $MPIRUN -n 2 ./program own >out 2>err
    status=$?
    [ $status = 0 ] && [ "$(grep -c '^sum 2$' out)" = 2 ] && ! grep -q 'did not check' out ||
        { echo "$payload, own memory: exit status $status"; cat out err; exit 1; }
done
