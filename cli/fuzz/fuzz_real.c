/* Runs a scenario on real ranks: first in process for its decisions, then under mpirun with these
 * decisions forced (fuzz/real/real_main.c). The job is watched like any other, so that a hang is
 * proven and ended. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/fuzz/fuzz_found.h"
#include "cli/fuzz/fuzz_job.h"
#include "core/text.h"
#include "core/trace/trace.h"
#include "launch/launch.h"
#include "model/extract.h"
#include "replay/program/lower.h"
#include "replay/timed/timed.h"
#include "cli/options.h"

enum { SECONDS_REAL = 60, RANKS_MAX = 128 };

/* Writes the scenario as text, from any form; *out_ranks: size of MPI_COMM_WORLD. */
static int scenario_text(const struct fuzz_job *job, const char *program, const char *path,
                         char out_path[FUZZ_PATH_MAX], int *out_ranks)
{
    char explained[FUZZ_PATH_MAX], option[FUZZ_PATH_MAX + 32], line[512], word[64];
    int status, ranks = 0, extra = 0;
    snprintf(out_path, FUZZ_PATH_MAX, "%.4000s/real.txt", job->folder);
    snprintf(explained, sizeof explained, "%.4000s/real.explained", job->folder);
    snprintf(option, sizeof option, "--run=%.4000s", path);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    if (fuzz_spawn(argv, explained, explained, &status) != CORE_OK || status == 2) {
        fuzz_show(explained, stderr);
        return CLI_USAGE;
    }
    FILE *in = fopen(explained, "r"), *out = fopen(out_path, "w");
    static char text[16384];
    bool inside = false;
    while (in && out && fgets(text, sizeof text, in)) {
        inside |= !strcmp(text, "crosswait scenario 1\n");
        if (!inside)
            continue;
        if (text[0] == '\n')
            break;
        fputs(text, out);
        snprintf(line, sizeof line, "%.500s", text);
        if (sscanf(line, "ranks %d", &ranks) == 1)
            continue;
        if (sscanf(line, "communicator %63s", word) == 1 && !strcmp(word, "part"))
            extra = 2;
    }
    if (in)
        fclose(in);
    if (!out || fclose(out) || ranks == 0) {
        core_report(CORE_IO, "cannot make a scenario of '%s'", path);
        return CLI_TROUBLE;
    }
    *out_ranks = ranks + extra;
    return CLI_CLEAN;
}

/* Notes the library's decisions in the run in process, for the real ranks to repeat. Returns false
 * if that run has no end, or none that can be noted; then only the scenario is used. */
static bool fuzz_real_decide(const struct fuzz_job *job, const char *program, const char *scenario,
                             char out_path[FUZZ_PATH_MAX])
{
    char from[FUZZ_PATH_MAX + 16], to[FUZZ_PATH_MAX + 16];
    int status;
    snprintf(out_path, FUZZ_PATH_MAX, "%.4000s/real.decisions", job->folder);
    snprintf(from, sizeof from, "--decide=%s", scenario);
    snprintf(to, sizeof to, "--out=%s", out_path);
    char *argv[] = {(char *)(uintptr_t)program, from, to, NULL};
    unlink(out_path);
    return fuzz_spawn(argv, "/dev/null", "/dev/null", &status) == CORE_OK &&
           access(out_path, R_OK) == 0;
}

/* Judges the end of a job without findings of its own: mpirun names the signal that killed it. */
static int judge_end(const char *errors, int status)
{
    char line[512];
    if (status == 0)
        return CLI_CLEAN;
    fuzz_line(errors, "exited on signal ", line);
    if (line[0]) {
        printf("finding: crash: a rank %s\n", line);
        return CLI_FINDINGS;
    }
    fuzz_line(errors, "MPI_ERR_", line);
    if (line[0]) {
        printf("finding: error: %s\n", line);
        return CLI_FINDINGS;
    }
    fuzz_show(errors, stderr); /* perhaps it never started */
    return cli_exit_of(core_report(CORE_IO, "mpirun ended with status %d", status));
}

/* --- cost ------------------------------------------------------------------------------------- */

static bool is_message(void *context, uint32_t rank, uint32_t index, const struct replay_op *op)
{
    (void)context, (void)rank, (void)index;
    return op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND || op->kind == REPLAY_RECV ||
           op->kind == REPLAY_IRECV || (op->kind >= REPLAY_WAIT && op->kind <= REPLAY_WAIT_SOME);
}

/* Measures rounds and words of the messages that the collective sent, without the library's own. */
static bool fuzz_real_measure(const char *path, struct replay_measure *out)
{
    struct trace trace;
    struct replay_program whole, part;
    struct extractor *extractor = NULL;
    struct extract_range range[RANKS_MAX] = {{0}};
    bool missing = true, measured = false;
    if (trace_open(path, TRACE_READ, &trace) != CORE_OK)
        return false;
    if (replay_lower(&trace, &(struct replay_lower_options){0}, &whole, NULL) != CORE_OK)
        goto close;
    for (uint32_t rank = 0; rank < whole.rank_count && rank < RANKS_MAX; rank++)
        range[rank].count = whole.rank[rank].op_count;
    if (whole.rank_count <= RANKS_MAX && extractor_new(&whole, &extractor) == CORE_OK &&
        extractor_cut(extractor, range, is_message, NULL, &part, &missing) == CORE_OK) {
        measured =
            !missing && replay_timed_measure(&part, NULL, out) == CORE_OK && !out->blocked_count;
        replay_program_done(&part);
    }
    extractor_free(extractor);
    replay_program_done(&whole);
close:
    trace_close(&trace);
    return measured;
}

