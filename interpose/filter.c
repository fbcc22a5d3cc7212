/* Selects the calls to record.
 *
 *   CROSSWAIT_RANKS=0-3,7      only these world ranks
 *   CROSSWAIT_CALLS=coll,-tool classes (core/trace/event.h), groups (p2p coll rma file) or
 *                              MPI_Names; with a minus: all but these. `inner` is the inside of the
 *                              library's collectives
 *   CROSSWAIT_COMMS=world,NAME only these communicators (also self), by the name that
 *                              MPI_Comm_set_name set
 *   CROSSWAIT_FROM=SECONDS|pcontrol:N, CROSSWAIT_UNTIL=...
 *                              a time window: since MPI_Init, or from the first MPI_Pcontrol(N)
 *
 *  1. Calls that start or end MPI, or make or free a handle, are always recorded, so that the
 *     record stays understandable.
 *  2. Calls on requests are recorded unless all calls that make requests are left out.
 *  3. A call that is left out counts as lost, so that the record does not claim to be complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/filter.h"
#include "interpose/life.h"
#include "interpose/misuse/usage.h"

#define BIT(name) (1ull << EVENT_CLASS_##name)
#define ALWAYS                                                                                \
    (BIT(INIT) | BIT(FINALIZE) | BIT(ABORT) | BIT(COMM_CREATE) | BIT(COMM_ICREATE) |          \
     BIT(COMM_FREE) | BIT(TYPE) | BIT(TYPE_FREE) | BIT(OP) | BIT(OP_FREE) | BIT(GROUP_FREE) | \
     BIT(WIN_CREATE) | BIT(WIN_FREE) | BIT(SPAWN))
#define STARTERS                                                                           \
    (BIT(ISEND) | BIT(SEND_INIT) | BIT(IRECV) | BIT(RECV_INIT) | BIT(START) | BIT(ICOLL) | \
     BIT(COLL_INIT) | BIT(IMRECV) | BIT(MPROBE) | BIT(IMPROBE) | BIT(RMA) | BIT(FILE))
#define ON_REQUESTS                                                                         \
    (BIT(WAIT) | BIT(WAITALL) | BIT(WAITANY) | BIT(WAITSOME) | BIT(TEST) | BIT(TESTALL) |   \
     BIT(TESTANY) | BIT(TESTSOME) | BIT(REQUEST_STATUS) | BIT(CANCEL) | BIT(REQUEST_FREE) | \
     BIT(MRECV))
#define P2P                                                                               \
    (BIT(SEND) | BIT(ISEND) | BIT(SEND_INIT) | BIT(RECV) | BIT(IRECV) | BIT(RECV_INIT) |  \
     BIT(SENDRECV) | BIT(START) | BIT(PROBE) | BIT(IPROBE) | BIT(MPROBE) | BIT(IMPROBE) | \
     BIT(MRECV) | BIT(IMRECV) | BIT(BUFFER) | ON_REQUESTS)
#define COLL (BIT(COLL) | BIT(ICOLL) | BIT(COLL_INIT))
#define RMA                                                                           \
    (BIT(RMA) | BIT(RMA_FENCE) | BIT(RMA_POST) | BIT(RMA_START) | BIT(RMA_COMPLETE) | \
     BIT(RMA_WAIT) | BIT(RMA_TEST) | BIT(RMA_LOCK) | BIT(RMA_UNLOCK) | BIT(RMA_FLUSH) | BIT(WIN))
#define FILES (BIT(FILE) | BIT(FILE_COLL))
_Static_assert(EVENT_CLASS_COUNT <= 64, "a class is a bit");

enum { COMMS_MAX = 64, MARK_NONE = -1 };

static struct {
    bool wanted[CALL_COUNT];
    bool rank_out;
    char comms[1024];
    uint64_t from, until; /* ticks; 0, UINT64_MAX: no limit */
    int from_mark, until_mark;
    bool inside; /* between the two markers */
} filter;

