/* Explains a wrong argument that another argument of the call was exchanged with: the two as the
 * recorder saw them (MISUSE_SWAPPED), or a rank and a tag that fit the other side's call only the
 * other way round. */
#ifndef CHECKERS_HINT_EXCHANGED_H
#define CHECKERS_HINT_EXCHANGED_H

#include "checkers/finding.h"
#include "core/trace/misuse.h"

/* The exchanged arguments that the ranks recorded. */
struct hint_exchanged {
    struct hint_exchanged_call {
        uint32_t rank;
        uint64_t seq;
        char name[2][32];
    } * call;
    uint32_t count, room;
};
enum core_status hint_exchanged_read(struct trace *trace, struct hint_exchanged *out);
void hint_exchanged_done(struct hint_exchanged *exchanged);
/* Tells whether the misuse follows from an exchange of arguments in the same call. */
bool hint_exchanged_covers(const struct hint_exchanged *exchanged, uint32_t rank, uint64_t seq,
                           const struct misuse *misuse);
/* Adds to the finding what to write instead, if arguments were exchanged. */
enum core_status hint_exchanged_add(struct trace *trace, struct finding *finding,
                                    const struct trace_event *event, const struct misuse *misuse);

#endif
