/* Words of records (wording.h). Holds no state. */
#include "checkers/wording.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

enum {
    OTHERS_NAMED_MAX = 3, /* more ranks that do as most are "others" */
    RANKS_SINGLE_MAX = 8, /* more ranks than this are named as spans */
    CALLS_SINGLE_MAX = 4, /* more calls than this are put together where they are alike */
    GROUPS_MAX = 8        /* kinds of calls that are told in one sentence; of the rest, the ranks */
};

/* --- ranks ------------------------------------------------------------------------------------ */

static int rank_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Where the ranks that follow each other from *at on end; *at moves behind them. */
static uint32_t span_end(const uint32_t *rank, uint32_t count, uint32_t *at)
{
    uint32_t i = *at;

    CORE_CHECK(i < count);
    while (i + 1 < count && rank[i + 1] == rank[i] + 1)
        i++;
    CORE_CHECK(i + 1 == count || rank[i] < rank[i + 1]); /* they ascend */
    *at = i + 1;
    return rank[i];
}

/* The ranks ascend, each once. Two that follow each other are no span. */
static void ranks_sorted(FILE *file, const uint32_t *rank, uint32_t count, const char *joint)
{
    bool single = count <= RANKS_SINGLE_MAX;

    fputs(count == 1 ? "rank " : "ranks ", file);
    for (uint32_t i = 0, next; i < count; i = next) {
        CORE_CHECK(i == 0 || rank[i - 1] < rank[i]);
        uint32_t last = rank[i];

        next = i + 1;
        if (!single) {
            next = i;
            last = span_end(rank, count, &next);
        }
        if (next - i == 2)
            last = rank[--next - 1];
        CORE_CHECK(next > i); /* each step tells one at least (wording.h invariant 2) */
        fputs(i == 0 ? "" : next == count ? joint : ", ", file);
        fprintf(file, "%" PRIu32, rank[i]);
        if (last != rank[i])
            fprintf(file, " to %" PRIu32, last);
    }
}

/* Ascending, each once, in memory of their own; NULL: out of memory. */
static uint32_t *ranks_unique(const uint32_t *rank, uint32_t count, uint32_t *out_count)
{
    uint32_t *sorted = malloc(((size_t)count + 1) * sizeof *sorted), unique = 0;

    if (!sorted)
        return NULL;
    if (count)
        memcpy(sorted, rank, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, rank_compare);
    for (uint32_t i = 0; i < count; i++)
        if (!unique || sorted[unique - 1] != sorted[i])
            sorted[unique++] = sorted[i];
    CORE_CHECK(!count == !unique);
    *out_count = unique;
    return sorted;
}

void wording_ranks(FILE *file, const uint32_t *rank, uint32_t count, const char *joint)
{
    uint32_t unique, *sorted = ranks_unique(rank, count, &unique);

    if (sorted)
        ranks_sorted(file, sorted, unique, joint);
    free(sorted);
}

/* The text of a memory stream: NULL when there was no memory for it. */
static char *text_close(FILE *file, char **text)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed) {
        free(*text);
        *text = NULL;
    }
    return *text;
}

char *wording_ranks_short(const uint32_t *rank, uint32_t count)
{
    uint32_t unique, *sorted = ranks_unique(rank, count, &unique);
    char *text = NULL;
    size_t bytes;
    FILE *file = sorted ? open_memstream(&text, &bytes) : NULL;

    if (!file) {
        free(sorted);
        return NULL;
    }
    fputs(unique == 1 ? "rank " : "ranks ", file);
    for (uint32_t i = 0; i < unique;) {
        uint32_t first = sorted[i], last = span_end(sorted, unique, &i);

        fprintf(file, "%" PRIu32, first);
        if (last != first)
            fprintf(file, "-%" PRIu32, last);
        fputs(i < unique ? "," : "", file);
    }
    free(sorted);
    return text_close(file, &text);
}

char *wording_ranks_text(const uint32_t *rank, uint32_t count, const char *joint)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    wording_ranks(file, rank, count, joint);
    return text_close(file, &text);
}

/* --- what differs ----------------------------------------------------------------------------- */

struct value { /* what some ranks have */
    const char *text;
    uint32_t count, first; /* where it stands first */
};

