/* Reports misuse that a rank's own calls show: what the recorder saw at the call
 * (interpose/misuse/usage.h: arguments, handles, requests, buffers, leaks), and ranks that ended
 * without MPI_Finalize. Each kind has its rule: argument, request, buffer (also for loads),
 * buffer-type, leak, lifecycle. A receive buffer that is too small is an error, or a warning if the
 * message that arrived fits. A mistake that several ranks make, or that is repeated at one place,
 * is one finding. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/wording.h"
#include "checkers/wording_misuse.h"
#include "checkers/expected_error.h"
#include "checkers/hint_exchanged.h"
#include "checkers/hint_null_handle.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "core/trace/trace_message.h"
#include "program/source_mention.h"

static const struct {
    enum rule_id rule;
    enum finding_severity severity;
    enum finding_effect effect;
} rules[] = {
    [MISUSE_RULE_ARGUMENT] = {RULE_ARGUMENT, FINDING_ERROR},
    [MISUSE_RULE_ARGUMENT_CUSTOM] = {RULE_ARGUMENT, FINDING_WARNING},
    [MISUSE_RULE_REQUEST] = {RULE_REQUEST, FINDING_ERROR},
    [MISUSE_RULE_REQUEST_UNWISE] = {RULE_REQUEST, FINDING_WARNING},
    [MISUSE_RULE_REQUEST_ALLOWED] = {RULE_REQUEST, FINDING_NOTE},
    [MISUSE_RULE_BUFFER] = {RULE_BUFFER, FINDING_ERROR},
    [MISUSE_RULE_MEMORY] = {RULE_BUFFER, FINDING_ERROR, FINDING_EFFECT_FAILS},
    [MISUSE_RULE_UNINITIALIZED] = {RULE_BUFFER, FINDING_WARNING},
    [MISUSE_RULE_UNINITIALIZED_BYTES] = {RULE_BUFFER, FINDING_NOTE},
    [MISUSE_RULE_TYPE] = {RULE_BUFFER_TYPE, FINDING_WARNING},
    [MISUSE_RULE_TYPE_LOOSE] = {RULE_BUFFER_TYPE, FINDING_NOTE},
    [MISUSE_RULE_LOAD] = {RULE_BUFFER, FINDING_ERROR},
    [MISUSE_RULE_LEAK] = {RULE_LEAK, FINDING_WARNING},
    [MISUSE_RULE_LEAK_ALLOWED] = {RULE_LEAK, FINDING_NOTE},
    [MISUSE_RULE_LIFECYCLE] = {RULE_LIFECYCLE, FINDING_ERROR},
    [MISUSE_RULE_LAUNCH] = {RULE_LIFECYCLE, FINDING_WARNING},
};

_Static_assert(sizeof rules / sizeof *rules == MISUSE_RULE_WINDOW,
               "a row per rule, but for what is no misuse by itself");

/* Remedies for kinds of misuse that their rule's help does not cover. */
static const enum remedy remedies[MISUSE_KIND_COUNT] = {
    [MISUSE_HANDLE_POINTER] = REMEDY_HANDLE,
    [MISUSE_HANDLE_NULL] = REMEDY_HANDLE,
    [MISUSE_HANDLE_FREED] = REMEDY_HANDLE,
    [MISUSE_HANDLE_UNKNOWN] = REMEDY_HANDLE,
    [MISUSE_TYPE_UNCOMMITTED] = REMEDY_COMMIT,
    [MISUSE_NOTHING_ATTACHED] = REMEDY_ATTACH,
    [MISUSE_ATTACHED_SMALL] = REMEDY_ATTACH,
    [MISUSE_ATTACHED_FREED] = REMEDY_HELD,
    [MISUSE_ATTACHED_UNMAPPED] = REMEDY_HELD,
    [MISUSE_ATTACHED_RETURNED] = REMEDY_HELD,
    [MISUSE_MESSAGE_LEFT] = REMEDY_MATCHED,
    [MISUSE_BUFFERS_OVERLAP] = REMEDY_APART,
    [MISUSE_WINDOW_FREED] = REMEDY_WINDOW,
    [MISUSE_WINDOW_RETURNED] = REMEDY_RETURNED,
    [MISUSE_REGION_RETURNED] = REMEDY_RETURNED,
    [MISUSE_WINDOW_UNMAPPED] = REMEDY_WINDOW,
    [MISUSE_REGION_FREED] = REMEDY_WINDOW,
    [MISUSE_REGION_UNMAPPED] = REMEDY_WINDOW,
    [MISUSE_SEND_FREED_MEMORY] = REMEDY_FREED,
    [MISUSE_RECEIVE_FREED_MEMORY] = REMEDY_FREED,
    [MISUSE_READ_ARRAY_FREED] = REMEDY_FREED,
    [MISUSE_WRITE_ARRAY_FREED] = REMEDY_FREED,
    [MISUSE_SEND_UNINITIALIZED] = REMEDY_FILL,
    [MISUSE_SEND_BYTES_UNINITIALIZED] = REMEDY_FILL,
    [MISUSE_SEND_EXTENT] = REMEDY_EXTENT,
    [MISUSE_RECEIVE_EXTENT] = REMEDY_EXTENT,
    [MISUSE_SEND_UNFILLED] = REMEDY_RESIZE,
    [MISUSE_RECEIVE_UNFILLED] = REMEDY_RESIZE,
    [MISUSE_SEND_OWNER] = REMEDY_OWNER,
    [MISUSE_RECEIVE_OWNER] = REMEDY_OWNER,
    [MISUSE_SEND_ADDRESS] = REMEDY_POINTEE,
    [MISUSE_RECEIVE_ADDRESS] = REMEDY_POINTEE,
    [MISUSE_SEND_BEFORE] = REMEDY_DISPLACE,
    [MISUSE_RECEIVE_BEFORE] = REMEDY_DISPLACE,
    [MISUSE_SEND_DISPLACED] = REMEDY_DISPLACE,
    [MISUSE_RECEIVE_DISPLACED] = REMEDY_DISPLACE,
    [MISUSE_PROMISED] = REMEDY_PROMISE,
    [MISUSE_PEER_RANGE] = REMEDY_RANK,
    [MISUSE_TARGET_RANGE] = REMEDY_RANK,
    [MISUSE_PEER_ANY] = REMEDY_RANK,
    [MISUSE_CUT] = REMEDY_CUT,
    [MISUSE_DISPLACED_TWICE] = REMEDY_BASE,
    [MISUSE_DISPLACED_ASTRAY] = REMEDY_BASE,
    [MISUSE_TAG_NEGATIVE] = REMEDY_TAG,
    [MISUSE_OP_DERIVED] = REMEDY_OPERATION,
    [MISUSE_OP_TYPE] = REMEDY_OPERATION,
    [MISUSE_OP_MIXED] = REMEDY_OPERATION,
    [MISUSE_OP_ONE_SIDED] = REMEDY_OPERATION,
    [MISUSE_OP_USER] = REMEDY_OPERATION,
    [MISUSE_SWAP_TYPE] = REMEDY_OPERATION,
    [MISUSE_SWAP_DERIVED] = REMEDY_OPERATION,
    [MISUSE_DIMS_PRODUCT] = REMEDY_DIMS,
    [MISUSE_DIMS_DIVIDE] = REMEDY_DIMS,
    [MISUSE_NO_CART] = REMEDY_TOPOLOGY,
    [MISUSE_NO_GRAPH] = REMEDY_TOPOLOGY,
    [MISUSE_NO_DIST_GRAPH] = REMEDY_TOPOLOGY,
    [MISUSE_NO_TOPOLOGY] = REMEDY_TOPOLOGY,
    [MISUSE_IN_PLACE] = REMEDY_IN_PLACE,
    [MISUSE_PARTS_OVERLAP] = REMEDY_PARTS,
    [MISUSE_TYPE_OVERLAPS] = REMEDY_OVERLAPPING,
    [MISUSE_TARGET_OVERLAPS] = REMEDY_OVERLAPPING,
    [MISUSE_PACK_PAST_END] = REMEDY_PACK,
    [MISUSE_NULL_SENT] = REMEDY_ADDRESS,
    [MISUSE_NULL_RECEIVED] = REMEDY_ADDRESS,
    [MISUSE_ADDRESS_SENT] = REMEDY_ADDRESS,
    [MISUSE_ADDRESS_RECEIVED] = REMEDY_ADDRESS,
    [MISUSE_ATTACHED_ALREADY] = REMEDY_DETACH,
    [MISUSE_START_ACTIVE] = REMEDY_RESTART,
    [MISUSE_START_ONCE] = REMEDY_PERSISTENT,
    [MISUSE_START_NULL] = REMEDY_REQUEST_NULL,
    [MISUSE_COMPLETE_NULL] = REMEDY_REQUEST_NULL,
    [MISUSE_CANCEL_NULL] = REMEDY_REQUEST_NULL,
    [MISUSE_FREE_NULL] = REMEDY_REQUEST_NULL,
    [MISUSE_FREE_COLLECTIVE] = REMEDY_WAIT,
    [MISUSE_FREE_RECEIVE] = REMEDY_WAIT,
    [MISUSE_WAITED_TWICE] = REMEDY_ONE_WAITS,
    [MISUSE_OVERWRITTEN] = REMEDY_ONE_WAITS,
    [MISUSE_MARK_UNSTARTED] = REMEDY_PARTITION,
    [MISUSE_MARKED_TWICE] = REMEDY_PARTITION,
    [MISUSE_PARTITION_LEFT] = REMEDY_PARTITION,
    [MISUSE_REQUEST_LEFT] = REMEDY_LEFT,
    [MISUSE_CANCELLED_LEFT] = REMEDY_CANCELLED,
    [MISUSE_READ_ARRAY_SHORT] = REMEDY_ENTRIES,
    [MISUSE_WRITE_ARRAY_SHORT] = REMEDY_ENTRIES,
    [MISUSE_STORED_BEHIND] = REMEDY_ELEMENTS,
    [MISUSE_INIT_TWICE] = REMEDY_INITIALIZE,
    [MISUSE_BEFORE_INIT] = REMEDY_INITIALIZE,
    [MISUSE_SEPARATE] = REMEDY_LAUNCHER,
    [MISUSE_SEND_FREED] = REMEDY_ALIVE,
    [MISUSE_RECEIVE_FREED] = REMEDY_ALIVE,
    [MISUSE_SEND_RETURNED] = REMEDY_STACK,
    [MISUSE_RECEIVE_RETURNED] = REMEDY_STACK,
    [MISUSE_ARRAY_RETURNED] = REMEDY_STACK,
};

