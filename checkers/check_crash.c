/* Finds what ended the job: a signal, an error that MPI raised where errors are fatal, MPI_Abort,
 * an exit without MPI_Finalize (rule lifecycle), a Python exception that nothing caught. It blames
 * the rank that ended first. Ranks that the starter then ended have no cause of their own
 * (core/trace/exit_cause.h), and later errors of other ranks are consequences.
 *
 * MPI_Abort is the job's own decision, and a note. A signal that programs do not raise themselves
 * comes from outside, and is a warning. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/hint_after_call.h"
#include "checkers/hint_live_comms.h"
#include "checkers/hint_thread_took.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "core/trace/request.h"

enum { OF_SIGNALS = 128, NULL_PAGE_BYTES = 4096, FRAMES_NAMED_MAX = 16 };
static const uint64_t far_bytes = UINT64_C(1) << 36; /* farther than this is not near a buffer */

struct causes {
    struct exit_cause *cause; /* by rank; the texts are copies */
    uint32_t count, room;
    int32_t first;     /* index of the rank that ended first; -1: unknown */
    bool by_crosswait; /* the launcher ended the job */
};

/* --- which of them ---------------------------------------------------------------------------- */

static enum core_status check_crash_keep(const struct exit_cause *cause, void *context)
{
    struct causes *causes = context;
    struct exit_cause copy = *cause;
    enum core_status status;

    CORE_CHECK(!causes->count || causes->cause[causes->count - 1].rank < cause->rank); /* by rank */
    copy.text = cause->text ? strdup(cause->text) : NULL;
    status = CORE_ARRAY_PUSH(causes->cause, causes->count, causes->room, "how ranks ended", copy);
    if (status != CORE_OK)
        free((char *)copy.text);
    return status;
}

static void exit_causes_done(struct causes *causes)
{
    for (uint32_t i = 0; i < causes->count; i++)
        free((char *)causes->cause[i].text);
    CORE_ARRAY_DONE(causes->cause, causes->count, causes->room);
}

/* Returns the first one, as the launcher saw it; else the earliest, if all times are known. */
static int32_t first_find(const struct causes *causes)
{
    int32_t first = -1;

    for (uint32_t i = 0; i < causes->count; i++)
        if (causes->cause[i].first)
            return (int32_t)i;
    for (uint32_t i = 0; i < causes->count; i++) {
        if (causes->cause[i].at_ns == INT64_MIN)
            return causes->count == 1 ? 0 : -1;
        if (first < 0 || causes->cause[i].at_ns < causes->cause[first].at_ns)
            first = (int32_t)i;
    }
    return first;
}

static enum core_status exit_causes_get(struct trace *trace, struct causes *out_causes)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(trace, &ending);

    out_causes->by_crosswait = ending.reason != ENDING_NONE && ending.reason != ENDING_SNAPSHOT;
    ending_done(&ending);
    if (status == CORE_OK)
        status = trace_exit_causes_each(trace, check_crash_keep, out_causes);
    out_causes->first = first_find(out_causes);
    CORE_CHECK(out_causes->first < (int32_t)out_causes->count);
    CORE_CHECK(status != CORE_OK || out_causes->count <= trace->rank_count);
    if (status != CORE_OK)
        exit_causes_done(out_causes);
    return status;
}

/* Tells whether both ended in the same MPI function, called from the same line. */
static bool same_call(struct trace *trace, const struct exit_cause *cause,
                      const struct exit_cause *first)
{
    struct trace_event event[2];

    if (!cause->seq || !first->seq ||
        trace_event_get(trace, cause->rank, cause->seq, &event[0]) != CORE_OK ||
        trace_event_get(trace, first->rank, first->seq, &event[1]) != CORE_OK)
        return !cause->seq && !first->seq;
    return event[0].call == event[1].call && event[0].site == event[1].site;
}

/* Tells whether both ranks ended in the same way and at the same place. */
static bool check_crash_alike(struct trace *trace, const struct exit_cause *cause,
                              const struct exit_cause *first)
{
    bool names_call =
        cause->inside || cause->kind == EXIT_CAUSE_ERROR || cause->kind == EXIT_CAUSE_ABORT;

    if (cause->kind == EXIT_CAUSE_EXCEPTION && first->kind == EXIT_CAUSE_EXCEPTION)
        return cause->frame_count && first->frame_count && cause->frame[0] == first->frame[0];
    return cause->kind == first->kind && cause->code == first->code &&
           cause->after == first->after && cause->inside == first->inside &&
           cause->elsewhere == first->elsewhere && cause->frame_count == first->frame_count &&
           (!cause->frame_count || cause->frame[0] == first->frame[0]) &&
           (!names_call || same_call(trace, cause, first));
}

