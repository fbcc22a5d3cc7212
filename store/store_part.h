/* Declares what the files store*.c share; no other file includes this. One store_write has one
 * struct store. It reads one rank after the other, in ascending order, so memory does not grow with
 * the number of events. It keeps definitions, the hashes that make rows unique (bounded, see
 * store_intern), and the messages between ranks already read and ranks still to read (40 bytes
 * each), of which the first STORE_SPILL_BYTES are in memory.
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

#define STORE_NULL INT64_MIN /* an empty column */

enum {
    STORE_SEQ_BITS = 40,
    STORE_IDS_MAX = 1 << 22, /* ids of one kind, per rank */
    STORE_INTERN_MAX =
        1 << 19, /* contents remembered; beyond this the hash starts again, and rows may repeat */
    STORE_TAGGED_MAX = 1 << 12, /* shapes and sets of completions that contain their tags */
    STORE_WINDOW = 1 << 15, /* calls that may wait for an earlier one to return; beyond this, rows
                               are written out of order */
    STORE_LISTS_MAX = 16,   /* array arguments per call */
    STORE_LIST_VALUES_MAX = 1 << 24,
    STORE_GATHERS_MAX = 64, /* calls of one lane whose parts were read before their event */
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
    STORE_UNRECEIVED,
    STORE_RANK_SPAN,
    STORE_EXIT_CAUSE,
    STORE_EXIT_CAUSE_FRAME,
    STORE_TABLE_COUNT
};
struct store_batch { /* rows of a large table, inserted together: a statement costs as much as two
                        rows */
    sqlite3_stmt *insert;
    int64_t *value;
    int rows;
};
struct store_sql {
    sqlite3 *db;
    char *partial; /* path of the file while it is written */
    const char *path;
    sqlite3_stmt *insert[STORE_TABLE_COUNT];
    struct store_batch batch[STORE_TABLE_COUNT]; /* value is NULL for tables without batches */
};

enum core_status store_sql_open(struct store_sql *sql, const char *path, const char *schema);
/* Closes without a trace, and removes the partial file. */
void store_sql_abandon(struct store_sql *sql);
/* Commits, closes, and renames the file to its final name. */
enum core_status store_sql_finish(struct store_sql *sql);
enum core_status store_sql_run(struct store_sql *sql, const char *text);

/* Inserts a row. Values are in the order of the table's columns; their types are given by letters:
 * i int64_t (STORE_NULL is NULL), t const char * (NULL is NULL), b const void * and size_t. */
enum core_status store_put(struct store_sql *sql, enum store_table table, const char *letters, ...);
/* Does the same for rows of integers only. Rows of some tables are inserted later, at the latest in
 * store_sql_finish. */
enum core_status store_put_integers(struct store_sql *sql, enum store_table table,
                                    const int64_t *value, int count);

/* --- store_intern.c --------------------------------------------------------------------------- */

struct store_intern {
    struct core_table content; /* a 128-bit hash represents the content */
    uint32_t next;             /* the last id assigned */
    bool bounded;              /* forgets everything at STORE_INTERN_MAX contents */
    bool near;                 /* the last content that names ranks counts from them */
};
/* Finds or assigns the number of the content. *out_new: it is new (or was forgotten). */
enum core_status store_intern(struct store_intern *intern, const void *content, size_t bytes,
                              uint32_t *out_id, bool *out_new);
/* Does the same for content that names ranks. `ahead` is the content with ranks counted from the
 * rank that made the call; NULL: it names none. If another rank's content was equal in this form,
 * the ranks share an entry in this form. *out_near: the entry has it. */
enum core_status store_intern_near(struct store_intern *intern, const void *content,
                                   const void *ahead, size_t bytes, uint32_t *out_id, bool *out_new,
                                   bool *out_near);
void store_intern_done(struct store_intern *intern);

/* Maps a rank's ids to the trace's; 0: none. */
struct store_map {
    uint32_t *value;
    uint32_t room;
};
enum core_status store_map_set(struct store_map *map, uint32_t id,
                               uint32_t value); /* ignores ids from STORE_IDS_MAX on */
