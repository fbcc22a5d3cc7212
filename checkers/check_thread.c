/* Checks threads. Reports calls that the thread level forbids, and simultaneous calls of two
 * threads that MPI forbids at any level: collectives on one communicator, and waits for one
 * request. Entry and exit times show what overlaps. Reports threads that receive the message of
 * their probe while another thread's probe could find the same message: no lock of the program
 * keeps the two apart, so either may take the other's message (MPI_Mprobe avoids this); and
 * MPI_Finalize while another thread is in MPI. freed.h
 * checks objects that one thread frees and another one uses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/freed.h"
#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"

enum { THREADS_MAX = 64, FINDINGS_MAX = 8 };
static const char *const level_names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                          "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

_Static_assert(sizeof level_names / sizeof *level_names == EVENT_THREAD_MULTIPLE + 1,
               "a name per level");

/* The kinds of findings; a rank has at most one of each. */
enum kind {
    KIND_LEVEL,
    KIND_AT_ONCE,
    KIND_WAITS,
    KIND_GATHERS,
    KIND_PROBES,
    KIND_FINALIZE,
    KIND_OVER,
    KIND_COUNT
};

struct place_named { /* a place where ranks make the mistake */
    const char *sentence;
    int32_t call, site;
    uint32_t finding; /* index in the list */
};
struct probe { /* a thread's last probe that found a message which it has not received */
    struct trace_event event;
    int32_t source, tag; /* of the message */
    bool open;
};
struct threads {
    const struct check_input *input;
    struct probe probe[THREADS_MAX];
    bool rivals[THREADS_MAX][THREADS_MAX]; /* [i][k]: i or k has not received what it found, while
                                              the other could have found it too */
    struct finding_list *list;
    struct trace_event last[THREADS_MAX]; /* of each thread; seq 0: none */
    struct requests {
        uint64_t *request; /* requests that the thread's call handles, ascending */
        uint32_t count, room;
    } request[THREADS_MAX];
    int32_t main;
    int64_t level, asked;
    bool unjudged; /* the rank called what has effects that are not known */
    struct place_named told[FINDINGS_MAX];
    uint32_t told_count;
    bool rank_told[KIND_COUNT]; /* by kind, for the rank that is read now */
    bool *waited; /* by rank: check_usage reports that two threads wait for one request */
};

/* Returns the finding for this place; NULL: the limit is reached. */
static struct finding *finding_of(struct threads *t, enum finding_severity severity,
                                  const struct trace_event *event, const char *sentence)
{
    for (uint32_t i = 0; i < t->told_count; i++)
        if (t->told[i].sentence == sentence && t->told[i].call == event->call &&
            t->told[i].site == event->site)
            return &t->list->finding[t->told[i].finding];
    if (t->told_count == FINDINGS_MAX)
        return NULL;
    struct finding *finding = finding_list_add(t->list, RULE_THREAD, severity);
    if (!finding)
        return NULL;
    CORE_CHECK(t->level >= EVENT_THREAD_SINGLE &&
               t->level <= EVENT_THREAD_MULTIPLE); /* step takes no others */
    t->told[t->told_count++] =
        (struct place_named){sentence, event->call, event->site, t->list->count - 1};
    finding_title(finding, "%s: %s", t->input->trace->call[event->call].name, sentence);
    finding_fact(finding, "the thread level is %s", level_names[t->level]);
    return finding;
}

/* Returns the remedy for a kind of finding. To ask for a higher level is none where the program did
 * and the library does not provide it. */
static enum remedy remedy_of_kind(const struct threads *t, enum kind kind)
{
    switch (kind) {
    case KIND_WAITS:
        return REMEDY_ONE_WAITS;
    case KIND_GATHERS:
        return REMEDY_OWN_OBJECT;
    case KIND_PROBES:
        return REMEDY_PROBE_MATCHED;
    case KIND_FINALIZE:
        return REMEDY_MAIN_THREAD;
    case KIND_OVER:
        return REMEDY_JOIN;
    case KIND_LEVEL:
    case KIND_AT_ONCE:
    case KIND_COUNT:
        break;
    }
    return t->asked > t->level ? REMEDY_PROVIDED : REMEDY_OF_RULE;
}

static void check_thread_say(struct threads *t, enum kind kind, const struct trace_event *event,
                             const struct trace_event *other, const char *sentence)
{
    /* each thread of the recorded run may have received its own message */
    enum finding_severity severity = kind == KIND_PROBES ? FINDING_WARNING : FINDING_ERROR;

    CORE_CHECK(kind < KIND_COUNT);
    CORE_CHECK(!other || other->rank == event->rank); /* threads of one rank */
    if (t->rank_told[kind])
        return;
    t->rank_told[kind] = true;
    struct finding *finding = finding_of(t, severity, event, sentence);
    if (!finding)
        return;
    finding->remedy = remedy_of_kind(t, kind);
    if (kind == KIND_OVER)
        finding->effect = FINDING_EFFECT_SPOILS;
    finding_core_add(finding, t->input->trace, event->rank, event->seq);
    if (other)
        finding_core_add(finding, t->input->trace, event->rank, other->seq);
}

