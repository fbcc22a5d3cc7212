/* Tests what findings say about the end of a job: one program, which relies on buffering, ends in
 * every possible way. Each sentence must appear if its condition holds, and only then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checkers/check.h"
#include "store/store.h"
#include "tests/unit/spool_text.h"

enum { RANKS = 3, WANTS_MAX = 6, ENDS_MAX = 3 };
static char base[256], path[300];

/* Ranks 0 and 1 first send to each other; then all enter a barrier. */
#define TALK(peer)                                               \
    "Send peer=" peer " tag=7 type=int count=4; Recv peer=" peer \
    " tag=7 type=int count=4 got=0:" peer ":7:16; Barrier"
#define COMPLETED "completed only because the library buffered"
#define GOT_PAST "got past these calls only because the library buffered"
#define GOT_PAST_SOME "got past some of these calls only because the library buffered"
#define ENDED                                                     \
    {                                                             \
        .state = EVENT_RANK_ENDED, .detail = "because of another" \
    }
#define IS(state_, code_)                                          \
    {                                                              \
        .state = EVENT_RANK_##state_, .code = code_, .first = true \
    }

static const struct row {
    const char *name;
    const char *rank[RANKS]; /* calls after the exchange if ';' comes first, else instead of it;
                               NULL: the rank left no record */
    struct store_rank_end end[ENDS_MAX];
    enum ending_reason reason;
    int exit_code;
    const char *want[WANTS_MAX]; /* parts of what findings say */
    const char *wants_not[WANTS_MAX];
} rows[] = {
    {"finished",
     {"; Finalize", "; Finalize", "; Finalize"},
     {{0}},
     ENDING_NONE,
     0,
     {COMPLETED},
     {GOT_PAST, "died of", "MPI_Abort", "without MPI_Finalize", "stood still"}},
    {"failed behind MPI_Finalize",
     {"; Finalize", "; Finalize", "; Finalize"},
     {{0}},
     ENDING_NONE,
     9,
     {COMPLETED},
     {GOT_PAST, "died of", "MPI_Abort", "without MPI_Finalize", "stood still"}},
    {"crashed",
     {"; runs", "; runs", "; runs"},
     {ENDED, IS(CRASHED, 11), ENDED},
     ENDING_NONE,
     139,
     {GOT_PAST, "rank 1 died of SIGSEGV", "ranks 0 and 2 were ended because of it"},
     {COMPLETED, "before MPI_Init", "ranks 0 and 1 died", "stood still"}},
    {"crashed behind MPI_Finalize",
     {"; Finalize", "; Finalize", "; Finalize"},
     {{0}, IS(CRASHED, 11), {0}},
     ENDING_NONE,
     139,
     {COMPLETED, "rank 1 died of SIGSEGV", "after MPI_Finalize"},
     {GOT_PAST, "before MPI_Init", "in application code"}},
    {"killed",
     {"; runs", "; runs", "; runs"},
     {ENDED, IS(KILLED, 9), ENDED},
     ENDING_NONE,
     137,
     {GOT_PAST, "rank 1 was ended by SIGKILL", "the kernel's OOM killer"},
     {COMPLETED, "died of", "stood still"}},
    {"aborted",
     {"; runs", "; aborts", "; runs"},
     {ENDED, IS(ABORTED, 7), ENDED},
     ENDING_NONE,
     7,
     {GOT_PAST, "rank 1 ended the job with code 0"},
     {COMPLETED, "died of", "without MPI_Finalize"}},
    {"exited",
     {"; runs", "; exits", "; runs"},
     {ENDED, IS(EXITED, 3), ENDED},
     ENDING_NONE,
     3,
     {"rank 1 exits without MPI_Finalize", "with exit status 3"},
     {COMPLETED, "died of", "MPI_Abort"}},
    {"stood still",
     {"; runs", "; runs", "; runs"},
     {ENDED, ENDED, ENDED},
     ENDING_STALL,
     143,
     {GOT_PAST, "the job made no progress for 8 s", "not proven"},
     {COMPLETED, "died of", "exits without", "was proven"}},
    {"killed in one of the calls",
     {"Send peer=1 tag=7 type=int count=4 hangs; runs", "Send peer=0 tag=7 type=int count=4; runs",
      "Barrier hangs; runs"},
     {ENDED, IS(KILLED, 9), ENDED},
     ENDING_NONE,
     137,
     {GOT_PAST_SOME, "rank 1 was ended by SIGKILL"},
     {COMPLETED, GOT_PAST, "it happened"}},
    {"hung in the calls",
     {"Send peer=1 tag=7 type=int count=4 hangs; runs",
      "Send peer=0 tag=7 type=int count=4 hangs; runs", "Barrier hangs; runs"},
     {ENDED, ENDED, ENDED},
     ENDING_DEADLOCK,
     143,
     {"it happened: the recorded run ended in these calls"},
     {COMPLETED, GOT_PAST, GOT_PAST_SOME, "died of", "stood still"}},
    {"budget, still",
     {"; runs", "; runs", "; runs"},
     {ENDED, ENDED, ENDED},
     ENDING_BUDGET,
     143,
     {GOT_PAST, "the job made no progress for 8 s", "not proven"},
     {COMPLETED, "died of", "exits without", "was proven"}},
    {"died before MPI_Init had returned",
     {"; runs", NULL, "; runs"},
     {ENDED, {0}, ENDED},
     ENDING_NONE,
     139,
     {"rank 1 died of SIGSEGV (signal 11, segmentation fault) before MPI_Init had returned"},
     {COMPLETED, "rank 0 died", "rank 2 died", "stood still"}},
    {"left no record",
     {"; runs", NULL, "; runs"},
     {ENDED, {0}, ENDED},
     ENDING_NONE,
     1,
     {"crosswait cannot judge"},
     {COMPLETED, "died of", "stood still"}},
};

