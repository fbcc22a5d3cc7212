/* Makes calls that fail and return: error codes, classes, strings, handlers. The program continues
 * after each. Each rank prints how often it made each call, and how many calls returned an error
 * (`errors rank=R N`).
 *
 * Arguments: none. Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int failures, handled;

/* Checks that the call failed with this class. */
static void fails(int code, int class)
{
    int got;
    EXPECT(code != MPI_SUCCESS);
    CALL(MPI_Error_class, code, &got);
    EXPECT(got == class);
    failures++;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

int main(int argc, char **argv)
{
    int rank, size, number = 0, length, class, code, new_class, new_code;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL;
    MPI_Errhandler handler, previous;
    MPI_Status status;
    MPI_Request request;
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    CALL(MPI_Comm_set_errhandler, world, MPI_ERRORS_RETURN);

    fails(CALL(MPI_Send, &number, 1, MPI_INT, size, 0, world), MPI_ERR_RANK);
    fails(CALL(MPI_Send, &number, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT);
    fails(CALL(MPI_Send, &number, 1, MPI_INT, 0, -5, world), MPI_ERR_TAG);
    fails(CALL(MPI_Send, &number, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
    fails(CALL(MPI_Bcast, &number, 1, MPI_INT, size, world), MPI_ERR_ROOT);
    fails(CALL(MPI_Comm_size, none, &size), MPI_ERR_COMM);

    /* Each rank sends two numbers to itself and has room for one. */
    int two[2] = {1, 2};
    CALL(MPI_Isend, two, 2, MPI_INT, rank, 1, world, &request);
    fails(CALL(MPI_Recv, &number, 1, MPI_INT, rank, 1, world, &status), MPI_ERR_TRUNCATE);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);

    CALL(MPI_Error_string, MPI_ERR_TRUNCATE, text, &length);
    EXPECT(length > 0);
    CALL(MPI_Add_error_class, &new_class);
    CALL(MPI_Add_error_code, new_class, &new_code);
    CALL(MPI_Add_error_string, new_code, "ours");
    CALL(MPI_Error_string, new_code, text, &length);
    EXPECT(!strcmp(text, "ours"));
    CALL(MPI_Error_class, new_code, &class);
    EXPECT(class == new_class);

    CALL(MPI_Comm_get_errhandler, world, &previous);
    CALL(MPI_Comm_create_errhandler, on_error, &handler);
    CALL(MPI_Comm_set_errhandler, world, handler);
    code = CALL(MPI_Send, &number, 1, MPI_INT, size + 7, 0, world);
    fails(code, MPI_ERR_RANK);
    CALL(MPI_Comm_call_errhandler, world, MPI_ERR_OTHER);
    EXPECT(handled == 2);
    CALL(MPI_Errhandler_free, &handler);
    CALL(MPI_Comm_set_errhandler, world, previous);
    CALL(MPI_Errhandler_free, &previous);
    CALL(MPI_Barrier, world);
    CALL0(MPI_Finalize);
    counted_print(rank);
    printf("errors rank=%d %d\n", rank, failures);
    return 0;
}
