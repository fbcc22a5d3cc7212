# timeout: 120
# A loop that polls is correct if the rank it waits for is the slowest of all, in any order: the
# schedule is fair. A livelock is reported only if a fair schedule shows it.
set -u
cat >polls.c <<'C'
#include <mpi.h>
#include <sched.h>
enum how { IPROBE, TEST, TESTALL, TESTANY, ASLEEP };
/* Rank 0 polls for everybody's token, then tells all. */
static int polled(enum how how, int yields, MPI_Comm comm)
{
    int rank, size, token = 0, index;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (how != IPROBE)
            MPI_Irecv(&token, 1, MPI_INT, i, how == ASLEEP ? 8 : 7, comm, &request);
        for (int flag = 0; !flag;) {
            if (how == IPROBE)
                MPI_Iprobe(i, 7, comm, &flag, MPI_STATUS_IGNORE);
            else if (how == TESTALL)
                MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
            else if (how == TESTANY)
                MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
            else
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            if (yields)
                sched_yield();
        }
        if (how == IPROBE)
            MPI_Recv(&token, 1, MPI_INT, i, 7, comm, MPI_STATUS_IGNORE);
    }
    if (rank)
        MPI_Send(&token, 1, MPI_INT, 0, 7, comm);
    return MPI_Bcast(&token, 1, MPI_INT, 0, comm);
}
#define BY(name, how, yields) \
    static int by_##name(MPI_Comm comm) { return polled(how, yields, comm); } \
    COLLECTIVE(barrier, "", by_##name)
BY(iprobe, IPROBE, 0) BY(iprobe_yield, IPROBE, 1) BY(test, TEST, 0) BY(test_yield, TEST, 1)
BY(testall, TESTALL, 0) BY(testall_yield, TESTALL, 1) BY(testany, TESTANY, 0) BY(asleep, ASLEEP, 0)
C
for name in iprobe iprobe_yield test test_yield testall testall_yield testany asleep; do
    for slow in 1 3; do
        for order in 'order first' 'order random' 'delay speeds:8000'; do
            printf 'crosswait scenario 1\ncollective by_%s\nranks 5\nslow %s\n' $name $slow >one.txt
            printf 'buffering eager\ncalls 2\n%s\n' "$order" >>one.txt
            crosswait fuzz polls.c --explain=one.txt 2>&1 |
                sed -nE "s/^(finding: [a-z]+|no finding).*/$name: \\1/p"
        done
    done
done | uniq -c | sed 's/^ *//'