static int value_compare(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* The values, each once, the rarest first; NULL: out of memory. */
static struct value *values_of(const char *const *value, uint32_t count, uint32_t *out_count)
{
    struct value *all = malloc(((size_t)count + 1) * sizeof *all);
    uint32_t values = 0;

    for (uint32_t i = 0; all && i < count; i++) {
        uint32_t at = 0;
        while (at < values && strcmp(all[at].text, value[i]) != 0)
            at++;
        if (at == values)
            all[values++] = (struct value){.text = value[i], .first = i};
        all[at].count++;
    }
    CORE_CHECK(values <= count);
    if (all)
        qsort(all, values, sizeof *all, value_compare);
    *out_count = values;
    return all;
}

static void value_ranks(FILE *file, const struct value *of, const char *const *value,
                        const uint32_t *rank, uint32_t count)
{
    uint32_t *ranks = malloc(((size_t)count + 1) * sizeof *ranks), used = 0;

    for (uint32_t i = 0; ranks && i < count; i++)
        if (!strcmp(value[i], of->text))
            ranks[used++] = rank[i];
    CORE_CHECK(!ranks || used == of->count); /* those that were counted */
    if (ranks)
        wording_ranks(file, ranks, used, " and ");
    free(ranks);
}

char *wording_differing(const char *const *value, const uint32_t *rank, uint32_t count)
{
    uint32_t values;
    struct value *all = values_of(value, count, &values);
    char *text = NULL;
    size_t bytes;
    FILE *file = all ? open_memstream(&text, &bytes) : NULL;

    for (uint32_t i = 0; file && i < values; i++) {
        fprintf(file, "%s%s on ", i ? ", " : "", all[i].text);
        value_ranks(file, &all[i], value, rank, count);
    }
    free(all);
    return file ? text_close(file, &text) : NULL;
}

char *wording_calling(const char *const *call, const uint32_t *rank, uint32_t count)
{
    uint32_t values;
    struct value *all = values_of(call, count, &values);
    char *text = NULL;
    size_t bytes;
    FILE *file = all ? open_memstream(&text, &bytes) : NULL;

    for (uint32_t i = 0; file && i < values; i++) {
        bool others = i && i + 1 == values && all[i].count > OTHERS_NAMED_MAX;
        fputs(!i ? "" : i == 1 ? " where " : " and ", file);
        if (others)
            fprintf(file, "%" PRIu32 " others", all[i].count);
        else
            value_ranks(file, &all[i], call, rank, count);
        fprintf(file, " %s %s", all[i].count == 1 ? "calls" : "call", all[i].text);
    }
    free(all);
    return file ? text_close(file, &text) : NULL;
}

/* --- what is waited for ----------------------------------------------------------------------- */

static const char *const need_words[] = {
    [ENDING_NEED_MESSAGE] = "to send a message that fits",
    [ENDING_NEED_RECEIVE] = "to receive the message",
    [ENDING_NEED_BUFFER] = "to receive a message that is in the buffer",
    [ENDING_NEED_COLLECTIVE] = "to enter the collective",
    [ENDING_NEED_LEADER] = "to make the other side of the intercommunicator",
    [ENDING_NEED_POST] = "to expose its window (MPI_Win_post)",
    [ENDING_NEED_COMPLETE] = "to complete its accesses (MPI_Win_complete)",
    [ENDING_NEED_LOCK] = "to give its lock back",
    [ENDING_NEED_PARTITION] = "to mark the partitions of its send as ready (MPI_Pready)",
    [ENDING_NEED_SEVERAL] = "to do one of several things",
    [ENDING_NEED_ORDER] = "to make its call first",
};
_Static_assert(sizeof need_words / sizeof *need_words == ENDING_NEED_COUNT, "words per need");

const char *wording_need(enum ending_need need)
{
    CORE_CHECK(need < ENDING_NEED_COUNT); /* wording.h invariant 1 */
    return need_words[need];
}

/* The ranks of waits[0..count), together. Their number; 0 when out of memory. */
static uint32_t ranks_of(const struct ending *ending, const struct ending_wait *const *wait,
                         uint32_t count, uint32_t **out_rank)
{
    uint64_t ranks = 0;
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++)
        ranks += ending_wait_ranks(ending, wait[i]);
    *out_rank = ranks < UINT32_MAX ? malloc(((size_t)ranks + 1) * sizeof **out_rank) : NULL;
    for (uint32_t i = 0; *out_rank && i < count; i++)
        for (uint32_t s = 0; s < wait[i]->count; s++) {
            const struct ending_span *span = &ending->span[wait[i]->first + s];

            for (uint32_t r = span->first; r <= span->last; r++)
                (*out_rank)[used++] = r;
        }
    CORE_CHECK(!*out_rank || used == ranks);
    return used;
}

/* Several waits are all of them needed; of the ranks of one wait, any. */
static void ranks_waited(FILE *file, const struct ending *ending,
                         const struct ending_wait *const *wait, uint32_t count)
{
    CORE_CHECK(count > 0);
    bool ended = true;
    uint32_t *rank, ranks = ranks_of(ending, wait, count, &rank);

    if (ranks)
        wording_ranks(file, rank, ranks, count > 1 ? " and " : " or ");
    free(rank);
    for (uint32_t i = 0; i < count; i++)
        ended &= wait[i]->ended;
    if (ended)
        fputs(ranks == 1 ? ", which has come to its end" : ", which have come to their ends", file);
}

void wording_wait(FILE *file, const struct ending *ending, const struct ending_wait *wait)
{
    if (!wait->count) {
        fputs("what no rank can do any more", file);
        return;
    }
    if (wait->need == ENDING_NEED_ORDER) {
        fputs("another thread of its rank, which came first in the recorded run", file);
        return;
    }
    if (wait->need == ENDING_NEED_PARTITION) {
        fputs("partitions of its own send, which its rank does not mark as ready", file);
        return;
    }
    if (wait->wildcard)
        fputs("any message, from ", file);
    ranks_waited(file, ending, &wait, 1);
}

/* Of others the ranks that are waited for say all. */
static bool need_is_own(const struct ending_wait *wait)
{
    return wait->need == ENDING_NEED_ORDER || wait->need == ENDING_NEED_PARTITION;
}

/* Those of a single rank are told in one list. */
static bool wait_is_single(const struct ending *ending, const struct ending_wait *wait)
{
    return !wait->wildcard && !need_is_own(wait) && ending_wait_ranks(ending, wait) == 1;
}

static bool waits_alike(const struct ending *ending, const struct ending_wait *a,
                        const struct ending_wait *b)
{
    return a->count == b->count && need_is_own(a) == need_is_own(b) &&
           (!need_is_own(a) || a->need == b->need) && a->wildcard == b->wildcard &&
           a->ended == b->ended &&
           !memcmp(ending->span + a->first, ending->span + b->first,
                   a->count * sizeof *ending->span);
}

/* Whether one of the waits before it reads the same. */
static bool wait_repeats(const struct ending *ending, const struct ending_wait *const *wait,
                         uint32_t count, const struct ending_wait *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (waits_alike(ending, wait[i], one))
            return true;
    return false;
}

