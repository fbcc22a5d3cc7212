/* See the header. A helper gets one question, its number, and answers when its campaign is over. It
 * watches the connection meanwhile, and ends libFuzzer when the first process is gone. */
#include "cli/fuzz/fuzz_campaign.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/fuzz/fuzz_job.h"
#include "core/check.h"
#include "core/search/spread.h"

enum { STARTS_MAX = 50, MERGE_S = 60, HELPERS_MAX = 1024 };

/* The command line of one start; NULL-terminated. */
struct start {
    char *argv[2 * FUZZ_ARGUMENTS_MAX + 16];
    char corpus[FUZZ_PATH_MAX]; /* new inputs go there */
    char more[FUZZ_PATH_MAX];   /* of a helper: the campaign's corpus; else "" */
    char crashes[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX], prefix[FUZZ_PATH_MAX + 32], limit[64],
        runs[64], seed[64];
};

static void start_make(const char *program, const struct fuzz_passed *passed, double seconds,
                       long runs, int number, struct start *start)
{
    int n = 0;
    snprintf(start->prefix, sizeof start->prefix, "-artifact_prefix=%s/", start->crashes);
    snprintf(start->limit, sizeof start->limit, "-max_total_time=%.0f", seconds);
    snprintf(start->runs, sizeof start->runs, "-runs=%ld", runs);
    start->argv[n++] = (char *)(uintptr_t)program;
    start->argv[n++] = "-len_control=0";
    start->argv[n++] = "-print_final_stats=1";
    start->argv[n++] = "-rss_limit_mb=4096";
    start->argv[n++] = "-malloc_limit_mb=8192";
    start->argv[n++] = "-timeout=20";
    start->argv[n++] = start->prefix;
    if (passed->seed) /* otherwise libFuzzer runs the folder's inputs again after a second */
        start->argv[n++] = "-reload=0";
    for (int i = 0; i < passed->option_count; i++)
        start->argv[n++] = passed->option[i];
    if (!passed->limited || passed->seconds > 0)
        start->argv[n++] = start->limit;
    if (passed->runs > 0)
        start->argv[n++] = start->runs;
    if (passed->seed && number) { /* otherwise this start would repeat the one before */
        snprintf(start->seed, sizeof start->seed, "-seed=%ld", passed->seed + number);
        start->argv[n++] = start->seed;
    }
    if (passed->input_count == 0)
        start->argv[n++] = start->corpus;
    if (passed->input_count == 0 && start->more[0])
        start->argv[n++] = start->more;
    for (int i = 0; i < passed->input_count; i++)
        start->argv[n++] = passed->input[i];
    start->argv[n] = NULL;
}

static double campaign_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long campaign_executed(const char *log)
{
    char line[512];
    fuzz_line(log, "stat::number_of_executed_units:", line);
    return line[0] ? atol(strrchr(line, ' ') + 1) : 0;
}

/* Starts the fuzzer, with keep_going repeatedly: a sanitizer's finding ends its process. first: the
 * number of its first start, from which follow the seeds. */
static enum core_status starts_run(const struct fuzz_campaign *campaign, struct start *start,
                                   int first, const struct fuzz_watch *watch, int *out_status)
{
    const struct fuzz_passed *passed = campaign->passed;
    double began = campaign_clock();
    long runs = passed->runs;
    enum core_status result = CORE_OK;
    for (int i = 0; i < STARTS_MAX && result == CORE_OK; i++) {
        double left = campaign->seconds - (campaign_clock() - began);
        if (i > 0 && (left < 1 || (passed->runs > 0 && runs < 1)))
            break;
        start_make(campaign->program, passed, left, runs, first + i, start);
        result = fuzz_spawn_watched(start->argv, start->log, start->log, left, watch, out_status);
        runs -= campaign_executed(start->log) > 0 ? campaign_executed(start->log) : 1;
        if (!campaign->keep_going || *out_status == 0 || *out_status == 2 || fuzz_interrupted())
            break;
    }
    return result;
}

static void start_paths(const struct fuzz_campaign *campaign, const char *own, struct start *start)
{
    snprintf(start->crashes, sizeof start->crashes, "%.4000s/crashes", campaign->folder);
    if (own) {
        snprintf(start->corpus, sizeof start->corpus, "%.4000s/corpus", own);
        snprintf(start->more, sizeof start->more, "%.4000s/corpus", campaign->folder);
        snprintf(start->log, sizeof start->log, "%.4000s/log", own);
    } else {
        snprintf(start->corpus, sizeof start->corpus, "%.4000s/corpus", campaign->folder);
        snprintf(start->log, sizeof start->log, "%.4000s/log", campaign->folder);
    }
}

static void helper_folder(const struct fuzz_campaign *campaign, uint64_t number,
                          char path[FUZZ_PATH_MAX])
{
    snprintf(path, FUZZ_PATH_MAX, "%.3900s/helpers/%" PRIu64, campaign->folder, number);
}

/* --- a helper --------------------------------------------------------------------------------- */

struct helping {
    const struct fuzz_campaign *campaign;
    struct search_helper *helper;
    int64_t status; /* of libFuzzer: the answer */
};

static bool is_alone(void *context)
{
    return search_helper_alone(((const struct helping *)context)->helper);
}

static enum core_status campaign_answer(void *context, const void *question, size_t bytes,
                                        struct search_bytes out_part[SEARCH_PARTS])
{
    static struct start start;
    struct helping *helping = context;
    const struct fuzz_watch watch = {.ends = is_alone, .context = helping};
    char own[FUZZ_PATH_MAX];
    uint64_t number;
    int ended = 0;

