/* Finds the makers and the names of a trace's communicators and datatypes. Only a finding about an
 * object without a name needs this; the first such request reads all events once.
 *
 * Invariants
 *  1. Once `looked` is set, comm and datatype have an entry for each id of the trace, or none at
 *     all if memory ran out.
 *  2. An entry's call and site are those of the first event that made the object, or -1. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/trace/trace_part.h"

struct entry {
    char *name;
    int32_t call, site;
};
struct trace_made {
    bool looked;
    struct entry *comm, *datatype;
    uint32_t comm_count, datatype_count;
};

enum core_status trace_made_open(struct trace *trace)
{
    return CORE_ARRAY_NEW(trace->made, 1, "the trace");
}

static void entries_free(struct entry *entry, uint32_t count)
{
    CORE_CHECK(entry || !count);
    for (uint32_t i = 0; entry && i < count; i++)
        free(entry[i].name);
    free(entry);
}

void trace_made_free(struct trace_made *made)
{
    if (!made)
        return;
    entries_free(made->comm, made->comm_count);
    entries_free(made->datatype, made->datatype_count);
    free(made);
}

/* Returns the entry of the id in a column; NULL: no valid id. */
static struct entry *entry_of(sqlite3_stmt *row, int column, struct entry *entry, uint32_t count)
{
    int64_t id = sqlite3_column_int64(row, column);

    CORE_CHECK(entry || !count);
    return sqlite3_column_type(row, column) == SQLITE_INTEGER && id >= 0 && id < count ? &entry[id]
                                                                                       : NULL;
}

/* Finds the first event that made each object, in the order of ranks. */
static enum core_status makers_look(const struct trace *trace, enum trait trait,
                                    struct entry *entry, uint32_t count)
{
    static const char sql[] =
        "SELECT e.request, s.call, s.site FROM event_row e JOIN shape s ON s.id = e.shape WHERE "
        "s.call = ?1 ORDER BY e.id";
    enum core_status status = CORE_OK;

    CORE_CHECK(entry || !count);
    for (uint32_t call = 0; call < trace->call_count && status == CORE_OK; call++) {
        sqlite3_stmt *row;
        uint64_t traits = trace->call[call].traits;
        if (!trait_in(traits, trait) || trait_in(traits, TRAIT_MAKES_REQUEST))
            continue;
        status = trace_prepare(trace, sql, &row);
        if (status != CORE_OK)
            break;
        sqlite3_bind_int64(row, 1, call);
        while (sqlite3_step(row) == SQLITE_ROW) {
            struct entry *made = entry_of(row, 0, entry, count);
            int64_t site = sqlite3_column_int64(row, 2);
            if (!made || made->call >= 0 || site < 0 || site >= trace->site_count)
                continue;
            made->call = (int32_t)call;
            made->site = (int32_t)site;
        }
        sqlite3_finalize(row);
    }
    return status;
}

/* Reads the names that the program set. The last name counts, as in MPI. */
static enum core_status names_look(const struct trace *trace, struct trace_made *made)
{
    sqlite3_stmt *row;
    enum core_status status =
        trace_prepare(trace,
                      "SELECT s.comm, s.datatype, a.value FROM shape s JOIN call c ON c.id = "
                      "s.call JOIN arg_set a ON a.id = s.args WHERE c.verb = 'set_name' ORDER BY "
                      "s.id",
                      &row);

    if (status != CORE_OK)
        return status;
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct entry *of = entry_of(row, 0, made->comm, made->comm_count);
        const char *name = (const char *)sqlite3_column_text(row, 2);
        if (!of)
            of = entry_of(row, 1, made->datatype, made->datatype_count);
        if (!of || !name || !*name)
            continue;
        free(of->name);
        of->name = strdup(name);
    }
    sqlite3_finalize(row);
    return CORE_OK;
}

static enum core_status entries_new(struct entry **out_entry, uint32_t count, uint32_t *out_count)
{
    CORE_CHECK(!*out_entry && !*out_count);
    enum core_status status = CORE_ARRAY_NEW(*out_entry, count, "the trace");

    if (status != CORE_OK)
        return status;
    *out_count = count;
    for (uint32_t i = 0; i < count; i++)
        (*out_entry)[i].call = (*out_entry)[i].site = -1;
    return CORE_OK;
}

/* Fills in what it can find. On an error the rest stays unknown: a missing name must not fail a
 * check. */
static void trace_provenance_look(const struct trace *trace, struct trace_made *made)
{
    CORE_CHECK(!made->looked);
    made->looked = true;
    if (entries_new(&made->comm, trace->comm_count, &made->comm_count) != CORE_OK ||
        entries_new(&made->datatype, trace->datatype_count, &made->datatype_count) != CORE_OK)
        return;
    if (names_look(trace, made) == CORE_OK &&
        makers_look(trace, TRAIT_MAKES_COMM, made->comm, made->comm_count) == CORE_OK)
        makers_look(trace, TRAIT_MAKES_TYPE, made->datatype, made->datatype_count);
}

static bool trace_provenance_take(const struct entry *entry, uint32_t count, uint32_t ids,
                                  int32_t id, struct trace_maker *out_maker)
{
    CORE_CHECK(!count || count == ids); /* invariant 1 */
    if (id < 0 || (uint32_t)id >= count)
        return false;
    CORE_CHECK((entry[id].call < 0) == (entry[id].site < 0)); /* invariant 2 */
    *out_maker = (struct trace_maker){entry[id].name, entry[id].call, entry[id].site};
    return entry[id].name || entry[id].call >= 0;
}

bool trace_comm_maker(const struct trace *trace, int32_t comm, struct trace_maker *out_maker)
{
    if (!trace->made)
        return false;
    if (!trace->made->looked)
        trace_provenance_look(trace, trace->made);
    return trace_provenance_take(trace->made->comm, trace->made->comm_count, trace->comm_count,
                                 comm, out_maker);
}

bool trace_datatype_maker(const struct trace *trace, int32_t datatype,
                          struct trace_maker *out_maker)
{
    if (!trace->made)
        return false;
    if (!trace->made->looked)
        trace_provenance_look(trace, trace->made);
    return trace_provenance_take(trace->made->datatype, trace->made->datatype_count,
                                 trace->datatype_count, datatype, out_maker);
}
