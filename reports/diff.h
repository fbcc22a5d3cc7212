/* Two recorded runs compared: A, the one before, and B. What differs is told row by row; what is
 * equal is left out. Places are compared by their call, file and function, and by their order in
 * it, so that lines may move. */
#ifndef REPORTS_DIFF_H
#define REPORTS_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"
#include "reports/report.h"

enum diff_total {
    DIFF_CALLS,
    DIFF_MESSAGES,
    DIFF_BYTES,
    DIFF_ROUNDS, /* of all collectives, and of the messages on communicators */
    DIFF_WORDS,
    DIFF_WAITING, /* nanoseconds, of all ranks */
    DIFF_TOTAL_COUNT
};
enum diff_section { DIFF_PLACE, DIFF_COLLECTIVE, DIFF_WAIT, DIFF_SECTION_COUNT };
enum { DIFF_VALUES = 3 };

struct diff_row {
    enum diff_section section;
    char *key, *what;               /* what: "MPI_Send at ring.c:12", as in B where it is there */
    bool in[2];                     /* A, B */
    uint64_t value[2][DIFF_VALUES]; /* place: calls, bytes; collective: calls, rounds, words (a
                                       call); wait: nanoseconds */
    bool per_call;            /* collective: it is a call, not all messages of a communicator */
    const char *algorithm[2]; /* collective: row of the model; NULL: none of it */
};
struct diff_finding {
    const struct report_entry *entry; /* of B if new, of A if gone */
    bool gone;
};
struct diff_part { /* a rank makes other calls from here on, or receives in another order */
    uint32_t rank;
    uint64_t number; /* of the call, or receive, from 1 */
    char *what[2];   /* NULL: there is none */
    uint64_t seq[2]; /* of the events; 0: there is none */
    int32_t from[2]; /* order: the ranks that the messages come from */
};

struct diff {
    const struct report_facts *side[2];
    uint64_t total[2][DIFF_TOTAL_COUNT];
    struct diff_row *row; /* by section and key: those that are not equal */
    struct diff_finding *finding;
    struct diff_part *sequence, *order; /* by rank */
    uint32_t row_count, row_room, finding_count, finding_room, sequence_count, sequence_room,
        order_count, order_room;
    uint32_t comms_left_out; /* communicators, of the side that has more, whose messages are not
                                measured, as there are so many */
};

/* Both with all needs and with findings. */
enum core_status diff_gather(const struct report_facts *before, const struct report_facts *after,
                             struct diff *out_diff);
void diff_done(struct diff *diff);
const char *diff_total_text(enum diff_total total);
/* "ranks 0-3": those for which part[at] says the same, in *out_ranks, to be freed with free().
 * NULL: it was told with an earlier part. CORE_NO_MEMORY (reported). */
enum core_status diff_part_ranks(const struct diff_part *part, uint32_t count, uint32_t at,
                                 char **out_ranks);

/* "rounds>0%,bytes>5%,new-findings": rounds and words of any collective (or communicator), the
 * totals of the others, `algorithm` chosen otherwise, new findings. Writes a line for each limit
 * that is passed; *out_failed says whether one was. A text that makes no sense is reported. file
 * NULL: only reads the text. */
enum core_status diff_limits(const struct diff *diff, const char *limits, FILE *file,
                             bool *out_failed);

/* A failed write stays in the file's error flag: the caller knows the file's name. */
enum core_status diff_text(const struct diff *diff, FILE *file);
enum core_status diff_json(const struct diff *diff, const char *failed, FILE *file);
/* One page that needs nothing but a browser (html/diff.c). failed as above; NULL: no limit is
 * passed. */
enum core_status diff_html(const struct diff *diff, const char *failed, FILE *file);

/* --- how it is told, for all formats ---------------------------------------------------------- */

/* "+50 %", "new", "" if equal; "1,024", or "3.2 ms" of times: written into buffer; what is returned
 * need not be it. */
const char *diff_change(uint64_t before, uint64_t after, char *buffer, size_t buffer_bytes);
const char *diff_value(uint64_t value, bool time, char *buffer, size_t buffer_bytes);
/* How many calls a side's numbers are of. */
uint64_t diff_calls(const struct diff_row *row, int side);
/* Times are never equal: they are told where it matters. */
bool diff_worth(const struct diff *diff, const struct diff_row *row);

/* --- inside ----------------------------------------------------------------------------------- */

/* The first call at which a rank's sequence is another one, and the first receive that took another
 * message. */
enum core_status diff_sequences(struct diff *diff);

#endif
