/* Declares the interface of checkers. A checker proves one property, in a file of its own
 * (check_NAME.c) and a row of one table (check.c). It gets a trace and the engine, and emits
 * findings. */
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
                     that read the program (CHECK_PROGRAM), NULL for the others */
    const struct replay_lower_notes *notes;
    const char *claims;          /* as in check_options */
    uint64_t seed;               /* seeds whatever is sampled */
    uint64_t budget_schedules;   /* how many schedules exploration may try */
    struct check_shared *shared; /* what checkers find out once for all of them */
};
struct check_shared {
    bool has_worlds, has_need, has_collectives;
    struct replay_worlds worlds;
    struct replay_need need;
    struct collective_list collectives;
};

/* Finds the program's outcome without buffering and with it; the input owns it. */
enum core_status check_worlds(const struct check_input *input,
                              const struct replay_worlds **out_worlds);

/* Finds how much buffering the program needs; the input owns the result. */
enum core_status check_need(const struct check_input *input, const struct replay_need **out_need);

/* Pairs the collective calls; the input owns the list. */
enum core_status check_collectives(const struct check_input *input,
                                   const struct collective_list **out_list);

/* Runs one checker. CORE_BUDGET: no verdict within the budget. The checker reported any other
 * failure. */
typedef enum core_status (*check_fn)(const struct check_input *input, struct finding_list *list);

/* Says which calls a checker reads. If a checker finds something while rounds of loops are left out
 * (core/trace/trace_rounds.h), it runs again, on all calls or on the program lowered from all
 * calls. */
enum check_reads { CHECK_CALLS, CHECK_PROGRAM };

struct checker {
    const char *id;
    const char *stage;  /* shown while it runs (core/progress.h) */
    const char *proves; /* one sentence, for --help */
    check_fn run;
    enum check_reads reads;
};
extern const struct checker check_table[]; /* ends with an id of NULL */

enum { CHECK_SEED_DEFAULT = 1, CHECK_BUDGET_DEFAULT = 20000 };
struct check_options {
    const char *only;   /* comma-separated ids of checkers and rules; NULL: all */
    const char *ignore; /* comma-separated ids of those to leave out; NULL: none */
    const char *claims; /* comma-separated CALL=ROW: what the library's collectives must cost; NULL:
                           nothing */
    uint64_t seed;      /* default: CHECK_SEED_DEFAULT */
    uint64_t budget_schedules; /* default: CHECK_BUDGET_DEFAULT */
};

/* Lists the ids of rules and of checkers, each once; returns how many. */
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
 * in the trace. Rules that were ignored then are ignored now. *out_checked is what check_all
 * returned. CORE_NOT_FOUND, without a report, if the
 * trace holds no such findings. */
enum core_status check_recall(struct trace *trace, const struct check_options *options,
                              struct finding_list *list, enum core_status *out_checked);
/* Rewrites the row of one finding. */
enum core_status check_keep_one(struct trace *trace, const struct finding *finding);

/* Adds a finding of rule `hang` with the proof on which the launcher ended the job, whatever else
 * was found. Adds nothing if the launcher did not end the job on a proof. */
enum core_status check_proof(struct trace *trace, struct finding_list *list);

#endif
