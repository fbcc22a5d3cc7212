/* As memory.c, of a program built with AddressSanitizer, which knows the last byte of each object.
 */
#include <mpi.h>
#include <stdlib.h>

#define INIT(at, count) \
    (MPI_Send_init(at, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request), MPI_Request_free(&request))
#define RECV(at) \
    (MPI_Recv_init(at, 1, odd, 0, 0, MPI_COMM_SELF, &request), MPI_Request_free(&request))

static int table[10];

int main(int argc, char **argv)
{
    MPI_Request request;
    int list[11] = {0}, *p = calloc(9, sizeof *p);
    MPI_Datatype odd;

    MPI_Init(&argc, &argv);
    MPI_Type_vector(5, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    INIT(p, 9);
    INIT(p, 10); /* finds: buffer */
    INIT(list, 11);
    INIT(table, 10);
    INIT(list + 8, 4); /* finds: buffer */
    RECV(p);
    RECV(p + 1); /* finds: buffer */
    free(p);
    __asm__ volatile("" : "+r"(p));
    INIT(p, 1); /* finds: buffer */
    MPI_Type_free(&odd);
    MPI_Finalize();
    return 0;
}
