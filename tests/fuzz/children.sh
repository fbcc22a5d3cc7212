# A child that a rank forks may end as it likes: by _exit or exit, or by a signal. A rank that ends
# its own process is a finding.
set -u
cat >children.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum how { BY_EXIT_AT_ONCE, BY_EXIT, AFTER_VFORK, BY_SIGNAL, ITSELF };
static int bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, enum how how)
{
    int rank, size, status;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    pid_t child = how == ITSELF ? 0 : how == AFTER_VFORK ? vfork() : fork();
    if (child == 0 && how == BY_EXIT)
        exit(0);
    if (child == 0 && how == BY_SIGNAL)
        abort();
    if (child == 0 && (how != ITSELF || n == 3))
        _exit(0);
    if (child > 0)
        waitpid(child, &status, 0);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(b, n, t, i, 1, c);
    return MPI_SUCCESS;
}
#define ONE(name, how)                                                          \
    static int name(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)       \
    {                                                                           \
        return bcast(b, n, t, root, c, how);                                    \
    }                                                                           \
    COLLECTIVE(bcast, "", name)
ONE(child_ends, BY_EXIT_AT_ONCE)
ONE(child_exits, BY_EXIT)
ONE(child_of_vfork, AFTER_VFORK)
ONE(child_aborts, BY_SIGNAL)
ONE(rank_ends, ITSELF)
C
for target in child_ends child_exits child_of_vfork child_aborts rank_ends; do
    crosswait fuzz children.c --target=$target --only=ranks=1..3 -runs=40 -seed=1 >out.txt 2>&1
    echo "$target: exit $?$(sed -n 's/^children.c: \([a-z-]*: rank.*\)/, \1/p' out.txt | head -1)"
done
