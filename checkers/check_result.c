/* Checks results: each rank must receive what MPI defines, which the checker computes from what the
 * ranks sent (reference.h). It needs the contents (run keeps a sample, --payload=full all); for
 * broadcasts digests suffice. Checks agreement: ranks that should share one result must share it
 * bit by bit.
 *
 * For operations that the program defines, the checker judges the order in which they were applied,
 * where the record shows it (reduce_order.h).
 *
 * It skips contents that were not kept whole, all-to-all in place (which overwrites the sent data),
 * types of more than one basic type, w-variants, intercommunicators. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/collective/reduce_order.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/collective.h"
#include "checkers/collective/reference.h"
#include "core/trace/describe.h"
#include "core/trace/trace_payload.h"

struct content {
    unsigned char *data; /* NULL: not kept */
    uint64_t bytes;
};

struct said { /* for the collectives called from one line */
    enum rule_id rule;
    int32_t call, site;
    uint32_t finding; /* index in the list */
    uint64_t count;
};
struct sayings {
    struct said *said;
    uint32_t count, room;
    uint64_t wrong; /* wrong results in total */
};
struct judging { /* one collective */
    const struct check_input *input;
    const struct collective *collective;
    const struct collective_part *part;
    struct content *sent, *received; /* by member */
    int64_t **counts;                /* by member, for MPI_Alltoallv; else NULL */
    bool per_rank;                   /* blocks may differ in size */
    uint32_t count, root;
    struct finding_list *list;
    struct sayings *told;
    enum core_status *status; /* status of the reporting functions */
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
    if (call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(PER_TYPE) | TRAIT_BIT(PERSISTENT)))
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
    case VERB_REDUCE_SCATTER:
    case VERB_REDUCE_SCATTER_BLOCK:
        return REDUCE_SCATTER;
    default:
        return SHAPE_NONE;
    }
}

static bool check_result_complete(const struct check_input *input,
                                  const struct collective *collective,
                                  const struct collective_part *part)
{
    CORE_CHECK(collective->present <= collective->count);
    if (collective->present != collective->count || input->trace->comm[collective->comm].inter)
        return false;
    for (uint32_t i = 0; i < collective->count; i++)
        if (part[i].event.pending || part[i].event.call != part[0].event.call ||
            part[i].event.root != part[0].event.root || part[i].event.op != part[0].event.op)
            return false;
    return true;
}

/* Tells whether this place was reported before, and then counts the collective. */
static bool said_before(const struct judging *j, enum rule_id rule, uint32_t member)
{
    const struct trace_event *event = &j->part[member].event;
    struct sayings *told = j->told;

    told->wrong++;
    for (uint32_t i = 0; i < told->count; i++)
        if (told->said[i].rule == rule && told->said[i].call == event->call &&
            told->said[i].site == event->site) {
            told->said[i].count++;
            return true;
        }
    *j->status = CORE_ARRAY_PUSH(told->said, told->count, told->room, "wrong results",
                                 (struct said){rule, event->call, event->site, j->list->count, 1});
    return *j->status != CORE_OK;
}

/* Adds a finding for the caller to word; NULL: this place was reported. */
static struct finding *add_finding(const struct judging *j, enum rule_id rule,
                                   enum finding_severity severity, uint32_t member)
{
    CORE_CHECK(member < j->count);
    struct finding *finding =
        said_before(j, rule, member) ? NULL : finding_list_add(j->list, rule, severity);

    if (!finding)
        return NULL;
    finding_core_add(finding, j->input->trace, j->part[member].rank, j->part[member].event.seq);
    return finding;
}

/* Tells whether the call is nonblocking: the program can store into the buffers, which MPI owns
 * until the wait. */
static bool is_nonblocking(const struct judging *j)
{
    return j->part[0].event.request != 0;
}

static bool digest_find(const struct judging *j, uint32_t member, unsigned at, unsigned side,
                        uint64_t *out_digest)
{
    uint64_t bytes;

    CORE_CHECK(member < j->count);
    return trace_digest_get(j->input->trace, j->part[member].rank, j->part[member].event.seq, at,
                            side, out_digest, &bytes) == CORE_OK;
}

