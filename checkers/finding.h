/* Findings, as data: reports render it, the trace file keeps it, exit codes follow from
 * it. */
#ifndef CHECKERS_FINDING_H
#define CHECKERS_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "checkers/orders.h"
#include "checkers/rule.h"
#include "core/status.h"
#include "core/trace/trace.h"

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
    FINDING_RULED_OUT, /* all behaviours of the program were run in worlds, and none fails */
    FINDING_UNPROVEN,  /* the real job was run under its schedule, which proved nothing */
    FINDING_FAILS,     /* what fails in a world fails in the real job, too */
    FINDING_MADE,      /* the wrong call was made in the real job, too, which finished */
    FINDING_CONFIRMED_COUNT
};
const char *finding_confirmed_text(enum finding_confirmed confirmed);

enum finding_effect {                         /* of the mistake, on the calls that make it */
                      FINDING_EFFECT_OPEN,    /* whatever it may be */
                      FINDING_EFFECT_BLOCKS,  /* they wait for ever wherever nothing is buffered */
                      FINDING_EFFECT_FAILS,   /* MPI raises an error, or the rank dies */
                      FINDING_EFFECT_LACKS,   /* none: the ranks that are named first end without */
                      FINDING_EFFECT_MEETS,   /* they access the same bytes, in no order */
                      FINDING_EFFECT_SPOILS,  /* as FAILS, or memory beside what they are given is
                                                 overwritten, of which the rank may die later */
                      FINDING_EFFECT_REFUSED, /* none, as MPI refused them, though others wait */
                      FINDING_EFFECT_COUNT
};
const char *finding_effect_text(enum finding_effect effect);

struct finding_await {    /* ranks that a call waits for: all from first to last */
    uint32_t first, last; /* world */
    bool any;             /* each is one of several that would do */
};
struct finding_call {     /* a rank's part in it */
    uint32_t rank;        /* world */
    uint64_t seq;         /* of the event; 0: the rank is not in a recorded call */
    char *call;           /* "MPI_Send(dest=1, ...)" */
    char *site;           /* "quiz.c:31" */
    char *path;           /* of the source, where no trace knows it (no seq); NULL */
    uint64_t subject_seq; /* for a wait: the operation waited for; 0: none */
    char *subject;        /* "MPI_Isend(dest=1, ...)"; NULL */
    char *subject_site;
    char *waits_for;             /* "rank 1", "any of ranks 1, 2"; NULL when it waits for nobody */
    struct finding_await *await; /* the same as data, in the order of ranks, none twice */
    uint32_t await_count, await_room;
    char *note;       /* e.g. "3rd time at this place"; NULL */
    bool core;        /* one of those that hold each other; false: merely waits for them */
    bool leads;       /* it did not fail: what was decided in it leads there */
    bool found;       /* it found what the program itself had done before it */
    char *found_site; /* where that was; NULL: unknown. Neither told nor kept */
};

struct finding_link { /* a call, or a rank (seq 0) */
    uint32_t rank;    /* world */
    uint64_t seq;
};

struct finding {
    uint32_t id; /* from 1, in the order of the list; of its row in the trace as well */
    const struct rule *rule;
    enum finding_severity severity;
    bool assumed;   /* rests on what the program would have done, which the trace does not tell: a
                       note until it is confirmed */
    bool undecided; /* assumed, and nothing in the trace speaks against it: without the real job
                       there is no verdict */
    bool ended_job; /* it says what ended the recorded run, that was not ended by crosswait */
    bool reach; /* a note that says how far the judgement reaches, and not what the program does:
                   "no deadlock in 20,000 schedules" */
    enum finding_effect effect;
    enum remedy remedy;
    enum finding_confirmed confirmed;
    uint32_t cause; /* id of the finding that it follows from (cause.h), which follows from none; 0:
                       of none */
    char *title;    /* one sentence */
    char *claim;    /* assumed: the title that it has once it is confirmed */
    struct finding_call *call;
    uint32_t call_count, call_room;
    struct finding_link *link; /* what its calls wait for, by which its cause is found (cause.h);
                                  neither told nor kept */
    uint32_t link_count, link_room;
    char **fact; /* further sentences, in order */
    uint32_t fact_count, fact_room;
    char *schedule; /* policy text that brings it about; NULL: none needed */
    char *repeat;   /* the one command that shows it again */
    char *tried;    /* how it is mended, by a change that was tried (remedy_tried.h); NULL: as its
                       rule or remedy says */
};