/* Tells whether the call completes, frees or starts requests. */
static bool handles_requests(uint64_t traits)
{
    return traits & (TRAITS_COMPLETE | TRAIT_BIT(STARTS) | TRAIT_BIT(FREES_REQUEST)) &&
           !trait_in(traits, TRAIT_KEEPS_REQUEST);
}

static int compare_requests(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum core_status keep_requests(struct requests *all, const struct trace_event *event)
{
    uint32_t count =
        handles_requests(event->traits) ? event->completion_count + (event->request != 0) : 0;

    enum core_status status =
        CORE_ARRAY_FIT(all->request, all->room, count, "the requests of a call");
    if (status != CORE_OK)
        return status;
    all->count = 0;
    if (count && event->request)
        all->request[all->count++] = event->request;
    for (uint32_t i = 0; all->count < count; i++)
        all->request[all->count++] = event->completion[i].request;
    CORE_CHECK(all->count == count);
    if (count > 1)
        qsort(all->request, count, sizeof *all->request, compare_requests);
    return CORE_OK;
}

static bool share_request(const struct requests *a, const struct requests *b)
{
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        CORE_CHECK(i == 0 || a->request[i - 1] <= a->request[i]); /* in ascending order */
        CORE_CHECK(k == 0 || b->request[k - 1] <= b->request[k]);
        if (a->request[i] == b->request[k] && a->request[i])
            return true;
        if (a->request[i] <= b->request[k])
            i++;
        else
            k++;
    }
    return false;
}

static bool check_thread_accepts(const struct trace_event *pattern, const struct probe *found)
{
    return pattern->comm == found->event.comm && matching_accepts(pattern->peer, found->source) &&
           matching_accepts(pattern->tag, found->tag);
}

static void rivals_clear(struct threads *t, int32_t thread)
{
    for (int32_t i = 0; i < THREADS_MAX; i++)
        t->rivals[thread][i] = t->rivals[i][thread] = false;
}

static void check_thread_probed(struct threads *t, const struct trace_event *event)
{
    struct probe *own = &t->probe[event->thread];

    if (!event->completion_count || !event->completion[0].done)
        return; /* the probe found nothing */
    rivals_clear(t, event->thread);
    *own = (struct probe){.event = *event,
                          .source = event->completion[0].source,
                          .tag = event->completion[0].tag,
                          .open = true};
    own->event.completion = NULL;
    for (int32_t i = 0; i < THREADS_MAX; i++)
        if (i != event->thread && t->probe[i].open &&
            (check_thread_accepts(event, &t->probe[i]) ||
             check_thread_accepts(&t->probe[i].event, own)))
            t->rivals[event->thread][i] = t->rivals[i][event->thread] = true;
}

/* Tells whether the receive belongs to the probe: it names what the probe left open. */
static bool check_thread_follows(const struct trace_event *receive, const struct probe *probe)
{
    const struct trace_event *e = &probe->event;

    return check_thread_accepts(receive, probe) &&
           ((e->peer == EVENT_ANY && receive->peer != EVENT_ANY) ||
            (e->tag == EVENT_ANY && receive->tag != EVENT_ANY));
}

static void check_thread_received(struct threads *t, const struct trace_event *event)
{
    struct probe *own = &t->probe[event->thread];

    if (!own->open)
        return;
    if (!check_thread_follows(event, own))
        rivals_clear(t, event->thread);
    for (int32_t i = 0; i < THREADS_MAX; i++) {
        bool rival = t->rivals[event->thread][i];
        t->rivals[event->thread][i] = false;
        if (rival && !t->rivals[i][event->thread])
            check_thread_say(t, KIND_PROBES, &own->event, &t->probe[i].event,
                             "a thread receives the message that it probed, while another probes "
                             "for the same messages and may take it");
    }
    own->open = false;
}

/* Tells whether all members of a communicator, window or file make the call together: two threads
 * of one rank may not make such calls at the same time. */
static bool check_thread_gathers(const struct trace_event *event)
{
    bool on_comm = !(event->traits & (TRAIT_BIT(WINDOW) | TRAIT_BIT(FILE))) ||
                   trait_in(event->traits, TRAIT_MAKES_WIN);

    return trait_in(event->traits, TRAIT_COLLECTIVE) &&
           (on_comm ? event->comm >= 0 : event->win >= 0);
}

/* Reports two overlapping calls of which one is MPI_Finalize. */
static void finalize_say(struct threads *t, const struct trace_event *a,
                         const struct trace_event *b)
{
    bool first = a->verb == VERB_FINALIZE;

    CORE_CHECK(first || b->verb == VERB_FINALIZE);
    check_thread_say(t, KIND_OVER, first ? a : b, first ? b : a,
                     "another thread of the rank is in MPI at the same time, but MPI_Finalize must "
                     "come behind all other calls");
}