static inline uint32_t store_map_get(const struct store_map *map, uint32_t id)
{
    return id < map->room ? map->value[id] : 0;
}

/* Grows *array, whose elements have `bytes` bytes, to hold `need`, by doubling; new elements are
 * zero. */
static inline enum core_status store_room(void *array, size_t bytes, uint64_t need, uint32_t *room)
{
    return need <= *room
               ? CORE_OK
               : core_array_grow(array, bytes, room, need, CORE_ARRAY_DOUBLE_ZERO, "the trace");
}

/* --- store_spill.c ---------------------------------------------------------------------------- */

enum { STORE_SPILL_BYTES = 4 << 20 };
struct store_spill { /* of one array; all zero: empty */
    void *map;       /* NULL: the array is in memory */
    uint64_t bytes;  /* size of the map */
    int fd;
    bool refused; /* no file is possible */
    uint32_t walked;
};
/* Like store_room, but moves a large array into a file in the folder of `beside`. */
enum core_status store_spill_room(struct store_spill *spill, const char *beside, void *array,
                                  size_t element_bytes, uint64_t need, uint32_t *room);
/* Notes that so many more elements were visited; now and then it releases the process's memory of
 * all elements. */
void store_spill_walk(struct store_spill *spill, uint32_t count);
void store_spill_done(struct store_spill *spill, void *elements);

/* --- store_define.c --------------------------------------------------------------------------- */

struct store_call {
    char *name;
    char *names; /* name, NUL, kind, NUL; repeated. The kind of a scalar argument is that of an id,
                    or empty; lists and texts follow, with kind "@" and their position */
    uint32_t names_count, names_scalar;
    enum event_class class;
    enum verb verb;
    uint64_t traits;
    bool inner; /* a call inside the library, not MPI_* */
};
struct store_module {
    char *path;
    unsigned char *build_id;
    uint32_t build_id_bytes;
};
struct store_site {
    uint32_t module; /* index into module[]; 0: unknown */
    uint64_t address;
    char *function; /* of a source file with line `address`; NULL: `address` is machine code */
    bool behind;    /* the function called there is a binding */
    uint32_t inner; /* site in the binding that calls MPI; 0: unknown */
    enum { SITE_UNKNOWN, SITE_OUTSIDE, SITE_BOUND } bound;
};
struct store_type {
    char *name;                    /* NULL: no name */
    int64_t size, extent;          /* 0: no such type */
    struct spool_segment *segment; /* with ids of the trace */
    uint32_t segment_count;        /* 0: not recorded */
};
struct store_comm {
    int32_t *member; /* local group of the side that defined it first, then the remote group */
    uint32_t size, remote_size;
    uint32_t known; /* members known so far */
    bool inter, written;
    bool overtaking; /* its messages may overtake each other (matching_hint_reorders) */
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
    int32_t *group_member; /* of the group being read: long groups take several records */
    uint32_t group_id, group_known, group_room;
    struct store_map comm_other; /* by id: 1 if this rank is in the group listed second */
};

struct store;
struct store_rank;
/* Handles a record of kind SPOOL_DEF_*. */
enum core_status store_define(struct store *store, struct store_rank *rank,
                              const struct spool_head *head);
/* Returns the world rank of the peer in a communicator of this rank; EVENT_NONE: none. */
int32_t store_world(const struct store *store, const struct store_rank *rank, uint32_t local_comm,
                    int32_t peer);
enum core_status
store_define_place(struct store *store, const char *module, uint64_t address,
                   uint32_t *out_site); /* of no rank; before store_define_finish */
enum core_status
store_define_finish(struct store *store); /* writes communicators, and sites with their lines */
void store_defs_done(struct store_defs *defs);
void store_ids_done(struct store_ids *ids);

/* --- store_match.c ---------------------------------------------------------------------------- */

