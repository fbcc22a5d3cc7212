/* Results: what every rank received from a collective is what MPI defines, computed by definition
 * from what the ranks sent (reference.h), where the contents were kept (--payload=full); of
 * broadcasts also where only digests were. And agreement: ranks that should share one result share
 * it bit by bit.
 *
 * Left alone: contents that were not kept whole, ranks in place (their contribution is
 * overwritten), user operations, types of more than one basic type, v- and w-variants,
 * intercommunicators. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "core/trace/collective.h"
#include "checkers/collective/reference.h"
#include "core/trace/describe.h"
#include "core/trace/trace_payload.h"

struct content {
    unsigned char *data; /* NULL: not kept */
    uint64_t bytes;
};

struct judging { /* one collective */
    const struct check_input *input;
    const struct collective *collective;
    const struct collective_part *part;
    struct content *sent, *received; /* by member */
    uint32_t count, root;
    struct finding_list *list;
};

enum shape {
    SHAPE_NONE,
    BCAST,
    GATHER,
    ALLGATHER,
    SCATTER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER
};

static enum shape find_shape(const struct trace_event *call)
{
    if (call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(PER_RANK) | TRAIT_BIT(PERSISTENT)))
        return SHAPE_NONE;
    switch (call->verb) {
    case VERB_BCAST:
        return BCAST;
    case VERB_GATHER:
        return GATHER;
    case VERB_ALLGATHER:
        return ALLGATHER;
    case VERB_SCATTER:
        return SCATTER;
    case VERB_ALLTOALL:
        return ALLTOALL;
    case VERB_REDUCE:
        return REDUCE;
    case VERB_ALLREDUCE:
        return ALLREDUCE;
    case VERB_SCAN:
        return SCAN;
    case VERB_EXSCAN:
        return EXSCAN;
    case VERB_REDUCE_SCATTER_BLOCK:
        return REDUCE_SCATTER;
    default:
        return SHAPE_NONE;
    }
}

static bool complete(const struct check_input *input, const struct collective *collective,
                     const struct collective_part *part)
{
    if (collective->present != collective->count || input->trace->comm[collective->comm].inter)
        return false;
    for (uint32_t i = 0; i < collective->count; i++)
        if (part[i].event.pending || part[i].event.call != part[0].event.call ||
            part[i].event.root != part[0].event.root || part[i].event.op != part[0].event.op)
            return false;
    return true;
}

static struct finding *add_finding(const struct judging *j, enum rule_id rule,
                                   enum finding_severity severity, uint32_t member)
{
    struct finding *finding = finding_list_add(j->list, rule, severity);

    if (!finding)
        return NULL;
    struct finding_call *call =
        finding_call_add(finding, j->input->trace, j->part[member].rank, j->part[member].event.seq);
    if (call)
        call->core = true;
    finding_repeat_check(finding, j->input->trace);
    return finding;
}

static void add_wrong(const struct judging *j, uint32_t member, uint64_t at, const char *what)
{
    struct finding *finding = add_finding(j, RULE_RESULT, FINDING_ERROR, member);

    if (finding)
        finding_title(
            finding,
            "wrong result of %s on rank %" PRIu32 ": %s %" PRIu64 " is not what the ranks sent",
            j->input->trace->call[j->part[member].event.call].name, j->part[member].rank, what, at);
}

/* A block that arrived at `offset` of what a member received. */
static bool same(const struct judging *j, uint32_t member, uint64_t offset,
                 const unsigned char *expected, uint64_t bytes)
{
    const struct content *got = &j->received[member];

    for (uint64_t at = 0; at < bytes && offset + at < got->bytes; at++)
        if (got->data[offset + at] != expected[at]) {
            add_wrong(j, member, offset + at, "byte");
            return false;
        }
    return true;
}

/* What member `to` gets from member `from` of a collective that moves blocks. */
static void judge_moved(const struct judging *j, enum shape shape)
{
    for (uint32_t to = 0; to < j->count; to++) {
        uint64_t offset = 0;
        if ((shape == GATHER && to != j->root) || (shape == BCAST && to == j->root))
            continue;
        for (uint32_t from = 0; from < j->count; from++) {
            const struct content *sent = &j->sent[from];
            const struct content *got = &j->received[to];
            const unsigned char *block = sent->data;
            uint64_t bytes = sent->bytes;
            if ((shape == BCAST || shape == SCATTER) && from != j->root)
                continue;
            if (!block || !got->data)
                return;
            if (shape == ALLTOALL)
                bytes /= j->count;
            else if (shape == SCATTER)
                bytes = got->bytes;
            if (shape == ALLTOALL || shape == SCATTER) {
                if ((to + 1) * bytes > sent->bytes)
                    return;
                block += to * bytes;
            }
            if (!same(j, to, offset, block, bytes))
                return;
            offset += bytes;
        }
    }
}

