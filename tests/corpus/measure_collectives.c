/* Measures rounds, words and operations of every collective that claims a row, on real ranks, by
 * logical clocks.
 *
 * usage: mpirun -n N measure_collectives [NAME]   (that function only, also a planted defect)
 *
 * Each rank has three clocks: in the first a message costs 1, in the second it costs its words, in
 * the third a combined word costs 1. Both ends of a message exchange the times when they and their
 * ports are free, and the message starts at the later one; a rank has one port out and one port in
 * (many for allgather.tree, as its row says). Nothing is buffered: a send ends when its message has
 * arrived. The finishing times are R, W and C of the model on the full network. The program
 * replaces the MPI calls that the collectives make.
 *
 * Prints a line for each collective, P and parameter: row, name, P, parameter, all words, R, W, C.
 */
#include "corpus/collectives/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCKS = 3, WORD = 8, PENDING_MAX = 8 };

static struct {
    MPI_Comm comm, shadow;
    int on, many_ports;
    double now[CLOCKS], out_free[CLOCKS], in_free[CLOCKS];
} sim;

/* One end of a message in flight, with the times that it sends to the other end and receives. */
struct end {
    MPI_Request user, say, hear;
    double mine[CLOCKS], theirs[CLOCKS];
    double words;
    int is_send;
};

static struct end pending[PENDING_MAX];
static int pending_n;

static void end_start(struct end *e, int is_send, int count, MPI_Datatype type, int peer)
{
    int size;
    MPI_Type_size(type, &size);
    e->is_send = is_send;
    e->words = (double)count * size / WORD;
    const double *port = is_send ? sim.out_free : sim.in_free;
    for (int i = 0; i < CLOCKS; i++)
        e->mine[i] = port[i] > sim.now[i] && !sim.many_ports ? port[i] : sim.now[i];
    PMPI_Isend(e->mine, CLOCKS, MPI_DOUBLE, peer, is_send ? 1 : 2, sim.shadow, &e->say);
    PMPI_Irecv(e->theirs, CLOCKS, MPI_DOUBLE, peer, is_send ? 2 : 1, sim.shadow, &e->hear);
}

/* Sets `done` to the time when the message has arrived, on each clock. */
static void end_finish(struct end *e, double *done)
{
    const double cost[CLOCKS] = {1, e->words, 0};
    PMPI_Wait(&e->hear, MPI_STATUS_IGNORE);
    PMPI_Wait(&e->say, MPI_STATUS_IGNORE);
    double *port = e->is_send ? sim.out_free : sim.in_free;
    for (int i = 0; i < CLOCKS; i++) {
        double end = (e->mine[i] > e->theirs[i] ? e->mine[i] : e->theirs[i]) + cost[i];
        port[i] = end;
        done[i] = end > done[i] ? end : done[i];
    }
}

static void advance(const double *done)
{
    memcpy(sim.now, done, sizeof(sim.now));
}

static int watched(MPI_Comm comm)
{
    return sim.on && comm == sim.comm;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    struct end e;
    double done[CLOCKS];
    if (!watched(comm))
        return PMPI_Send(buffer, count, type, to, tag, comm);
    memcpy(done, sim.now, sizeof(done));
    end_start(&e, 1, count, type, to);
    int error = PMPI_Send(buffer, count, type, to, tag, comm);
    end_finish(&e, done);
    advance(done);
    return error;
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct end e;
    double done[CLOCKS];
    if (!watched(comm))
        return PMPI_Recv(buffer, count, type, from, tag, comm, status);
    memcpy(done, sim.now, sizeof(done));
    end_start(&e, 0, count, type, from);
    int error = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    end_finish(&e, done);
    advance(done);
    return error;
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    struct end send, receive;
    double done[CLOCKS];
    if (!watched(comm))
        return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                             in_tag, comm, status);
    memcpy(done, sim.now, sizeof(done));
    end_start(&send, 1, out_count, out_type, to);
    end_start(&receive, 0, in_count, in_type, from);
    int error = PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                              in_tag, comm, status);
    end_finish(&send, done);
    end_finish(&receive, done);
    advance(done);
    return error;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int error = PMPI_Isend(buffer, count, type, to, tag, comm, request);
    if (watched(comm)) {
        pending[pending_n].user = *request;
        end_start(&pending[pending_n++], 1, count, type, to);
    }
    return error;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int error = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    if (watched(comm)) {
        pending[pending_n].user = *request;
        end_start(&pending[pending_n++], 0, count, type, from);
    }
    return error;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    double done[CLOCKS];
    memcpy(done, sim.now, sizeof(done));
    for (int i = 0; i < pending_n; i++)
        end_finish(&pending[i], done);
    if (pending_n)
        advance(done);
    pending_n = 0;
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    int size;
    MPI_Type_size(type, &size);
    if (sim.on)
        sim.now[2] += (double)count * size / WORD;
    return PMPI_Reduce_local(in, inout, count, type, op);
}

/* m words a rank; broadcast, reduction, allreduce, scan and shift move n = m P words, as the rows
 * count them. */
static void measure(const struct collective *c, int m, int parameter)
{
    int rank, size, counts[64];
    MPI_Comm_rank(sim.comm, &rank);
    MPI_Comm_size(sim.comm, &size);
    long n = (long)m * size;
    double *send = calloc((size_t)n * size + 1, sizeof(double)),
           *recv = calloc((size_t)n * size + 1, sizeof(double));
    int whole = c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
                c->kind == collective_kind_reduce || c->kind == collective_kind_allreduce;
    for (int i = 0; i < size; i++)
        counts[i] = m;
    struct collective_arguments a = {.sendbuf = send,
                                     .recvbuf = recv,
                                     .sendcount = m,
                                     .recvcount = whole ? (int)n : m,
                                     .sendtype = MPI_DOUBLE,
                                     .recvtype = MPI_DOUBLE,
                                     .recvcounts = counts,
                                     .op = MPI_SUM,
                                     .parameter = parameter,
                                     .comm = sim.comm};
    memset(sim.now, 0, sizeof(sim.now));
    memset(sim.out_free, 0, sizeof(sim.out_free));
    memset(sim.in_free, 0, sizeof(sim.in_free));
    sim.many_ports = !strcmp(c->row, "allgather.tree");
    sim.on = 1;
    collective_call(c, &a);
    sim.on = 0;
    double last[CLOCKS];
    PMPI_Reduce(sim.now, last, CLOCKS, MPI_DOUBLE, MPI_MAX, 0, sim.comm);
    if (rank == 0)
        printf("%s %s %d %d %ld %g %g %g\n", c->row, c->name, size, parameter, n, last[0], last[1],
               last[2]);
    free(send);
    free(recv);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *name = argc > 1 ? argv[1] : NULL;
    int m = 3;
    for (int p = 1; p <= size; p++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &sim.comm);
        if (rank < p) {
            PMPI_Comm_dup(sim.comm, &sim.shadow);
            for (const struct collective *c = collective_first(); c; c = collective_next(c)) {
                if (!*c->row || !collective_domain_holds(c, p) ||
                    (name ? strcmp(name, c->name) != 0 : c->expect || c->printed))
                    continue;
                if (c->kind == collective_kind_bcast_k)
                    for (int k = 2; k <= 5; k++)
                        measure(c, m, k);
                else if (c->kind == collective_kind_shift)
                    for (int s = 0; s < p; s++)
                        measure(c, m, s);
                else
                    measure(c, m, 0);
            }
            PMPI_Comm_free(&sim.shadow);
            MPI_Comm_free(&sim.comm);
        }
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