struct store_match {
    struct store_match_queue *queue; /* by number, from 1 */
    struct store_match_node *node;   /* by number, from 1 */
    struct store_spill spill;        /* for the nodes */
    uint32_t queue_room, queue_count, queue_free;
    uint32_t node_room, node_count, node_free;
    uint32_t *bucket; /* hash table of queues */
    uint32_t bucket_room, queue_live;
    uint32_t *due; /* by world rank: queues that are complete once this rank is read */
    uint32_t due_room;
    struct store_intern channel;
    struct store_match_pair *pair; /* pairs of the queue being settled */
    uint32_t pair_count, pair_room;
    int64_t messages; /* messages so far, all of which are numbered */
    int64_t folded;   /* of these, messages in parts */
};
struct store_side {       /* one side of a message */
    uint32_t comm;        /* trace id */
    int32_t source, dest; /* world */
    int32_t tag;
    bool inner;
    uint32_t pair; /* of partitioned requests (core/trace/request.h), which match only each other;
                      0: not partitioned */
};
/* Adds a send. time: when the send began; for a receive: when it was known to be complete. */
enum core_status store_match_send(struct store *store, const struct store_side *side, uint64_t seq,
                                  int64_t bytes, int64_t time);
/* Adds a receive. order: sequence number of the call that posted it. maybe: it may have matched
 * nothing. */
enum core_status store_match_receive(struct store *store, const struct store_side *side,
                                     uint64_t order, uint64_t seq, int64_t bytes, int64_t time,
                                     bool maybe);
/* The same in two steps, for many messages of one side: gets the side's number, valid until the
 * next store_match_rank; then adds each send or receive. */
enum core_status store_match_queue(struct store *store, const struct store_side *side,
                                   uint32_t *out_queue);
enum core_status store_match_add(struct store *store, uint32_t queue, bool receives, uint64_t order,
                                 uint64_t seq, int64_t bytes, int64_t time);
/* Adds a side that repeats the last one, `step` later. Only if times are not needed:
 * store->gaps_known is false. */
struct store_match_run {
    uint64_t order, seq, step;
    int64_t bytes;
    uint32_t node; /* 0 at the start */
};
enum core_status store_match_again(struct store *store, uint32_t queue, bool receives,
                                   struct store_match_run *run);
/* Tells whether the run ends its side of the queue, and has room for so many further messages. */
bool store_match_run_grows(const struct store *store, uint32_t queue, bool receives,
                           const struct store_match_run *run, uint64_t rounds);
/* Adds so many messages, if store_match_run_grows says so. */
void store_match_run_grow(struct store *store, struct store_match_run *run, uint64_t rounds);
void store_match_unsend(struct store *store, const struct store_side *side, uint64_t seq);
/* Writes the messages between the rank that was read and itself or earlier ranks. */
enum core_status store_match_rank(struct store *store, int32_t world_rank);
void store_match_done(struct store_match *match);

/* --- store_clock.c ---------------------------------------------------------------------------- */

struct store_clock { /* of one host: ns = start_ns + (ticks - ticks0) * mult / 2^48 */
    uint64_t ticks;
    int64_t start_ns;
    uint64_t mult;
    bool compared; /* compared with the launcher's machine; true for that machine too, if others are
                    */
    int64_t ahead_ns; /* its lead in the best comparison */
    struct core_machine machine;
};
enum { STORE_CLOCK_BITS = 48 };
#define STORE_NS_MAX (INT64_MAX / 8) /* a few such times add up, whatever a header says */
static inline int64_t store_ticks_ns(uint64_t ticks, uint64_t mult)
{
    unsigned __int128 ns = (unsigned __int128)ticks * mult >> STORE_CLOCK_BITS;

    return ns > (uint64_t)STORE_NS_MAX ? STORE_NS_MAX : (int64_t)ns;
}

