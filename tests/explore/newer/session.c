/* 3 ranks. Sessions without MPI_Init: two communicators of a group, made in another order on each
 * rank; a wildcard on one of them. */
#include <mpi.h>

int main(void)
{
    int rank, value, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm a, b;
#ifdef CORRECT
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); /* several threads may call MPI */
#else
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE");
    MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
    MPI_Info_free(&info);
#endif
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "a", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &a);
    MPI_Comm_rank(a, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, a);
    for (int i = 1; rank == 0 && i < 3; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, a, MPI_STATUS_IGNORE);
        sum = 10 * sum + value;
    }
#ifdef CORRECT
    sum = 0;
#endif
    MPI_Comm_create_from_group(group, sum == 21 ? "c" : "b", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &b);
    MPI_Group_free(&group);
    MPI_Comm_free(&b);
    MPI_Comm_free(&a);
    MPI_Session_finalize(&session);
    return 0;
}