/* Finds a member whose send buffer differs between call and wait, unless it received in place. */
static bool sent_changed(const struct judging *j, uint32_t *out_member)
{
    uint64_t before, after, got;

    for (uint32_t i = 0; i < j->count; i++)
        if (digest_find(j, i, SPOOL_AT_POST, SPOOL_BUFFER_SEND, &before) &&
            digest_find(j, i, SPOOL_AT_DONE, SPOOL_BUFFER_SEND, &after) && before != after &&
            !(digest_find(j, i, SPOOL_AT_DONE, SPOOL_BUFFER_RECV, &got) && got == after)) {
            *out_member = i;
            return true;
        }
    return false;
}

static bool is_said(const struct judging *j, uint32_t member)
{
    const struct collective_part *part = &j->part[member];

    CORE_CHECK(member < j->count);
    for (uint32_t i = 0; i < j->list->count; i++)
        for (uint32_t c = 0; c < j->list->finding[i].call_count; c++)
            if (j->list->finding[i].rule == &rule_table[RULE_BUFFER] &&
                j->list->finding[i].call[c].rank == part->rank &&
                (j->list->finding[i].call[c].seq == part->event.seq ||
                 j->list->finding[i].call[c].subject_seq == part->event.seq))
                return true;
    return false;
}

/* Reports a wrong result of a nonblocking call. Unless the send buffer has changed, the record
 * cannot tell whether the library or the rank stored the value. */
static void add_stored(const struct judging *j, uint32_t member)
{
    bool sent = sent_changed(j, &member), said = sent && is_said(j, member);

    for (uint32_t i = 0; i < j->count && !sent; i++)
        said |= is_said(j, i); /* a finding explains the changed buffer */
    struct finding *finding = said ? NULL : add_finding(j, RULE_BUFFER, FINDING_ERROR, member);
    if (!finding)
        return;
    const char *call = j->input->trace->call[j->part[member].event.call].name;
    finding->remedy = REMEDY_COMPLETE;
    if (sent) {
        finding_title(finding,
                      "the send buffer of %s was written to before that call had completed "
                      "(rank %" PRIu32 ")",
                      call, j->part[member].rank);
        finding_fact(finding, "ranks did not receive what the buffer held at the call");
        return;
    }
    finding_title(finding, "what %s received on rank %" PRIu32 " is not what the ranks sent", call,
                  j->part[member].rank);
    finding_fact(finding, "the program writes to a buffer of the call while MPI owns it, or the "
                          "library's result is wrong");
}

static void add_wrong(const struct judging *j, uint32_t member, uint64_t at, const char *what)
{
    if (is_nonblocking(j)) {
        add_stored(j, member);
        return;
    }
    struct finding *finding = add_finding(j, RULE_RESULT, FINDING_ERROR, member);

    if (finding)
        finding_title(
            finding,
            "wrong result of %s on rank %" PRIu32 ": %s %" PRIu64 " is not what the ranks sent",
            j->input->trace->call[j->part[member].event.call].name, j->part[member].rank, what, at);
}

/* Compares the block expected at `offset` of what a member received. */
static bool check_result_same(const struct judging *j, uint32_t member, uint64_t offset,
                              const unsigned char *expected, uint64_t bytes)
{
    const struct content *got = &j->received[member];

    CORE_CHECK(got->data); /* judge_member skips what was not kept */
    for (uint64_t at = 0; at < bytes && offset + at < got->bytes; at++)
        if (got->data[offset + at] != expected[at]) {
            add_wrong(j, member, offset + at, "byte");
            return false;
        }
    return true;
}

/* Computes the size of the member's block: the whole without what the others received or sent. */
static bool rest_find(const struct judging *j, const struct content *of, uint64_t whole,
                      uint32_t member, uint64_t *out_bytes)
{
    for (uint32_t i = 0; i < j->count; i++) {
        if (i == member)
            continue;
        if (!of[i].data || of[i].bytes > whole)
            return false;
        whole -= of[i].bytes;
    }
    *out_bytes = whole;
    return true;
}

/* Returns the n-th of `count` equal blocks. */
static bool block_at(const struct content *of, uint32_t count, uint32_t n,
                     const unsigned char **out_block, uint64_t *out_bytes)
{
    CORE_CHECK(n < count);
    if (!of->data || of->bytes % count)
        return false;
    *out_bytes = of->bytes / count;
    *out_block = of->data + n * *out_bytes;
    return true;
}

