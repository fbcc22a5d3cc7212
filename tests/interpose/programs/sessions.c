/* Programs that start MPI by sessions (MPI 4); with an older MPI nothing. Ranks: 3. The argument
 * names what is done. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77;
}
#else
static MPI_Session session;
static MPI_Group group;
static MPI_Comm comm;
static int me, ranks;

static void begin(const char *tag)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
}

static void end(void)
{
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

static void around(const char *name)
{
    int sum, value = me, right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;

    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 1, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (me == 0)
        printf("%s: %d\n", name, sum);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int value = 0;

    begin("first");
    around("one session");
    if (!strcmp(what, "right")) { /* two at a time, and a communicator of some of the processes */
        MPI_Session other;
        MPI_Group some;
        MPI_Comm pair = MPI_COMM_NULL;
        const int members[] = {0, 2};

        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
        MPI_Group_incl(group, 2, members, &some);
        if (me != 1)
            MPI_Comm_create_from_group(some, "some", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &pair);
        MPI_Group_free(&some);
        if (me != 1) {
            MPI_Bcast(&value, 1, MPI_INT, 1, pair);
            MPI_Comm_free(&pair);
        }
        MPI_Session_finalize(&other);
        around("still there");
    } else if (!strcmp(what, "deadlock")) {
        MPI_Recv(&value, 1, MPI_INT, (me + 1) % ranks, 7, comm, MPI_STATUS_IGNORE);
    } else if (!strcmp(what, "left")) { /* the communicator is never freed */
        MPI_Group_free(&group);
        MPI_Session_finalize(&session);
        return 0;
    } else if (!strcmp(what, "joined")) { /* and MPI_Init besides */
        MPI_Init(&argc, &argv);
        MPI_Barrier(MPI_COMM_WORLD);
        end();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    end();
    if (!strcmp(what, "again")) {
        begin("second");
        around("a second session");
        end();
    }
    return 0;
}
#endif
