/* Reads a trace (the SQLite file that store/store.h writes). The small tables are in memory from
 * the start; a cursor per rank returns the events in the order of their sequence numbers. Also
 * writes runs and findings into the trace. */
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

enum { TRACE_SCHEMA_VERSION = 23, TRACE_APPLICATION_ID = 0x43574954 /* "CWIT" */ };

/* Columns of `shape` that count from the number of the event's rank (trace_schema.sql). */
enum trace_near { TRACE_NEAR_PEER = 1, TRACE_NEAR_RECV_PEER = 2 };
enum trace_arg_near { TRACE_NEAR_RANK = 1, TRACE_NEAR_REQUEST = 2 }; /* of arg_set */
/* The largest number of calls in a row of event_part, of bytes (two digits each) for a time in such
 * a row, and of calls or messages in a row of event_sum or message_part. */
enum { TRACE_PART_CALLS_MAX = 256, TRACE_TIME_BYTES_MAX = 5, TRACE_SUM_CALLS_MAX = 1 << 30 };
enum { TRACE_ROWS_KEPT_MAX = 1 << 24 }; /* rows of 24 bytes */

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
    int optimized; /* 0: compiled without optimization, 1: with, -1: unknown */
    int returned;  /* enum result_use: how the caller uses the result of a call there */
    uint64_t address, offset;
};
struct trace_comm {
    const char *name; /* "MPI_COMM_WORLD", a name set by the program, or NULL */
    bool inter;
    bool overtaking; /* a rank's info allows its messages to overtake each other */
    int32_t size, remote_size;
    int32_t topology;      /* 0 none, 1 cartesian, 2 graph, 3 distributed graph */
    int32_t parent;        /* id, -1 none */
    const int32_t *member; /* world ranks of the local group, by rank in it; EVENT_NONE if the
                              record was cut */
    const int32_t *remote; /* intercommunicators: world ranks of the other side. An
                              intercommunicator has one row, with the group that holds its smallest
                              world rank as the local one: use trace_comm_world for a peer's world
                              rank */
};
struct trace_datatype {
    const char *name;
    int64_t size, lb, extent;
    uint64_t signature;
    const struct spool_segment *segment; /* NULL: the type map was not kept */
    uint32_t segment_count;
};
struct trace_rank {
    const char *host, *detail;
    enum event_rank_state state;
    int64_t code;
    uint64_t events, lost;
    uint32_t threads; /* threads that made calls */
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
    int32_t *op_site;            /* site of a user-defined function; 0: unknown */
    void *arena;                 /* memory of the strings and arrays above */
    struct trace_shapes *shapes; /* shared by all cursors */
    struct trace_made *made;     /* trace_provenance.c */
    uint32_t rows_kept_max;      /* limit of events that cursors keep in memory; 0: none */
    uint32_t holds;              /* nesting depth of trace_hold */
    struct trace_unfold *unfold; /* trace_unfold.c */
    bool imported;       /* imported from another tool's record: receives have the envelope that
                            they matched */
    uint64_t file_bytes; /* no table has more rows than this: a bound for damaged files */
    uint64_t summed;     /* calls without times of their own (trace_event.summed) */
};

enum trace_access { TRACE_READ, TRACE_WRITE /* allows to add findings and runs */ };

/* Opens a trace. Refuses, with a report, a file that does not exist, is no SQLite file, is no
 * trace, has a newer version, or is damaged. */
enum core_status trace_open(const char *path, enum trace_access access, struct trace *out_trace);
void trace_close(struct trace *trace); /* accepts a zeroed one */

/* Lock the file against writers once, instead of at each query, from trace_hold to trace_release;
 * calls nest. Open cursors do this as well. Nothing may be written meanwhile. */
enum core_status trace_hold(struct trace *trace);
void trace_release(struct trace *trace);

/* Names an object for a person: by the name that the program gave it (MPI_Comm_set_name), or by the
 * call that made it on the lowest rank, and its place. Found at the first request. Returns false if
 * nothing is known. */
struct trace_maker {
    const char *name; /* NULL: the program gave none */
    int32_t call;     /* -1: not recorded */
    int32_t site;
};
bool trace_comm_maker(const struct trace *trace, int32_t comm, struct trace_maker *out_maker);
bool trace_datatype_maker(const struct trace *trace, int32_t datatype,
                          struct trace_maker *out_maker);

/* Returns the world rank of rank `peer` of comm as seen by world rank `me` (for intercommunicators:
 * in the other group). Returns EVENT_ANY, EVENT_PROC_NULL and EVENT_ROOT unchanged; EVENT_NONE if
 * out of range. */
int32_t trace_comm_world(const struct trace *trace, int32_t comm, int32_t me, int32_t peer);
/* Returns a value of the table meta; NULL if there is no such key. Valid until trace_close. */
const char *trace_meta(struct trace *trace, const char *key);
/* Replaces the value of a key; NULL: removes it. */
enum core_status trace_meta_put(struct trace *trace, const char *key, const char *value);

