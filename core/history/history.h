/* The history of a running job, as far as it decides whether the job can continue: how many
 * messages were sent and received on each channel, which requests are still active, which
 * collectives were entered, and the current call of each rank. launch/proof reads it from the
 * spools. A rank that keeps only its newest records also keeps its own history, to sum up the
 * records that it drops (dropped_summary.c). read.c reads spools, follow.c follows records,
 * define.c takes definitions, registry.c and epoch.c keep the state of collectives and one-sided
 * epochs.
 *
 * Invariants
 *  1. Only the application's own calls count: those that the library makes inside its collectives
 *     belong to these collectives.
 *  2. Reading resumes where it stopped the last time, so that reading often costs no more than
 *     reading once. (If a rank has several lanes, all is read again: one thread may complete what
 *     another one posted.)
 *  3. If something cannot be followed (lost events, a freed active receive, a filter), `unclear` is
 *     true: then nothing is claimed. */
#ifndef CORE_HISTORY_HISTORY_H
#define CORE_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spool/spool.h"
#include "core/status.h"
#include "core/table.h"
#include "core/trace/event_view.h"
#include "core/trace/request.h"
#include "core/trace/traits.h"

struct history_channel_key { /* messages of one tag from one rank to another in one communicator */
    uint64_t global;         /* the communicator */
    int32_t source, dest, tag;
    uint32_t zero;
};
struct history_channel {
    struct history_channel_key key;
    uint64_t sent, received;
    uint32_t lane; /* the first lane that sent */
    bool mixed;    /* other lanes sent too, or messages overtake: the order is unknown */
    bool buffered; /* MPI_Bsend or the like sent some: a returned send may not have left */
};

enum history_space_kind {
    HISTORY_SPACE_COMM,
    HISTORY_SPACE_WIN,
    HISTORY_SPACE_FILE,
    HISTORY_SPACE_FINALIZE
};
enum { HISTORY_RECENT = 16 };
enum { HISTORY_GIVES, HISTORY_TAKES };          /* sides of a collective call */
enum { HISTORY_KNOWN = 1, HISTORY_LISTED = 4 }; /* of a side: shifted by its number */
struct history_coll {                           /* one collective call of a rank */
    uint16_t call;                              /* id */
    bool needs_all; /* it cannot complete before all members have entered it */
    uint8_t sides;  /* HISTORY_KNOWN, HISTORY_LISTED of each side */
    int32_t root;
    uint32_t rounds;  /* of a persistent call: its starts; REQUEST_ROUNDS_UNTOLD */
    int32_t bytes;    /* that all ranks must give or take alike; 0 if there is no count; -1:
                         unknown, too many, or of parts that may differ */
    int64_t carried;  /* most bytes that the rank gives and takes; -1: unknown */
    uint64_t side[2]; /* bytes of the block for each member, or from each; for a list of sizes
                         their weighted sum (coll_volume.c); MPI_Comm_create: id of the group;
                         MPI_File_open: place of the file, 0 if unknown */
};
struct history_epochs {                     /* of one rank on one window, by world rank */
    uint32_t *posted, *started, *completed; /* counts: as target, as origin, as origin */
    bool *in_post, *in_start;               /* the groups of the open epochs */
};
struct history_neighbor { /* of a rank in the topology of a communicator */
    struct history_neighbor_key {
        uint32_t side; /* HISTORY_GIVES: an edge to the neighbor */
        int32_t world;
    } key;
    uint32_t edges;
};
struct history_neighbors {
    struct core_table each; /* struct history_neighbor */
    uint32_t edges[2];      /* all edges of the rank, by side */
    uint64_t left;          /* number of these that were not taken yet */
};
struct history_space_key {
    uint32_t kind, id; /* enum history_space_kind */
};
struct history_space { /* one rank's view of something with collective calls: a communicator,
                          window or file; and MPI_Finalize */
    struct history_space_key key;
    bool inter;
    bool overtaking; /* its info lets messages overtake each other */
    bool uneven;     /* a call was refused here, or cannot be followed: members may count
                        differently */
    bool failed;     /* a file: a call failed here after all members had entered it */
    uint32_t comm;   /* windows and files: id of the communicator that created them */
    uint64_t global;
    uint32_t size, remote_size;
    int32_t *member;  /* world ranks: own group, then the remote one */
    uint32_t place;   /* of the rank, once it has entered a collective */
    uint64_t entered; /* collectives entered, except open ones */
    uint64_t refused; /* a communicator: calls that failed; the other members may count them */
    uint32_t lane;    /* the first lane that entered one */
    bool mixed;       /* other lanes did too: the order is unknown */
    struct history_coll recent[HISTORY_RECENT]; /* the last ones, by number mod HISTORY_RECENT */
    struct history_epochs *epochs;              /* NULL: no post or start so far */
    struct history_neighbors *neighbors;        /* NULL: it has no topology, or an unknown one */
};

