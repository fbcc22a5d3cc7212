/* An allreduce of the program's own, in two versions with the same result. Both exchange with the
 * rank whose number differs in one bit: `halves` gives away half of what is left and gathers it
 * again, `whole` exchanges everything each time. */
#include <mpi.h>
#include <string.h>

enum { WORDS = 1024 };

static double mine[WORDS], theirs[WORDS];

static void exchange(int peer, int from, int sent, int to, int received)
{
    MPI_Sendrecv(mine + from, sent, MPI_DOUBLE, peer, 0, theirs + to, received, MPI_DOUBLE, peer, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void whole(int rank, int ranks)
{
    for (int distance = 1; distance < ranks; distance *= 2) {
        exchange(rank ^ distance, 0, WORDS, 0, WORDS);
        for (int i = 0; i < WORDS; i++)
            mine[i] += theirs[i];
    }
}

static void halves(int rank, int ranks)
{
    int first = 0, count = WORDS;

    for (int distance = ranks / 2; distance; distance /= 2) {
        count /= 2;
        int keep = rank & distance ? first + count : first,
            give = rank & distance ? first : first + count;
        exchange(rank ^ distance, give, count, keep, count);
        for (int i = keep; i < keep + count; i++)
            mine[i] += theirs[i];
        first = keep;
    }
    for (int distance = 1; distance < ranks; distance *= 2) {
        int other = rank & distance ? first - count : first + count;
        exchange(rank ^ distance, first, count, other, count);
        memcpy(mine + other, theirs + other, (size_t)count * sizeof *mine);
        first = other < first ? other : first;
        count *= 2;
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < WORDS; i++)
        mine[i] = rank;
    if (argc > 1 && !strcmp(argv[1], "whole"))
        whole(rank, ranks);
    else
        halves(rank, ranks);
    for (int i = 0; i < WORDS; i++)
        if (mine[i] != ranks * (ranks - 1) / 2)
            MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
