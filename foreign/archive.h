/* Reads the definitions of an OTF2 archive: its processes, regions and communicators. OTF2's
 * references may be any numbers; here everything has an index from 0.
 *
 * A process is a rank, numbered as in MPI_COMM_WORLD. Its locations are the threads that have
 * events. Members of communicators are ranks. */
#ifndef FOREIGN_ARCHIVE_H
#define FOREIGN_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "core/status.h"
#include "core/table.h"

enum { ARCHIVE_NONE = UINT32_MAX }; /* no index */

struct archive_region {
    uint64_t ref;
    const char *name, *file; /* NULL if unknown */
    uint32_t line;           /* first line of the function; 0 if unknown */
    uint32_t call;           /* of an MPI function: its index in foreign/meaning.h; else
                                ARCHIVE_NONE */
};
struct archive_comm {
    uint64_t ref;
    const char *name; /* NULL if unknown */
    uint64_t group, remote_group, parent;
    bool inter;
    uint32_t *member, *remote; /* world ranks */
    uint32_t count, remote_count;
    bool known; /* the members are known */
};
struct archive_location {
    uint64_t ref, process;
    uint32_t rank; /* ARCHIVE_NONE if it belongs to no rank */
    uint64_t events;
};
struct archive {
    OTF2_Reader *reader;
    struct core_table string, region, group, comm, location, process, node;
    uint32_t rank_count;
    uint64_t *world; /* references of the locations that represent the ranks */
    uint32_t world_count, world_room;
    uint32_t world_comm, self_comm;       /* indices; ARCHIVE_NONE if the archive defines none */
    uint64_t tick_hz, start, realtime_ns; /* realtime_ns: 0 if unknown */
    char *creator;                        /* "Score-P 8.0"; NULL if unknown */
    uint64_t events;
    enum core_status status; /* first failure in a callback */
};

/* Opens the archive at `path`, the anchor file (traces.otf2) or a folder with one. Reports
 * errors. */
enum core_status archive_open(struct archive *archive, const char *path);
void archive_close(struct archive *archive); /* accepts a zeroed one */

/* Return the definition with this reference; NULL: there is none. */
const struct archive_region *archive_region(const struct archive *archive, uint64_t ref);
const struct archive_comm *archive_comm(const struct archive *archive, uint64_t ref);
/* Returns the machine of a rank; "" if unknown. */
const char *archive_machine(const struct archive *archive, uint32_t rank);

#endif