void wording_waits(FILE *file, const struct ending *ending, const struct ending_call *call)
{
    const struct ending_wait **wait = malloc(((size_t)call->count + 1) * sizeof *wait);
    uint32_t single = 0, other;

    if (!wait)
        return;
    for (uint32_t i = 0; i < call->count; i++) { /* those of a single rank in one list */
        const struct ending_wait *one = &ending->wait[call->first + i];

        if (wait_is_single(ending, one))
            wait[single++] = one;
    }
    if (single)
        ranks_waited(file, ending, wait, single);
    other = single;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct ending_wait *one = &ending->wait[call->first + i];

        if (wait_is_single(ending, one) || wait_repeats(ending, wait + single, other - single, one))
            continue;
        fputs(other ? ", and for " : "", file);
        wording_wait(file, ending, one);
        wait[other++] = one;
    }
    CORE_CHECK(single <= other && other <= call->count);
    free(wait);
}

char *wording_waits_text(const struct ending *ending, const struct ending_call *call)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    wording_waits(file, ending, call);
    return text_close(file, &text);
}

/* --- a deadlock ------------------------------------------------------------------------------- */

struct group {  /* calls of several ranks that read the same */
    char *text; /* "MPI_Recv for rank 1" */
    uint32_t *rank, count;
    bool mixed; /* the last group: what has no room of its own is here as well */
};

static char *call_text(const struct ending *ending, const struct ending_call *call)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    fprintf(file, "%s for ", *call->call ? call->call : "a call");
    wording_waits(file, ending, call);
    return text_close(file, &text);
}

/* The group of this text; the last one, for what fits no other, when there is no more room. */
static struct group *group_find(struct group *group, uint32_t *count, bool merge, char *text)
{
    for (uint32_t i = 0; merge && i < *count && i < GROUPS_MAX; i++)
        if (!strcmp(group[i].text, text))
            return &group[i];
    if (*count <= GROUPS_MAX)
        group[(*count)++].text = strdup(text);
    CORE_CHECK(*count > 0);
    CORE_CHECK(*count <= GROUPS_MAX + 1);
    return &group[*count - 1];
}

static void group_words(FILE *file, const struct group *group, bool first)
{
    fputs(first ? "" : ", ", file);
    wording_ranks(file, group->rank, group->count, " and ");
    if (group->mixed)
        fputs(group->count == 1 ? " waits as well" : " wait as well", file);
    else
        fprintf(file, " %s in %s", group->count == 1 ? "waits" : "wait", group->text);
}

/* The calls in the role, of which there are so many. */
static void calls_words(FILE *file, const struct ending *ending, enum ending_role role,
                        uint32_t calls)
{
    struct group group[GROUPS_MAX + 1] = {{0}};
    uint32_t count = 0;
    bool good = true;

    for (uint32_t i = 0; i < ending->call_count && good; i++) {
        const struct ending_call *call = &ending->call[i];
        char *text = call->role == role ? call_text(ending, call) : NULL;
        struct group *mine;

        if (call->role != role)
            continue;
        mine = text ? group_find(group, &count, calls > CALLS_SINGLE_MAX, text) : NULL;
        if (mine && !mine->rank)
            mine->rank = malloc(calls * sizeof *mine->rank);
        good = mine && mine->text && mine->rank;
        if (good) {
            CORE_CHECK(mine->count < calls); /* there is room for all of the core */
            mine->rank[mine->count++] = call->rank;
            mine->mixed |= strcmp(mine->text, text) != 0;
        }
        free(text);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (good)
            group_words(file, &group[i], i == 0);
        free(group[i].text);
        free(group[i].rank);
    }
}

/* Ranks of which nothing belongs to the core; the calls of a rank follow each other. */
static void behind_words(FILE *file, const struct ending *ending)
{
    uint32_t *rank = malloc(((size_t)ending->call_count + 1) * sizeof *rank), count = 0;

    for (uint32_t i = 0, end; rank && i < ending->call_count; i = end) {
        bool core = false;

        for (end = i; end < ending->call_count && ending->call[end].rank == ending->call[i].rank;
             end++)
            core |= ending->call[end].role == ENDING_CORE;
        if (!core)
            rank[count++] = ending->call[i].rank;
    }
    CORE_CHECK(count <= ending->call_count);
    if (count) {
        fputs("; ", file);
        wording_ranks(file, rank, count, " and ");
        fputs(" cannot go on either", file);
    }
    free(rank);
}

void wording_deadlock(FILE *file, const struct ending *ending)
{
    uint32_t calls = 0;

    for (uint32_t i = 0; i < ending->call_count; i++)
        calls += ending->call[i].role == ENDING_CORE;
    if (!calls) {
        fputs("in another job of the command", file);
        return;
    }
    calls_words(file, ending, ENDING_CORE, calls);
    behind_words(file, ending);
}

char *wording_deadlock_text(const struct ending *ending)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    wording_deadlock(file, ending);
    return text_close(file, &text);
}

/* --- what cannot be proven -------------------------------------------------------------------- */

struct doing { /* what the threads of a rank do */
    uint32_t rank;
    uint64_t still_ms;
    char *text; /* "MPI_Recv", "MPI_Recv, a thread outside of MPI", "outside of MPI" */
};

/* Which of the roles a rank is told under: INSIDE if any of its threads is. */
static enum ending_role role_of(const struct ending *seen, uint32_t first, uint32_t end)
{
    CORE_CHECK(end <= seen->call_count);
    for (uint32_t i = first; i < end; i++)
        if (seen->call[i].role != ENDING_OUTSIDE)
            return seen->call[i].role;
    return ENDING_OUTSIDE;
}

static uint32_t rank_end(const struct ending *seen, uint32_t first)
{
    uint32_t end = first;

    CORE_CHECK(first < seen->call_count);
    while (end < seen->call_count && seen->call[end].rank == seen->call[first].rank)
        end++;
    CORE_CHECK(end > first);
    return end;
}

