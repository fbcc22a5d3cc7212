/* Turns the spools of one job into its trace. This file has the sequence of steps; each step has
 * its own file (store/store_part.h).
 *
 * Invariants
 *  1. Ranks are read in ascending order; each rank of the world gets a row, even if it is missing.
 *  2. The trace's own name appears only when everything is written. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/progress.h"
#include "store/store_part.h"

static const char schema[] =
#include "trace_schema_sql.h"
    ;

/* Indexes by set or event, built once, at the end. */
static const char indices[] = "CREATE INDEX arg_set_id ON arg_set(id);"
                              "CREATE INDEX digest_event ON digest(event);"
                              "CREATE INDEX payload_event ON payload(event);"
                              "CREATE INDEX stack_event ON stack(event);";

void store_note(struct store *store, const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0)
        return;
    if (length >= (int)sizeof line)
        length = sizeof line - 1;
    for (int i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    size_t need = store->notes_bytes + (size_t)length + 2;
    if (need > STORE_NOTES_BYTES_MAX)
        return;
    CORE_CHECK(store->notes_bytes < STORE_NOTES_BYTES_MAX);
    char *more = core_alloc_again(store->notes, need);
    if (!more)
        return; /* the note is lost, but not the trace */
    store->notes = more;
    if (store->notes_bytes)
        store->notes[store->notes_bytes++] = '\n';
    memcpy(store->notes + store->notes_bytes, line, (size_t)length);
    store->notes_bytes += (size_t)length;
    store->notes[store->notes_bytes] = '\0';
    CORE_CHECK(store->notes_bytes < need); /* the text includes the NUL */
}

static enum core_status header_of(const char *job_path, const struct spool_lane_name *lane,
                                  struct spool_header *out_header, char *why)
{
    char path[4096];
    enum core_status status;
    int fd;

    snprintf(path, sizeof path, "%s/%" PRId32 ".%" PRIu32 ".ring", job_path, lane->rank,
             lane->lane);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(why, SPOOL_WHY_BYTES, "it cannot be opened: %s", strerror(errno));
        return CORE_IO;
    }
    status = spool_header_read(fd, out_header, why);
    close(fd);
    return status;
}

/* Finds the world's size, and whether there is anything to read. Refuses a spool of another
 * version, whatever else is there. */
static enum core_status headers_read(struct store *store)
{
    char why[SPOOL_WHY_BYTES], first_why[SPOOL_WHY_BYTES] = "";
    enum core_status failed = CORE_OK;
    struct spool_header header;

    for (uint32_t i = 0; i < store->lane_count; i++) {
        enum core_status status = header_of(store->job_path, &store->lane[i], &header, why);
        if (status == CORE_BAD_VERSION)
            return core_report(status,
                               "cannot read the spool '%s/%" PRId32 ".%" PRIu32 ".ring': %s",
                               store->job_path, store->lane[i].rank, store->lane[i].lane, why);
        if (status != CORE_OK) {
            if (!failed)
                memcpy(first_why, why, sizeof why);
            failed = failed ? failed : status;
            continue;
        }
        store->bytes += header.committed;
        store->gaps_known = store->gaps_known ||
                            header.flags & (SPOOL_FLAG_LAST | SPOOL_FLAG_FILTERED) ||
                            (header.lost && !header.stopped);
        if (!store->world_size)
            store->first = header;
        if (header.world_size > store->world_size)
            store->world_size = header.world_size;
    }
    CORE_CHECK(store->world_size <= SPOOL_RANKS_MAX); /* spool_header_read refuses larger ones */
    if (store->world_size)
        return CORE_OK;
    if (!store->lane_count)
        return core_report(CORE_NOT_FOUND, "the folder '%s' holds no spool", store->job_path);
    CORE_CHECK(failed != CORE_OK); /* there are lanes, and none was readable */
    return core_report(failed, "cannot read the spool '%s/%" PRId32 ".%" PRIu32 ".ring': %s",
                       store->job_path, store->lane[0].rank, store->lane[0].lane, first_why);
}

bool store_begun(const char *job_path)
{
    struct spool_lane_name *lane = NULL;
    struct spool_header header;
    uint32_t count = 0, begun = 0;
    char why[SPOOL_WHY_BYTES];

    if (access(job_path, R_OK | X_OK) < 0 || spool_lanes_list(job_path, &lane, &count) != CORE_OK)
        return true;
    for (uint32_t i = 0; i < count; i++)
        begun += header_of(job_path, &lane[i], &header, why) != CORE_NOT_FOUND;
    free(lane);
    CORE_CHECK(begun <= count);
    return begun || !count;
}

static enum core_status ranks_read(struct store *store)
{
    enum core_status status = CORE_OK;
    uint32_t at = 0;

    for (int32_t rank = 0; status == CORE_OK && rank < store->world_size; rank++) {
        uint32_t count = 0;
        while (at + count < store->lane_count && store->lane[at + count].rank == rank)
            count++;
        if (count) {
            CORE_CHECK(!at || store->lane[at - 1].rank < rank); /* invariant 1 */
            status = store_rank_read(store, &store->lane[at], count);
        } else {
            status = store_rank_missing(store, rank);
            if (status == CORE_OK)
                status = store_match_rank(store, rank);
        }
        at += count;
    }
    CORE_CHECK(status != CORE_OK || store->ranks_put == store->world_size); /* invariant 1 */
    for (; at < store->lane_count; at++) {
        CORE_CHECK(status != CORE_OK || store->lane[at].rank >= store->world_size);
        store_note(store, "rank %" PRId32 ": its spool was left out: the job has %" PRId32 " ranks",
                   store->lane[at].rank, store->world_size);
    }
    return status;
}

