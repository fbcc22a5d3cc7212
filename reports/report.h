/* Reports: facts are gathered once (report_facts.c), renderers write them in a format
 * (report_NAME.c), and one table lists the formats. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "checkers/finding.h"
#include "core/status.h"
#include "core/trace/trace.h"
#include "reports/source.h"
#include "reports/why.h"

struct report_call_total { /* the application's own calls of one MPI function */
    char name[64];
    uint64_t count;
    uint64_t bytes;
    uint64_t time_ns; /* inside calls that returned, summed over all ranks */
    uint64_t pending; /* calls that did not return */
};

struct report_cost { /* the library's blocking collectives with the same call, ranks, size, rounds
                        and words */
    const char *call, *row; /* first row of the model that matches; NULL if none */
    uint32_t ranks, rows;   /* rows: number of rows that match */
    uint64_t bytes, calls;
    uint64_t row_operations; /* C of the row, in operations on elements: local work leaves no trace
                                of its own */
    uint64_t rounds, words_bytes, bound_rounds, bound_bytes, messages, volume_bytes;
    uint64_t engine_ps, row_ps, bound_ps; /* alpha * rounds + beta * words: as measured in the
                                             engine, of the row (0 if none), of the bound */
    uint64_t recorded_ns;                 /* longest time of a rank in one of the calls */
    int32_t site;                         /* of that call */
};

/* Causes for which a rank idles on the timed clock. X(name, text). */
#define REPORT_IDLES(X)               \
    X(LATE_SENDER, "late sender")     \
    X(LATE_RECEIVER, "late receiver") \
    X(PORT, "busy port")              \
    X(LINK, "busy link")              \
    X(COLLECTIVE, "collective")
#define X(name, text) REPORT_IDLE_##name,
enum report_idle_cause { REPORT_IDLES(X) REPORT_IDLE_COUNT };
#undef X
const char *report_idle_text(enum report_idle_cause cause);

struct report_idle { /* a rank on the timed clock */
    uint32_t rank;
    uint64_t ps[REPORT_IDLE_COUNT], finish_ps;
};

struct report_time { /* the whole job on the timed clock, with the library's own messages if they
                        were recorded */
    bool known;      /* false: not run, `why` gives the reason */
    const char *why;
    uint64_t makespan_ps;
    uint64_t path_alphas, path_bytes, path_operations, path_compute_ps; /* on the critical path */
    uint64_t path_steps;
    uint32_t path_end;               /* rank that ends last */
    struct report_idle idle[8];      /* ranks that idle most, most first */
    uint32_t idle_count, idle_ranks; /* entries of idle; ranks of the job that idle */
    uint64_t ps[REPORT_IDLE_COUNT];  /* summed over all ranks */
};

struct report_last { /* the last call of ranks that ended alike */
    char *ranks;     /* "ranks 0-19,21-23" */
    enum event_rank_state state;
    const char *detail;                     /* of the state; NULL: none */
    const char *call;                       /* "MPI_Recv"; NULL if they made no call */
    char *where;                            /* "hang20.c:13" */
    bool pending;                           /* they are still in the call; false: it was their last
                                               one */
    uint64_t since_first_ns, since_last_ns; /* when the first and the last of them got there, on the
                                               job's clock */
    uint32_t count, rank;                   /* rank: the first of them */
};

struct report_entry { /* a finding, in the order of the report */
    const struct finding *finding;
    const struct finding *cause; /* finding shown before; NULL if it is no consequence */
    uint32_t follows;            /* number of entries behind it that follow from it */
    /* for it and all that follow from it: true if true for any of them, and the worst severity */
    bool ended;     /* the job ended in its calls */
    bool ended_job; /* it says what ended the recorded run */
    enum finding_severity severity;
};

struct block;
struct report_style {
    bool colour;  /* escape sequences of terminals */
    bool verbose; /* text: all further facts, and each rank on its own */
};