enum { RECEIVED_MAX = 64 }; /* limits how many receives are looked up, which is slow */

struct other { /* place of the other call that a mistake involves */
    int32_t site;
    uint32_t last_rank; /* the last rank that reported it */
};
struct mistake {
    uint32_t finding; /* index in the list */
    char *what;       /* text that is equal for all occurrences */
    char *words;      /* of the first one; those of others can have other numbers */
    uint32_t *unlike; /* ranks with other numbers, ascending */
    uint32_t unlike_count, unlike_room;
    uint64_t count, meant;
    uint32_t told; /* occurrences that the finding shows */
    struct other *other;
    uint32_t other_count, other_room;
};
struct gathering {
    const struct check_input *input;
    struct finding_list *list;
    struct mistake *mistake;
    uint32_t count, room;
    struct hint_exchanged exchanged;
    uint32_t received;      /* receives that were looked up */
    uint32_t rank, of_rank; /* the present rank, and its number of misuses so far */
    bool more;              /* a rank may have made more misuses than were recorded */
};

static struct mistake *check_usage_find(struct gathering *gathering, const char *what)
{
    for (uint32_t i = 0; i < gathering->count; i++)
        if (!strcmp(gathering->mistake[i].what, what))
            return &gathering->mistake[i];
    char *copy = strdup(what);
    if (!copy || CORE_ARRAY_PUSH(gathering->mistake, gathering->count, gathering->room, "mistakes",
                                 (struct mistake){.finding = UINT32_MAX, .what = copy})) {
        free(copy);
        return NULL;
    }
    return &gathering->mistake[gathering->count - 1];
}

