/* Finds what ended the job: a signal, an error that MPI raised where errors are fatal, MPI_Abort,
 * an exit without MPI_Finalize (rule lifecycle), an exception of Python's that nothing caught.
 * Blamed is who went first; ranks that the starter ended because of it have no fate of their own
 * (core/trace/exit_cause.h), and what others met after it is its consequence.
 *
 * MPI_Abort is the job's own decision, and a note. A signal that a program does not raise itself
 * comes from outside: a warning. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "core/trace/request.h"

enum { OF_SIGNALS = 128, NULL_PAGE_BYTES = 4096, FRAMES_NAMED_MAX = 16 };
static const uint64_t far_bytes = UINT64_C(1) << 36; /* so far from a buffer is nowhere near it */

struct fates {
    struct exit_cause *fate; /* by rank; the texts are copies */
    uint32_t count, room;
    int32_t first;     /* index of the one that went first; -1: not known */
    bool by_crosswait; /* the job was ended by the launcher, whatever had happened before */
};

/* --- which of them ---------------------------------------------------------------------------- */

static enum core_status check_crash_keep(const struct exit_cause *fate, void *context)
{
    struct fates *fates = context;
    struct exit_cause copy = *fate;
    enum core_status status;

    CORE_CHECK(!fates->count || fates->fate[fates->count - 1].rank < fate->rank); /* by rank */
    copy.text = fate->text ? strdup(fate->text) : NULL;
    status = CORE_ARRAY_PUSH(fates->fate, fates->count, fates->room, "how ranks ended", copy);
    if (status != CORE_OK)
        free((char *)copy.text);
    return status;
}

static void fates_done(struct fates *fates)
{
    for (uint32_t i = 0; i < fates->count; i++)
        free((char *)fates->fate[i].text);
    CORE_ARRAY_DONE(fates->fate, fates->count, fates->room);
}

/* The launcher saw which; else the earliest, if it is known when each of them was. */
static int32_t first_find(const struct fates *fates)
{
    int32_t first = -1;

    for (uint32_t i = 0; i < fates->count; i++)
        if (fates->fate[i].first)
            return (int32_t)i;
    for (uint32_t i = 0; i < fates->count; i++) {
        if (fates->fate[i].at_ns == INT64_MIN)
            return fates->count == 1 ? 0 : -1;
        if (first < 0 || fates->fate[i].at_ns < fates->fate[first].at_ns)
            first = (int32_t)i;
    }
    return first;
}

static enum core_status fates_get(struct trace *trace, struct fates *out_fates)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(trace, &ending);

    out_fates->by_crosswait = ending.reason != ENDING_NONE && ending.reason != ENDING_SNAPSHOT;
    ending_done(&ending);
    if (status == CORE_OK)
        status = trace_fates_each(trace, check_crash_keep, out_fates);
    out_fates->first = first_find(out_fates);
    CORE_CHECK(out_fates->first < (int32_t)out_fates->count);
    CORE_CHECK(status != CORE_OK || out_fates->count <= trace->rank_count);
    if (status != CORE_OK)
        fates_done(out_fates);
    return status;
}

/* Whether both ended in the same function of MPI, called from the same place. */
static bool same_call(struct trace *trace, const struct exit_cause *fate,
                      const struct exit_cause *first)
{
    struct trace_event event[2];

    if (!fate->seq || !first->seq ||
        trace_event_get(trace, fate->rank, fate->seq, &event[0]) != CORE_OK ||
        trace_event_get(trace, first->rank, first->seq, &event[1]) != CORE_OK)
        return !fate->seq && !first->seq;
    return event[0].call == event[1].call && event[0].site == event[1].site;
}

/* The rank ended by itself, and not because of the first one. */
static bool check_crash_alike(struct trace *trace, const struct exit_cause *fate,
                              const struct exit_cause *first)
{
    bool names_call =
        fate->inside || fate->kind == EXIT_CAUSE_ERROR || fate->kind == EXIT_CAUSE_ABORT;

    if (fate->kind == EXIT_CAUSE_EXCEPTION && first->kind == EXIT_CAUSE_EXCEPTION)
        return fate->frame_count && first->frame_count && fate->frame[0] == first->frame[0];
    return fate->kind == first->kind && fate->code == first->code && fate->after == first->after &&
           fate->inside == first->inside && fate->elsewhere == first->elsewhere &&
           fate->frame_count == first->frame_count &&
           (!fate->frame_count || fate->frame[0] == first->frame[0]) &&
           (!names_call || same_call(trace, fate, first));
}

