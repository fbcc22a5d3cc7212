/* Calls as text: the arguments a class of calls has, in the words of MPI's standard. */
#include "core/trace/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"

struct text { /* appends to a fixed buffer and cuts the text that does not fit */
    char *buffer;
    size_t room, used;
    const char *separator; /* between two arguments */
    bool numbered;         /* listings show ids as well */
    bool separated;        /* an argument was written already */
};

static void describe_append(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void describe_append(struct text *text, const char *format, ...)
{
    va_list args;

    CORE_CHECK(text->buffer);
    if (text->used >= text->room)
        return;
    va_start(args, format);
    int length = vsnprintf(text->buffer + text->used, text->room - text->used, format, args);
    va_end(args);
    if (length > 0)
        text->used += (size_t)length;
}

static void describe_separate(struct text *text)
{
    CORE_CHECK(text->separator);
    if (text->separated)
        describe_append(text, "%s", text->separator);
    text->separated = true;
}

const char *describe_peer(int32_t peer, char *buffer, size_t buffer_bytes)
{
    CORE_CHECK(buffer_bytes > 0);
    switch (peer) {
    case EVENT_ANY:
        snprintf(buffer, buffer_bytes, "any");
        break;
    case EVENT_PROC_NULL:
        snprintf(buffer, buffer_bytes, "MPI_PROC_NULL");
        break;
    case EVENT_ROOT:
        snprintf(buffer, buffer_bytes, "MPI_ROOT");
        break;
    default:
        snprintf(buffer, buffer_bytes, "%" PRId32, peer);
    }
    return buffer;
}

const char *describe_target(int32_t target, char *buffer, size_t buffer_bytes)
{
    if (target != EVENT_ANY)
        return describe_peer(target, buffer, buffer_bytes);
    CORE_CHECK(buffer_bytes > 0);
    snprintf(buffer, buffer_bytes, "MPI_ANY_SOURCE");
    return buffer;
}

const char *describe_number(uint64_t number, char *buffer, size_t buffer_bytes)
{
    char digits[24], grouped[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;

    CORE_CHECK(length > 0 && length < (int)sizeof digits);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            grouped[out++] = ',';
        grouped[out++] = digits[i];
    }
    CORE_CHECK(out < (int)sizeof grouped);
    grouped[out] = 0;
    CORE_CHECK(buffer_bytes > 0);
    snprintf(buffer, buffer_bytes, "%s", grouped);
    return buffer;
}

const char *describe_count(uint64_t count, const char *noun, char *buffer, size_t buffer_bytes)
{
    char number[32];

    CORE_CHECK(buffer_bytes > 0 && *noun);
    snprintf(buffer, buffer_bytes, "%s %s%s", describe_number(count, number, sizeof number), noun,
             count == 1 ? "" : "s");
    return buffer;
}

const char *describe_bytes(uint64_t bytes, char *buffer, size_t buffer_bytes)
{
    return describe_count(bytes, "byte", buffer, buffer_bytes);
}

bool describe_rank_end(const struct trace *trace, uint32_t rank, const char *begin, FILE *file)
{
    const struct trace_rank *of = &trace->rank[rank];
    char number[32];

    CORE_CHECK(rank < trace->rank_count);
    if (of->state == EVENT_RANK_FINISHED && !of->cut && !of->lost)
        return false;
    fprintf(file, "%srank %" PRIu32 ": %s", begin, rank, event_rank_state_text(of->state));
    if (of->detail)
        fprintf(file, ", %s", of->detail);
    if (of->lost)
        fprintf(file, ", %s event%s not recorded", describe_number(of->lost, number, sizeof number),
                of->lost == 1 ? "" : "s");
    if (of->cut && of->state != EVENT_RANK_MISSING)
        fputs(", the record is cut short", file);
    fputc('\n', file);
    return true;
}

/* Writes the object's name ("halo"), or WHAT with the call that made it and its place: "the
 * communicator made by MPI_Comm_split at x.c:12". Returns false if neither is known. */
static bool describe_maker(const struct trace *trace, const char *what,
                           const struct trace_maker *maker, char *buffer, size_t buffer_bytes)
{
    char place[256];

    CORE_CHECK(maker->call < (int32_t)trace->call_count); /* trace_provenance.c */
    if (maker->name)
        snprintf(buffer, buffer_bytes, "%s", maker->name);
    else if (maker->call >= 0)
        snprintf(buffer, buffer_bytes, "%s %s at %s", what, trace->call[maker->call].name,
                 trace_site_text(trace, maker->site, place, sizeof place));
    return maker->name || maker->call >= 0;
}

static const char *comm_text(const struct trace *trace, int32_t comm, const char *what,
                             char *buffer, size_t buffer_bytes)
{
    struct trace_maker maker;

    if (comm >= 0 && (uint32_t)comm < trace->comm_count && trace->comm[comm].name &&
        *trace->comm[comm].name)
        snprintf(buffer, buffer_bytes, "%s", trace->comm[comm].name);
    else if (!trace_comm_maker(trace, comm, &maker) ||
             !describe_maker(trace, what, &maker, buffer, buffer_bytes))
        snprintf(buffer, buffer_bytes, "communicator %" PRId32, comm);
    return buffer;
}

const char *describe_comm(const struct trace *trace, int32_t comm, char *buffer,
                          size_t buffer_bytes)
{
    return comm_text(trace, comm, "the communicator made by", buffer, buffer_bytes);
}

/* Writes "MPI_INT", "pair", or "datatype of MPI_Type_vector at x.c:15". Returns false if nothing is
 * known. */
static bool describe_datatype(const struct trace *trace, uint64_t datatype, char *buffer,
                              size_t buffer_bytes)
{
    struct trace_maker maker;

    if (datatype >= trace->datatype_count)
        return false;
    if (trace->datatype[datatype].name && *trace->datatype[datatype].name) {
        snprintf(buffer, buffer_bytes, "%s", trace->datatype[datatype].name);
        return true;
    }
    return trace_datatype_maker(trace, (int32_t)datatype, &maker) &&
           describe_maker(trace, "datatype of", &maker, buffer, buffer_bytes);
}

static const char *peer_name(uint64_t traits)
{
    return trait_in(traits, TRAIT_SENDS)    ? "dest"
           : trait_in(traits, TRAIT_WINDOW) ? "target"
                                            : "source";
}

/* Appends a tag. takes: the tag selects messages, so MPI_ANY_TAG is legal. */
static void append_tag(struct text *text, const char *name, int32_t tag, bool takes)
{
    CORE_CHECK(tag != EVENT_NONE);
    describe_separate(text);
    if (tag == EVENT_ANY && takes)
        describe_append(text, "%s=any", name);
    else
        describe_append(text, "%s=%" PRId32, name, tag);
}

/* Tells whether a collective sends from one buffer and receives into another. */
static bool has_two_buffers(const struct trace_event *event)
{
    return event->has_recv_half && event->recv_peer == EVENT_NONE &&
           !trait_in(event->traits, TRAIT_WINDOW);
}

/* Appends a rank of the event's communicator, and which rank of the job it is, if that has another
 * number. takes: MPI_ANY_SOURCE is legal. */
static void append_peer(struct text *text, const struct trace *trace,
                        const struct trace_event *event, const char *name, int32_t peer, bool takes)
{
    bool several = event->comm >= 0 && (uint32_t)event->comm < trace->comm_count &&
                   (trace->comm[event->comm].inter || trace->comm[event->comm].size > 1);
    int32_t world = peer >= 0 && several
                        ? trace_comm_world(trace, event->comm, (int32_t)event->rank, peer)
                        : peer;
    char word[64];

    CORE_CHECK(peer != EVENT_NONE);
    describe_separate(text);
    describe_append(text, "%s=%s", name,
                    takes ? describe_peer(peer, word, sizeof word)
                          : describe_target(peer, word, sizeof word));
    if (world >= 0 && world != peer)
        describe_append(text, " (rank %" PRId32 ")", world);
}

static void append_receive(struct text *text, const struct trace *trace,
                           const struct trace_event *event)
{
    char word[64];

    CORE_CHECK(event->has_recv_half);
    if (event->recv_peer !=
        EVENT_NONE) /* the receive side of a collective has no peer and no tag */
        append_peer(text, trace, event, "source", event->recv_peer, true);
    if (event->recv_tag != EVENT_NONE)
        append_tag(text, "recvtag", event->recv_tag, true);
    describe_separate(text);
    describe_append(text, "%s%s", has_two_buffers(event) ? "recv=" : "",
                    describe_bytes(event->recv_bytes, word, sizeof word));
}

static void append_message(struct text *text, const struct trace *trace,
                           const struct trace_event *event)
{
    bool takes = !(event->traits & (TRAIT_BIT(SENDS) | TRAIT_BIT(WINDOW)));
    char word[64];

    if (event->peer != EVENT_NONE)
        append_peer(text, trace, event, peer_name(event->traits), event->peer, takes);
    if (event->tag != EVENT_NONE)
        append_tag(text, "tag", event->tag, !trait_in(event->traits, TRAIT_SENDS));
    if (event->root != EVENT_NONE)
        append_peer(text, trace, event, "root", event->root, false);
    if ((event->datatype >= 0 && event->count != EVENT_NONE) || event->bytes) {
        describe_separate(text);
        describe_append(text, "%s%s", has_two_buffers(event) ? "send=" : "",
                        describe_bytes(event->bytes, word, sizeof word));
    }
    if (event->has_recv_half && !trait_in(event->traits, TRAIT_WINDOW))
        append_receive(text, trace, event);
    else if (event->has_recv_half && event->recv_bytes != event->bytes) {
        describe_separate(text);
        describe_append(text, "%s at the target",
                        describe_bytes(event->recv_bytes, word, sizeof word));
    }
}

static void append_id(struct text *text, const char *name, uint64_t id)
{
    CORE_CHECK(name);
    if (!id)
        return;
    describe_separate(text);
    describe_append(text, "%s=%" PRIu64, name, id);
}

/* Names the object of a call. For an object that the call made, only a name that the program set
 * adds to the call; an object that the call takes is named by its name or by the call that made
 * it. */
static void append_object(struct text *text, const struct trace *trace,
                          const struct trace_event *event, const char *name)
{
    bool made = event->traits & (TRAIT_BIT(MAKES_COMM) | TRAIT_BIT(MAKES_TYPE)),
         comm = trait_in(event->traits, TRAIT_MAKES_COMM),
         type = event->traits & (TRAIT_BIT(MAKES_TYPE) | TRAIT_BIT(FREES_TYPE)) ||
                event->verb == VERB_COMMIT_TYPE;
    struct trace_maker maker = {0};
    char word[384];

    if (text->numbered) {
        append_id(text, name, event->request);
    } else if (comm && trace_comm_maker(trace, (int32_t)event->request, &maker) && maker.name) {
        describe_separate(text);
        describe_append(text, "%s", maker.name);
    } else if (type && made) {
        if (trace_datatype_maker(trace, (int32_t)event->request, &maker) && maker.name) {
            describe_separate(text);
            describe_append(text, "%s", maker.name);
        }
    } else if (type && describe_datatype(trace, event->request, word, sizeof word)) {
        describe_separate(text);
        describe_append(text, "%s", word);
    }
}

/* Names the object that a call made or freed, where `request` is no request. */
static bool append_made(struct text *text, const struct trace *trace,
                        const struct trace_event *event)
{
    if (trait_in(event->traits, TRAIT_MAKES_REQUEST))
        return false;
    const char *name = trait_in(event->traits, TRAIT_MAKES_COMM) ? "newcomm"
                       : event->traits & (TRAIT_BIT(MAKES_TYPE) | TRAIT_BIT(FREES_TYPE))
                           ? "datatype"
                       : event->verb == VERB_COMMIT_TYPE ? "datatype"
                       : event->traits & (TRAIT_BIT(MAKES_GROUP) | TRAIT_BIT(FREES_GROUP)) ? "group"
                       : event->traits & (TRAIT_BIT(MAKES_OP) | TRAIT_BIT(FREES_OP))       ? "op"
                                                                                           : NULL;
    if (name)
        append_object(text, trace, event, name);
    return name != NULL;
}

static void append_requests(struct text *text, const struct trace *trace,
                            const struct trace_event *event)
{
    enum { SHOWN_MAX = 8 };

    if (append_made(text, trace, event) || !text->numbered)
        return;
    if (event->request) {
        describe_separate(text);
        describe_append(text, "request=%" PRIu64, event->request);
    } else if (event->completion_count && event->completion[0].request) {
        describe_separate(text);
        describe_append(text, "requests=");
        for (uint32_t i = 0; i < event->completion_count && i < SHOWN_MAX; i++)
            describe_append(text, "%s%" PRIu64, i ? "," : "", event->completion[i].request);
        if (event->completion_count > SHOWN_MAX)
            describe_append(text, ",... (%" PRIu32 ")", event->completion_count);
    }
}

static void append_objects(struct text *text, const struct trace *trace,
                           const struct trace_event *event)
{
    char word[384];

    if (event->op != EVENT_NONE && event->op >= 0 && (uint32_t)event->op < trace->op_count &&
        trace->op_name[event->op]) {
        describe_separate(text);
        describe_append(text, "%s", trace->op_name[event->op]);
    }
    if (event->comm >= 0) {
        describe_separate(text);
        describe_append(text, "%s",
                        comm_text(trace, event->comm, "communicator of", word, sizeof word));
    }
}

static const char *call_write(const struct trace *trace, const struct trace_event *event,
                              bool numbered, char *buffer, size_t buffer_bytes)
{
    struct text text = {
        .buffer = buffer, .room = buffer_bytes, .separator = ", ", .numbered = numbered};

    if (!buffer_bytes)
        return "";
    CORE_CHECK(event->call > 0); /* trace.c invariant 1 */
    CORE_CHECK((uint32_t)event->call < trace->call_count);
    buffer[0] = 0;
    describe_append(&text, "%s(", trace->call[event->call].name);
    append_message(&text, trace, event);
    append_requests(&text, trace, event);
    append_objects(&text, trace, event);
    describe_append(&text, ")");
    return buffer;
}

const char *describe_call(const struct trace *trace, const struct trace_event *event, char *buffer,
                          size_t buffer_bytes)
{
    return call_write(trace, event, true, buffer, buffer_bytes);
}

const char *describe_call_said(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes)
{
    return call_write(trace, event, false, buffer, buffer_bytes);
}

const char *describe_arguments(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes)
{
    struct text text = {.buffer = buffer, .room = buffer_bytes, .separator = "\n"};

    if (!buffer_bytes)
        return "";
    CORE_CHECK(event->call > 0 && (uint32_t)event->call < trace->call_count);
    buffer[0] = 0;
    append_message(&text, trace, event);
    append_made(&text, trace, event);
    append_objects(&text, trace, event);
    return buffer;
}
