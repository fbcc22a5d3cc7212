/* Collective mismatch: the n-th collective of a communicator must be the same call on all its
 * members, with the same root and operation, and with equal sizes where MPI asks for them. It
 * reports only the first mismatch of a communicator: later calls are out of step and prove nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/collective/block.h"
#include "checkers/collective/cure.h"
#include "checkers/check_rules.h"
#include "checkers/expected_error.h"
#include "checkers/pickled.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/collective.h"
#include "checkers/collective/graph.h"
#include "checkers/collective/parted.h"
#include "checkers/collective/sibling.h"
#include "checkers/collective/type_report.h"
#include "checkers/wording.h"
#include "core/trace/describe.h"

/* Tells whether all members must give the same number of bytes. Gather, scatter and the like have a
 * size on each side: check_message compares these where data is truncated. */
static bool bytes_must_agree(const struct trace_event *call)
{
    if (trait_in(call->traits, TRAIT_NEIGHBOR))
        return false;
    return call->verb == VERB_BCAST || call->verb == VERB_REDUCE || call->verb == VERB_ALLREDUCE ||
           call->verb == VERB_SCAN || call->verb == VERB_EXSCAN ||
           call->verb == VERB_REDUCE_SCATTER_BLOCK;
}

enum differs { SAME, CALLS, ROOTS, OPERATIONS, SIZES, TYPES, FILES };
enum { /* further mistakes of a collective (finding_collective) */
       MISSING = FILES + 1,
       ROOTS_UNMATCHED,
       LISTS,
       BLOCK_SIZES,
       BLOCK_TYPES
};

/* Returns the function of an operation of the program; NULL: unknown, or a predefined operation. */
static const struct trace_site *function_of(const struct trace *trace, int32_t op)
{
    CORE_CHECK(op >= 0 && (uint32_t)op < trace->op_count);
    return trace->op_site[op] > 0 ? &trace->site[trace->op_site[op]] : NULL;
}

