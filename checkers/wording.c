/* Puts records into words (wording.h). Holds no state. */
#include "checkers/wording.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"

enum {
    ALTERNATIVES_MAX = 8, /* more alternatives than this are written as spans */
    OTHERS_NAMED_MAX = 3, /* a larger majority is called "others" */
    CALLS_SINGLE_MAX = 4, /* more calls than this are grouped if they read the same */
    GROUPS_MAX = 8        /* kinds of calls in one sentence; for the rest it names only ranks */
};

/* --- ranks ------------------------------------------------------------------------------------ */

static int rank_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Returns the end of the consecutive ranks that start at *at, and moves *at past them. */
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

/* Writes ranks that ascend without repeats. Two consecutive ranks are no span. */
static void ranks_sorted(FILE *file, const uint32_t *rank, uint32_t count, const char *joint)
{
    bool single = !strcmp(joint, " or ") && count <= ALTERNATIVES_MAX;

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
        CORE_CHECK(next > i); /* each step writes at least one rank (wording.h invariant 2) */
        fputs(i == 0 ? "" : next == count ? joint : ", ", file);
        fprintf(file, "%" PRIu32, rank[i]);
        if (last != rank[i])
            fprintf(file, "-%" PRIu32, last);
    }
}

/* Returns a sorted copy without repeats; NULL: out of memory. */
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
    return core_text_close(file, &text);
}

char *wording_ranks_text(const uint32_t *rank, uint32_t count, const char *joint)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    wording_ranks(file, rank, count, joint);
    return core_text_close(file, &text);
}

/* --- what differs ----------------------------------------------------------------------------- */

struct value { /* a value that some ranks share */
    const char *text;
    uint32_t count, first; /* first: index of its first rank */
};

static int value_compare(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Returns the different values, the rarest first; NULL: out of memory. */
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
    CORE_CHECK(!ranks || used == of->count); /* as many as were counted */
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
    return core_text_close(file, &text);
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
    return core_text_close(file, &text);
}

/* Writes "which ranks 0 and 1 call" or "which 14 others leave out". */
static void which_ranks(FILE *file, const uint32_t *rank, uint32_t count, bool there)
{
    fputs(", which ", file);
    if (count > OTHERS_NAMED_MAX)
        fprintf(file, "%" PRIu32 " others", count);
    else
        wording_ranks(file, rank, count, " and ");
    fprintf(file, " %s%s%s", there ? "call" : "leave", count == 1 ? "s" : "", there ? "" : " out");
}

char *wording_missing(const char *call, const uint32_t *missing, uint32_t missing_count,
                      const uint32_t *there, uint32_t there_count)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    CORE_CHECK(missing_count > 0);
    CORE_CHECK(there_count > 0);
    if (there_count < missing_count) {
        wording_ranks(file, there, there_count, " and ");
        fprintf(file, " %s %s", there_count == 1 ? "calls" : "call", call);
        which_ranks(file, missing, missing_count, false);
    } else {
        wording_ranks(file, missing, missing_count, " and ");
        fprintf(file, " %s out %s", missing_count == 1 ? "leaves" : "leave", call);
        which_ranks(file, there, there_count, true);
    }
    return core_text_close(file, &text);
}

/* --- what is waited for ----------------------------------------------------------------------- */

static const char *const need_words[] = {
    [ENDING_NEED_MESSAGE] = "to send a message that fits",
    [ENDING_NEED_RECEIVE] = "to receive the message",
    [ENDING_NEED_BUFFER] = "to receive a message that is in the buffer",
    [ENDING_NEED_COLLECTIVE] = "to enter the collective",
    [ENDING_NEED_PART] = "to do its part of the collective",
    [ENDING_NEED_LEADER] = "to call MPI_Intercomm_create on the other side",
    [ENDING_NEED_POST] = "to expose its window (MPI_Win_post)",
    [ENDING_NEED_COMPLETE] = "to complete its accesses (MPI_Win_complete)",
    [ENDING_NEED_LOCK] = "to release its lock",
    [ENDING_NEED_PARTITION] = "to mark the partitions of its send as ready (MPI_Pready)",
    [ENDING_NEED_GENERALIZED] = "to complete its generalized request",
    [ENDING_NEED_START] = "to start its persistent request (MPI_Start)",
    [ENDING_NEED_NULL] = "to transfer data with a null pointer",
    [ENDING_NEED_OVER] = "to end its wait for a request whose communication is complete",
    [ENDING_NEED_SEVERAL] = "to do one of several things",
    [ENDING_NEED_ORDER] = "to make its call first",
};
_Static_assert(sizeof need_words / sizeof *need_words == ENDING_NEED_COUNT, "words per need");

