/* Collects findings of one rule up to a limit. A mistake that several ranks make at one place, or
 * that one rank repeats, becomes one finding. */
#ifndef CHECKERS_FINDING_DEDUP_H
#define CHECKERS_FINDING_DEDUP_H

#include "checkers/check.h"

enum { FINDING_DEDUP_MAX = 16 };

struct finding_dedup {
    const struct check_input *input;
    struct finding_list *list;
    enum rule_id rule;
    uint32_t count;          /* findings to report, also those beyond the limit */
    enum core_status status; /* the first failure */
    struct finding_dedup_mistake {
        char *sentence;
        int32_t call, site, other_site;
        bool meant;
        uint32_t finding; /* index in the list */
        uint32_t rank;    /* the last rank that made the mistake */
    } mistake[FINDING_DEDUP_MAX];
    uint32_t mistakes;
};

/* Adds a finding about this call. NULL: the limit is reached, or out of memory. */
struct finding *finding_dedup_add(struct finding_dedup *dedup, enum finding_severity severity,
                                  uint32_t rank, uint64_t seq);
/* Adds an error "CALL: SENTENCE (ranks)". other: the call of the same rank that shows the mistake;
 * 0: none. Returns the finding if it is new, else NULL. */
struct finding *finding_dedup_wrong(struct finding_dedup *dedup, const struct trace_event *event,
                                    uint64_t other, const char *sentence);
void finding_dedup_done(struct finding_dedup *dedup); /* leaves the findings in the list */

#endif