static bool block_scattered(const struct judging *j, uint32_t to, const unsigned char **out_block,
                            uint64_t *out_bytes)
{
    const struct content *sent = &j->sent[j->root];
    uint64_t offset = 0;

    CORE_CHECK(to < j->count);
    if (!j->per_rank)
        return block_at(sent, j->count, to, out_block, out_bytes);
    if (!sent->data)
        return false;
    for (uint32_t i = 0; i <= to; i++) {
        uint64_t bytes = j->received[i].bytes;
        if (!j->received[i].data &&
            (i != j->root || !rest_find(j, j->received, sent->bytes, i, &bytes)))
            return false;
        *out_block = sent->data + offset;
        *out_bytes = bytes;
        if ((offset += bytes) > sent->bytes)
            return false;
    }
    CORE_CHECK(*out_block + *out_bytes <= sent->data + sent->bytes); /* it lies in what was sent */
    return true;
}

static bool block_exchanged(const struct judging *j, uint32_t from, uint32_t to,
                            const unsigned char **out_block, uint64_t *out_bytes)
{
    const struct content *sent = &j->sent[from];
    int64_t elements = 0, before = 0;

    CORE_CHECK(from < j->count);
    CORE_CHECK(to < j->count);
    if (!j->per_rank)
        return block_at(sent, j->count, to, out_block, out_bytes);
    if (!sent->data || !j->counts || !j->counts[from])
        return false;
    for (uint32_t i = 0; i < j->count; i++) {
        before += i < to ? j->counts[from][i] : 0;
        elements += j->counts[from][i];
    }
    if (elements <= 0 || j->counts[from][to] < 0 || before < 0 || before > elements ||
        sent->bytes % (uint64_t)elements)
        return false;
    uint64_t size = sent->bytes / (uint64_t)elements;
    *out_block = sent->data + (uint64_t)before * size;
    *out_bytes = (uint64_t)j->counts[from][to] * size;
    return before + j->counts[from][to] <= elements;
}

/* Finds the block that `from` gives `to`; *out_block NULL: only its size is known. */
static bool block_find(const struct judging *j, enum shape shape, uint32_t from, uint32_t to,
                       const unsigned char **out_block, uint64_t *out_bytes)
{
    CORE_CHECK(shape != SHAPE_NONE);
    CORE_CHECK(shape <= ALLTOALL); /* the other shapes are folded */
    switch (shape) {
    case SCATTER:
        return block_scattered(j, to, out_block, out_bytes);
    case ALLTOALL:
        return block_exchanged(j, from, to, out_block, out_bytes);
    default:
        break;
    }
    *out_block = j->sent[from].data;
    *out_bytes = j->sent[from].bytes;
    if (*out_block)
        return true;
    if (shape == ALLGATHER && !j->per_rank) /* in place: the block was there before */
        return block_at(&j->received[from], j->count, from, out_block, out_bytes);
    return shape == GATHER && from == j->root &&
           rest_find(j, j->sent, j->received[to].bytes, from, out_bytes);
}

/* Judges what member `to` gets from each member of a collective that moves blocks. Returns true if
 * all of it was judged or something was wrong. */
static bool judge_member(const struct judging *j, enum shape shape, uint32_t to, bool *out_right)
{
    uint64_t offset = 0;

    if (!j->received[to].data)
        return false;
    for (uint32_t from = 0; from < j->count && *out_right; from++) {
        const unsigned char *block = NULL;
        uint64_t bytes;
        if ((shape == BCAST || shape == SCATTER) && from != j->root)
            continue;
        if (!block_find(j, shape, from, to, &block, &bytes))
            return false;
        *out_right = !block || check_result_same(j, to, offset, block, bytes);
        offset += bytes;
    }
    return true;
}

static bool judge_moved(const struct judging *j, enum shape shape)
{
    bool judged = false, right = true;

    for (uint32_t to = 0; to < j->count && right; to++)
        if (!(shape == GATHER && to != j->root) && !(shape == BCAST && to == j->root))
            judged |= judge_member(j, shape, to, &right);
    return judged;
}

/* Finds where the member's part of the reduced data begins; false: unknown. */
static bool part_find(const struct judging *j, uint32_t member, uint64_t *out_bytes)
{
    *out_bytes = 0;
    for (uint32_t i = 0; i < member; i++) {
        if (!j->received[i].data)
            return false;
        *out_bytes += j->received[i].bytes;
    }
    return true;
}