struct finding_list {
    struct finding *finding;
    uint32_t count, room;
    uint64_t verified;    /* collectives whose results were compared with their definition */
    struct orders orders; /* that were looked at */
    bool spent;           /* a checker spent its budget, and nothing was found */
};

void finding_list_done(struct finding_list *list);

/* Adds an empty finding and returns it; valid until the next one is added. NULL when out of memory
 * (reported). */
struct finding *finding_list_add(struct finding_list *list, enum rule_id rule,
                                 enum finding_severity severity);
/* Leaves out those from `first` on whose rule is not among the wanted ones (by rule_id). */
void finding_list_keep(struct finding_list *list, uint32_t first, const bool wanted[RULE_COUNT]);
/* Leaves out the one at that index, of which no other follows. */
void finding_list_drop(struct finding_list *list, uint32_t index);

/* Fill in, printf style; what was there is replaced. Out of memory is reported and leaves NULL. */
void finding_title(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_fact(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The title ends with the ranks of its calls: "(rank 0)", "(ranks 0-3)". CORE_NO_MEMORY (reported).
 */
enum core_status finding_title_ranks(struct finding *finding);
/* Its title is "possibly CLAIM" until it is confirmed, the claim being the title that it has. */
void finding_title_possible(struct finding *finding);
/* How it is mended as a rule; NULL where there is no such thing. */
const char *finding_help(const struct finding *finding);
/* The title, or its rule where there is none. */
const char *finding_says(const struct finding *finding);
/* "WHAT at PLACE"; nothing if the site (-1) is not known. */
void finding_place(struct finding *finding, const struct trace *trace, const char *what,
                   int32_t site);
/* It rests on a load that was seen at the site. Compilers that optimise load what the program may
 * not have asked for: there it is a note. */
void finding_of_load(struct finding *finding, const struct trace *trace, int32_t site);
void finding_schedule(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_repeat(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "crosswait check --only=RULE 'T.db'": the one of those that a checker gave none. */
void finding_repeat_check(struct finding *finding, const struct trace *trace);

/* Adds a rank's part; call and site are taken from the event (seq 0: none). Valid until the next
 * one is added. NULL (reported) when out of memory. */
struct finding_call *finding_call_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq);

/* The same for a rank that it is about. */
struct finding_call *finding_core_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq);

/* A rank's part in it where there is no trace: what it calls, where ("a.c:17", or NULL; the whole
 * path of a.c, or NULL), and what happens there. CORE_NO_MEMORY (reported). */
enum core_status finding_place_add(struct finding *finding, uint32_t rank, const char *call,
                                   const char *site, const char *path, const char *note);

/* A rank that the call waits for; one that is there already stays as it was. */
void finding_call_await(struct finding_call *call, uint32_t rank, bool any);

/* Its calls wait for what that call began, or for that rank (seq 0). CORE_NO_MEMORY (reported). */
enum core_status finding_link_add(struct finding *finding, uint32_t rank, uint64_t seq);

/* Names the operation that a wait waits for; where that is a start, the call that made the request.
 */
void finding_call_subject(struct finding_call *call, struct trace *trace, uint64_t seq);

/* Outcome of the trial of a finding. An assumed one that was confirmed is an error from now
 * on, any other stays a note; what failed in a world is a note where it was refuted. */
void finding_confirm(struct finding *finding, enum finding_confirmed how);
bool finding_is_refuted(const struct finding *finding);

/* Adds one that says how far the judgement reaches. NULL when out of memory (reported). */
struct finding *finding_list_reach(struct finding_list *list, enum rule_id rule);
/* Whether the record speaks against it, and the real job did not confirm it either: not worth a
 * reader's time, unless he asks for all. */
bool finding_is_faint(const struct finding *finding);
/* Whether it is of the program, so that whoever keeps its code is to see it at its lines: neither
 * faint nor of the judgement's reach. */
bool finding_is_of_program(const struct finding *finding);

bool finding_list_fails(const struct finding_list *list); /* any warning or error */
bool finding_list_undecided(const struct finding_list *list);

/* The finding as one JSON object, as stored in the trace and as part of the JSON report. Free with
 * free(); NULL: out of memory. */
char *finding_json(const struct finding *finding);
/* And back: added to the list. CORE_BAD_FORMAT, without a report, for what was not so written, or
 * is not the next one of its list. */
enum core_status finding_list_read(struct finding_list *list, const char *json);

#endif
