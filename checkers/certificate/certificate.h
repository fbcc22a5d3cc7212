/* Checks the certificate of a proven deadlock (core/trace/ending.h, docs/trace.md) against the
 * events of the trace. The check shares nothing with the launcher's proof but the reader of traces:
 * it follows requests again, counts messages and collectives again and states matching again (M1 to
 * M3 of core/matching/matching.h), in the plainest way, without an index. This is the one exception
 * to "one mechanism": agreement of the two counts because they were written separately.
 *
 * The evidence of time (how long a rank did not move, how much processor time it used) is not in
 * the events: the check compares it with what each kind of evidence requires.
 *
 * Verdicts: accepted: each step follows; rejected: one step does not, and `why` names it;
 * undecided: a step rests on what this check does not model (one-sided epochs, partitions, ...) or
 * on events that were not recorded. */
#ifndef CHECKERS_CERTIFICATE_CERTIFICATE_H
#define CHECKERS_CERTIFICATE_CERTIFICATE_H

#include "core/trace/trace.h"

enum certificate_result { CERTIFICATE_ACCEPTED, CERTIFICATE_REJECTED, CERTIFICATE_UNDECIDED };

struct certificate_verdict {
    enum certificate_result result;
    char why[256]; /* "rank 3: ..."; empty if accepted */
};

/* Holds the part of the record that the check needs, read once for any number of certificates. */
struct certificate_record;
enum core_status certificate_record_read(struct trace *trace,
                                         struct certificate_record **out_record);
void certificate_record_free(struct certificate_record *record);

/* Checks a certificate. ending: a proven deadlock (ENDING_DEADLOCK). */
void certificate_check(const struct certificate_record *record, const struct ending *ending,
                       struct certificate_verdict *out_verdict);

#endif