static bool texts_differ(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

/* Tells whether two operations differ. Functions of the program differ only if both are known and
 * lie in the same file. */
static bool ops_differ(const struct trace *trace, int32_t a, int32_t b)
{
    if (a == b || a < 0 || b < 0 || (uint32_t)a >= trace->op_count ||
        (uint32_t)b >= trace->op_count || !trace->op_name[a] || !trace->op_name[b])
        return a != b;
    const char *one = trace->op_name[a], *other = trace->op_name[b];
    const struct trace_site *code = function_of(trace, a), *others = function_of(trace, b);
    if (trace->op_commutative[a] != trace->op_commutative[b] || strcmp(one, "user") != 0 ||
        strcmp(other, "user") != 0)
        return true;
    return code && others && code->module && others->module &&
           !strcmp(code->module, others->module) && code->address != others->address &&
           (!code->symbol || texts_differ(code->symbol, others->symbol));
}

/* Tells whether two names lead to different files of one machine; names without a known file do
 * not. */
static bool files_differ(struct trace *trace, const struct trace_event *a,
                         const struct trace_event *b)
{
    struct trace_named x = trace_named(trace, a), y = trace_named(trace, b);

    return trace_named_differ(&x, &y);
}

static enum differs check_collective_difference(struct trace *trace, const struct trace_event *a,
                                                const struct trace_event *b)
{
    const char *one, *other;

    CORE_CHECK(a->comm == b->comm); /* members of one collective */
    CORE_CHECK(a->comm >= 0 && (uint32_t)a->comm < trace->comm_count);
    if (a->call != b->call)
        return CALLS;
    /* roots and operations of the two groups always differ, and a rank with MPI_PROC_NULL gives no
     * data */
    bool inter = trace->comm[a->comm].inter;
    if (inter && (a->root == EVENT_PROC_NULL || b->root == EVENT_PROC_NULL ||
                  a->verb == VERB_REDUCE_SCATTER_BLOCK))
        return SAME;
    if (!inter && a->root != b->root)
        return ROOTS;
    if (!inter && ops_differ(trace, a->op, b->op))
        return OPERATIONS;
    if (a->verb == VERB_OPEN_FILE && files_differ(trace, a, b))
        return FILES;
    if (!bytes_must_agree(a))
        return SAME;
    if (a->bytes != b->bytes)
        return SIZES;
    return types_compare(trace, a->datatype, a->count, b->datatype, b->count, &one, &other) ==
                   TYPES_DIFFER
               ? TYPES
               : SAME;
}

static bool is_same(struct trace *trace, const struct trace_event *a, const struct trace_event *b)
{
    return check_collective_difference(trace, a, b) == SAME;
}

static void op_text(const struct trace *trace, int32_t op, char *text, size_t text_bytes)
{
    bool known = op >= 0 && (uint32_t)op < trace->op_count;
    const char *name = known ? trace->op_name[op] : NULL;
    const struct trace_site *code = known ? function_of(trace, op) : NULL;
    const char *function = !code ? NULL : code->function ? code->function : code->symbol;
    char place[256];

    if (name && strcmp(name, "user") != 0)
        snprintf(text, text_bytes, "%s", name);
    else if (code && code->file && function)
        snprintf(text, text_bytes, "a user-defined operation (%s at %s)", function,
                 trace_site_text(trace, trace->op_site[op], place, sizeof place));
    else if (code)
        snprintf(text, text_bytes, "a user-defined operation (%s)",
                 function ? function
                          : trace_site_text(trace, trace->op_site[op], place, sizeof place));
    else
        snprintf(text, text_bytes, "a user-defined operation");
}

/* Writes the value that a member gave. */
static void value_text(struct trace *trace, const struct trace_event *event, enum differs differs,
                       char *text, size_t text_bytes)
{
    char word[96];
    const char *name = NULL;

    CORE_CHECK(differs != SAME);
    switch (differs) {
    case ROOTS:
        snprintf(text, text_bytes, "root %s", describe_target(event->root, word, sizeof word));
        return;
    case SIZES:
        describe_bytes(event->bytes, text, text_bytes);
        return;
    case OPERATIONS:
        op_text(trace, event->op, text, text_bytes);
        return;
    case FILES:
        trace_arg_text(trace, event, word, sizeof word);
        snprintf(text, text_bytes, "'%s'", word);
        return;
    case TYPES:
        if (event->datatype >= 0 && (uint32_t)event->datatype < trace->datatype_count)
            name = trace->datatype[event->datatype].name;
        snprintf(text, text_bytes, "%s", name ? name : "a derived datatype");
        return;
    default:
        snprintf(text, text_bytes, "%s", trace->call[event->call].name);
    }
}

/* Compares names too, for calls in which every member must give the same datatype whatever the
 * sizes. */
static enum core_status compare_names(struct type_report *report, const struct trace_event *a,
                                      const struct trace_event *b)
{
    struct type_pair pair = {
        .meeting = TYPE_SHARED, .rank = {a->rank, b->rank}, .seq = {a->seq, b->seq}};

    if (a->call != b->call || report->input->trace->comm[a->comm].inter ||
        (!bytes_must_agree(a) && a->verb != VERB_REDUCE_SCATTER))
        return CORE_OK;
    bool one = a->verb == VERB_REDUCE_SCATTER; /* MPI_Reduce_scatter has a count for each member */
    pair.difference = types_compare(report->input->trace, a->datatype, one ? 1 : a->count,
                                    b->datatype, one ? 1 : b->count, &pair.name[0], &pair.name[1]);
    return type_report_add(report, &pair);
}

static bool local_side(const struct trace_comm *comm, uint32_t rank)
{
    for (int32_t i = 0; comm->member && i < comm->size; i++)
        if (comm->member[i] == (int32_t)rank)
            return true;
    return false;
}

/* Checks two groups, each of which agrees within itself. root: by group, a member that passes
 * MPI_ROOT; other: by group, one that passes another root; either may be missing. */
static bool groups_fit(const struct trace *trace, const struct collective *collective,
                       const struct collective_part *const root[2],
                       const struct collective_part *const other[2],
                       const struct collective_part **out_a, const struct collective_part **out_b)
{
    *out_a = root[0];
    *out_b = root[1];
    if (root[0] && root[1])
        return false;
    for (int side = 0; side < 2; side++) {
        const struct collective_part *far = other[!side];
        *out_a = root[side];
        *out_b = far;
        if (root[side] && far &&
            trace_comm_world(trace, collective->comm, (int32_t)far->rank, far->event.root) !=
                (int32_t)root[side]->rank)
            return false;
    }
    *out_a = other[0];
    *out_b = other[1];
    if (root[0] || root[1] || !other[0] || !other[1])
        return true;
    bool named[] = {other[0]->event.root >= 0, other[1]->event.root >= 0};
    return !(named[0] && named[1]) &&
           !((named[0] || named[1]) && collective->present == collective->count);
}

/* Checks the roots of an intercommunicator's collective: one rank of the one group gives MPI_ROOT
 * and the others of it MPI_PROC_NULL, while the other group gives that rank. False: *out_a and
 * *out_b do not fit. */
static bool roots_fit(const struct trace *trace, const struct collective_list *collectives,
                      const struct collective *collective, const struct collective_part **out_a,
                      const struct collective_part **out_b)
{
    const struct trace_comm *comm = &trace->comm[collective->comm];
    const struct collective_part *root[2] = {NULL, NULL}, *other[2] = {NULL, NULL};

    for (uint32_t i = 0; comm->inter && i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present || part->event.root == EVENT_NONE)
            continue;
        int side = local_side(comm, part->rank);
        const struct collective_part **place =
            part->event.root == EVENT_ROOT ? &root[side] : &other[side];
        *out_b = part;
        if (*place && (place == &root[side] || (*place)->event.root != part->event.root)) {
            *out_a = *place;
            return false;
        }
        *place = part;
        *out_a = root[side];
        *out_b = other[side];
        if (root[side] && other[side] && other[side]->event.root != EVENT_PROC_NULL)
            return false;
    }
    return groups_fit(trace, collective, root, other, out_a, out_b);
}

