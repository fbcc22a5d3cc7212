/* Finds the openings of one file: those of one collective call, of one path, or of one device and
 * inode while both are open (systems reuse inode numbers). Across machines only one collective call
 * tells. */
#ifndef CHECKERS_CONFLICT_OPENS_H
#define CHECKERS_CONFLICT_OPENS_H

#include "core/trace/trace.h"

struct opening { /* by one rank */
    struct trace_named named;
    char *name;
    uint64_t seq, close_seq; /* close_seq: UINT64_MAX: it is not closed */
    uint64_t since, until;   /* between these times it was open for sure */
    int32_t file;            /* its number in the trace */
    uint32_t rank, one;      /* one: index of the opening that represents the file */
};
struct opens {
    struct opening *opening;
    uint32_t count, room;
};

enum core_status opens_add(struct opens *opens, struct trace *trace,
                           const struct trace_event *event);
void opens_closing(struct opens *opens, uint32_t index, const struct trace_event *event);
/* Sets `one` of each opening. Call it after all openings were added. */
enum core_status opens_unite(struct opens *opens, const struct trace *trace);
/* Returns an opening, not yet closed, of the file that the call deletes: by the rank itself, or by
 * a rank in whose opening this rank takes no part. NULL: none is known. */
const struct opening *opens_deleted(const struct opens *opens, struct trace *trace,
                                    const struct trace_event *event);
void opens_done(struct opens *opens);

#endif