/* Tells whether MPI refused a call that other ranks wait for. */
static bool is_missed(const struct trace_event *event)
{
    return event->error && event->traits & (TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES) |
                                            TRAIT_BIT(STARTS) | TRAIT_BIT(COLLECTIVE));
}

static enum finding_effect effect_of(enum misuse_kind kind, const struct trace_event *event)
{
    bool nulled = kind == MISUSE_READ_ARRAY_SHORT && trait_in(event->traits, TRAIT_COMPLETES_ALL);

    CORE_CHECK(misuse_kind_rule(kind) < sizeof rules / sizeof *rules);
    enum finding_effect effect =
        kind == MISUSE_RECEIVE_PAST_END || kind == MISUSE_RECEIVE_FREED ||
                kind == MISUSE_RECEIVE_RETURNED || kind == MISUSE_RECEIVE_FREED_MEMORY ||
                kind == MISUSE_WINDOW_FREED || kind == MISUSE_WINDOW_UNMAPPED ||
                kind == MISUSE_WINDOW_RETURNED || kind == MISUSE_NULL_SENT ||
                kind == MISUSE_NULL_RECEIVED || kind == MISUSE_STORED_BEHIND ||
                kind == MISUSE_WRITE_ARRAY_SHORT || nulled
            ? FINDING_EFFECT_SPOILS
        : kind == MISUSE_BUFFERS_OVERLAP ? FINDING_EFFECT_MEETS
        : kind == MISUSE_PARTITION_LEFT  ? FINDING_EFFECT_BLOCKS
                                         : FINDING_EFFECT_OPEN;

    if (is_missed(event))
        return FINDING_EFFECT_REFUSED;
    return effect == FINDING_EFFECT_OPEN ? rules[misuse_kind_rule(kind)].effect : effect;
}

/* Adds the flush that came before a buffer was reused but named another target than the access, and
 * so did not complete it. */
static enum core_status note_flush(struct trace *trace, struct finding *finding,
                                   const struct trace_event *access, uint64_t until)
{
    struct trace_cursor *cursor;
    struct trace_event event, flush = {.seq = 0};
    bool more;
    char place[256];
    enum core_status status = trace_cursor_open(trace, access->rank, &cursor);

    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(WINDOW));
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq <= until)
        if (event.seq > access->seq && event.class == EVENT_CLASS_RMA_FLUSH &&
            event.win == access->win && event.peer >= 0 && event.peer != access->peer)
            flush = event;
    trace_cursor_close(cursor);
    if (status != CORE_OK || !flush.seq)
        return status;
    finding_fact(finding,
                 "%s at %s completes what rank %" PRIu32 " does at target %" PRId32
                 "; this %s is at target %" PRId32,
                 trace->call[flush.call].name,
                 trace_site_text(trace, flush.site, place, sizeof place), access->rank, flush.peer,
                 trace->call[access->call].name, access->peer);
    return CORE_OK;
}