static bool values_equal(const int64_t *x, uint32_t n, const int64_t *y, uint32_t m, bool logical)
{
    bool equal = n == m;

    for (uint32_t i = 0; equal && i < n; i++)
        equal = logical ? !x[i] == !y[i] : x[i] == y[i];
    return equal;
}

/* Finds whether two members of one group pass different groups to MPI_Comm_create; members of
 * different groups may. */
static enum core_status groups_differ(struct trace *trace, const struct trace_event *a,
                                      const struct trace_event *b, bool *out_differ)
{
    const struct trace_event *event[2] = {a, b};
    int64_t *member[2] = {NULL, NULL};
    uint32_t count[2] = {0, 0};
    enum core_status status = CORE_OK;

    for (int i = 0; i < 2 && status == CORE_OK; i++)
        status = trace_group_get(trace, trace_arg_value(trace, event[i], "group", 0), &member[i],
                                 &count[i]);
    bool known = status == CORE_OK && count[0] && count[1], shared = false;
    for (int i = 0; i < 2 && known; i++)
        for (uint32_t m = 0; m < count[i]; m++)
            shared |= member[i][m] == event[!i]->rank;
    *out_differ = shared && !values_equal(member[0], count[0], member[1], count[1], false);
    free(member[0]);
    free(member[1]);
    return status;
}

/* Finds out whether the call gives edges, and whether it gives weights for them: without edges it
 * tells nothing, and for MPI_UNWEIGHTED the trace has no weights. */
static enum core_status weights_given(struct trace *trace, const struct trace_event *event,
                                      const char *edges, const char *weights, bool *out_edges,
                                      bool *out_weights)
{
    const char *name[2] = {edges, weights};
    bool *out[2] = {out_edges, out_weights};
    enum core_status status = CORE_OK;

    for (int i = 0; i < 2 && status == CORE_OK; i++) {
        int64_t *value = NULL;
        uint32_t count = 0;
        status = trace_arg_get(trace, event->rank, event->seq, name[i], &value, &count);
        *out[i] = count > 0;
        free(value);
    }
    return status;
}

/* Finds whether only one of two processes passes MPI_UNWEIGHTED: all or none must. */
static enum core_status weights_differ(struct trace *trace, const struct trace_event *a,
                                       const struct trace_event *b, bool *out_differ)
{
    static const struct {
        enum verb verb;
        const char *edges, *weights;
    } lists[] = {{VERB_DIST_GRAPH_CREATE, "targets", "weights"},
                 {VERB_DIST_GRAPH_CREATE_ADJACENT, "sources", "sourceweights"},
                 {VERB_DIST_GRAPH_CREATE_ADJACENT, "destinations", "destweights"}};
    const struct trace_event *event[2] = {a, b};
    enum core_status status = CORE_OK;

    CORE_CHECK(a->verb == b->verb);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == CORE_OK; i++) {
        bool edges[2] = {false, false}, weights[2] = {false, false};
        for (int k = 0; k < 2 && status == CORE_OK && a->verb == lists[i].verb; k++)
            status = weights_given(trace, event[k], lists[i].edges, lists[i].weights, &edges[k],
                                   &weights[k]);
        *out_differ |= edges[0] && edges[1] && weights[0] != weights[1];
    }
    return status;
}

/* Finds out whether the call passes MPI_IN_PLACE for sending to all; the trace then lacks the sent
 * data's arguments. */
static enum core_status sends_in_place(struct trace *trace, const struct trace_event *event,
                                       bool *out_in_place)
{
    int64_t *count = NULL;
    uint32_t counts = 0;
    enum core_status status = CORE_OK;

    CORE_CHECK(event->verb == VERB_ALLGATHER || event->verb == VERB_ALLTOALL);
    *out_in_place = event->count == EVENT_NONE;
    if (event->verb == VERB_ALLTOALL && trait_in(event->traits, TRAIT_PER_RANK)) {
        status = trace_arg_get(trace, event->rank, event->seq, "sendcounts", &count, &counts);
        *out_in_place = !counts;
    }
    free(count);
    return status;
}

/* Finds whether only one of two processes passes MPI_IN_PLACE to an allgather or alltoall: all or
 * none must. */
static enum core_status places_differ(struct trace *trace, const struct trace_event *a,
                                      const struct trace_event *b, bool *out_differ)
{
    bool in_place[2] = {false, false};
    enum core_status status = CORE_OK;

    CORE_CHECK(a->verb == b->verb && a->comm == b->comm);
    if ((a->verb == VERB_ALLGATHER || a->verb == VERB_ALLTOALL) &&
        !trait_in(a->traits, TRAIT_NEIGHBOR) && !trace->comm[a->comm].inter) {
        status = sends_in_place(trace, a, &in_place[0]);
        if (status == CORE_OK)
            status = sends_in_place(trace, b, &in_place[1]);
    }
    *out_differ = in_place[0] != in_place[1];
    return status;
}