static bool judge_folded(const struct judging *j, enum shape shape)
{
    CORE_CHECK(shape > ALLTOALL);
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
    bool judged = false;
    for (uint32_t to = 0; known && to < j->count; to++) {
        const struct content *got = &j->received[to];
        uint32_t terms = shape == SCAN ? to + 1 : shape == EXSCAN ? to : j->count;
        uint64_t first = 0;
        CORE_CHECK(terms <= j->count);
        if (!got->data || terms == 0 || (shape == REDUCE && to != j->root) ||
            (shape == REDUCE_SCATTER && !part_find(j, to, &first)))
            continue;
        first /= size;
        judged = true;
        for (uint64_t i = 0; i < got->bytes / size && (first + i + 1) * size <= j->sent[0].bytes;
             i++)
            if (!reference_fold_equals(basic, op, x, terms, first + i, got->data - first * size)) {
                add_wrong(j, to, i, "element");
                free(x);
                return true;
            }
    }
    free(x);
    return judged;
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

/* --- operations of the program's own ---------------------------------------------------------- */

enum order { ORDER_UNTOLD, ORDER_RIGHT, ORDER_WRONG };

/* Compares the members, in this order, with those of which the result of `to` must consist. If one
 * is missing or appears twice, it decides nothing: the result of a maximum may look like that. */
static enum order order_of(enum shape shape, const struct judging *j, uint32_t to, bool commutative,
                           const struct reduce_order_value *value)
{
    uint32_t terms = shape == SCAN ? to + 1 : shape == EXSCAN ? to : j->count;
    bool seen[REDUCE_ORDER_MEMBERS_MAX] = {false}, in_order = true;

    CORE_CHECK(terms <= REDUCE_ORDER_MEMBERS_MAX); /* judge_order skips larger ones */
    CORE_CHECK(value->count <= REDUCE_ORDER_MEMBERS_MAX);
    if (value->count != terms)
        return ORDER_UNTOLD;
    for (uint32_t i = 0; i < terms; i++) {
        uint8_t member = value->member[i];
        if (member >= terms || seen[member])
            return ORDER_UNTOLD;
        seen[member] = true;
        in_order &= member == i;
    }
    return commutative || in_order ? ORDER_RIGHT : ORDER_WRONG;
}

static void add_order(const struct judging *j, uint32_t member,
                      const struct reduce_order_value *value)
{
    struct finding *finding = add_finding(j, RULE_RESULT, FINDING_ERROR, member);
    char order[REDUCE_ORDER_MEMBERS_MAX * 6] = "";
    size_t used = 0;

    if (!finding)
        return;
    for (uint32_t i = 0; i < value->count && used < sizeof order; i++)
        used += (size_t)snprintf(order + used, sizeof order - used, "%s%u", i ? ", " : "",
                                 value->member[i]);
    finding_title(
        finding,
        "wrong result of %s on rank %" PRIu32 ": the contributions were combined in the order %s",
        j->input->trace->call[j->part[member].event.call].name, j->part[member].rank, order);
    finding_fact(
        finding,
        "the operation does not commute: MPI requires the order of ranks in the communicator");
}

static enum core_status judge_order(const struct judging *j, enum shape shape, bool *out_judged)
{
    const struct trace *trace = j->input->trace;
    int32_t op = j->part[0].event.op;
    struct reduce_order applied = {.count = 0};
    enum core_status status = CORE_OK;
    uint64_t digest, bytes;

    if (op < 0 || (uint32_t)op >= trace->op_count || j->count > REDUCE_ORDER_MEMBERS_MAX ||
        shape == REDUCE_SCATTER)
        return CORE_OK;
    bool commutative = trace->op_commutative[op];
    for (uint32_t i = 0; i < j->count && status == CORE_OK; i++) {
        const struct collective_part *part = &j->part[i];
        if (trace_digest_get(j->input->trace, part->rank, part->event.seq, SPOOL_AT_POST,
                             SPOOL_BUFFER_SEND, &digest, &bytes) == CORE_OK)
            status = reduce_order_give(&applied, i, digest);
        if (status == CORE_OK)
            status = trace_applied_each(j->input->trace, part->rank, part->event.seq,
                                        reduce_order_step, &applied);
    }
    if (status == CORE_OK)
        status = reduce_order_combine(&applied);
    for (uint32_t to = 0; to < j->count && status == CORE_OK; to++) {
        const struct collective_part *part = &j->part[to];
        if ((shape == REDUCE && to != j->root) || (shape == EXSCAN && to == 0) ||
            trace_digest_get(j->input->trace, part->rank, part->event.seq, SPOOL_AT_DONE,
                             SPOOL_BUFFER_RECV, &digest, &bytes) != CORE_OK)
            continue;
        const struct reduce_order_value *value = reduce_order_find(&applied, digest);
        enum order order = value ? order_of(shape, j, to, commutative, value) : ORDER_UNTOLD;
        *out_judged |= order != ORDER_UNTOLD;
        if (order == ORDER_WRONG) {
            add_order(j, to, value);
            break;
        }
    }
    reduce_order_done(&applied);
    return status;
}

static enum core_status counts_load(struct judging *j)
{
    enum core_status status = CORE_ARRAY_NEW(j->counts, j->count, "the counts of a collective");

    for (uint32_t i = 0; i < j->count && status == CORE_OK; i++) {
        uint32_t n = 0;
        status = trace_arg_get(j->input->trace, j->part[i].rank, j->part[i].event.seq, "sendcounts",
                               &j->counts[i], &n);
        if (n != j->count) {
            free(j->counts[i]);
            j->counts[i] = NULL;
        }
    }
    return status;
}

static void counts_free(struct judging *j)
{
    for (uint32_t i = 0; j->counts && i < j->count; i++)
        free(j->counts[i]);
    free(j->counts);
    j->counts = NULL;
}

static void contents_free(const struct judging *j)
{
    for (uint32_t i = 0; i < j->count; i++) {
        free(j->sent[i].data);
        free(j->received[i].data);
        j->sent[i].data = j->received[i].data = NULL;
    }
}

/* Judges by digests: all members must have the root's bytes (broadcast), or each other's. */
static void judge_digests(const struct judging *j, bool broadcast)
{
    uint64_t expected = 0, expected_bytes = 0, digest, bytes;
    bool known = false;

    CORE_CHECK(j->root < j->count);
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
        } else if (bytes == expected_bytes && digest != expected && broadcast &&
                   is_nonblocking(j)) {
            add_stored(j, i);
            return;
        } else if (bytes == expected_bytes && digest != expected) {
            struct finding *finding = add_finding(j, broadcast ? RULE_RESULT : RULE_AGREEMENT,
                                                  broadcast ? FINDING_ERROR : FINDING_WARNING, i);
            if (finding && broadcast)
                finding_title(finding,
                              "wrong result of %s: rank %" PRIu32
                              " did not receive what the root sent",
                              j->input->trace->call[j->part[i].event.call].name, j->part[i].rank);
            else if (finding)
                finding_title(finding,
                              "ranks disagree bit by bit on the result of %s: rank %" PRIu32
                              " differs from rank %" PRIu32,
                              j->input->trace->call[j->part[i].event.call].name, j->part[i].rank,
                              j->part[0].rank);
            return;
        }
    }
}