static char *doing_text(const struct ending *seen, uint32_t first, uint32_t end)
{
    uint32_t inside = 0, outside = 0;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    for (uint32_t i = first; i < end; i++) {
        const struct ending_call *call = &seen->call[i];

        if (call->role == ENDING_OUTSIDE)
            outside++;
        else
            fprintf(file, "%s%s", inside++ ? ", " : "", *call->call ? call->call : "a call");
    }
    if (!inside)
        fputs("outside of MPI", file);
    else if (outside == 1)
        fputs(", a thread outside of MPI", file);
    else if (outside)
        fprintf(file, ", %" PRIu32 " threads outside of MPI", outside);
    return text_close(file, &text);
}

/* Those ranks from *at on that do what the first of them does; *at moves behind the first. */
static void doing_words(FILE *file, const struct doing *doing, uint32_t count, bool since,
                        bool merge, bool first)
{
    uint32_t *rank = malloc((size_t)count * sizeof *rank), ranks = 0;
    uint64_t least_ms = doing->still_ms;

    CORE_CHECK(count > 0);
    CORE_CHECK(doing->text); /* role_words leaves out what there was no memory for */
    for (uint32_t i = 0; rank && i < (merge ? count : 1); i++)
        if (doing[i].text && !strcmp(doing[i].text, doing->text)) {
            rank[ranks++] = doing[i].rank;
            least_ms = doing[i].still_ms < least_ms ? doing[i].still_ms : least_ms;
        }
    fputs(first ? "" : ", ", file);
    if (ranks)
        wording_ranks(file, rank, ranks, " and ");
    fprintf(file, " (%s", doing->text);
    if (since)
        fprintf(file, " for %s%" PRIu64 " s", ranks > 1 ? "at least " : "", least_ms / 1000);
    fputs(")", file);
    free(rank);
}

/* "rank 0 (MPI_Iprobe), rank 1 (MPI_Test)", of the ranks in this role. since: for how long, too.
 * Returns how many there are. */
static uint32_t role_words(FILE *file, const struct ending *seen, enum ending_role role, bool since)
{
    struct doing *doing = malloc(((size_t)seen->call_count + 1) * sizeof *doing);
    uint32_t count = 0;
    bool first = true;

    for (uint32_t i = 0, end; doing && i < seen->call_count; i = end) {
        end = rank_end(seen, i);
        if (role_of(seen, i, end) == role)
            doing[count++] = (struct doing){seen->call[i].rank, seen->call[i].still_ms,
                                            doing_text(seen, i, end)};
    }
    for (uint32_t i = 0; i < count; i++) {
        bool told = false;

        for (uint32_t k = 0; k < i && count > CALLS_SINGLE_MAX && !told; k++)
            told = doing[i].text && doing[k].text && !strcmp(doing[k].text, doing[i].text);
        if (told || !doing[i].text)
            continue;
        doing_words(file, doing + i, count - i, since, count > CALLS_SINGLE_MAX, first);
        first = false;
    }
    for (uint32_t i = 0; i < count; i++)
        free(doing[i].text);
    free(doing);
    return count;
}

static void stall_words(FILE *file, const struct ending *ending)
{
    static const enum ending_role order[] = {ENDING_INSIDE, ENDING_OUTSIDE, ENDING_POLLS};
    bool any[ENDING_ROLE_COUNT] = {false};
    const char *before = ": ";

    for (uint32_t i = 0, end; i < ending->call_count; i = end) {
        end = rank_end(ending, i);
        any[role_of(ending, i, end)] = true;
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!any[order[i]])
            continue;
        fprintf(file, "%s%s", before, order[i] == ENDING_POLLS ? "polling " : "");
        role_words(file, ending, order[i], true);
        before = ", ";
    }
}

char *wording_quiet(const struct ending *seen, uint32_t quiet_s)
{
    uint32_t count[ENDING_ROLE_COUNT] = {0};
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    for (uint32_t i = 0, end; i < seen->call_count; i = end) {
        end = rank_end(seen, i);
        count[role_of(seen, i, end)]++;
    }
    fprintf(file, "for %" PRIu32 " seconds ", quiet_s);
    if (count[ENDING_OUTSIDE]) {
        fputs("no call was completed: ", file);
        role_words(file, seen, ENDING_OUTSIDE, true);
        fputs(count[ENDING_INSIDE] ? ", " : "", file);
        role_words(file, seen, ENDING_INSIDE, true);
        fputs(count[ENDING_POLLS] ? ", " : "", file);
        role_words(file, seen, ENDING_POLLS, false);
        fputs("; some may compute, or it is a hang, which is not proven (--stall=SECONDS ends such "
              "a job)",
              file);
    } else if (count[ENDING_POLLS]) {
        role_words(file, seen, ENDING_POLLS, false);
        fputs(count[ENDING_POLLS] == 1 ? " has only polled and found nothing"
                                       : " have only polled and found nothing",
              file);
        fputs(count[ENDING_INSIDE] ? ", while others wait: " : "", file);
        role_words(file, seen, ENDING_INSIDE, false);
        fputs("; it may be a hang, which cannot be proven: end the job (--stall=SECONDS does), and "
              "it is judged",
              file);
    } else {
        fputs("nothing has moved, and all ranks are inside calls: ", file);
        role_words(file, seen, ENDING_INSIDE, false);
        fputs("; it may be a hang, which is not proven (--stall=SECONDS ends such a job)", file);
    }
    return text_close(file, &text);
}

/* --- how a job was ended ---------------------------------------------------------------------- */