struct history_group { /* as calls name it */
    uint32_t id, size;
    int32_t *member; /* world ranks */
};

struct history_lock { /* an open passive epoch */
    uint64_t win;     /* global */
    int32_t target;   /* world; EVENT_ANY: all */
    bool exclusive;
    int32_t op_target;   /* of the last access under it; EVENT_NONE: none yet */
    int32_t sure_target; /* target whose lock is surely held, as an access was flushed (a library
                            may acquire the lock late) */
};

enum {                /* indices into a request's `own` */
       HISTORY_SPACE, /* id of its communicator, + 1; 0: unknown */
       HISTORY_NUMBER /* and the next: sends: position in their channel; collectives: in their
                         space; generalized requests: 1 until completed */
};

struct history_call {
    bool known;
    uint8_t class, mode, verb;
    uint64_t traits;
    int8_t group_arg, lock_arg, file_arg; /* positions of these arguments among the call's
                                             scalars; -1: none. file: the one opened */
    char name[48];
};
struct history_type {
    bool known;
    int64_t bytes;
};
enum { HISTORY_ARGS_MAX = 4 };

struct history_open { /* the call in which a thread is */
    uint32_t lane;
    bool has_recv_half;
    struct spool_event event;
    struct spool_recv_half recv_half;
    uint32_t *request; /* ids, for waits on several */
    uint32_t request_count, request_total;
    int64_t arg[HISTORY_ARGS_MAX];
    uint32_t arg_count;
    struct history_coll coll; /* of a collective call */
    bool of_null;             /* it got a null pointer for data that it transfers */
};

struct history_spawn { /* a call that made a communicator with ranks of another job */
    uint32_t comm;     /* id */
    uint64_t t_enter, t_leave;
    bool spawned; /* it started the other job; false: it asked for the job that started this one */
};
/* One job of those that are read together: its rank r is rank base + r of the history. */
struct history_job {
    const char *path;
    uint32_t base, rank_count;
};
/* A communicator that connects two of these jobs. The two sides, the parent's first, compute other
 * numbers for it, and know their own members only. */
struct history_link {
    uint32_t job[2];
    uint64_t global[2];
    const int32_t *member[2]; /* ranks of the history */
    uint32_t size[2];
};

struct history_rank {
    bool present;
    uint32_t job;     /* index of its job */
    bool erred;       /* a call returned an error: it may have taken a message */
    uint64_t t_begun; /* when the rank's first call entered; 0: none did */
    struct history_spawn *spawn;
    uint32_t spawn_count, spawn_room;
    uint64_t seq;                     /* of the last event read */
    struct core_table spaces, groups; /* struct history_space, struct history_group */
    struct requests requests;
    uint64_t newest;           /* latest request made or started; 0: unknown */
    bool frees_active;         /* MPI_Request_free may have freed an active one */
    struct history_call *call; /* by call id; zero if unknown */
    uint32_t call_count;
    struct history_type *type; /* by id; zero if unknown */
    uint32_t type_count;
    struct history_lock *lock;
    uint32_t lock_count, lock_room;
    struct history_open *open; /* one for each thread that is in a call */
    uint32_t open_count, open_room;
    /* threads that called MPI; if several, the order of their calls is unknown */
    uint32_t lanes;
};