    CORE_CHECK(bytes == sizeof number);
    memcpy(&number, question, sizeof number);
    helper_folder(helping->campaign, number, own);
    start_paths(helping->campaign, own, &start);
    enum core_status status = fuzz_folder_make(start.corpus);
    if (status == CORE_OK)
        status = starts_run(helping->campaign, &start, (int)number * STARTS_MAX, &watch, &ended);
    helping->status = ended;
    out_part[0] = (struct search_bytes){&helping->status, sizeof helping->status};
    return status;
}

static void campaign_serve(void *context, struct search_helper *helper)
{
    struct helping helping = {.campaign = context, .helper = helper};
    search_helper_serve(helper, campaign_answer, &helping);
}

void fuzz_campaign_help(const struct fuzz_campaign *campaign)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
    search_spread_join(campaign->group, campaign_serve, (void *)(uintptr_t)campaign);
}

/* --- the first process ------------------------------------------------------------------------ */

struct leading {
    const struct fuzz_campaign *campaign;
    struct search_spread *spread;
    uint64_t given;  /* helpers that have their number: from 1 on */
    uint64_t failed; /* helpers whose libFuzzer failed: most have found something */
    bool answered[HELPERS_MAX];
};

/* Gives each new helper its number. Tells whether a helper's finding ends the campaign. */
static bool helpers_serve(void *context)
{
    struct leading *leading = context;
    (void)search_spread_room(leading->spread);
    for (; leading->given < search_spread_helpers(leading->spread); leading->given++) {
        uint64_t number = leading->given + 1;
        const struct search_bytes question[2] = {{&number, sizeof number}, {NULL, 0}};
        if (number == HELPERS_MAX || !search_spread_give(leading->spread, number, question))
            break;
    }
    for (uint64_t number = 1; number <= leading->given; number++) {
        struct search_bytes answer;
        int64_t status;
        if (leading->answered[number] || !search_spread_answered(leading->spread, number) ||
            !search_spread_take(leading->spread, number, &answer))
            continue;
        CORE_CHECK(answer.bytes == sizeof status);
        memcpy(&status, answer.at, sizeof status);
        leading->answered[number] = true;
        leading->failed += status != 0;
    }
    return leading->failed && !leading->campaign->keep_going;
}

static unsigned inputs_count(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

/* Merges what the helpers added to the corpus, and removes their folders. */
static enum core_status helpers_merge(const struct leading *leading, struct start *start)
{
    const struct fuzz_campaign *campaign = leading->campaign;
    static char own[HELPERS_MAX][FUZZ_PATH_MAX / 4];
    char *argv[HELPERS_MAX + 8], helpers[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX], limit[64];
    char *remove[] = {"rm", "-rf", helpers, NULL};
    unsigned before = inputs_count(start->corpus);
    long executed = 0;
    int n = 0, status;

    snprintf(helpers, sizeof helpers, "%.4000s/helpers", campaign->folder);
    snprintf(log, sizeof log, "%.4000s/log.merge", campaign->folder);
    snprintf(limit, sizeof limit, "-max_total_time=%d", MERGE_S);
    argv[n++] = (char *)(uintptr_t)campaign->program;
    argv[n++] = "-merge=1";
    argv[n++] = limit;
    argv[n++] = start->corpus;
    for (uint64_t number = 1; number <= leading->given; number++) {
        char of[FUZZ_PATH_MAX], its_log[FUZZ_PATH_MAX];
        helper_folder(campaign, number, of);
        snprintf(its_log, sizeof its_log, "%.4000s/log", of);
        executed += campaign_executed(its_log);
        snprintf(own[number], sizeof own[number], "%.1000s/corpus", of);
        if (access(own[number], R_OK) == 0)
            argv[n++] = own[number];
    }
    argv[n] = NULL;
    enum core_status result =
        n > 4 ? fuzz_spawn_watched(argv, log, log, MERGE_S, NULL, &status) : CORE_OK;
    if (result == CORE_OK)
        result = fuzz_spawn(remove, NULL, NULL, &status);
    fprintf(stderr,
            "crosswait: helpers of --spread: %" PRIu64 ", which ran %ld inputs; the corpus grew "
            "from %u to %u inputs\n",
            leading->given, executed, before, inputs_count(start->corpus));
    return result;
}

static enum core_status campaign_lead(const struct fuzz_campaign *campaign, struct start *start,
                                      int *out_status)
{
    static struct leading leading;
    const struct fuzz_watch watch = {.ends = helpers_serve, .context = &leading};
    leading.campaign = campaign;
    enum core_status status = search_spread_open(0, campaign->group, NULL, NULL, &leading.spread);
    if (status != CORE_OK)
        return status;
    status = starts_run(campaign, start, 0, &watch, out_status);
    if (leading.failed && !campaign->keep_going)
        *out_status = 0; /* the campaign was ended: its helper's finding is in the folder */
    search_spread_free(leading.spread);
    return status == CORE_OK ? helpers_merge(&leading, start) : status;
}

enum core_status fuzz_campaign_run(const struct fuzz_campaign *campaign, int *out_status)
{
    static struct start start;
    start_paths(campaign, NULL, &start);
    enum core_status status = fuzz_folder_make(start.corpus);
    if (status != CORE_OK)
        return status;
    if (campaign->keep_going)
        setenv("CROSSWAIT_FUZZ_KEEP", start.crashes, 1);
    status = campaign->group->command ? campaign_lead(campaign, &start, out_status)
                                      : starts_run(campaign, &start, 0, NULL, out_status);
    unsetenv("CROSSWAIT_FUZZ_KEEP");
    return status;
}
