/* Tests that checkers may leave out rounds of loops (core/trace/trace_rounds.h): judges random
 * programs of loops, most correct, some with a mistake in one round or in all, with folded loops
 * and with a row for each call: the findings must be the same, word by word (checkers invariant 6).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "checkers/check.h"
#include "core/random.h"
#include "core/trace/trace_rounds.h"
#include "store/store.h"
#include "tests/unit/spool_text.h"

enum { PROGRAMS = 64, RANKS_MAX = 4, EXCHANGES_MAX = 5, TEXT_BYTES = 1 << 20, PEEK_TAG = 5 };

static char base[200];

/* --- programs --------------------------------------------------------------------------------- */

enum kind {
    BLOCKING,          /* one sends, the other receives */
    CROSSED,           /* both Irecv, Isend, Wait, Wait */
    COLLECTIVE,        /* a barrier */
    SUM,               /* an allreduce */
    AHEAD,             /* both Irecv, Send, Wait */
    FENCED,            /* each writes to the next one's window, to a place of its own */
    FLUSHED,           /* the same between MPI_Win_lock_all and MPI_Win_unlock_all */
    ADDED,             /* all add to one place there */
    PROBED,            /* a probe before the receive */
    MATCHED,           /* a matched probe, and the receive of its message */
    IMATCHED,          /* the same, with a request */
    PEEKED,            /* a receive, and a probe that waits for the message of the next round */
    CORRECT,           /* kinds from here on are mistakes, or leave a choice open */
    HEAD_ON = CORRECT, /* both send first: a deadlock where sends are not buffered */
    OTHER_TYPE,        /* MPI_INT sent, MPI_FLOAT received */
    OTHER_NAME,        /* MPI_INT sent, MPI_UNSIGNED received: a warning */
    OTHER_COUNT,       /* ranks give another number of elements */
    SAME_PLACE,        /* all write to one place of one window */
    UNFENCED,          /* the same, in one round or the next, whichever fence comes first */
    UNORDERED,         /* two write to one place of a window, and only flush */
    ADDED_AND_READ,    /* one adds, another reads */
    SAID,              /* of a call the recorder saw a misuse */
    LEFT_OVER,         /* a message that nobody receives */
    ANYBODY,           /* received from any source */
    KINDS
};
struct exchange {
    enum kind kind;
    int a, b, tag;
};
struct job {
    int ranks;
    bool windows; /* there is one, */
    bool passive; /* which all have locked */
    bool peeks;   /* rank 0 sends one message with PEEK_TAG ahead, which rank 1 receives last */
    char *text[RANKS_MAX];
    size_t used[RANKS_MAX];
    int request[RANKS_MAX];
};

static int below(struct core_random *random, int bound)
{
    return (int)core_random_below(random, (uint64_t)bound);
}

