/* The history of a job that still runs, as far as it decides whether the job can go on: how
 * many messages were sent and received on each channel, which requests are still active, which
 * collectives were entered, and the call that each rank is in. Read from the spools, by
 * launch/proof, and kept by ranks themselves that keep their newest records only: there what is
 * dropped is summed up (dropped_summary.c). read.c reads, follow.c follows records, define.c takes
 * definitions, registry.c and epoch.c keep what collectives and one-sided epochs need.
 *
 * Invariants
 *  1. Only the application's own calls count: what the library does inside its collectives is part
 * of those.
 *  2. Reading goes on where it stopped the last time, so that asking often costs no more than
 * asking once. (With several lanes a rank all is read anew: what one thread posts another may
 * complete.)
 *  3. What cannot be followed (lost events, a freed active receive, a filter) makes `unclear` true:
 * then nothing is claimed. */
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
    uint32_t lane; /* that sent first */
    bool mixed;    /* others sent as well, or messages overtake: in what order is not known */
    bool buffered; /* some of it by MPI_Bsend and the like: a send that returned need not have left
                    */
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
    bool needs_all; /* cannot be complete before all members have come */
    uint8_t sides;  /* what is known of them */
    int32_t root;
    uint32_t rounds;  /* of a persistent one: how often it was started; REQUEST_ROUNDS_UNTOLD */
    int32_t bytes;    /* that every rank must give or take alike, 0 if there is no count; -1: not
                         known, too many, or of parts that may differ */
    int64_t carried;  /* bytes that the rank gives and takes, at most; -1: not known */
    uint64_t side[2]; /* bytes of the block for each member, or from each; of a list of sizes their
                         weighted sum (coll_volume.c); MPI_Comm_create: id of the group;
                         MPI_File_open: place of the file, 0 not known */
};
struct history_epochs {                     /* of one rank on one window, by world rank */
    uint32_t *posted, *started, *completed; /* how often: as a target, as an origin, as an origin */
    bool *in_post, *in_start;               /* the groups of the epochs that are open */
};
struct history_neighbor { /* of a rank in the topology of a communicator */
    struct history_neighbor_key {
        uint32_t side; /* HISTORY_GIVES: it gives to it */
        int32_t world;
    } key;
    uint32_t edges;
};
struct history_neighbors {
    struct core_table each; /* struct history_neighbor */
    uint32_t edges[2];      /* all that the rank has, by side */
    uint64_t left;          /* of these, not taken yet */
};
struct history_space_key {
    uint32_t kind, id; /* enum history_space_kind */
};
struct history_space { /* one rank's view of what has collective calls: a communicator, window or
                       file; and MPI_Finalize */
    struct history_space_key key;
    bool inter;
    bool overtaking; /* messages may overtake each other, by its info */
    bool uneven;     /* a call was refused here, or is one that is not followed: members may count
                        differently */
    bool failed;     /* a file: a call failed here in the middle, after all had come */
    uint32_t comm;   /* windows and files: id of the communicator they were made on */
    uint64_t global;
    uint32_t size, remote_size;
    int32_t *member;                            /* world ranks: own group, then the remote one */
    uint32_t place;                             /* of the rank, once it has entered a collective */
    uint64_t entered;                           /* collectives, but for those that it is in */
    uint32_t lane;                              /* that entered first */
    bool mixed;                                 /* others did as well: in what order is not known */
    struct history_coll recent[HISTORY_RECENT]; /* the last ones, by number mod HISTORY_RECENT */
    struct history_epochs *epochs;              /* NULL: no post or start so far */
    struct history_neighbors *neighbors;        /* NULL: it has no topology, or it is not known */
};

struct history_group { /* as calls name them */
    uint32_t id, size;
    int32_t *member; /* world ranks */
};

struct history_lock { /* a passive epoch that is open */
    uint64_t win;     /* global */
    int32_t target;   /* world; EVENT_ANY: all */
    bool exclusive;
    int32_t op_target;   /* of the last access under it; EVENT_NONE: none so far */
    int32_t sure_target; /* there it is held for sure: an access has been flushed. (A library may
                            ask for the lock later) */
};

enum {                /* what a request's `own` holds */
       HISTORY_SPACE, /* id of its communicator, + 1; 0: what it needs is not known */
       HISTORY_NUMBER /* and the next: sends: how many-th of its channel; collectives: of its space
                       ; generalized requests: 1 as long as nobody has completed them */
};

struct history_call {
    bool known;
    uint8_t class, mode, verb;
    uint64_t traits;
    int8_t group_arg, lock_arg, file_arg; /* places of these arguments among the call's scalars; -1
                                             none. file: which one is opened */
    char name[48];
};
struct history_type {
    bool known;
    int64_t bytes;
};
enum { HISTORY_ARGS_MAX = 4 };

