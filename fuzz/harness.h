/* A scenario run in one process, with every check; and what libFuzzer, shrinking and explaining do
 * with it. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stdio.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "world/world.h"

enum { HARNESS_PATTERNS = 2048 };
extern uint8_t harness_pattern[HARNESS_PATTERNS];
extern bool harness_by_pattern; /* new patterns of communication are worth keeping */

/* The collectives to fuzz: all that are linked in, or those that CROSSWAIT_FUZZ_TARGET names,
 * separated by commas. Ends the process with a message when there is none. */
int harness_target_count(void);
const struct collective *harness_target(unsigned index);
const struct collective *harness_target_find(const char *name, unsigned *out_index);

/* Runs it. *scenario is brought into the collective's domain first. timeline: NULL, or where each
 * event is printed. out->finding_count says what was found. False: nothing of the scenario fits the
 * collective. */
bool harness_run(const struct collective *collective, struct scenario *scenario, FILE *timeline,
                 struct world_outcome *out);

/* The same, with whoever hears of each event; and under a policy that is not the scenario's. */
struct harness_schedule {
    const struct replay_policy *policy;
    const struct replay_choice *choice;
    world_event_fn event;
    void *event_context;
    FILE *places; /* NULL, or where the places are printed that a finding is about */
};
bool harness_run_events(const struct collective *collective, struct scenario *scenario,
                        world_event_fn event, FILE *out_events, struct world_outcome *out);
bool harness_run_as(const struct collective *collective, struct scenario *scenario,
                    const struct harness_schedule *schedule, struct world_outcome *out);

/* Every small world: collectives that are linked in, ranks from 1 to that many, and each schedule
 * of each scenario. What is found is kept in the folder, as a campaign that goes on does. 0: all
 * verified, 1: findings, 4: not all was looked at within so many seconds. */
int harness_exhaust(int ranks_max, double seconds, const char *folder);
/* Keeps a few inputs of each cause in the folder, `kind` in front of their names. True: this one.
 */
bool harness_keep(const char *folder, enum world_rule kind, const struct collective *collective,
                  const struct scenario *scenario, const struct world_finding *finding);

/* Whether memory is lost that libraries allocated for the collective (what it allocates itself is
 * judged with its world), with the sanitizer's report on standard error; never when a world was
 * given up: its ranks' buffers are nobody's fault. Asked once a process. */
bool harness_leaks(void);
extern const char harness_leaked[]; /* "leaked-memory: ..." */

/* The wrong item of a result that the last world reported first; bytes 0: none. */
struct harness_wrong {
    int rank, call; /* of MPI_COMM_WORLD; from 0 */
    ptrdiff_t at;   /* in the receive buffer */
    size_t bytes;
};
extern struct harness_wrong harness_wrong;
/* For whoever looks at a buffer: a rank has filled its own and is about to call, and an item is
 * found wrong. NULL: nobody does. */
struct harness_watch {
    void (*filled)(int rank, int call, const char *data);
    void (*judged)(void);
};
extern const struct harness_watch *harness_watch;

/* Runs the scenario, which has a wrong result, once more and says in a line what stored it last;
 * empty: that is not known. */
void stored_find(const struct collective *collective, const struct scenario *scenario,
                 char text[512]);

/* Names in a line what a world used that not every MPI library has; empty: nothing. */
void harness_portability(const struct collective *collective, const struct world_outcome *outcome,
                         char text[256]);

/* Runs without a timeline note what the library decided: see decisions.h. */
extern bool harness_noting;
/* Writes the decisions of the scenario's run into a file, whatever way it ends, short of a loop
 * without end. 0, or 3 with a message printed. */
int harness_decide(const struct collective *collective, const struct scenario *scenario,
                   const char *path);

/* The collective that takes turns with an adapted scenario's own, and the scenario for it; NULL:
 * none, and scenario->other is 0 then. */
const struct collective *harness_other(const struct collective *collective,
                                       struct scenario *scenario, struct scenario *out);
/* As text, for people and for harness_read. */
void harness_print(const struct collective *collective, const struct scenario *scenario, char *text,
                   size_t room);
/* From text; false with a message: what is wrong with it. *out_name is the collective's, perhaps
 * empty. */
bool harness_parse(const char *text, struct scenario *out, char out_name[128], char message[256]);

/* The unusual features of a scenario, in words joined by '+': what a shrunk one needs. */
void harness_pattern_words(const struct collective *collective, const struct scenario *scenario,
                           char text[256]);

/* The scenario in a file, as bytes or as text. Returns the collective, or NULL with a message
 * printed. */
const struct collective *harness_read(const char *path, struct scenario *out);
/* Description, scenario, timeline, findings, on stdout; which changes of the scenario pass, if they
 * are to be tried. Returns the number of findings. */
int harness_explain(const struct collective *collective, const struct scenario *scenario,
                    bool changed);
/* Makes *scenario as small as it can while it still fails with the same rule (or still crashes), in
 * so many trials, or so much computing, at most. `smaller`, which may be NULL, is called with each
 * that is smaller than the one before. Returns the rule; WORLD_RULE_NONE when it does
 * not fail at all. Progress goes to standard error. */
typedef void (*harness_smaller_fn)(const struct collective *collective,
                                   const struct scenario *scenario);
enum world_rule harness_shrink(const struct collective *collective, struct scenario *scenario,
                               harness_smaller_fn smaller);

#endif
