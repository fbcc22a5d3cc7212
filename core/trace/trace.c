/* Opens a trace: checks that the file is one and complete, and loads its small tables. The file may
 * hold anything: values are checked before they serve as an index or a size. Only plain tables are
 * read, since a view or a trigger in a hostile file could do anything.
 *
 * Invariants
 *  1. Every id that a reader hands out is within its array, and its entry exists.
 *  2. No allocation is larger than a small multiple of the file. */
#include "core/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/spool/spool_read.h"
#include "core/trace/trace_part.h"

enum { BUSY_MS_MAX = 60000 }; /* another process may hold the trace while it checks it */

struct arena { /* blocks of a trace's memory */
    struct arena *next;
    max_align_t data[];
};

/* Allocates zeroed memory that lives as long as the trace. NULL: out of memory. */
static void *trace_alloc(struct trace *trace, uint64_t count, size_t bytes)
{
    struct arena *block;
    uint64_t whole;

    CORE_CHECK(bytes > 0);
    if (__builtin_mul_overflow(count, (uint64_t)bytes, &whole) || whole > (uint64_t)1 << 40)
        return NULL;
    block = core_alloc_zero(1, sizeof *block + (size_t)whole);
    if (!block)
        return NULL;
    block->next = trace->arena;
    trace->arena = block;
    return block->data;
}

static enum core_status no_memory(const struct trace *trace)
{
    return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory", trace->path);
}

enum core_status trace_damaged(const struct trace *trace, const char *what)
{
    return core_report(
        CORE_BAD_FORMAT,
        "the trace '%s' is damaged: %s; record again, or 'crosswait recover' its spools",
        trace->path, what);
}

enum core_status trace_failed(const struct trace *trace, int code)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return no_memory(trace);
    case SQLITE_IOERR:
        if (code == SQLITE_IOERR_SHORT_READ)
            return trace_damaged(trace, "it was cut short");
        return core_report(CORE_IO, "cannot read the trace '%s': %s", trace->path,
                           sqlite3_errmsg(trace->db));
    case SQLITE_FULL:
        return core_report(CORE_FULL, "cannot write to the trace '%s': no space left", trace->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return core_report(CORE_IO, "cannot write to the trace '%s': not permitted", trace->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return core_report(CORE_IO, "the trace '%s' is in use by another program; try again",
                           trace->path);
    default:
        return trace_damaged(trace, sqlite3_errmsg(trace->db));
    }
}

enum core_status trace_prepare(const struct trace *trace, const char *text, sqlite3_stmt **out_stmt)
{
    int code = core_fault() ? SQLITE_NOMEM
                            : sqlite3_prepare_v3(trace->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                                 out_stmt, NULL);

    return code == SQLITE_OK ? CORE_OK : trace_failed(trace, code);
}

bool trace_column(sqlite3_stmt *stmt, int column, int32_t none, int32_t *out_value)
{
    int type = sqlite3_column_type(stmt, column);
    int64_t value;

    if (type == SQLITE_NULL) {
        *out_value = none;
        return true;
    }
    value = sqlite3_column_int64(stmt, column);
    *out_value = (int32_t)value;
    return type == SQLITE_INTEGER && value >= INT32_MIN && value <= INT32_MAX;
}

/* --- is it a trace ---------------------------------------------------------------------------- */

