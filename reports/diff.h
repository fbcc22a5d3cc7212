/* Compares two recorded runs: A, the earlier one, and B. Shows row by row what differs and leaves
 * out what is equal. Places are identified by call, file, function and their order in the function,
 * so that lines may move. */
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
    DIFF_ROUNDS, /* of all collectives, and of the messages on each communicator */
    DIFF_WORDS,
    DIFF_WAITING, /* nanoseconds, summed over all ranks */
    DIFF_TOTAL_COUNT
};
enum diff_section { DIFF_PLACE, DIFF_COLLECTIVE, DIFF_WAIT, DIFF_SECTION_COUNT };
enum { DIFF_VALUES = 3 };

struct diff_row {
    enum diff_section section;
    char *key, *what;               /* what: "MPI_Send at ring.c:12", from B if B has the row */
    bool in[2];                     /* A, B */
    uint64_t value[2][DIFF_VALUES]; /* place: calls, bytes; collective: calls, rounds, words (a
                                       call); wait: nanoseconds */
    bool per_call;                  /* collective: true for a call, false for all messages of a
                                       communicator */
    const char *algorithm[2];       /* collective: row of the model; NULL if it is none */
};
struct diff_finding {
    const struct report_entry *entry; /* of B if new, of A if gone */
    bool gone;
};
struct diff_part { /* first point at which a rank makes another call, or receives another message */
    uint32_t rank;
    uint64_t number; /* of the call or receive, from 1 */
    char *what[2];   /* NULL if that run has no call here */
    uint64_t seq[2]; /* of the events; 0 if that run has none */
    int32_t from[2]; /* order only: ranks that sent the messages */
};

struct diff {
    const struct report_facts *side[2];
    uint64_t total[2][DIFF_TOTAL_COUNT];
    struct diff_row *row; /* rows that differ, by section and key */
    struct diff_finding *finding;
    struct diff_part *sequence, *order; /* by rank */
    uint32_t row_count, row_room, finding_count, finding_room, sequence_count, sequence_room,
        order_count, order_room;
    uint32_t comms_left_out; /* communicators (of the run with more of them) whose messages are not
                                measured, because there are too many */
    bool is_long;            /* no communicator's messages are measured: a run has too many calls */
};

/* Compares two runs; both facts must be gathered with all needs and with findings. */
enum core_status diff_gather(const struct report_facts *before, const struct report_facts *after,
                             struct diff *out_diff);
void diff_done(struct diff *diff);
const char *diff_total_text(enum diff_total total);
/* Sets *out_ranks to the ranks whose part equals part[at], "ranks 0-3" (free with free()), or to
 * NULL if an earlier part is equal and so names them. Returns CORE_NO_MEMORY (reported). */
enum core_status diff_part_ranks(const struct diff_part *part, uint32_t count, uint32_t at,
                                 char **out_ranks);

/* Checks limits such as "rounds>0%,bytes>5%,algorithm,new-findings": rounds and words apply to each
 * collective and communicator, the other numbers to totals; `algorithm` is passed when a collective
 * chose another one. Writes a line for each limit that is passed and sets *out_failed if there was
 * one. Sets *out_undecided if some limit is not passed as far as is known, and what it limits is
 * not known of all messages. Reports a text that it cannot parse. file NULL: only parses the text.
 */
enum core_status diff_limits(const struct diff *diff, const char *limits, FILE *file,
                             bool *out_failed, bool *out_undecided);

/* Returns "after: compared as far as it was recorded: ..." for a run (0: before) that was not
 * recorded completely, else NULL. Free with free(). */
char *diff_scope(const struct diff *diff, int side);

/* These leave a failed write in the file's error flag, since the caller knows the file's name. */
enum core_status diff_text(const struct diff *diff, FILE *file);
enum core_status diff_json(const struct diff *diff, const char *failed, FILE *file);
/* Writes one page that needs nothing but a browser (html/diff.c). failed: as above; NULL if no
 * limit is passed. */
enum core_status diff_html(const struct diff *diff, const char *failed, FILE *file);

/* --- wording shared by all formats ------------------------------------------------------------ */

/* Return "+50 %", "new" or "" if equal; and "1,024" or, for times, "3.2 ms". They may use buffer;
 * the text returned need not lie in it. */
const char *diff_change(uint64_t before, uint64_t after, char *buffer, size_t buffer_bytes);
const char *diff_value(uint64_t value, bool time, char *buffer, size_t buffer_bytes);
/* Returns the number of calls that a side's numbers are summed over. */
uint64_t diff_calls(const struct diff_row *row, int side);
/* Tells whether a row's difference is worth showing: times are never equal, and matter only if far
 * apart. */
bool diff_worth(const struct diff *diff, const struct diff_row *row);

/* --- internal --------------------------------------------------------------------------------- */

/* Finds for each rank the first call that differs between the runs, and the first receive that took
 * another message. */
enum core_status diff_sequences(struct diff *diff);

#endif
