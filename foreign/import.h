/* Converts an OTF2 archive to the spools of a job, from which store/store.h makes a trace.
 *
 * An archive holds less than a record: no buffers, no datatypes (all is bytes), no sizes or
 * operations of collectives, no requests that a call did not complete; receives have the envelope
 * of the message that they got, not the one that they asked for. Calls that cannot be converted are
 * left out and counted. */
#ifndef FOREIGN_IMPORT_H
#define FOREIGN_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct import_summary {
    char creator[128]; /* "Score-P 8.0"; "" if unknown */
    uint32_t ranks;
    uint64_t calls, polls;    /* calls written to the spools; polls left out, which change
                                 nothing */
    uint64_t left_out;        /* calls that lack required data */
    char left_out_names[512]; /* "MPI_Waitall 1,000, MPI_Ibarrier 20" */
    uint64_t unposted;        /* receives written just before the call that completed them */
    uint64_t unjudged;        /* one-sided, file and other calls, shown but not checked */
    bool ends_known;          /* every rank called MPI_Finalize */
    bool comms_differ;        /* ranks use different numbers for the same communicators */
    bool comms_hidden;        /* communicators were made, and the archive has MPI_COMM_WORLD only */
};

/* Converts the archive. path: the anchor (traces.otf2) or its folder. folder: an empty one, for the
 * spools. */
enum core_status import_otf2(const char *path, const char *folder,
                             struct import_summary *out_summary);

#endif