static enum core_status file_look(struct trace *trace)
{
    unsigned char head[100];
    struct stat about;
    ssize_t got;
    int fd = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return core_report(errno == ENOENT ? CORE_NOT_FOUND : CORE_IO,
                           "cannot open the trace '%s': %s", trace->path, strerror(errno));
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(fd);
        return core_report(CORE_BAD_FORMAT, "'%s' is not a trace: it is not a regular file",
                           trace->path);
    }
    got = pread(fd, head, sizeof head, 0);
    close(fd);
    if (got == 0)
        return core_report(CORE_BAD_FORMAT, "'%s' is not a trace: it is empty", trace->path);
    if (got < 16 || memcmp(head, "SQLite format 3", 16) != 0)
        return core_report(CORE_BAD_FORMAT, "'%s' is not a trace: it is not an SQLite file",
                           trace->path);
    if (got < (ssize_t)sizeof head)
        return trace_damaged(trace, "it was cut short");
    uint64_t page = (uint64_t)head[16] << 8 | head[17];
    uint64_t pages =
        (uint64_t)head[28] << 24 | (uint64_t)head[29] << 16 | (uint64_t)head[30] << 8 | head[31];
    if (page == 1)
        page = 65536;
    if ((uint64_t)about.st_size < page * pages)
        return trace_damaged(trace, "it was cut short");
    trace->file_bytes = (uint64_t)about.st_size;
    return CORE_OK;
}

static enum core_status number_of(const struct trace *trace, const char *text, int64_t *out_value)
{
    sqlite3_stmt *stmt = NULL;
    enum core_status status = trace_prepare(trace, text, &stmt);

    if (status != CORE_OK)
        return status;
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        *out_value = sqlite3_column_int64(stmt, 0);
    else
        status = code == SQLITE_DONE ? (*out_value = 0, CORE_OK) : trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}

static enum core_status schema_look(const struct trace *trace)
{
    int64_t id, version, tables, others;
    enum core_status status = number_of(trace, "PRAGMA application_id", &id);

    if (status == CORE_OK)
        status = number_of(trace, "PRAGMA user_version", &version);
    if (status != CORE_OK)
        return status;
    if (id != TRACE_APPLICATION_ID)
        return core_report(CORE_BAD_FORMAT,
                           "'%s' is not a trace: it is an SQLite file of another program",
                           trace->path);
    if (version != TRACE_SCHEMA_VERSION)
        return core_report(CORE_BAD_VERSION,
                           "the trace '%s' is of %s version %" PRId64
                           ", this crosswait reads version %d",
                           trace->path, version > TRACE_SCHEMA_VERSION ? "newer" : "older", version,
                           TRACE_SCHEMA_VERSION);
    status = number_of(
        trace,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name IN "
        "('meta', "
        "'rank', 'call', 'site', 'comm', 'comm_member', 'datatype', 'op', 'shape', 'event_row', "
        "'event_part', 'loop', 'loop_call', 'number', 'message_row', 'message_part', "
        "'completion_set', 'arg_set', 'misuse', 'ended', 'proof', 'proof_rank', 'proof_channel', "
        "'proof_member', 'rank_span', 'run', 'finding')",
        &tables);
    if (status == CORE_OK)
        status =
            number_of(trace, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", &others);
    if (status != CORE_OK)
        return status;
    return tables == 27 && !others ? CORE_OK
                                   : trace_damaged(trace, "its tables are not those of a trace");
}

/* --- its small tables ------------------------------------------------------------------------- */

struct loading { /* the state of loading one table */
    struct trace *trace;
    sqlite3_stmt *stmt;
    uint64_t rows;
    enum core_status status;
};

static const char *text_keep(struct loading *load, int column)
{
    const unsigned char *text = sqlite3_column_text(load->stmt, column);
    size_t bytes = (size_t)sqlite3_column_bytes(load->stmt, column);
    char *copy;

    if (!text || load->status)
        return NULL;
    copy = trace_alloc(load->trace, bytes + 1, 1);
    if (!copy) {
        load->status = no_memory(load->trace);
        return NULL;
    }
    memcpy(copy, text, bytes);
    return copy;
}

static int32_t number_keep(struct loading *load, int column, int32_t none)
{
    int32_t value = none;

    if (!trace_column(load->stmt, column, none, &value) && !load->status)
        load->status = trace_damaged(load->trace, "a number is out of range");
    return value;
}

/* Steps to the next row. Returns false at the end, or on an error. */
static bool load_next(struct loading *load)
{
    int code;

    if (load->status)
        return false;
    code = core_fault() ? SQLITE_NOMEM : sqlite3_step(load->stmt);
    if (code == SQLITE_DONE)
        return false;
    if (code != SQLITE_ROW)
        load->status = trace_failed(load->trace, code);
    else if (++load->rows > load->trace->file_bytes)
        load->status = trace_damaged(load->trace, "a table has no end");
    return !load->status;
}

static struct loading load_begin(struct trace *trace, const char *text)
{
    struct loading load = {.trace = trace};