static inline int64_t store_clock_ns(const struct store_clock *clock, uint64_t ticks)
{
    int64_t ns = clock->start_ns + (ticks >= clock->ticks
                                        ? store_ticks_ns(ticks - clock->ticks, clock->mult)
                                        : -store_ticks_ns(clock->ticks - ticks, clock->mult));

    return ns > 0 ? ns : 0;
}
/* Computes the clock of every rank (store->clock, store->rank_clock) from headers and clock
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
struct store_done {        /* hashed as bytes: no padding */
    int64_t request_ahead; /* STORE_NULL: none */
    int64_t bytes;
    int64_t source, tag;
    int64_t near; /* 1: source counts from the rank's number; STORE_NULL: it does not */
    uint32_t index;
    int32_t error;
    uint16_t done, cancelled;
    uint32_t members; /* of the list: 1, or several in a row that did not complete */
};
struct store_gather { /* the parts of one call */
    uint64_t seq;     /* 0: unused */
    bool has_recv_half;
    struct spool_recv_half recv_half;
    uint64_t calls; /* calls that the event represents; 0: not recorded, so one */
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
    unsigned char *misuse; /* whole records SPOOL_MISUSE and SPOOL_MEMORY in sequence */
    uint32_t misuse_bytes, misuse_room;
};
enum { STORE_THREADS_MAX = 1024 };
struct store_lane {
    struct spool_reader reader;
    uint32_t number; /* number of the thread whose calls are read now */
    bool open, at_end;
    struct spool_event event;   /* the next call, with all its parts */
    struct store_gather *parts; /* parts of `event` */
    struct store_gather gather[STORE_GATHERS_MAX];
    uint32_t newest, gathers; /* gathers: number in use */
    uint64_t last_seq;        /* seq of the last call that returned */
    uint64_t last_own;        /* the same for calls of the application */
};
/* Reads up to the next call: sets lane->event and lane->parts, or at_end. Stores definitions,
 * digests, payloads and notes at once. */
enum core_status store_lane_next(struct store *store, struct store_rank *rank,
                                 struct store_lane *lane);
/* Returns the parts of a call that never returned; NULL: none. */
struct store_gather *store_lane_parts(struct store_lane *lane, uint64_t seq);
/* Returns the first list with this role; NULL: none. parts may be NULL. */
const struct store_list *store_list_find(const struct store_gather *parts, uint16_t role);
void store_lane_close(struct store_lane *lane);

/* --- store_event.c ---------------------------------------------------------------------------- */

struct store_row {
    uint64_t seq; /* 0: empty */
    uint32_t shape;
    int64_t request, t_enter, duration, calls; /* calls: STORE_NULL means 1 */
    int64_t tag; /* base from which the other tags count; STORE_NULL: 0 */
    bool inner;  /* made inside another call */
    bool summed; /* t_enter and duration are those of the rounds around it, its own are unknown */
    const struct spool_sum_times *times; /* sums for all such calls of its place; NULL: given for
                                            another one */
};
struct store_window { /* calls return in another order than they are entered; their rows are written
                         in the order of entry */
    struct store_row *row; /* STORE_WINDOW rows, indexed by seq modulo */
    uint64_t next;         /* smallest sequence number not yet written */
    uint64_t last;         /* largest sequence number in the window */
};
/* Stores a call. parts may be NULL. calls: number of calls that it represents. pending: it had not
 * returned. */
enum core_status store_event(struct store *store, struct store_rank *rank, uint32_t lane,
                             const struct spool_event *event, struct store_gather *parts,
                             uint64_t calls, bool pending);
enum core_status store_window_flush(struct store *store, struct store_rank *rank);
/* Stores the row of a call that had returned. */
enum core_status store_event_row(struct store *store, struct store_rank *rank,
                                 const struct store_row *row);

/* --- store_loop.c ----------------------------------------------------------------------------- */

struct store_loop;
struct store_sum;
/* Call it before the calls of a rank. */
enum core_status store_loop_rank(struct store *store);
struct store_sum *store_loop_sum(const struct store *store);
/* Call these around store_event with the lane's event; store_loop_end consumes the rounds that
 * follow it. */