static enum core_status judge_one(struct judging *j, enum shape shape)
{
    uint64_t before = j->told->wrong;

    CORE_CHECK(shape != SHAPE_NONE);
    CORE_CHECK(j->count > 0);
    CORE_CHECK(!j->counts);
    enum core_status status =
        CORE_ARRAY_NEW(j->sent, 2 * (uint64_t)j->count, "the contents of a collective's buffers");
    if (status != CORE_OK)
        return status;
    j->received = j->sent + j->count;
    j->per_rank = trait_in(j->part[0].event.traits, TRAIT_PER_RANK);
    contents_load(j);
    if (shape == ALLTOALL && j->per_rank)
        status = counts_load(j);
    bool judged =
        status == CORE_OK && (shape <= ALLTOALL ? judge_moved(j, shape) : judge_folded(j, shape));
    contents_free(j);
    counts_free(j);
    if (status == CORE_OK && shape > ALLTOALL && !judged)
        status = judge_order(j, shape, &judged);
    if (shape == BCAST && j->told->wrong == before)
        judge_digests(j, true);
    j->list->verified += judged;
    free(j->sent);
    return status;
}

struct kept { /* ids of the events with kept contents, ascending */
    uint64_t *event;
    uint32_t count;
};

static bool is_kept(const struct kept *kept, const struct collective_part *part)
{
    uint64_t id = (uint64_t)part->rank << 40 | part->event.seq;

    uint32_t low = CORE_ARRAY_FIND(at, 0, kept->count, kept->event[at] < id);
    return low < kept->count && kept->event[low] == id;
}