char *wording_ending(const struct ending *ending)
{
    double limit_s = (double)ending->limit_ms / 1000;
    char *text = NULL;
    size_t bytes;
    FILE *file = ending->reason == ENDING_NONE ? NULL : open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    switch (ending->reason) {
    case ENDING_DEADLOCK:
        fputs("deadlock: ", file);
        wording_deadlock(file, ending);
        break;
    case ENDING_BUDGET:
        fprintf(file, "the job was ended after %g s: its budget was spent", limit_s);
        break;
    case ENDING_STALL:
        fprintf(file,
                "the job was ended after no call had been completed for %g s, without a proof that "
                "it hangs",
                limit_s);
        stall_words(file, ending);
        break;
    case ENDING_SNAPSHOT:
        if (ending->call_count)
            calls_words(file, ending, ENDING_INSIDE, ending->call_count);
        else
            fputs("no rank was seen to wait for another", file);
        break;
    default:
        break;
    }
    return text_close(file, &text);
}

/* --- signals ---------------------------------------------------------------------------------- */

static const struct {
    int number;
    const char *name, *text;
    bool own;
} signals[] = {
    {SIGSEGV, "SIGSEGV", "segmentation fault", true},
    {SIGBUS, "SIGBUS", "bus error", true},
    {SIGFPE, "SIGFPE", "arithmetic exception", true},
    {SIGILL, "SIGILL", "illegal instruction", true},
    {SIGABRT, "SIGABRT", "abort", true},
    {SIGTRAP, "SIGTRAP", "trap", true},
    {SIGSYS, "SIGSYS", "bad system call", true},
    {SIGKILL, "SIGKILL", "killed", false},
    {SIGTERM, "SIGTERM", "terminated", false},
    {SIGINT, "SIGINT", "interrupt", false},
    {SIGHUP, "SIGHUP", "hangup", false},
    {SIGQUIT, "SIGQUIT", "quit", false},
    {SIGPIPE, "SIGPIPE", "broken pipe", true},
    {SIGALRM, "SIGALRM", "alarm clock", true},
    {SIGUSR1, "SIGUSR1", "user signal 1", false},
    {SIGUSR2, "SIGUSR2", "user signal 2", false},
    {SIGXCPU, "SIGXCPU", "limit of processor time", false},
    {SIGXFSZ, "SIGXFSZ", "limit of file size", false},
};

static int signal_find(int64_t number)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            return (int)i;
    return -1;
}

char *wording_signal(int64_t number)
{
    int i = signal_find(number);
    char *text = NULL;

    if (number == 0)
        return strdup("what is not known");
    if ((i < 0 ? asprintf(&text, "signal %" PRId64, number)
               : asprintf(&text, "%s (signal %" PRId64 ", %s)", signals[i].name, number,
                          signals[i].text)) < 0)
        return NULL;
    return text;
}

bool wording_signal_is_own(int64_t number)
{
    int i = signal_find(number);

    return i >= 0 && signals[i].own;
}

const char *wording_signal_cause(int64_t number, int64_t si_code)
{
    static const struct {
        int number, si_code;
        const char *text;
    } causes[] = {
        {SIGSEGV, SEGV_MAPERR, "no memory is mapped there"},
        {SIGSEGV, SEGV_ACCERR, "the memory there may not be accessed in that way"},
        {SIGSEGV, SI_KERNEL, "the address that it accessed is none that memory can have"},
        {SIGBUS, BUS_ADRALN, "it is not aligned"},
        {SIGBUS, BUS_ADRERR, "the file that is mapped there ends before it, or has no space"},
        {SIGFPE, FPE_INTDIV, "an integer was divided by zero"},
        {SIGFPE, FPE_INTOVF, "an integer overflowed"},
        {SIGFPE, FPE_FLTDIV, "a floating-point number was divided by zero"},
        {SIGFPE, FPE_FLTOVF, "a floating-point number overflowed"},
        {SIGFPE, FPE_FLTUND, "a floating-point number underflowed"},
        {SIGFPE, FPE_FLTINV, "a floating-point operation was invalid"},
    };

    if (number == SIGKILL)
        return "no program does that to itself unawares: the kernel's OOM killer sends the signal, "
               "and batch systems do";
    if (number != SIGABRT && (si_code == SI_USER || si_code == SI_TKILL || si_code == SI_QUEUE))
        return "a process sent the signal, it came of no instruction";
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].number == number && causes[i].si_code == si_code)
            return causes[i].text;
    return NULL;
}

/* --- misuse ----------------------------------------------------------------------------------- */

