/* An allreduce of the program's own with the right result twice: `halves` sends 2 n (P - 1) / P
 * words, `whole` n lg P. And a receive from anybody, for messages that come in another order:
 * `halves second` lets rank 2 come before rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Rank 0 hears from two others; who is first is decided by a message between them. */
static void in_order(int rank, int first)
{
    int second = 3 - first, token = 0;

    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == first) {
        MPI_Ssend(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, second, 2, MPI_COMM_WORLD);
    }
    if (rank == second) {
        MPI_Recv(&token, 1, MPI_INT, first, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
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
    if (!strcmp(argv[1], "whole"))
        whole(rank, ranks);
    else
        halves(rank, ranks);
    for (int i = 0; i < WORDS; i++)
        if (mine[i] != ranks * (ranks - 1) / 2)
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (argc > 2)
        in_order(rank, !strcmp(argv[2], "second") ? 2 : 1);
    if (argc > 3) {
        MPI_Datatype type;
        MPI_Type_contiguous(2, MPI_INT, &type); /* never freed */
    }
    MPI_Finalize();
    return 0;
}
