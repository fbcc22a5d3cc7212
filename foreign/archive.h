/* The definitions of an OTF2 archive: which processes it has, what its regions and communicators
 * are. References of OTF2 may be any numbers; here everything has an index from 0.
 *
 * A process is a rank: its number in MPI_COMM_WORLD. Its locations are the threads that have
 * events. Members of communicators are such numbers. */
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
    const char *name, *file; /* NULL: not known */
    uint32_t line;           /* where the function begins; 0: not known */
    uint32_t call;           /* of MPI: an index of foreign/meaning.h; else ARCHIVE_NONE */
};
struct archive_comm {
    uint64_t ref;
    const char *name; /* NULL: not known */
    uint64_t group, remote_group, parent;
    bool inter;
    uint32_t *member, *remote; /* ranks of the world */
    uint32_t count, remote_count;
    bool known; /* its members are */
};
struct archive_location {
    uint64_t ref, process;
    uint32_t rank; /* ARCHIVE_NONE: of no rank */
    uint64_t events;
};
struct archive {
    OTF2_Reader *reader;
    struct core_table string, region, group, comm, location, process, node;
    uint32_t rank_count;
    uint64_t *world; /* references of the locations that stand for the ranks */
    uint32_t world_count, world_room;
    uint32_t world_comm, self_comm;       /* indices; ARCHIVE_NONE: the archive defines none */
    uint64_t tick_hz, start, realtime_ns; /* realtime_ns: 0 not known */
    char *creator;                        /* "Score-P 8.0"; NULL: not known */
    uint64_t events;
    enum core_status status; /* of the callbacks */
};

/* `path` names the anchor file (traces.otf2), or a folder with one. Reports what is wrong. */
enum core_status archive_open(struct archive *archive, const char *path);
void archive_close(struct archive *archive); /* takes a zeroed one */

/* NULL: there is none of that reference. */
const struct archive_region *archive_region(const struct archive *archive, uint64_t ref);
const struct archive_comm *archive_comm(const struct archive *archive, uint64_t ref);
/* The machine of a rank, "" where it is not known. */
const char *archive_machine(const struct archive *archive, uint32_t rank);

#endif
