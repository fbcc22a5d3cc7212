/* See progress.h. */
#include "core/progress.h"

#include <inttypes.h>
#include <time.h>

#include "core/check.h"

enum { STAGES_MAX = 8, QUIET_NS = 1000000000, EVERY_NS = 200000000, ASKS = 64 };
_Static_assert(EVERY_NS < QUIET_NS, "who waits sees it move");

static struct {
    FILE *file;
    struct stage {
        const char *name;
        uint64_t total, started_ns;
    } stage[STAGES_MAX];
    uint32_t depth, asked;
    uint64_t shown_ns; /* 0: no line is shown */
} progress;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void take_away(void)
{
    CORE_CHECK(progress.file || !progress.shown_ns); /* only a file has a line to remove */
    if (progress.shown_ns) {
        fprintf(progress.file, "\r%*s\r", CORE_PROGRESS_BYTES - 1, "");
        fflush(progress.file);
    }
    progress.shown_ns = 0;
}

FILE *core_progress_show(FILE *file)
{
    FILE *before = progress.file;

    if (before)
        take_away();
    progress.file = file;
    return before;
}

const char *core_progress_line(const char *stage, uint64_t done, uint64_t total,
                               uint64_t elapsed_ns, char buffer[CORE_PROGRESS_BYTES])
{
    done = total && done > total ? total : done;
    CORE_CHECK(!total || done <= total);
    if (total && done)
        snprintf(buffer, CORE_PROGRESS_BYTES, "%s: %.0f %%, about %.0f s left", stage,
                 (double)done * 100 / (double)total,
                 (double)elapsed_ns / 1e9 * (double)(total - done) / (double)done);
    else
        snprintf(buffer, CORE_PROGRESS_BYTES, "%s: %.0f s", stage, (double)elapsed_ns / 1e9);
    return buffer;
}

void core_progress_begin(const char *stage, uint64_t total)
{
    if (progress.file && progress.depth < STAGES_MAX)
        progress.stage[progress.depth] =
            (struct stage){.name = stage, .total = total, .started_ns = now_ns()};
    progress.depth++;
    core_progress_tell(0);
}

void core_progress_at(uint64_t done)
{
    if (++progress.asked % ASKS == 0)
        core_progress_tell(done);
}

void core_progress_tell(uint64_t done)
{
    char line[CORE_PROGRESS_BYTES];

    if (!progress.file || !progress.depth || progress.depth > STAGES_MAX)
        return;
    const struct stage *stage = &progress.stage[progress.depth - 1];
    uint64_t now = now_ns();
    if (now - progress.stage[0].started_ns < QUIET_NS || now - progress.shown_ns < EVERY_NS)
        return;
    take_away();
    fprintf(progress.file, "\r%s",
            core_progress_line(stage->name, done, stage->total, now - stage->started_ns, line));
    fflush(progress.file);
    progress.shown_ns = now;
}

void core_progress_end(void)
{
    if (progress.depth && !--progress.depth && progress.file)
        take_away();
}
