/* The interface of checkers: one property each, in one file each (check_NAME.c), listed in one
 * table (check.c). A checker gets a trace and the engine, and emits findings. */
#ifndef CHECKERS_CHECK_H
#define CHECKERS_CHECK_H

#include <stdint.h>

#include "checkers/finding.h"
#include "core/status.h"
#include "core/trace/collective.h"
#include "core/trace/trace.h"
#include "replay/program/lower.h"
#include "replay/program/program.h"
#include "replay/search/need.h"
#include "replay/search/worlds.h"

struct check_input {
    struct trace *trace;
    const struct replay_program
        *program; /* the application's own calls, lowered from the trace; shared by the checkers
                     that are of the program, NULL for the others */
    const struct replay_lower_notes *notes;
    const char *claims;          /* of check_options */
    uint64_t seed;               /* of whatever is sampled */
    uint64_t budget_schedules;   /* how many schedules exploration may try */
    struct check_shared *shared; /* what checkers find out once for all of them */
};
struct check_shared {
    bool has_worlds, has_need, has_collectives;
    struct replay_worlds worlds;
    struct replay_need need;
    struct collective_list collectives;
};

/* The program's outcome without buffering and with it; belongs to the input. */
enum core_status check_worlds(const struct check_input *input,
                              const struct replay_worlds **out_worlds);

/* How much buffering the program needs; belongs to the input. */
enum core_status check_need(const struct check_input *input, const struct replay_need **out_need);

/* The collective calls, paired; belong to the input. */
enum core_status check_collectives(const struct check_input *input,
                                   const struct collective_list **out_list);

/* CORE_BUDGET: no verdict within the budget. Any other failure was reported. */
typedef enum core_status (*check_fn)(const struct check_input *input, struct finding_list *list);

/* Says which calls a checker reads. Where rounds of loops are left out (core/trace/trace_rounds.h)
 * and it finds something, it runs again: on all calls, or on the program of all calls. */
enum check_reads { CHECK_CALLS, CHECK_PROGRAM };

struct checker {
    const char *id;
    const char *stage;  /* while it runs, for core/progress.h */
    const char *proves; /* one sentence, for --help */
    check_fn run;
    enum check_reads reads;
};
extern const struct checker check_table[]; /* ends with an id of NULL */

enum { CHECK_SEED_DEFAULT = 1, CHECK_BUDGET_DEFAULT = 20000 };
struct check_options {
    const char *only;   /* comma-separated ids of checkers and rules; NULL: all */
    const char *ignore; /* the same, of what is left out; NULL: nothing */
    const char *claims; /* comma-separated CALL=ROW: what the library's collectives must cost; NULL:
                           nothing */
    uint64_t seed;      /* CHECK_SEED_DEFAULT */
    uint64_t budget_schedules; /* CHECK_BUDGET_DEFAULT */
};

/* The ids of rules and of checkers, each once; returns how many. */
enum { CHECK_NAMES_MAX = 64 };
int check_names(const char *name[CHECK_NAMES_MAX]);

/* Selects the rules that `only` asks for and `ignore` does not leave out (see check_options), by
 * rule_id. CORE_BAD_INPUT for an unknown name, reported with the nearest one and the list of all.
 */
enum core_status check_names_parse(const char *only, const char *ignore,
                                   bool out_wanted[RULE_COUNT]);

/* Runs the checkers over the trace, in the table's order, and adds their findings to *list.
 * CORE_BAD_INPUT for an unknown id in options->only or ignore, or a claim that cannot be read.
 * CORE_BUDGET when a checker ran out of budget and nothing was found: there is no verdict. */
enum core_status check_all(struct trace *trace, const struct check_options *options,
                           struct finding_list *list);

/* Writes the findings into the trace's table finding, in place of what an earlier check left there;
 * the trace was opened with TRACE_WRITE. */
enum core_status check_keep(struct trace *trace, const struct check_options *options,
                            enum core_status checked, const struct finding_list *list);
/* Reads back the findings that check_all would make with these options, if check_keep has kept them
 * in the trace. *out_checked is what check_all returned. CORE_NOT_FOUND, without a report, if it
 * has not. */
enum core_status check_recall(struct trace *trace, const struct check_options *options,
                              struct finding_list *list, enum core_status *out_checked);
/* Writes the row of one finding anew. */
enum core_status check_keep_one(struct trace *trace, const struct finding *finding);

/* The proof on which the launcher ended the job, as a finding of rule `hang`, whatever else was
 * found; adds nothing where there was none. */
enum core_status check_proof(struct trace *trace, struct finding_list *list);

#endif