/* --- its stack -------------------------------------------------------------------------------- */

/* Names of objects (prefixes) that belong to no application. */
static const char *const libraries[] = {
    "libc.so",     "libc-",    "libm.so",      "libpthread", "ld-linux",  "libgcc_s", "libstdc++",
    "libgfortran", "libasan",  "libtsan",      "libubsan",   "libmpi",    "libopen-", "mca_",
    "libpmi",      "libevent", "libcrosswait", "libuc",      "libfabric", "libhwloc", "libpython",
    "linux-vdso",  "python",   "libffi",       "_ctypes"};

static const char *module_name(const struct trace_site *site)
{
    const char *slash = site->module ? strrchr(site->module, '/') : NULL;

    return slash ? slash + 1 : site->module ? site->module : "";
}

static bool is_application(const struct trace_site *site)
{
    const char *name = module_name(site);

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return false;
    return site->file || !site->symbol || strcmp(site->symbol, "_start") != 0;
}

/* Writes "compute at x.c:12", "x.c:12" or "compute+0x12 (app)". */
static void frame_words(FILE *file, const struct trace *trace, int32_t site)
{
    CORE_CHECK(site > 0 && (uint32_t)site < trace->site_count); /* trace_exit_cause.c ensures it */
    const struct trace_site *place = &trace->site[site];
    const char *function = place->inlined ? place->inlined : place->function;
    char text[256];

    if (place->file && function)
        fprintf(file, "%s at ", function);
    fputs(trace_site_text(trace, site, text, sizeof text), file);
}

/* Returns the innermost frame of the application; 0: none. */
static int32_t frame_own(const struct trace *trace, const struct exit_cause *cause)
{
    CORE_CHECK(cause->frame_count <= EXIT_CAUSE_FRAMES_MAX);
    for (uint32_t i = 0; i < cause->frame_count; i++)
        if (is_application(&trace->site[cause->frame[i]]))
            return cause->frame[i];
    return 0;
}

/* Returns the library function that the application had called; without a frame of the application,
 * the innermost library function. 0: none. */
static int32_t frame_called(const struct trace *trace, const struct exit_cause *cause)
{
    int32_t called = 0, innermost = 0;

    for (uint32_t i = 0; i < cause->frame_count; i++) {
        const struct trace_site *site = &trace->site[cause->frame[i]];

        if (is_application(site))
            return called;
        if (site->symbol && strncmp(module_name(site), "libcrosswait", 12) != 0)
            called = cause->frame[i];
        if (!innermost)
            innermost = called;
    }
    return innermost;
}

static void add_stack(const struct trace *trace, struct finding *finding,
                      const struct exit_cause *cause)
{
    int32_t called = frame_called(trace, cause);
    uint32_t named = 0, rest = 0;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return;
    if (called) {
        CORE_CHECK(trace->site[called].symbol); /* frame_called takes no others */
        fprintf(file, "%s (%s)", trace->site[called].symbol, module_name(&trace->site[called]));
        named++;
    }
    for (uint32_t i = 0; i < cause->frame_count; i++) {
        if (!is_application(&trace->site[cause->frame[i]]))
            continue;
        if (named >= FRAMES_NAMED_MAX) {
            rest++;
            continue;
        }
        fputs(named++ ? ", called from " : "", file);
        frame_words(file, trace, cause->frame[i]);
    }
    if (rest)
        fprintf(file, ", and %" PRIu32 " more", rest);
    if (core_text_close(file, &text) && named)
        finding_fact(finding, "stack: %s", text);
    free(text);
}

/* --- the address and the buffers -------------------------------------------------------------- */

/* Returns the size of the buffer that the call states; 0: unknown. Sums the blocks for all ranks if
 * the collective has one length for all. */
