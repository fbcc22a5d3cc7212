/* Calls with arguments that make no sense, in a program that asks for error codes: prints one code
 * a line. Recording must not change one. */
#include <mpi.h>
#include <stdio.h>

#define TRY(call)   \
    (code = (call), \
     printf("%d %s\n", code == MPI_SUCCESS ? 0 : (MPI_Error_class(code, &class), class), #call))
#ifdef MPICH_NAME /* which dies of these */
#define TRY_NULL(call)
#else
#define TRY_NULL TRY
#endif

int main(int argc, char **argv)
{
    int code, class, me, n, flag, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Comm no_comm = MPI_COMM_NULL;
    MPI_Datatype no_type = MPI_DATATYPE_NULL;
    TRY(MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
    TRY(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    TRY(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    TRY(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    TRY(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
    TRY(MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL));
    TRY(MPI_Wait(NULL, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&none, MPI_STATUS_IGNORE));
    TRY(MPI_Test(NULL, &flag, MPI_STATUS_IGNORE));
    TRY(MPI_Test(&none, NULL, MPI_STATUS_IGNORE));
    TRY(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitall(-1, &none, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitany(1, &none, &n, MPI_STATUS_IGNORE));
    TRY(MPI_Waitsome(1, &none, &n, &flag, MPI_STATUSES_IGNORE));
    TRY(MPI_Comm_free(&no_comm));
    TRY_NULL(MPI_Type_free(NULL));
    TRY(MPI_Type_free(&no_type));
    TRY_NULL(MPI_Type_commit(NULL));
    TRY_NULL(MPI_Request_free(NULL));
    TRY(MPI_Request_free(&none));
    TRY_NULL(MPI_Cancel(NULL));
    TRY_NULL(MPI_Start(NULL));
    TRY(MPI_Comm_dup(MPI_COMM_NULL, &no_comm));
    TRY(MPI_Comm_dup(MPI_COMM_SELF, NULL));
    TRY(MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD));
    TRY(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Reduce(&value, &n, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Type_contiguous(-1, MPI_INT, &no_type));
    TRY(MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &no_type));
    TRY(MPI_Comm_rank(MPI_COMM_NULL, &n));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, NULL));
    TRY_NULL(MPI_Group_free(NULL));
    TRY(MPI_Probe(99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, &n));
    TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, -1, NULL, NULL, NULL, NULL, MPI_INFO_NULL, 0,
                              &no_comm));
    MPI_Finalize();
    return 0;
}