    CORE_CHECK(trace->db);
    load.status = trace_prepare(trace, text, &load.stmt);
    return load;
}

static enum core_status load_end(struct loading *load)
{
    sqlite3_finalize(load->stmt);
    return load->status;
}

/* Finds the size of an array by id: ids are small, since a trace numbers from 1. */
static enum core_status ids_count(const struct trace *trace, const char *query, uint32_t *out_count)
{
    int64_t most;
    enum core_status status = number_of(trace, query, &most);

    if (status != CORE_OK)
        return status;
    if (most < 0 || most >= TRACE_IDS_MAX || (uint64_t)most > trace->file_bytes)
        return trace_damaged(trace, "an id is out of range");
    CORE_CHECK((uint64_t)most <= trace->file_bytes); /* invariant 2: as many entries at most */
    *out_count = (uint32_t)most + 1;
    return CORE_OK;
}

/* Returns the id in column 0, or 0 (and sets a bad status). */
static uint32_t id_of(struct loading *load, uint32_t count)
{
    int64_t id = sqlite3_column_int64(load->stmt, 0);

    if (id < 1 || id >= count) {
        if (!load->status)
            load->status = trace_damaged(load->trace, "an id is out of range");
        return 0;
    }
    CORE_CHECK(id > 0 && id < count); /* invariant 1 */
    return (uint32_t)id;
}

/* Loads how many calls have no times of their own: at most as many as the ranks made. */
static enum core_status summed_load(struct trace *trace)
{
    int64_t summed = 0;
    uint64_t events = 0;
    enum core_status status =
        number_of(trace, "SELECT ifnull(sum(max(calls, 1)), 0) FROM event_sum", &summed);

    for (uint32_t i = 0; i < trace->rank_count; i++)
        events += trace->rank[i].events;
    if (status == CORE_OK && (summed < 0 || (uint64_t)summed > events))
        return trace_damaged(trace, "a loop is invalid");
    trace->summed = (uint64_t)summed;
    return status;
}

static enum core_status ranks_load(struct trace *trace)
{
    struct loading load;
    enum core_status status =
        ids_count(trace, "SELECT rank FROM rank ORDER BY rank DESC LIMIT 1", &trace->rank_count);

    if (status != CORE_OK)
        return status;
    if (trace->rank_count > SPOOL_RANKS_MAX)
        return trace_damaged(trace, "it has too many ranks");
    trace->rank = trace_alloc(trace, trace->rank_count, sizeof *trace->rank);
    if (!trace->rank)
        return no_memory(trace);
    load = load_begin(trace, "SELECT rank, host, state, code, events, lost, cut, detail, threads "
                             "FROM rank ORDER BY rank");
    while (load_next(&load)) {
        int64_t number = sqlite3_column_int64(load.stmt, 0);
        const char *state = (const char *)sqlite3_column_text(load.stmt, 2);
        if (number != (int64_t)load.rows - 1 || number >= trace->rank_count) {
            load.status = trace_damaged(trace, "its ranks are not numbered from 0 on");
            break;
        }
        struct trace_rank *rank = &trace->rank[number];
        rank->state = state ? event_rank_state_find(state) : EVENT_RANK_STATE_COUNT;
        if (rank->state == EVENT_RANK_STATE_COUNT && !load.status)
            load.status = trace_damaged(trace, "a rank has an unknown state");
        rank->host = text_keep(&load, 1);
        rank->code = sqlite3_column_int64(load.stmt, 3);
        rank->events = (uint64_t)sqlite3_column_int64(load.stmt, 4);
        rank->lost = (uint64_t)sqlite3_column_int64(load.stmt, 5);
        rank->threads = (uint32_t)sqlite3_column_int64(load.stmt, 8);
        rank->cut = sqlite3_column_int64(load.stmt, 6) != 0;
        rank->detail = text_keep(&load, 7);
    }
    if (!load.status && load.rows != trace->rank_count)
        load.status = trace_damaged(trace, "it has no ranks");
    return load_end(&load);
}

static enum core_status calls_load(struct trace *trace)
{
    struct loading load;
    enum core_status status =
        ids_count(trace, "SELECT id FROM call ORDER BY id DESC LIMIT 1", &trace->call_count);