static uint64_t buffer_bytes(const struct trace *trace, const struct trace_event *event, int which)
{
    CORE_CHECK(which < EXIT_CAUSE_BUFFERS);
    bool other = which == EXIT_CAUSE_BUFFER_RECV && event->has_recv_half;
    int32_t type = other ? event->recv_datatype : event->datatype;
    int64_t count = other ? event->recv_count : event->count;
    int64_t blocks = 1;
    bool gathers =
        event->verb == VERB_GATHER || event->verb == VERB_ALLGATHER || event->verb == VERB_ALLTOALL;
    bool scatters = event->verb == VERB_SCATTER || event->verb == VERB_ALLTOALL;

    if (type < 0 || type >= (int32_t)trace->datatype_count || count <= 0 ||
        trace->datatype[type].extent <= 0 || trace->datatype[type].lb != 0)
        return 0;
    if (event->comm >= 0 && (which == EXIT_CAUSE_BUFFER_RECV ? gathers : scatters))
        blocks = trace->comm[event->comm].size;
    if (count > INT32_MAX || trace->datatype[type].extent > INT32_MAX || blocks < 1)
        return 0;
    return (uint64_t)(count * trace->datatype[type].extent) * (uint64_t)blocks;
}

static uint64_t check_crash_distance(uint64_t address, uint64_t start, uint64_t bytes)
{
    if (address < start)
        return start - address;
    return address - start < bytes ? 0 : address - start - bytes;
}

static void add_range(struct trace *trace, struct finding *finding, const struct exit_cause *cause,
                      const struct trace_event *event, int which, uint64_t bytes)
{
    CORE_CHECK(cause->buffer[which]); /* add_buffer takes one that is known, and its size */
    CORE_CHECK(bytes > 0);
    uint64_t start = cause->buffer[which],
             away = check_crash_distance(cause->address, start, bytes);
    char place[256], where[96], size[64];

    if (cause->address < start)
        snprintf(where, sizeof where, "%s before it", describe_bytes(away, size, sizeof size));
    else if (cause->address - start >= bytes)
        snprintf(where, sizeof where, "%s behind its end", describe_bytes(away, size, sizeof size));
    else
        snprintf(where, sizeof where, "in it, %s from its start",
                 describe_bytes(cause->address - start, size, sizeof size));
    finding_fact(finding,
                 "the %s buffer of %s at %s has %s, from 0x%" PRIx64 " to 0x%" PRIx64
                 ": the address lies %s",
                 which == EXIT_CAUSE_BUFFER_SEND ? "send" : "receive",
                 trace->call[event->call].name,
                 trace_site_text(trace, event->site, place, sizeof place),
                 describe_bytes(bytes, size, sizeof size), start, start + bytes, where);
}

/* Adds the nearer of the two buffers, if the address is near one; if it is in one, links the
 * finding to the call whose buffer that is. */
static enum core_status add_buffer(struct trace *trace, struct finding *finding,
                                   const struct exit_cause *cause)
{
    uint64_t nearest = far_bytes, bytes[EXIT_CAUSE_BUFFERS];
    struct trace_event event;
    int which = -1;

    if (!cause->buffer_seq ||
        trace_event_get(trace, cause->rank, cause->buffer_seq, &event) != CORE_OK)
        return CORE_OK;
    for (int i = 0; i < EXIT_CAUSE_BUFFERS; i++) {
        bytes[i] = cause->buffer[i] ? buffer_bytes(trace, &event, i) : 0;
        if (!bytes[i] ||
            check_crash_distance(cause->address, cause->buffer[i], bytes[i]) >= nearest)
            continue;
        nearest = check_crash_distance(cause->address, cause->buffer[i], bytes[i]);
        which = i;
    }
    if (which >= 0)
        add_range(trace, finding, cause, &event, which, bytes[which]);
    return nearest ? CORE_OK : finding_link_add(finding, cause->rank, cause->buffer_seq);
}

/* near: names the buffers of the last call, too. */
static enum core_status add_address(struct trace *trace, struct finding *finding,
                                    const struct exit_cause *cause, bool near)
{
    CORE_CHECK(cause->kind == EXIT_CAUSE_SIGNAL);
    const char *says = wording_signal_cause(cause->code, cause->detail);

    if (!cause->has_address) {
        if (says)
            finding_fact(finding, "%s", says);
        return CORE_OK;
    }
    finding_fact(finding, "it accessed the address 0x%" PRIx64 "%s%s%s", cause->address,
                 cause->address < NULL_PAGE_BYTES ? ", a null pointer or near one" : "",
                 says ? ": " : "", says ? says : "");
    return near && cause->address >= NULL_PAGE_BYTES ? add_buffer(trace, finding, cause) : CORE_OK;
}