/* Loads the numbers by which an ending names communicators (ending.h): comm_count of them, by id.
 * Free with free(). */
enum core_status trace_comm_globals(const struct trace *trace, uint64_t **out_global);
/* Loads how the launcher ended the job and what it saw the ranks wait for. Free with
 * ending_done(). */
enum core_status trace_ending_get(const struct trace *trace, struct ending *out_ending);

/* Visits, by rank, how each rank ended that did not finish. The text is valid until fn returns. A
 * status other than CORE_OK from fn ends the visit and is returned. */
typedef enum core_status (*trace_exit_cause_fn)(const struct exit_cause *cause, void *context);
enum core_status trace_exit_causes_each(struct trace *trace, trace_exit_cause_fn fn, void *context);

struct trace_completion { /* waits, tests and MPI_Startall on several requests have one for each
                             request that is not null, done or not */
    uint32_t index;       /* of the request in the call's list */
    uint64_t request;
    bool done, cancelled;
    int32_t source, tag; /* in the communicator; EVENT_NONE for sends and collectives */
    uint64_t bytes;
    int32_t error;
};
struct trace_event {
    uint32_t rank;
    uint64_t seq;
    uint64_t parent; /* seq of the outer call; 0: the application's own call */
    int32_t call;    /* index into trace->call */
    enum event_class class;
    enum event_mode mode;
    enum verb verb;
    uint64_t traits;   /* of the call */
    int32_t comm;      /* -1: none; window and file calls: the communicator of the window or file */
    int32_t win;       /* id in table win; -1 none */
    int32_t peer, tag; /* EVENT_NONE if none */
    int32_t datatype;  /* -1 none */
    int64_t count;     /* EVENT_NONE if none */
    uint64_t bytes;
    int32_t root, op; /* EVENT_NONE if none */
    uint64_t request; /* 0: none, or a list (see completion). For calls that make a communicator,
                         group, datatype or operation: its id */
    uint64_t message; /* MPI_Imrecv: id of the message that it receives; 0: none, or not kept */
    int32_t site;     /* 0 unknown */
    int32_t thread, error;
    uint64_t t_enter, t_leave; /* ns since the job's start; t_leave equals t_enter while pending */
    bool pending;              /* the call had not returned at the end of the record */
    bool summed; /* the call's own times are unknown: t_enter and t_leave are those of the rounds of
                    a loop that it belongs to (event_sum) */
    uint64_t
        repeat; /* equal polls that this event stands for, from t_enter to t_leave; otherwise 1 */
    bool has_recv_half; /* the receive side below is valid */
    int32_t recv_peer, recv_tag, recv_datatype;
    int64_t recv_count;
    uint64_t recv_bytes;
    int64_t arg_set;                           /* for trace_args_each; 0: no further arguments */
    const struct trace_completion *completion; /* valid until the next trace_cursor_next */
    uint32_t completion_count;
};

/* Rounds of a loop without times of their own for each call, as in the table event_sum. */
struct trace_sum_call { /* one call of the round */
    uint32_t shape;     /* id in the table shape */
    /* ns; if rows share their sums, calls and total are this row's part, in proportion to its
     * rounds, and least and most are those of all of them */
    uint64_t calls, total, least, most;
};
struct trace_sum {
    uint32_t rank;
    uint64_t seq, calls;
    uint64_t t_enter, t_leave; /* of the first and the last call, ns */
    const struct trace_sum_call *call;
    uint32_t call_count;
};
struct trace_sums;
/* Read all of them by rank and seq. *out_sum is valid until the next call; NULL at the end. */
enum core_status trace_sums_open(struct trace *trace, struct trace_sums **out_sums);
enum core_status trace_sums_next(struct trace_sums *sums, const struct trace_sum **out_sum);
void trace_sums_close(struct trace_sums *sums);
/* Refuses a trace in which calls have no times of their own, because `what` needs them. */
enum core_status trace_times_needed(const struct trace *trace, const char *what);

struct trace_cursor;
enum core_status trace_cursor_open(struct trace *trace, uint32_t rank,
                                   struct trace_cursor **out_cursor);
/* Reads the next event. *out_more = false at the end; *out_event is valid until the next call. */
enum core_status trace_cursor_next(struct trace_cursor *cursor, struct trace_event *out_event,
                                   bool *out_more);
/* Restricts the cursor, from here on, to calls with one of these traits. Skipping other calls costs
 * little more than a step over their rows. */
void trace_cursor_only(struct trace_cursor *cursor, uint64_t traits);
void trace_cursor_close(struct trace_cursor *cursor);

/* Loads one event by its number, e.g. to describe a finding's call, without its completions.
 * Returns CORE_NOT_FOUND without a report if there is none. */
enum core_status trace_event_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                 struct trace_event *out_event);

/* Loads the values of an array or scalar argument by name, e.g. "sendcounts", "message". *out_count
 * = 0 if it was not kept. Free with free(). */
