/* A class of outcomes in words: one of its worlds is run again and described. For findings.c. */
#ifndef EXPLORE_LOOK_H
#define EXPLORE_LOOK_H

#include "explore/ahead.h"
#include "explore/message_diff.h"
#include "explore/program.h"

/* Limits how many outcomes without a failure are described, and of how many more the output is
 * compared; each failure is described. */
enum { EXPLORE_PASSING_TOLD = 8, EXPLORE_PASSING_COMPARED = 256 };

struct explore_line { /* one answer of a smallest schedule, or where a rank is */
    uint32_t rank;
    char *call, *site, *path, *says;
};
struct explore_lines {
    struct explore_line *line;
    uint32_t count, room;
};

struct explore_conflict { /* a rank's own load or store, and another rank's call that accesses
                             the same bytes */
    bool is, loads;
    int owner, other; /* ranks */
    char call[sizeof(((struct world_decision *)0)->call)];
    uint64_t own_site, other_site;
    struct explore_lines rest; /* the access of the two that no answer of the schedule names */
};

struct explore_look {
    const struct explore_class *class;
    struct explore_list list;
    bool met;         /* the list is the one by which the class was met: no answer was taken off */
    uint32_t unusual; /* answers of the list that the usual world does not give */
    struct explore_sends sends;
    char *buffered; /* the sends that have a buffer while others wait; NULL if none */
    bool attached;  /* ranks send from an attached buffer */
    bool free;      /* the real MPI library cannot be made to follow the schedule */
    struct replay_policy schedule;
    char *failure; /* in words; NULL if the world does not fail */
    int failed;    /* the rank that fails, or -1 */
    char *found;   /* other findings of the world; NULL if none */
    char *also;    /* other ways in which it fails; NULL if none */
    struct explore_output output;
    struct message_diff sent;            /* only if messages are compared */
    struct explore_lines chosen, stands; /* answers of the schedule; calls of the ranks that fail */
    struct explore_conflict conflict;    /* the two accesses whose order the schedule changes */
    bool shared;    /* the schedule changes the order of loads and stores in a shared window */
    bool completes; /* the schedule chooses what tests, probes or waits find, and no wildcard's
                       message */
    bool may_wait;  /* a rank may load in a loop until others put a value
                       there */
    enum world_rule rule; /* rule of the failure; WORLD_RULE_NONE if it does not
                             fail */
    bool same;            /* the outcome is that of the class's first world */
    bool once;            /* the same answers were run again and gave another outcome */
    uint64_t key;         /* of the world that was run */
    uint64_t rest;        /* explore_outcome_key */
};

void explore_look_done(struct explore_look *look);
/* Gives the look to the caller if it is there and nothing failed; frees it otherwise. Returns
 * status. */
enum core_status explore_look_give(enum core_status status, bool there, struct explore_look *look,
                                   struct explore_look *out_look);
void explore_lines_done(struct explore_lines *lines);
/* Adds a copy of where the rank is, as the next world overwrites the original. Takes over `says`.
 */
enum core_status explore_look_line(struct explore_program *program, uint32_t rank, const char *call,
                                   uint64_t site, char *says, struct explore_lines *lines);
/* Does the same for a call by which the rank accesses the window of another rank. */
enum core_status explore_look_other(struct explore_program *program, int rank, int owner,
                                    const char *call, uint64_t site, struct explore_lines *lines);
/* Makes the schedule of --again for the look's answers. */
enum core_status explore_look_schedule(struct explore_look *look, bool touched);
/* Runs the class's answers. *out_there is false if the world was broken off. */
enum core_status explore_look_run(struct explore_program *program, struct explore_search *search,
                                  struct explore_look *look, bool *out_there);
/* Does the same with the fewest answers that lead to the class. */
enum core_status explore_look_at(struct explore_program *program, struct explore_search *search,
                                 const struct explore_class *class, struct explore_look *out_look,
                                 bool *out_there);
/* Counts the classes before this one that do not fail. */
uint32_t explore_passing_before(const struct explore_search *search, uint32_t class);
/* Copies the answers by which the class was first met. */
enum core_status explore_look_first(const struct explore_program *program,
                                    const struct explore_class *class, struct explore_look *look);
/* Returns the description that explore_findings_met kept of the class; false if there is none. */
bool explore_look_remember(struct explore_program *program, const struct explore_search *search,
                           uint32_t class, struct explore_look *out_look);
/* Describes the class by its output alone: what explore_findings_met kept, or what its first world
 * prints again. *out_there: false if neither shows it. */
enum core_status explore_look_output(struct explore_program *program, struct explore_search *search,
                                     uint32_t class, struct explore_look *out_look,
                                     bool *out_there);

#endif
