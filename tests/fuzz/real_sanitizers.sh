# timeout: 200
# Real ranks report the same as sanitizers and the check of costs in process: lost memory, a byte
# read after a block, shifts that C does not define, more rounds than the row has; the right
# collective has no finding, nor has one in C that loads a library which throws.
set -u
cat >thrower.cc <<'C'
extern "C" int throws(void)
{
    try {
        throw 1;
    } catch (int thrown) {
        return thrown;
    }
}
C
g++ -shared -fPIC -o thrower.so thrower.cc || exit 1
cat >bcast.c <<'C'
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include "corpus/collectives/registry.h"
/* Each rank sends to the next one: size - 1 rounds. */
static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size;
    if (me > 0)
        MPI_Recv(buffer, count, type, (rank - 1 + size) % size, 0, comm, MPI_STATUS_IGNORE);
    if (me + 1 < size)
        MPI_Send(buffer, count, type, (rank + 1) % size, 0, comm);
    return MPI_SUCCESS;
}
static int binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, mask = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size;
    int *scratch = malloc(sizeof *scratch);
    *scratch = me;
    for (; mask < size; mask *= 2)
        if (me & mask) {
            MPI_Recv(buffer, count, type, (me - mask + root) % size, 0, comm, MPI_STATUS_IGNORE);
            break;
        }
    while ((mask /= 2) > 0)
        if (me + mask < size)
            MPI_Send(buffer, count, type, (me + mask + root) % size, 0, comm);
    free(scratch);
    return MPI_SUCCESS;
}
static int loses(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, code = binomial(buffer, count, type, root, comm);
    MPI_Comm_rank(comm, &rank);
    char *volatile scratch = malloc(100);
    scratch[rank] = 1;
    if (rank != root)
        free(scratch);
    scratch = NULL;
    return code;
}
static int reads(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, code = binomial(buffer, count, type, root, comm);
    MPI_Comm_rank(comm, &rank);
    int *copy = calloc((size_t)count + 1, sizeof *copy);
    volatile int behind = rank == root ? copy[count + 1] : 0;
    (void)behind;
    free(copy);
    return code;
}
static int shifts(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, code = binomial(buffer, count, type, root, comm);
    MPI_Comm_rank(comm, &rank);
    volatile int far = rank == root ? 40 : 1, shifted = 1 << far;
    (void)shifted;
    return code;
}
static int throwing(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int (*throws)(void) = (int (*)(void))dlsym(dlopen("./thrower.so", RTLD_NOW), "throws");
    return throws() == 1 ? binomial(buffer, count, type, root, comm) : MPI_ERR_OTHER;
}
COLLECTIVE(bcast, "bcast.binomial", binomial)
COLLECTIVE(bcast, "bcast.binomial", chain)
COLLECTIVE(bcast, "", loses)
COLLECTIVE(bcast, "", reads)
COLLECTIVE(bcast, "", shifts)
COLLECTIVE(bcast, "", throwing)
C
for name in binomial chain loses reads shifts throwing; do
    printf 'crosswait scenario 1\ncollective %s\nranks 4\ncount 3\nbuffering rendezvous\n' $name \
        >$name.txt
    crosswait fuzz bcast.c --real=$name.txt >out.txt 2>err.txt </dev/null
    echo "$name: exit $?"
    grep -E '^(no )?finding' out.txt | grep -v ' signal '
done