enum history_base { /* of a lane that has dropped its oldest records: the state of their summary */
                    HISTORY_BASE_NONE, /* none dropped, or no summary at the lane's start */
                    HISTORY_BASE_EXPECTED,
                    HISTORY_BASE_TAKING,
                    HISTORY_BASE_TAKEN
};
enum {
    HISTORY_SEND_COUNTS,
    HISTORY_SEND_TYPES,
    HISTORY_RECV_COUNTS,
    HISTORY_RECV_TYPES,
    HISTORY_PARTS
};
struct history_part { /* of the call with this number: one entry for each member */
    uint64_t seq;
    int32_t *value;
    uint32_t count, room;
};
struct history_lane { /* state from which reading a lane resumes */
    int32_t rank;
    uint32_t lane;
    uint64_t position;
    struct spool_delta *again; /* the reader's state at that position; NULL at the start */
    struct spool_done *done;   /* completions that precede their event */
    uint32_t done_count, done_room;
    struct spool_recv_half recv_half;
    int64_t *list; /* request ids of the following event */
    uint32_t list_count, list_room, list_total;
    uint64_t list_seq;
    int64_t arg[HISTORY_ARGS_MAX]; /* scalars of the following event */
    uint32_t arg_count;
    uint64_t arg_seq;
    uint64_t null_seq; /* of the last call that got a null pointer for data; 0: none */
    struct history_part part[HISTORY_PARTS]; /* lists of the following event */
    enum history_base based;
    uint64_t base_events; /* events that the summary covers */
    bool inside_seen;     /* so far, the library's calls inside collectives are recorded */
    uint64_t inside_of;   /* seq of the call that the library's last inner call belongs to; 0:
                             none since the last call; UINT64_MAX: unknown */
};

struct history {                   /* zeroed: nothing read yet */
    const struct history_job *job; /* these two pairs: of the present history_read_jobs */
    const struct history_link *link;
    uint32_t job_count, link_count;
    struct history_lane *lane;
    uint32_t lane_count;
    struct history_rank *rank;
    uint32_t rank_count;
    struct core_table channels; /* struct history_channel */
    struct event_view view;     /* of the followed call */
    bool unclear;
};

/* follow.c: follows the records of a lane, one by one. */
struct history_follower {
    struct history *history;
    struct history_rank *rank;
    struct history_lane *kept;
    struct spool_event event;
};
/* Takes a record. True: the follower's event is a call of the application that returned, which
 * history_follow must follow next. */
bool history_take(struct history_follower *follower, const struct spool_head *head);
void history_follow(struct history_follower *follower);
/* Counts a start of a persistent collective, even if the rank frees its request later. */
void history_count_round(struct history_follower *follower, const struct request *request);
/* Takes a record that is committed for a call before its event. */
void history_take_part(struct history_follower *follower, const struct spool_head *head);

/* Initialize in place what zeroes do not, and free what is owned. */
void history_rank_init(struct history_rank *rank);
void history_rank_done(struct history_rank *rank);
void history_lane_done(struct history_lane *kept);

/* dropped_summary.c: writes records that sum up all that is known after the records so far, of a
 * rank in which one thread calls MPI, into `bytes` bytes, at least HISTORY_BASE_LEAST; returns the
 * bytes used. What does not fit, or is unclear, is marked as unknown. events: number of events
 * recorded. */
enum { HISTORY_BASE_LEAST = 64 };
size_t history_base_make(const struct history_follower *follower, uint64_t events, void *room,
                         size_t bytes);
void history_base_take(struct history_follower *follower, const struct spool_head *head);

/* Reads what the spools of a job of rank_count ranks hold by now. History that cannot be followed
 * is no error: see unclear. */
enum core_status history_read(const char *job_path, uint32_t rank_count, struct history *history);
/* Reads several jobs as one, all of it each time. Communicators of different jobs differ, but for
 * the links. */
enum core_status history_read_jobs(const struct history_job *job, uint32_t job_count,
                                   const struct history_link *link, uint32_t link_count,
                                   struct history *history);
/* Returns the number of a job's communicator, window or file among those of all jobs, or back. */
uint64_t history_job_global(uint32_t job, uint64_t global);
void history_done(struct history *history);

/* Returns the world rank of a peer, or EVENT_ANY, EVENT_PROC_NULL; EVENT_NONE if out of range. */
int32_t history_space_world(const struct history_space *space, int32_t peer);
/* Returns the place of a world rank in its own group; `size` if it is not there. */
uint32_t history_space_place(const struct history_space *space, int32_t world);
struct history_space *history_space_find(const struct history_rank *rank,
                                         enum history_space_kind kind, uint32_t id);