static const struct trace_site *site_of(const struct trace *trace, int32_t site)
{
    return site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;
}

/* Tells whether Fortran's run-time library did what the misuse is about. */
static bool is_by_fortran(const struct trace *trace, const struct misuse *misuse)
{
    const struct trace_site *site = site_of(trace, misuse->site);
    const char *slash = site && site->module ? strrchr(site->module, '/') : NULL;

    return site && site->module &&
           !strncmp(slash ? slash + 1 : site->module, "libgfortran.", strlen("libgfortran."));
}

/* Tells whether the call stands in a source file of Fortran, by the file's name. */
static bool is_in_fortran(const struct trace *trace, const struct trace_event *event)
{
    const struct trace_site *site = site_of(trace, event->site);
    const char *dot = site && site->file ? strrchr(site->file, '.') : NULL;

    return dot && (dot[1] == 'f' || dot[1] == 'F');
}

/* Tells whether the source shows that the call's first argument is a name alone, not a section. */
static bool is_whole_array(const struct trace *trace, const struct trace_event *event)
{
    const struct trace_site *site = site_of(trace, event->site);
    char *line = site && site->path ? source_mention_line(site->path, site->line) : NULL,
         *call = line ? strcasestr(line, trace->call[event->call].name) : NULL,
         *first = call ? strchr(call, '(') : NULL;
    size_t length = first ? strcspn(first + 1, ",()&!") : 0;
    bool whole = length && first[1 + length] == ',';

    free(line);
    return whole;
}

/* Names the likely statement if Fortran's run-time library accessed a buffer that MPI owns, or if
 * the buffer of a call in Fortran was freed. */
static void note_section(struct finding *finding, const struct trace *trace,
                         const struct misuse *misuse, const struct trace_event *owner)
{
    bool freed = misuse->kind == MISUSE_SEND_FREED || misuse->kind == MISUSE_RECEIVE_FREED;

    CORE_CHECK(finding->rule == &rule_table[RULE_BUFFER]); /* REMEDY_SECTION is for that rule */
    if (!is_by_fortran(trace, misuse) &&
        !(freed && is_in_fortran(trace, owner) && !is_whole_array(trace, owner)))
        return;
    if (freed)
        finding_fact(finding, "if the argument is an array section that is not contiguous, such as "
                              "a(3,:), the compiler passed MPI a copy of the section, and freed it "
                              "as soon as the call returned");
    else
        finding_fact(finding, "Fortran's run-time library did that: in a statement that reads or "
                              "writes, or for an array section that is not contiguous, such as "
                              "a(3,:): the compiler passes MPI a copy of the section, and copies "
                              "it back and frees it as soon as the call returns");
    finding->remedy = REMEDY_SECTION;
}

/* Names the rank of the communicator that the program may mean if it gave one of MPI_COMM_WORLD. */
static void note_world_rank(struct finding *finding, const struct trace *trace,
                            const struct trace_event *event, const struct misuse *misuse)
{
    if (event->comm < 0 || (uint32_t)event->comm >= trace->comm_count || misuse->value[0] < 0)
        return;
    const struct trace_comm *comm = &trace->comm[event->comm];

    for (int32_t i = 0; !comm->inter && i < comm->size; i++)
        if (comm->member[i] == misuse->value[0])
            finding_fact(finding,
                         "rank %" PRId64 " of MPI_COMM_WORLD is rank %" PRId32
                         " of this communicator",
                         misuse->value[0], i);
}

/* Says how rank 0 gets -1 as its neighbor. */
static void note_neighbor(struct finding *finding, const struct trace *trace,
                          const struct trace_event *event, const struct misuse *misuse)
{
    bool negative = (misuse->kind == MISUSE_PEER_ANY || misuse->kind == MISUSE_PEER_RANGE) &&
                    misuse->value[0] == -1;

    if (negative && event->comm >= 0 && (uint32_t)event->comm < trace->comm_count &&
        trace_comm_world(trace, event->comm, (int32_t)event->rank, 0) == (int32_t)event->rank)
        finding_fact(finding, "for rank 0, (rank - 1) %% size is -1: a neighbor around a ring is "
                              "(rank + size - 1) %% size");
}

/* Tells whether a negative argument is so large that an int must have overflowed; then says so. */
static void note_overflow(struct finding *finding, const struct misuse *misuse)
{
    enum { SMALL = 1 << 20 };
    const int64_t turn = INT64_C(1) << 32;
    int64_t value = misuse->value[misuse->kind == MISUSE_NEGATIVE_ENTRY];
    char meant[32];

    if ((misuse->kind != MISUSE_NEGATIVE && misuse->kind != MISUSE_NEGATIVE_ENTRY &&
         misuse->kind != MISUSE_TAG_NEGATIVE) ||
        value > -SMALL || value < -turn / 2)
        return;
    if (misuse->kind != MISUSE_TAG_NEGATIVE)
        finding->remedy = REMEDY_OVERFLOW;
    finding_fact(finding, "an int overflowed: %" PRId64 " is what an int holds of %s", value,
                 describe_number((uint64_t)(value + turn), meant, sizeof meant));
}

