/* Shared by the files store*.c, and included by nobody else. One store_write is one struct store;
 * it goes through the ranks in ascending order, one at a time, so that memory does not grow with
 * the number of events. What it holds on to: definitions, the hashes that make rows unique
 * (bounded, see store_intern), and the messages between ranks already read and ranks still to be
 * read (40 bytes each), of which the first STORE_SPILL_BYTES are in memory.
 *
 *   store.c         the order of things: open, prescan, ranks, finish, rename
 *   store_sql.c     the SQLite file: statements, errors, faults
 *   store_intern.c  content -> small number
 *   store_define.c  definitions of a rank merged into the trace's tables
 *   store_lane.c    a lane's records gathered into whole calls
 *   store_event.c   a whole call turned into rows
 *   store_fold.c    the rows of loops
 *   store_loop.c    rounds of a spool's loop, taken as such
 *   store_memory.c  which variables buffers are, and whether they fit
 *   store_message.c    which calls begin and complete a communication
 *   store_match.c   sends paired with receives
 *   store_spill.c   an array that lies in a file when it has grown
 *   store_clock.c   ticks to nanoseconds since the job's start
 *   store_ending.c  how the job was ended
 *   store_exit_cause.c    how a rank ended
 *   store_rank.c    what became of a rank; meta */
#ifndef STORE_STORE_PART_H
#define STORE_STORE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "core/array.h"
#include "core/spool/spool.h"
#include "core/spool/spool_read.h"
#include "core/status.h"
#include "core/trace/event_view.h"
#include "core/trace/request.h"
#include "store/store.h"
#include "core/table.h"
#include "program/site.h"
#include "core/trace/traits.h"

#define STORE_NULL INT64_MIN /* a column without a value */

enum {
    STORE_SEQ_BITS = 40,
    STORE_IDS_MAX = 1 << 22, /* of one kind, of one rank */
    STORE_INTERN_MAX =
        1 << 19, /* contents remembered; then the hash starts anew, and rows may repeat */
    STORE_TAGGED_MAX = 1 << 12, /* shapes and sets of completions that hold their tags themselves */
    STORE_WINDOW = 1 << 15,     /* calls that may wait for an earlier one to return before rows are
                                   written out of order */
    STORE_LISTS_MAX = 16,       /* array arguments of one call */
    STORE_LIST_VALUES_MAX = 1 << 24,
    STORE_GATHERS_MAX = 64, /* calls of one lane whose parts have come, and whose event has not */
    STORE_NOTES_BYTES_MAX = 16384,
    STORE_PAYLOAD_BYTES_MAX = 1 << 20
};

/* --- store_sql.c ------------------------------------------------------------------------------ */

enum store_table {
    STORE_META,
    STORE_RANK,
    STORE_CALL,
    STORE_SITE,
    STORE_COMM,
    STORE_COMM_MEMBER,
    STORE_HINT,
    STORE_GRP,
    STORE_GRP_MEMBER,
    STORE_WIN,
    STORE_WIN_PART,
    STORE_DATATYPE,
    STORE_OP,
    STORE_SHAPE,
    STORE_EVENT,
    STORE_EVENT_PART,
    STORE_EVENT_SUM,
    STORE_EVENT_SUM_CALL,
    STORE_EVENT_SUM_LOG,
    STORE_SLOW_ROUND,
    STORE_LOOP,
    STORE_LOOP_CALL,
    STORE_COMPLETION,
    STORE_ARG,
    STORE_DIGEST,
    STORE_PAYLOAD,
    STORE_STACK,
    STORE_CHANNEL,
    STORE_MESSAGE,
    STORE_MESSAGE_PART,
    STORE_MISUSE,
    STORE_ENDED,
    STORE_PROOF,
    STORE_PROOF_RANK,
    STORE_PROOF_CHANNEL,
    STORE_PROOF_MEMBER,
    STORE_RANK_SPAN,
    STORE_EXIT_CAUSE,
    STORE_EXIT_CAUSE_FRAME,
    STORE_TABLE_COUNT
};
struct store_batch { /* rows of a table that gets many, inserted by one statement: a statement costs
                        as much as two rows */
    sqlite3_stmt *insert;
    int64_t *value;
    int rows;
};
struct store_sql {
    sqlite3 *db;
    char *partial; /* path of the file being written */
    const char *path;
    sqlite3_stmt *insert[STORE_TABLE_COUNT];
    struct store_batch batch[STORE_TABLE_COUNT]; /* value is NULL for tables without */
};