enum core_status trace_arg_get(struct trace *trace, uint32_t rank, uint64_t seq, const char *name,
                               int64_t **out_value, uint32_t *out_count);

/* Loads the only or the first value of an argument. *value stays unchanged if none was kept. */
enum core_status trace_arg_first(struct trace *trace, const struct trace_event *event,
                                 const char *name, int64_t *value);
/* Returns the same value; `otherwise` if none was kept or the trace cannot be read, for callers
 * that an unreadable trace stops anyway. */
int64_t trace_arg_value(struct trace *trace, const struct trace_event *event, const char *name,
                        int64_t otherwise);

/* Visits each further argument of an event in the order of the call: arrays value by value, scalars
 * and texts with index 0. text is NULL for numbers. A status other than CORE_OK from fn ends the
 * visit and is returned. */
typedef enum core_status (*trace_arg_fn)(const char *name, uint32_t index, int64_t value,
                                         const char *text, void *context);
enum core_status trace_args_each(struct trace *trace, const struct trace_event *event,
                                 trace_arg_fn fn, void *context);

/* Copies the only text argument of the call. Returns false if it has none, or no room. */
bool trace_arg_text(struct trace *trace, const struct trace_event *event, char *text,
                    size_t text_bytes);

/* Identifies the file that a call opens or deletes: its path without links on its machine, and its
 * device and inode; 0: unknown. Files on different machines cannot be compared. */
struct trace_named {
    int64_t place, device, inode;
};
struct trace_named trace_named(struct trace *trace, const struct trace_event *event);
bool trace_named_differ(const struct trace_named *a, const struct trace_named *b);
/* Tells whether both name the same file, for files that exist at the same time: systems reuse inode
 * numbers. */
bool trace_named_same(const struct trace_named *a, const struct trace_named *b);

/* Tells whether the call is no communication: the library refused it (event_refused), or the rank
 * died in it after passing invalid arguments. The event's completions must be loaded. */
enum core_status trace_event_refused(struct trace *trace, const struct trace_event *event,
                                     bool *out_refused);

typedef enum core_status (*trace_made_in_fn)(uint32_t rank, uint64_t seq, void *context);
/* Visits the recorded calls that `function` led to, by rank and call, if their stacks were
 * recorded. */
enum core_status trace_made_in(struct trace *trace, const char *function, trace_made_in_fn fn,
                               void *context);

/* Visits the misuse that ranks detected at their own calls, by rank and call. The names are valid
 * until fn returns. A status other than CORE_OK from fn ends the visit and is returned. */
typedef enum core_status (*trace_misuse_fn)(uint32_t rank, uint64_t seq,
                                            const struct misuse *misuse, void *context);
enum core_status trace_misuse_each(struct trace *trace, trace_misuse_fn fn, void *context);

/* Finds the size of the longest message that a call's receive got, according to the messages of the
 * trace. Returns CORE_NOT_FOUND without a report if there is none. Reads all messages. */
enum core_status trace_received_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                    uint64_t *out_bytes);

/* Loads the world ranks of a group that a call names (argument "group"), by rank in it; *out_count
 * = 0 if it was not kept. Free with free(). */
enum core_status trace_group_get(struct trace *trace, int64_t group, int64_t **out_member,
                                 uint32_t *out_count);

/* Returns "quiz.c:31", or "main+0x42 (quiz)", or "an unknown place", written into buffer. */
const char *trace_site_text(const struct trace *trace, int32_t site, char *buffer,
                            size_t buffer_bytes);

/* One row of the trace's table finding. */
struct trace_finding {
    int64_t id; /* at least 1 */
    const char *checker, *rule, *class, *severity, *title;
    const char *ranks;    /* "0,1,17" */
    const char *schedule; /* policy text; NULL: none */
    const char *repeat;   /* command; or NULL */
    const char *json;     /* the whole finding */
    int confirmed;        /* see its column in trace_schema.sql */
};
/* Bracket writes that succeed as a whole or not at all: status decides which. */
enum core_status trace_batch_begin(struct trace *trace);
enum core_status trace_batch_end(struct trace *trace, enum core_status status);
/* Writes the finding with its id, and replaces an existing one. */
enum core_status trace_finding_put(struct trace *trace, const struct trace_finding *finding);
/* Stores whether the real job confirmed the finding. */
enum core_status trace_finding_confirm(struct trace *trace, int64_t id, bool confirmed);
/* Visits the findings by id; texts are valid until fn returns. A status other than CORE_OK from fn
 * ends the visit and is returned. */
typedef enum core_status (*trace_finding_fn)(const struct trace_finding *finding, void *context);
enum core_status trace_findings_each(struct trace *trace, trace_finding_fn fn, void *context);
/* Removes the findings of earlier checks. */
enum core_status trace_findings_clear(struct trace *trace);
enum core_status trace_run_add(struct trace *trace, const char *policy, uint64_t seed,
                               const char *verdict, const char *detail);

#endif