/* Tells where the value comes from if it is MPI_UNDEFINED, which is the same in all libraries. */
static void note_undefined(struct finding *finding, const struct misuse *misuse)
{
    enum { UNDEFINED = -32766 };
    bool peer = misuse->kind == MISUSE_PEER_RANGE, entry = misuse->kind == MISUSE_NEGATIVE_ENTRY;

    if ((!peer && !entry && misuse->kind != MISUSE_NEGATIVE) || misuse->value[entry] != UNDEFINED)
        return;
    finding->remedy = REMEDY_UNDEFINED;
    finding_fact(finding, "%d is MPI_UNDEFINED: %s", UNDEFINED,
                 peer ? "MPI_Group_rank and MPI_Group_translate_ranks return it for a rank that is "
                        "not in the group, MPI_Waitany where no request is active"
                      : "MPI_Get_count and MPI_Get_elements return it for a message that is no "
                        "whole number of elements of the datatype that they are given");
}

/* Returns the datatype of the buffer that a misuse is about; NULL: unknown. */
static const struct trace_datatype *type_of_buffer(const struct trace *trace,
                                                   const struct trace_event *event,
                                                   const struct misuse *misuse)
{
    bool receives = misuse->kind == MISUSE_RECEIVE_PAST_END && event->has_recv_half;
    int32_t type = receives ? event->recv_datatype : event->datatype;
    int64_t count = receives ? event->recv_count : event->count;

    if (type < 0 || (uint32_t)type >= trace->datatype_count || count != misuse->value[0] ||
        trace->datatype[type].size <= 0)
        return NULL;
    return &trace->datatype[type];
}

/* Names the extent as the cause if one element of a datatype with gaps has room, and all have not.
 */
static void note_stride(struct finding *finding, const struct trace *trace,
                        const struct trace_event *event, const struct misuse *misuse)
{
    const struct trace_datatype *type;
    char extent[64];

    if (misuse->kind != MISUSE_SEND_PAST_END && misuse->kind != MISUSE_RECEIVE_PAST_END)
        return;
    type = type_of_buffer(trace, event, misuse);
    if (!type || type->extent <= type->size || misuse->value[0] < 2 ||
        misuse->value[1] - (misuse->value[0] - 1) * type->extent > misuse->value[2])
        return;
    finding->remedy = REMEDY_STRIDE;
    finding_fact(finding,
                 "the datatype has an extent of %s: each element begins so far behind the "
                 "one before, and one alone has room",
                 describe_bytes((uint64_t)type->extent, extent, sizeof extent));
}

/* Says so if each rank is to receive from each other one what all of them send together. */
static void note_total(struct finding *finding, const struct trace *trace,
                       const struct trace_event *event, const struct misuse *misuse)
{
    if (misuse->kind != MISUSE_RECEIVE_PAST_END || !event->has_recv_half || event->comm < 0 ||
        (uint32_t)event->comm >= trace->comm_count || !trait_in(event->traits, TRAIT_COLLECTIVE))
        return;
    const int64_t members = trace->comm[event->comm].size;
    const uint64_t sent = event->bytes * (uint64_t)members;
    if (members > 1 && event->bytes && event->recv_bytes == sent &&
        (uint64_t)misuse->value[1] == sent * (uint64_t)members)
        finding->remedy = REMEDY_PART;
}

/* Says so if the call was given an object itself that has its data elsewhere. */
static void note_owner(struct finding *finding, const struct misuse *misuse)
{
    if ((misuse->kind != MISUSE_SEND_PAST_END && misuse->kind != MISUSE_RECEIVE_PAST_END) ||
        !misuse->name[2] || !misuse->variable.name)
        return;
    CORE_CHECK(finding->rule == &rule_table[RULE_BUFFER]);
    finding->remedy = REMEDY_OWNER;
    finding_fact(finding, "`%s` holds %s: its bytes are the address of its data, not the data",
                 misuse->variable.name, misuse->name[2]);
}

/* Says so if a container of the C++ library may have accessed the buffer. */
static void note_container(struct finding *finding, const struct trace *trace,
                           const struct misuse *misuse)
{
    const struct trace_site *site = site_of(trace, misuse->site);

    if ((misuse->kind != MISUSE_RECEIVE_ACCESSED && misuse->kind != MISUSE_RECEIVE_WRITTEN) ||
        !site || !site->path || !strstr(site->path, "/c++/"))
        return;
    finding_fact(finding, "the C++ library did that: in an algorithm, or in a container that grows "
                          "(push_back, resize): that copies its elements and frees their memory");
}

/* Returns the remedy of a kind. What a call writes that makes a window is the window's memory. */
static enum remedy remedy_of(enum misuse_kind kind, enum verb verb)
{
    bool window = verb == VERB_WIN_CREATE || verb == VERB_ATTACH_MEMORY;

    return kind == MISUSE_WRITE_ARRAY_SHORT && window ? REMEDY_WINDOW_SIZE : remedies[kind];
}