enum core_status store_sql_open(struct store_sql *sql, const char *path, const char *schema);
/* Closes without a trace: the partial file is removed. */
void store_sql_abandon(struct store_sql *sql);
/* Commits, closes, and gives the file its name. */
enum core_status store_sql_finish(struct store_sql *sql);
enum core_status store_sql_run(struct store_sql *sql, const char *text);

/* Inserts a row. Values in the order of the table's columns, as the letters say: i int64_t
 * (STORE_NULL is NULL), t const char * (NULL is NULL), b const void * and size_t. */
enum core_status store_put(struct store_sql *sql, enum store_table table, const char *letters, ...);
/* The same for rows of integers only. Rows of some tables wait for others, until store_sql_finish
 * at the latest. */
enum core_status store_put_integers(struct store_sql *sql, enum store_table table,
                                    const int64_t *value, int count);

/* --- store_intern.c --------------------------------------------------------------------------- */

struct store_intern {
    struct core_table content; /* a 128-bit hash stands for the content */
    uint32_t next;             /* the last id given out */
    bool bounded;              /* forgets all when it holds STORE_INTERN_MAX contents */
};
/* *out_id is content's number; *out_new: nobody had it (or it was forgotten). */
enum core_status store_intern(struct store_intern *intern, const void *content, size_t bytes,
                              uint32_t *out_id, bool *out_new);
void store_intern_done(struct store_intern *intern);

/* A rank's ids to the trace's: 0 where there is none. */
struct store_map {
    uint32_t *value;
    uint32_t room;
};
enum core_status store_map_set(struct store_map *map, uint32_t id,
                               uint32_t value); /* ids from STORE_IDS_MAX on are ignored */
static inline uint32_t store_map_get(const struct store_map *map, uint32_t id)
{
    return id < map->room ? map->value[id] : 0;
}

/* Grows *array of elements of `bytes` to hold `need`, doubling; what is new is zero. */
static inline enum core_status store_room(void *array, size_t bytes, uint64_t need, uint32_t *room)
{
    return need <= *room
               ? CORE_OK
               : core_array_grow(array, bytes, room, need, CORE_ARRAY_DOUBLE_ZERO, "the trace");
}

/* --- store_spill.c ---------------------------------------------------------------------------- */

enum { STORE_SPILL_BYTES = 4 << 20 };
struct store_spill { /* of one array; all zero: it is empty */
    void *map;       /* NULL: it lies in memory */
    uint64_t bytes;  /* of the map */
    int fd;
    bool refused; /* a file cannot be had */
    uint32_t walked;
};
/* store_room, with a file in the folder of `beside` once it is large. */
enum core_status store_spill_room(struct store_spill *spill, const char *beside, void *array,
                                  size_t element_bytes, uint64_t need, uint32_t *room);
/* So many more elements were looked at: once in a while all leave the process's memory. */
void store_spill_walk(struct store_spill *spill, uint32_t count);
void store_spill_done(struct store_spill *spill, void *elements);

/* --- store_define.c --------------------------------------------------------------------------- */

