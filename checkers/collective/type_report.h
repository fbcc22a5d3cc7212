/* Findings on datatypes that meet and do not match: two at the same places, of the same names, are
 * one. */
#ifndef CHECKERS_COLLECTIVE_TYPE_REPORT_H
#define CHECKERS_COLLECTIVE_TYPE_REPORT_H

#include "checkers/check.h"
#include "checkers/collective/types.h"

enum type_meeting {
    TYPE_MESSAGE, /* one is sent, the other received */
    TYPE_SHARED,  /* both are given to one collective, which wants them alike */
    TYPE_WINDOW   /* one is at the origin, the other at the target, of one call */
};
struct type_pair {
    enum type_meeting meeting;
    enum types_difference difference;
    const char *name[2]; /* of the trace */
    uint32_t rank[2];    /* of a window: origin and target */
    uint64_t seq[2];     /* of the calls; of a window: only the first */
    uint64_t count;      /* of pairs like this one, which are told together; 0: one */
};
struct type_report {
    const struct check_input *input;
    struct finding_list *list;
    enum rule_id rule; /* of what differs in kind or size */
    struct type_said *said;
    uint32_t count, room;
};

/* Does nothing where they are alike. Those that differ in name are of RULE_TYPE. */
enum core_status type_report_add(struct type_report *report, const struct type_pair *pair);
/* Says how often each was met, and frees what the report holds. */
void type_report_done(struct type_report *report);

#endif
