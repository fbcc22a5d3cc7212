/* Is not linked with MPI: opens the library at run time and looks its functions up, as plugins do.
 * Each rank prints how often it made each call.
 *
 * Arguments: [handle]  look the functions up in the opened library instead of in all loaded
 * libraries. A preloaded library is not searched then, but the calls must still be recorded. Ranks:
 * any number.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=2 args=handle job=0 verdict=clean
 * INPROC: no, it opens the MPI library by name
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

#include "corpus/programs/counted.h"

static void *where;

static void *lookup(const char *name)
{
    void *found = dlsym(where, name);
    EXPECT(found);
    return found;
}

#undef CALL
#define CALL(name, ...) (counted_add(#name), ((__typeof__(&name))lookup(#name))(__VA_ARGS__))

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    void *library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    EXPECT(library);
    where = argc > 1 ? library : RTLD_DEFAULT;
    MPI_Comm world = (MPI_Comm)(intptr_t)lookup("ompi_mpi_comm_world");
    MPI_Datatype type = (MPI_Datatype)(intptr_t)lookup("ompi_mpi_int");
    MPI_Op op = (MPI_Op)(intptr_t)lookup("ompi_mpi_op_sum");
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    CALL(MPI_Allreduce, &rank, &sum, 1, type, op, world);
    EXPECT(sum == size * (size - 1) / 2);
    CALL(MPI_Finalize);
    counted_print(rank);
    return 0;
}