struct store_call {
    char *name;
    char *names; /* name, NUL, kind, NUL; repeated. Of scalar arguments the kind is that of an id or
                    empty; then come lists and texts, "@" and their position */
    uint32_t names_count, names_scalar;
    enum event_class class;
    enum verb verb;
    uint64_t traits;
    bool inner; /* of the library's inside, not MPI_ */
};
struct store_module {
    char *path;
    unsigned char *build_id;
    uint32_t build_id_bytes;
};
struct store_site {
    uint32_t module; /* index into module[]; 0 unknown */
    uint64_t address;
    char *function; /* of a source file, whose line `address` is; NULL: of machine code */
    bool behind;    /* what is called there is a binding, */
    uint32_t inner; /* whose site calls MPI; 0: not known */
    enum { SITE_UNKNOWN, SITE_OUTSIDE, SITE_BOUND } bound;
};
struct store_type {
    char *name;                    /* NULL: it has none */
    int64_t size, extent;          /* 0: there is no such type */
    struct spool_segment *segment; /* of ids of the trace */
    uint32_t segment_count;        /* 0: not kept */
};
struct store_comm {
    int32_t *member; /* local group of the side that defined it first, then the other */
    uint32_t size, remote_size;
    uint32_t known; /* members filled in so far */
    bool inter, written;
    bool overtaking; /* its messages may overtake each other: matching_hint_reorders */
    uint64_t global;
    uint32_t parent, topology;
    char *name;
};
struct store_defs { /* of the trace; arrays are indexed by id, from 1 */
    struct store_intern call_by_name, site_by_place, module_by_path, comm_by_global,
        type_by_content, op_by_content, win_by_global, group_by_content;
    struct store_call *call;
    struct store_module *module;
    struct store_site *site;
    struct store_comm *comm;
    struct store_type *type;
    uint32_t *win_comm;
    uint32_t call_room, module_room, site_room, comm_room, type_room, win_room;
};
struct store_ids { /* of one rank */
    struct store_map call, site, module, comm, group, type, op, win, file;
    int32_t *group_member; /* of the group being read: long ones take several records */
    uint32_t group_id, group_known, group_room;
    struct store_map comm_other; /* by id: 1 where this rank is in the group listed second */
};

struct store;
struct store_rank;
/* A record of kind SPOOL_DEF_*. */
enum core_status store_define(struct store *store, struct store_rank *rank,
                              const struct spool_head *head);
/* World rank of peer in comm (a trace id) for this rank; EVENT_NONE if there is none. */
int32_t store_world(const struct store *store, const struct store_rank *rank, uint32_t local_comm,
                    int32_t peer);
enum core_status
store_define_place(struct store *store, const char *module, uint64_t address,
                   uint32_t *out_site); /* of no rank's; before store_define_finish */
enum core_status
store_define_finish(struct store *store); /* communicators, sites with their source lines */
void store_defs_done(struct store_defs *defs);
void store_ids_done(struct store_ids *ids);

/* --- store_match.c ---------------------------------------------------------------------------- */

struct store_match {
    struct store_match_queue *queue; /* by number, from 1 */
    struct store_match_node *node;   /* by number, from 1 */
    struct store_spill spill;        /* of the nodes */
    uint32_t queue_room, queue_count, queue_free;
    uint32_t node_room, node_count, node_free;
    uint32_t *bucket; /* hash of queues */
    uint32_t bucket_room, queue_live;
    uint32_t *due; /* by world rank: queues whose two ranks are both read once this one is */
    uint32_t due_room;
    struct store_intern channel;
    struct store_match_pair *pair; /* of the queue that is being settled */
    uint32_t pair_count, pair_room;
    int64_t messages; /* so far, of which each has its number */
    int64_t folded;   /* of them, in parts */
};
struct store_side {       /* one side of a message */
    uint32_t comm;        /* trace id */
    int32_t source, dest; /* world */
    int32_t tag;
    bool inner;
    uint32_t pair; /* of partitioned ones (core/trace/request.h): these meet no others; 0: not so */
};
/* time: when the send began, and when the receive was known to be complete. */
enum core_status store_match_send(struct store *store, const struct store_side *side, uint64_t seq,
                                  int64_t bytes, int64_t time);
/* order: the sequence number of what posted the receive. maybe: it is not known to have matched
 * anything. */
enum core_status store_match_receive(struct store *store, const struct store_side *side,
                                     uint64_t order, uint64_t seq, int64_t bytes, int64_t time,
                                     bool maybe);
/* The same in two steps, for many of one side: the side's number, which holds until the next
 * store_match_rank; and one that is sent, or received. */
enum core_status store_match_queue(struct store *store, const struct store_side *side,
                                   uint32_t *out_queue);
enum core_status store_match_add(struct store *store, uint32_t queue, bool receives, uint64_t order,
                                 uint64_t seq, int64_t bytes, int64_t time);
/* The same, if the last one of its side was one like it, `step` before, and no times are asked for:
 * store->gaps_known is false. */
struct store_match_run {
    uint64_t order, seq, step;
    int64_t bytes;
    uint32_t node; /* 0 at first */
};
enum core_status store_match_again(struct store *store, uint32_t queue, bool receives,
                                   struct store_match_run *run);
