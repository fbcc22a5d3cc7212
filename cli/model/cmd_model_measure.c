/* crosswait model --measure: finds alpha and beta of the machine from a recorded ping-pong. A
 * sample is a blocking send to a rank directly followed by a receive of as many bytes from it: half
 * of their time is one message. Takes the median for each size; alpha and beta are the straight
 * line through the medians with the least relative errors. */
#include "cli/model/cmd_model.h"

#include <math.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/trace/trace.h"

struct sample {
    uint64_t bytes;
    double ns; /* one way */
};

struct samples {
    struct sample *at;
    uint32_t count, room;
};

static enum core_status samples_add(struct samples *samples, uint64_t bytes, double ns)
{
    return CORE_ARRAY_PUSH(samples->at, samples->count, samples->room, "samples",
                           (struct sample){bytes, ns});
}

static enum core_status read_rank(struct trace *trace, uint32_t rank, struct samples *samples)
{
    struct trace_cursor *cursor;
    struct trace_event event, before = {.traits = 0};
    bool more = true;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        if (event.parent)
            continue;
        if (before.traits == TRAIT_BIT(SENDS) && event.traits == TRAIT_BIT(RECEIVES) &&
            !event.pending && !event.summed && !before.summed && before.comm == event.comm &&
            before.peer >= 0 && event.completion_count == 1 &&
            event.completion->source == before.peer && event.completion->bytes == before.bytes)
            status =
                samples_add(samples, before.bytes, (double)(event.t_leave - before.t_enter) / 2);
        before = event;
    }
    trace_cursor_close(cursor);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Keeps one sample for each size, the median; number[] gets the original counts. */
static size_t cmd_model_measure_medians(struct sample *at, size_t count, size_t *number)
{
    size_t sizes = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && at[end].bytes == at[first].bytes;)
            end++;
        number[sizes] = end - first;
        at[sizes++] = at[first + (end - first) / 2];
    }
    return sizes;
}

struct line {
    double alpha, beta; /* ns, ns per byte */
};

/* Minimizes the squares of (alpha + beta b - t) / t. If the best alpha is negative the line goes
 * through 0. */
static struct line cmd_model_measure_fit(const struct sample *at, size_t count)
{
    double s = 0, sb = 0, sbb = 0, st = 0, sbt = 0;
    for (size_t i = 0; i < count; i++) {
        double t = at[i].ns > 0 ? at[i].ns : 1, w = 1 / (t * t), b = (double)at[i].bytes;
        s += w;
        sb += w * b;
        sbb += w * b * b;
        st += w * t;
        sbt += w * b * t;
    }
    double det = s * sbb - sb * sb;
    struct line line = {(st * sbb - sb * sbt) / det, (s * sbt - sb * st) / det};
    if (line.beta < 0)
        line = (struct line){st / s, 0};
    if (line.alpha < 0)
        line = (struct line){0, sbt / sbb};
    return line;
}

static double off_squares(const struct sample *at, size_t count, struct line line)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (line.alpha + line.beta * (double)at[i].bytes - at[i].ns) /
                     (at[i].ns > 0 ? at[i].ns : 1);
        sum += off * off;
    }
    return sum;
}

/* Finds the break between two lines: libraries send small messages at once and large ones after an
 * agreement. Returns the index of the first size of the second line, if two fit far better than
 * one; else 0. */
static size_t find_break(const struct sample *at, size_t count)
{
    double least = off_squares(at, count, cmd_model_measure_fit(at, count));
    size_t best = 0;
    if (least / (double)count < 0.05 * 0.05)
        return 0;
    for (size_t i = 2; i + 2 <= count; i++) {
        double two = off_squares(at, i, cmd_model_measure_fit(at, i)) +
                     off_squares(at + i, count - i, cmd_model_measure_fit(at + i, count - i));
        if (two < (best ? least : least / 4)) {
            least = two;
            best = i;
        }
    }
    return best;
}