const char *wording_need(enum ending_need need)
{
    CORE_CHECK(need < ENDING_NEED_COUNT); /* wording.h invariant 1 */
    return need_words[need];
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Collects the ranks of waits[0..count), each once. Returns their number; 0 when out of memory. */
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
    if (used)
        qsort(*out_rank, used, sizeof **out_rank, by_number);
    uint32_t own = 0;
    for (uint32_t i = 0; i < used; i++)
        if (!own || (*out_rank)[own - 1] != (*out_rank)[i])
            (*out_rank)[own++] = (*out_rank)[i];
    return own;
}

static bool needs_each(const struct ending_wait *wait)
{
    return wait->need == ENDING_NEED_COLLECTIVE || wait->need == ENDING_NEED_PART;
}

/* Writes the ranks. All of several waits are needed; one wait needs any one of its ranks, but a
 * collective needs all. */
static void ranks_waited(FILE *file, const struct ending *ending,
                         const struct ending_wait *const *wait, uint32_t count)
{
    CORE_CHECK(count > 0);
    bool ended = true;
    uint32_t *rank, ranks = ranks_of(ending, wait, count, &rank);

    if (ranks)
        wording_ranks(file, rank, ranks, count > 1 || needs_each(wait[0]) ? " and " : " or ");
    fputs(wait[0]->job == ENDING_JOB_SPAWNED  ? " of the spawned job"
          : wait[0]->job == ENDING_JOB_PARENT ? " of the parent job"
                                              : "",
          file);
    free(rank);
    for (uint32_t i = 0; i < count; i++)
        ended &= wait[i]->ended;
    if (ended)
        fputs(ranks == 1 ? ", which has ended" : ", which have ended", file);
}

void wording_wait(FILE *file, const struct ending *ending, const struct ending_wait *wait)
{
    if (!wait->count) {
        fputs("a call that no rank can make any more", file);
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
    if (wait->need == ENDING_NEED_GENERALIZED) {
        fputs("MPI_Grequest_complete by its own rank", file);
        return;
    }
    if (wait->need == ENDING_NEED_START) {
        fputs("a persistent request that its own rank did not start (MPI_Start)", file);
        return;
    }
    if (wait->need == ENDING_NEED_NULL) {
        fputs("data that it transfers with a null pointer", file);
        return;
    }
    if (wait->need == ENDING_NEED_OVER) {
        fputs("a request whose communication is complete", file);
        return;
    }
    if (wait->wildcard)
        fputs("any message, from ", file);
    ranks_waited(file, ending, &wait, 1);
}

bool wording_rests(const struct ending *ending)
{
    for (uint32_t i = 0; i < ending->wait_count; i++)
        if (ending->wait[i].need == ENDING_NEED_NULL || ending->wait[i].need == ENDING_NEED_OVER)
            return true;
    return false;
}

bool wording_need_is_own(enum ending_need need)
{
    return need == ENDING_NEED_ORDER || need == ENDING_NEED_PARTITION ||
           need == ENDING_NEED_GENERALIZED || need == ENDING_NEED_START ||
           need == ENDING_NEED_NULL || need == ENDING_NEED_OVER;
}

/* Tells whether the waiting rank itself must act; for other waits the awaited ranks say all. */
static bool need_is_own(const struct ending_wait *wait)
{
    return wording_need_is_own(wait->need);
}

/* Tells whether the wait is for a single rank: such waits go into one list. */
static bool wait_is_single(const struct ending *ending, const struct ending_wait *wait)
{
    return !wait->wildcard && !need_is_own(wait) && wait->job == ENDING_JOB_OWN &&
           ending_wait_ranks(ending, wait) == 1;
}

static bool waits_alike(const struct ending *ending, const struct ending_wait *a,
                        const struct ending_wait *b)
{
    return a->count == b->count && need_is_own(a) == need_is_own(b) &&
           (!need_is_own(a) || a->need == b->need) && a->wildcard == b->wildcard &&
           a->ended == b->ended && a->job == b->job &&
           !memcmp(ending->span + a->first, ending->span + b->first,
                   a->count * sizeof *ending->span);
}

/* Tells whether an earlier wait reads the same. */
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
    for (uint32_t i = 0; i < call->count; i++) { /* waits for single ranks go into one list */
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
    return core_text_close(file, &text);
}

/* --- a deadlock ------------------------------------------------------------------------------- */

struct group {  /* calls of several ranks that read the same */
    char *text; /* "MPI_Recv for rank 1" */
    uint32_t *rank, count;
    bool mixed; /* the last group, which also takes what does not fit elsewhere */
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
    return core_text_close(file, &text);
}

/* Returns the group with this text; when all are in use, the last one. */
static struct group *group_find(struct group *group, uint32_t *count, char *text)
{
    for (uint32_t i = 0; i < *count && i < GROUPS_MAX; i++)
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

/* Writes the `calls` calls that have this role. */
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
        mine = text ? group_find(group, &count, text) : NULL;
        if (mine && !mine->rank)
            mine->rank = malloc(calls * sizeof *mine->rank);
        good = mine && mine->text && mine->rank;
        if (good) {
            CORE_CHECK(mine->count < calls); /* there is room for all of the core */
            if (!mine->count || mine->rank[mine->count - 1] != call->rank) /* one call per thread */
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

/* Writes the ranks that have no call in the core; calls are sorted by rank. */
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
        fputs(" cannot continue either", file);
    }
    free(rank);
}

/* Writes who waits for what in a proven deadlock: "rank 0 waits in MPI_Recv for rank 1, rank 1
 * waits in MPI_Send for rank 0; rank 2 cannot continue either". */
static void print_deadlock(FILE *file, const struct ending *ending)
{
    uint32_t calls = 0;

    for (uint32_t i = 0; i < ending->call_count; i++)
        calls += ending->call[i].role == ENDING_CORE;
    if (!calls && ending_reaches_jobs(ending)) { /* the core is in another job */
        calls_words(file, ending, ENDING_BEHIND, ending->call_count);
        return;
    }
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
    print_deadlock(file, ending);
    return core_text_close(file, &text);
}

/* --- what cannot be proven -------------------------------------------------------------------- */

struct doing { /* what the threads of a rank do */
    uint32_t rank;
    uint64_t still_ms;
    char *text; /* "MPI_Recv", "MPI_Recv, a thread outside of MPI", "outside of MPI" */
};

/* Returns the role of the rank's first thread that is not outside of MPI; OUTSIDE if there is none.
 */
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
    return core_text_close(file, &text);
}