    if (status != CORE_OK)
        return status;
    trace->call = trace_alloc(trace, trace->call_count, sizeof *trace->call);
    if (!trace->call)
        return no_memory(trace);
    load = load_begin(trace, "SELECT id, name, class, mode, verb, traits FROM call");
    while (load_next(&load)) {
        uint32_t id = id_of(&load, trace->call_count);
        const char *class = (const char *)sqlite3_column_text(load.stmt, 2);
        const char *verb = (const char *)sqlite3_column_text(load.stmt, 4);
        const char *traits = (const char *)sqlite3_column_text(load.stmt, 5);
        struct trace_call *call = &trace->call[id];
        call->name = text_keep(&load, 1);
        call->class = class ? event_class_find(class) : EVENT_CLASS_COUNT;
        call->mode = (enum event_mode)number_keep(&load, 3, 0);
        call->verb = verb ? verb_find(verb) : VERB_COUNT;
        if (!load.status && (!call->name || call->class == EVENT_CLASS_COUNT ||
                             (unsigned)call->mode > EVENT_MODE_READY || call->verb == VERB_COUNT ||
                             !traits || !traits_read(traits, &call->traits)))
            load.status = trace_damaged(trace, "a call has an unknown kind");
    }
    return load_end(&load);
}

static enum core_status sites_load(struct trace *trace)
{
    struct loading load;
    enum core_status status =
        ids_count(trace, "SELECT id FROM site ORDER BY id DESC LIMIT 1", &trace->site_count);

    if (status != CORE_OK)
        return status;
    trace->site = trace_alloc(trace, trace->site_count, sizeof *trace->site);
    if (!trace->site)
        return no_memory(trace);
    load = load_begin(trace, "SELECT id, module, address, function, file, line, inlined, symbol, "
                             "offset, path, optimized, returned FROM site");
    while (load_next(&load)) {
        struct trace_site *site = &trace->site[id_of(&load, trace->site_count)];
        site->module = text_keep(&load, 1);
        site->address = (uint64_t)sqlite3_column_int64(load.stmt, 2);
        site->function = text_keep(&load, 3);
        site->file = text_keep(&load, 4);
        site->line = number_keep(&load, 5, 0);
        site->inlined = text_keep(&load, 6);
        site->symbol = text_keep(&load, 7);
        site->offset = (uint64_t)sqlite3_column_int64(load.stmt, 8);
        site->path = text_keep(&load, 9);
        site->optimized = number_keep(&load, 10, -1);
        site->returned = number_keep(&load, 11, -1);
    }
    return load_end(&load);
}

static enum core_status members_load(struct trace *trace)
{
    struct loading load = load_begin(trace, "SELECT comm, side, rank, world FROM comm_member");