enum core_status store_loop_begin(struct store *store, const struct store_rank *rank,
                                  struct store_lane *lane);
enum core_status store_loop_end(struct store *store, struct store_rank *rank,
                                struct store_lane *lane);
/* Note what the stored call led to: its row, a message, or something that cannot be repeated. */
void store_loop_row(struct store *store, const struct store_row *row);
void store_loop_message(struct store *store, bool receives, const struct store_side *side,
                        uint64_t order, uint64_t seq, int64_t bytes);
void store_loop_odd(struct store *store);
void store_loop_done(struct store *store);

/* --- store_sum.c ------------------------------------------------------------------------------ */

struct store_call_time { /* in ns */
    int64_t enter, leave;
};
struct store_sum; /* of the loop being read */
struct store_sum_row;
struct store_fold_place;
struct store_sum *store_sum_new(void); /* NULL: out of memory */
void store_sum_done(struct store_sum *sum);
/* Returns how many rounds of a loop with so many calls per round each of so many ranks keeps,
 * whether they come before store_sum_begin or behind it; 0: any number before it. */
uint64_t store_sum_rounds_max(int32_t ranks, uint32_t calls);
/* Starts a new loop with `calls` calls per round, after `rounds` rounds that were stored call by
 * call. */
enum core_status store_sum_begin(struct store_sum *sum, uint32_t calls, int32_t ranks,
                                 uint64_t rounds);
/* Counts a round of this duration. Returns whether it lasted far longer than most. */
bool store_sum_slow(struct store_sum *sum, int64_t duration);
/* Tells whether there were so few rounds that all their times are kept. */
bool store_sum_keeps(const struct store_sum *sum);
/* Opens a block with the times of a round, whose calls have these rows. *out_taken false: the
 * caller stores them one by one. */
enum core_status store_sum_add(struct store *store, struct store_rank *rank, struct store_sum *sum,
                               const struct store_sum_row *row, const struct store_call_time *time,
                               bool *out_taken);
/* Sums up rows that make whole rounds and were not stored, as a block of their own. */
enum core_status store_sum_rows(struct store *store, int32_t rank,
                                const struct store_fold_place *place, const struct store_row *row,
                                uint32_t count);
/* Tells whether a block is open, which the next round continues; _go_on adds that round's times.
 * _passed counts the rows of so many rounds as written. */
bool store_sum_goes(const struct store_sum *sum);
enum core_status store_sum_go_on(struct store *store, int32_t rank, struct store_sum *sum,
                                 const struct store_call_time *time);
/* Goes on with rounds that the recorder summed up, whose first call entered at `enter`; `leave`:
 * the end of the last one. If no block is open, row is the first of these rounds, and *out_taken
 * tells whether a block could be opened; else row is NULL. */
enum core_status store_sum_recorded(struct store *store, struct store_rank *rank,
                                    struct store_sum *sum, const struct store_sum_row *row,
                                    const struct spool_sum *recorded, int64_t enter, int64_t leave,
                                    bool *out_taken);
/* Begins a block of calls whose times the recorder summed up; adds the call at `index` of the loop;
 * writes the block. */
enum core_status store_sum_untimed_begin(struct store *store, int32_t rank, uint64_t seq,
                                         const struct store_fold_place *place);
void store_sum_untimed_add(struct store *store, int32_t rank, uint32_t index,
                           const struct spool_sum_times *times);
enum core_status store_sum_untimed_end(struct store *store, int32_t rank, uint64_t seq,
                                       const struct store_fold_place *place, uint64_t calls,
                                       int64_t enter, int64_t leave);
void store_sum_passed(struct store *store, struct store_rank *rank, const struct store_sum *sum,
                      const struct store_sum_row *row, uint64_t rounds);