void store_match_unsend(struct store *store, const struct store_side *side, uint64_t seq);
/* After a rank was read: messages between it and ranks before it, and itself, are written. */
enum core_status store_match_rank(struct store *store, int32_t world_rank);
void store_match_done(struct store_match *match);

/* --- store_clock.c ---------------------------------------------------------------------------- */

struct store_clock { /* of one host: ns = start_ns + (ticks - ticks0) * mult / 2^48 */
    uint64_t ticks;
    int64_t start_ns;
    uint64_t mult;
    bool compared;    /* with that of the launcher's machine; that itself, if others are */
    int64_t ahead_ns; /* of it, when they were compared best */
    struct core_machine machine;
};
int64_t store_clock_ns(const struct store_clock *clock, uint64_t ticks);
/* Works out the clock of every rank (store->clock, store_rank_clock) from headers and clock
 * records. */
enum core_status store_clocks_find(struct store *store);
const struct store_clock *store_clock_of(const struct store *store, int32_t rank);
void store_clocks_done(struct store *store);

/* --- store_lane.c ----------------------------------------------------------------------------- */

struct store_list {
    uint16_t role;
    uint32_t argument;
    uint32_t count, room;
    int64_t *value;
};
struct store_done {        /* hashed as bytes: no gaps */
    int64_t request_ahead; /* STORE_NULL none */
    int64_t bytes;
    int64_t source, tag;
    uint32_t index;
    int32_t error;
    uint32_t done, cancelled;
};
struct store_gather { /* the parts of one call */
    uint64_t seq;     /* 0: not in use */
    bool has_recv_half;
    struct spool_recv_half recv_half;
    uint64_t calls; /* that the event stands for; 0: no record says, so one */
    struct store_list list[STORE_LISTS_MAX];
    uint32_t list_count;
    struct spool_done *done;
    uint32_t done_count, done_room;
    int64_t *arg; /* scalar arguments */
    uint32_t arg_count, arg_room;
    char *text; /* argument position (uint16_t), length (uint16_t), bytes; repeated */
    uint32_t text_bytes, text_room;
    uint32_t *frame;
    uint32_t frame_count, frame_room;
    unsigned char *misuse; /* whole records SPOOL_MISUSE and SPOOL_MEMORY, one after the other */
    uint32_t misuse_bytes, misuse_room;
};
enum { STORE_THREADS_MAX = 1024 };
struct store_lane {
    struct spool_reader reader;
    uint32_t number; /* of the thread whose calls are read */
    bool open, at_end;
    struct spool_event event;   /* the next call, complete with its parts */
    struct store_gather *parts; /* of event */
    struct store_gather gather[STORE_GATHERS_MAX];
    uint32_t newest, gathers; /* gathers: in use */
    uint64_t last_seq;        /* of the last call that returned */
    uint64_t last_own;        /* the same, of those of the application */
};
/* Reads on to the next call: lane->event and lane->parts, or at_end. Definitions, digests,
 * payloads, notes go to their tables at once. */
enum core_status store_lane_next(struct store *store, struct store_rank *rank,
                                 struct store_lane *lane);
/* Parts that came for a call that never returned; NULL none. */
struct store_gather *store_lane_parts(struct store_lane *lane, uint64_t seq);
/* The first list of that role; NULL none. parts may be NULL. */
const struct store_list *store_list_find(const struct store_gather *parts, uint16_t role);
void store_lane_close(struct store_lane *lane);

/* --- store_event.c ---------------------------------------------------------------------------- */

struct store_row {
    uint64_t seq; /* 0: none */
    uint32_t shape;
    int64_t request, t_enter, duration, calls; /* calls: STORE_NULL for 1 */
    int64_t tag; /* from which the others are counted; STORE_NULL: from 0 */
    bool inner;  /* made inside another call */
};
struct store_window { /* calls return in another order than they were entered; rows are written in
                         that of entering */
    struct store_row *row; /* STORE_WINDOW, by seq modulo */
    uint64_t next;         /* the smallest sequence number not yet written */
    uint64_t last;         /* the largest in the window */
};
/* parts may be NULL. calls: how many it stands for. pending: it had not returned. */
enum core_status store_event(struct store *store, struct store_rank *rank, uint32_t lane,
                             const struct spool_event *event, struct store_gather *parts,
                             uint64_t calls, bool pending);