    while (load_next(&load)) {
        uint32_t id = id_of(&load, trace->comm_count);
        struct trace_comm *comm = &trace->comm[id];
        int64_t side = sqlite3_column_int64(load.stmt, 1),
                rank = sqlite3_column_int64(load.stmt, 2);
        int64_t world = sqlite3_column_int64(load.stmt, 3);
        int32_t *member = (int32_t *)(side ? comm->remote : comm->member);
        if (load.status)
            break;
        CORE_CHECK(member || !(side ? comm->remote_size : comm->size)); /* comms_load made room */
        if (side < 0 || side > 1 || rank < 0 || rank >= (side ? comm->remote_size : comm->size))
            load.status = trace_damaged(trace, "a communicator has impossible members");
        else if (world >= 0 && world < trace->rank_count)
            member[rank] = (int32_t)world;
        else /* a rank of another world: a spawned or connected job */
            member[rank] = EVENT_NONE;
    }
    return load_end(&load);
}

static enum core_status comms_load(struct trace *trace)
{
    struct loading load;
    enum core_status status =
        ids_count(trace, "SELECT id FROM comm ORDER BY id DESC LIMIT 1", &trace->comm_count);
    uint64_t members = 0;

    if (status != CORE_OK)
        return status;
    trace->comm = trace_alloc(trace, trace->comm_count, sizeof *trace->comm);
    if (!trace->comm)
        return no_memory(trace);
    load = load_begin(trace, "SELECT id, name, kind, size, remote_size, parent, topology, id IN "
                             "(SELECT comm FROM hint WHERE key IN (" MATCHING_REORDERING_KEYS
                             ") AND given) FROM comm");
    while (load_next(&load)) {
        struct trace_comm *comm = &trace->comm[id_of(&load, trace->comm_count)];
        const char *kind = (const char *)sqlite3_column_text(load.stmt, 2);
        comm->inter = kind && strcmp(kind, "inter") == 0;
        comm->name = text_keep(&load, 1);
        comm->size = number_keep(&load, 3, 0);
        comm->remote_size = number_keep(&load, 4, 0);
        comm->parent = number_keep(&load, 5, -1);
        comm->topology = number_keep(&load, 6, 0);
        comm->overtaking = sqlite3_column_int(load.stmt, 7);
        if (load.status)
            break;
        members += (uint64_t)comm->size + (uint64_t)comm->remote_size;
        if (comm->size < 0 || comm->remote_size < 0 || comm->parent >= (int32_t)trace->comm_count ||
            comm->parent < -1 || members > trace->file_bytes || comm->member) {
            load.status = trace_damaged(trace, "a communicator has impossible members");
            break;
        }
        int32_t *member =
            trace_alloc(trace, (uint64_t)comm->size + (uint64_t)comm->remote_size, sizeof *member);
        if (!member) {
            load.status = no_memory(trace);
            break;
        }
        for (int64_t i = 0; i < (int64_t)comm->size + comm->remote_size; i++)
            member[i] = EVENT_NONE;
        comm->member = member;
        comm->remote = member + comm->size;
    }
    status = load_end(&load);
    return status != CORE_OK ? status : members_load(trace);
}

static enum core_status datatypes_load(struct trace *trace)
{
    struct loading load;
    enum core_status status = ids_count(trace, "SELECT id FROM datatype ORDER BY id DESC LIMIT 1",
                                        &trace->datatype_count);

