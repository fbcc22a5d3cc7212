/* Reading a trace (the SQLite file that store/store.h writes): tables that are small are in
 * memory from the start, events come through a cursor per rank, in the order of their sequence
 * numbers. Also the places where replays and findings are kept. */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/trace/ending.h"
#include "core/trace/event.h"
#include "core/trace/exit_cause.h"
#include "core/trace/traits.h"
#include "core/spool/spool.h"
#include "core/status.h"

enum { TRACE_SCHEMA_VERSION = 18, TRACE_APPLICATION_ID = 0x43574954 /* "CWIT" */ };
/* A row of event_part or message_part has so many calls at most, and a time there so many bytes, of
 * two digits each. */
enum { TRACE_PART_CALLS_MAX = 256, TRACE_TIME_BYTES_MAX = 5, TRACE_SUM_CALLS_MAX = 1 << 30 };
enum { TRACE_ROWS_KEPT_MAX = 1 << 24 }; /* of 24 bytes */

struct trace_call {
    const char *name;
    enum event_class class;
    enum event_mode mode;
    enum verb verb;
    uint64_t traits;
};
struct trace_site { /* strings are NULL when unknown; line 0 when unknown */
    const char *file, *path, *function, *module, *symbol, *inlined;
    int line;
    int optimized; /* 0: compiled as written, 1: not, -1 unknown */
    int returned;  /* enum result_use: what becomes of what a call there returns */
    uint64_t address, offset;
};
struct trace_comm {
    const char *name; /* "MPI_COMM_WORLD", a name set by the program, or NULL */
    bool inter;
    bool overtaking; /* a rank's info says that its messages may overtake each other */
    int32_t size, remote_size;
    int32_t topology;      /* 0 none, 1 cartesian, 2 graph, 3 distributed graph */
    int32_t parent;        /* id, -1 none */
    const int32_t *member; /* world ranks of the local group, by rank in it; EVENT_NONE where the
                              record was cut */
    const int32_t *remote; /* intercommunicators: of the other side. An intercommunicator has one
                              row; the side listed first is the one that holds its smallest world
                              rank: ask trace_comm_world for a peer's world rank */
};
struct trace_datatype {
    const char *name;
    int64_t size, lb, extent;
    uint64_t signature;
    const struct spool_segment *segment; /* NULL: map not kept */
    uint32_t segment_count;
};
struct trace_rank {
    const char *host, *detail;
    enum event_rank_state state;
    int64_t code;
    uint64_t events, lost;
    uint32_t threads; /* that made calls */
    bool cut;
};

struct trace { /* opened by trace_open; arrays are indexed by id, entries of ids that do not exist
                  are zero */
    struct sqlite3 *db;
    char *path;
    uint32_t rank_count;
    struct trace_rank *rank;
    uint32_t call_count, site_count, comm_count, datatype_count, op_count;
    struct trace_call *call;
    struct trace_site *site;
    struct trace_comm *comm;
    struct trace_datatype *datatype;
    const char **op_name;
    bool *op_commutative;
    int32_t *op_site;            /* the function of one of the program's own; 0 unknown */
    void *arena;                 /* strings and arrays above */
    struct trace_shapes *shapes; /* what cursors share */
    struct trace_made *made;     /* trace_provenance.c */
    uint32_t rows_kept_max;      /* events that cursors keep in memory; 0: none */
    uint32_t holds;              /* trace_hold */
    struct trace_unfold *unfold; /* trace_unfold.c */
    bool imported;       /* made of another tool's: receives have the envelope that they matched */
    uint64_t file_bytes; /* no table can have more rows than this: a bound for damaged files */
    uint64_t summed;     /* calls whose times are summed up (trace_event) */
};

enum trace_access { TRACE_READ, TRACE_WRITE /* findings and runs can be added */ };

/* Refuses, with a sentence: a file that does not exist, is no SQLite, is no trace, is of a newer
 * version, is damaged. */
enum core_status trace_open(const char *path, enum trace_access access, struct trace *out_trace);
void trace_close(struct trace *trace); /* takes a zeroed one */

/* Between the two, which nest, the file is locked against writers once instead of at each question.
 * Cursors do so while they are open. Nothing is written meanwhile. */
enum core_status trace_hold(struct trace *trace);
void trace_release(struct trace *trace);

/* Names an object for a person: by the name that the program gave it (MPI_Comm_set_name), or by the
 * call that made it first, by rank, and its place. Looked up when first asked for. false: nothing
 * is known. */
struct trace_maker {
    const char *name; /* NULL: the program gave none */
    int32_t call;     /* -1: not recorded */
    int32_t site;
};
bool trace_comm_maker(const struct trace *trace, int32_t comm, struct trace_maker *out_maker);
bool trace_datatype_maker(const struct trace *trace, int32_t datatype,
                          struct trace_maker *out_maker);

/* World rank of rank `peer` of comm as seen by world rank `me` (for intercommunicators: in the
 * other group). EVENT_ANY, EVENT_PROC_NULL and EVENT_ROOT come back unchanged; EVENT_NONE if out of
 * range. */