/* Compares array arguments that must be equal on all members, or on those of one group. *out_which
 * distinguishes what differs. */
static enum core_status lists_differ(struct trace *trace, const struct trace_event *a,
                                     const struct trace_event *b, const char **out_what,
                                     int64_t *out_which)
{
    enum { GROUPS = 100, WEIGHTS, PLACES };
    static const struct {
        enum verb verb;
        const char *argument, *what;
        bool logical; /* compare as true or false only */
    } same[] = {
        {VERB_REDUCE_SCATTER, "recvcounts", "different sizes", false},
        {VERB_CART_CREATE, "dims", "different dimensions", false},
        {VERB_CART_CREATE, "periods", "different periods", true},
        {VERB_CART_CREATE, "reorder", "different values of 'reorder'", true},
        {VERB_CART_SUB, "remain_dims", "different dimensions", true},
        {VERB_GRAPH_CREATE, "index", "different edges", false},
        {VERB_GRAPH_CREATE, "edges", "different edges", false},
        {VERB_GRAPH_CREATE, "reorder", "different values of 'reorder'", true},
        {VERB_DIST_GRAPH_CREATE, "reorder", "different values of 'reorder'", true},
        {VERB_DIST_GRAPH_CREATE_ADJACENT, "reorder", "different values of 'reorder'", true},
        {VERB_INTERCOMM_CREATE, "local_leader", "different leaders", false},
        {VERB_INTERCOMM_MERGE, "high", "different values of 'high'", true},
    };
    enum core_status status = CORE_OK;

    CORE_CHECK(a->call == b->call); /* the caller compared the calls */
    for (size_t i = 0; i < sizeof same / sizeof *same && status == CORE_OK && !*out_what; i++) {
        int64_t *x = NULL, *y = NULL;
        uint32_t n = 0, m = 0;
        if (a->verb != same[i].verb)
            continue;
        status = trace_arg_get(trace, a->rank, a->seq, same[i].argument, &x, &n);
        if (status == CORE_OK)
            status = trace_arg_get(trace, b->rank, b->seq, same[i].argument, &y, &m);
        if (status == CORE_OK && n && m && !values_equal(x, n, y, m, same[i].logical)) {
            *out_what = same[i].what;
            *out_which = (int64_t)i;
        }
        free(x);
        free(y);
    }
    bool groups = false, weights = false, places = false;
    if (status == CORE_OK && a->verb == VERB_COMM_CREATE && !trace->comm[a->comm].inter)
        status = groups_differ(trace, a, b, &groups);
    if (status == CORE_OK)
        status = weights_differ(trace, a, b, &weights);
    if (status == CORE_OK)
        status = places_differ(trace, a, b, &places);
    *out_what = groups    ? "different groups"
                : weights ? "only one of the two gives MPI_UNWEIGHTED"
                : places  ? "only one of the two gives MPI_IN_PLACE"
                          : *out_what;
    *out_which = groups ? GROUPS : weights ? WEIGHTS : places ? PLACES : *out_which;
    return status;
}

/* Notes which collective the last finding is about. */
static void about_note(struct finding_list *list, const struct collective *collective,
                       const struct trace_event *event, uint32_t mistake, int64_t value,
                       int64_t other)
{
    CORE_CHECK(list->count > 0 && mistake != SAME);
    list->finding[list->count - 1].collective =
        (struct finding_collective){.mistake = mistake,
                                    .call = event->call,
                                    .comm = collective->comm,
                                    .number = collective->number,
                                    .value = {value, other}};
}

/* Adds the calls of all members present as parts of the finding. */
static void add_members(const struct check_input *input, const struct collective_list *collectives,
                        const struct collective *collective, struct finding *finding)
{
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (part->present)
            finding_core_add(finding, input->trace, part->rank, part->event.seq);
    }
}

/* Tells whether a rank makes no more calls: it has ended, or is in MPI_Finalize. */
static bool is_over(struct trace *trace, uint32_t rank)
{
    const struct trace_rank *of = &trace->rank[rank];
    struct trace_event last;

    if (of->lost || of->cut)
        return false;
    return of->state == EVENT_RANK_FINISHED ||
           (of->events && trace_event_get(trace, rank, of->events, &last) == CORE_OK &&
            last.verb == VERB_FINALIZE);
}

/* Tells whether all given ranks that are members make this call. */
static bool members_call(const struct collective_list *collectives,
                         const struct collective *collective, const uint32_t *rank, uint32_t count,
                         int32_t call)
{
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];

        for (uint32_t r = 0; r < count; r++)
            if (rank[r] == part->rank &&
                (!(part->present || part->refused) || part->event.call != call))
                return false;
    }
    return true;
}

/* Returns the call that a rank made instead of `there`, on another communicator: from the same
 * source line, or in a collective that a caller of `there` leaves out. NULL: it made none. */