    if (status != CORE_OK)
        return status;
    trace->datatype = trace_alloc(trace, trace->datatype_count, sizeof *trace->datatype);
    if (!trace->datatype)
        return no_memory(trace);
    load = load_begin(trace, "SELECT id, name, size, lb, extent, signature, map FROM datatype");
    while (load_next(&load)) {
        struct trace_datatype *type = &trace->datatype[id_of(&load, trace->datatype_count)];
        type->name = text_keep(&load, 1);
        type->size = sqlite3_column_int64(load.stmt, 2);
        type->lb = sqlite3_column_int64(load.stmt, 3);
        type->extent = sqlite3_column_int64(load.stmt, 4);
        type->signature = (uint64_t)sqlite3_column_int64(load.stmt, 5);
        const void *map = sqlite3_column_blob(load.stmt, 6);
        size_t bytes = (size_t)sqlite3_column_bytes(load.stmt, 6);
        if (load.status)
            break;
        if (type->size < 0 || bytes % sizeof *type->segment) {
            load.status = trace_damaged(trace, "a datatype is invalid");
            break;
        }
        if (sqlite3_column_type(load.stmt, 6) == SQLITE_NULL)
            continue;
        struct spool_segment *segment = trace_alloc(trace, bytes, 1);
        if (!segment) {
            load.status = no_memory(trace);
            break;
        }
        if (bytes)
            memcpy(segment, map, bytes);
        type->segment = segment;
        type->segment_count = (uint32_t)(bytes / sizeof *segment);
        for (uint32_t i = 0; i < type->segment_count; i++)
            if (segment[i].basic >= trace->datatype_count)
                load.status = trace_damaged(trace, "a datatype is invalid");
    }
    return load_end(&load);
}

static enum core_status ops_load(struct trace *trace)
{
    struct loading load;
    enum core_status status =
        ids_count(trace, "SELECT id FROM op ORDER BY id DESC LIMIT 1", &trace->op_count);

    if (status != CORE_OK)
        return status;
    trace->op_name = trace_alloc(trace, trace->op_count, sizeof *trace->op_name);
    trace->op_commutative = trace_alloc(trace, trace->op_count, sizeof *trace->op_commutative);
    trace->op_site = trace_alloc(trace, trace->op_count, sizeof *trace->op_site);
    if (!trace->op_name || !trace->op_commutative || !trace->op_site)
        return no_memory(trace);
    load = load_begin(trace, "SELECT id, name, commutative, site FROM op");
    while (load_next(&load)) {
        uint32_t id = id_of(&load, trace->op_count);
        trace->op_name[id] = text_keep(&load, 1);
        trace->op_commutative[id] = sqlite3_column_int64(load.stmt, 2) != 0;
        trace->op_site[id] = number_keep(&load, 3, 0);
        if ((trace->op_site[id] < 0 || (uint32_t)trace->op_site[id] >= trace->site_count) &&
            trace->op_site[id] && !load.status)
            load.status = trace_damaged(trace, "the function of an operation is out of range");
    }
    return load_end(&load);
}

static enum core_status imported_load(struct trace *trace)
{
    struct loading load = load_begin(trace, "SELECT 1 FROM meta WHERE key = 'imported'");

    trace->imported = load_next(&load);
    return load_end(&load);
}

/* --- opening and closing ---------------------------------------------------------------------- */

enum core_status trace_open(const char *path, enum trace_access access, struct trace *out_trace)
{
    struct trace trace = {.rows_kept_max = TRACE_ROWS_KEPT_MAX};
    enum core_status status;
    int code;