static void judge_folded(const struct judging *j, enum shape shape)
{
    const struct trace *trace = j->input->trace;
    const struct trace_event *event = &j->part[0].event;
    const unsigned char **x = malloc(j->count * sizeof *x);
    enum reference_basic basic;
    enum reference_op op;
    bool known = x && event->datatype >= 0 && event->op >= 0 &&
                 (uint32_t)event->op < trace->op_count &&
                 reference_basic_find(trace->datatype[event->datatype].name,
                                      (size_t)trace->datatype[event->datatype].size, &basic) &&
                 reference_op_find(trace->op_name[event->op], &op);

    for (uint32_t i = 0; known && i < j->count; i++) {
        x[i] = j->sent[i].data;
        known = x[i] && j->sent[i].bytes == j->sent[0].bytes;
    }
    size_t size = known ? reference_basic_size(basic) : 1;
    for (uint32_t to = 0; known && to < j->count; to++) {
        const struct content *got = &j->received[to];
        uint32_t terms = shape == SCAN ? to + 1 : shape == EXSCAN ? to : j->count;
        uint64_t first = shape == REDUCE_SCATTER ? to * (got->bytes / size) : 0;
        if (!got->data || terms == 0 || (shape == REDUCE && to != j->root))
            continue;
        for (uint64_t i = 0; i < got->bytes / size && (first + i + 1) * size <= j->sent[0].bytes;
             i++)
            if (!reference_fold_equals(basic, op, x, terms, first + i, got->data - first * size)) {
                add_wrong(j, to, i, "element");
                free(x);
                return;
            }
    }
    free(x);
}

static void contents_load(const struct judging *j)
{
    for (uint32_t i = 0; i < j->count; i++) {
        struct trace *trace = j->input->trace;
        uint64_t seq = j->part[i].event.seq;
        if (trace_payload_get(trace, j->part[i].rank, seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND,
                              &j->sent[i].data, &j->sent[i].bytes) != CORE_OK)
            j->sent[i].data = NULL;
        if (trace_payload_get(trace, j->part[i].rank, seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV,
                              &j->received[i].data, &j->received[i].bytes) != CORE_OK)
            j->received[i].data = NULL;
    }
}

static void contents_free(const struct judging *j)
{
    for (uint32_t i = 0; i < j->count; i++) {
        free(j->sent[i].data);
        free(j->received[i].data);
        j->sent[i].data = j->received[i].data = NULL;
    }
}

/* Digests suffice to tell whether all have the bytes of one: the root's (broadcast), or each
 * other's. */
static void judge_digests(const struct judging *j, bool broadcast)
{
    uint64_t expected = 0, expected_bytes = 0, digest, bytes;
    bool known = false;

    if (broadcast)
        known = trace_digest_get(j->input->trace, j->part[j->root].rank, j->part[j->root].event.seq,
                                 SPOOL_AT_POST, SPOOL_BUFFER_SEND, &expected,
                                 &expected_bytes) == CORE_OK;
    if (broadcast && !known)
        return;
    for (uint32_t i = 0; i < j->count; i++) {
        if (trace_digest_get(j->input->trace, j->part[i].rank, j->part[i].event.seq, SPOOL_AT_DONE,
                             SPOOL_BUFFER_RECV, &digest, &bytes) != CORE_OK)
            continue;
        if (!known) {
            expected = digest;
            expected_bytes = bytes;
            known = true;
        } else if (bytes == expected_bytes && digest != expected) {
            struct finding *finding = add_finding(j, broadcast ? RULE_RESULT : RULE_AGREEMENT,
                                                  broadcast ? FINDING_ERROR : FINDING_WARNING, i);
            if (finding && broadcast)
                finding_title(finding,
                              "wrong result of %s: what rank %" PRIu32
                              " received is not what the root sent",
                              j->input->trace->call[j->part[i].event.call].name, j->part[i].rank);
            else if (finding)
                finding_title(finding,
                              "ranks disagree bit by bit on the result of %s: rank %" PRIu32
                              " has another one than rank %" PRIu32,
                              j->input->trace->call[j->part[i].event.call].name, j->part[i].rank,
                              j->part[0].rank);
            return;
        }
    }
}

static enum core_status each(const struct check_input *input, struct finding_list *list,
                             bool agreement)
{
    struct collective_list collectives;
    enum core_status status = collective_list_load(input->trace, &collectives);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < collectives.count && status == CORE_OK; i++) {
        const struct collective *collective = &collectives.collective[i];
        struct judging j = {.input = input,
                            .collective = collective,
                            .part = &collectives.part[collective->first],
                            .count = collective->count,
                            .list = list};
        if (!collective->count || !complete(input, collective, j.part))
            continue;
        enum shape shape = find_shape(&j.part[0].event);
        j.root = j.part[0].event.root >= 0 && (uint32_t)j.part[0].event.root < j.count
                     ? (uint32_t)j.part[0].event.root
                     : 0;
        if (agreement) {
            if (shape == ALLREDUCE || shape == ALLGATHER)
                judge_digests(&j, false);
            continue;
        }
        if (shape == SHAPE_NONE)
            continue;
        j.sent = calloc(2 * (size_t)j.count, sizeof *j.sent);
        if (!j.sent) {
            status = core_report(CORE_NO_MEMORY,
                                 "out of memory for the contents of a collective's buffers");
            break;
        }
        j.received = j.sent + j.count;
        uint32_t before = list->count;
        contents_load(&j);
        if (shape <= ALLTOALL)
            judge_moved(&j, shape);
        else
            judge_folded(&j, shape);
        contents_free(&j);
        if (shape == BCAST && list->count == before)
            judge_digests(&j, true);
        free(j.sent);
    }
    collective_list_done(&collectives);
    return status;
}

enum core_status check_result(const struct check_input *input, struct finding_list *list)
{
    return each(input, list, false);
}

enum core_status check_agreement(const struct check_input *input, struct finding_list *list)
{
    return each(input, list, true);
}