struct history_space *history_space_global(const struct history_rank *rank,
                                           enum history_space_kind kind, uint64_t global);
/* Returns the communicator of a send, receive or collective; NULL if the request's needs are
 * unknown. */
const struct history_space *history_request_space(const struct history_rank *rank,
                                                  const struct request *request);
/* Returns the number that names the communicator in channels. */
uint64_t history_request_global(const struct history_space *space, const struct request *request);
uint64_t history_request_number(const struct request *request);
/* Returns NULL if nothing was sent or received there so far. */
const struct history_channel *history_channel_find(const struct history *history, uint64_t global,
                                                   int32_t source, int32_t dest, int32_t tag);
enum history_space_kind history_space_kind_of(enum event_class class);
/* Returns the space in which a collective call counts; NULL if it is no collective, or not all
 * members know the space. */
struct history_space *history_space_of_call(const struct history_rank *rank,
                                            const struct spool_event *event, enum event_class class,
                                            bool open);
/* kept: the records committed for the call. */
struct history_coll history_coll_of(const struct history_rank *rank,
                                    const struct history_space *space,
                                    const struct history_lane *kept,
                                    const struct spool_event *event);
/* Tells whether members give each other blocks, with sizes of their own on each side: all to all,
 * or all from or to a root. */
bool history_gives_blocks(const struct history_call *call);

/* coll_volume.c: sets what is known of the sides of a collective with `size` members, of which the
 * rank is number `place`. */
void history_blocks_of(const struct history_rank *rank, const struct history_lane *kept,
                       const struct spool_event *event, uint32_t place, uint32_t size,
                       struct history_coll *coll);
void history_blocks_list(struct history *history, struct history_lane *kept,
                         const struct spool_list *list);
/* coll_volume.c: returns the most bytes that the rank gives and takes in the call; -1: unknown. */
int64_t history_blocks_carried(const struct history_rank *rank, const struct history_space *space,
                               const struct history_lane *kept, const struct spool_event *event);
/* Returns the factor of the sizes between two members. */
uint64_t history_block_weight(uint32_t source, uint32_t dest);
/* Returns the row of an open call; NULL if unknown. */
const struct history_call *history_open_call(const struct history_rank *rank,
                                             const struct history_open *open);
/* Returns the space in which an open collective call of the rank counts, if it does. */
struct history_space *history_space_of_open(const struct history_rank *rank,
                                            const struct history_open *open);
/* Returns how many collectives of the space the rank has entered, including open calls. */
uint64_t history_space_entered(const struct history_rank *rank, const struct history_space *space);
/* Finds the rank's number-th collective call of the space; the open call counts. False: too long
 * ago, or not yet. */
bool history_coll_at(const struct history_rank *rank, const struct history_space *space,
                     uint64_t number, struct history_coll *out_coll);
const struct history_group *history_group_find(const struct history_rank *rank, uint32_t id);
/* define.c: takes a definition of the rank; ignores other records. */
void history_define(struct history *history, struct history_rank *rank,
                    const struct spool_head *head);
/* Returns the number of edges from the rank to a world rank (HISTORY_GIVES), or back. */
uint32_t history_edges(const struct history_space *space, uint32_t side, int32_t world);
/* Adds a space with unknown members, unless it exists already. NULL: out of memory; the history is
 * then unclear. */
struct history_space *history_space_add(struct history *history, struct history_rank *rank,
                                        const struct history_space *space);
/* Frees all definitions. */
void history_defined_free(struct history_rank *rank);
/* Returns the bytes of so many of a datatype; -1 if unknown. */
int64_t history_bytes(const struct history_rank *rank, uint32_t type, int64_t count);
/* Tells whether the call is collective over a part of the communicator that only the call knows
 * (MPI_Comm_create_group): no member counts it. */
bool history_call_partial(const struct history_call *call);

/* epoch.c: follows one-sided epochs. arg: the scalars of the call. */
void history_epoch_post(struct history *history, struct history_rank *rank,
                        const struct spool_event *event, const int64_t *arg, uint32_t arg_count);
/* Returns the epochs of the window, which it creates if necessary. NULL: out of memory; the history
 * is then unclear. */
struct history_epochs *history_epochs_of(struct history *history, struct history_space *space);
void history_epochs_free(struct history_epochs *epochs);

#endif