/* Adds a finding for a new mistake. */
static enum core_status mistake_add(struct gathering *gathering, struct mistake *mistake,
                                    const struct trace_event *event, const struct misuse *misuse,
                                    const char *title)
{
    enum misuse_rule rule = misuse_kind_rule(misuse->kind);
    struct trace *trace = gathering->input->trace;
    CORE_CHECK(rule < sizeof rules / sizeof *rules); /* check_rma reports the others */
    CORE_CHECK(mistake->finding == UINT32_MAX);      /* it has no finding yet */
    CORE_CHECK(misuse->kind < MISUSE_KIND_COUNT);
    struct finding *finding =
        finding_list_add(gathering->list, rules[rule].rule, rules[rule].severity);

    if (!finding)
        return CORE_NO_MEMORY;
    finding->effect = effect_of(misuse->kind, event);
    finding->remedy = remedy_of(misuse->kind, trace->call[event->call].verb);
    if (rule == MISUSE_RULE_LOAD)
        finding_of_load(finding, trace, misuse->site);
    mistake->finding = gathering->list->count - 1;
    finding_title(finding, "%s", title);
    char *detail = wording_misuse_detail(misuse);
    if (detail)
        finding_fact(finding, "on rank %" PRIu32 " %s", event->rank, detail);
    free(detail);
    note_overflow(finding, misuse);
    note_undefined(finding, misuse);
    if (misuse->kind == MISUSE_PEER_RANGE)
        note_world_rank(finding, trace, event, misuse);
    note_neighbor(finding, trace, event, misuse);
    note_stride(finding, trace, event, misuse);
    note_total(finding, trace, event, misuse);
    note_owner(finding, misuse);
    note_container(finding, trace, misuse);
    finding_place(finding, trace, "that was done", misuse->site);
    return CORE_OK;
}

/* Tells whether a message has room in a buffer that is too small for the longest one. */
static bool has_room(const struct trace *trace, const struct trace_event *event,
                     const struct misuse *misuse, uint64_t bytes)
{
    const struct trace_datatype *type = type_of_buffer(trace, event, misuse);
    uint64_t elements = type ? (bytes + (uint64_t)type->size - 1) / (uint64_t)type->size : 0;

    if (!type || type->extent <= type->size || elements > (uint64_t)misuse->value[0])
        return bytes <= (uint64_t)misuse->value[2];
    return misuse->value[1] - (misuse->value[0] - (int64_t)elements) * type->extent <=
           misuse->value[2];
}

/* Sets the severity for a receive buffer that is too small for the longest message that may come: a
 * warning if the message that came fits, since nothing was overwritten; else an error. */
static enum core_status check_usage_weigh(struct gathering *gathering, struct finding *finding,
                                          const struct trace_event *event,
                                          const struct misuse *misuse, bool fresh)
{
    enum core_status status = CORE_NOT_FOUND;
    uint64_t bytes = 0;
    char text[64];

    if (misuse->kind != MISUSE_RECEIVE_PAST_END || (!fresh && finding->severity == FINDING_ERROR))
        return CORE_OK;
    if (gathering->received++ < RECEIVED_MAX)
        status = trace_received_get(gathering->input->trace, event->rank, event->seq, &bytes);
    if (status != CORE_OK && status != CORE_NOT_FOUND)
        return status;
    bool fits = status == CORE_OK && has_room(gathering->input->trace, event, misuse, bytes);
    finding->severity = fits ? FINDING_WARNING : FINDING_ERROR;
    if (fits && fresh)
        finding_fact(finding, "the message that came has %s, and fits",
                     describe_bytes(bytes, text, sizeof text));
    return CORE_OK;
}

/* Tells whether the numbers of a mistake differ from rank to rank although the mistake is the same:
 * sizes, and values that a rank computes from its own. */
static bool is_of_numbers(enum misuse_kind kind)
{
    return kind == MISUSE_SEND_PAST_END || kind == MISUSE_RECEIVE_PAST_END ||
           kind == MISUSE_READ_ARRAY_SHORT || kind == MISUSE_WRITE_ARRAY_SHORT ||
           kind == MISUSE_STORED_BEHIND || kind == MISUSE_SWAPPED || kind == MISUSE_PEER_RANGE ||
           kind == MISUSE_TARGET_RANGE || kind == MISUSE_NEGATIVE || kind == MISUSE_NEGATIVE_ENTRY;
}

/* Removes all digits but those of a variable's name. */
static void digits_remove(char *text)
{
    char *to = text;
    bool name = false;
    for (const char *at = text; *at; at++) {
        name ^= *at == '`';
        if (name || !((*at >= '0' && *at <= '9') || *at == ','))
            *to++ = *at;
    }
    *to = 0;
}

/* Returns the key of a mistake: occurrences with equal calls, places and words are one, also if
 * only numbers differ (is_of_numbers), and all elements behind an array are. place: of the other
 * call, if the mistake is reported there. */
