/* Families whose ranks call MPI from several threads; for families.c alone, whose variables they
 * use. */
#ifndef TESTS_BENCH_FAMILIES_THREADS_H
#define TESTS_BENCH_FAMILIES_THREADS_H

#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4 };

struct share {
    long n;
    int number;
    MPI_Comm comm; /* of all threads with that number */
};

static void *receive_from_all(void *unused)
{
    int in;

    for (int i = 0; i < ranks; i++)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

static void thread_a_round(long n)
{
    pthread_t thread;

    for (long i = 0; i < n; i++) {
        if (pthread_create(&thread, NULL, receive_from_all, NULL))
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int to = 0; to < ranks; to++)
            MPI_Send(&me, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
        pthread_join(thread, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void in_threads(long n, void *(*body)(void *))
{
    pthread_t thread[THREADS];
    struct share share[THREADS];

    for (int i = 0; i < THREADS; i++) {
        share[i] = (struct share){n, i, MPI_COMM_NULL};
        MPI_Comm_dup(MPI_COMM_WORLD, &share[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, body, &share[i]))
            MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&share[i].comm);
    }
}

static void *exchange(void *argument)
{
    const struct share *share = argument;
    int in;
    MPI_Request request[2];

    for (long i = 0; i < share->n; i++) {
        MPI_Irecv(&in, 1, MPI_INT, other, share->number, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&me, 1, MPI_INT, other, share->number, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static void thread_exchanges(long n)
{
    in_threads(n, exchange);
}

static void *probe_for_one(void *argument)
{
    const struct share *share = argument;
    int in;
    MPI_Request request;
    MPI_Status status;

    for (long i = 0; i < share->n; i++) {
        MPI_Isend(&me, 1, MPI_INT, other, share->number, MPI_COMM_WORLD, &request);
        MPI_Probe(MPI_ANY_SOURCE, share->number, MPI_COMM_WORLD, &status);
        MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, share->number, MPI_COMM_WORLD, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void thread_probes(long n)
{
    in_threads(n, probe_for_one);
}

/* Messages of one tag among several threads: any of them may take any. */
static void *stream(void *argument)
{
    const struct share *share = argument;
    int in;

    for (long i = 0; i < share->n; i++)
        if (me % 2 == 0)
            MPI_Send(&me, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void thread_stream(long n)
{
    in_threads(n, stream);
}

/* Each thread's communicator has a collective of its own and a message in each round. */
static void *mix(void *argument)
{
    struct share *share = argument;
    int in, sum;

    for (long i = 0; i < share->n; i++) {
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, share->comm);
        MPI_Sendrecv(&me, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, share->comm,
                     MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void thread_collectives(long n)
{
    in_threads(n, mix);
}

/* A message from each thread to the next one of the neighbour, from whomever it comes, and a
 * collective. */
static void *pass_on(void *argument)
{
    struct share *share = argument;
    int in, sum, next = (share->number + 1) % THREADS;

    for (long i = 0; i < share->n; i++) {
        MPI_Send(&me, 1, MPI_INT, (me + 1) % ranks, next, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, share->number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, share->comm);
    }
    return NULL;
}

static void thread_rounds(long n)
{
    in_threads(n, pass_on);
}

static MPI_Win shared_window; /* of all threads */

static void in_threads_on_window(long n, void *(*body)(void *))
{
    window_new(&shared_window);
    MPI_Win_lock_all(0, shared_window);
    in_threads(n, body);
    MPI_Win_unlock_all(shared_window);
    MPI_Win_free(&shared_window);
}

static void *accumulate(void *argument)
{
    const struct share *share = argument;
    int word = 1;

    for (long i = 0; i < share->n; i++)
        MPI_Accumulate(&word, 1, MPI_INT, other, i % 8, 1, MPI_INT, MPI_SUM, shared_window);
    MPI_Win_flush(other, shared_window);
    return NULL;
}

static void thread_accumulates(long n)
{
    in_threads_on_window(n, accumulate);
}

static void *fetch(void *argument)
{
    const struct share *share = argument;
    int one = 1, before;

    for (long i = 0; i < share->n; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT, 0, share->number, MPI_SUM, shared_window);
        MPI_Win_flush(0, shared_window);
    }
    return NULL;
}

static void thread_fetches(long n)
{
    in_threads_on_window(n, fetch);
}

#endif
