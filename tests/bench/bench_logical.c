/* Compares the logical engine with its bars: 20,000,000 operations per second
 * (tests/bench/memory.h), 64 bytes of peak memory per operation (program included), 100,000
 * variants of the quiz per second, in CPU time. Each program runs in a process of its own, so that
 * its peak memory is its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"
#include "replay/logical/run.h"
#include "tests/bench/memory.h"

enum { BAR_MILLIONS = 20, BAR_BYTES = 64 };

/* A ring as a recorder sees it: receive from the left, send to the right, wait for both. */
static void make_ring(struct replay_program *program)
{
    enum { RANKS = 64, ROUNDS = 12000 };
    CORE_CHECK(replay_program_init(program, RANKS) == CORE_OK);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int32_t i = 0; i < ROUNDS; i++) {
            int32_t pair[] = {2 * i, 2 * i + 1};
            replay_add_irecv(program, rank, (int32_t)(rank + RANKS - 1) % RANKS, 0, 8, pair[0]);
            replay_add_isend(program, rank, (int32_t)(rank + 1) % RANKS, 0, 8, pair[1]);
            replay_add_wait_all(program, rank, pair, 2);
        }
}

static void make_doubling(struct replay_program *program)
{
    enum { RANKS = 1024, BITS = 10, ROUNDS = 80 };
    CORE_CHECK(replay_program_init(program, RANKS) == CORE_OK);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int32_t i = 0; i < ROUNDS * BITS; i++) {
            int32_t pair[] = {2 * i, 2 * i + 1}, partner = (int32_t)(rank ^ 1u << i % BITS);
            replay_add_irecv(program, rank, partner, 0, 8, pair[0]);
            replay_add_isend(program, rank, partner, 0, 8, pair[1]);
            replay_add_wait_all(program, rank, pair, 2);
        }
}

static void make_all_to_all(struct replay_program *program)
{
    enum { RANKS = 1024 };
    static int32_t all[2 * RANKS];
    CORE_CHECK(replay_program_init(program, RANKS) == CORE_OK);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        int32_t request = 0;
        for (int32_t i = 1; i < RANKS; i++, request++)
            replay_add_irecv(program, rank, ((int32_t)rank + RANKS - i) % RANKS, 0, 8, request);
        for (int32_t i = 1; i < RANKS; i++, request++)
            replay_add_isend(program, rank, ((int32_t)rank + i) % RANKS, 0, 8, request);
        for (int32_t i = 0; i < request; i++)
            all[i] = i;
        replay_add_wait_all(program, rank, all, (uint32_t)request);
    }
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* Runs in the child: prints one line. */
static void measure(const char *name, void (*make)(struct replay_program *),
                    const char *policy_text, double read_ns)
{
    struct replay_program program;
    struct replay_policy policy;
    struct replay_run *run;
    enum replay_outcome outcome;
    uint64_t before = peak_bytes();
    int repeats = 0;

    make(&program);
    replay_program_trim(&program);
    CORE_CHECK(replay_policy_parse(policy_text, REPLAY_OFFLINE, &policy) == CORE_OK);
    double start = bench_seconds(), end;
    CORE_CHECK(replay_run_open(&program, &run) == CORE_OK);
    do {
        CORE_CHECK(replay_run_all(run, &policy, NULL, &outcome, NULL) == CORE_OK &&
                   outcome == REPLAY_FINISHED);
        repeats++;
        end = bench_seconds();
    } while (end - start < 0.5);
    double rate = (double)replay_run_ops(run) * repeats / (end - start);
    double bytes = (double)(peak_bytes() - before) / (double)replay_run_ops(run);
    double bar = bench_bar(BAR_MILLIONS, read_ns);
    printf("%-34s %9" PRIu64 " operations  %5.1f million/s (bar %4.1f: a read takes %3.0f ns)%s  "
           "%4.1f bytes each (bar %d)%s\n",
           name, replay_run_ops(run), rate * 1e-6, bar, read_ns, rate * 1e-6 < bar ? " MISSED" : "",
           bytes, BAR_BYTES, bytes > BAR_BYTES ? " MISSED" : "");
    replay_run_close(run);
    replay_program_done(&program);
}

static void measure_apart(const char *name, void (*make)(struct replay_program *),
                          const char *policy)
{
    double read_ns = bench_read_ns(); /* before: its memory is not the child's */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(name, make, policy, read_ns);
        fflush(stdout);
        _exit(0);
    }
    int status;
    CORE_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void measure_sweep(void)
{
    struct replay_program program;
    struct replay_policy policy;
    struct replay_run *run;
    enum replay_outcome outcome;
    uint64_t variants = 0, deadlocks = 0;

    CORE_CHECK(replay_program_init(&program, 2) == CORE_OK);
    for (uint32_t rank = 0; rank < 2; rank++) {
        replay_add_isend(&program, rank, 1 - (int32_t)rank, 7, 8, 0);
        replay_program_add(&program, rank, &(struct replay_op){.kind = REPLAY_WAIT, .request = 0});
        replay_add_irecv(&program, rank, 1 - (int32_t)rank, 7, 8, 1);
        replay_program_add(&program, rank, &(struct replay_op){.kind = REPLAY_WAIT, .request = 1});
    }
    replay_policy_init(&policy);
    policy.buffering = REPLAY_RANDOM;
    policy.bytes = 50;
    CORE_CHECK(replay_run_open(&program, &run) == CORE_OK);
    double start = bench_seconds(), end;
    do {
        for (int i = 0; i < 1000; i++, variants++) {
            policy.seed = variants;
            CORE_CHECK(replay_run_all(run, &policy, NULL, &outcome, NULL) == CORE_OK);
            deadlocks += outcome == REPLAY_DEADLOCK;
        }
        end = bench_seconds();
    } while (end - start < 0.3);
    CORE_CHECK(deadlocks > variants / 5 &&
               deadlocks < variants * 3 / 10); /* a quarter: both sends must wait */
    printf("%-34s %9" PRIu64 " variants    %5.2f million/s\n", "sweep of the quiz", variants,
           (double)variants / (end - start) * 1e-6);
    replay_run_close(run);
    replay_program_done(&program);
}

int main(void)
{
    measure_apart("ring, rendezvous", make_ring, "buffering=rendezvous");
    measure_apart("ring, eager", make_ring, "buffering=eager");
    measure_apart("recursive doubling, rendezvous", make_doubling, "buffering=rendezvous");
    measure_apart("recursive doubling, eager", make_doubling, "buffering=eager");
    measure_apart("all-to-all of 1,024, pre-posted", make_all_to_all, "buffering=rendezvous");
    measure_sweep();
    return 0;
}