/* Ends the open block; _end also writes the sums. */
enum core_status store_sum_close(struct store *store, int32_t rank, struct store_sum *sum);
enum core_status store_sum_end(struct store *store, int32_t rank, struct store_sum *sum);
/* Writes a row for a slow round; seq: its longest call. */
enum core_status store_sum_slow_put(struct store *store, int32_t rank, const struct store_sum *sum,
                                    uint64_t seq, int64_t duration);

/* --- store_list.c ----------------------------------------------------------------------------- */

struct store_calls;
struct store_calls *store_calls_new(void); /* NULL: out of memory */
/* Stores a row outside of loops. */
enum core_status store_calls_put(struct store *store, int32_t rank, const struct store_row *row);
/* Writes the rows that wait; in_loops: many of its calls are in loops. */
enum core_status store_calls_end(struct store *store, int32_t rank, bool in_loops);

/* --- store_fold.c ----------------------------------------------------------------------------- */

/* Returns the bytes for the decimal digits of a value; 0: there is no room for so many. */
int store_digits_bytes(int64_t value);
void store_digits_put(unsigned char *out, int bytes, int64_t value);

struct store_fold;
/* Begins folding. With CROSSWAIT_LOOPS=off each call keeps its own row. */
enum core_status store_fold_begin(struct store *store);
/* Stores a row of a rank; rows ascend, with a few exceptions. */
enum core_status store_fold_put(struct store *store, int32_t rank, const struct store_row *row);
/* The same for a row of a known loop: does not search for periods. */
enum core_status store_fold_round(struct store *store, int32_t rank, const struct store_row *row);
/* The place where whole rounds begin whose rows are not stored. */
struct store_fold_place {
    int64_t loop, request;
    uint32_t first, calls; /* of a round of that loop */
};
/* Tries to skip whole rounds. row: the calls of a round, by number. If they are the loop's next
 * calls, and those of all later rounds follow by their steps, it writes everything before, sets
 * where the rounds begin, and lets the caller skip rounds of `calls` calls each. *out_fits false:
 * the caller must store them. */
struct store_sum_row {
    const struct store_row *row;
    int64_t step;   /* of its request, from round to round */
    uint32_t place; /* of the call in the lane's order */
};
enum core_status store_fold_sum(struct store *store, int32_t rank, const struct store_sum_row *row,
                                uint32_t calls, struct store_fold_place *out, bool *out_fits);
/* Returns how many rounds of the current loop came so far, not counting those that were skipped. */
uint64_t store_fold_rounds(const struct store *store);
/* Notes that so many calls were skipped. */
void store_fold_passed(struct store *store, uint64_t calls);
/* Writes the current loop and returns its id, and the number of the call's round in it. 0: there is
 * no loop. */
enum core_status store_fold_number(struct store *store, uint64_t seq, int64_t *out_loop,
                                   int64_t *out_number);
enum core_status store_fold_end(struct store *store, int32_t rank);
/* Call it when all ranks are stored. */
enum core_status store_fold_finish(struct store *store);
void store_fold_done(struct store *store);

/* --- store_memory.c --------------------------------------------------------------------------- */

struct store_outcome;
/* Judges the memory of the call's buffers, and writes a row if something is wrong. */
enum core_status store_memory(struct store *store, const struct store_rank *rank, uint64_t seq,
                              const struct spool_memory *record);
void store_memory_done(struct store *store);

/* --- store_message.c -------------------------------------------------------------------------- */

/* Follows the sends, receives and completions of a call. bytes: of the event; call: a trace id. */
enum core_status store_message_follow(struct store *store, struct store_rank *rank,
                                      const struct spool_event *event,
                                      const struct store_gather *parts, uint32_t call,
                                      int64_t bytes, bool pending);
/* Handles receives for which no call waited. */
enum core_status store_message_finish(struct store *store, struct store_rank *rank);

/* --- store_rank.c ----------------------------------------------------------------------------- */