/* Adds what is known of a death by a signal: the address, and what the last call left behind. */
static enum core_status add_signal(struct trace *trace, struct finding *finding,
                                   const struct exit_cause *cause)
{
    int32_t called = frame_called(trace, cause);
    bool explained;
    enum core_status status = hint_after_call_add(trace, finding, cause,
                                                  called ? &trace->site[called] : NULL, &explained);

    return status == CORE_OK ? add_address(trace, finding, cause, !explained) : status;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Returns " in MPI_Recv at x.c:12", " in application code after MPI_Recv at x.c:12", ", after
 * MPI_Finalize", or " in compute at x.c:30, in a thread without recorded calls, during MPI_Recv at
 * x.c:12". */
static char *where_text(struct trace *trace, const struct exit_cause *cause)
{
    int32_t own = frame_own(trace, cause);
    struct trace_event event;
    char place[256], *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    bool known = cause->seq && trace_event_get(trace, cause->rank, cause->seq, &event) == CORE_OK;

    if (!file)
        return NULL;
    if (known)
        trace_site_text(trace, event.site, place, sizeof place);
    if (cause->kind == EXIT_CAUSE_EXCEPTION) {
        fputs(own ? " in " : "", file);
        if (own)
            frame_words(file, trace, own);
    } else if (cause->elsewhere) {
        fputs(own ? " in " : "", file);
        if (own)
            frame_words(file, trace, own);
        fprintf(file, "%s in a thread without recorded calls", own ? "," : "");
        if (known)
            fprintf(file, ", %s %s at %s", cause->inside ? "during" : "after",
                    trace->call[event.call].name, place);
    } else if (known && cause->inside) {
        fprintf(file, " in %s at %s", trace->call[event.call].name, place);
    } else if (cause->kind == EXIT_CAUSE_SIGNAL) {
        fputs(own ? " in " : cause->after ? "" : " in application code", file);
        if (own)
            frame_words(file, trace, own);
        if (known)
            fprintf(file, "%s after %s at %s", own ? "," : "", trace->call[event.call].name, place);
    }
    return core_text_close(file, &text);
}

/* Tells whether the program uses sessions and never calls MPI_Init. */
static bool has_sessions_only(const struct trace *trace)
{
    bool session = false, init = false;

    for (uint32_t i = 0; i < trace->call_count; i++) {
        session |= trace->call[i].verb == VERB_BEGIN_SESSION;
        init |= trace->call[i].verb == VERB_INIT;
    }
    return session && !init;
}

/* Returns "MPI_Abort at x.c:12". */
static char *call_text(struct trace *trace, const struct exit_cause *cause)
{
    struct trace_event event;
    char place[256], *text = NULL;

    if (!cause->seq || trace_event_get(trace, cause->rank, cause->seq, &event) != CORE_OK)
        return strdup("MPI");
    if (asprintf(&text, "%s at %s", trace->call[event.call].name,
                 trace_site_text(trace, event.site, place, sizeof place)) < 0)
        return NULL;
    return text;
}

static void add_title(struct trace *trace, struct finding *finding, const struct exit_cause *cause,
                      const char *ranks, bool several)
{
    char *where = where_text(trace, cause), *call = call_text(trace, cause);
    char *signal = wording_signal(cause->code);
    bool own = finding->severity == FINDING_ERROR;

    CORE_CHECK(cause->kind != EXIT_CAUSE_NONE); /* only ranks with a cause are listed */
    switch (cause->kind) {
    case EXIT_CAUSE_SIGNAL:
        finding_title(finding, "%s %s %s%s", ranks,
                      own       ? "died of"
                      : several ? "were ended by"
                                : "was ended by",
                      signal ? signal : "", where ? where : "");
        if (!own)
            finding->remedy = REMEDY_SENT;
        break;
    case EXIT_CAUSE_ERROR:
        finding_title(finding, "%s: %s raised an error, and errors are fatal: %s", ranks,
                      call ? call : "", cause->text ? cause->text : "its text is not known");
        break;
    case EXIT_CAUSE_ABORT:
        finding_title(finding, "%s ended the job with code %" PRId64 ": %s", ranks, cause->code,
                      call ? call : "");
        break;
    case EXIT_CAUSE_EXCEPTION:
        finding_title(finding, "%s: a Python exception that nothing caught%s: %s", ranks,
                      where ? where : "", cause->text ? cause->text : "its type is not known");
        break;
    default:
        finding_title(finding, "%s %s%s without %s", ranks, several ? "exit" : "exits",
                      where ? where : "",
                      has_sessions_only(trace) ? "MPI_Session_finalize" : "MPI_Finalize");
        if (has_sessions_only(trace))
            finding->remedy = REMEDY_SESSION;
    }
    free(where);
    free(call);
    free(signal);
}

/* Adds the place of the program's own code outside of MPI. */
static enum core_status add_own_place(const struct trace *trace, struct finding *finding,
                                      const struct exit_cause *cause, bool *out_known)
{
    bool outside = cause->kind == EXIT_CAUSE_EXCEPTION ||
                   (cause->kind == EXIT_CAUSE_SIGNAL && (!cause->inside || cause->elsewhere));
    int32_t own = outside ? frame_own(trace, cause) : 0;
    const struct trace_site *site = own ? &trace->site[own] : NULL;
    char place[256];

    *out_known = site && site->file && site->function;
    if (!*out_known)
        return CORE_OK;
    return finding_place_add(finding, cause->rank, site->function,
                             trace_site_text(trace, own, place, sizeof place), site->path,
                             cause->kind == EXIT_CAUSE_EXCEPTION ? "raised here" : "died here");
}

/* Links an exception to the rank's last call that returned an error, if the exception names an
 * error of MPI: the one was raised for the other. Links a signal to such a call just before. */
static enum core_status link_raised(struct trace *trace, struct finding *finding,
                                    const struct exit_cause *cause)
{
    enum { CALLS_MAX = 100, CALLS_SIGNAL = 10 }; /* of the exception's clearing up, and before it */
    bool raised =
        cause->kind == EXIT_CAUSE_EXCEPTION && cause->text &&
        (strstr(cause->text, "MPI_ERR_") || strstr(cause->text, "error stack")); /* MPICH */
    uint64_t calls = raised ? CALLS_MAX : cause->kind == EXIT_CAUSE_SIGNAL ? CALLS_SIGNAL : 0;
    struct trace_event event;

    CORE_CHECK(cause->rank < trace->rank_count);
    for (uint64_t seq = cause->seq; seq && seq + calls > cause->seq; seq--)
        if (trace_event_get(trace, cause->rank, seq, &event) == CORE_OK && event.error &&
            !event.parent)
            return finding_link_add(finding, cause->rank, seq);
    return CORE_OK;
}

/* Lists the ranks that ended the same way, in order. */
static enum core_status add_ranks(struct trace *trace, struct finding *finding,
                                  const struct causes *causes, const bool *mine)
{
    for (uint32_t i = 0; i < causes->count; i++) {
        const struct exit_cause *cause = &causes->cause[i];
        struct finding_call *call;

        if (!mine[i])
            continue;
        bool known;
        enum core_status status = add_own_place(trace, finding, cause, &known);
        if (status == CORE_OK)
            status = link_raised(trace, finding, cause);
        if (status != CORE_OK)
            return status;
        if (known &&
            cause->kind == EXIT_CAUSE_EXCEPTION) /* its last calls are those of its clearing up */
            continue;
        call = finding_core_add(finding, trace, cause->rank, cause->seq);
        if (!call)
            return CORE_NO_MEMORY;
        if (!cause->inside && cause->seq)
            call->note = strdup("its last call");
    }
    return CORE_OK;
}

/* Links the finding to the operation for which the rank's last call waits: the call that began it,
 * and the source of its message. */
static enum core_status link_waits(struct trace *trace, struct finding *finding,
                                   const struct trace_event *wait, const struct requests *requests)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i <= wait->completion_count && status == CORE_OK; i++) {
        uint64_t id = i ? wait->completion[i - 1].request : wait->request;
        const struct request *request = requests_find(requests, id);

        if (!request)
            continue;
        status = finding_link_add(finding, wait->rank, request->made);
        if (status != CORE_OK || request->comm < 0 || request->peer < 0)
            continue;
        int32_t peer = trace_comm_world(trace, request->comm, (int32_t)wait->rank, request->peer);
        if (peer >= 0)
            status = finding_link_add(finding, (uint32_t)peer, 0);
    }
    return status;
}