/* Writes the ranks from `doing` on that do the same as the first. */
static void doing_words(FILE *file, const struct doing *doing, uint32_t count, bool since,
                        bool merge, bool first)
{
    uint32_t *rank = malloc((size_t)count * sizeof *rank), ranks = 0;
    uint64_t least_ms = doing->still_ms;

    CORE_CHECK(count > 0);
    CORE_CHECK(doing->text); /* role_words skips ranks without text */
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

/* Writes "rank 0 (MPI_Iprobe), rank 1 (MPI_Test)" for the ranks in this role. since: adds for how
 * long. Returns the number of ranks. */
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

char *wording_quiet(const struct ending *seen, uint32_t quiet_s, bool long_calls)
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
        fputs("; some ranks may compute, or the job hangs, which is not proven (--stall=SECONDS "
              "ends such a job)",
              file);
    } else if (count[ENDING_POLLS]) {
        role_words(file, seen, ENDING_POLLS, false);
        fputs(count[ENDING_POLLS] == 1 ? " has only polled and found nothing"
                                       : " have only polled and found nothing",
              file);
        fputs(count[ENDING_INSIDE] ? ", while others wait: " : "", file);
        role_words(file, seen, ENDING_INSIDE, false);
        fputs("; the job may hang, which cannot be proven: end the job (--stall=SECONDS does) to "
              "get a verdict",
              file);
    } else {
        fputs("no call was completed, and all ranks are inside calls: ", file);
        role_words(file, seen, ENDING_INSIDE, long_calls);
        fprintf(file, "; %s, which is not proven (--stall=SECONDS ends such a job)",
                long_calls ? "such calls may take long, or the job hangs" : "the job may hang");
    }
    return core_text_close(file, &text);
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
        print_deadlock(file, ending);
        break;
    case ENDING_BUDGET:
        fprintf(file, "the job was ended after %g s: its budget was spent", limit_s);
        break;
    case ENDING_STALL:
        fprintf(file,
                "the job was ended, without a proof of a hang, after %g s in which no call "
                "completed except tests and probes that found nothing",
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
    return core_text_close(file, &text);
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
        {SIGSEGV, SI_KERNEL, "no memory can have the address that it accessed"},
        {SIGBUS, BUS_ADRALN, "the address is not aligned"},
        {SIGBUS, BUS_ADRERR,
         "the file that is mapped there ends before the address, or has no space left"},
        {SIGFPE, FPE_INTDIV, "an integer was divided by zero"},
        {SIGFPE, FPE_INTOVF, "an integer overflowed"},
        {SIGFPE, FPE_FLTDIV, "a floating-point number was divided by zero"},
        {SIGFPE, FPE_FLTOVF, "a floating-point number overflowed"},
        {SIGFPE, FPE_FLTUND, "a floating-point number underflowed"},
        {SIGFPE, FPE_FLTINV, "a floating-point operation was invalid"},
    };

    if (number == SIGKILL)
        return "no instruction of the program failed: the kernel's OOM killer sends it when memory "
               "runs out, batch systems do when a limit is reached, and some starters of jobs do "
               "when another rank has ended";
    if (number != SIGABRT && si_code == SI_TKILL)
        return "a thread sent the signal (raise does): no instruction of the program failed";
    if (number != SIGABRT && (si_code == SI_USER || si_code == SI_QUEUE))
        return "a process sent the signal (kill does): no instruction of the program failed";
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].number == number && causes[i].si_code == si_code)
            return causes[i].text;
    return NULL;
}