static void job_add(struct job *job, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void job_add(struct job *job, int rank, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    job->used[rank] += (size_t)vsnprintf(job->text[rank] + job->used[rank],
                                         TEXT_BYTES - job->used[rank], format, args);
    va_end(args);
    assert_true(job->used[rank] < TEXT_BYTES);
}

static struct exchange exchange_new(struct core_random *random, const struct job *job, bool correct)
{
    struct exchange new = {.a = below(random, job->ranks), .tag = below(random, 3)};

    new.b = (new.a + 1 + below(random, job->ranks - 1)) % job->ranks;
    new.kind = correct ? (enum kind)below(random, CORRECT)
                       : (enum kind)(CORRECT + below(random, KINDS - CORRECT));
    bool fences = new.kind == FENCED || new.kind == SAME_PLACE || new.kind == UNFENCED,
         locked = new.kind == FLUSHED || new.kind == ADDED || new.kind == UNORDERED ||
                  new.kind == ADDED_AND_READ;
    if ((fences && (!job->windows || job->passive)) || (locked && !job->passive))
        new.kind = correct ? CROSSED : OTHER_TYPE;
    if (new.kind == LEFT_OVER)
        new.tag = 9;
    if (new.kind == PEEKED && !job->peeks)
        new.kind = PROBED;
    if (new.kind == PEEKED)
        new = (struct exchange){PEEKED, 0, 1, PEEK_TAG};
    return new;
}

static void nonblocking(struct job *job, int me, int other, int tag)
{
    int first = job->request[me];

    job->request[me] += 2;
    job_add(job, me,
            "Irecv peer=%d tag=%d type=int count=4 req=%d; Isend peer=%d tag=%d type=int count=4 "
            "req=%d; Wait req=%d got=%d:%d:%d:16; Wait req=%d got=%d:-32768:-32768:0; ",
            other, tag, first, other, tag, first + 1, first, first, other, tag, first + 1,
            first + 1);
}

/* Accesses between MPI_Win_lock_all and MPI_Win_unlock_all. */
static void access_add(struct job *job, const struct exchange *x)
{
    static const char half[] = "type=int count=1 recv_half=-:-:int:1";

    for (int i = 0; i < job->ranks; i++) {
        if (x->kind == FLUSHED)
            job_add(job, i, "Put peer=%d %s args=%d; Win_flush peer=%d; ", (i + 1) % job->ranks,
                    half, i, (i + 1) % job->ranks);
        else if (x->kind == ADDED || (x->kind == ADDED_AND_READ && i == x->a))
            job_add(job, i, "Accumulate peer=%d tag=1 %s args=9; ", x->a, half);
        else if (x->kind == UNORDERED && (i == x->a || i == x->b))
            job_add(job, i, "Put peer=%d %s args=11; Win_flush peer=%d; ", x->a, half, x->a);
        else if (x->kind == ADDED_AND_READ && i == x->b)
            job_add(job, i, "Get peer=%d %s args=9; ", x->a, half);
    }
}

/* A message whose receiver probes. */
static void probe_add(struct job *job, const struct exchange *x)
{
    int message = job->request[x->b];

    job_add(job, x->a, "Send peer=%d tag=%d type=int count=4; ", x->b, x->tag);
    if (x->kind == PROBED)
        job_add(job, x->b, "Probe peer=%d tag=%d got=0:%d:%d:16; ", x->a, x->tag, x->a, x->tag);
    if (x->kind == PROBED || x->kind == PEEKED)
        job_add(job, x->b, "Recv peer=%d tag=%d type=int count=4 got=0:%d:%d:16; ", x->a, x->tag,
                x->a, x->tag);
    if (x->kind == PEEKED)
        job_add(job, x->b, "Probe peer=%d tag=%d got=0:%d:%d:16; ", x->a, x->tag, x->a, x->tag);
    if (x->kind == PROBED || x->kind == PEEKED)
        return;
    job_add(job, x->b, "Mprobe peer=%d tag=%d req=%d got=%d:%d:%d:16; ", x->a, x->tag, message,
            message, x->a, x->tag);
    job->request[x->b] += 1 + (x->kind == IMATCHED);
    if (x->kind == MATCHED)
        job_add(job, x->b, "Mrecv type=int count=4 req=%d got=0:%d:%d:16; ", message, x->a, x->tag);
    else
        job_add(job, x->b, "Imrecv type=int count=4 req=%d args=%d; Wait req=%d got=%d:%d:%d:16; ",
                message + 1, message, message + 1, message + 1, x->a, x->tag);
}

static void exchange_add(struct job *job, const struct exchange *x)
{
    const char *type = x->kind == OTHER_TYPE ? "float" : x->kind == OTHER_NAME ? "unsigned" : "int";

    switch (x->kind) {
    case CROSSED:
        nonblocking(job, x->a, x->b, x->tag);
        nonblocking(job, x->b, x->a, x->tag);
        return;
    case AHEAD:
    case HEAD_ON:
        for (int i = 0; i < 2; i++) {
            int me = i ? x->b : x->a, other = i ? x->a : x->b, request = job->request[me];
            if (x->kind == HEAD_ON) {
                job_add(job, me,
                        "Send peer=%d tag=%d type=int count=4; Recv peer=%d tag=%d type=int "
                        "count=4 got=0:%d:%d:16; ",
                        other, x->tag, other, x->tag, other, x->tag);
                continue;
            }
            job->request[me]++;
            job_add(job, me,
                    "Irecv peer=%d tag=%d type=int count=4 req=%d; Send peer=%d tag=%d type=int "
                    "count=4; Wait req=%d got=%d:%d:%d:16; ",
                    other, x->tag, request, other, x->tag, request, request, other, x->tag);
        }
        return;
    case COLLECTIVE:
    case SUM:
    case OTHER_COUNT:
        for (int i = 0; i < job->ranks; i++)
            if (x->kind == COLLECTIVE)
                job_add(job, i, "Barrier; ");
            else
                job_add(job, i, "Allreduce tag=1 type=int count=%d; ",
                        x->kind == OTHER_COUNT && i == x->a ? 3 : 2);
        return;
    case FENCED:
    case SAME_PLACE:
    case UNFENCED:
        for (int i = 0; i < job->ranks; i++) {
            bool late = x->kind == UNFENCED && i == x->b;
            int target = x->kind == FENCED ? (i + 1) % job->ranks : x->a;
            char put[100] = "";
            if (x->kind == FENCED || i == x->b || (i + 1) % job->ranks == x->b)
                snprintf(put, sizeof put,
                         "Put peer=%d type=int count=1 recv_half=-:-:int:1 args=%d; ", target,
                         x->kind == FENCED ? i : 0);
            job_add(job, i, "%sWin_fence args=0; %sWin_fence args=0; ", late ? "" : put,
                    late ? put : "");
        }
        return;
    case FLUSHED:
    case ADDED:
    case UNORDERED:
    case ADDED_AND_READ:
        access_add(job, x);
        return;
    case PROBED:
    case MATCHED:
    case IMATCHED:
    case PEEKED:
        probe_add(job, x);
        return;
    case SAID:
        job_add(job, x->a,
                "Isend peer=%d tag=%d type=int count=4 req=%d; Wait req=%d "
                "got=%d:-32768:-32768:0 say=send-written|buf|%d|; ",
                x->b, x->tag, job->request[x->a], job->request[x->a], job->request[x->a], 1);
        job->request[x->a]++;
        job_add(job, x->b, "Recv peer=%d tag=%d type=int count=4 got=0:%d:%d:16; ", x->a, x->tag,
                x->a, x->tag);
        return;
    case LEFT_OVER:
        job_add(job, x->a,
                "Isend peer=%d tag=9 type=int count=1 req=%d; Wait req=%d "
                "got=%d:-32768:-32768:0; ",
                x->b, job->request[x->a], job->request[x->a], job->request[x->a]);
        job->request[x->a]++;
        return;
    default:
        job_add(job, x->a, "Send peer=%d tag=%d type=int count=4; ", x->b, x->tag);
        job_add(job, x->b, "Recv peer=%d tag=%d type=%s count=4 got=0:%d:%d:16; ",
                x->kind == ANYBODY ? -1 : x->a, x->tag, type, x->a, x->tag);
    }
}

/* Ranks from `first` to `end` send to rank 0, which receives from any source, or (named) from each.
 * If a wildcard receive takes the message meant for a named one, the job deadlocks. */
static void choice_add(struct job *job, int first, int end, bool named)
{
    for (int i = first; i < end; i++) {
        job_add(job, i, "Send peer=0 tag=8 type=int count=4; ");
        job_add(job, 0, "Recv peer=%d tag=8 type=int count=4 got=0:%d:8:16; ", named ? i : -1, i);
    }
}

/* Adds a loop, with a mistake if `mistaken`. */
static void loop_add(struct job *job, struct core_random *random, bool mistaken)
{
    struct exchange round[EXCHANGES_MAX], mistake = exchange_new(random, job, false);
    int count = 1 + below(random, EXCHANGES_MAX), rounds = 20 + below(random, 120),
        at = below(random, rounds);
    bool always = mistaken && below(random, 3) == 0;

    for (int i = 0; i < count; i++)
        round[i] = exchange_new(random, job, true);
    for (int n = 0; n < rounds; n++) {
        for (int i = 0; i < count; i++)
            exchange_add(job, &round[i]);
        if (always || (mistaken && n == at))
            exchange_add(job, &mistake);
    }
}

static void job_write(const char *folder, uint64_t seed)
{
    struct job job = {0};
    struct core_random random;

    core_random_init(&random, seed);
    job.ranks = 2 + below(&random, RANKS_MAX - 1);
    bool windows = below(&random, 2);
    job.windows = windows;
    job.peeks = below(&random, 2);
    job.passive = windows && below(&random, 2);
    for (int i = 0; i < job.ranks; i++) {
        job.text[i] = malloc(TEXT_BYTES);
        assert_non_null(job.text[i]);
        job.request[i] = 100;
        if (windows)
            job_add(&job, i, "Win_create args=64,4; %s args=0; ",
                    job.passive ? "Win_lock_all" : "Win_fence");
    }
    if (below(&random, 2)) { /* not all calls are settled */
        job_add(&job, 0, "Send peer=1 tag=7 type=int count=4; ");
        job_add(&job, 1,
                "Probe peer=0 tag=7 got=0:0:7:16; "
                "Recv peer=0 tag=7 type=int count=4 got=0:0:7:16; ");
    }
    if (job.peeks)
        job_add(&job, 0, "Send peer=1 tag=%d type=int count=4; ", PEEK_TAG);
    for (int loops = 1 + below(&random, 3); loops; loops--) {
        struct exchange between = exchange_new(&random, &job, true);
        bool chooses = below(&random, 8) == 0, behind = below(&random, 2),
             named = below(&random, 2);
        if (chooses)
            choice_add(&job, 1, job.ranks - behind, false);
        loop_add(&job, &random, seed % 3 == 0 && loops == 1);
        if (chooses && behind)
            choice_add(&job, job.ranks - 1, job.ranks, named);
        exchange_add(&job, &between);
    }
    if (job.peeks)
        job_add(&job, 1, "Recv peer=0 tag=%d type=int count=4 got=0:0:%d:16; ", PEEK_TAG, PEEK_TAG);
    for (int i = 0; i < job.ranks; i++) {
        if (windows)
            job_add(&job, i, "%s; Win_free; ",
                    job.passive ? "Win_unlock_all" : "Win_fence args=16");
        job_add(&job, i, "Finalize");
        assert_true(text_write(folder, i, job.ranks, job.text[i]));
        free(job.text[i]);
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

static void store(const char *folder, const char *path, bool folds)
{
    assert_int_equal(setenv("CROSSWAIT_LOOPS", folds ? "on" : "off", 1), 0);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    unsetenv("CROSSWAIT_LOOPS");
}

/* Returns all findings in words; the caller frees the text. */
static char *judge(const char *path, enum core_status *out_status, uint32_t *out_findings)
{
    static const struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                                 .budget_schedules = 200};
    struct finding_list list = {0};
    struct trace trace;
    char *all = NULL;
    size_t bytes;
    FILE *file = open_memstream(&all, &bytes);

    assert_non_null(file);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    *out_status = check_all(&trace, &options, &list);
    assert_int_equal(trace_rounds_left(&trace), 0); /* later readers see all */
    for (uint32_t i = 0; i < list.count; i++) {
        char *json = finding_json(&list.finding[i]);
        fprintf(file, "%s\n", json);
        free(json);
    }
    fprintf(file, "%d %u", (int)list.orders.extent, (unsigned)list.verified);
    fclose(file);
    *out_findings = list.count;
    finding_list_done(&list);
    trace_close(&trace);
    return all;
}

/* Returns how many calls a cursor returns; their numbers must ascend. */
static uint64_t calls_count(struct trace *trace)
{
    uint64_t calls = 0;

    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        uint64_t last = 0;
        bool more = true;
        assert_int_equal(trace_cursor_open(trace, rank, &cursor), CORE_OK);
        while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
            assert_true(event.seq > last);
            last = event.seq;
            calls++;
        }
        trace_cursor_close(cursor);
    }
    return calls;
}