static const struct collective_part *made_elsewhere(const struct collective_list *collectives,
                                                    const struct trace_event *there, uint32_t rank,
                                                    const uint32_t *with, uint32_t with_count)
{
    for (uint32_t i = 0; i < collectives->count; i++) {
        const struct collective *other = &collectives->collective[i];

        for (uint32_t j = 0; other->comm != there->comm && j < other->count; j++) {
            const struct collective_part *part = &collectives->part[other->first + j];

            if (part->rank == rank && part->present && part->event.call == there->call &&
                ((part->event.site > 0 && part->event.site == there->site) ||
                 !members_call(collectives, other, with, with_count, there->call)))
                return part;
        }
    }
    return NULL;
}

/* Adds on which communicator the first rank calls the same function, if another one, and links the
 * finding to that call. */
static enum core_status say_elsewhere(const struct check_input *input,
                                      const struct collective_list *collectives,
                                      const struct trace_event *there, const uint32_t *missing,
                                      uint32_t missing_count, const uint32_t *with,
                                      uint32_t with_count, struct finding *finding)
{
    char name[384], place[256];

    for (uint32_t i = 0; i < missing_count; i++) {
        const struct collective_part *part =
            made_elsewhere(collectives, there, missing[i], with, with_count);

        if (!part)
            continue;
        finding_fact(finding, "rank %" PRIu32 " calls it at %s on %s", missing[i],
                     trace_site_text(input->trace, part->event.site, place, sizeof place),
                     describe_comm(input->trace, part->event.comm, name, sizeof name));
        return finding_link_add(finding, missing[i], part->event.seq);
    }
    return CORE_OK;
}

static bool has_call(const struct finding *finding, const struct finding_link *link)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].rank == link->rank && finding->call[i].seq == link->seq)
            return true;
    return false;
}

/* A rank that makes its call on another communicator is missed on the one, and is too many on the
 * other: the second finding follows from the first. */
static void elsewhere_follow(struct finding_list *list, uint32_t before)
{
    CORE_CHECK(before <= list->count);
    for (uint32_t i = before; i < list->count; i++) {
        const struct finding *from = &list->finding[i];
        for (uint32_t k = before; k < list->count; k++) {
            struct finding *other = &list->finding[k];
            if (k != i && !from->cause && !other->cause && !other->link_count && from->link_count &&
                has_call(other, &from->link[0]))
                other->cause = from->id;
        }
    }
}

/* Reports members that ended without this call. *out_step: there are any. */
static enum core_status add_missing(const struct check_input *input,
                                    const struct collective_list *collectives,
                                    const struct collective *collective, struct finding_list *list,
                                    bool *out_step)
{
    static const char what[] = "who misses in a collective";
    const struct collective_part *part = &collectives->part[collective->first], *there = NULL;
    uint32_t *missing, *with = NULL, missing_count = 0, with_count = 0;
    char name[384];
    enum core_status status = CORE_ARRAY_NEW(missing, collective->count, what);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(with, collective->count, what);
    for (uint32_t i = 0; status == CORE_OK && i < collective->count; i++) {
        if (part[i].present) {
            there = &part[i];
            with[with_count++] = part[i].rank;
        } else if (!part[i].refused && part[i].rank < input->trace->rank_count &&
                   is_over(input->trace, part[i].rank)) {
            missing[missing_count++] = part[i].rank;
        }
    }
    CORE_CHECK(status != CORE_OK || there); /* the caller saw that only some members are present */
    const char *call = there ? input->trace->call[there->event.call].name : "";
    char *text =
        missing_count ? wording_missing(call, missing, missing_count, with, with_count) : NULL;
    struct finding *finding = text ? finding_list_add(list, RULE_COLLECTIVE, FINDING_ERROR) : NULL;
    if (finding) {
        finding->effect = FINDING_EFFECT_LACKS;
        finding->remedy = there->event.verb == VERB_COMM_CREATE ? REMEDY_GROUP : REMEDY_PARTED;
        finding_title(finding, "%s (collective %" PRIu64 " of %s)", text, collective->number,
                      describe_comm(input->trace, collective->comm, name, sizeof name));
        for (uint32_t i = 0; i < missing_count; i++)
            finding_core_add(finding, input->trace, missing[i],
                             input->trace->rank[missing[i]].events);
        add_members(input, collectives, collective, finding);
        status = say_elsewhere(input, collectives, &there->event, missing, missing_count, with,
                               with_count, finding);
        parted_say(input, collectives, collective, finding);
        parted_say_reduced(input, collectives, collective, finding);
        about_note(list, collective, &there->event, MISSING, 0, 0);
        if (status == CORE_OK)
            status = cure_communicator(input, collectives, collective, finding);
        *out_step = true;
    } else if (missing_count && status == CORE_OK) {
        status = core_report(CORE_NO_MEMORY, "out of memory for %s", what);
    }
    free(text);
    free(missing);
    free(with);
    return status;
}