static char *same_text(const struct trace_event *event, int32_t place, const struct misuse *misuse,
                       const char *words)
{
    char *text = NULL, *same = strdup(misuse->kind == MISUSE_STORED_BEHIND ? "" : words);

    if (same && is_of_numbers(misuse->kind))
        digits_remove(same);
    if (same && asprintf(&text, "%d|%d|%d|%d|%d|%s", (int)misuse->kind, (int)event->call,
                         (int)event->site, (int)place, (int)misuse->site, same) < 0)
        text = NULL;
    free(same);
    return text;
}

/* Keeps the words of the first occurrence, and the rank of one whose words differ. Takes them. */
static enum core_status words_note(struct mistake *mistake, uint32_t rank, char *words)
{
    bool first = !mistake->words, unlike = !first && strcmp(mistake->words, words) != 0;
    if (first)
        mistake->words = words;
    else
        free(words);
    CORE_CHECK(!mistake->unlike_count || mistake->unlike[mistake->unlike_count - 1] <= rank);
    if (!unlike || (mistake->unlike_count && mistake->unlike[mistake->unlike_count - 1] == rank))
        return CORE_OK;
    return CORE_ARRAY_PUSH(mistake->unlike, mistake->unlike_count, mistake->unlike_room, "mistakes",
                           rank);
}

/* Tells whether the program itself did it between calls; the call only was the first to see it. */
static bool is_found_after(enum misuse_kind kind)
{
    return kind == MISUSE_SEND_WRITTEN || kind == MISUSE_SEND_UNMAPPED ||
           kind == MISUSE_SEND_FREED || kind == MISUSE_RECEIVE_WRITTEN ||
           kind == MISUSE_RECEIVE_UNMAPPED || kind == MISUSE_RECEIVE_FREED ||
           kind == MISUSE_RECEIVE_ACCESSED || kind == MISUSE_ARRAY_WRITTEN ||
           kind == MISUSE_ARRAY_UNMAPPED || kind == MISUSE_ARRAY_FREED ||
           kind == MISUSE_SEND_RETURNED || kind == MISUSE_RECEIVE_RETURNED ||
           kind == MISUSE_ARRAY_RETURNED;
}

/* Finds whether the rank was already noted for this place of the other call, and notes it. */
static enum core_status other_note(struct mistake *mistake, uint32_t rank, int32_t site,
                                   bool *out_known)
{
    for (uint32_t i = 0; i < mistake->other_count; i++) {
        struct other *other = &mistake->other[i];
        if (other->site != site)
            continue;
        CORE_CHECK(other->last_rank <= rank); /* misuses come in order of ranks */
        *out_known = other->last_rank == rank;
        other->last_rank = rank;
        return CORE_OK;
    }
    *out_known = false;
    return CORE_ARRAY_PUSH(mistake->other, mistake->other_count, mistake->other_room, "mistakes",
                           (struct other){site, rank});
}

/* Tells whether MPI refused the call, so that it moved nothing and its buffer met no other. */
static bool met_nobody(struct trace *trace, const struct trace_event *event,
                       const struct misuse *misuse)
{
    bool meets =
        misuse->kind == MISUSE_BUFFER_OVERLAPS || misuse->kind == MISUSE_BUFFER_BOTH_WRITTEN;
    bool refused = false;

    return meets && misuse->other && misuse->other != event->seq &&
           trace_event_refused(trace, event, &refused) == CORE_OK && refused;
}

static void note_returned(struct finding *finding, const struct trace_event *event)
{
    if (event->error == EVENT_ERROR_LEFT)
        finding_fact(finding, "the call did not return: an error handler of the program left it");
    else if (event_error_text(event->error))
        finding_fact(finding, "the call returned %s to the program",
                     event_error_text(event->error));
}

static enum core_status check_usage_gather(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                           void *context)
{
    struct gathering *gathering = context;
    struct trace *trace = gathering->input->trace;
    struct trace_event event, other_event = {.site = -1};
    enum core_status status = CORE_OK;
    uint64_t other = misuse->other;