static const char *const misuse_forms[] = {
    [MISUSE_HANDLE_POINTER] = "'%a' is not %o but a null pointer",
    [MISUSE_HANDLE_NULL] = "'%a' is %n",
    [MISUSE_HANDLE_FREED] = "'%a' is %o that was freed",
    [MISUSE_HANDLE_UNKNOWN] = "'%a' is not %o: it was never made, or was freed",
    [MISUSE_HANDLE_PREDEFINED] = "'%a' is %o that is predefined: it must not be freed",
    [MISUSE_TYPE_UNCOMMITTED] = "'%a' is a datatype that was not committed",
    [MISUSE_TYPE_OVERLAPS] =
        "the datatype of '%a' has parts that overlap, which must not be received into",
    [MISUSE_PEER_RANGE] = "'%a' is %0, but the communicator has %1 rank%s",
    [MISUSE_PEER_ANY] = "'%a' is %0 (MPI_ANY_SOURCE), but the communicator has %1 rank%s",
    [MISUSE_TARGET_RANGE] = "'%a' is %0, but the window has %1 ranks",
    [MISUSE_TAG_NEGATIVE] = "'%a' is %0: tags are not negative",
    [MISUSE_LEAST] = "'%a' is %0, must be at least %1",
    [MISUSE_NEGATIVE] = "'%a' is negative: %0",
    [MISUSE_NEGATIVE_ENTRY] = "'%a'[%0] is negative: %1",
    [MISUSE_NULL_POINTER] = "'%a' is a null pointer",
    [MISUSE_OP_DERIVED] = "'%a' is %b, which is not defined for derived datatypes",
    [MISUSE_OP_TYPE] = "'%a' is %b, which is not defined for %c",
    [MISUSE_OP_CUSTOM] =
        "'%a' is %b, which MPI does not define for %c: a library need not do what this one did",
    [MISUSE_OP_ONE_SIDED] = "'%a' is %b, which is defined for one-sided calls only",
    [MISUSE_OP_FETCHES] = "'%a' is %b, which is defined only for calls that return what they found",
    [MISUSE_OP_USER] = "'%a' is an operation of the program's own, which one-sided calls do not "
                       "take",
    [MISUSE_OP_MIXED] = "'%a' is %b, but its datatype is made of several, of %c and of others",
    [MISUSE_SWAP_TYPE] = "'%a' is %c, for which it is not defined",
    [MISUSE_SWAP_DERIVED] = "'%a' is a derived datatype, for which it is not defined",
    [MISUSE_DIMS_ENTRY] = "'%a'[%0] is %1",
    [MISUSE_DIMS_PRODUCT] = "'%a' makes a grid of %0 ranks, but the communicator has %1",
    [MISUSE_SUBARRAY] = "'%a'[%0] is %1: %2 elements from there on are not in an array of %3",
    [MISUSE_GROUP_RANGE] = "'%a'[%0] is %1, but the group has %2 ranks",
    [MISUSE_RANK_TWICE] = "'%a' names rank %0 twice",
    [MISUSE_NO_CART] = "'%a' has no Cartesian topology",
    [MISUSE_NO_GRAPH] = "'%a' has no graph topology",
    [MISUSE_NO_DIST_GRAPH] = "'%a' has no distributed graph topology",
    [MISUSE_NO_TOPOLOGY] = "'%a' has no topology: it has no neighbors",
    [MISUSE_CART_COORDINATE] = "'%a'[%0] is %1, but that dimension has %2 and is not periodic",
    [MISUSE_CART_DIMENSION] = "'%a' is %0, but there are %1 dimensions",
    [MISUSE_CART_RANK] = "'%a' is %0, but there are %1 ranks",
    [MISUSE_NONE_OF] = "'%a' is %0, which is none of the values that it can have",
    [MISUSE_AMODE_ACCESS] =
        "'%a' must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR",
    [MISUSE_AMODE_CREATE] = "'%a' has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL",
    [MISUSE_AMODE_SEQUENTIAL] = "'%a' has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL",
    [MISUSE_KEYVAL_FREED] = "'%a' is an attribute key that was freed",
    [MISUSE_KEYVAL_UNKNOWN] = "'%a' is no attribute key",
    [MISUSE_NOTHING_ATTACHED] = "no buffer is attached",
    [MISUSE_WINDOW_NO_MEMORY] = "'%a' does not point to %0 byte%s of memory",
    [MISUSE_REGION_TWICE] = "'%a' overlaps memory that is attached to the window already",
    [MISUSE_REGION_UNKNOWN] = "'%a' is not attached to the window",
    [MISUSE_WINDOW_UNMAPPED] =
        "the memory of the window was given back before the window was freed",
    [MISUSE_REGION_UNMAPPED] = "memory that is attached to the window was given back before",
    [MISUSE_WINDOW_FREED] = "the memory of the window was freed before the window was",
    [MISUSE_REGION_FREED] = "memory that is attached to the window was freed before",
    [MISUSE_ATTACHED_SMALL] = "the message has %0 bytes, the attached buffer %1",
    [MISUSE_NO_MESSAGE] = "'%a' is no message that was probed",
    [MISUSE_IN_PLACE] = "'%a' is MPI_IN_PLACE, which is not allowed here",
    [MISUSE_NULL_SENT] = "'%a' is a null pointer, but there is data to be sent",
    [MISUSE_NULL_RECEIVED] = "'%a' is a null pointer, but there is data to be received",
    [MISUSE_ADDRESS_SENT] = "'%a' is no address, but there is data to be sent",
    [MISUSE_ADDRESS_RECEIVED] = "'%a' is no address, but there is data to be received",
    [MISUSE_PARTS_OVERLAP] = "the parts of '%a' for ranks %0 and %1 overlap",
    [MISUSE_BUFFERS_OVERLAP] = "'%b' and '%a' overlap",
    [MISUSE_BUFFER_OVERLAPS] = "'%a' overlaps '%b' of a call that has not completed",
    [MISUSE_BUFFER_BOTH_WRITTEN] =
        "'%a' overlaps '%b' of a call that has not completed, and both are written",
    [MISUSE_SEND_WRITTEN] = "'%a' was written to before the call that reads it had completed",
    [MISUSE_SEND_UNMAPPED] = "'%a' was unmapped before the call that reads it had completed",
    [MISUSE_RECEIVE_WRITTEN] = "'%a' was written to before the call that fills it had completed",
    [MISUSE_RECEIVE_UNMAPPED] = "'%a' was unmapped before the call that fills it had completed",
    [MISUSE_RECEIVE_ACCESSED] = "'%a' was accessed before the call that fills it had completed",
    [MISUSE_SEND_PAST_END] = "%v%f is sent as %0 %d, %1 bytes",
    [MISUSE_RECEIVE_PAST_END] = "%v%f is received as %0 %d, %1 bytes",
    [MISUSE_SEND_FREED_MEMORY] = "'%a' lies in memory that was freed, of which %1 bytes are sent",
    [MISUSE_RECEIVE_FREED_MEMORY] =
        "'%a' lies in memory that was freed, into which %1 bytes are received",
    [MISUSE_SEND_POISONED] = "byte %1 of the %0 that '%a' sends is poisoned: AddressSanitizer "
                             "knows it as freed, or as part of no object",
    [MISUSE_RECEIVE_POISONED] = "byte %1 of the %0 that '%a' receives is poisoned: "
                                "AddressSanitizer knows it as freed, or as part of no object",
    [MISUSE_SEND_UNINITIALIZED] =
        "byte %1 of the %0 that '%a' sends was never written: MemorySanitizer knows it as "
        "uninitialized",
    [MISUSE_SEND_BYTES_UNINITIALIZED] =
        "byte %1 of the %0 that '%a' sends was never written: MemorySanitizer knows it as "
        "uninitialized, or as the padding of a structure",
    [MISUSE_SEND_TYPE] = "%v is sent as %d%t, where it holds %c",
    [MISUSE_RECEIVE_TYPE] = "%v is received as %d%t, where it holds %c",
    [MISUSE_SEND_NO_MEMBER] = "%v is sent as %d%t, where none of its members begins",
    [MISUSE_RECEIVE_NO_MEMBER] = "%v is received as %d%t, where none of its members begins",
    [MISUSE_SEND_POINTER] =
        "%v is sent as %d%t, where it holds %c: a pointer itself, not what it points to",
    [MISUSE_RECEIVE_POINTER] =
        "%v is received as %d%t, where it holds %c: a pointer itself, not what it points to",
    [MISUSE_SEND_CHARACTERS] =
        "%v is sent as %d%t, where it holds %c: only MPI_BYTE stands for bytes of anything",
    [MISUSE_RECEIVE_CHARACTERS] =
        "%v is received as %d%t, where it holds %c: only MPI_BYTE stands for bytes of anything",
    [MISUSE_START_NULL] = "'%a' is MPI_REQUEST_NULL: there is nothing to start",
    [MISUSE_START_UNKNOWN] = "'%a' is no request that can be started: it was freed, or never made",
    [MISUSE_START_ONCE] = "'%a' is not persistent: it cannot be started",
    [MISUSE_START_ACTIVE] = "'%a' is started while it is active",
    [MISUSE_MARK_UNKNOWN] = "'%a' is no partitioned send: it has no partitions to be marked",
    [MISUSE_MARK_UNSTARTED] = "a partition is marked as ready before '%a' is started",
    [MISUSE_MARKED_TWICE] =
        "partition %0 is marked as ready for the second time since the request was started",
    [MISUSE_PARTITION_LEFT] =
        "it waits for a send whose partition %0 is not marked as ready (of %1 partitions, %2 are "
        "not): nobody can mark it while the rank waits",
    [MISUSE_PARTITION_RANGE] = "'%a' is %0, of a request with %1 partitions",
    [MISUSE_ASKED_UNKNOWN] = "'%a' is no partitioned receive: it has no partitions that arrive",
    [MISUSE_WAIT_UNKNOWN] =
        "'%a' is no active request: it completed or was freed before, or was never made",
    [MISUSE_FREE_NULL] = "'%a' is MPI_REQUEST_NULL",
    [MISUSE_FREE_UNKNOWN] =
        "'%a' is no request: it completed or was freed before, or was never made",
    [MISUSE_FREE_COLLECTIVE] = "the request of a collective is freed while it is active",
    [MISUSE_FREE_RECEIVE] = "the request of a receive is freed while it is active: nothing can "
                            "tell when its buffer may be used",
    [MISUSE_FREE_SEND] = "the request of a send is freed while it is active: that is allowed, but "
                         "nothing can tell when its buffer may be used again",
    [MISUSE_NEVER_STARTED_ONE] = "a persistent request was waited for beside others, but never "
                                 "started",
    [MISUSE_NEVER_STARTED] = "a persistent request was waited for, but never started",
    [MISUSE_MESSAGE_LEFT] = "a message that was probed was never received",
    [MISUSE_REQUEST_LEFT] =
        "a request was never completed: no wait or test for it, or its handle was overwritten",
    [MISUSE_OBJECT_LEFT] = "%o was never freed",
    [MISUSE_BUFFER_LEFT] = "%o was never detached",
    [MISUSE_PERSISTENT_LEFT] = "a persistent request was never freed",
    [MISUSE_PERSISTENT_UNSTARTED] = "a persistent request was never freed, nor started",
    [MISUSE_INIT_TWICE] = "MPI is initialized already",
    [MISUSE_AFTER_FINALIZE] = "it is called after MPI_Finalize",
    [MISUSE_BEFORE_INIT] = "it is called before MPI_Init",
    [MISUSE_WINDOW_READ] = "bytes %0 to %1 of its window are read by the call",
    [MISUSE_WINDOW_WRITTEN] = "bytes %0 to %1 of its window are written by the call",
    [MISUSE_WINDOW_LOADED] = "bytes %0 to %1 of its window were loaded",
    [MISUSE_WINDOW_STORED] = "bytes %0 to %1 of its window were stored to",
    [MISUSE_WINDOW_CHANGED] = "bytes %0 to %1 of its window changed",
};
_Static_assert(sizeof misuse_forms / sizeof *misuse_forms == MISUSE_KIND_COUNT, "words per kind");

