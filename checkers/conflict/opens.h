/* Finds the openings of one file: those of one collective call; of one place; and those of one
 * device and inode that are open at the same time, as numbers of files that are gone are used
 * again. Of different machines only one collective call tells. */
#ifndef CHECKERS_CONFLICT_OPENS_H
#define CHECKERS_CONFLICT_OPENS_H

#include "core/trace/trace.h"

struct opening { /* by one rank */
    struct trace_named named;
    char *name;
    uint64_t seq, close_seq; /* UINT64_MAX: it is not closed */
    uint64_t since, until;   /* times in which it was open for sure */
    int32_t file;            /* its number in the trace */
    uint32_t rank, one;      /* one: index of the opening that stands for the file */
};
struct opens {
    struct opening *opening;
    uint32_t count, room;
};

enum core_status opens_add(struct opens *opens, struct trace *trace,
                           const struct trace_event *event);
void opens_closing(struct opens *opens, uint32_t index, const struct trace_event *event);
/* Once all are there: sets `one` of each. */
enum core_status opens_unite(struct opens *opens, const struct trace *trace);
/* An opening of the file that the call deletes, which is not closed by then: by the rank itself, or
 * by one whose opening it has no part in. NULL: none is known. */
const struct opening *opens_deleted(const struct opens *opens, struct trace *trace,
                                    const struct trace_event *event);
void opens_done(struct opens *opens);

#endif
