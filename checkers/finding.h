/* Holds findings as data: reports render them, the trace file keeps them, and the exit code follows
 * from them. */
#ifndef CHECKERS_FINDING_H
#define CHECKERS_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "checkers/orders.h"
#include "checkers/rule.h"
#include "core/status.h"
#include "core/trace/trace.h"
#include "replay/policy/policy.h"

enum finding_severity {
    FINDING_NOTE,    /* worth knowing; does not make a run fail */
    FINDING_WARNING, /* may go wrong; counts as a finding */
    FINDING_ERROR    /* is wrong, on the evidence given */
};
const char *finding_severity_text(enum finding_severity severity);

enum finding_confirmed {
    FINDING_NOT_TRIED,
    FINDING_CONFIRMED, /* the real job hung */
    FINDING_REFUTED,   /* the real job finished */
    FINDING_RULED_OUT, /* all behaviours of the program were run in worlds, and none failed */
    FINDING_UNPROVEN,  /* the real job was run under its schedule, which proved nothing */
    FINDING_FAILS,     /* the finding failed in a world, and the real job failed too */
    FINDING_MADE,      /* the real job made the wrong call too, and finished */
    FINDING_CONFIRMED_COUNT
};
const char *finding_confirmed_text(enum finding_confirmed confirmed);

enum finding_effect {                        /* what the mistake does to the calls that make it */
                      FINDING_EFFECT_OPEN,   /* anything: the rule does not say */
                      FINDING_EFFECT_BLOCKS, /* they block for ever unless MPI buffers */
                      FINDING_EFFECT_FAILS,  /* MPI raises an error, or the rank dies */
                      FINDING_EFFECT_LACKS, /* nothing: the ranks named first end without making the
                                               call */
                      FINDING_EFFECT_MEETS, /* they access the same bytes, unordered */
                      FINDING_EFFECT_SPOILS,  /* as FAILS, or the rank may die later: they overwrite
                                                 memory next to their buffers, or the data have no
                                                 address */
                      FINDING_EFFECT_PARTS,   /* the ranks went different ways to them, and later
                                                 calls   do not match */
                      FINDING_EFFECT_REFUSED, /* nothing, as MPI refused them, though other ranks
                                                 wait */
                      FINDING_EFFECT_COUNT
};
const char *finding_effect_text(enum finding_effect effect);

struct finding_await {    /* ranks that a call waits for: each from first to last */
    uint32_t first, last; /* world */
    bool any;             /* any one of several ranks would do */
};
struct finding_call {     /* one rank's part in a finding */
    uint32_t rank;        /* world */
    uint64_t seq;         /* number of the event; 0: the rank is in no recorded call */
    char *call;           /* "MPI_Send(dest=1, ...)" */
    char *site;           /* "quiz.c:31" */
    char *path;           /* full path of the source file, if seq is 0; else NULL */
    uint64_t subject_seq; /* for a wait: number of the call that began the operation; 0: none */
    char *subject;        /* "MPI_Isend(dest=1, ...)"; NULL */
    char *subject_site;
    char *waits_for; /* "rank 1", "any of ranks 1, 2"; NULL if the call waits for no rank */
    struct finding_await *await; /* the same ranks as data, ascending, none twice */
    uint32_t await_count, await_room;
    char *note; /* e.g. "3rd time at this place"; NULL */
    bool core;  /* the rank is in the cycle of ranks that block each other; false: it only waits for
                   them */
    bool leads; /* this call did not fail, but a decision in it leads to the failure */
    bool found; /* this call found what the program itself had done before it */
    char *found_site; /* where the program had done it; NULL: unknown. Not in reports, not in the
                         trace */
    int32_t found_at; /* the same as an index into trace->site; 0: unknown. Not in reports, not in
                         the trace */
};

struct finding_link { /* a call, or a rank (seq 0) */
    uint32_t rank;    /* world */
    uint64_t seq;
};

struct finding_collective { /* the collective that a finding is about, and its mistake */
    uint32_t mistake;       /* 0: none that other communicators may share */
    int32_t call, comm;     /* index into trace->call; communicator */
    uint64_t number;        /* of the collective in its communicator */
    int64_t value[2];       /* details of the mistake */
};

struct finding_move { /* a mend that moves a line of the source */
    char *path;       /* of the file; NULL: the mend moves no line */
    char *call;       /* "MPI_Irecv", which the moved line makes */
    int line, before; /* the moved line, and the one before which it is to stand */
    bool completes;   /* it only completes operations, so that it may pass assignments */
};

struct finding {
    uint32_t id; /* from 1, in the order of the list; also the id of its row in the trace */
    const struct rule *rule;
    enum finding_severity severity;
    bool beyond;  /* concerns what follows the record, and neither counts nor names its calls */
    bool assumed; /* rests on what the program would have done next, which the trace does not show:
                     a note until confirmed */
    bool undecided; /* assumed, and nothing in the trace speaks against it: only the real job can
                       decide it */
    bool ended_job; /* says what ended the recorded run, if crosswait did not end it */
    bool reach;     /* a note on the limits of the check, not on the program: "no deadlock in 20,000
                       schedules" */
    bool once;      /* of a world: one behaviour of all that were run showed it. Not in the trace */
    enum finding_effect effect;
    enum remedy remedy;
    enum finding_confirmed confirmed;
    uint32_t cause; /* id of the finding that this one follows from (cause.h), which has no cause
                       itself; 0: none */
    char *title;    /* one sentence */
    char *claim;    /* if assumed: the title to use once it is confirmed */
    struct finding_call *call;
    uint32_t call_count, call_room;
    struct finding_collective collective; /* not in reports, not in the trace */
    struct finding_link *link; /* what its calls wait for, used to find its cause (cause.h); not in
                                  reports, not in the trace */
    uint32_t link_count, link_room;
    char **fact; /* further sentences, in order */
    uint32_t fact_count, fact_room;
    char *schedule; /* policy text that makes it happen; NULL: none needed */
    char *repeat;   /* the one command that reproduces it */
    char *tried;    /* a mend that was tried and works (remedy_tried.h); NULL: use the help of its
                       remedy or rule */
    struct finding_move move; /* the same mend */
};

