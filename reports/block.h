/* A block is a finding as a person sees it: the places that it is about, each with its ranks, its
 * source line and a text about the call there. Ranks that make the same call at the same place on
 * the same call path share a place. The place with the fewest ranks comes first, since that is
 * mostly the odd call. Decisions that led there come last, one place each. Text, JUnit and HTML
 * show blocks.
 *
 * Invariants
 *  1. No rank is left out: each call of the finding is in one place, and in one of its parts. */
#ifndef REPORTS_BLOCK_H
#define REPORTS_BLOCK_H

#include <stdint.h>

#include "checkers/finding.h"
#include "core/status.h"
#include "reports/source.h"

struct block_part { /* ranks of a place whose calls are alike in all that is said */
    char *ranks;    /* "ranks 0-3,5" */
    char *says;     /* "dest=1, waits for rank 1"; may be empty */
    uint32_t count; /* of the ranks */
    uint32_t order; /* index of the first of them among those of the place */
};
struct block_place {
    char *ranks;      /* "ranks 0-19,21-23", "the operation it waits for" */
    const char *name; /* "MPI_Send"; NULL: in no recorded call */
    char *where;      /* "src/hang20.c:23" */
    char *stack;      /* "solve < main", innermost first; NULL unknown */
    const char *path; /* of the source, as the compiler was told it; of the trace or the finding;
                         NULL: not known */
    const char *function; /* of the trace; NULL: not known */
    int line;             /* of the source */
    struct source_line source;
    char *says;    /* what is the same for all of them, "tag=7, 8 bytes, waits for rank 1" */
    bool core;     /* false: they merely wait for others */
    uint32_t rank; /* the first of them, and its event: 0 none */
    uint64_t seq;
    struct block_part *part; /* what is not the same, ranks and words, the odd ones first; none:
                                nothing differs */
    uint32_t part_count, part_room;
};
struct block {
    struct block_place *place;
    uint32_t count, room;
};

/* trace: NULL where no call of the finding is of one. */
enum core_status block_make(struct trace *trace, struct source *source,
                            const struct finding *finding, struct block *out_block);
void block_done(struct block *block); /* leaves it zeroed */

/* "ranks 0-3: MPI_Send, tag=7; rank 1: dest=2": all that is said of the place, in one line, with no
 * more parts than that. Free with free(); NULL: out of memory. */
char *block_place_text(const struct block_place *place, uint32_t parts_max);

#endif
