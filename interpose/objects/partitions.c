/* Partitions of partitioned requests: which ones of a send were marked as ready since its start,
 * and how many were not. With MPI_THREAD_MULTIPLE every access is made under the lock: threads mark
 * partitions of one request at the same time. */
#include <stdlib.h>
#include <string.h>

#include "interpose/misuse/usage.h"

struct partitions {
    uint32_t id; /* of the request */
    int count, left;
    bool sends;
    uint64_t *marked; /* bits; NULL: a receive */
    struct partitions *next;
};

bool recorder_partitioned;
enum { BUCKETS = 256, BITS = 64 };
static struct partitions *bucket[BUCKETS];

static struct partitions *partitions_find(uint32_t id)
{
    struct partitions *at = id ? bucket[id % BUCKETS] : NULL;

    while (at && at->id != id)
        at = at->next;
    return at;
}

static void partitions_clear(struct partitions *of)
{
    of->left = of->sends ? of->count : 0;
    if (of->marked)
        memset(of->marked, 0, ((size_t)of->count + BITS - 1) / BITS * sizeof *of->marked);
}

void recorder_request_partitioned(uint32_t id, int count, bool sends)
{
    struct partitions *made = id && count > 0 ? calloc(1, sizeof *made) : NULL;

    if (!made)
        return;
    *made = (struct partitions){.id = id, .count = count, .sends = sends};
    if (sends) {
        made->marked = malloc(((size_t)count + BITS - 1) / BITS * sizeof *made->marked);
        if (!made->marked) {
            free(made);
            return;
        }
    }
    partitions_clear(made);
    recorder_lock();
    recorder_partitioned = true;
    made->next = bucket[id % BUCKETS];
    bucket[id % BUCKETS] = made;
    recorder_unlock();
}

void recorder_partitions_started(uint32_t id)
{
    recorder_lock();
    struct partitions *of = partitions_find(id);
    if (of)
        partitions_clear(of);
    recorder_unlock();
}

void recorder_partitions_gone(uint32_t id)
{
    recorder_lock();
    struct partitions **link = &bucket[id % BUCKETS], *of = partitions_find(id);
    while (of && *link != of)
        link = &(*link)->next;
    if (of)
        *link = of->next;
    recorder_unlock();
    if (of)
        free(of->marked);
    free(of);
}

static void mark_one(struct lane *lane, uint64_t seq, struct partitions *of, int partition)
{
    if (partition < 0 || partition >= of->count) {
        usage_say(lane, seq, MISUSE_PARTITION_RANGE, "partition", 0,
                  .value = {partition, of->count});
        return;
    }
    uint64_t bit = UINT64_C(1) << partition % BITS;
    if (of->marked[partition / BITS] & bit) {
        usage_say(lane, seq, MISUSE_MARKED_TWICE, "partition", 0, .value = {partition});
        return;
    }
    of->marked[partition / BITS] |= bit;
    of->left--;
    usage_marked(lane, seq, of->id, partition);
}

/* Returns the partitions of a request that may be marked. Otherwise reports the misuse. */
static struct partitions *partitions_markable(struct lane *lane, uint64_t seq,
                                              struct request_info info)
{
    struct partitions *of = partitions_find(info.id);

    if (!of || !of->sends) {
        if (!recorder.partial)
            usage_say(lane, seq, MISUSE_MARK_UNKNOWN, "request", 0);
        return NULL;
    }
    if (!recorder_request_state(info).active) {
        usage_say(lane, seq, MISUSE_MARK_UNSTARTED, "request", 0);
        return NULL;
    }
    return of;
}

int recorder_partitions_marked(struct lane *lane, uint64_t seq, struct request_info info, int low,
                               int high)
{
    recorder_lock();
    struct partitions *of = partitions_markable(lane, seq, info);
    for (int64_t k = low; of && k <= high && k <= of->count; k++)
        mark_one(lane, seq, of, (int)k);
    int left = of ? of->left : EVENT_NONE;
    recorder_unlock();
    return left;
}

int recorder_partitions_listed(struct lane *lane, uint64_t seq, struct request_info info,
                               int length, const int *list)
{
    recorder_lock();
    struct partitions *of = partitions_markable(lane, seq, info);
    for (int i = 0; of && list && i < length; i++)
        mark_one(lane, seq, of, list[i]);
    int left = of ? of->left : EVENT_NONE;
    recorder_unlock();
    return left;
}

void recorder_partitions_awaited(struct lane *lane, uint64_t seq, struct request_info info)
{
    const struct request_state state = recorder_request_state(info);
    if (recorder.threads || recorder.partial || !state.active)
        return;
    const struct partitions *of = partitions_find(info.id);
    int first = 0;
    if (!of || !of->left)
        return;
    while (of->marked[first / BITS] & UINT64_C(1) << first % BITS)
        first++;
    usage_say(lane, seq, MISUSE_PARTITION_LEFT, "request", state.made,
              .value = {first, of->count, of->left});
}

void recorder_partition_asked(struct lane *lane, uint64_t seq, struct request_info info,
                              int partition)
{
    recorder_lock();
    const struct partitions *of = partitions_find(info.id);
    if ((!of || of->sends) && !recorder.partial)
        usage_say(lane, seq, MISUSE_ASKED_UNKNOWN, "request", 0);
    else if (of && (partition < 0 || partition >= of->count))
        usage_say(lane, seq, MISUSE_PARTITION_RANGE, "partition", 0,
                  .value = {partition, of->count});
    recorder_unlock();
}

int64_t recorder_stride(MPI_Count count, MPI_Datatype type)
{
    MPI_Aint low, extent = 0;

    return ASK(TYPE, Type_get_extent, type, &low, &extent) == MPI_SUCCESS ? (int64_t)count * extent
                                                                          : 0;
}