/* --- its stack -------------------------------------------------------------------------------- */

/* Objects that are no part of an application, by the start of their names. */
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

/* "compute at x.c:12", "x.c:12", "compute+0x12 (app)" */
static void frame_words(FILE *file, const struct trace *trace, int32_t site)
{
    CORE_CHECK(site > 0 && (uint32_t)site < trace->site_count); /* trace_exit_cause.c sees to it */
    const struct trace_site *place = &trace->site[site];
    const char *function = place->inlined ? place->inlined : place->function;
    char text[256];

    if (place->file && function)
        fprintf(file, "%s at ", function);
    fputs(trace_site_text(trace, site, text, sizeof text), file);
}

/* The innermost frame of the application; 0: none. */
static int32_t frame_own(const struct trace *trace, const struct exit_cause *fate)
{
    CORE_CHECK(fate->frame_count <= EXIT_CAUSE_FRAMES_MAX);
    for (uint32_t i = 0; i < fate->frame_count; i++)
        if (is_application(&trace->site[fate->frame[i]]))
            return fate->frame[i];
    return 0;
}

/* The function of a library that the application had called; where nothing of an application is
 * known, the innermost one. 0: none. */
static int32_t frame_called(const struct trace *trace, const struct exit_cause *fate)
{
    int32_t called = 0, innermost = 0;

    for (uint32_t i = 0; i < fate->frame_count; i++) {
        const struct trace_site *site = &trace->site[fate->frame[i]];

        if (is_application(site))
            return called;
        if (site->symbol && strncmp(module_name(site), "libcrosswait", 12) != 0)
            called = fate->frame[i];
        if (!innermost)
            innermost = called;
    }
    return innermost;
}

static void add_stack(const struct trace *trace, struct finding *finding,
                      const struct exit_cause *fate)
{
    int32_t called = frame_called(trace, fate);
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
    for (uint32_t i = 0; i < fate->frame_count; i++) {
        if (!is_application(&trace->site[fate->frame[i]]))
            continue;
        if (named >= FRAMES_NAMED_MAX) {
            rest++;
            continue;
        }
        fputs(named++ ? ", called from " : "", file);
        frame_words(file, trace, fate->frame[i]);
    }
    if (rest)
        fprintf(file, ", and %" PRIu32 " more", rest);
    if (core_text_close(file, &text) && named)
        finding_fact(finding, "stack: %s", text);
    free(text);
}

/* --- the address and the buffers -------------------------------------------------------------- */

/* The size that a call with the buffer states; 0: not known. Blocks for each rank are
 * counted for collectives that have one length for all of them. */
