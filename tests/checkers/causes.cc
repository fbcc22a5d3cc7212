// Mistakes of several ranks, each as a case of its own (argument 1), wrong or right (argument 2):
// what is told of each names its cause, and nothing is told of the right ones (causes.sh).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <vector>

static int rank, size;
static bool right;

// The last rank keeps the lock of rank 0's window.
static void lock()
{
    long *counter, one = 1, got = 0;
    MPI_Win win;
    MPI_Win_allocate(sizeof one, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (right) MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

// Each rank flushes its own window, and uses what it gets from the next rank's.
static void flush()
{
    std::vector<double> mine(100, rank), row(100);
    double sum = 0;
    int next = (rank + 1) % size;
    MPI_Win win;
    MPI_Win_create(mine.data(), 800, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < 2; round++) {
        MPI_Get(row.data(), 100, MPI_DOUBLE, next, 0, 100, MPI_DOUBLE, win);
        MPI_Win_flush(right ? next : rank, win);
        for (double d : row) sum += round ? d : 0;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (sum < 0) std::puts("?");
}

// Rank 0 sends to all, itself included, and then receives.
static void self()
{
    int x = 0;
    for (int i = right; rank == 0 && i < size; i++) MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    if (rank || !right) MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

struct member {
    MPI_Comm comm;
    member() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
    ~member() { MPI_Comm_free(&comm); }
};

// A destructor makes a collective call, as its rank throws an exception; the right ones all do.
static void thrown()
{
    try {
        member m;
        if (right || rank == 1) throw std::runtime_error("no input");
        MPI_Barrier(m.comm);
    } catch (const std::exception &) {
    }
}

// One rank leaves a loop of collective calls by an exception; the right one catches it in the loop.
// Another rank catches one before a collective call on a window: that explains nothing later.
static void caught()
{
    int sum = 0;
    MPI_Win win;
    MPI_Win_create(&sum, sizeof sum, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    try {
        for (int i = 0; i < 3; i++) {
            try {
                if (rank == 1 && i == 1) throw std::runtime_error("no convergence");
            } catch (const std::exception &) {
                if (!right) throw;
            }
            MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            try {
                if (rank == 2 && i == 0) throw i;
            } catch (int) {
            }
            if (i == 0) MPI_Win_free(&win);
        }
    } catch (const std::exception &) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// A window of a function's variable, which is used after the function has returned.
static MPI_Win make(int *cells)
{
    int own[16] = {0};
    MPI_Win win;
    MPI_Win_create(right ? cells : own, sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return win;
}
static void returned()
{
    int cells[16] = {0}, one = 1;
    MPI_Win win = make(cells);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, rank, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

// The last block's displacement is negative.
static void displacement()
{
    std::vector<char> big(100000), part(80);
    std::vector<int> count(size, 80), at(size);
    for (int i = 0; i < size; i++) at[i] = 80 * (size - i);
    at[size - 1] = right ? -160 : -60000;
    MPI_Gatherv(part.data(), 80, MPI_CHAR, &big[50000], &count[0], &at[0], MPI_CHAR, 0,
                MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"lock", lock},     {"flush", flush},   {"self", self},
                 {"thrown", thrown}, {"caught", caught}, {"returned", returned},
                 {"displacement", displacement}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = argc > 2;
    for (auto &one : cases)
        if (!std::strcmp(one.name, argv[1])) one.run();
    MPI_Finalize();
    return 0;
}