struct finding_list {
    struct finding *finding;
    uint32_t count, room;
    uint64_t verified;    /* collectives whose results were compared with their definition */
    struct orders orders; /* orders of events that were examined */
    bool spent;           /* a checker spent its budget, and nothing was found */
    char *only, *ignored; /* rules that the user chose or left out, "leak,type"; NULL: none */
};

void finding_list_done(struct finding_list *list);

/* Adds an empty finding and returns it; valid until the next one is added. NULL when out of memory
 * (reported). */
struct finding *finding_list_add(struct finding_list *list, enum rule_id rule,
                                 enum finding_severity severity);
/* Removes the findings from index `first` on whose rule is not wanted (indexed by rule_id). */
void finding_list_keep(struct finding_list *list, uint32_t first, const bool wanted[RULE_COUNT]);
/* Removes the finding at that index; it must not be the cause of another one. */
void finding_list_drop(struct finding_list *list, uint32_t index);

/* Set the title, or add a fact, printf style; a new title replaces the old one. Out of memory is
 * reported: the title is NULL, the fact is missing. */
void finding_title(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_fact(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the title with the ranks of its calls: "(rank 0)", "(ranks 0-3)". CORE_NO_MEMORY (reported).
 */
enum core_status finding_title_ranks(struct finding *finding);
/* Makes the present title the claim, and "possibly CLAIM" the title until it is confirmed. */
void finding_title_possible(struct finding *finding);
/* Returns how the mistake is usually mended; NULL if there is no advice. */
const char *finding_help(const struct finding *finding);
/* Returns the title, or the id of the rule if there is no title. */
const char *finding_says(const struct finding *finding);
/* Adds the fact "WHAT at PLACE"; adds nothing if the site is unknown (-1). */
void finding_place(struct finding *finding, const struct trace *trace, const char *what,
                   int32_t site);
/* Notes that the finding rests on a load seen at the site. Optimising compilers load what the
 * program may not have asked for, so at optimised code the finding becomes a note. */
void finding_of_load(struct finding *finding, const struct trace *trace, int32_t site);
/* NULL: none, so that no job is run under it. */
void finding_schedule(struct finding *finding, const struct replay_policy *schedule);
/* The policies under which every program is run. */
extern const struct replay_policy check_unbuffered, check_buffered;
bool finding_is_under(const struct finding *finding, const struct replay_policy *schedule);
void finding_repeat(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets the command "crosswait check --only=RULE 'T.db'", for a finding whose checker set none. */
void finding_repeat_check(struct finding *finding, const struct trace *trace);

/* Adds a rank's part; call and site are taken from the event (seq 0: none). Valid until the next
 * one is added. NULL (reported) when out of memory. */
struct finding_call *finding_call_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq);

/* The same for a rank of the core. */
struct finding_call *finding_core_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq);

/* Adds a rank's part without a trace: the call, its site ("a.c:17", or NULL), the full path of that
 * file (or NULL), and a note on what happens there. CORE_NO_MEMORY (reported). */
enum core_status finding_place_add(struct finding *finding, uint32_t rank, const char *call,
                                   const char *site, const char *path, const char *note);

/* Adds a rank that the call waits for; does nothing if the rank is already listed. */
void finding_call_await(struct finding_call *call, uint32_t rank, bool any);

/* Records that the finding's calls wait for what that call began, or for that rank (seq 0).
 * CORE_NO_MEMORY (reported). */
enum core_status finding_link_add(struct finding *finding, uint32_t rank, uint64_t seq);

/* Names the operation that a wait waits for; if MPI_Start began it, names the call that made the
 * request. */
void finding_call_subject(struct finding_call *call, struct trace *trace, uint64_t seq);

/* Stores how the trial of a finding ended. An assumed finding becomes an error if confirmed, else
 * it stays a note. A finding that failed in a world becomes a note if the real job refuted it. */
void finding_confirm(struct finding *finding, enum finding_confirmed how);
bool finding_is_refuted(const struct finding *finding);

/* Adds a finding that says how far the check reaches. NULL when out of memory (reported). */
struct finding *finding_list_reach(struct finding_list *list, enum rule_id rule);
/* Tells whether the finding is an assumption that its trial did not confirm. Reports only count
 * such findings, unless the user asks for all. */
bool finding_is_faint(const struct finding *finding);
/* Tells whether the finding is about the program, so that its authors should see it at its lines:
 * it is not faint and not about the reach of the check. */
bool finding_is_of_program(const struct finding *finding);

bool finding_list_fails(const struct finding_list *list); /* any warning or error */
bool finding_list_undecided(const struct finding_list *list);

/* Returns the finding as one JSON object, as the trace stores it and the JSON report contains it.
 * Free with free(); NULL: out of memory. */
char *finding_json(const struct finding *finding);
/* Adds the finding that finding_json wrote to the list. CORE_BAD_FORMAT, without a report, if the
 * text is malformed or its id is not the next one of the list. */
enum core_status finding_list_read(struct finding_list *list, const char *json);

#endif