/* Handles a rank that was inside a call that completes requests. */
static enum core_status add_waits(struct trace *trace, struct finding *finding,
                                  const struct exit_cause *cause)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    struct requests requests;
    bool more = true, found = false;

    if (!cause->seq || trace_event_get(trace, cause->rank, cause->seq, &event) != CORE_OK ||
        !(event.traits & TRAITS_COMPLETE))
        return CORE_OK;
    enum core_status status = trace_cursor_open(trace, cause->rank, &cursor);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(event.rank == cause->rank);
    requests_init(&requests);
    while (!found && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        found = event.seq == cause->seq;
        if (found)
            status = link_waits(trace, finding, &event, &requests);
        else if (!event.parent)
            status = requests_follow(&requests, &event, NULL, NULL);
        if (status != CORE_OK)
            break;
    }
    requests_done(&requests);
    trace_cursor_close(cursor);
    return status;
}

static bool is_mine(const struct causes *causes, const bool *mine, uint32_t rank)
{
    for (uint32_t i = 0; i < causes->count; i++)
        if (mine[i] && causes->cause[i].rank == rank)
            return true;
    return false;
}

static void add_others(struct trace *trace, struct finding *finding, const struct causes *causes,
                       const bool *mine)
{
    uint32_t *rank = malloc(((size_t)trace->rank_count + 1) * sizeof *rank), count = 0;
    char *text;

    for (uint32_t i = 0; rank && i < trace->rank_count; i++)
        if (trace->rank[i].state == EVENT_RANK_ENDED && !is_mine(causes, mine, i))
            rank[count++] = i;
    text = count ? wording_ranks_text(rank, count, " and ") : NULL;
    if (text)
        finding_fact(finding, "%s %s ended because of it", text, count == 1 ? "was" : "were");
    free(text);
    count = 0;
    for (uint32_t i = 0; rank && i < causes->count && causes->first >= 0; i++)
        if (!mine[i])
            rank[count++] = causes->cause[i].rank;
    text = count ? wording_ranks_text(rank, count, " and ") : NULL;
    if (text)
        finding_fact(finding, "%s ended after it in %s own way%s", text,
                     count == 1 ? "its" : "their", count == 1 ? "" : "s");
    free(text);
    free(rank);
}

