/* A block presents a finding to a reader: its places, each with its ranks, its source line and a
 * text about the call there. Ranks that make the same call at the same place on the same call path
 * share a place. Places with fewer ranks come first, since the odd call is usually there. Decisions
 * that led to the finding come last, one place each. Text, JUnit and HTML show blocks.
 *
 * Invariants
 *  1. No rank is left out: each call of the finding is in one place, and in one of its parts. */
#ifndef REPORTS_BLOCK_H
#define REPORTS_BLOCK_H

#include <stdint.h>

#include "checkers/finding.h"
#include "core/status.h"
#include "reports/source.h"

struct block_part { /* ranks of a place whose calls have the same text */
    char *ranks;    /* "ranks 0-3,5" */
    char *says;     /* "dest=1, waits for rank 1"; may be empty */
    uint32_t count; /* number of ranks */
    uint32_t order; /* index of its first rank among those of the place */
};
struct block_place {
    char *ranks;          /* "ranks 0-19,21-23", "the operation it waits for" */
    const char *name;     /* "MPI_Send"; NULL if it is no recorded call */
    char *where;          /* "src/hang20.c:23" */
    char *stack;          /* "solve < main", innermost first; NULL if unknown */
    const char *path;     /* of the source, as passed to the compiler; owned by the trace or the
                             finding; NULL if unknown */
    const char *function; /* owned by the trace; NULL if unknown */
    int line;             /* in the source */
    struct source_line source;
    char *says;    /* what holds for all its ranks: "tag=7, 8 bytes, waits for rank 1" */
    bool core;     /* false: its ranks merely wait for others */
    uint32_t rank; /* first rank of the place, and its event; seq 0: none */
    uint64_t seq;
    struct block_part *part; /* what differs between the ranks, fewest ranks first; empty if nothing
                                differs */
    uint32_t part_count, part_room;
};
struct block {
    struct block_place *place;
    uint32_t count, room;
};

/* Makes the block of a finding. trace is NULL if none of the finding's calls is in a trace. */
enum core_status block_make(struct trace *trace, struct source *source,
                            const struct finding *finding, struct block *out_block);
void block_done(struct block *block); /* leaves it zeroed */

/* Returns all that is known of the place in one line, with at most parts_max parts: "ranks 0-3:
 * MPI_Send, tag=7; rank 1: dest=2". Free with free(); NULL: out of memory. */
char *block_place_text(const struct block_place *place, uint32_t parts_max);

#endif