/* Names the callers of two calls: two ranks, two threads of one rank, or one rank twice. */
static void say_pair(char *text, size_t room, const struct collective_part *a,
                     const struct collective_part *b)
{
    CORE_CHECK(a->present && b->present);
    if (a->rank != b->rank)
        snprintf(text, room, "ranks %" PRIu32 " and %" PRIu32, a->rank, b->rank);
    else if (a->event.thread != b->event.thread)
        snprintf(text, room, "threads %" PRId32 " and %" PRId32 " of rank %" PRIu32,
                 a->event.thread, b->event.thread, a->rank);
    else
        snprintf(text, room, "rank %" PRIu32 ", which is sender and receiver", a->rank);
}

/* Tells whether the mismatch is expected: MPI told members that the data do not fit, and each of
 * these looks at the error and went on. */
static bool is_expected(const struct check_input *input, const struct collective_list *collectives,
                        const struct collective *collective)
{
    bool expected = false;

    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present || part->event.pending || !part->event.error)
            continue;
        expected = expected_error_on_purpose(input->trace, &part->event);
        if (!expected)
            break;
    }
    return expected;
}

/* Reports a mismatch that only a pair of members shows. */
static enum core_status add_pair(const struct check_input *input,
                                 const struct collective_list *collectives,
                                 const struct collective *collective,
                                 const struct collective_part *a, const struct collective_part *b,
                                 const char *what, struct finding_list *list)
{
    CORE_CHECK(a->present);
    CORE_CHECK(b->present);
    struct finding *finding = finding_list_add(list, RULE_COLLECTIVE, FINDING_ERROR);
    char name[384], pair[80];

    if (!finding)
        return CORE_NO_MEMORY;
    say_pair(pair, sizeof pair, a, b);
    finding_title(finding, "%s in %s of %s (collective %" PRIu64 " of %s)", what,
                  input->trace->call[a->event.call].name, pair, collective->number,
                  describe_comm(input->trace, collective->comm, name, sizeof name));
    add_members(input, collectives, collective, finding);
    if (is_expected(input, collectives, collective))
        expected_error_note(finding);
    return CORE_OK;
}

static void title_differing(const struct check_input *input, const struct collective *collective,
                            enum differs differs, const char *call, const char *words,
                            struct finding *finding)
{
    static const char *const what[] = {[ROOTS] = "different roots",
                                       [OPERATIONS] = "different operations",
                                       [SIZES] = "different sizes",
                                       [TYPES] = "different datatypes",
                                       [FILES] = "different files"};
    char name[384];

    CORE_CHECK(differs != SAME);
    CORE_CHECK(differs < sizeof what / sizeof *what);
    describe_comm(input->trace, collective->comm, name, sizeof name);
    if (differs == CALLS)
        finding_title(finding, "%s (collective %" PRIu64 " of %s)", words, collective->number,
                      name);
    else
        finding_title(finding, "%s in %s: %s (collective %" PRIu64 " of %s)", what[differs], call,
                      words, collective->number, name);
}

/* Tells whether the rank makes some collective call from this place. */
static bool is_on_way(const struct collective_list *collectives, uint32_t rank, int32_t site)
{
    for (uint64_t i = 0; i < collectives->part_count; i++) {
        const struct collective_part *part = &collectives->part[i];
        if (part->present && part->rank == rank && part->event.site == site)
            return true;
    }
    return false;
}

/* Tells whether members went different ways: they make different calls, or call from two places of
 * which one rank reaches both. (Two branches with the same call have a place for each.) */
static bool members_parted(const struct collective_list *collectives,
                           const struct collective *collective, enum differs differs)
{
    const struct collective_part *first = NULL;

    for (uint32_t i = 0; i < collective->count && differs != CALLS; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present || part->event.site <= 0)
            continue;
        first = first ? first : part;
        if (part->event.site != first->event.site)
            return is_on_way(collectives, part->rank, first->event.site) ||
                   is_on_way(collectives, first->rank, part->event.site);
    }
    return differs == CALLS;
}

/* Says so if some ranks of a Python program pickle, and others pass buffers. */
static void pickle_say(const struct trace *trace, const struct collective_list *collectives,
                       const struct collective *collective, struct finding *finding)
{
    struct pickled_call *call = NULL;
    uint32_t count = 0;

    if (CORE_ARRAY_NEW(call, collective->count, "ranks that pickle") != CORE_OK)
        return;
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (part->present)
            call[count++] = (struct pickled_call){part->rank, part->event.site};
    }
    if (pickled_say_collective(trace, finding, call, count))
        finding->effect = FINDING_EFFECT_PARTS;
    free(call);
}

