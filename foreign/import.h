/* An OTF2 archive becomes the spools of a job, which store/store.h makes a trace of.
 *
 * An archive says less than a recorder: no buffers, no datatypes (all is bytes), no sizes or
 * operations of collectives, no list of requests that a call did not complete; receives have the
 * envelope of the message that they got, whatever was asked for. What cannot be told at all is left
 * out and counted. */
#ifndef FOREIGN_IMPORT_H
#define FOREIGN_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct import_summary {
    char creator[128]; /* "Score-P 8.0"; "" not known */
    uint32_t ranks;
    uint64_t calls, polls;    /* put into the spools; polls left out, which change nothing */
    uint64_t left_out;        /* calls that lack what would be needed */
    char left_out_names[512]; /* "MPI_Waitall 1,000, MPI_Ibarrier 20" */
    uint64_t unjudged;        /* one-sided, file and other calls that are shown, and not judged */
    bool ends_known;          /* every rank called MPI_Finalize */
    bool comms_differ;        /* each rank has numbers of its own for the same communicators */
};

/* path: the anchor (traces.otf2) or its folder. folder: an empty one, for the spools. */
enum core_status import_otf2(const char *path, const char *folder,
                             struct import_summary *out_summary);

#endif