enum core_status store_write(const char *job_path, const char *trace_path,
                             const struct store_options *options)
{
    static const struct store_options none = {.exit_code = -1};
    struct store store = {.job_path = job_path, .options = options ? options : &none};
    enum core_status status;

    store.shape.bounded = store.completion_set.bounded = store.arg_set.bounded = true;
    status = spool_lanes_list(job_path, &store.lane, &store.lane_count);
    if (status == CORE_OK)
        status = headers_read(&store);
    core_progress_begin("writing the trace", store.bytes);
    if (status == CORE_OK)
        status = store_clocks_find(&store);
    if (status == CORE_OK &&
        !(store.gaps = core_alloc_zero((size_t)store.world_size, sizeof *store.gaps)))
        status =
            core_report(CORE_NO_MEMORY, "cannot write the trace '%s': out of memory", trace_path);
    if (status == CORE_OK &&
        !(store.window_row = core_alloc_zero(STORE_WINDOW, sizeof *store.window_row)))
        status =
            core_report(CORE_NO_MEMORY, "cannot write the trace '%s': out of memory", trace_path);
    if (status == CORE_OK)
        status = store_fold_begin(&store);
    if (status == CORE_OK)
        status = store_sql_open(&store.sql, trace_path, schema);
    if (status == CORE_OK)
        status = ranks_read(&store);
    if (status == CORE_OK)
        status = store_fold_finish(&store);
    core_progress_end();
    core_progress_begin("writing the trace: the rest of it", 0);
    if (status == CORE_OK)
        status = store_ending_stacks(&store, store.options->ending);
    if (status == CORE_OK)
        status = store_define_finish(&store);
    if (status == CORE_OK)
        status = store_meta(&store, store.options);
    if (status == CORE_OK)
        status = store_ending(&store, store.options->ending);
    if (status == CORE_OK)
        status = store_unreceived(&store, store.options);
    if (status == CORE_OK)
        status = store_sql_run(&store.sql, indices);
    if (status == CORE_OK)
        status = store_sql_finish(&store.sql);
    else
        store_sql_abandon(&store.sql);
    core_progress_end();

    CORE_CHECK(!store.sql.db); /* renamed or removed by now (invariant 2) */
    CORE_CHECK(!store.sql.partial);

    store_fold_done(&store);
    store_loop_done(&store);
    free(store.window_row);
    free(store.gaps);
    free(store.lane);
    free(store.scratch);
    free(store.notes);
    store_defs_done(&store.defs);
    store_memory_done(&store);
    site_resolver_free(store.resolver);
    store_match_done(&store.match);
    store_clocks_done(&store);
    store_intern_done(&store.shape);
    store_intern_done(&store.completion_set);
    store_intern_done(&store.arg_set);
    store_intern_done(&store.rank_span);
    return status;
}

/* --- jobs ------------------------------------------------------------------------------------- */

struct job {
    char *path;
    uint64_t started;
};

static int job_compare(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    if (x->started != y->started)
        return x->started < y->started ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Finds when the job in that folder started; false: the folder has no spool. */
static bool job_started(const char *path, uint64_t *out_started)
{
    struct dirent *entry;
    DIR *dir = opendir(path);
    bool any = false;

    *out_started = UINT64_MAX;
    while (dir && (entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);
        struct spool_header header;
        char file[4400];
        if (length < 6 || strcmp(entry->d_name + length - 5, ".ring") != 0)
            continue;
        any = true;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        int fd = open(file, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (spool_header_read(fd, &header, NULL) == CORE_OK &&
            header.start_realtime_ns < *out_started)
            *out_started = header.start_realtime_ns;
        close(fd);
    }
    if (dir)
        closedir(dir);
    return any;
}

char *store_trace_name(const char *output, uint32_t number)
{
    size_t bytes = strlen(output),
           stem = bytes > 3 && strcmp(output + bytes - 3, ".db") == 0 ? bytes - 3 : bytes;
    char *name = core_alloc(bytes + 16);

    if (!name)
        return NULL;
    if (number <= 1)
        memcpy(name, output, bytes + 1);
    else
        sprintf(name, "%.*s-%" PRIu32 "%s", (int)stem, output, number, output + stem);
    return name;
}

enum core_status store_jobs(const char *spool_path, char ***out_job, uint32_t *out_count)
{
    enum core_status status = CORE_OK;
    struct job *job = NULL;
    uint32_t count = 0, room = 0;
    struct dirent *entry;
    DIR *dir = opendir(spool_path);

    if (!dir)
        return core_report(errno == ENOENT ? CORE_NOT_FOUND : CORE_IO,
                           "cannot read the spool folder '%s': %s", spool_path, strerror(errno));
    while (status == CORE_OK && (entry = readdir(dir))) {
        uint64_t started;
        char path[4096];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(path, sizeof path, "%s/%s", spool_path, entry->d_name);
        if (!job_started(path, &started))
            continue;
        status = CORE_ARRAY_ROOM_ZERO(job, room, (uint64_t)count + 1, "the trace");
        if (status == CORE_OK && !(job[count].path = strdup(path)))
            status = core_report(CORE_NO_MEMORY, "cannot list '%s': out of memory", spool_path);
        if (status == CORE_OK)
            job[count++].started = started;
    }
    closedir(dir);
    if (count)
        qsort(job, count, sizeof *job, job_compare);
    char **path = status != CORE_OK ? NULL : core_alloc((count + 1) * sizeof *path);
    if (status == CORE_OK && !path)
        status = core_report(CORE_NO_MEMORY, "cannot list '%s': out of memory", spool_path);
    for (uint32_t i = 0; i < count; i++)
        if (status != CORE_OK)
            free(job[i].path);
        else
            path[i] = job[i].path;
    free(job);
    if (status != CORE_OK)
        return status;
    *out_job = path;
    *out_count = count;
    return CORE_OK;
}