static char *ranks_text(const struct causes *causes, const bool *mine, uint32_t *out_count)
{
    uint32_t *rank = malloc(((size_t)causes->count + 1) * sizeof *rank), count = 0;
    char *text;

    for (uint32_t i = 0; rank && i < causes->count; i++)
        if (mine[i])
            rank[count++] = causes->cause[i].rank;
    text = rank ? wording_ranks_text(rank, count, " and ") : NULL;
    free(rank);
    CORE_CHECK(!text || count > 0);
    *out_count = count;
    return text;
}

/* Tells whether someone sent the rank a signal that it handles. Job starters do so to end a job,
 * and notebooks to end their engines. */
static bool is_told_to_end(const struct exit_cause *cause)
{
    return (cause->kind == EXIT_CAUSE_EXIT || cause->kind == EXIT_CAUSE_EXCEPTION) &&
           cause->detail > 0;
}

static enum finding_severity severity_of(const struct exit_cause *cause)
{
    if (cause->kind == EXIT_CAUSE_ABORT || is_told_to_end(cause))
        return FINDING_NOTE;
    return cause->kind == EXIT_CAUSE_SIGNAL && !wording_signal_is_own(cause->code) ? FINDING_WARNING
                                                                                   : FINDING_ERROR;
}

/* Adds that srun cannot start processes for MPI, if the rank's last call asks it to. */
static void add_starter(struct trace *trace, struct finding *finding,
                        const struct exit_cause *cause)
{
    const char *command = trace_meta(trace, "command");
    size_t length = command ? strcspn(command, " ") : 0;
    struct trace_event event;

    while (length && memchr(command, '/', length)) {
        command++;
        length--;
    }
    if (length == 4 && !strncmp(command, "srun", length) && cause->seq &&
        trace_event_get(trace, cause->rank, cause->seq, &event) == CORE_OK &&
        event.verb == VERB_START_PROCESSES)
        finding_fact(finding, "srun started the job, and Slurm starts no processes for MPI: inside "
                              "salloc or sbatch, mpirun does");
}

static void add_termination(struct finding *finding, const struct exit_cause *cause)
{
    char *signal = wording_signal(cause->detail);

    finding_fact(finding, "%s had asked the process to end: its handler ran before",
                 signal ? signal : "a signal");
    free(signal);
}

