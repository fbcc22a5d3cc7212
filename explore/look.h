/* A class of outcomes, looked at: one of its worlds, run again, put in words. For findings.c. */
#ifndef EXPLORE_LOOK_H
#define EXPLORE_LOOK_H

#include "explore/ahead.h"
#include "explore/message_diff.h"
#include "explore/program.h"

/* Outcomes of worlds that come to a good end are told up to so many; each that fails is. */
enum { EXPLORE_PASSING_TOLD = 8 };

struct explore_line { /* one answer of a smallest schedule; or where a rank is */
    uint32_t rank;
    char *call, *site, *path, *says;
};
struct explore_lines {
    struct explore_line *line;
    uint32_t count, room;
};

struct explore_conflict { /* of a rank's own load or store, and an access by a call to the same
                             bytes */
    bool is, loads;
    int owner, other; /* ranks */
    char call[sizeof(((struct world_decision *)0)->call)];
    uint64_t own_site, other_site;
    struct explore_lines rest; /* the one of the two that no answer of the schedule is */
};

struct explore_look {
    const struct explore_class *class;
    struct explore_list list;
    struct explore_sends sends;
    char *buffered; /* the sends that have one where others wait; NULL: none */
    char *schedule;
    char *failure; /* in words; NULL: it does not fail */
    int failed;    /* the rank of it, or -1 */
    char *found;   /* what else the world found; NULL: nothing */
    char *also;    /* how else it fails, where it does; NULL: not */
    struct explore_output output;
    struct message_diff sent;            /* where that is compared */
    struct explore_lines chosen, stands; /* of the schedule; of the ranks that fail */
    struct explore_conflict conflict;    /* of the accesses whose order the schedule changes */
    bool may_wait;                       /* a rank may load until it finds what others put there */
    enum world_rule rule;                /* what it fails by; WORLD_RULE_NONE: it does not fail */
    bool same;                           /* as the first one of the class */
    bool once;    /* its choices were taken again, and gave another outcome */
    uint64_t key; /* of the world that was run */
};

void explore_look_done(struct explore_look *look);
void explore_lines_done(struct explore_lines *lines);
/* Adds a copy of where the rank is, for the next world overwrites what the last one says. Takes
 * `says`. */
enum core_status explore_look_line(struct explore_program *program, uint32_t rank, const char *call,
                                   uint64_t site, char *says, struct explore_lines *lines);
/* The same of a call by which the rank reaches another one's window. */
enum core_status explore_look_other(struct explore_program *program, int rank, int owner,
                                    const char *call, uint64_t site, struct explore_lines *lines);
/* The argument of --again: the words of a policy over its own defaults. */
char *explore_schedule_text(const struct explore_list *list, const struct explore_sends *sends,
                            bool touched);
/* Runs the class's choices. *out_there: false: the world was broken off. */
enum core_status explore_look_run(struct explore_program *program, struct explore_search *search,
                                  struct explore_look *look, bool *out_there);
/* The same with the fewest choices. */
enum core_status explore_look_at(struct explore_program *program, struct explore_search *search,
                                 const struct explore_class *class, struct explore_look *out_look,
                                 bool *out_there);
/* How many classes before this one come to a good end. */
uint32_t explore_passing_before(const struct explore_search *search, uint32_t class);
/* The choices by which the class was met first. */
enum core_status explore_look_first(const struct explore_program *program,
                                    const struct explore_class *class, struct explore_look *look);
/* Gives what explore_findings_met kept of the class. False: nothing is known of it. */
bool explore_look_remember(struct explore_program *program, const struct explore_search *search,
                           uint32_t class, struct explore_look *out_look);

#endif
