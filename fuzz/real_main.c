/* Runs one scenario on real ranks: mpirun -n RANKS PROGRAM SCENARIO. Built with mpicc from the
 * user's file and the same scenario, elements and execute sources as the fuzzer. Sends that the
 * scenario does not buffer are made synchronous here, by standing in front of MPI_Send and its kin;
 * a schedule cannot be forced on real ranks, a slow rank can. Exit status: 0 no finding, 1
 * findings, 2 a bad scenario, 9 no end. */
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/execute.h"

enum { SECONDS = 10 };

static struct scenario scenario;
static int world_rank, findings, calls;
static double came[SCENARIO_CALLS_MAX], left[SCENARIO_CALLS_MAX];
static unsigned long checksum[SCENARIO_CALLS_MAX], have[SCENARIO_CALLS_MAX];
static int inside;

/* --- sends that do not buffer
 * -----------------------------------------------------------------------------------------------
 */

static int synchronous(int count, MPI_Datatype type)
{
    int bytes;
    if (!inside || scenario.buffering == BUFFERING_EAGER)
        return 0;
    if (scenario.buffering != BUFFERING_EAGER_BYTES)
        return 1;
    PMPI_Type_size(type, &bytes);
    return (long)bytes * count > scenario.eager_bytes;
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    return synchronous(count, type) ? PMPI_Ssend(buf, count, type, dest, tag, comm)
                                    : PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return synchronous(count, type) ? PMPI_Issend(buf, count, type, dest, tag, comm, request)
                                    : PMPI_Isend(buf, count, type, dest, tag, comm, request);
}

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    return synchronous(count, type) ? PMPI_Ssend_init(buf, count, type, dest, tag, comm, request)
                                    : PMPI_Send_init(buf, count, type, dest, tag, comm, request);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    if (!synchronous(sendcount, sendtype))
        return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                             recvtype, source, recvtag, comm, status);
    PMPI_Issend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &request);
    int error = PMPI_Recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return error;
}

/* --- the environment
 * --------------------------------------------------------------------------------------------------------
 */

static void report(const char *rule, const char *format, ...)
{
    va_list arguments;
    char text[512];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("finding: %s: %s\n", rule, text);
    findings++;
}

static void pause_rank(void)
{
    usleep(200000);
}

static void entered(int call)
{
    came[call] = PMPI_Wtime();
    calls = call + 1;
}

static int missing(int call)
{
    (void)call;
    return 0; /* compared by the clock, at the end */
}

static void result(int call, int rank, uint64_t sum)
{
    (void)rank;
    checksum[call] =
        sum >>
        2; /* below 2^62: Open MPI compares unsigned longs as signed ones where it uses AVX-512 */
    have[call] = 1;
}

static void calling(int now_inside)
{
    inside = now_inside;
    if (!inside)
        left[calls - 1] = PMPI_Wtime();
}

static void on_alarm(int number)
{
    char text[96];
    int length =
        snprintf(text, sizeof text,
                 "finding: deadlock: rank %d of MPI_COMM_WORLD has not ended within %d s\n",
                 world_rank, SECONDS);
    (void)number;
    _exit(write(1, text, (size_t)length) < 0 ? 10 : 9);
}

static void compare(const struct collective *collective)
{
    for (int call = 0; call < scenario.calls; call++) {
        unsigned long low = have[call] ? checksum[call] : ~0ul >> 1,
                      high = have[call] ? checksum[call] : 0, lowest, highest;
        double in = came[call], out = left[call] > 0 ? left[call] : 1e300, last, first;
        PMPI_Allreduce(&low, &lowest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
        PMPI_Allreduce(&high, &highest, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&in, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&out, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        if (world_rank == 0 && highest && lowest != highest)
            report("disagreement", "the ranks' results differ in some bits");
        if (world_rank == 0 && collective->kind == collective_kind_barrier && first < last)
            report("early-exit", "a rank left the barrier %.3f s before the last had come",
                   last - first);
    }
}

static const struct collective *read_scenario(const char *path)
{
    static char text[SCENARIO_TEXT_MAX + 1];
    char name[128], message[256];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "crosswait: cannot open '%s'\n", path);
        return NULL;
    }
    text[fread(text, 1, SCENARIO_TEXT_MAX, file)] = 0;
    fclose(file);
    if (scenario_parse(text, &scenario, name, message)) {
        fprintf(stderr, "crosswait: '%s': %s\n", path, message);
        return NULL;
    }
    const struct collective *found = *name ? collective_find(name) : collective_first();
    if (!found)
        fprintf(stderr, "crosswait: '%s': no collective '%s' is registered here\n", path, name);
    return found;
}

int main(int argc, char **argv)
{
    static const struct execute_environment environment = {.report = report,
                                                           .pause = pause_rank,
                                                           .entered = entered,
                                                           .missing = missing,
                                                           .result = result,
                                                           .calling = calling,
                                                           .margins = 1};
    int size, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct collective *collective = argc == 2 ? read_scenario(argv[1]) : NULL;
    if (!collective || !execute_adapt(collective, &scenario)) {
        fprintf(stderr, "crosswait: usage: mpirun -n RANKS %s SCENARIO\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (size != execute_world_size(&scenario)) {
        if (world_rank == 0)
            fprintf(stderr, "crosswait: '%s' is for %d ranks, not %d\n", argv[1],
                    execute_world_size(&scenario), size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGALRM, on_alarm);
    alarm(SECONDS);
    execute_rank(collective, &scenario, &environment);
    compare(collective);
    PMPI_Allreduce(&findings, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0 && !all)
        printf("no finding\n");
    MPI_Finalize();
    return all > 0;
}