int32_t trace_comm_world(const struct trace *trace, int32_t comm, int32_t me, int32_t peer);
/* meta: NULL if there is no such key. The text is valid until trace_close. */
const char *trace_meta(struct trace *trace, const char *key);
/* In place of what stood there; NULL: removes it. */
enum core_status trace_meta_put(struct trace *trace, const char *key, const char *value);

/* The numbers that an ending names communicators by (ending.h), by id; comm_count of them. Free
 * with free(). */
enum core_status trace_comm_globals(const struct trace *trace, uint64_t **out_global);
/* How the launcher ended the job, and what it saw the ranks wait for. Free with ending_done(). */
enum core_status trace_ending_get(const struct trace *trace, struct ending *out_ending);

/* How each rank ended that did not come to its end, by rank. The text is valid until fn returns. A
 * status other than CORE_OK ends it and is returned. */
typedef enum core_status (*trace_exit_cause_fn)(const struct exit_cause *cause, void *context);
enum core_status trace_exit_causes_each(struct trace *trace, trace_exit_cause_fn fn, void *context);

struct trace_completion { /* waits, tests and MPI_Startall on several requests have one for each,
                             done or not, but null requests */
    uint32_t index;       /* place in the call's list */
    uint64_t request;
    bool done, cancelled;
    int32_t source, tag; /* in the communicator; EVENT_NONE where a send or collective has none */
    uint64_t bytes;
    int32_t error;
};
struct trace_event {
    uint32_t rank;
    uint64_t seq;
    uint64_t parent; /* seq; 0: the application's own call */
    int32_t call;    /* index into trace->call */
    enum event_class class;
    enum event_mode mode;
    enum verb verb;
    uint64_t traits;   /* of the call */
    int32_t comm;      /* -1 none; of window and file calls: what the window was made on */
    int32_t win;       /* id in table win; -1 none */
    int32_t peer, tag; /* EVENT_NONE if none */
    int32_t datatype;  /* -1 none */
    int64_t count;     /* EVENT_NONE if none */
    uint64_t bytes;
    int32_t root, op; /* EVENT_NONE if none */
    uint64_t request; /* 0 none, and for calls on several: see completion. Id of the communicator,
                         group, datatype or operation for calls that make one */
    uint64_t message; /* MPI_Imrecv: id of the message that it receives; 0: none, or not kept */
    int32_t site;     /* 0 unknown */
    int32_t thread, error;
    uint64_t t_enter, t_leave; /* ns since the job's start; t_leave equals t_enter while pending */
    bool pending;              /* had not returned when the record ends */
    bool summed; /* when it was entered and left is not known: only that it was between these times,
                    which are those of the rounds of a loop that it is one of (event_sum) */
    uint64_t
        repeat; /* equal polls that it stands for, from t_enter to t_leave; 1 for everything else */
    bool has_recv_half; /* receive side below */
    int32_t recv_peer, recv_tag, recv_datatype;
    int64_t recv_count;
    uint64_t recv_bytes;
    int64_t arg_set;                           /* for trace_args_each; 0: no further arguments */
    const struct trace_completion *completion; /* valid until the next trace_cursor_next */
    uint32_t completion_count;
};

/* Rounds of a loop whose calls' times are summed up, as the table event_sum has them. */
struct trace_sum_call {                 /* of the round */
    uint32_t shape;                     /* as in the table shape */
    uint64_t calls, total, least, most; /* ns */
};
struct trace_sum {
    uint32_t rank;
    uint64_t seq, calls;
    uint64_t t_enter, t_leave; /* of the first call and of the last one, ns */
    const struct trace_sum_call *call;
    uint32_t call_count;
};
struct trace_sums;
/* All of them by rank and seq. *out_sum is valid until the next call; NULL: there are no more. */
enum core_status trace_sums_open(struct trace *trace, struct trace_sums **out_sums);
enum core_status trace_sums_next(struct trace_sums *sums, const struct trace_sum **out_sum);
void trace_sums_close(struct trace_sums *sums);
/* Refuses a trace of which a call's times are summed up, where `what` needs those of each call. */
enum core_status trace_times_needed(const struct trace *trace, const char *what);

struct trace_cursor;
enum core_status trace_cursor_open(struct trace *trace, uint32_t rank,
                                   struct trace_cursor **out_cursor);
/* *out_more = false at the end; *out_event is valid until the next call. */
enum core_status trace_cursor_next(struct trace_cursor *cursor, struct trace_event *out_event,
                                   bool *out_more);
/* From here on only events of calls with one of these traits: the others cost little more than a
 * step over their rows. */
void trace_cursor_only(struct trace_cursor *cursor, uint64_t traits);
void trace_cursor_close(struct trace_cursor *cursor);

/* One event by its number, e.g. to describe a finding's call. CORE_NOT_FOUND without a report if
 * there is none. Its completions are not loaded. */
enum core_status trace_event_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                 struct trace_event *out_event);

