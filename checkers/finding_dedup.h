/* Findings of one rule, as many as are reported; a mistake that several ranks make at one place, or
 * one over and over, is one finding. */
#ifndef CHECKERS_FINDING_DEDUP_H
#define CHECKERS_FINDING_DEDUP_H

#include "checkers/check.h"

enum { FINDING_DEDUP_MAX = 16 };

struct finding_dedup {
    const struct check_input *input;
    struct finding_list *list;
    enum rule_id rule;
    uint32_t count;          /* that were to be reported */
    enum core_status status; /* the first failure */
    struct finding_dedup_mistake {
        char *sentence;
        int32_t call, site, other_site;
        bool meant;
        uint32_t finding; /* index in the list */
        uint32_t rank;    /* the last one that made it */
    } mistake[FINDING_DEDUP_MAX];
    uint32_t mistakes;
};

/* One more, about this call. NULL: there are enough, or out of memory. */
struct finding *finding_dedup_add(struct finding_dedup *dedup, enum finding_severity severity,
                                  uint32_t rank, uint64_t seq);
/* "CALL: SENTENCE (ranks)", an error. other: the call of the same rank that shows it; 0: none.
 * Returns a finding that is new, else NULL. */
struct finding *finding_dedup_wrong(struct finding_dedup *dedup, const struct trace_event *event,
                                    uint64_t other, const char *sentence);
void finding_dedup_done(struct finding_dedup *dedup); /* the findings stay */

#endif