struct report_facts {
    struct trace *trace;
    const struct finding_list *findings;
    struct finding_list proof;  /* why the job was ended, if no finding says who waits for whom */
    struct report_entry *entry; /* one for each finding */
    struct report_last *last;   /* of a job that did not end well; fewest ranks first */
    uint32_t last_count, last_room;
    struct source *source;
    const char *output;        /* name of the written file; NULL: standard output */
    const char *source_root;   /* source paths are relative to it; NULL: the current directory */
    struct report_style style; /* for renderers of text */
    const char *category;      /* name by which a CI system separates this run from others */
    uint32_t number;           /* number among traces of the same subject in one file, from 1 */
    const char *command;       /* NULL if unknown */
    char *program;             /* "./app", "src/app.py": what the ranks ran; NULL if unknown */
    char *subject;             /* "./app, 8 ranks" */
    const char *library;
    char *ended;   /* why and how crosswait ended the job; NULL if it did not */
    char *waiting; /* of a snapshot: who waited for whom; NULL if the job is over */
    enum ending_reason reason;
    bool rests;        /* DEADLOCK: the proof rests on nothing having moved, see wording_rests */
    uint64_t still_ms; /* DEADLOCK: time from the last progress to the end; 0 if unknown */
    int64_t exit_code; /* of the job; -1 if unknown */
    const char *interrupted; /* "SIGINT": signal by which the user ended the job; NULL: none */
    uint64_t events, inner_events, lost, unread, messages, message_bytes;
    uint64_t unknown;        /* lost calls of which only the name is known */
    char unknown_names[256]; /* "MPIX_Comm_agree, MPIX_Comm_shrink" */
    uint64_t abroad;         /* calls in which processes of another job take part */
    uint32_t hosts;
    uint32_t ranks_in_state[EVENT_RANK_STATE_COUNT];
    uint64_t end_ns;  /* when the last call that returned left */
    uint64_t span_ns; /* from the start of the first call to the end of the last one */
    struct report_call_total *total;
    uint32_t total_count;
    struct report_cost *cost; /* most expensive in the engine first */
    uint32_t cost_count;
    uint64_t cost_unmeasured;
    struct report_time time;
    struct why why;
};

/* Writes "the data of 3 calls was not looked at: ..." into buffer, which is returned; empty if all
 * data was read. */
const char *report_unread(const struct report_facts *facts, char *buffer, size_t buffer_bytes);
/* Writes "3 calls could not be recorded; what ... does is not known" into buffer, which is
 * returned; empty if no call was lost. */
const char *report_lost(const struct report_facts *facts, char *buffer, size_t buffer_bytes);

enum report_need {                    /* bits: parts of the facts that take long to gather */
                   REPORT_TOTALS = 1, /* total */
                   REPORT_COST = 2,   /* cost and time */
                   REPORT_WHY = 4,    /* why */
                   REPORT_ALL = 7,
                   REPORT_WAITS = 8 /* why, but only if gathering is quick and a clean job took
                                       long */
};

/* Gathers the facts. findings: NULL if no checker ran. needs: bits of enum report_need. */
enum core_status report_facts_gather(struct trace *trace, const struct finding_list *findings,
                                     unsigned needs, struct report_facts *out_facts);
/* Gathers cost and time (report_cost.c). */
enum core_status report_cost_gather(struct report_facts *facts);
/* Writes "takes 5.0 us, and rank 0 ends last; on its critical path are 4 message start-ups (alpha)
 * and 8,012 bytes". */
void report_time_path(const struct report_time *time, FILE *file);
/* Gathers program and subject (report_program.c). */
enum core_status report_program_gather(struct report_facts *facts);
/* Returns the subject of a trace, "./app, 8 ranks", without other facts. Free with free(); NULL:
 * out of memory (reported). */
char *report_subject(struct trace *trace);
/* Gathers the last calls (report_last.c). */
enum core_status report_last_gather(struct report_facts *facts);
/* Sorts the entries (report_order.c). */
enum core_status report_order_gather(struct report_facts *facts);
/* Reports measure or run again the calls of programs up to this size: it takes up to 200 bytes a
 * call. */
enum { REPORT_CALLS_MAX = 4000000 };
enum { REPORT_VERDICT_MAX = 256 };
/* Tells whether all ranks finished and none of their calls was lost. */
bool report_is_whole(const struct report_facts *facts);
/* Writes the verdict into buffer, which is returned: "1 error, 2 notes", "2 errors; 1 more follows
 * from them", "undecided", "clean", "clean in the 300 orders tried; more exist", "interrupted by
 * SIGINT; clean as far as it was recorded"...; "" if no checker ran. */
const char *report_verdict(const struct report_facts *facts, char *buffer, size_t buffer_bytes);
/* Writes "crosswait ended the job 0.9 s after its last progress: it could never have continued"
 * into buffer, which is returned, if the entry explains that end. Returns NULL for any other entry.
 */
const char *report_ended(const struct report_facts *facts, const struct report_entry *entry,
                         char *buffer, size_t buffer_bytes);
void report_facts_done(struct report_facts *facts);

/* The formats. X(NAME, purpose, parts of the facts that it needs (verbose text needs all), HEAD,
 * BETWEEN, TAIL): report_NAME() writes one trace. A file is HEAD, the traces with BETWEEN between
 * two non-empty ones, and TAIL. BETWEEN NULL: a file holds one trace. */