struct store_rank { /* the rank being read */
    int32_t rank;
    struct store_ids ids;
    struct requests requests;
    struct event_view view; /* of the call being followed */
    struct store_window window;
    struct store_lane **lane; /* on the heap: they are large */
    uint32_t lane_count;
    uint32_t thread_count; /* numbers assigned: to the lanes, then to threads that took over the
                              lane of an ended thread */
    uint32_t thread_next;  /* from STORE_THREADS_MAX on numbers are reused */
    const struct store_clock *clock;
    uint64_t events, folded, lost_records; /* folded: calls that share the event of another call */
    bool torn;
    bool in_rounds; /* rows come from store_event_row */
    bool gaps;      /* calls are missing before or between the recorded ones */
};
enum core_status store_rank_read(struct store *store, const struct spool_lane_name *lane,
                                 uint32_t lane_count);
enum core_status store_rank_missing(struct store *store, int32_t rank);
enum core_status store_meta(struct store *store, const struct store_options *options);

/* --- store_exit_cause.c ----------------------------------------------------------------------- */

struct store_exit_cause_of { /* how the rank ended */
    enum event_rank_state state;
    int64_t code;           /* STORE_NULL: unknown */
    bool first, died_after; /* died_after: of a signal, after it had finished */
};
/* Writes the rank's row, if it did not end normally. */
enum core_status store_exit_cause_of(struct store *store, const struct store_rank *rank,
                                     const struct store_exit_cause_of *became);

/* --- store_ending.c --------------------------------------------------------------------------- */

/* ending may be NULL. */
enum core_status store_ending_stacks(struct store *store, const struct ending *ending);
enum core_status store_ending(struct store *store, const struct ending *ending);
/* Writes which messages no rank of another job received. */
enum core_status store_unreceived(struct store *store, const struct store_options *options);

/* --- store.c ---------------------------------------------------------------------------------- */

struct store {
    const char *job_path;
    const struct store_options *options;
    struct store_sql sql;
    struct store_defs defs;
    struct store_match match;
    struct store_intern shape, completion_set, arg_set, rank_span, memory_by_content;
    struct store_outcome **outcome; /* by number of the memory's content; NULL: it is right */
    uint32_t outcome_room;
    struct site_resolver *resolver; /* NULL: nothing was looked up yet */
    struct store_clock *clock;      /* one per host */
    bool has_stacks;                /* ranks recorded the call paths to their calls */
    bool *gaps; /* by world rank: calls are missing before or between the recorded ones, so its
                   messages cannot simply be counted */
    uint32_t *rank_clock; /* by world rank: index into clock */
    bool gaps_known;      /* gaps are expected */
    uint32_t clock_count, clock_room;
    int64_t start_ns; /* realtime of the job's start */
    int32_t world_size;
    int32_t ranks_put; /* rows written to table rank */
    struct spool_lane_name *lane;
    uint32_t lane_count;
    struct spool_header first; /* of the first readable lane */
    uint64_t events, folded, lost, unread;
    uint64_t bytes, bytes_read; /* size of the spools, and bytes read, for core/progress.h */
    struct store_totals {       /* totals that every report starts with; kept in meta */
        int64_t calls, inner_events, first_ns, end_ns, messages, message_bytes;
    } totals;
    uint32_t layer;          /* enum spool_layer: the most that any rank lacks */
    bool unturned;           /* SPOOL_FLAG_UNTURNED */
    struct store_fold *fold; /* NULL: loops are not folded */
    struct store_loop *loop;
    bool summed; /* the call being stored is one of a sum (core/spool/spool_sum.h); */
    const struct spool_sum_times *times; /* store_row.times of it */
    struct spool_sum **sum;              /* copies of a rank's sums */
    uint32_t sum_count, sum_room;
    struct store_calls *calls;    /* outside of loops; NULL as fold */
    struct store_row *window_row; /* one array for all ranks in turn; empty between ranks */
    unsigned char *scratch;       /* buffer for contents to hash */
    uint32_t scratch_room;
    char *notes; /* lines for meta */
    size_t notes_bytes;
};
/* Adds a line to meta's notes, up to STORE_NOTES_BYTES_MAX. */
void store_note(struct store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
