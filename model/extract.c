/* Cuts a program. State: per rank a map of requests to their new numbers, made when first needed.
 *
 * Invariant: between cuts every entry of every map is -1. */
#include "model/extract.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"

struct extractor {
    const struct replay_program *whole;
    int32_t **renamed; /* by rank: old request -> new, -1: not in the part; NULL until needed */
    int32_t *member;   /* room for the largest set */
};

struct cut { /* the cut of one rank */
    const struct replay_rank *whole;
    struct replay_program *part;
    uint32_t rank;
    int32_t *renamed, *member;
    uint32_t awaited, made;
};

static bool makes_request(enum replay_op_kind kind)
{
    return kind == REPLAY_ISEND || kind == REPLAY_IRECV || kind == REPLAY_ICOLL ||
           kind == REPLAY_MPROBE || kind == REPLAY_IMRECV;
}

static bool takes_set(enum replay_op_kind kind)
{
    return kind == REPLAY_WAIT_ALL || kind == REPLAY_WAIT_ANY || kind == REPLAY_WAIT_SOME ||
           kind == REPLAY_TEST;
}

static bool takes_request(enum replay_op_kind kind)
{
    return kind == REPLAY_WAIT || kind == REPLAY_CANCEL || kind == REPLAY_FREE ||
           kind == REPLAY_MRECV;
}

static enum core_status add_set(struct cut *cut, struct replay_op op)
{
    const struct replay_set *set = &cut->whole->set[op.request];
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        int32_t renamed = cut->renamed[cut->whole->member[set->first + i]];
        if (renamed >= 0)
            cut->member[count++] = renamed;
    }
    if (count == 0)
        return CORE_OK;
    cut->awaited += count;
    enum core_status status =
        replay_program_set(cut->part, cut->rank, cut->member, count, -1, &op.request);
    return status == CORE_OK ? replay_program_add(cut->part, cut->rank, &op) : status;
}

static enum core_status add_op(struct cut *cut, struct replay_op op)
{
    if (takes_set(op.kind))
        return add_set(cut, op);
    if (takes_request(op.kind)) {
        op.request = cut->renamed[op.request];
        if (op.request < 0)
            return CORE_OK;
        cut->awaited++;
    } else if (makes_request(op.kind)) {
        cut->renamed[op.request] = (int32_t)cut->made;
        op.request = (int32_t)cut->made++;
    }
    return replay_program_add(cut->part, cut->rank, &op);
}

enum core_status extractor_new(const struct replay_program *whole, struct extractor **out_extractor)
{
    struct extractor *extractor = calloc(1, sizeof *extractor);
    uint32_t largest = 1;

    for (uint32_t rank = 0; rank < whole->rank_count; rank++)
        for (uint32_t i = 0; i < whole->rank[rank].set_count; i++)
            if (whole->rank[rank].set[i].count > largest)
                largest = whole->rank[rank].set[i].count;
    if (extractor) {
        extractor->whole = whole;
        extractor->renamed = calloc(whole->rank_count, sizeof *extractor->renamed);
        extractor->member = malloc(largest * sizeof *extractor->member);
    }
    if (!extractor || !extractor->renamed || !extractor->member) {
        extractor_free(extractor);
        return core_report(CORE_NO_MEMORY, "out of memory for cutting a program of %u ranks",
                           whole->rank_count);
    }
    *out_extractor = extractor;
    return CORE_OK;
}

void extractor_free(struct extractor *extractor)
{
    if (!extractor)
        return;
    for (uint32_t rank = 0; extractor->renamed && rank < extractor->whole->rank_count; rank++)
        free(extractor->renamed[rank]);
    free(extractor->renamed);
    free(extractor->member);
    free(extractor);
}

static enum core_status map_open(struct extractor *extractor, uint32_t rank)
{
    size_t bytes = ((size_t)extractor->whole->rank[rank].request_count + 1) * sizeof(int32_t);

    if (extractor->renamed[rank])
        return CORE_OK;
    extractor->renamed[rank] = malloc(bytes);
    if (!extractor->renamed[rank])
        return core_report(CORE_NO_MEMORY, "out of memory for cutting a program");
    memset(extractor->renamed[rank], -1, bytes);
    return CORE_OK;
}

static enum core_status cut_rank(struct extractor *extractor, uint32_t rank,
                                 struct extract_range range, extract_fn chosen, void *context,
                                 struct replay_program *part, bool *missing)
{
    struct cut cut = {.whole = &extractor->whole->rank[rank],
                      .part = part,
                      .rank = rank,
                      .member = extractor->member};
    enum core_status status = map_open(extractor, rank);

    CORE_CHECK((uint64_t)range.first + range.count <= cut.whole->op_count);
    cut.renamed = extractor->renamed[rank];
    for (uint32_t i = range.first; i < range.first + range.count && status == CORE_OK; i++)
        if (!chosen || chosen(context, rank, i, &cut.whole->op[i]))
            status = add_op(&cut, cut.whole->op[i]);
    for (uint32_t i = range.first; i < range.first + range.count && cut.renamed; i++)
        if (makes_request(cut.whole->op[i].kind))
            cut.renamed[cut.whole->op[i].request] = -1;
    *missing |= cut.awaited < cut.made;
    return status;
}

enum core_status extractor_cut(struct extractor *extractor, const struct extract_range *range,
                               extract_fn chosen, void *context, struct replay_program *out_part,
                               bool *out_waits_missing)
{
    const struct replay_program *whole = extractor->whole;
    struct replay_program part = {0};
    bool missing = false;
    enum core_status status = replay_program_init(&part, whole->rank_count);

    for (uint32_t i = 1; i < whole->comm_count && status == CORE_OK; i++) {
        uint32_t comm;
        status = replay_program_comm(&part, whole->comm[i].member, whole->comm[i].count, &comm);
        CORE_CHECK(status != CORE_OK || comm == i);
    }
    for (uint32_t rank = 0; rank < whole->rank_count && status == CORE_OK; rank++)
        if (range[rank].count)
            status = cut_rank(extractor, rank, range[rank], chosen, context, &part, &missing);
    if (status == CORE_OK) {
        *out_part = part;
        *out_waits_missing = missing;
    } else {
        replay_program_done(&part);
    }
    return status;
}