#define REPORT_FORMATS_FURTHER(X)                                                                  \
    X(why, "for reading in a terminal: who makes whom wait, and where time went", REPORT_WHY, "",  \
      "\n", "")                                                                                    \
    X(html, "one page for a browser: findings, timeline, events, totals", REPORT_ALL, "", NULL,    \
      "")                                                                                          \
    X(json, "one object, for scripts", REPORT_ALL, "", NULL, "")                                   \
    X(sarif, "SARIF 2.1.0: findings at their source lines, for code scanning", 0, SARIF_HEAD,      \
      SARIF_BETWEEN, SARIF_TAIL)                                                                   \
    X(junit, "JUnit XML, for the test tab of a CI system", 0, JUNIT_HEAD, "", JUNIT_TAIL)          \
    X(github, "commands of a GitHub workflow: findings at their lines, as annotations", 0, "", "", \
      "")                                                                                          \
    X(gitlab, "code quality of GitLab: findings at their lines, in merge requests", 0, "[", ",",   \
      "\n]\n")                                                                                     \
    X(markdown, "a summary with a table of findings, for the page of a GitHub job", 0, "", "\n",   \
      "")                                                                                          \
    X(suggest, "a patch for each remedy that was tried and moves a line of the source", 0, "", "", \
      "")                                                                                          \
    X(proof, "why a deadlock is proven, step by step, and whether a check accepts it", 0, "",      \
      "\n", "")                                                                                    \
    X(dot, "who waits for whom, for Graphviz", 0, "", "", "")                                      \
    X(perfetto, "a timeline with messages as arrows, for ui.perfetto.dev", 0, "", NULL, "")        \
    X(goal, "the schedule of messages, for LogGOPSim and other simulators", 0, "", NULL, "")
#define REPORT_FORMATS(X)                                            \
    X(text, "for reading in a terminal", REPORT_WAITS, "", "\n", "") \
    REPORT_FORMATS_FURTHER(X)

typedef enum core_status (*report_render_fn)(const struct report_facts *facts, FILE *file);
struct report_format {
    const char *name;
    const char *what; /* one sentence, for --help */
    unsigned needs;
    const char *head, *between, *tail;
    report_render_fn render;
};
extern const struct report_format report_table[]; /* the last entry's name is NULL */
#define X(name, ...) enum core_status report_##name(const struct report_facts *facts, FILE *file);
REPORT_FORMATS(X)
#undef X
/* Names of the formats, for use in a sentence. */
#define REPORT_NAME_LISTED(name, ...) ", " #name
#define REPORT_NAMES_LISTED "text (default)" REPORT_FORMATS_FURTHER(REPORT_NAME_LISTED)
/* Reports that the report cannot be written, and why (errno). Returns CORE_IO. */
enum core_status report_unwritten(const struct report_facts *facts);
/* Keeps a file of several traces within its readers' limits: may replace text, which holds the
 * traces without HEAD and TAIL. */
enum core_status report_fit(const struct report_format *format, char **text, size_t *bytes);
/* Returns the reason why a file of this format would be empty, and is not written; NULL: an empty
 * file has a meaning, or there is none. */
const char *report_nothing(const struct report_format *format);
const struct report_format *report_find(const char *name);
/* Writes "text, json, ..." into buffer, which is returned. */
const char *report_names(char *buffer, size_t buffer_bytes);

enum core_status report_text_findings(const struct report_facts *facts,
                                      FILE *file); /* without job and totals */
/* Writes one finding as in the report for a terminal. */
enum core_status report_text_finding(const struct report_facts *facts,
                                     const struct report_entry *entry, struct report_style style,
                                     FILE *file);
/* Writes any finding with its block in the same form: more are further sentences, NULL-terminated;
 * help adds the remedy. */
void report_text_shown(const struct finding *finding, const struct block *block,
                       const char *const *more, bool help, struct report_style style, FILE *file);
/* Writes the part on waiting, for other formats that include it. */
void report_why_print(const struct report_facts *facts, FILE *file);
/* Returns the sentence on waiting as text. Free with free(); NULL: out of memory. */
char *report_why_sentence_text(const struct report_facts *facts);
/* Writes one line if the ranks waited for each other long enough to mention unasked. */
void report_why_line(const struct report_facts *facts, FILE *file);
/* Writes "messages grow: those of MPI_Send at x.c:12 had ...". */
void report_why_growth(const struct report_facts *facts, const struct why_growth *growth,
                       FILE *file);
const char *report_why_kind(enum why_kind kind);
/* Tells whether one rank stands out among those that a row waits for. */
bool report_why_one(const struct why_row *row);
/* Writes "1.20 s" or "3.4 ms" into buffer, which is returned. */
const char *report_why_time(uint64_t ns, char *buffer, size_t buffer_bytes);
/* Returns the scope of the verdict: {"explored": {"behaviours": 300, "complete": false, "orders":
 * "some"}, "recorded_whole": true}; explored is null if no checker ran. */
struct json_t;
struct json_t *report_json_run(const struct report_facts *facts);
/* Adds the block's places to the current result, in the order of the text. */
struct sarif;
void report_sarif_places(struct sarif *sarif, const struct block *block);

#endif