/* Reports the values that differ, by member. */
static enum core_status add_mismatch(const struct check_input *input,
                                     const struct collective_list *collectives,
                                     const struct collective *collective, enum differs differs,
                                     struct finding_list *list)
{
    enum { VALUE_BYTES = 128 };
    static const char what[] = "what collectives differ in";
    char(*text)[VALUE_BYTES] = NULL;
    const char **value = NULL;
    uint32_t *rank = NULL, count = 0;
    const struct trace_event *first = NULL;
    const char *call = "";
    char *words = NULL;
    enum core_status status = CORE_ARRAY_NEW(text, collective->count, what);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(value, collective->count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(rank, collective->count, what);
    for (uint32_t i = 0; status == CORE_OK && i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present)
            continue;
        call = input->trace->call[part->event.call].name;
        first = first ? first : &part->event;
        value_text(input->trace, &part->event, differs, text[count], VALUE_BYTES);
        value[count] = text[count];
        rank[count++] = part->rank;
    }
    CORE_CHECK(status != CORE_OK || count == collective->present);
    if (status == CORE_OK)
        words = differs == CALLS ? wording_calling(value, rank, count)
                                 : wording_differing(value, rank, count);
    struct finding *finding = words ? finding_list_add(list, RULE_COLLECTIVE, FINDING_ERROR) : NULL;
    if (finding) {
        title_differing(input, collective, differs, call, words, finding);
        about_note(list, collective, first, differs, 0, 0);
        add_members(input, collectives, collective, finding);
        parted_say(input, collectives, collective, finding);
        parted_say_reduced(input, collectives, collective, finding);
        if (differs == CALLS)
            status = cure_order(input, collectives, collective, is_same, finding);
        if (status == CORE_OK && !finding->tried)
            status = cure_extra(input, collectives, collective, is_same, finding);
        if (status == CORE_OK && !finding->tried && differs == CALLS)
            status = cure_members(input, collectives, collective, is_same, finding);
        if (differs == SIZES || differs == ROOTS)
            finding->remedy = differs == ROOTS ? REMEDY_ROOT : REMEDY_COUNTS;
        if (members_parted(collectives, collective, differs)) {
            finding->effect = FINDING_EFFECT_PARTS;
            finding->remedy = REMEDY_PARTED;
            for (uint32_t i = 0; i < collective->count && differs == CALLS; i++)
                if (collectives->part[collective->first + i].present &&
                    collectives->part[collective->first + i].event.verb == VERB_COMM_CREATE)
                    finding->remedy = REMEDY_GROUP;
        }
        pickle_say(input->trace, collectives, collective, finding);
        if (differs == SIZES && is_expected(input, collectives, collective))
            expected_error_note(finding);
    } else if (status == CORE_OK) {
        status = core_report(CORE_NO_MEMORY, "out of memory for %s", what);
    }
    free(words);
    free(rank);
    free(value);
    free(text);
    return status;
}

static void block_words(const struct block_pair *pair, char *what, size_t what_bytes)
{
    char bytes[64], number[32];

    if (pair->sent)
        snprintf(what, what_bytes, "different datatypes (%s sent, %s received)", pair->sent,
                 pair->received);
    else
        snprintf(what, what_bytes, "different sizes (%s sent, %s received)",
                 describe_bytes((uint64_t)pair->out, bytes, sizeof bytes),
                 describe_number((uint64_t)pair->in, number, sizeof number));
}

struct topology { /* loaded last: collectives are sorted by communicator */
    struct graph graph;
    int32_t comm; /* -1: none loaded */
};

/* Finds the topology of a neighbourhood collective; NULL for other collectives. */
static enum core_status graph_of(struct trace *trace, const struct collective_list *collectives,
                                 const struct collective *collective, struct topology *last,
                                 const struct graph **out)
{
    enum core_status status = CORE_OK;
    bool neighbor = false;

    for (uint32_t i = 0; i < collective->count && !neighbor; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        neighbor = part->present && trait_in(part->event.traits, TRAIT_NEIGHBOR);
    }
    *out = neighbor ? &last->graph : NULL;
    if (neighbor && last->comm != collective->comm) {
        graph_done(&last->graph);
        last->comm = collective->comm;
        status = graph_load(trace, collectives, collective->comm, &last->graph);
    }
    return status;
}

/* Tells whether one side gives the size of all members' parts, the other one that of one. */
static bool is_total(const struct block_pair *differ, uint32_t members)
{
    CORE_CHECK(differ->a);
    return members > 1 && differ->out && differ->in &&
           (differ->out == differ->in * members || differ->in == differ->out * members);
}

