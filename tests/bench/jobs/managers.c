/* Managers with workers: managers KIND TASKS [needle]. Rank 0 manages; workers compute a task's
 * result from its number. With `needle`, the manager waits for a message that nobody sends if the
 * first three results come from the last three workers, the last worker's first. All are correct
 * otherwise. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 256, STOP = 0, ASK = 1000, COLUMNS = 4 };

static int rank, size, tasks, needle;
static long image[TASKS_MAX][COLUMNS], sum;
static int matched;

static long value_of(int task)
{
    return (long)task * task * 37 % 1009 + task;
}

/* Notes from whom a result came: whether the first three came as the needle wants. */
static void came_from(int source)
{
    if (needle && matched < 3)
        matched = source == size - 1 - matched ? matched + 1 : 4;
}

static void needle_check(void)
{
    long value;
    if (matched == 3)
        MPI_Recv(&value, 1, MPI_LONG, 1, 2 * ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void finish(void)
{
    for (int i = 0; i < TASKS_MAX; i++)
        for (int k = 0; k < COLUMNS; k++)
            sum = sum * 3 + image[i][k];
    needle_check();
    printf("%ld\n", sum);
}

/* --- one result of each worker ---------------------------------------------------------------- */

/* The parts of an integral, in integers, added as they come. */
static void integral(void)
{
    long part = rank * rank;
    MPI_Status status;
    if (rank > 0) {
        MPI_Send(&part, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        came_from(status.MPI_SOURCE);
        sum += part;
    }
    finish();
}

/* Rows that workers know; their results have the row as their tag and come in any order. */
static void known(void)
{
    long row[COLUMNS];
    MPI_Status status;
    for (int task = rank; rank > 0 && task <= tasks; task += size - 1) {
        for (int k = 0; k < COLUMNS; k++)
            row[k] = value_of(task) + k;
        MPI_Send(row, COLUMNS, MPI_LONG, 0, task, MPI_COMM_WORLD);
    }
    if (rank > 0)
        return;
    for (int i = 0; i < tasks; i++) {
        MPI_Recv(row, COLUMNS, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        came_from(status.MPI_SOURCE);
        memcpy(image[status.MPI_TAG], row, sizeof row);
    }
    finish();
}

/* Two phases: sums, a broadcast of what they gave, and sums again. */
static void phases(void)
{
    for (int phase = 0; phase < 2; phase++) {
        long part = rank * rank + sum % 7;
        MPI_Status status;
        if (rank > 0)
            MPI_Send(&part, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < size; i++) {
            MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            came_from(status.MPI_SOURCE);
            sum += part;
        }
        MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        finish();
}

/* A receive for each worker; some of them complete at a time. */
static void some(void)
{
    long part[TASKS_MAX];
    MPI_Request request[TASKS_MAX];
    int index[TASKS_MAX], count = 0;
    part[0] = value_of(rank);
    if (rank > 0) {
        MPI_Send(part, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int w = 1; w < size; w++)
        MPI_Irecv(&part[w - 1], 1, MPI_LONG, w, 1, MPI_COMM_WORLD, &request[w - 1]);
    for (int left = size - 1; left > 0; left -= count) {
        MPI_Waitsome(size - 1, request, &count, index, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++) {
            came_from(index[i] + 1);
            sum += part[index[i]];
        }
    }
    finish();
}

/* Receives from any source, all completed together. */
static void posted(void)
{
    long part[TASKS_MAX];
    MPI_Request request[TASKS_MAX];
    MPI_Status status[TASKS_MAX];
    part[0] = value_of(rank);
    if (rank > 0) {
        MPI_Send(part, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int w = 0; w < size - 1; w++)
        MPI_Irecv(&part[w], 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[w]);
    MPI_Waitall(size - 1, request, status);
    for (int w = 0; w < size - 1; w++) {
        came_from(status[w].MPI_SOURCE);
        sum += part[w];
    }
    finish();
}

/* --- tasks for whoever is free ---------------------------------------------------------------- */

/* A worker sends this for a task; its width depends on the task if it is a tile. */
static void work(int is_tile, int asks)
{
    int task;
    long row[COLUMNS];
    MPI_Status status;
    if (asks)
        MPI_Send(&sum, 0, MPI_LONG, 0, ASK, MPI_COMM_WORLD);
    while (MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
           status.MPI_TAG != STOP) {
        for (int k = 0; k < COLUMNS; k++)
            row[k] = value_of(task) + k;
        MPI_Send(row, is_tile ? 1 + task % COLUMNS : COLUMNS, MPI_LONG, 0, task, MPI_COMM_WORLD);
    }
}

static int first_give(void)
{
    int next = 1;
    for (int w = 1; w < size; w++, next++)
        MPI_Send(&next, 1, MPI_INT, w, next <= tasks ? next : STOP, MPI_COMM_WORLD);
    return next;
}

static void next_give(int to, int next)
{
    MPI_Send(&next, 1, MPI_INT, to, next <= tasks ? next : STOP, MPI_COMM_WORLD);
}

enum how { RECEIVES, PROBES, MATCHES, ASKS, SUMS };

static void hear(enum how how, long row[], MPI_Status *status)
{
    int count = COLUMNS;
    MPI_Message message;
    memset(row, 0, COLUMNS * sizeof *row);
    if (how == PROBES) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
        MPI_Get_count(status, MPI_LONG, &count);
        MPI_Recv(row, count, MPI_LONG, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, status);
    } else if (how == MATCHES) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, status);
        MPI_Get_count(status, MPI_LONG, &count);
        MPI_Mrecv(row, count, MPI_LONG, &message, status);
    } else
        MPI_Recv(row, count, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
}

static void handed(enum how how)
{
    long row[COLUMNS];
    int next = 1, waits = how == ASKS ? tasks + size - 1 : tasks;
    MPI_Status status;
    if (rank > 0) {
        work(how == PROBES || how == MATCHES, how == ASKS);
        return;
    }
    if (how != ASKS)
        next = first_give();
    for (; waits > 0; waits--) {
        hear(how, row, &status);
        came_from(status.MPI_SOURCE);
        if (status.MPI_TAG != ASK && how == SUMS)
            sum += row[0];
        else if (status.MPI_TAG != ASK)
            memcpy(image[status.MPI_TAG], row, sizeof row);
        next_give(status.MPI_SOURCE, next++);
    }
    finish();
}

/* A receive for each worker, any of which completes. */
static void any(void)
{
    long row[TASKS_MAX][COLUMNS];
    MPI_Request request[TASKS_MAX];
    MPI_Status status;
    int index, next;
    if (rank > 0) {
        work(0, 0);
        return;
    }
    next = first_give();
    for (int w = 1; w < size; w++)
        MPI_Irecv(row[w - 1], COLUMNS, MPI_LONG, w, MPI_ANY_TAG, MPI_COMM_WORLD, &request[w - 1]);
    for (int i = 0; i < tasks; i++) {
        MPI_Waitany(size - 1, request, &index, &status);
        came_from(index + 1);
        memcpy(image[status.MPI_TAG], row[index], sizeof *row);
        next_give(index + 1, next);
        if (next++ <= tasks)
            MPI_Irecv(row[index], COLUMNS, MPI_LONG, index + 1, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &request[index]);
    }
    finish();
}

/* A bound that workers improve; the answer is the best one so far. */
static void bound(void)
{
    long best = 1000, mine;
    MPI_Status status;
    for (int i = 0; rank > 0 && i < (tasks + size - 2) / (size - 1); i++) {
        mine = best - 1 - (rank + i) % 3;
        MPI_Send(&mine, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&best, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank > 0)
        return;
    for (int i = 0; i < (tasks + size - 2) / (size - 1) * (size - 1); i++) {
        MPI_Recv(&mine, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        came_from(status.MPI_SOURCE);
        best = mine < best ? mine : best;
        MPI_Send(&best, 1, MPI_LONG, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
    }
    needle_check();
}

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tasks = argc > 2 ? atoi(argv[2]) : 0;
    needle = argc > 3;
    if (!strcmp(kind, "integral"))
        integral();
    else if (!strcmp(kind, "known"))
        known();
    else if (!strcmp(kind, "phases"))
        phases();
    else if (!strcmp(kind, "some"))
        some();
    else if (!strcmp(kind, "posted"))
        posted();
    else if (!strcmp(kind, "any"))
        any();
    else if (!strcmp(kind, "bound"))
        bound();
    else if (!strcmp(kind, "rows"))
        handed(RECEIVES);
    else if (!strcmp(kind, "tiles"))
        handed(PROBES);
    else if (!strcmp(kind, "matched"))
        handed(MATCHES);
    else if (!strcmp(kind, "asks"))
        handed(ASKS);
    else if (!strcmp(kind, "sums"))
        handed(SUMS);
    MPI_Finalize();
    return 0;
}