static const struct {
    const char *name, *none; /* one of it; the handle that names none */
} object_words[] = {
    [MISUSE_OBJECT_NONE] = {"an object", ""},
    [MISUSE_OBJECT_COMM] = {"a communicator", "MPI_COMM_NULL"},
    [MISUSE_OBJECT_GROUP] = {"a group", "MPI_GROUP_NULL"},
    [MISUSE_OBJECT_TYPE] = {"a datatype", "MPI_DATATYPE_NULL"},
    [MISUSE_OBJECT_OP] = {"an operation", "MPI_OP_NULL"},
    [MISUSE_OBJECT_WIN] = {"a window", "MPI_WIN_NULL"},
    [MISUSE_OBJECT_FILE] = {"a file", "MPI_FILE_NULL"},
    [MISUSE_OBJECT_INFO] = {"an info object", "MPI_INFO_NULL"},
    [MISUSE_OBJECT_ERRHANDLER] = {"an error handler", "MPI_ERRHANDLER_NULL"},
    [MISUSE_OBJECT_KEYVAL] = {"an attribute key", "MPI_KEYVAL_INVALID"},
    [MISUSE_OBJECT_BUFFER] = {"a buffer for MPI_Bsend", ""},
    [MISUSE_OBJECT_MEMORY] = {"memory from MPI_Alloc_mem", ""},
    [MISUSE_OBJECT_VARIABLE] = {"a variable", ""},
    [MISUSE_OBJECT_BLOCK] = {"a block from malloc", ""},
    [MISUSE_OBJECT_FRAME] = {"a place on the stack", ""},
    [MISUSE_OBJECT_MAPPING] = {"a place in memory", ""},
};
_Static_assert(sizeof object_words / sizeof *object_words == MISUSE_OBJECT_COUNT,
               "words per object");