    trace.path = core_alloc(strlen(path) + 1);
    if (!trace.path)
        return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory", path);
    strcpy(trace.path, path);
    status = file_look(&trace);
    if (status != CORE_OK)
        goto undo;
    code = core_fault() ? SQLITE_NOMEM
                        : sqlite3_open_v2(path, &trace.db,
                                          (access == TRACE_WRITE ? SQLITE_OPEN_READWRITE
                                                                 : SQLITE_OPEN_READONLY) |
                                              SQLITE_OPEN_NOMUTEX,
                                          NULL);
    if (code != SQLITE_OK) {
        status = trace.db || code != SQLITE_NOMEM ? trace_failed(&trace, code) : no_memory(&trace);
        goto undo;
    }
    sqlite3_extended_result_codes(trace.db, 1);
    sqlite3_busy_timeout(trace.db, BUSY_MS_MAX);
    sqlite3_db_config(trace.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(trace.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(trace.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(trace.db, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0", NULL, NULL, NULL);
    status = schema_look(&trace);
    if (status == CORE_OK)
        status = trace_unfold_open(&trace);
    if (status == CORE_OK)
        status = ranks_load(&trace);
    if (status == CORE_OK)
        status = summed_load(&trace);
    if (status == CORE_OK)
        status = calls_load(&trace);
    if (status == CORE_OK)
        status = sites_load(&trace);
    if (status == CORE_OK)
        status = comms_load(&trace);
    if (status == CORE_OK)
        status = datatypes_load(&trace);
    if (status == CORE_OK)
        status = ops_load(&trace);
    if (status == CORE_OK)
        status = trace_made_open(&trace);
    if (status == CORE_OK)
        status = imported_load(&trace);
    if (status != CORE_OK)
        goto undo;
    CORE_CHECK(trace.rank_count > 0);
    CORE_CHECK(trace.rank_count <= SPOOL_RANKS_MAX);
    *out_trace = trace;
    return CORE_OK;
undo:
    trace_close(&trace);
    return status;
}

enum core_status trace_hold(struct trace *trace)
{
    int code = SQLITE_OK;

    if (!trace->holds)
        code = core_fault() ? SQLITE_NOMEM : sqlite3_exec(trace->db, "BEGIN", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return trace_failed(trace, code);
    trace->holds++;
    return CORE_OK;
}

void trace_release(struct trace *trace)
{
    CORE_CHECK(trace->holds > 0);
    if (!--trace->holds)
        sqlite3_exec(trace->db, "END", NULL, NULL, NULL);
}

void trace_close(struct trace *trace)
{
    CORE_CHECK(!trace->holds); /* callers close cursors first */
    trace_shapes_free(trace->shapes);
    trace_made_free(trace->made);
    sqlite3_close(trace->db);
    trace_unfold_free(trace->unfold);
    for (struct arena *block = trace->arena, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(trace->path);
    memset(trace, 0, sizeof *trace);
}

/* --- questions -------------------------------------------------------------------------------- */

int32_t trace_comm_world(const struct trace *trace, int32_t comm, int32_t me, int32_t peer)
{
    const struct trace_comm *c;
    bool local = false;

    if (peer == EVENT_ANY || peer == EVENT_PROC_NULL || peer == EVENT_ROOT)
        return peer;
    if (comm < 0 || (uint32_t)comm >= trace->comm_count || peer < 0)
        return EVENT_NONE;
    c = &trace->comm[comm];
    if (!c->inter)
        return peer < c->size ? c->member[peer] : EVENT_NONE;
    for (int32_t i = 0; i < c->size && !local; i++)
        local = c->member[i] == me;
    if (local)
        return peer < c->remote_size ? c->remote[peer] : EVENT_NONE;
    return peer < c->size ? c->member[peer] : EVENT_NONE;
}

const char *trace_meta(struct trace *trace, const char *key)
{
    struct loading load = load_begin(trace, "SELECT value FROM meta WHERE key = ?1");
    const char *value = NULL;

    if (!load.status && sqlite3_bind_text(load.stmt, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
        load_next(&load))
        value = text_keep(&load, 0);
    load_end(&load);
    return value;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *trace_site_text(const struct trace *trace, int32_t site, char *buffer,
                            size_t buffer_bytes)
{
    const struct trace_site *s =
        site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;

    if (s && s->file && s->line)
        snprintf(buffer, buffer_bytes, "%s:%d", s->file, s->line);
    else if (s && s->file)
        snprintf(buffer, buffer_bytes, "%s", s->file);
    else if (s && s->symbol && s->module)
        snprintf(buffer, buffer_bytes, "%s+0x%" PRIx64 " (%s)", s->symbol, s->offset,
                 last_part(s->module));
    else if (s && s->module)
        snprintf(buffer, buffer_bytes, "%s+0x%" PRIx64, last_part(s->module), s->address);
    else
        snprintf(buffer, buffer_bytes, "an unknown place");
    return buffer;
}
