/* Writes what an OTF2 archive holds of a rank as spools in the recorder's format
 * (core/spool/spool.h): definitions of what calls refer to, and records. */
#ifndef FOREIGN_SPOOLS_H
#define FOREIGN_SPOOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spool/spool_write.h"
#include "core/status.h"
#include "foreign/archive.h"
#include "foreign/meaning.h"

enum { SPOOLS_BYTES_TYPE = 1, SPOOLS_WORLD = 1, SPOOLS_SELF = 2 };

struct spools_comm {
    uint64_t ref;
    uint32_t id; /* 0: its members are unknown, or the rank is not among them */
};
struct spools_number {
    uint64_t key;
    uint32_t id;
};
struct spools {
    const struct archive *archive;
    const char *folder;
    uint32_t rank;
    struct spool_writer *writer; /* by lane; those without a header are not open */
    uint32_t lane_count, lane_room, lanes_open;
    bool *call_defined; /* by meaning */
    struct core_table comm, site, module, type;
    uint32_t comm_next;
};

enum core_status spools_open(struct spools *spools, const struct archive *archive,
                             const char *folder, uint32_t rank);
/* Returns the writer of a lane, opened if needed. Reports why there is none. */
enum core_status spools_lane(struct spools *spools, uint32_t lane,
                             struct spool_writer **out_writer);

/* Defines a call unless it is defined, and returns its id. class: OTHER for a call that is shown
 * but not checked. */
enum core_status spools_call(struct spools *spools, struct spool_writer *writer, uint32_t meaning,
                             enum event_class class, uint16_t *out_id);
/* Defines a communicator and returns its id; 0: calls on it cannot be converted. */
enum core_status spools_comm(struct spools *spools, struct spool_writer *writer, uint64_t ref,
                             uint32_t *out_id);
/* Defines the place of a call, the function around it and its first line. 0 if unknown. */
enum core_status spools_site(struct spools *spools, struct spool_writer *writer, uint64_t caller,
                             uint32_t *out_id);
/* Returns a datatype and a count for so many bytes. */
enum core_status spools_size(struct spools *spools, struct spool_writer *writer, uint64_t bytes,
                             uint32_t *out_type, int32_t *out_count);

/* Reports why recording stopped. */
enum core_status spools_stopped(const struct spool_writer *writer);
/* Writes how the rank ended and how many calls its record lacks, and closes the lanes. */
enum core_status spools_finish(struct spools *spools, enum spool_state state, uint64_t lost,
                               uint64_t last_seq);
/* Marks the records of all ranks in the folder as incomplete, so that their calls are not
 * compared. */
enum core_status spools_lose(const char *folder);
void spools_close(struct spools *spools); /* accepts a zeroed one */

#endif
