/* Findings of one rule, as many as are told; a mistake that several ranks make at one place, or one
 * over and over, is one finding. */
#ifndef CHECKERS_TOLD_H
#define CHECKERS_TOLD_H

#include "checkers/check.h"

enum { TOLD_MAX = 16 };

struct told {
    const struct check_input *input;
    struct finding_list *list;
    enum rule_id rule;
    uint32_t count;          /* that were to be told */
    enum core_status status; /* the first failure */
    struct told_mistake {
        char *sentence;
        int32_t call, site, other_site;
        bool meant;
        uint32_t finding; /* index in the list */
        uint32_t rank;    /* the last one that made it */
    } mistake[TOLD_MAX];
    uint32_t mistakes;
};

/* One more, about this call. NULL: there are enough, or out of memory. */
struct finding *told_add(struct told *told, enum finding_severity severity, uint32_t rank,
                         uint64_t seq);
/* "CALL: SENTENCE (ranks)", an error. other: the call of the same rank that shows it; 0: none.
 * Returns a finding that is new, else NULL. */
struct finding *told_wrong(struct told *told, const struct trace_event *event, uint64_t other,
                           const char *sentence);
void told_done(struct told *told); /* the findings stay */

#endif