static void ending_make(struct ending *ending, enum ending_reason reason)
{
    ending->reason = reason;
    ending->limit_ms = 8000;
    for (uint32_t r = 0; r < RANKS && reason != ENDING_NONE; r++) {
        struct ending_call call = {
            .rank = r, .seq = 0, .role = ENDING_OUTSIDE, .still_ms = 8000 + r};

        assert_int_equal(ending_call_add(ending, &call), CORE_OK);
    }
}

static void make(const struct row *row)
{
    static const char *const before[RANKS] = {TALK("1"), TALK("0"), "Barrier"};
    struct store_rank_end end[ENDS_MAX];
    struct store_options options = {.exit_code = row->exit_code, .end = end};
    struct ending ending = {0};
    char folder[300], text[400];

    snprintf(folder, sizeof folder, "%s/job.%d", base, (int)random());
    for (int r = 0; r < RANKS; r++) {
        if (!row->rank[r])
            continue;
        snprintf(text, sizeof text, "%s%s", row->rank[r][0] == ';' ? before[r] : "", row->rank[r]);
        assert_true(text_write(folder, r, RANKS, text));
    }
    for (int r = 0; r < ENDS_MAX; r++)
        if (row->end[r].state != EVENT_RANK_MISSING) {
            end[options.end_count] = row->end[r];
            end[options.end_count++].rank = r;
        }
    ending_make(&ending, row->reason);
    options.ending = &ending;
    assert_int_equal(store_write(folder, path, &options), CORE_OK);
    ending_done(&ending);
}

static bool says(const struct finding_list *list, const char *what)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->finding[i];

        if (finding->title && strstr(finding->title, what))
            return true;
        for (uint32_t k = 0; k < finding->fact_count; k++)
            if (strstr(finding->fact[k], what))
                return true;
    }
    return false;
}

static void each_ending(void **state)
{
    const struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                          .budget_schedules = CHECK_BUDGET_DEFAULT};
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct finding_list list = {0};
        struct trace trace;

        make(row);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(check_all(&trace, &options, &list), CORE_OK);
        for (int k = 0; k < WANTS_MAX; k++) {
            if (row->want[k] && !says(&list, row->want[k])) {
                print_error("%s: nothing says \"%s\"\n", row->name, row->want[k]);
                failures++;
            }
            if (row->wants_not[k] && says(&list, row->wants_not[k])) {
                print_error("%s: something says \"%s\"\n", row->name, row->wants_not[k]);
                failures++;
            }
        }
        finding_list_done(&list);
        trace_close(&trace);
    }
    assert_int_equal(failures, 0);
}

static int begin(void **state)
{
    const char *folder = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/endings.XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof path, "%s/T.db", base);
    return 0;
}

static int end(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_ending)};

    return cmocka_run_group_tests(tests, begin, end);
}
