/* Reports datatypes that meet and do not match. Pairs at the same two places with the same names
 * are one finding. */
#ifndef CHECKERS_COLLECTIVE_TYPE_REPORT_H
#define CHECKERS_COLLECTIVE_TYPE_REPORT_H

#include "checkers/check.h"
#include "checkers/collective/types.h"

enum type_meeting {
    TYPE_MESSAGE, /* one is sent, the other received */
    TYPE_PACKED,  /* the same with MPI_Pack and MPI_Unpack */
    TYPE_SHARED,  /* both are arguments of one collective, which requires equal types */
    TYPE_WINDOW   /* one is the origin's, the other the target's, of one one-sided call */
};
struct type_pair {
    enum type_meeting meeting;
    enum types_difference difference;
    const char *name[2]; /* as the trace names them */
    uint32_t rank[2];    /* TYPE_WINDOW: origin and target */
    uint64_t seq[2];     /* of the calls; TYPE_WINDOW: only the first is set */
    uint64_t count;      /* pairs like this one, reported together; 0 means 1 */
};
struct type_report {
    const struct check_input *input;
    struct finding_list *list;
    enum rule_id rule; /* for types that differ in kind or size */
    struct type_said *said;
    uint32_t count, room;
};

/* Adds a finding; does nothing if the types are alike. Types that differ in name only are findings
 * of RULE_TYPE. */
enum core_status type_report_add(struct type_report *report, const struct type_pair *pair);
/* Adds to each finding how often its types met, and frees what the report holds. */
void type_report_done(struct type_report *report);

#endif