static enum core_status add_finding(const struct check_input *input, struct finding_list *list,
                                    enum rule_id rule, const struct causes *causes,
                                    const struct exit_cause *cause, const bool *mine)
{
    struct finding *finding = finding_list_add(list, rule, severity_of(cause));
    const char *exit_code = trace_meta(input->trace, "exit_code");
    uint32_t count;
    char *ranks = ranks_text(causes, mine, &count);
    enum core_status status;

    if (!finding || !ranks) {
        free(ranks);
        return CORE_NO_MEMORY;
    }
    finding->ended_job = !causes->by_crosswait || cause->kind == EXIT_CAUSE_EXCEPTION;
    if ((cause->kind == EXIT_CAUSE_SIGNAL ||
         (cause->kind == EXIT_CAUSE_EXIT && (cause->code > 0 || cause->code == INT64_MIN))) &&
        cause->inside && !cause->elsewhere)
        finding->effect = FINDING_EFFECT_FAILS;
    add_title(input->trace, finding, cause, ranks, count > 1);
    free(ranks);
    status = add_ranks(input->trace, finding, causes, mine);
    if (status == CORE_OK &&
        (cause->kind == EXIT_CAUSE_ERROR || finding->effect == FINDING_EFFECT_FAILS))
        status = add_waits(input->trace, finding, cause);
    if (status == CORE_OK && cause->kind != EXIT_CAUSE_SIGNAL && cause->inside)
        status = hint_live_comms_add(input->trace, finding, cause->rank, cause->seq);
    if (status == CORE_OK && cause->kind == EXIT_CAUSE_ERROR && cause->inside)
        status = hint_thread_took_add(input->trace, finding, cause->rank, cause->seq);
    if (status == CORE_OK && cause->kind == EXIT_CAUSE_SIGNAL)
        status = add_signal(input->trace, finding, cause);
    if ((cause->kind == EXIT_CAUSE_EXIT || cause->kind == EXIT_CAUSE_EXCEPTION) && cause->code > 0)
        finding_fact(finding, "with exit status %" PRId64, cause->code);
    else if (cause->kind == EXIT_CAUSE_EXIT && cause->code == INT64_MIN && exit_code &&
             strcmp(exit_code, "0"))
        finding_fact(finding, "its exit status is not known; the job's is %s", exit_code);
    if (cause->kind == EXIT_CAUSE_EXIT && finding->effect == FINDING_EFFECT_FAILS)
        finding_fact(finding, "inside the call: the MPI library gave up, or a function that it "
                              "called");
    if (is_told_to_end(cause))
        add_termination(finding, cause);
    if (cause->kind == EXIT_CAUSE_ABORT)
        finding_fact(finding, "it is the program's own decision to end the job");
    if (cause->kind == EXIT_CAUSE_ERROR)
        add_starter(input->trace, finding, cause);
    add_stack(input->trace, finding, cause);
    add_others(input->trace, finding, causes, mine);
    return status;
}

/* Reports this cause together with those like it. */
static enum core_status check_crash_tell(const struct check_input *input, struct finding_list *list,
                                         enum rule_id rule, const struct causes *causes,
                                         uint32_t index, bool *told)
{
    bool *mine;
    enum core_status status = CORE_ARRAY_NEW(mine, causes->count, "how ranks ended");

    if (status != CORE_OK)
        return status;
    CORE_CHECK(index < causes->count);
    CORE_CHECK(!told[index]); /* each cause is reported once */
    for (uint32_t i = 0; i < causes->count; i++) {
        mine[i] =
            !told[i] && check_crash_alike(input->trace, &causes->cause[i], &causes->cause[index]);
        told[i] |= mine[i];
    }
    CORE_CHECK(mine[index]); /* a cause is like itself */
    status = add_finding(input, list, rule, causes, &causes->cause[index], mine);
    free(mine);
    return status;
}

struct exits { /* exits that the rank's last call explains */
    const struct causes *causes;
    struct finding_list *list;
    bool *told; /* by cause */
};

/* Tells whether the misuse explains the exit: libraries end a program in a call before MPI_Init and
 * in a second MPI_Init. A program that never was in MPI has nothing to finalize. */
static bool check_crash_explains(const struct misuse *misuse, const struct exit_cause *cause)
{
    return cause->kind == EXIT_CAUSE_EXIT &&
           (misuse->kind == MISUSE_BEFORE_INIT ||
            (misuse->kind == MISUSE_INIT_TWICE && cause->code > 0));
}

static enum core_status exit_explain(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                     void *context)
{
    const struct exits *exits = context;
    const struct causes *causes = exits->causes;
    uint32_t at = CORE_ARRAY_FIND(i, 0, causes->count, causes->cause[i].rank < rank);