    gathering->of_rank = rank == gathering->rank ? gathering->of_rank + 1 : 1;
    gathering->rank = rank;
    gathering->more |= gathering->of_rank >= MISUSE_KEPT_MAX;
    if (misuse_kind_rule(misuse->kind) >= MISUSE_RULE_WINDOW || /* check_rma's, context's */
        hint_exchanged_covers(&gathering->exchanged, rank, seq, misuse) ||
        trace_event_get(trace, rank, seq, &event) != CORE_OK || met_nobody(trace, &event, misuse))
        return CORE_OK;
    if (other && trace_event_get(trace, rank, other, &other_event) != CORE_OK)
        other = 0;
    bool origin_only = other && event.verb == VERB_FINALIZE;
    const char *name = trace->call[origin_only ? other_event.call : event.call].name;
    char *words = wording_misuse(misuse, event.traits,
                                 other ? trace->call[other_event.call].name : NULL),
         *title = NULL;
    char *what =
        words ? same_text(&event, origin_only ? other_event.site : -1, misuse, words) : NULL;
    struct mistake *mistake = what ? check_usage_find(gathering, what) : NULL;
    bool fresh = mistake && mistake->finding == UINT32_MAX,
         found = other && !origin_only && is_found_after(misuse->kind);
    if (asprintf(&title, "%s%s%s", found ? "" : name, found ? "" : ": ", words ? words : "") < 0)
        title = NULL;
    if (!mistake || !title)
        status = core_report(CORE_NO_MEMORY, "out of memory for what ranks did wrong");
    else if (fresh)
        status = mistake_add(gathering, mistake, &event, misuse, title);
    if (mistake && words && status == CORE_OK)
        status = words_note(mistake, rank, words);
    else
        free(words);
    free(what);
    free(title);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(mistake->finding < gathering->list->count);
    struct finding *finding = &gathering->list->finding[mistake->finding];
    status = check_usage_weigh(gathering, finding, &event, misuse, fresh);
    if (status != CORE_OK)
        return status;
    if (fresh)
        note_returned(finding, &event);
    if (fresh)
        status = hint_exchanged_add(trace, finding, &event, misuse);
    if (status != CORE_OK)
        return status;
    if (fresh && misuse->kind == MISUSE_HANDLE_NULL)
        status = hint_null_handle_add(trace, finding, rank, seq, misuse->object);
    if (status != CORE_OK)
        return status;
    if (fresh && finding->rule == &rule_table[RULE_BUFFER])
        note_section(finding, trace, misuse, other ? &other_event : &event);
    if (fresh && other && other_event.class == EVENT_CLASS_RMA)
        status = note_flush(trace, finding, &other_event, seq);
    if (status != CORE_OK)
        return status;
    if (mistake->meant == mistake->count && expected_error_on_purpose(trace, &event))
        mistake->meant++;
    mistake->count++;
    bool known;
    status = other_note(mistake, rank, other_event.site, &known);
    if (status != CORE_OK || known)
        return status;
    mistake->told++;
    CORE_CHECK(mistake->told <= mistake->count);
    struct finding_call *call = finding_core_add(finding, trace, rank, origin_only ? other : seq);
    if (!call)
        return CORE_NO_MEMORY;
    call->found = found;
    call->found_at = found && misuse->site > 0 ? misuse->site : 0;
    if (other && !origin_only)
        finding_call_subject(call, trace, other);
    bool third = misuse->kind == MISUSE_OVERWRITTEN || misuse->kind == MISUSE_CANCELLED_LEFT;
    if (third && !finding_core_add(finding, trace, rank, (uint64_t)misuse->value[0]))
        return CORE_NO_MEMORY;
    return CORE_OK;
}

/* Notes a receive whose buffer is larger than the message, although an info key promised exact
 * lengths. */
static enum core_status inexact_gather(uint32_t rank, uint64_t receive, uint64_t given,
                                       uint64_t bytes, void *context)
{
    struct gathering *gathering = context;
    struct trace *trace = gathering->input->trace;
    struct trace_event event;
    enum core_status status = trace_event_get(trace, rank, receive, &event);

    if (status == CORE_OK && trait_in(event.traits, TRAIT_STARTS))
        status = trace_started_get(trace, rank, receive, &event);
    uint64_t room = event.has_recv_half ? event.recv_bytes : event.bytes;
    if (status != CORE_OK || room <= bytes)
        return status == CORE_NOT_FOUND ? CORE_OK : status;
    return check_usage_gather(rank, event.seq,
                              &(struct misuse){.kind = MISUSE_INEXACT,
                                               .other = given,
                                               .site = -1,
                                               .value = {(int64_t)bytes, (int64_t)room},
                                               .name[2] = MATCHING_HINT_EXACT_LENGTH_KEY},
                              gathering);
}

static enum core_status mistake_end(struct finding *finding, const struct mistake *mistake,
                                    bool more)
{
    char number[32];

    if (mistake->meant == mistake->count)
        expected_error_note(finding);
    if (mistake->count > mistake->told)
        finding_fact(finding, "%s%s times in all", more ? "at least " : "",
                     describe_number(mistake->count, number, sizeof number));
    char *unlike =
        mistake->unlike_count ? wording_ranks_short(mistake->unlike, mistake->unlike_count) : NULL;
    if (unlike)
        finding_fact(finding, "the same with other numbers on %s", unlike);
    free(unlike);
    return finding_title_ranks(finding);
}

enum core_status check_usage(const struct check_input *input, struct finding_list *list)
{
    struct gathering gathering = {.input = input, .list = list};
    enum core_status status = hint_exchanged_read(input->trace, &gathering.exchanged);

    if (status == CORE_OK)
        status = trace_misuse_each(input->trace, check_usage_gather, &gathering);

    if (status == CORE_OK)
        status = trace_exact_each(input->trace, inexact_gather, &gathering);
    for (uint32_t i = 0; i < gathering.count; i++) {
        const struct mistake *mistake = &gathering.mistake[i];

        if (status == CORE_OK && mistake->finding != UINT32_MAX)
            status = mistake_end(&list->finding[mistake->finding], mistake, gathering.more);
        free(mistake->what);
        free(mistake->words);
        free(mistake->unlike);
        free(mistake->other);
    }
    hint_exchanged_done(&gathering.exchanged);
    free(gathering.mistake);
    return status == CORE_OK ? check_exit(input, list) : status;
}