static bool list_of_ranks(const char *text, int rank)
{
    for (char *end; *text; text = *end == ',' ? end + 1 : end) {
        long first = strtol(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (rank >= first && rank <= last)
            return true;
        if (*end && *end != ',')
            return false;
    }
    return false;
}

/* Returns the classes that a word names; 0: none. */
static uint64_t classes_of(const char *word)
{
    static const struct {
        const char *word;
        uint64_t classes;
    } groups[] = {{"p2p", P2P}, {"coll", COLL}, {"rma", RMA}, {"file", FILES}};
    static const char *const text[] = {
#define X(name, string) string,
        EVENT_CLASSES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(word, groups[i].word))
            return groups[i].classes;
    for (int i = 0; i < EVENT_CLASS_COUNT; i++)
        if (!strcmp(word, text[i]))
            return 1ull << i;
    return 0;
}

/* Reads CROSSWAIT_CALLS. Returns false if a word makes no sense, and sets out_word to it. */
static bool read_calls(const char *list, bool *out_inner, const char **out_word)
{
    static char copy[4096];
    char *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", list);
    bool minus_first = list[0] == '-';
    uint64_t classes = minus_first ? ~0ull : 0;
    bool named[CALL_COUNT] = {0}, unnamed[CALL_COUNT] = {0};
    *out_inner = minus_first || strstr(list, "inner");
    while ((word = strsep(&rest, ","))) {
        bool minus = *word == '-', found = false;
        word += minus;
        if (!strcmp(word, "inner")) {
            *out_inner = !minus;
            continue;
        }
        uint64_t here = classes_of(word);
        classes = minus ? classes & ~here : classes | here;
        for (unsigned i = 0; i < CALL_COUNT; i++)
            if (!strcmp(call_description[i].name, word)) {
                found = true;
                (minus ? unnamed : named)[i] = true;
            }
        if (!here && !found) {
            *out_word = word;
            return false;
        }
    }
    uint64_t starters = 0;
    for (unsigned i = 0; i < CALL_COUNT; i++) {
        uint64_t bit = 1ull << call_description[i].class;
        filter.wanted[i] = ((classes & bit) || named[i]) && !unnamed[i];
        starters |= filter.wanted[i] ? bit & STARTERS : 0;
    }
    for (unsigned i = 0; i < CALL_COUNT; i++) {
        uint64_t bit = 1ull << call_description[i].class;
        filter.wanted[i] |= (bit & ALWAYS) || (starters && (bit & ON_REQUESTS));
    }
    return true;
}

static bool read_when(const char *text, uint64_t start, uint64_t tick_hz, uint64_t *out_ticks,
                      int *out_mark)
{
    char *end;
    if (!strncmp(text, "pcontrol:", 9)) {
        *out_mark = (int)strtol(text + 9, &end, 10);
        return end != text + 9 && !*end;
    }
    double seconds = strtod(text, &end);
    if (end == text || *end || seconds < 0)
        return false;
    *out_ticks = start + (uint64_t)(seconds * (double)tick_hz);
    return true;
}

bool filter_start(uint64_t start, uint64_t tick_hz, bool *out_inner, char *out_reason,
                  size_t reason_bytes)
{
    const char *ranks = recorder_setting("CROSSWAIT_RANKS"),
               *calls = recorder_setting("CROSSWAIT_CALLS"),
               *comms = recorder_setting("CROSSWAIT_COMMS");
    const char *from = recorder_setting("CROSSWAIT_FROM"),
               *until = recorder_setting("CROSSWAIT_UNTIL"), *bad = NULL, *name = NULL;
    filter.until = UINT64_MAX;
    filter.from_mark = filter.until_mark = MARK_NONE;
    memset(filter.wanted, 1, sizeof filter.wanted);
    *out_inner = true;
    if (ranks && *ranks)
        filter.rank_out = !list_of_ranks(ranks, recorder.world_rank);
    if (calls && *calls && !read_calls(calls, out_inner, &bad))
        name = "CROSSWAIT_CALLS";
    if (comms && *comms)
        snprintf(filter.comms, sizeof filter.comms, ",%s,", comms);
    if (from && *from && !read_when(from, start, tick_hz, &filter.from, &filter.from_mark))
        bad = from, name = "CROSSWAIT_FROM";
    if (until && *until && !read_when(until, start, tick_hz, &filter.until, &filter.until_mark))
        bad = until, name = "CROSSWAIT_UNTIL";
    if (name) {
        snprintf(out_reason, reason_bytes,
                 "%s: '%.100s' is not understood, so everything is recorded", name, bad);
        return false;
    }
    filter.inside = filter.from_mark == MARK_NONE;
    recorder.filter = filter.rank_out || (calls && *calls) || filter.comms[0] || (from && *from) ||
                      (until && *until);
    recorder.partial |= recorder.filter;
    if (filter.rank_out)
        *out_inner = false;
    return true;
}

void filter_mark(int level)
{
    if (filter.from_mark == level && filter.from_mark != MARK_NONE)
        filter.inside = true;
    else if (filter.until_mark == level && filter.until_mark != MARK_NONE)
        filter.inside = false;
}

static bool comm_wanted(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME + 3] = ",";
    int length = 0;
    if (comm == recorder_handle.comm_null)
        return true;
    if (comm == recorder_handle.comm_world && strstr(filter.comms, ",world,"))
        return true;
    if (comm == recorder_handle.comm_self && strstr(filter.comms, ",self,"))
        return true;
    if (ASK(COMM, Comm_get_name, comm, name + 1, &length) != MPI_SUCCESS || !length)
        return false;
    strcpy(name + 1 + length, ",");
    return strstr(filter.comms, name) != NULL;
}

bool filter_out(struct lane *lane, unsigned call, MPI_Comm comm)
{
    uint64_t bit = 1ull << call_description[call].class;
    bool out = false;
    if (filter.rank_out)
        out = !(bit & (BIT(INIT) | BIT(FINALIZE) | BIT(ABORT)));
    else if (!(bit & ALWAYS)) {
        out = !filter.wanted[call] || !filter.inside;
        if (!out && (filter.from || filter.until != UINT64_MAX)) {
            uint64_t now = recorder_clock();
            out = now < filter.from || now > filter.until;
        }
        if (!out && filter.comms[0] && comm) {
            recorder_thread.ready = NULL; /* the recorder's own call of the library */
            recorder_thread.current = recorder_nobody;
            out = !comm_wanted(comm);
            recorder_thread.current = NULL;
            recorder_thread.ready = lane;
        }
    }
    if (out) {
        struct spool_header *header = lane->writer.header;
        atomic_store_explicit(&header->lost,
                              atomic_load_explicit(&header->lost, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    }
    return out;
}

/* Calls of several threads are merged by their times, calls around gaps are matched by them, and a
 * relay copies the bytes of the lane. */
bool filter_sums_times(int thread_level)
{
    const char *times = recorder_setting("CROSSWAIT_TIMES");

    return thread_level <= MPI_THREAD_FUNNELED && !recorder.filter && !hosts_far() &&
           !(times && strcmp(times, "all") == 0);
}
