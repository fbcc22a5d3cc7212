/* Checks the certificate of a proven deadlock (core/trace/ending.h, docs/trace.md) against the
 * events of the trace. The check shares nothing with the launcher's proof but the reader of traces:
 * it follows requests again, counts messages and collectives again and states matching again
 * (M1 to M3 of core/matching/matching.h), in the plainest way, without an index. That is the one
 * exception to "one mechanism": two that agree are trusted because they were written apart.
 *
 * The evidence of time (how long a rank stood, how much of a processor it had) cannot be seen in
 * the events: the check compares it with what each standing needs.
 *
 * Verdicts: accepted, each step follows; rejected, one does not, and the sentence says which;
 * not decided, a step rests on what this check does not know (one-sided epochs, partitions, ...) or
 * on events that were not recorded. */
#ifndef CHECKERS_CERTIFICATE_CERTIFICATE_H
#define CHECKERS_CERTIFICATE_CERTIFICATE_H

#include "core/trace/trace.h"

enum certificate_result { CERTIFICATE_ACCEPTED, CERTIFICATE_REJECTED, CERTIFICATE_UNDECIDED };

struct certificate_verdict {
    enum certificate_result result;
    char why[256]; /* "rank 3: ..."; empty: accepted */
};

/* The record, as far as the check needs it; it is read once, for any number of certificates. */
struct certificate_record;
enum core_status certificate_record_read(struct trace *trace,
                                         struct certificate_record **out_record);
void certificate_record_free(struct certificate_record *record);

/* ending: a proven deadlock (ENDING_DEADLOCK). */
void certificate_check(const struct certificate_record *record, const struct ending *ending,
                       struct certificate_verdict *out_verdict);

#endif
