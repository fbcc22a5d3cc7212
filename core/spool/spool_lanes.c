/* Lists the lanes of a spool folder by the names of their files (spool_read.h). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/spool/spool_read.h"

/* Parses a number as the recorder writes it, below `limit`. Returns the text behind it; NULL: no
 * such number. Refuses "00", so that no lane is read twice. */
static const char *number_parse(const char *at, uint64_t limit, uint64_t *out_number)
{
    uint64_t number = 0;

    if (*at < '0' || *at > '9' || (at[0] == '0' && at[1] >= '0' && at[1] <= '9'))
        return NULL;
    for (; *at >= '0' && *at <= '9' && number < limit; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *out_number = number;
    return number < limit ? at : NULL;
}

static bool lane_name_parse(const char *name, struct spool_lane_name *out_lane)
{
    uint64_t rank, lane;
    const char *at = number_parse(name, SPOOL_RANKS_MAX, &rank);

    if (!at || *at != '.')
        return false;
    at = number_parse(at + 1, SPOOL_LANES_MAX, &lane);
    if (!at || strcmp(at, ".ring") != 0)
        return false;
    CORE_CHECK(rank < SPOOL_RANKS_MAX);
    CORE_CHECK(lane < SPOOL_LANES_MAX);
    out_lane->rank = (int32_t)rank;
    out_lane->lane = (uint32_t)lane;
    return true;
}

static int lane_compare(const void *a, const void *b)
{
    const struct spool_lane_name *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Removes duplicates: a folder that changes while it is read may list a name twice. */
static uint32_t lanes_unique(struct spool_lane_name *lane, uint32_t count)
{
    uint32_t kept = count > 0;

    for (uint32_t i = 1; i < count; i++) {
        if (lane_compare(&lane[kept - 1], &lane[i]) == 0)
            continue;
        CORE_CHECK(lane_compare(&lane[kept - 1], &lane[i]) < 0); /* the names are sorted */
        lane[kept++] = lane[i];
    }
    CORE_CHECK(kept <= count);
    return kept;
}

enum core_status spool_lanes_list(const char *job_path, struct spool_lane_name **out_lane,
                                  uint32_t *out_count)
{
    struct spool_lane_name *lane = NULL;
    uint32_t count = 0, room = 0;
    struct dirent *entry;
    DIR *dir = opendir(job_path);

    if (!dir)
        return core_report(errno == ENOENT ? CORE_NOT_FOUND : CORE_IO,
                           "cannot read the spool folder '%s': %s", job_path, strerror(errno));
    while ((entry = readdir(dir))) {
        struct spool_lane_name found;
        if (!lane_name_parse(entry->d_name, &found))
            continue;
        if (CORE_ARRAY_PUSH(lane, count, room, "the list of a spool folder", found)) {
            closedir(dir);
            free(lane);
            return CORE_NO_MEMORY;
        }
    }
    closedir(dir);
    if (count)
        qsort(lane, count, sizeof *lane, lane_compare);
    *out_lane = lane;
    *out_count = lanes_unique(lane, count);
    return CORE_OK;
}
