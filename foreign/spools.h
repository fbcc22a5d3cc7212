/* Writes what an OTF2 archive says of a rank as spools, as if the recorder had been there
 * (core/spool/spool.h): definitions of what calls name, and records. */
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
    uint32_t id; /* 0: its members are not known, or the rank is none of them */
};
struct spools_number {
    uint64_t key;
    uint32_t id;
};
struct spools {
    const struct archive *archive;
    const char *folder;
    uint32_t rank;
    struct spool_writer *writer; /* a lane each; those without a header are not open */
    uint32_t lane_count, lane_room, lanes_open;
    bool *call_defined; /* by meaning */
    struct core_table comm, site, module, type;
    uint32_t comm_next;
};

enum core_status spools_open(struct spools *spools, const struct archive *archive,
                             const char *folder, uint32_t rank);
/* The writer of a lane. Reports why there is none. */
enum core_status spools_lane(struct spools *spools, uint32_t lane,
                             struct spool_writer **out_writer);

/* Defines what was not defined before, and gives its id. class: OTHER for a call that is shown and
 * not judged. */
enum core_status spools_call(struct spools *spools, struct spool_writer *writer, uint32_t meaning,
                             enum event_class class, uint16_t *out_id);
/* 0: calls on it cannot be told. */
enum core_status spools_comm(struct spools *spools, struct spool_writer *writer, uint64_t ref,
                             uint32_t *out_id);
/* The place of a call: the function around it, and where that begins. 0: not known. */
enum core_status spools_site(struct spools *spools, struct spool_writer *writer, uint64_t caller,
                             uint32_t *out_id);
/* A datatype and a count for so many bytes. */
enum core_status spools_size(struct spools *spools, struct spool_writer *writer, uint64_t bytes,
                             uint32_t *out_type, int32_t *out_count);

/* Reports why recording stopped. */
enum core_status spools_stopped(const struct spool_writer *writer);
/* How the rank ended, and what is not in its record; then the lanes are closed. */
enum core_status spools_finish(struct spools *spools, enum spool_state state, uint64_t lost,
                               uint64_t last_seq);
/* All ranks of a folder: what they did cannot be compared with what others did. */
enum core_status spools_lose(const char *folder);
void spools_close(struct spools *spools); /* takes a zeroed one */

#endif
