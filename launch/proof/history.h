/* What has happened in a job that still runs, as far as it decides whether the job can go on: how
 * many messages were sent and received on each channel, which requests are still active, which
 * collectives were entered, and the call that each rank is in. Read from the spools; used by
 * proof*.c only. history.c reads, history_define.c takes definitions, history_space.c and
 * history_epoch.c keep what collectives and one-sided epochs need.
 *
 * Invariants
 *  1. Only the application's own calls count: what the library does inside its collectives is part
 * of those.
 *  2. Reading goes on where it stopped the last time, so that asking often costs no more than
 * asking once. (With several lanes a rank all is read anew: what one thread posts another may
 * complete.)
 *  3. What cannot be followed (lost events, a freed active receive, a filter) makes `unclear` true:
 * then nothing is claimed. */
#ifndef LAUNCH_PROOF_HISTORY_H
#define LAUNCH_PROOF_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spool/spool.h"
#include "core/status.h"
#include "core/table.h"
#include "core/trace/event_view.h"
#include "core/trace/request.h"
#include "core/trace/traits.h"

struct proof_channel_key { /* messages of one tag from one rank to another in one communicator */
    uint64_t global;       /* the communicator */
    int32_t source, dest, tag;
    uint32_t zero;
};
struct proof_channel {
    struct proof_channel_key key;
    uint64_t sent, received;
    uint32_t lane; /* that sent first */
    bool mixed;    /* others sent as well: in what order is not known */
    bool buffered; /* some of it by MPI_Bsend and the like: a send that returned need not have left
                    */
};

enum proof_space_kind { PROOF_SPACE_COMM, PROOF_SPACE_WIN, PROOF_SPACE_FILE, PROOF_SPACE_FINALIZE };
enum { PROOF_RECENT = 16 };
struct proof_coll { /* one collective call of a rank */
    uint16_t call;  /* id */
    bool needs_all; /* cannot be complete before all members have come */
    int32_t root;
};
struct proof_epochs {                       /* of one rank on one window, by world rank */
    uint32_t *posted, *started, *completed; /* how often: as a target, as an origin, as an origin */
    bool *in_post, *in_start;               /* the groups of the epochs that are open */
};
struct proof_space_key {
    uint32_t kind, id; /* enum proof_space_kind */
};
struct proof_space { /* one rank's view of what has collective calls: a communicator, window or
                       file; and MPI_Finalize */
    struct proof_space_key key;
    bool inter;
    bool uneven;   /* a call was refused here, or is one that is not followed: members may count
                      differently */
    uint32_t comm; /* windows and files: id of the communicator they were made on */
    uint64_t global;
    uint32_t size, remote_size;
    int32_t *member;                        /* world ranks: own group, then the remote one */
    uint64_t entered;                       /* collectives, but for those that it is in */
    uint32_t lane;                          /* that entered first */
    bool mixed;                             /* others did as well: in what order is not known */
    struct proof_coll recent[PROOF_RECENT]; /* the last ones, by number mod PROOF_RECENT */
    struct proof_epochs *epochs;            /* NULL: no post or start so far */
};

struct proof_group { /* as calls name them */
    uint32_t id, size;
    int32_t *member; /* world ranks */
};

struct proof_lock { /* a passive epoch that is open */
    uint64_t win;   /* global */
    int32_t target; /* world; EVENT_ANY: all */
    bool exclusive;
    int32_t op_target;   /* of the last access under it; EVENT_NONE: none so far */
    int32_t sure_target; /* there it is held for sure: an access has been flushed. (A library may
                            ask for the lock later) */
};

enum {              /* what a request's `own` holds */
       PROOF_SPACE, /* id of its communicator, + 1; 0: what it needs is not known */
       PROOF_NUMBER /* and the next: sends: how many-th of its channel; collectives: of its space */
};

struct proof_call {
    bool known;
    uint8_t class, mode, verb;
    uint64_t traits;
    int8_t group_arg, lock_arg; /* places of these arguments among the call's scalars; -1 none */
    char name[48];
};
struct proof_type {
    bool known;
    int64_t bytes;
};
enum { PROOF_ARGS_MAX = 4 };

struct proof_open { /* a call that a thread is in */
    uint32_t lane;
    bool has_leg;
    struct spool_event event;
    struct spool_leg leg;
    uint32_t *request; /* ids, of waits on several */
    uint32_t request_count, request_total;
    int64_t arg[PROOF_ARGS_MAX];
    uint32_t arg_count;
};

struct proof_rank {
    bool present;
    struct core_table spaces, groups; /* struct proof_space, struct proof_group */
    struct requests requests;
    struct proof_call *call; /* by call id; what is not known is zero */
    uint32_t call_count;
    struct proof_type *type; /* by id; what is not known is zero */
    uint32_t type_count;
    struct proof_lock *lock;
    uint32_t lock_count, lock_room;
    struct proof_open *open; /* one of each thread that is in a call */
    uint32_t open_count, open_room;
    /* threads that called MPI: with several, the order of their calls is not known */
    uint32_t lanes;
};

