/* Runs a scenario in one process, with every check; declares what libFuzzer, shrinking and
 * explaining do with it. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stdio.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "world/world.h"

enum { HARNESS_PATTERNS = 2048 };
extern uint8_t harness_pattern[HARNESS_PATTERNS];
extern bool harness_by_pattern; /* the fuzzer keeps new communication patterns */

/* Return the collectives to fuzz: all linked-in ones, or those that CROSSWAIT_FUZZ_TARGET names,
 * separated by commas. End the process with a message if there is none. */
int harness_target_count(void);
const struct collective *harness_target(unsigned index);
const struct collective *harness_target_find(const char *name, unsigned *out_index);

/* Runs the scenario, which is first adapted to the collective's domain. timeline: NULL, or where to
 * print each event. out->finding_count is the number of findings. False: no part of the scenario
 * fits the collective. */
bool harness_run(const struct collective *collective, struct scenario *scenario, FILE *timeline,
                 struct world_outcome *out);

/* Run the scenario with a callback for each event, and with a policy other than the scenario's. */
struct harness_schedule {
    const struct replay_policy *policy;
    const struct replay_choice *choice;
    world_event_fn event;
    void *event_context;
    FILE *places; /* NULL, or where to print the places that a finding concerns */
};
bool harness_run_events(const struct collective *collective, struct scenario *scenario,
                        world_event_fn event, FILE *out_events, struct world_outcome *out);
bool harness_run_as(const struct collective *collective, struct scenario *scenario,
                    const struct harness_schedule *schedule, struct world_outcome *out);

/* Runs every small world: linked-in collectives, 1 to ranks_max ranks, and each schedule of each
 * scenario. Keeps findings in the folder, like a campaign that continues after findings. Returns 0
 * if all are verified, 1 with findings, 4 if the time did not suffice for all. */
int harness_exhaust(int ranks_max, double seconds, const char *folder);
/* Keeps a few inputs of each cause in the folder, with `kind` in front of their names. True if it
 * kept this one. */
bool harness_keep(const char *folder, enum world_rule kind, const struct collective *collective,
                  const struct scenario *scenario, const struct world_finding *finding);

/* Tells whether memory is lost that libraries allocated for the collective (its own allocations are
 * judged with their world), with the sanitizer's report on standard error. Never true after a world
 * was given up, as nothing frees its ranks' buffers. Called once in a process. */
bool harness_leaks(void);
extern const char harness_leaked[]; /* "leaked-memory: ..." */

/* The wrong item of a result that the last world reported first; 0 bytes if none. */
struct harness_wrong {
    int rank, call; /* of MPI_COMM_WORLD; from 0 */
    ptrdiff_t at;   /* in the receive buffer */
    size_t bytes;
};
extern struct harness_wrong harness_wrong;
/* Callbacks for a watcher of buffers: a rank has filled its own and is about to call; an item was
 * found wrong. NULL: no watcher. */
struct harness_watch {
    void (*filled)(int rank, int call, const char *data);
    void (*judged)(void);
};
extern const struct harness_watch *harness_watch;

/* Runs the scenario, which has a wrong result, again and describes in a line what stored it last;
 * empty if that is unknown. */
void stored_find(const struct collective *collective, const struct scenario *scenario,
                 char text[512]);

/* Names in a line what a world used that some MPI libraries lack; empty if nothing. */
void harness_portability(const struct collective *collective, const struct world_outcome *outcome,
                         char text[256]);

/* Runs without a timeline record what the library decided: see decisions.h. */
extern bool harness_noting;
/* Writes the decisions of the scenario's run to a file, however it ends, except in an endless loop.
 * Returns 0, or 3 with a message printed. */
int harness_decide(const struct collective *collective, const struct scenario *scenario,
                   const char *path);

/* Returns the collective that alternates with an adapted scenario's own, and the scenario for it;
 * NULL if none, with scenario->other set to 0. */
const struct collective *harness_other(const struct collective *collective,
                                       struct scenario *scenario, struct scenario *out);
/* Prints the scenario as text, for people and for harness_read. */
void harness_print(const struct collective *collective, const struct scenario *scenario, char *text,
                   size_t room);
/* Parses text; false with a message that says what is wrong. *out_name is the collective's name,
 * possibly empty. */
bool harness_parse(const char *text, struct scenario *out, char out_name[128], char message[256]);

/* Lists the unusual features of a scenario, joined by '+': what a shrunk scenario needs. */
void harness_pattern_words(const struct collective *collective, const struct scenario *scenario,
                           char text[256]);

/* Reads the scenario from a file, as bytes or as text. Returns the collective, or NULL with a
 * message printed. */
const struct collective *harness_read(const char *path, struct scenario *out);
/* Prints description, scenario, timeline and findings on stdout, and if `changed` also which
 * changes of the scenario pass. Returns the number of findings. */
int harness_explain(const struct collective *collective, const struct scenario *scenario,
                    bool changed);
/* Makes *scenario as small as possible while it fails by the same rule (or crashes), within limits
 * of trials and computing time. Calls `smaller`, which may be NULL, with each smaller scenario.
 * Returns the rule; WORLD_RULE_NONE if the scenario does not fail. Progress goes to standard error.
 */
typedef void (*harness_smaller_fn)(const struct collective *collective,
                                   const struct scenario *scenario);
enum world_rule harness_shrink(const struct collective *collective, struct scenario *scenario,
                               harness_smaller_fn smaller);

#endif