/* Compares the measured cost with the claim, which the program knows. */
static int judge_cost(const char *program, const char *scenario, const char *trace)
{
    char option[FUZZ_PATH_MAX + 16], rounds[32], bytes[32];
    struct replay_measure measured;
    int status = 0;
    if (access(trace, R_OK) || !fuzz_real_measure(trace, &measured))
        return CLI_CLEAN;
    snprintf(option, sizeof option, "--cost=%s", scenario);
    snprintf(rounds, sizeof rounds, "%llu", (unsigned long long)measured.rounds);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)measured.words_bytes);
    char *argv[] = {(char *)(uintptr_t)program, option, rounds, bytes, NULL};
    return fuzz_spawn(argv, NULL, NULL, &status) == CORE_OK && status == 1 ? CLI_FINDINGS
                                                                           : CLI_CLEAN;
}

/* Prints the ranks' output, without the lines of ranks that found nothing, since other ranks check
 * too. */
static void show_findings(const char *output)
{
    char line[2048];
    FILE *file = fopen(output, "r");
    while (file && fgets(line, sizeof line, file))
        if (strcmp(line, "no finding\n") != 0)
            fputs(line, stdout);
    if (file)
        fclose(file);
}

/* Tells whether the ranks finished and found nothing: then rank 0 prints so. */
static bool has_judged(const char *output)
{
    char line[512];
    fuzz_line(output, "no finding", line);
    return line[0];
}

/* Copies a sanitizer's sentence and its place. */
static bool show_sanitizer(const struct fuzz_job *job, const char *errors)
{
    char line[512], place[512];
    if (!fuzz_sanitizer_line(errors, line))
        return false;
    printf("finding: crash: %s%s%s\n", line, fuzz_place(job, errors, place) ? ", at " : "",
           fuzz_place(job, errors, place) ? place : "");
    return true;
}

int fuzz_real(const struct fuzz_job *job, const char *program, const char *path)
{
    static const char shell[] = "out=$1 err=$2; shift 2; exec \"$@\" >\"$out\" 2>\"$err\"";
    char real_program[FUZZ_PATH_MAX], text[FUZZ_PATH_MAX], count[16], line[512];
    char output[FUZZ_PATH_MAX], errors[FUZZ_PATH_MAX], decisions[FUZZ_PATH_MAX],
        trace[FUZZ_PATH_MAX];
    int ranks, code = scenario_text(job, program, path, text, &ranks);
    if (code != CLI_CLEAN)
        return code;
    enum core_status result = fuzz_build(job, "real", real_program);
    if (result != CORE_OK)
        return result == CORE_BAD_INPUT ? CLI_USAGE : cli_exit_of(result);
    bool decided = fuzz_real_decide(job, program, text, decisions);
    snprintf(count, sizeof count, "%d", ranks);
    const char *words[] = {real_program, text, decided ? decisions : NULL, NULL};
    printf("mpirun --oversubscribe -n %s", count);
    for (int i = 0; words[i]; i++) {
        putchar(' ');
        core_text_shell(words[i], stdout);
    }
    putchar('\n');
    snprintf(output, sizeof output, "%.4000s/real.out", job->folder);
    snprintf(errors, sizeof errors, "%.4000s/real.err", job->folder);
    snprintf(trace, sizeof trace, "%.4000s/real.db", job->folder);
    char *argv[] = {"sh",         "-c",     (char *)(uintptr_t)shell,   "sh", output,
                    errors,       "mpirun", "--oversubscribe",          "-n", count,
                    real_program, text,     decided ? decisions : NULL, NULL};
    struct launch_options launch = {
        .command = argv, .output = trace, .watch = true, .budget_s = SECONDS_REAL};
    struct launch_result launched;
    unlink(trace);
    unlink(output);
    unlink(errors);
    result = launch_job(&launch, &launched);
    show_findings(output);
    fuzz_line(output, "finding: ", line);
    if (launched.verdict)
        printf("finding: %s\n", launched.verdict);
    code = launched.verdict || line[0] ? CLI_FINDINGS : judge_end(errors, launched.status);
    if (show_sanitizer(job, errors))
        code = CLI_FINDINGS;
    if (code == CLI_CLEAN)
        code = judge_cost(program, text, trace);
    if (code == CLI_CLEAN && result == CORE_OK && !has_judged(output))
        code = cli_exit_of(
            core_report(CORE_IO, "the real ranks ended before they had checked the scenario"));
    if (code == CLI_CLEAN && result == CORE_OK)
        printf("no finding\n");
    if (code == CLI_FINDINGS && access(trace, R_OK) == 0)
        printf("trace: %s\n", trace);
    if (code == CLI_CLEAN && result != CORE_OK)
        code = cli_exit_of(result);
    snprintf(trace, sizeof trace, "%.4000s/real.explained", job->folder);
    fuzz_line(trace, "finding: ", line);
    if (line[0])
        memmove(line, line + strlen("finding: "), strlen(line + strlen("finding: ")) + 1);
    else
        fuzz_sanitizer_line(trace, line);
    if (code == CLI_CLEAN && line[0])
        printf("real ranks do not reproduce the finding: %s\n", line);
    launch_result_done(&launched);
    return code;
}
