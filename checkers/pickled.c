/* See pickled.h. Holds no state. */
#include "checkers/pickled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "program/source_mention.h"

enum { IRECV_BYTES = 32768 }; /* mpi4py's irecv receives into so many, if it gets no buffer */

static const char *const names[] = {
    ".send(",   ".isend(",    ".ssend(",     ".issend(",    ".bsend(",
    ".ibsend(", ".sendrecv(", ".recv(",      ".irecv(",     ".mrecv(", /* the collectives: */
    ".bcast(",  ".gather(",   ".scatter(",   ".allgather(", ".reduce(",
    ".scan(",   ".exscan(",   ".allreduce(", ".alltoall("};
enum { NAMES = sizeof names / sizeof *names, COLLECTIVES = 9 };
_Static_assert(NAMES <= 32, "a bit for each");

/* Returns the line of a Python program, for free(); NULL: it is none, or unreadable. */
static char *python_line(const struct trace *trace, int32_t site)
{
    const struct trace_site *of =
        site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;
    const char *dot = of && of->path ? strrchr(of->path, '.') : NULL;

    return dot && !strcmp(dot, ".py") ? source_mention_line(of->path, of->line) : NULL;
}

/* Returns the functions that the line calls, a bit for each; buffers: their namesakes with a
 * capital, which pass buffers. */
static uint32_t functions_called(const struct trace *trace, int32_t site, bool buffers)
{
    char *line = python_line(trace, site), name[16];
    uint32_t found = 0;

    for (size_t i = 0; line && i < NAMES; i++) {
        CORE_CHECK(strlen(names[i]) < sizeof name);
        snprintf(name, sizeof name, "%s", names[i]);
        if (buffers)
            name[1] = (char)(name[1] - 'a' + 'A');
        found |= (uint32_t)(strstr(line, name) != NULL) << i;
    }
    free(line);
    return found;
}

static bool pickled_is(const struct trace *trace, int32_t site)
{
    return functions_called(trace, site, false) != 0;
}

bool pickled_is_collective(const struct trace *trace, int32_t site)
{
    return functions_called(trace, site, false) >> (NAMES - COLLECTIVES) != 0;
}

bool pickled_say(const struct trace *trace, struct finding *finding,
                 const struct pickled_side side[2])
{
    CORE_CHECK(finding->rule != NULL);
    const bool pickles[2] = {pickled_is(trace, side[0].site), pickled_is(trace, side[1].site)};
    const struct pickled_side *object = &side[!pickles[0]], *buffer = &side[pickles[0]];

    if (pickles[0] == pickles[1] || !object->type || strcmp(object->type, "MPI_BYTE") != 0)
        return false;
    finding_fact(finding,
                 "rank %" PRIu32 " pickles the object (mpi4py's functions with names in "
                 "lower case do), and rank %" PRIu32 " passes a buffer: the bytes of a "
                 "pickle are not those of the data",
                 object->rank, buffer->rank);
    finding->remedy = REMEDY_PICKLE;
    return true;
}

static const char *type_of(const struct trace *trace, int32_t type)
{
    return type >= 0 && (uint32_t)type < trace->datatype_count ? trace->datatype[type].name : NULL;
}

void pickled_say_short(const struct trace *trace, struct finding *finding,
                       const struct trace_event *send, const struct trace_event *receive)
{
    const struct pickled_side side[2] = {
        {send->rank, send->site, type_of(trace, send->datatype)},
        {receive->rank, receive->site,
         type_of(trace, receive->has_recv_half ? receive->recv_datatype : receive->datatype)}};
    char *line, bytes[64];

    if (pickled_say(trace, finding, side) || receive->bytes != IRECV_BYTES)
        return;
    line = python_line(trace, receive->site);
    if (line && strstr(line, ".irecv(")) {
        finding_fact(finding,
                     "irecv without a buffer receives the pickled object into %s, however long "
                     "it is",
                     describe_bytes(IRECV_BYTES, bytes, sizeof bytes));
        finding->remedy = REMEDY_IRECV;
    }
    free(line);
}

/* Returns the one function by which the ranks pickle or, with a capital, pass buffers; 0: none. */
static uint32_t shared_name(const struct trace *trace, const struct pickled_call *call,
                            uint32_t count)
{
    uint32_t shared = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++)
        shared &= functions_called(trace, call[i].site, false) |
                  functions_called(trace, call[i].site, true);
    return count ? shared : 0;
}

bool pickled_say_collective(const struct trace *trace, struct finding *finding,
                            const struct pickled_call *call, uint32_t count)
{
    uint32_t *rank[2] = {NULL, NULL}, ranks[2] = {0, 0};
    const uint32_t name = shared_name(trace, call, count);
    bool said = false;

    if (name && CORE_ARRAY_NEW(rank[0], count, "ranks that pickle") == CORE_OK &&
        CORE_ARRAY_NEW(rank[1], count, "ranks that pickle") == CORE_OK) {
        for (uint32_t i = 0; i < count; i++) {
            const bool pickles = functions_called(trace, call[i].site, false) & name;
            CORE_CHECK(call[i].rank < trace->rank_count);
            rank[pickles][ranks[pickles]++] = call[i].rank;
        }
        CORE_CHECK(ranks[0] + ranks[1] == count);
        char *buffer = ranks[0] && ranks[1] ? wording_ranks_text(rank[0], ranks[0], " and ") : NULL,
             *object = buffer ? wording_ranks_text(rank[1], ranks[1], " and ") : NULL;
        said = object != NULL;
        if (said)
            finding_fact(finding,
                         "%s %s (mpi4py's functions with names in lower case do), and %s %s: "
                         "an object is sent in other calls than a buffer",
                         object, ranks[1] == 1 ? "pickles the object" : "pickle the objects",
                         buffer, ranks[0] == 1 ? "passes a buffer" : "pass buffers");
        free(object);
        free(buffer);
    }
    if (said)
        finding->remedy = REMEDY_PICKLE;
    free(rank[0]);
    free(rank[1]);
    return said;
}