    if (at == causes->count || causes->cause[at].rank != rank || causes->cause[at].seq != seq ||
        !check_crash_explains(misuse, &causes->cause[at]))
        return CORE_OK;
    for (uint32_t i = 0; i < exits->list->count; i++) {
        struct finding *finding = &exits->list->finding[i];

        for (uint32_t c = 0; c < finding->call_count; c++) {
            if (finding->rule != &rule_table[RULE_LIFECYCLE] || finding->call[c].rank != rank ||
                finding->call[c].seq != seq)
                continue;
            if (!exits->told[at] && !finding->ended_job && causes->cause[at].code > 0)
                finding_fact(finding, "the program ended with exit status %" PRId64,
                             causes->cause[at].code);
            finding->ended_job = !causes->by_crosswait;
            exits->told[at] = true;
        }
    }
    return CORE_OK;
}

static enum core_status check_kind(const struct check_input *input, struct finding_list *list,
                                   enum rule_id rule, enum exit_cause_kind kind)
{
    struct causes causes = {0};
    enum core_status status = exit_causes_get(input->trace, &causes);
    bool *told = NULL;

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(told, causes.count, "how ranks ended");
    if (status == CORE_OK && kind == EXIT_CAUSE_EXIT)
        status = trace_misuse_each(input->trace, exit_explain,
                                   &(struct exits){.causes = &causes, .list = list, .told = told});
    if (status == CORE_OK && causes.first >= 0 && causes.cause[causes.first].kind == kind &&
        !told[causes.first])
        status = check_crash_tell(input, list, rule, &causes, (uint32_t)causes.first, told);
    for (uint32_t i = 0; i < causes.count && causes.first < 0 && status == CORE_OK; i++)
        if (causes.cause[i].kind == kind && !told[i])
            status = check_crash_tell(input, list, rule, &causes, i, told);
    free(told);
    exit_causes_done(&causes);
    return status;
}

/* --- a rank that left no record --------------------------------------------------------------- */

/* Reports a process that died of a signal, as the starter says, if no rank with a record did. */
static enum core_status check_missing(const struct check_input *input, struct finding_list *list)
{
    const char *exit_code = trace_meta(input->trace, "exit_code");
    int64_t signal = exit_code ? strtoll(exit_code, NULL, 10) - OF_SIGNALS : 0;
    uint32_t *rank, count = 0;
    struct finding *finding;
    char *name, *ranks;

    if (!wording_signal_is_own(signal))
        return CORE_OK;
    rank = malloc(((size_t)input->trace->rank_count + 1) * sizeof *rank);
    for (uint32_t i = 0; rank && i < input->trace->rank_count; i++)
        if (input->trace->rank[i].state == EVENT_RANK_MISSING)
            rank[count++] = i;
    finding = count ? finding_list_add(list, RULE_CRASH, FINDING_ERROR) : NULL;
    name = wording_signal(signal);
    ranks = rank ? wording_ranks_text(rank, count, " or ") : NULL;
    if (finding) {
        finding->ended_job = true;
        finding_title(finding, "%s died of %s before MPI_Init had returned", ranks ? ranks : "",
                      name ? name : "");
        finding_fact(
            finding,
            "no rank that left a record died of it, but the exit status of the command, %" PRId64
            ", says that one did",
            signal + OF_SIGNALS);
    }
    free(name);
    free(ranks);
    free(rank);
    return CORE_OK;
}

enum core_status check_crash(const struct check_input *input, struct finding_list *list)
{
    static const struct {
        enum rule_id rule;
        enum exit_cause_kind kind;
    } kinds[] = {{RULE_CRASH, EXIT_CAUSE_SIGNAL},
                 {RULE_ERROR, EXIT_CAUSE_ERROR},
                 {RULE_ABORT, EXIT_CAUSE_ABORT},
                 {RULE_EXCEPTION, EXIT_CAUSE_EXCEPTION}};
    struct causes causes = {0};
    enum core_status status = exit_causes_get(input->trace, &causes);
    bool none = status == CORE_OK && !causes.count;

    exit_causes_done(&causes);
    if (none)
        return check_missing(input, list);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == CORE_OK; i++)
        status = check_kind(input, list, kinds[i].rule, kinds[i].kind);
    return status;
}

enum core_status check_exit(const struct check_input *input, struct finding_list *list)
{
    return check_kind(input, list, RULE_LIFECYCLE, EXIT_CAUSE_EXIT);
}
