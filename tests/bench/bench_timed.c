/* Measures the timed clock: messages per second (bar 5,000,000: tests/bench/memory.h), the peak
 * memory of a run (bar 64 bytes per operation, without the program), and their growth with size.
 * Each figure is the best of a few runs; only ratios within one run are reliable, as the machine
 * may be busy. Usage: bench_timed [quick] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "model/generate.h"
#include "replay/timed/timed.h"
#include "tests/bench/memory.h"

enum { BAR_MILLIONS = 5, BAR_BYTES = 64 };

static void must(enum core_status status)
{
    if (status != CORE_OK)
        exit(3);
}

/* Rounds of dissemination, one after the other: in round k every rank sends to the one 2^k further.
 */
static void dissemination(struct replay_program *program, uint32_t P, uint32_t repeat)
{
    must(replay_program_init(program, P));
    for (uint32_t r = 0; r < P; r++) {
        int32_t request = 0;
        for (uint32_t i = 0; i < repeat; i++)
            for (uint32_t step = 1; step < P; step *= 2, request += 2) {
                must(replay_add_irecv(program, r, (int32_t)((r + P - step) % P), 0, 8, request));
                must(replay_add_isend(program, r, (int32_t)((r + step) % P), 0, 8, request + 1));
                must(replay_add_wait_all(program, r, (int32_t[]){request, request + 1}, 2));
            }
    }
    replay_program_trim(program);
}

/* All receives first, then all sends, then one wait. order 1: rank r sends to r + 1, r + 2...; 0:
 * to 0, 1, 2... */
static void alltoall(struct replay_program *program, uint32_t P, int order)
{
    int32_t *all = malloc(2 * P * sizeof *all);
    must(replay_program_init(program, P));
    for (uint32_t r = 0; r < P; r++) {
        int32_t request = 0;
        for (int send = 0; send < 2; send++)
            for (uint32_t i = 0; i < P; i++) {
                uint32_t peer = order ? (send ? r + i : r + P - i) % P : i;
                if (peer == r)
                    continue;
                all[request] = request;
                must(send ? replay_add_isend(program, r, (int32_t)peer, 0, 64, request)
                          : replay_add_irecv(program, r, (int32_t)peer, 0, 64, request));
                request++;
            }
        must(replay_add_wait_all(program, r, all, (uint32_t)request));
    }
    free(all);
    replay_program_trim(program);
}

static uint64_t operations(const struct replay_program *program)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < program->rank_count; r++)
        count += program->rank[r].op_count;
    return count;
}

static double run(const char *name, const struct replay_program *program, int times)
{
    double best = 1e30;
    struct replay_timed_result result;
    uint64_t peak = 0, messages = 0;
    for (int i = 0; i < times; i++) {
        double start = bench_seconds();
        must(replay_timed_run(program, NULL, &result));
        double took = bench_seconds() - start;
        best = took < best ? took : best;
        peak = result.peak_bytes;
        messages = result.messages;
        if (result.blocked_count) {
            fprintf(stderr, "%s: %u ranks blocked\n", name, result.blocked_count);
            exit(1);
        }
        replay_timed_done(&result);
    }
    double rate = (double)messages / best, read_ns = bench_read_ns(),
           bar = bench_bar(BAR_MILLIONS, read_ns),
           bytes = (double)peak / (double)operations(program);
    printf("timed  %-44s %9llu messages %8.3f s %6.2f M messages/s (bar %.2f: a read takes %.0f "
           "ns)%s %6.1f bytes/operation (bar %d)%s\n",
           name, (unsigned long long)messages, best, rate * 1e-6, bar, read_ns,
           rate * 1e-6 < bar ? " MISSED" : "", bytes, BAR_BYTES,
           bytes > BAR_BYTES ? " MISSED" : "");
    fflush(stdout);
    return rate;
}

static void row(const char *name, const char *id, uint32_t P, int times)
{
    struct replay_program program;
    must(model_generate(&(struct model_generate_request){.id = id, .ranks = P, .words = 1},
                        &program));
    run(name, &program, times);
    replay_program_done(&program);
}

int main(int argc, char **argv)
{
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0, times = quick ? 1 : 3;
    struct replay_program program;
    struct rusage usage;
    double rate[2], all[2];

    dissemination(&program, 1024, quick ? 20 : 100);
    rate[0] = run("dissemination, 1,024 ranks", &program, times);
    replay_program_done(&program);
    dissemination(&program, 8192, quick ? 2 : 10);
    rate[1] = run("dissemination, 8,192 ranks", &program, times);
    replay_program_done(&program);
    alltoall(&program, 256, 1);
    all[0] = run("all-to-all, 256 ranks, pre-posted", &program, times);
    replay_program_done(&program);
    alltoall(&program, 1024, 1);
    all[1] = run("all-to-all, 1,024 ranks, pre-posted", &program, times);
    replay_program_done(&program);
    alltoall(&program, 1024, 0);
    run("all-to-all, 1,024 ranks, all to rank 0 first", &program, times);
    replay_program_done(&program);
    if (!quick) {
        row("broadcast, 1,000,000 ranks", "bcast.binomial", 1000000, times);
        row("recursive doubling, 65,536 ranks", "allreduce.recursive_doubling", 65536, times);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("timed  ratios: all-to-all / dissemination %.2f (bar 0.50); all-to-all 1,024 / 256 "
           "ranks %.2f; "
           "peak of the whole process %ld MiB\n",
           all[1] / (rate[0] < rate[1] ? rate[0] : rate[1]), all[1] / all[0],
           usage.ru_maxrss / 1024);
    return 0;
}