/* Leaves rounds out and includes them again: cursors return fewer calls, but each call can still be
 * looked up. Returns how many calls are left out. */
static uint64_t left_out(const char *path)
{
    struct trace trace;
    struct trace_event event;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    uint64_t all = calls_count(&trace);
    assert_int_equal(trace_rounds_leave(&trace), CORE_OK);
    uint64_t left = trace_rounds_left(&trace);
    for (int times = 0; times < 2; times++) /* rows that are read, and rows that are kept */
        assert_int_equal(calls_count(&trace) + left, all);
    for (uint32_t rank = 0; rank < trace.rank_count; rank++)
        for (uint64_t seq = 1; seq <= trace.rank[rank].events; seq++)
            assert_int_equal(trace_event_get(&trace, rank, seq, &event), CORE_OK);
    trace_rounds_restore(&trace);
    assert_int_equal(calls_count(&trace), all);
    trace_close(&trace);
    return left;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void same_findings(void **state)
{
    char folder[300], path[300], command[700];
    int shorter = 0, found = 0, both = 0;
    uint64_t programs = getenv("PROGRAMS") ? strtoull(getenv("PROGRAMS"), NULL, 10) : PROGRAMS;

    (void)state;
    snprintf(folder, sizeof folder, "%s/job", base);
    snprintf(path, sizeof path, "%s/T.db", base);
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", folder, path);
    for (uint64_t seed = 1; seed <= programs; seed++) {
        enum core_status status[2];
        uint32_t count[2];
        char *said[2];
        job_write(folder, seed);
        store(folder, path, false);
        said[0] = judge(path, &status[0], &count[0]);
        assert_int_equal(left_out(path), 0); /* there are no loops */
        assert_int_equal(unlink(path), 0);
        store(folder, path, true);
        said[1] = judge(path, &status[1], &count[1]);
        bool left = left_out(path) > 0;
        if (strcmp(said[0], said[1]) != 0)
            print_error("program %u\n", (unsigned)seed);
        assert_string_equal(said[0], said[1]);
        assert_int_equal(status[0], status[1]);
        shorter += left;
        found += count[0] > 0;
        both += left && count[0];
        free(said[0]);
        free(said[1]);
        assert_int_equal(system(command), 0);
    }
    print_message("%d of %d programs: rounds left out; %d: findings; %d: both\n", shorter,
                  (int)programs, found, both);
    assert_true(shorter > (int)programs / 2);
    assert_true(found > (int)programs / 4);
    assert_true(both > (int)programs / 10);
}

static int begin(void **state)
{
    const char *folder = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/rounds.XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(base) ? 0 : -1;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_findings)};

    return cmocka_run_group_tests(tests, begin, end);
}
