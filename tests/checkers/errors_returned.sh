# expected
# timeout: 240
# A call that returned an error has exactly the effects that were seen: a matched receive that
# truncated its message has taken it, and a window that MPI refused to free is still locked. These
# are neither leaks nor misuse: MPI_MESSAGE_NO_PROC, a start that returns another handle, a
# persistent request that is waited for before its start. The library must refuse an invalid handle:
# the recorder does not ask MPI about it.
cat >errors.c <<'C'
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { LARGE = 300000 };
static int buffer[LARGE], rank;
static void cut(int room)
{
    MPI_Message message;
    MPI_Status status;
    for (int i = 0, n = 2; i < 2; i++, n = LARGE)
        if (rank == 0) {
            MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
            int code = MPI_Mrecv(buffer, n - 1 + room, MPI_INT, &message, &status), class;
            MPI_Error_class(code, &class);
            if ((class == MPI_ERR_TRUNCATE) == room)
                printf("error class %d\n", class);
        }
}
static void left(int receive)
{
    MPI_Message message;
    if (rank == 0)
        MPI_Send(buffer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (rank == 1 && receive)
        MPI_Mrecv(buffer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}
static void no_proc(void)
{
    MPI_Message message;
    int found;
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}
static void bsend(int all)
{
    int bytes = 4 * (LARGE * 4 + MPI_BSEND_OVERHEAD), x;
    void *memory = malloc(bytes);
    MPI_Request request;
    if (rank == 0) {
        MPI_Buffer_attach(memory, bytes);
        MPI_Bsend_init(buffer, LARGE, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            if (all)
                MPI_Startall(1, &request);
            else
                MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
        MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Buffer_detach(&memory, &bytes);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; i++)
            MPI_Recv(buffer, LARGE, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(memory);
}
static void inactive(void)
{
    MPI_Request request;
    MPI_Send_init(buffer, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
static void window(int lock)
{
    MPI_Win win;
    int *base;
    MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (lock) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        if (MPI_Win_free(&win) == MPI_SUCCESS)
            printf("it was freed\n");
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}
/* Of a group, or of a communicator's handle. */
static void group(int sound)
{
    MPI_Group world, made;
    int ranks[1] = {0};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (sound && MPI_Group_incl(world, 1, ranks, &made) == MPI_SUCCESS)
        MPI_Group_free(&made);
    if (!sound) /* Open MPI may take it, by what lies in memory */
        MPI_Group_incl((MPI_Group)MPI_COMM_WORLD, 1, ranks, &made);
    MPI_Group_free(&world);
}
static jmp_buf away;
static void leave(MPI_Comm *comm, int *code, ...)
{
    longjmp(away, 1);
}
static void stay(MPI_Comm *comm, int *code, ...)
{
}
static void handled(MPI_Comm_errhandler_function *by)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(by, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (!setjmp(away))
        MPI_Send(buffer, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const char *how = argv[1];
    if (!strcmp(how, "cut") || !strcmp(how, "whole"))
        cut(how[0] == 'w');
    else if (!strcmp(how, "left") || !strcmp(how, "received"))
        left(how[0] == 'r');
    else if (!strcmp(how, "no_proc"))
        no_proc();
    else if (!strcmp(how, "start") || !strcmp(how, "startall"))
        bsend(how[5] == 'a');
    else if (!strcmp(how, "inactive"))
        inactive();
    else if (!strcmp(how, "locked") || !strcmp(how, "unlocked"))
        window(how[0] == 'l');
    else if (!strcmp(how, "leaves") || !strcmp(how, "stays"))
        handled(how[0] == 'l' ? leave : stay);
    else
        group(!strcmp(how, "group"));
    MPI_Finalize();
    return 0;
}
C
check() { # MPIRUN PROGRAM HOW...
    local mpirun=$1 program=$2 how
    shift 2
    for how; do
        $mpirun -n 2 ./$program $how >plain 2>/dev/null </dev/null
        plain=$?
        crosswait run --confirm=0 -o T.db -- $mpirun -n 2 ./$program $how \
            >out 2>/dev/null </dev/null
        echo "$program $how: $?, plain $plain"
        grep '^error class\|^it was' plain
        grep -h '^error\|^warning\|^note\|= the call did not\|= the call returned' out
    done
}
mpicc -g -w -o openmpi errors.c
mpicc.mpich -g -w -o mpich errors.c
all="cut whole left received no_proc start startall inactive unlocked group"
check mpirun openmpi $all leaves stays
check mpiexec.mpich mpich $all locked
for way in "mpirun openmpi" "mpiexec.mpich mpich"; do
    check $way no_group >found
    grep -q "'group' is not a group" found && grep -q "no_group: [01], plain 0" found &&
        ! grep crash found || cat found
done
