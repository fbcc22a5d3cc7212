/* See fences.h. */
#include "checkers/conflict/fences.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"

enum core_status fences_add(struct fences *fences, struct fence fence)
{
    CORE_CHECK(!fences->count || fences->fence[fences->count - 1].seq <= fence.seq);
    return CORE_ARRAY_PUSH(fences->fence, fences->count, fences->room, "fences", fence);
}

void fences_done(struct fences *fences)
{
    free(fences->fence);
}

static void say_missing(const struct fences *fences, struct finding_dedup *dedup,
                        const uint32_t *missing, uint32_t missing_count, const uint32_t *there,
                        uint32_t there_count, uint32_t number)
{
    CORE_CHECK(missing_count && there_count);
    struct trace *trace = dedup->input->trace;
    char *text = wording_missing("MPI_Win_fence", missing, missing_count, there, there_count);
    struct finding *finding =
        text ? finding_dedup_add(dedup, FINDING_ERROR, missing[0], fences[missing[0]].freed) : NULL;

    if (finding) {
        finding->effect = FINDING_EFFECT_LACKS;
        finding_title(finding, "%s (fence %" PRIu32 " of the window)", text, number + 1);
        for (uint32_t i = 1; i < missing_count; i++)
            finding_core_add(finding, trace, missing[i], fences[missing[i]].freed);
        for (uint32_t i = 0; i < there_count; i++)
            finding_core_add(finding, trace, there[i], fences[there[i]].fence[number].seq);
    }
    free(text);
}

/* Reports ranks that leave out fences which others call. All ranks must call a fence until one
 * frees the window. */
static void compare_counts(const struct fences *fences, struct finding_dedup *dedup)
{
    uint32_t ranks = dedup->input->trace->rank_count, least = UINT32_MAX, missing_count = 0,
             there_count = 0, *missing, *there;

    for (uint32_t rank = 0; rank < ranks; rank++)
        if (fences[rank].freed && fences[rank].count < least)
            least = fences[rank].count;
    if (CORE_ARRAY_NEW(missing, 2ul * ranks, "ranks of windows") != CORE_OK) {
        dedup->status = CORE_NO_MEMORY;
        return;
    }
    there = missing + ranks;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (fences[rank].count > least)
            there[there_count++] = rank;
        else if (fences[rank].freed)
            missing[missing_count++] = rank;
    }
    CORE_CHECK(missing_count + there_count <= ranks);
    CORE_CHECK(!missing_count || least != UINT32_MAX);
    if (missing_count && there_count)
        say_missing(fences, dedup, missing, missing_count, there, there_count, least);
    free(missing);
}

/* Reports ranks that disagree on MPI_MODE_NOPRECEDE or MPI_MODE_NOSUCCEED: MPI wants all or none to
 * assert them. */
static void compare_modes(const struct fences *fences, struct finding_dedup *dedup)
{
    const int64_t shared = EVENT_ASSERT_NOPRECEDE | EVENT_ASSERT_NOSUCCEED;
    uint32_t ranks = dedup->input->trace->rank_count, first = 0;

    while (first < ranks && !fences[first].count)
        first++;
    for (uint32_t rank = first + 1; rank < ranks; rank++) {
        const struct fences *a = &fences[first], *b = &fences[rank];
        for (uint32_t i = 0; i < a->count && i < b->count; i++) {
            if (!((a->fence[i].mode ^ b->fence[i].mode) & shared))
                continue;
            struct finding *finding =
                finding_dedup_add(dedup, FINDING_ERROR, first, a->fence[i].seq);
            if (!finding)
                return;
            finding_title(finding,
                          "MPI_Win_fence: rank %" PRIu32 " asserts %s, rank %" PRIu32
                          " does not: all ranks must, or none",
                          (a->fence[i].mode & ~b->fence[i].mode & shared) ? first : rank,
                          ((a->fence[i].mode ^ b->fence[i].mode) & EVENT_ASSERT_NOPRECEDE)
                              ? "MPI_MODE_NOPRECEDE"
                              : "MPI_MODE_NOSUCCEED",
                          (a->fence[i].mode & ~b->fence[i].mode & shared) ? rank : first);
            finding_call_add(finding, dedup->input->trace, rank, b->fence[i].seq);
            return;
        }
    }
}

void fences_compare(const struct fences *fences, struct finding_dedup *dedup)
{
    CORE_CHECK(fences != NULL);
    compare_modes(fences, dedup);
    compare_counts(fences, dedup);
}