static uint64_t buffer_bytes(const struct trace *trace, const struct trace_event *event, int which)
{
    CORE_CHECK(which < EXIT_CAUSE_BUFFERS);
    bool other = which == EXIT_CAUSE_BUFFER_RECV && event->has_leg;
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

static void add_range(struct trace *trace, struct finding *finding, const struct exit_cause *fate,
                      const struct trace_event *event, int which, uint64_t bytes)
{
    CORE_CHECK(fate->buffer[which]); /* add_buffer takes one that is known, and its size */
    CORE_CHECK(bytes > 0);
    uint64_t start = fate->buffer[which], away = check_crash_distance(fate->address, start, bytes);
    char place[256], where[96], size[64];

    if (fate->address < start)
        snprintf(where, sizeof where, "%s before it", describe_bytes(away, size, sizeof size));
    else if (fate->address - start >= bytes)
        snprintf(where, sizeof where, "%s behind its end", describe_bytes(away, size, sizeof size));
    else
        snprintf(where, sizeof where, "in it, %s from its start",
                 describe_bytes(fate->address - start, size, sizeof size));
    finding_fact(finding,
                 "the %s buffer of %s at %s has %s, from 0x%" PRIx64 " to 0x%" PRIx64
                 ": the address lies %s",
                 which == EXIT_CAUSE_BUFFER_SEND ? "send" : "receive",
                 trace->call[event->call].name,
                 trace_site_text(trace, event->site, place, sizeof place),
                 describe_bytes(bytes, size, sizeof size), start, start + bytes, where);
}

/* The nearer one of the two buffers, if it is anywhere near. */
static void add_buffer(struct trace *trace, struct finding *finding, const struct exit_cause *fate)
{
    uint64_t nearest = far_bytes, bytes[EXIT_CAUSE_BUFFERS];
    struct trace_event event;
    int which = -1;

    if (!fate->buffer_seq ||
        trace_event_get(trace, fate->rank, fate->buffer_seq, &event) != CORE_OK)
        return;
    for (int i = 0; i < EXIT_CAUSE_BUFFERS; i++) {
        bytes[i] = fate->buffer[i] ? buffer_bytes(trace, &event, i) : 0;
        if (!bytes[i] || check_crash_distance(fate->address, fate->buffer[i], bytes[i]) >= nearest)
            continue;
        nearest = check_crash_distance(fate->address, fate->buffer[i], bytes[i]);
        which = i;
    }
    if (which >= 0)
        add_range(trace, finding, fate, &event, which, bytes[which]);
}

static void add_address(struct trace *trace, struct finding *finding, const struct exit_cause *fate)
{
    CORE_CHECK(fate->kind == EXIT_CAUSE_SIGNAL);
    const char *cause = wording_signal_cause(fate->code, fate->detail);

    if (!fate->has_address) {
        if (cause)
            finding_fact(finding, "%s", cause);
        return;
    }
    finding_fact(finding, "it accessed the address 0x%" PRIx64 "%s%s%s", fate->address,
                 fate->address < NULL_PAGE_BYTES ? ", a null pointer or near one" : "",
                 cause ? ": " : "", cause ? cause : "");
    if (fate->address >= NULL_PAGE_BYTES)
        add_buffer(trace, finding, fate);
}

/* --- words ------------------------------------------------------------------------------------ */

/* " in MPI_Recv at x.c:12", " in application code after MPI_Recv at x.c:12", ", after
 * MPI_Finalize", " in compute at x.c:30, in a thread without recorded calls, during MPI_Recv at
 * x.c:12" */
static char *where_text(struct trace *trace, const struct exit_cause *fate)
{
    int32_t own = frame_own(trace, fate);
    struct trace_event event;
    char place[256], *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    bool known = fate->seq && trace_event_get(trace, fate->rank, fate->seq, &event) == CORE_OK;

    if (!file)
        return NULL;
    if (known)
        trace_site_text(trace, event.site, place, sizeof place);
    if (fate->kind == EXIT_CAUSE_EXCEPTION) {
        fputs(own ? " in " : "", file);
        if (own)
            frame_words(file, trace, own);
    } else if (fate->elsewhere) {
        fputs(own ? " in " : "", file);
        if (own)
            frame_words(file, trace, own);
        fprintf(file, "%s in a thread without recorded calls", own ? "," : "");
        if (known)
            fprintf(file, ", %s %s at %s", fate->inside ? "during" : "after",
                    trace->call[event.call].name, place);
    } else if (known && fate->inside) {
        fprintf(file, " in %s at %s", trace->call[event.call].name, place);
    } else if (fate->kind == EXIT_CAUSE_SIGNAL) {
        fputs(own ? " in " : fate->after ? "" : " in application code", file);
        if (own)
            frame_words(file, trace, own);
        if (known)
            fprintf(file, "%s after %s at %s", own ? "," : "", trace->call[event.call].name, place);
    }
    return core_text_close(file, &text);
}

/* "MPI_Abort at x.c:12" */
static char *call_text(struct trace *trace, const struct exit_cause *fate)
{
    struct trace_event event;
    char place[256], *text = NULL;

    if (!fate->seq || trace_event_get(trace, fate->rank, fate->seq, &event) != CORE_OK)
        return strdup("MPI");
    if (asprintf(&text, "%s at %s", trace->call[event.call].name,
                 trace_site_text(trace, event.site, place, sizeof place)) < 0)
        return NULL;
    return text;
}

static void add_title(struct trace *trace, struct finding *finding, const struct exit_cause *fate,
                      const char *ranks, bool several)
{
    char *where = where_text(trace, fate), *call = call_text(trace, fate);
    char *signal = wording_signal(fate->code);
    bool own = finding->severity == FINDING_ERROR;

    CORE_CHECK(fate->kind != EXIT_CAUSE_NONE); /* who came to his end has no fate */
    switch (fate->kind) {
    case EXIT_CAUSE_SIGNAL:
        finding_title(finding, "%s %s %s%s", ranks,
                      own       ? "died of"
                      : several ? "were ended by"
                                : "was ended by",
                      signal ? signal : "", where ? where : "");
        break;
    case EXIT_CAUSE_ERROR:
        finding_title(finding, "%s: %s raised an error, and errors are fatal: %s", ranks,
                      call ? call : "", fate->text ? fate->text : "its text is not known");
        break;
    case EXIT_CAUSE_ABORT:
        finding_title(finding, "%s gave up with code %" PRId64 ": %s", ranks, fate->code,
                      call ? call : "");
        break;
    case EXIT_CAUSE_EXCEPTION:
        finding_title(finding, "%s: a Python exception that nothing caught%s: %s", ranks,
                      where ? where : "", fate->text ? fate->text : "its type is not known");
        break;
    default:
        finding_title(finding, "%s %s%s without MPI_Finalize", ranks, several ? "exit" : "exits",
                      where ? where : "");
    }
    free(where);
    free(call);
    free(signal);
}

/* Where the program's own code was, outside of MPI. */
static enum core_status add_own_place(const struct trace *trace, struct finding *finding,
                                      const struct exit_cause *fate, bool *out_known)
{
    bool outside = fate->kind == EXIT_CAUSE_EXCEPTION ||
                   (fate->kind == EXIT_CAUSE_SIGNAL && (!fate->inside || fate->elsewhere));
    int32_t own = outside ? frame_own(trace, fate) : 0;
    const struct trace_site *site = own ? &trace->site[own] : NULL;
    char place[256];

    *out_known = site && site->file && site->function;
    if (!*out_known)
        return CORE_OK;
    return finding_place_add(finding, fate->rank, site->function,
                             trace_site_text(trace, own, place, sizeof place), site->path,
                             fate->kind == EXIT_CAUSE_EXCEPTION ? "raised here" : "died here");
}

/* Lists the ranks that ended the same way, in order. */
static enum core_status add_ranks(struct trace *trace, struct finding *finding,
                                  const struct fates *fates, const bool *mine)
{
    for (uint32_t i = 0; i < fates->count; i++) {
        const struct exit_cause *fate = &fates->fate[i];
        struct finding_call *call;

        if (!mine[i])
            continue;
        bool known;
        enum core_status status = add_own_place(trace, finding, fate, &known);
        if (status != CORE_OK)
            return status;
        if (known &&
            fate->kind == EXIT_CAUSE_EXCEPTION) /* its last calls are those of its clearing up */
            continue;
        call = finding_core_add(finding, trace, fate->rank, fate->seq);
        if (!call)
            return CORE_NO_MEMORY;
        if (!fate->inside && fate->seq)
            call->note = strdup("its last call");
    }
    return CORE_OK;
}

/* The operation for which the rank's last call waits: the call that began it, and the source of its
 * message. */
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
                                  const struct exit_cause *fate)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    struct requests requests;
    bool more = true, found = false;

    if (!fate->seq || trace_event_get(trace, fate->rank, fate->seq, &event) != CORE_OK ||
        !(event.traits & TRAITS_COMPLETE))
        return CORE_OK;
    enum core_status status = trace_cursor_open(trace, fate->rank, &cursor);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(event.rank == fate->rank);
    requests_init(&requests);
    while (!found && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        found = event.seq == fate->seq;
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

static bool is_mine(const struct fates *fates, const bool *mine, uint32_t rank)
{
    for (uint32_t i = 0; i < fates->count; i++)
        if (mine[i] && fates->fate[i].rank == rank)
            return true;
    return false;
}

static void add_others(struct trace *trace, struct finding *finding, const struct fates *fates,
                       const bool *mine)
{
    uint32_t *rank = malloc(((size_t)trace->rank_count + 1) * sizeof *rank), count = 0;
    char *text;

    for (uint32_t i = 0; rank && i < trace->rank_count; i++)
        if (trace->rank[i].state == EVENT_RANK_ENDED && !is_mine(fates, mine, i))
            rank[count++] = i;
    text = count ? wording_ranks_text(rank, count, " and ") : NULL;
    if (text)
        finding_fact(finding, "%s %s ended because of it", text, count == 1 ? "was" : "were");
    free(text);
    count = 0;
    for (uint32_t i = 0; rank && i < fates->count && fates->first >= 0; i++)
        if (!mine[i])
            rank[count++] = fates->fate[i].rank;
    text = count ? wording_ranks_text(rank, count, " and ") : NULL;
    if (text)
        finding_fact(finding, "%s ended after it in %s own way%s", text,
                     count == 1 ? "its" : "their", count == 1 ? "" : "s");
    free(text);
    free(rank);
}

static char *ranks_text(const struct fates *fates, const bool *mine, uint32_t *out_count)
{
    uint32_t *rank = malloc(((size_t)fates->count + 1) * sizeof *rank), count = 0;
    char *text;

    for (uint32_t i = 0; rank && i < fates->count; i++)
        if (mine[i])
            rank[count++] = fates->fate[i].rank;
    text = rank ? wording_ranks_text(rank, count, " and ") : NULL;
    free(rank);
    CORE_CHECK(!text || count > 0);
    *out_count = count;
    return text;
}

/* Somebody had sent it a signal that it has a handler for, as starters do that are told to end
 * their job, and notebooks with their engines. */
static bool is_told_to_end(const struct exit_cause *fate)
{
    return (fate->kind == EXIT_CAUSE_EXIT || fate->kind == EXIT_CAUSE_EXCEPTION) &&
           fate->detail > 0;
}

static enum finding_severity severity_of(const struct exit_cause *fate)
{
    if (fate->kind == EXIT_CAUSE_ABORT || is_told_to_end(fate))
        return FINDING_NOTE;
    return fate->kind == EXIT_CAUSE_SIGNAL && !wording_signal_is_own(fate->code) ? FINDING_WARNING
                                                                                 : FINDING_ERROR;
}

/* Calls that start processes ask the job's starter for them. */
static void add_starter(struct trace *trace, struct finding *finding, const struct exit_cause *fate)
{
    const char *command = trace_meta(trace, "command");
    size_t length = command ? strcspn(command, " ") : 0;
    struct trace_event event;

    while (length && memchr(command, '/', length)) {
        command++;
        length--;
    }
    if (length == 4 && !strncmp(command, "srun", length) && fate->seq &&
        trace_event_get(trace, fate->rank, fate->seq, &event) == CORE_OK &&
        event.verb == VERB_START_PROCESSES)
        finding_fact(finding, "srun started the job, and Slurm starts no processes for MPI: inside "
                              "salloc or sbatch, mpirun does");
}

static void add_termination(struct finding *finding, const struct exit_cause *fate)
{
    char *signal = wording_signal(fate->detail);

    finding_fact(finding, "somebody had told it to end, by %s: its handler ran before",
                 signal ? signal : "a signal");
    free(signal);
}

static enum core_status add_finding(const struct check_input *input, struct finding_list *list,
                                    enum rule_id rule, const struct fates *fates,
                                    const struct exit_cause *fate, const bool *mine)
{
    struct finding *finding = finding_list_add(list, rule, severity_of(fate));
    uint32_t count;
    char *ranks = ranks_text(fates, mine, &count);
    enum core_status status;

    if (!finding || !ranks) {
        free(ranks);
        return CORE_NO_MEMORY;
    }
    finding->ended_job = !fates->by_crosswait || fate->kind == EXIT_CAUSE_EXCEPTION;
    if ((fate->kind == EXIT_CAUSE_SIGNAL || (fate->kind == EXIT_CAUSE_EXIT && fate->code > 0)) &&
        fate->inside && !fate->elsewhere)
        finding->effect = FINDING_EFFECT_FAILS;
    add_title(input->trace, finding, fate, ranks, count > 1);
    free(ranks);
    status = add_ranks(input->trace, finding, fates, mine);
    if (status == CORE_OK &&
        (fate->kind == EXIT_CAUSE_ERROR || finding->effect == FINDING_EFFECT_FAILS))
        status = add_waits(input->trace, finding, fate);
    if (fate->kind == EXIT_CAUSE_SIGNAL)
        add_address(input->trace, finding, fate);
    if ((fate->kind == EXIT_CAUSE_EXIT || fate->kind == EXIT_CAUSE_EXCEPTION) && fate->code > 0)
        finding_fact(finding, "with exit status %" PRId64, fate->code);
    if (fate->kind == EXIT_CAUSE_EXIT && finding->effect == FINDING_EFFECT_FAILS)
        finding_fact(finding, "inside the call: the MPI library gave up, or a function that it "
                              "called");
    if (is_told_to_end(fate))
        add_termination(finding, fate);
    if (fate->kind == EXIT_CAUSE_ABORT)
        finding_fact(finding, "it is the program's own decision to end the job");
    if (fate->kind == EXIT_CAUSE_ERROR)
        add_starter(input->trace, finding, fate);
    add_stack(input->trace, finding, fate);
    add_others(input->trace, finding, fates, mine);
    return status;
}

/* A finding of this one and of those that are like it. */
static enum core_status check_crash_tell(const struct check_input *input, struct finding_list *list,
                                         enum rule_id rule, const struct fates *fates,
                                         uint32_t index, bool *told)
{
    bool *mine;
    enum core_status status = CORE_ARRAY_NEW(mine, fates->count, "how ranks ended");

    if (status != CORE_OK)
        return status;
    CORE_CHECK(index < fates->count);
    CORE_CHECK(!told[index]); /* each is told once */
    for (uint32_t i = 0; i < fates->count; i++) {
        mine[i] = !told[i] && check_crash_alike(input->trace, &fates->fate[i], &fates->fate[index]);
        told[i] |= mine[i];
    }
    CORE_CHECK(mine[index]); /* it is like itself */
    status = add_finding(input, list, rule, fates, &fates->fate[index], mine);
    free(mine);
    return status;
}

struct exits { /* that the rank's last call explains */
    const struct fates *fates;
    struct finding_list *list;
    bool *told; /* by fate */
};

/* Libraries end the program in a call before MPI_Init, and in a second MPI_Init. A program that
 * never was in MPI has nothing to finalize. */
static bool check_crash_explains(const struct misuse *misuse, const struct exit_cause *fate)
{
    return fate->kind == EXIT_CAUSE_EXIT && (misuse->kind == MISUSE_BEFORE_INIT ||
                                             (misuse->kind == MISUSE_INIT_TWICE && fate->code > 0));
}

static enum core_status exit_explain(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                     void *context)
{
    const struct exits *exits = context;
    const struct fates *fates = exits->fates;
    uint32_t at = CORE_ARRAY_FIND(i, 0, fates->count, fates->fate[i].rank < rank);

    if (at == fates->count || fates->fate[at].rank != rank || fates->fate[at].seq != seq ||
        !check_crash_explains(misuse, &fates->fate[at]))
        return CORE_OK;
    for (uint32_t i = 0; i < exits->list->count; i++) {
        struct finding *finding = &exits->list->finding[i];

        for (uint32_t c = 0; c < finding->call_count; c++) {
            if (finding->rule != &rule_table[RULE_LIFECYCLE] || finding->call[c].rank != rank ||
                finding->call[c].seq != seq)
                continue;
            if (!exits->told[at] && !finding->ended_job && fates->fate[at].code > 0)
                finding_fact(finding, "the program ended with exit status %" PRId64,
                             fates->fate[at].code);
            finding->ended_job = !fates->by_crosswait;
            exits->told[at] = true;
        }
    }
    return CORE_OK;
}

static enum core_status check_kind(const struct check_input *input, struct finding_list *list,
                                   enum rule_id rule, enum exit_cause_kind kind)
{
    struct fates fates = {0};
    enum core_status status = fates_get(input->trace, &fates);
    bool *told = NULL;

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(told, fates.count, "how ranks ended");
    if (status == CORE_OK && kind == EXIT_CAUSE_EXIT)
        status = trace_misuse_each(input->trace, exit_explain,
                                   &(struct exits){.fates = &fates, .list = list, .told = told});
    if (status == CORE_OK && fates.first >= 0 && fates.fate[fates.first].kind == kind &&
        !told[fates.first])
        status = check_crash_tell(input, list, rule, &fates, (uint32_t)fates.first, told);
    for (uint32_t i = 0; i < fates.count && fates.first < 0 && status == CORE_OK; i++)
        if (fates.fate[i].kind == kind && !told[i])
            status = check_crash_tell(input, list, rule, &fates, i, told);
    free(told);
    fates_done(&fates);
    return status;
}

/* --- a rank that left no record --------------------------------------------------------------- */

/* Nobody who left a record met his end, but the starter says that a process died of a signal. */
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
        finding_fact(finding,
                     "no rank that left a record died of it, and the exit status of the "
                     "command, %" PRId64 ", says that one did",
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
    struct fates fates = {0};
    enum core_status status = fates_get(input->trace, &fates);
    bool none = status == CORE_OK && !fates.count;

    fates_done(&fates);
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