struct proof_lane { /* what reading a lane goes on with */
    int32_t rank;
    uint32_t lane;
    uint64_t position;
    struct spool_again *again; /* of the reader, at that position; NULL: it is at the start */
    struct spool_done *done;   /* completions that precede the event they belong to */
    uint32_t done_count, done_room;
    struct spool_leg leg;
    int64_t *list; /* request ids of the event that follows */
    uint32_t list_count, list_room, list_total;
    uint64_t list_seq;
    int64_t arg[PROOF_ARGS_MAX]; /* scalars of the event that follows */
    uint32_t arg_count;
    uint64_t arg_seq;
};

struct proof_history { /* zeroed: nothing read yet */
    struct proof_lane *lane;
    uint32_t lane_count;
    struct proof_rank *rank;
    uint32_t rank_count;
    struct core_table channels; /* struct proof_channel */
    struct event_view view;     /* of the call that is being followed */
    bool unclear;
};

/* Reads what the spools of a job of rank_count ranks hold by now. Not being able to follow it is no
 * error: see unclear. */
enum core_status proof_history_read(const char *job_path, uint32_t rank_count,
                                    struct proof_history *history);
void proof_history_done(struct proof_history *history);

/* World rank of a peer, or EVENT_ANY, EVENT_PROC_NULL; EVENT_NONE if out of range. */
int32_t proof_space_world(const struct proof_space *space, int32_t peer);
struct proof_space *proof_space_find(const struct proof_rank *rank, enum proof_space_kind kind,
                                     uint32_t id);
struct proof_space *proof_space_global(const struct proof_rank *rank, enum proof_space_kind kind,
                                       uint64_t global);
/* The communicator of a send, receive or collective; NULL: what the request needs is not known. */
const struct proof_space *proof_request_space(const struct proof_rank *rank,
                                              const struct request *request);
/* The communicator as channels are told apart by. */
uint64_t proof_request_global(const struct proof_space *space, const struct request *request);
/* Its peer's world rank, or EVENT_ANY, EVENT_PROC_NULL; EVENT_NONE if out of range. */
int32_t proof_request_world(const struct proof_rank *rank, const struct request *request);
uint64_t proof_request_number(const struct request *request);
/* NULL when nothing was ever sent or received there. */
const struct proof_channel *proof_channel_find(const struct proof_history *history, uint64_t global,
                                               int32_t source, int32_t dest, int32_t tag);
enum proof_space_kind proof_space_kind_of(enum event_class class);
/* The space in which a collective call counts; NULL if it is none, or none of which all members
 * know. */
struct proof_space *proof_space_of_call(const struct proof_rank *rank,
                                        const struct spool_event *event, enum event_class class,
                                        bool open);
struct proof_coll proof_coll_of(const struct proof_rank *rank, const struct spool_event *event);
/* What an open call is; NULL: not known. */
const struct proof_call *proof_open_call(const struct proof_rank *rank,
                                         const struct proof_open *open);
/* The space that an open collective call of the rank belongs to, if it counts there. */
struct proof_space *proof_space_of_open(const struct proof_rank *rank,
                                        const struct proof_open *open);
/* How many collectives of the space the rank has entered, open calls included. */
uint64_t proof_space_entered(const struct proof_rank *rank, const struct proof_space *space);
/* What the rank called as the number-th collective of the space; the open call counts. false: too
 * long ago, or not yet. */
bool proof_coll_at(const struct proof_rank *rank, const struct proof_space *space, uint64_t number,
                   struct proof_coll *out_coll);
const struct proof_group *proof_group_find(const struct proof_rank *rank, uint32_t id);
/* history_define.c: takes a definition of the rank; other records are passed over. */
void proof_define(struct proof_history *history, struct proof_rank *rank,
                  const struct spool_head *head);
/* A space of so many members, all unknown yet; one that is there already stays as it is. NULL: out
 * of memory, history is unclear. */
struct proof_space *proof_space_add(struct proof_history *history, struct proof_rank *rank,
                                    const struct proof_space *space);
/* Frees what was defined. */
void proof_defined_free(struct proof_rank *rank);
/* Bytes of so many of a datatype; -1: not known. */
int64_t proof_bytes(const struct proof_rank *rank, uint32_t type, int64_t count);
/* Collective over a part of the communicator that only the call knows (MPI_Comm_create_group): no
 * member counts it. */
bool proof_call_partial(const struct proof_call *call);

/* history_epoch.c: one-sided epochs. arg: the scalars of the call. */
void proof_epoch_post(struct proof_history *history, struct proof_rank *rank,
                      const struct spool_event *event, const int64_t *arg, uint32_t arg_count);
void proof_epochs_free(struct proof_epochs *epochs);

#endif