struct history_open { /* a call that a thread is in */
    uint32_t lane;
    bool has_recv_half;
    struct spool_event event;
    struct spool_recv_half recv_half;
    uint32_t *request; /* ids, of waits on several */
    uint32_t request_count, request_total;
    int64_t arg[HISTORY_ARGS_MAX];
    uint32_t arg_count;
    struct history_coll coll; /* of a collective call */
    bool of_null;             /* it was given a null pointer for data that it transfers */
};

struct history_rank {
    bool present;
    uint64_t seq;                     /* of the last event that was read */
    struct core_table spaces, groups; /* struct history_space, struct history_group */
    struct requests requests;
    uint64_t newest;           /* request that was made or begun; 0: none is known */
    bool frees_active;         /* MPI_Request_free of one that was active, or it is not known */
    struct history_call *call; /* by call id; what is not known is zero */
    uint32_t call_count;
    struct history_type *type; /* by id; what is not known is zero */
    uint32_t type_count;
    struct history_lock *lock;
    uint32_t lock_count, lock_room;
    struct history_open *open; /* one of each thread that is in a call */
    uint32_t open_count, open_room;
    /* threads that called MPI: with several, the order of their calls is not known */
    uint32_t lanes;
};

enum history_base { /* of a lane that has dropped its oldest records: what sums them up */
                    HISTORY_BASE_NONE, /* it has not, or that is not at its start */
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
struct history_part { /* of the call with this number: an entry for each member */
    uint64_t seq;
    int32_t *value;
    uint32_t count, room;
};
struct history_lane { /* what reading a lane goes on with */
    int32_t rank;
    uint32_t lane;
    uint64_t position;
    struct spool_delta *again; /* of the reader, at that position; NULL: it is at the start */
    struct spool_done *done;   /* completions that precede the event they belong to */
    uint32_t done_count, done_room;
    struct spool_recv_half recv_half;
    int64_t *list; /* request ids of the event that follows */
    uint32_t list_count, list_room, list_total;
    uint64_t list_seq;
    int64_t arg[HISTORY_ARGS_MAX]; /* scalars of the event that follows */
    uint32_t arg_count;
    uint64_t arg_seq;
    uint64_t null_seq; /* of the last call that was given a null pointer for data; 0: none */
    struct history_part part[HISTORY_PARTS]; /* lists of the event that follows */
    enum history_base based;
    uint64_t base_events; /* that it sums up */
    bool inside_seen;     /* all that the library does inside of collectives is recorded so far */
    uint64_t inside_of;   /* seq of the call that the library's last one was made in; 0: none since
                             the last one; UINT64_MAX: not known */
};

struct history { /* zeroed: nothing read yet */
    struct history_lane *lane;
    uint32_t lane_count;
    struct history_rank *rank;
    uint32_t rank_count;
    struct core_table channels; /* struct history_channel */
    struct event_view view;     /* of the call that is being followed */
    bool unclear;
};

/* follow.c: one record after the other of a lane. */
struct history_follower {
    struct history *history;
    struct history_rank *rank;
    struct history_lane *kept;
    struct spool_event event;
};
/* Takes a record. true: it is a call of the application that returned, the follower's event, to be
 * followed by history_follow. */
bool history_take(struct history_follower *follower, const struct spool_head *head);
void history_follow(struct history_follower *follower);
/* A persistent collective was started so often: also a rank that frees it later has come so far. */
void history_count_round(struct history_follower *follower, const struct request *request);
/* The same, of what is committed for a call before its event. */
void history_take_part(struct history_follower *follower, const struct spool_head *head);

/* In place; what a zeroed one is not yet, and what is to be freed. */
void history_rank_init(struct history_rank *rank);
void history_rank_done(struct history_rank *rank);
void history_lane_done(struct history_lane *kept);

/* dropped_summary.c: records that sum up all that is known after those that were followed, of a
 * rank of which one thread calls MPI, into a room of so many bytes, at least HISTORY_BASE_LEAST;
 * how many they take. What does not fit, or is unclear, is said not to be known. events: how many
 * were recorded.
 */
enum { HISTORY_BASE_LEAST = 64 };
size_t history_base_make(const struct history_follower *follower, uint64_t events, void *room,
                         size_t bytes);
void history_base_take(struct history_follower *follower, const struct spool_head *head);

/* Reads what the spools of a job of rank_count ranks hold by now. Not being able to follow it is no
 * error: see unclear. */
enum core_status history_read(const char *job_path, uint32_t rank_count, struct history *history);
void history_done(struct history *history);

/* World rank of a peer, or EVENT_ANY, EVENT_PROC_NULL; EVENT_NONE if out of range. */
int32_t history_space_world(const struct history_space *space, int32_t peer);
/* The place of a world rank in its own group; size: it is not there. */
uint32_t history_space_place(const struct history_space *space, int32_t world);
struct history_space *history_space_find(const struct history_rank *rank,
                                         enum history_space_kind kind, uint32_t id);
struct history_space *history_space_global(const struct history_rank *rank,
                                           enum history_space_kind kind, uint64_t global);
/* The communicator of a send, receive or collective; NULL: what the request needs is not known. */
const struct history_space *history_request_space(const struct history_rank *rank,
                                                  const struct request *request);
/* The communicator as channels are told apart by. */
uint64_t history_request_global(const struct history_space *space, const struct request *request);
uint64_t history_request_number(const struct request *request);
/* NULL when nothing was ever sent or received there. */
const struct history_channel *history_channel_find(const struct history *history, uint64_t global,
                                                   int32_t source, int32_t dest, int32_t tag);
enum history_space_kind history_space_kind_of(enum event_class class);
/* The space in which a collective call counts; NULL if it is none, or none of which all members
 * know. */
struct history_space *history_space_of_call(const struct history_rank *rank,
                                            const struct spool_event *event, enum event_class class,
                                            bool open);
/* kept: what was committed for the call. */
struct history_coll history_coll_of(const struct history_rank *rank,
                                    const struct history_space *space,
                                    const struct history_lane *kept,
                                    const struct spool_event *event);
/* Whether members give each other blocks, each side with sizes of its own, all to all, or all from
 * or to a root. */
bool history_gives_blocks(const struct history_call *call);

/* coll_volume.c: what is known of the sides of a collective of so many members, whose number
 * `place` the rank is. */
void history_blocks_of(const struct history_rank *rank, const struct history_lane *kept,
                       const struct spool_event *event, uint32_t place, uint32_t size,
                       struct history_coll *coll);
void history_blocks_list(struct history *history, struct history_lane *kept,
                         const struct spool_list *list);
/* coll_volume.c: bytes that the rank gives and takes in the call, at most; -1: not known. */
int64_t history_blocks_carried(const struct history_rank *rank, const struct history_space *space,
                               const struct history_lane *kept, const struct spool_event *event);
/* Factor of the sizes that one member gives another. */
uint64_t history_block_weight(uint32_t source, uint32_t dest);
/* The row of an open call; NULL: not known. */
const struct history_call *history_open_call(const struct history_rank *rank,
                                             const struct history_open *open);
/* The space that an open collective call of the rank belongs to, if it counts there. */
struct history_space *history_space_of_open(const struct history_rank *rank,
                                            const struct history_open *open);
/* How many collectives of the space the rank has entered, open calls included. */
uint64_t history_space_entered(const struct history_rank *rank, const struct history_space *space);
/* Finds the rank's number-th collective call of the space; the open call counts. false: too long
 * ago, or not yet. */
bool history_coll_at(const struct history_rank *rank, const struct history_space *space,
                     uint64_t number, struct history_coll *out_coll);
const struct history_group *history_group_find(const struct history_rank *rank, uint32_t id);
/* history_define.c: takes a definition of the rank; other records are passed over. */
void history_define(struct history *history, struct history_rank *rank,
                    const struct spool_head *head);
/* How many edges lead from the rank to a world rank (HISTORY_GIVES), or from there to it. */
uint32_t history_edges(const struct history_space *space, uint32_t side, int32_t world);
/* A space of so many members, all unknown yet; one that is there already stays as it is. NULL: out
 * of memory, history is unclear. */
struct history_space *history_space_add(struct history *history, struct history_rank *rank,
                                        const struct history_space *space);
/* Frees what was defined. */
void history_defined_free(struct history_rank *rank);
/* Bytes of so many of a datatype; -1: not known. */
int64_t history_bytes(const struct history_rank *rank, uint32_t type, int64_t count);
/* Collective over a part of the communicator that only the call knows (MPI_Comm_create_group): no
 * member counts it. */
bool history_call_partial(const struct history_call *call);

/* history_epoch.c: one-sided epochs. arg: the scalars of the call. */
void history_epoch_post(struct history *history, struct history_rank *rank,
                        const struct spool_event *event, const int64_t *arg, uint32_t arg_count);
/* The state of the window, made if need be. NULL: out of memory, history is unclear. */
struct history_epochs *history_epochs_of(struct history *history, struct history_space *space);
void history_epochs_free(struct history_epochs *epochs);

#endif