static void print_break(const struct model_ask *ask, const struct sample *at, size_t count,
                        FILE *out)
{
    size_t middle = find_break(at, count);
    char a[32], b[32];
    if (!middle)
        return;
    fprintf(out, "two lines fit better, as where a library changes from eager to rendezvous:\n");
    for (int part = 0; part < 2; part++) {
        const struct sample *from = part ? at + middle : at;
        size_t number = part ? count - middle : middle;
        struct line line = cmd_model_measure_fit(from, number);
        fprintf(out, "  %llu to %llu bytes: alpha %s, beta %s per word, off by %.0f%% on average\n",
                (unsigned long long)from[0].bytes, (unsigned long long)from[number - 1].bytes,
                model_seconds(line.alpha * 1e-9, a),
                model_seconds(line.beta * (double)ask->word_bytes * 1e-9, b),
                sqrt(off_squares(from, number, line) / (double)number) * 100);
    }
}

static void cmd_model_measure_print(const struct model_ask *ask, const struct sample *at,
                                    const size_t *number, size_t count, struct line line, FILE *out)
{
    char a[32], b[32];
    double worst = 0, squares = 0;
    fprintf(out, "alpha %s, beta %s per word of %lld bytes\n", model_seconds(line.alpha * 1e-9, a),
            model_seconds(line.beta * (double)ask->word_bytes * 1e-9, b),
            (long long)ask->word_bytes);
    fprintf(out, "options: --alpha=%.4g --beta=%.4g --word=%lld\n\n", line.alpha * 1e-9,
            line.beta * (double)ask->word_bytes * 1e-9, (long long)ask->word_bytes);
    fprintf(out, "  %12s %10s %12s %12s %8s\n", "bytes", "messages", "measured", "formula",
            "off by");
    for (size_t i = 0; i < count; i++) {
        double formula = line.alpha + line.beta * (double)at[i].bytes,
               off = (formula - at[i].ns) / at[i].ns;
        worst = fabs(off) > worst ? fabs(off) : worst;
        squares += off * off;
        fprintf(out, "  %12llu %10zu %12s %12s %7.0f%%\n", (unsigned long long)at[i].bytes,
                number[i], model_seconds(at[i].ns * 1e-9, a), model_seconds(formula * 1e-9, b),
                round(off * 100) + 0.0);
    }
    fprintf(out, "\nfit: off by %.0f%% on average, %.0f%% at worst: %s\n",
            sqrt(squares / (double)count) * 100, worst * 100,
            worst < 0.15 ? "alpha + beta n describes this machine well"
            : worst < 0.5
                ? "alpha + beta n describes this machine roughly"
                : "alpha + beta n does not describe this machine over this range of sizes");
    print_break(ask, at, count, out);
}

static enum core_status cmd_model_measure_report(const struct model_ask *ask,
                                                 struct samples *samples, FILE *out)
{
    size_t *number;
    enum core_status made = CORE_ARRAY_NEW(number, samples->count, "samples");
    if (made != CORE_OK)
        return made;
    if (samples->count)
        qsort(samples->at, samples->count, sizeof *samples->at, by_size);
    size_t count = cmd_model_measure_medians(samples->at, samples->count, number);
    enum core_status status = CORE_OK;
    if (count < 2)
        status = core_report(CORE_NOT_FOUND,
                             "no ping-pong in '%s': found %zu sizes sent to a rank and received "
                             "back at once; record "
                             "a program that does so with at least 2 sizes",
                             ask->measure, count);
    else
        cmd_model_measure_print(ask, samples->at, number, count,
                                cmd_model_measure_fit(samples->at, count), out);
    free(number);
    return status;
}

enum core_status model_measure(const struct model_ask *ask, FILE *out)
{
    struct samples samples = {0};
    struct trace trace;
    enum core_status status = trace_open(ask->measure, TRACE_READ, &trace);

    if (status != CORE_OK)
        return status == CORE_BAD_INPUT ? CORE_IO : status;
    for (uint32_t rank = 0; rank < trace.rank_count && status == CORE_OK; rank++)
        status = read_rank(&trace, rank, &samples);
    if (status == CORE_OK)
        status = cmd_model_measure_report(ask, &samples, out);
    free(samples.at);
    trace_close(&trace);
    return status;
}