/* Compares the data that members exchange in equal calls. *out_step: they do not match. */
static enum core_status compare_data(struct type_report *report,
                                     const struct collective_list *collectives,
                                     const struct collective *collective, struct topology *last,
                                     bool *out_step)
{
    struct trace *trace = report->input->trace;
    const struct collective_part *a, *b;
    const struct graph *graph;
    struct block_pair differ = {.a = NULL}, named = {.a = NULL};
    char what[192];
    enum core_status status = graph_of(trace, collectives, collective, last, &graph);

    if (status == CORE_OK)
        status = block_compare(trace, collectives, collective, graph, &differ, &named);

    if (status == CORE_OK && named.a)
        status = type_report_add(
            report, &(struct type_pair){.meeting = TYPE_MESSAGE,
                                        .difference = TYPES_NAMED,
                                        .name = {named.sent, named.received},
                                        .rank = {named.a->rank, named.b->rank},
                                        .seq = {named.a->event.seq, named.b->event.seq}});
    a = differ.a;
    b = differ.b;
    bool edges = !a;
    if (a)
        block_words(&differ, what, sizeof what);
    else if (status == CORE_OK)
        status = graph_compare(trace, collectives, collective, graph, &a, &b, what, sizeof what);
    CORE_CHECK(status != CORE_OK || !a == !b);
    *out_step = status == CORE_OK && a;
    if (*out_step)
        status = add_pair(report->input, collectives, collective, a, b, what, report->list);
    if (*out_step && status == CORE_OK && !edges && differ.sent)
        about_note(report->list, collective, &a->event, BLOCK_TYPES, a->event.datatype,
                   b->event.datatype);
    else if (*out_step && status == CORE_OK && !edges)
        about_note(report->list, collective, &a->event, BLOCK_SIZES, differ.out, differ.in);
    if (*out_step && status == CORE_OK && !edges && !differ.sent)
        report->list->finding[report->list->count - 1].remedy =
            is_total(&differ, collective->count) ? REMEDY_PART : REMEDY_COUNTS;
    if (*out_step && status == CORE_OK && edges)
        report->list->finding[report->list->count - 1].remedy = REMEDY_EDGES;
    return status;
}

enum core_status check_collective(const struct check_input *input, struct finding_list *list)
{
    const uint32_t before = list->count;
    struct type_report types = {.input = input, .list = list, .rule = RULE_COLLECTIVE};
    const struct collective_list *collectives;
    struct topology topology = {.comm = -1};
    int32_t out_of_step = -1;
    enum core_status status = check_collectives(input, &collectives);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < collectives->count && status == CORE_OK; i++) {
        const struct collective *collective = &collectives->collective[i];
        const struct collective_part *first = NULL, *of_side[2] = {NULL, NULL};
        if (collective->comm == out_of_step)
            continue;
        for (uint32_t j = 0;
             j < collective->count && collective->comm != out_of_step && status == CORE_OK; j++) {
            const struct collective_part *part = &collectives->part[collective->first + j];
            if (!part->present)
                continue;
            CORE_CHECK(part->rank < input->trace->rank_count); /* others make no calls */
            if (input->trace->rank[part->rank].lost) {
                out_of_step = collective->comm; /* a lost call would shift all later ones */
                break;
            }
            /* of an intercommunicator each group has its own arguments */
            const struct trace_comm *comm = &input->trace->comm[collective->comm];
            const struct collective_part **own = &of_side[local_side(comm, part->rank)];
            *own = *own ? *own : part;
            if (!first) {
                first = part;
                continue;
            }
            enum differs differs =
                check_collective_difference(input->trace, &first->event, &part->event);
            if (differs == SAME && comm->inter && (*own)->event.root != EVENT_PROC_NULL &&
                part->event.root != EVENT_PROC_NULL && part->event.root != EVENT_ROOT &&
                ops_differ(input->trace, (*own)->event.op, part->event.op))
                differs = OPERATIONS;
            const char *what = NULL;
            int64_t which = 0;
            if (differs != SAME)
                status = add_mismatch(input, collectives, collective, differs, list);
            else
                status = lists_differ(input->trace, &(*own)->event, &part->event, &what, &which);
            if (status == CORE_OK && what)
                status = add_pair(input, collectives, collective, *own, part, what, list);
            if (status == CORE_OK && what)
                about_note(list, collective, &part->event, LISTS, which, 0);
            if (differs != SAME || what)
                out_of_step = collective->comm;
            else if (status == CORE_OK)
                status = compare_names(&types, &first->event, &part->event);
            if (comm->inter && first->event.root == EVENT_PROC_NULL)
                first = part;
        }
        bool step = false;
        const struct collective_part *a = NULL, *b = NULL;
        if (status == CORE_OK && collective->comm != out_of_step && first &&
            !roots_fit(input->trace, collectives, collective, &a, &b)) {
            status =
                add_pair(input, collectives, collective, a, b, "roots that do not match", list);
            if (status == CORE_OK)
                list->finding[list->count - 1].remedy = REMEDY_INTER_ROOT;
            if (status == CORE_OK)
                about_note(list, collective, &a->event, ROOTS_UNMATCHED, 0, 0);
            step = true;
        }
        if (status == CORE_OK && collective->comm != out_of_step && first && !step)
            status = compare_data(&types, collectives, collective, &topology, &step);
        if (status == CORE_OK && collective->comm != out_of_step && !step && collective->present &&
            collective->present < collective->count)
            status = add_missing(input, collectives, collective, list, &step);
        out_of_step = step ? collective->comm : out_of_step;
    }
    graph_done(&topology.graph);
    type_report_done(&types);
    if (status == CORE_OK)
        status = sibling_merge(input->trace, list, before);
    if (status == CORE_OK)
        elsewhere_follow(list, before);
    return status;
}