/* Values of an array or scalar argument by name, e.g. "sendcounts", "message". *out_count = 0 when
 * it was not kept. Free with free(). */
enum core_status trace_arg_get(struct trace *trace, uint32_t rank, uint64_t seq, const char *name,
                               int64_t **out_value, uint32_t *out_count);

/* The only value of an argument, or its first. *value stays as it is where none was kept. */
enum core_status trace_arg_first(struct trace *trace, const struct trace_event *event,
                                 const char *name, int64_t *value);
/* The same for those whose judgement a trace that cannot be read ends anyway: `otherwise` then,
 * too. */
int64_t trace_arg_value(struct trace *trace, const struct trace_event *event, const char *name,
                        int64_t otherwise);

/* Each further argument of an event: arrays value by value, scalars and texts with index 0, in the
 * order of the call. text is NULL for numbers. A status other than CORE_OK ends it and is returned.
 */
typedef enum core_status (*trace_arg_fn)(const char *name, uint32_t index, int64_t value,
                                         const char *text, void *context);
enum core_status trace_args_each(struct trace *trace, int64_t arg_set, trace_arg_fn fn,
                                 void *context);

/* The only text of the call; false: it has none, or there is no room. */
bool trace_arg_text(struct trace *trace, const struct trace_event *event, char *text,
                    size_t text_bytes);

/* Identifies the file that a call opens or deletes: its path on its machine without links, and its
 * device and inode; 0: not known. Files on different machines cannot be compared. */
struct trace_named {
    int64_t place, device, inode;
};
struct trace_named trace_named(struct trace *trace, const struct trace_event *event);
bool trace_named_differ(const struct trace_named *a, const struct trace_named *b);
/* Whether both name the same file, for files that exist at the same time: inode numbers are used
 * again. */
bool trace_named_same(const struct trace_named *a, const struct trace_named *b);

/* Whether the call is no communication: the library refused it (event_refused), or the rank died in
 * it and had given it arguments that make no sense. The event's completions must be loaded. */
enum core_status trace_event_refused(struct trace *trace, const struct trace_event *event,
                                     bool *out_refused);

typedef enum core_status (*trace_made_in_fn)(uint32_t rank, uint64_t seq, void *context);
/* Visits the calls that a function led to, as far as their stacks were recorded, in the order of
 * ranks and their calls. */
enum core_status trace_made_in(struct trace *trace, const char *function, trace_made_in_fn fn,
                               void *context);

/* Visits the misuse that ranks saw themselves, in the order of ranks and their calls. The names are
 * valid until fn returns. A status other than CORE_OK ends it and is returned. */
typedef enum core_status (*trace_misuse_fn)(uint32_t rank, uint64_t seq,
                                            const struct misuse *misuse, void *context);
enum core_status trace_misuse_each(struct trace *trace, trace_misuse_fn fn, void *context);

/* The longest message that a call's receive took, as far as messages tell. CORE_NOT_FOUND, without
 * a report: none. Goes through all messages. */
enum core_status trace_received_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                    uint64_t *out_bytes);

/* World ranks of a group that a call named (argument "group"), by rank in it; *out_count = 0 when
 * it was not kept. Free with free(). */
enum core_status trace_group_get(struct trace *trace, int64_t group, int64_t **out_member,
                                 uint32_t *out_count);

/* "quiz.c:31", or "main+0x42 (quiz)", or "?" ; written into buffer, which is returned. */
const char *trace_site_text(const struct trace *trace, int32_t site, char *buffer,
                            size_t buffer_bytes);

/* Kept in the trace file itself: table finding, a row a finding. */
struct trace_finding {
    int64_t id; /* at least 1 */
    const char *checker, *rule, *class, *severity, *title;
    const char *ranks;    /* "0,1,17" */
    const char *schedule; /* policy text; NULL: rests on none */
    const char *repeat;   /* command; NULL */
    const char *json;     /* all of it */
    int confirmed;        /* as its column in trace_schema.sql says */
};
/* Brackets writes that are done as a whole, or not at all: status says which. */
enum core_status trace_batch_begin(struct trace *trace);
enum core_status trace_batch_end(struct trace *trace, enum core_status status);
/* Writes the row of that id, in place of the one that may be there. */
enum core_status trace_finding_put(struct trace *trace, const struct trace_finding *finding);
/* Stores whether the real job confirmed the finding of that id. */
enum core_status trace_finding_confirm(struct trace *trace, int64_t id, bool confirmed);
/* Each finding by its id; texts are valid until fn returns. A status other than CORE_OK ends it and
 * is returned. */
typedef enum core_status (*trace_finding_fn)(const struct trace_finding *finding, void *context);
enum core_status trace_findings_each(struct trace *trace, trace_finding_fn fn, void *context);
/* Removes what earlier checks left. */
enum core_status trace_findings_clear(struct trace *trace);
enum core_status trace_run_add(struct trace *trace, const char *policy, uint64_t seed,
                               const char *verdict, const char *detail);

#endif