const char *wording_misuse_form(enum misuse_kind kind)
{
    CORE_CHECK(kind < MISUSE_KIND_COUNT); /* wording.h invariant 1 */
    return misuse_forms[kind];
}

/* "`p` (int[10], x.c:14)": of a variable of which only the symbol is known, its size. */
static void variable_write(FILE *file, const struct misuse *misuse)
{
    const struct misuse_variable *v = &misuse->variable;

    CORE_CHECK(v->name);
    fprintf(file, "`%s`", v->name);
    if (v->type && v->file)
        fprintf(file, " (%s, %s:%" PRId64 ")", v->type, v->file, v->line);
    else if (v->type)
        fprintf(file, " (%s)", v->type);
    else
        fprintf(file, " (%" PRId64 " bytes)", misuse->value[2] + misuse->value[3]);
}

/* What memory a buffer is: a variable, what a pointer points to, or what it has room for. */
static void memory_write(FILE *file, const struct misuse *misuse)
{
    bool named = misuse->variable.name != NULL,
         room = misuse->kind == MISUSE_SEND_PAST_END || misuse->kind == MISUSE_RECEIVE_PAST_END;

    if (misuse->object != MISUSE_OBJECT_VARIABLE || !named)
        fputs(room ? object_words[misuse->object].name : "what ", file);
    if (room && (misuse->object != MISUSE_OBJECT_VARIABLE || !named))
        fprintf(file, " with room for %" PRId64 " byte%s%s", misuse->value[2],
                misuse->value[2] == 1 ? "" : "s", named ? ", " : "");
    if (named)
        variable_write(file, misuse);
    if (misuse->object != MISUSE_OBJECT_VARIABLE && named)
        fputs(room ? "," : " points to", file);
}

static void datatype_write(FILE *file, const struct misuse *misuse)
{
    fputs(misuse->name[1] ? misuse->name[1] : "of a derived datatype", file);
}

/* Where in a variable something begins, or differs: nothing at its start. */
static void offset_write(FILE *file, const struct misuse *misuse, const char *before,
                         const char *behind)
{
    if (misuse->object == MISUSE_OBJECT_VARIABLE && misuse->value[3])
        fprintf(file, " %s byte %" PRId64 "%s", before, misuse->value[3], behind);
}

char *wording_misuse(const struct misuse *misuse)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    int64_t value = 0;

    if (!file)
        return NULL;
    CORE_CHECK(misuse->object < MISUSE_OBJECT_COUNT);
    for (const char *at = wording_misuse_form(misuse->kind); *at; at++) {
        if (*at != '%') {
            fputc(*at, file);
            continue;
        }
        at++;
        if (*at >= '0' && *at < '0' + MISUSE_VALUES) {
            value = misuse->value[*at - '0'];
            fprintf(file, "%" PRId64, value);
        } else if (*at >= 'a' && *at < 'a' + MISUSE_NAMES) {
            fputs(misuse->name[*at - 'a'] ? misuse->name[*at - 'a'] : "?", file);
        } else if (*at == 's') {
            fputs(value == 1 ? "" : "s", file);
        } else if (*at == 'v') {
            memory_write(file, misuse);
        } else if (*at == 'd') {
            datatype_write(file, misuse);
        } else if (*at == 'f' || *at == 't') {
            offset_write(file, misuse, *at == 'f' ? "from" : "at", *at == 'f' ? " on" : "");
        } else {
            CORE_CHECK(*at == 'o' || *at == 'n'); /* no other place stands in a form */
            fputs(*at == 'o' ? object_words[misuse->object].name
                             : object_words[misuse->object].none,
                  file);
        }
    }
    return text_close(file, &text);
}

char *wording_misuse_detail(const struct misuse *misuse)
{
    const int64_t *v = misuse->value;
    char *text = NULL;
    int length = -1;

    switch (misuse->kind) {
    case MISUSE_BUFFERS_OVERLAP:
    case MISUSE_BUFFER_OVERLAPS:
    case MISUSE_BUFFER_BOTH_WRITTEN:
        length = asprintf(&text,
                          "'%s' is 0x%" PRIx64 " to 0x%" PRIx64 ", '%s' 0x%" PRIx64 " to 0x%" PRIx64
                          ": %" PRId64 " byte%s in both",
                          misuse->name[0] ? misuse->name[0] : "?", (uint64_t)v[0], (uint64_t)v[1],
                          misuse->name[1] ? misuse->name[1] : "?", (uint64_t)v[2], (uint64_t)v[3],
                          v[4], v[4] == 1 ? " is" : "s are");
        break;
    case MISUSE_PARTS_OVERLAP:
        length = asprintf(
            &text, "bytes %" PRId64 " to %" PRId64 " of '%s' are in both: %" PRId64 " byte%s", v[2],
            v[3], misuse->name[0] ? misuse->name[0] : "?", v[3] - v[2],
            v[3] - v[2] == 1 ? "" : "s");
        break;
    default:
        break;
    }
    return length < 0 ? NULL : text;
}