static bool any_kept(const struct kept *kept, const struct collective_part *part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_kept(kept, &part[i]))
            return true;
    return false;
}

/* Tells whether two threads of a rank took part in two consecutive collectives of a communicator at
 * the same time: from there on it is unknown which calls of the ranks belong together. */
static bool check_result_overlap(const struct collective_list *all, const struct collective *a,
                                 const struct collective *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        const struct trace_event *x = &all->part[a->first + i].event,
                                 *y = &all->part[b->first + i].event;
        if (all->part[a->first + i].present && all->part[b->first + i].present &&
            x->thread != y->thread && (x->pending || x->t_leave > y->t_enter))
            return true;
    }
    return false;
}

/* Finds the first of the communicator's collectives from `first` on whose parts may not belong
 * together, or the first of another communicator. */
static uint32_t sure_until(const struct check_input *input, const struct collective_list *all,
                           uint32_t first)
{
    uint32_t end = first + 1;

    while (end < all->count && all->collective[end].comm == all->collective[first].comm) {
        if (input->notes->threads &&
            check_result_overlap(all, &all->collective[end - 1], &all->collective[end]))
            return end - 1;
        end++;
    }
    return end;
}

static enum core_status judge_at(const struct check_input *input, const struct kept *kept,
                                 const struct collective_list *all, uint32_t at, bool agreement,
                                 struct finding_list *list, struct sayings *told)
{
    const struct collective *collective = &all->collective[at];
    enum core_status said = CORE_OK;
    struct judging j = {.input = input,
                        .collective = collective,
                        .part = &all->part[collective->first],
                        .count = collective->count,
                        .list = list,
                        .told = told,
                        .status = &said};
    if (!collective->count || !check_result_complete(input, collective, j.part) ||
        !any_kept(kept, j.part, j.count))
        return CORE_OK;
    enum shape shape = find_shape(&j.part[0].event);
    j.root = j.part[0].event.root >= 0 && (uint32_t)j.part[0].event.root < j.count
                 ? (uint32_t)j.part[0].event.root
                 : 0;
    if (agreement && (shape == ALLREDUCE || shape == ALLGATHER))
        judge_digests(&j, false);
    enum core_status status = agreement || shape == SHAPE_NONE ? CORE_OK : judge_one(&j, shape);
    return status == CORE_OK ? said : status;
}

static enum core_status each_kept(const struct check_input *input, const struct kept *kept,
                                  struct finding_list *list, bool agreement)
{
    const struct collective_list *all;
    struct sayings told = {.count = 0};
    enum core_status status = check_collectives(input, &all);
    char number[32];

    for (uint32_t i = 0, sure = 0; status == CORE_OK && i < all->count; i++) {
        if (i == 0 || all->collective[i].comm != all->collective[i - 1].comm)
            sure = sure_until(input, all, i);
        if (i < sure)
            status = judge_at(input, kept, all, i, agreement, list, &told);
    }
    for (uint32_t i = 0; i < told.count; i++)
        if (status == CORE_OK && told.said[i].count > 1)
            finding_fact(&list->finding[told.said[i].finding],
                         "%s times among the results that were compared",
                         describe_number(told.said[i].count, number, sizeof number));
    free(told.said);
    return status;
}

static enum core_status check_result_each(const struct check_input *input,
                                          struct finding_list *list, bool agreement)
{
    struct kept kept = {0};
    enum core_status status = trace_digest_events(input->trace, &kept.event, &kept.count);

    if (status == CORE_OK && kept.count)
        status = each_kept(input, &kept, list, agreement);
    free(kept.event);
    return status;
}

enum core_status check_result(const struct check_input *input, struct finding_list *list)
{
    return check_result_each(input, list, false);
}

enum core_status check_agreement(const struct check_input *input, struct finding_list *list)
{
    return check_result_each(input, list, true);
}