enum core_status store_window_flush(struct store *store, struct store_rank *rank);
/* A row that is known, of a call that had returned. */
enum core_status store_event_row(struct store *store, struct store_rank *rank,
                                 const struct store_row *row);

/* --- store_loop.c ----------------------------------------------------------------------------- */

struct store_loop;
/* Before the calls of a rank. */
enum core_status store_loop_rank(struct store *store);
/* Around store_event, of the lane's event. _end takes the rounds that follow it. */
enum core_status store_loop_begin(struct store *store, const struct store_rank *rank,
                                  struct store_lane *lane);
enum core_status store_loop_end(struct store *store, struct store_rank *rank,
                                struct store_lane *lane);
/* Note what the call became: its row; a message; something that cannot be repeated. */
void store_loop_row(struct store *store, const struct store_row *row);
void store_loop_message(struct store *store, bool receives, const struct store_side *side,
                        uint64_t order, uint64_t seq, int64_t bytes);
void store_loop_odd(struct store *store);
void store_loop_done(struct store *store);

/* --- store_sum.c ------------------------------------------------------------------------------ */

struct store_call_time { /* ns */
    int64_t enter, leave;
};
struct store_sum; /* of the loop that is read */
struct store_sum_row;
struct store_sum *store_sum_new(void); /* NULL: out of memory */
void store_sum_done(struct store_sum *sum);
/* A loop that was not met before, whose rounds have so many calls. */
enum core_status store_sum_begin(struct store_sum *sum, uint32_t calls);
/* A round came, which lasted so long. Returns whether that is far longer than most. */
bool store_sum_slow(struct store_sum *sum, int64_t duration);
/* Whether so few rounds came that the times of all are kept. */
bool store_sum_keeps(const struct store_sum *sum);
/* Adds the times of a round, whose calls have these rows. *out_taken = false: they are to be put
 * one by one. */
enum core_status store_sum_add(struct store *store, struct store_rank *rank, struct store_sum *sum,
                               const struct store_sum_row *row, const struct store_call_time *time,
                               bool *out_taken);
/* Writes what was added. */
enum core_status store_sum_close(struct store *store, int32_t rank, struct store_sum *sum);
/* Writes a row for a round that was slow: seq is that of the call that took longest. */
enum core_status store_sum_slow_put(struct store *store, int32_t rank, const struct store_sum *sum,
                                    uint64_t seq, int64_t duration);

/* --- store_fold.c ----------------------------------------------------------------------------- */

struct store_fold;
/* CROSSWAIT_LOOPS=off: each call has a row of its own. */
enum core_status store_fold_begin(struct store *store);
/* Rows of a rank, in ascending order but for some. */
enum core_status store_fold_put(struct store *store, int32_t rank, const struct store_row *row);
/* The same of a row that is one of a loop: periods are not looked for. */
enum core_status store_fold_round(struct store *store, int32_t rank, const struct store_row *row);
/* Where whole rounds begin whose rows are not put one by one. */
struct store_fold_place {
    int64_t loop, request;
    uint32_t first, calls; /* of a round of that loop */
};
/* The calls of a round, in the order of their numbers. If they are the loop's next ones, and so are
 * those of all rounds that follow by their steps: where they begin, all before is written, and the
 * calls of such rounds, `calls` each, may be passed over. *out_fits = false: they may not. */
struct store_sum_row {
    const struct store_row *row;
    int64_t step;   /* of its request, from round to round */
    uint32_t place; /* of the call in the order in which the lane tells of them */
};
enum core_status store_fold_sum(struct store *store, int32_t rank, const struct store_sum_row *row,
                                uint32_t calls, struct store_fold_place *out, bool *out_fits);
/* So many calls were passed over. */
void store_fold_passed(struct store *store, uint64_t calls);
/* The loop that goes, written; and how many-th of its rounds the call is of. 0: there is none. */
enum core_status store_fold_number(struct store *store, uint64_t seq, int64_t *out_loop,
                                   int64_t *out_number);
enum core_status store_fold_end(struct store *store, int32_t rank);
/* When all ranks are stored. */
enum core_status store_fold_finish(struct store *store);
void store_fold_done(struct store *store);

/* --- store_memory.c --------------------------------------------------------------------------- */

struct store_outcome;
/* Judges the memory of the call's buffers: writes a row where something is wrong. */
enum core_status store_memory(struct store *store, const struct store_rank *rank, uint64_t seq,
                              const struct spool_memory *record);