static enum core_status check_thread_step(struct threads *t, const struct trace_event *event)
{
    if (event->verb == VERB_INIT) {
        int64_t provided = trace_arg_value(t->input->trace, event, "provided", -1);
        t->main = event->thread;
        if (provided >= EVENT_THREAD_SINGLE && provided <= EVENT_THREAD_MULTIPLE)
            t->level = provided;
        t->asked = trace_arg_value(t->input->trace, event, "required", t->level);
    }
    t->unjudged |= event->verb == VERB_UNKNOWN;
    if (t->unjudged || trait_in(event->traits, TRAIT_ANY_THREAD) || event->thread < 0 ||
        event->thread >= THREADS_MAX)
        return CORE_OK;
    if (trait_in(event->traits, TRAIT_PROBES) && !trait_in(event->traits, TRAIT_MATCHED))
        check_thread_probed(t, event);
    else if (trait_in(event->traits, TRAIT_RECEIVES) && !event->has_recv_half &&
             !trait_in(event->traits, TRAIT_MATCHED))
        check_thread_received(t, event);
    struct requests *own = &t->request[event->thread];
    enum core_status status = keep_requests(own, event);
    if (status != CORE_OK)
        return status;
    if (event->verb == VERB_FINALIZE && t->main >= 0 && event->thread != t->main &&
        !t->rank_told[KIND_LEVEL])
        check_thread_say(t, KIND_FINALIZE, event, NULL,
                         "only the thread that called MPI_Init may call it, but another one does");
    else if (event->thread != t->main && t->level <= EVENT_THREAD_FUNNELED)
        check_thread_say(t, KIND_LEVEL, event, NULL,
                         "a second thread calls it, but only the main thread may");
    for (int32_t i = 0; i < THREADS_MAX; i++) {
        const struct trace_event *other = &t->last[i];
        if (i == event->thread || !other->seq ||
            (!other->pending && other->t_leave <= event->t_enter))
            continue;
        if (event->verb == VERB_FINALIZE || other->verb == VERB_FINALIZE)
            finalize_say(t, event, other);
        if (t->level == EVENT_THREAD_SERIALIZED)
            check_thread_say(t, KIND_AT_ONCE, event, other,
                             "two threads are in MPI at the same time");
        if (share_request(own, &t->request[i]))
            check_thread_say(t, KIND_WAITS, event, other,
                             "two threads wait for the same request at the same time");
        if (check_thread_gathers(event) && check_thread_gathers(other) &&
            event->comm == other->comm && event->win == other->win)
            check_thread_say(
                t, KIND_GATHERS, event, other,
                event->win < 0 ? "two threads are in collective calls on the same communicator at "
                                 "the same time"
                : trait_in(event->traits, TRAIT_FILE)
                    ? "two threads are in collective calls on the same file at the same time"
                    : "two threads are in collective calls on the same window at the same time");
    }
    t->last[event->thread] = *event;
    t->last[event->thread].completion = NULL;
    return CORE_OK;
}

/* Records that the recorder saw two threads wait for one variable. */
static enum core_status waited_twice(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                     void *context)
{
    struct threads *t = context;

    (void)seq;
    CORE_CHECK(rank < t->input->trace->rank_count);
    t->waited[rank] |= misuse->kind == MISUSE_WAITED_TWICE || misuse->kind == MISUSE_OVERWRITTEN;
    return CORE_OK;
}

enum core_status check_thread(const struct check_input *input, struct finding_list *list)
{
    struct threads t = {.input = input, .list = list};
    enum core_status status = CORE_OK;

    if (!input->notes->threads)
        return CORE_OK;
    status = CORE_ARRAY_NEW(t.waited, (uint64_t)input->trace->rank_count + 1, "ranks");
    if (status == CORE_OK)
        status = trace_misuse_each(input->trace, waited_twice, &t);
    for (uint32_t rank = 0; rank < input->trace->rank_count && status == CORE_OK; rank++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        memset(t.last, 0, sizeof t.last);
        memset(t.probe, 0, sizeof t.probe);
        memset(t.rivals, 0, sizeof t.rivals);
        memset(t.rank_told, 0, sizeof t.rank_told);
        t.rank_told[KIND_WAITS] = t.waited[rank];
        t.unjudged = false;
        /* Without a whole record the call of MPI_Init, or the level it provided, may be missing. */
        bool whole = !input->trace->rank[rank].lost && !input->trace->imported;
        t.main = whole ? 0 : -1;
        t.level = t.asked = whole ? EVENT_THREAD_SINGLE : EVENT_THREAD_MULTIPLE;
        status = trace_cursor_open(input->trace, rank, &cursor);
        if (status != CORE_OK)
            break;
        while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
            if (!event.parent && (status = check_thread_step(&t, &event)) != CORE_OK)
                break;
        trace_cursor_close(cursor);
    }
    for (uint32_t i = 0; i < t.told_count && status == CORE_OK; i++)
        status = finding_title_ranks(&list->finding[t.told[i].finding]);
    for (uint32_t i = 0; i < THREADS_MAX; i++)
        free(t.request[i].request);
    free(t.waited);
    return status == CORE_OK ? freed_check(input, list) : status;
}