void store_memory_done(struct store *store);

/* --- store_message.c -------------------------------------------------------------------------- */

/* Sends, receives and completions of a call; bytes: of the event, call: a trace id. */
enum core_status store_message_follow(struct store *store, struct store_rank *rank,
                                      const struct spool_event *event,
                                      const struct store_gather *parts, uint32_t call,
                                      int64_t bytes, bool pending);
/* Receives that nobody waited for. */
enum core_status store_message_finish(struct store *store, struct store_rank *rank);

/* --- store_rank.c ----------------------------------------------------------------------------- */

struct store_rank { /* the rank being read */
    int32_t rank;
    struct store_ids ids;
    struct requests requests;
    struct event_view view; /* of the call that is being followed */
    struct store_window window;
    struct store_lane **lane; /* on the heap: they are large */
    uint32_t lane_count;
    uint32_t thread_count; /* numbers given out: of the lanes, then of the threads that took over
                              the lane of one that had ended */
    uint32_t thread_next;  /* from STORE_THREADS_MAX on they come again */
    const struct store_clock *clock;
    uint64_t events, folded, lost_records; /* folded: calls that share another call's event */
    bool torn;
    bool in_rounds; /* rows are those of store_event_row */
    bool gaps;      /* calls are missing before or between those that are there */
};
enum core_status store_rank_read(struct store *store, const struct spool_lane_name *lane,
                                 uint32_t lane_count);
enum core_status store_rank_missing(struct store *store, int32_t rank);
enum core_status store_meta(struct store *store, const struct store_options *options);

/* --- store_exit_cause.c ----------------------------------------------------------------------- */

struct store_exit_cause_of { /* what became of the rank */
    enum event_rank_state state;
    int64_t code;           /* STORE_NULL: not known */
    bool first, died_after; /* of a signal, when it had finished */
};
/* Its row, if it did not come to its end. */
enum core_status store_exit_cause_of(struct store *store, const struct store_rank *rank,
                                     const struct store_exit_cause_of *became);

/* --- store_ending.c --------------------------------------------------------------------------- */

/* ending may be NULL. */
enum core_status store_ending_stacks(struct store *store, const struct ending *ending);
enum core_status store_ending(struct store *store, const struct ending *ending);

/* --- store.c ---------------------------------------------------------------------------------- */

struct store {
    const char *job_path;
    const struct store_options *options;
    struct store_sql sql;
    struct store_defs defs;
    struct store_match match;
    struct store_intern shape, completion_set, arg_set, rank_span, memory_by_content;
    struct store_outcome **outcome; /* by the number of the memory's content; NULL: it is right */
    uint32_t outcome_room;
    struct site_resolver *resolver; /* NULL: nothing was looked up yet */
    struct store_clock *clock;      /* one a host */
    bool has_stacks;                /* ranks recorded the ways to their calls */
    bool *gaps; /* by world rank: calls are missing in front or in between, so that its messages
                   cannot just be counted */
    uint32_t *rank_clock; /* by world rank: index into clock */
    bool gaps_known;      /* there will be gaps */
    uint32_t clock_count, clock_room;
    int64_t start_ns; /* realtime of the job's start */
    int32_t world_size;
    int32_t ranks_put; /* rows of table rank */
    struct spool_lane_name *lane;
    uint32_t lane_count;
    struct spool_header first; /* of the first lane that can be read */
    uint64_t events, folded, lost, unread;
    uint64_t bytes, bytes_read; /* of the spools, for core/progress.h */
    struct store_totals {       /* what every report begins with; kept in meta */
        int64_t calls, inner_events, first_ns, end_ns, messages, message_bytes;
    } totals;
    uint32_t layer;          /* enum spool_layer: the most that is missing of any rank */
    bool unturned;           /* SPOOL_FLAG_UNTURNED */
    struct store_fold *fold; /* NULL: loops are not folded */
    struct store_loop *loop;
    struct store_row *window_row; /* one array for all ranks in turn: empty between them */
    unsigned char *scratch;       /* for contents to be hashed */
    uint32_t scratch_room;
    char *notes; /* lines, for meta */
    size_t notes_bytes;
};
/* Adds a line to meta's notes; cut at STORE_NOTES_BYTES_MAX. */
void store_note(struct store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
