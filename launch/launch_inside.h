/* Shared by the files of the launcher: launch.c (the flow), launch_env.c (before the start),
 * launch_signal.c, launch_watch.c (the spools of the ranks while they run), launch_quiet.c (jobs
 * that seem to hang), launch_end.c (ending processes), launch_leftover.c (what they leave in shared
 * memory), launch_relay.c (other machines), launch_trace.c (after the end).
 *
 * Invariants
 *  1. A rank's pidfd was opened while the process that maps the rank's ring held the pid: it never
 * names another process.
 *  2. Files of a lane are held open from the moment they were seen: a removed spool folder loses
 * nothing that was seen.
 *  3. struct launch is used by one thread only. */
#ifndef LAUNCH_LAUNCH_INSIDE_H
#define LAUNCH_LAUNCH_INSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/launch.h"
#include "core/machine.h"
#include "core/spool/spool.h"
#include "core/status.h"

enum {
    LAUNCH_TICK_MS = 50,   /* how often spools are looked at */
    LAUNCH_SOON_MS = 2,    /* when a ring is just being made */
    LAUNCH_STILL_MS = 400, /* without movement for so long: see whether it is a deadlock */
    LAUNCH_AGAIN_MS = 150, /* and look again so much later when it was not proven */
    LAUNCH_TERM_GRACE_MS =
        1100, /* between TERM and KILL, when we end the job; mpirun may take 1,020 */
    LAUNCH_TERM_SHORT_MS = 300, /* at least so long, */
    LAUNCH_KILL_MS = 1750,      /* and else until so long after the job's last progress */
    LAUNCH_EXEC_MS =
        300, /* what the command leaves in the background may be starting for so long */
    LAUNCH_ORPHAN_GRACE_MS =
        3000,              /* ranks whose starter was killed get so long to end by themselves */
    LAUNCH_KEPT_MS = 1000, /* a sleep that lasts so much longer than it should: we were stopped */
    LAUNCH_STARTER_MS = 5000, /* a starter whose ranks are all dead gets so long to notice: mpirun
                                 may block itself */
    LAUNCH_POLL_WARN_MS =
        10000, /* nothing but polls in vain for so long, and others waiting: say so */
    LAUNCH_WAIT_WARN_MS = 30000,    /* the same where all are inside calls, and nothing is proven */
    LAUNCH_OUTSIDE_WARN_MS = 60000, /* the same where some are outside of MPI */
    LAUNCH_LONG_WARN_MS = 120000    /* or are in calls that may take long: files', MPI_Comm_spawn */
};

struct launch_mark { /* what a thread inside MPI had had, at some time since its rank's still_ns: */
    uint64_t at_ns;  /* CLOCK_MONOTONIC */
    uint64_t cpu_ns; /* processor time, */
    uint64_t runs;   /* and how often it got a processor, but for what it read from a disk */
};
enum { LAUNCH_MARKS = 40, LAUNCH_MARK_MS = 220 }; /* the newest, and how far apart: 8.8 seconds */

struct launch_lane {
    int ring_fd, spool_fd;
    uint32_t lane;
    struct spool_header header;            /* as last read */
    struct launch_mark mark[LAUNCH_MARKS]; /* number `at` is in mark[at % LAUNCH_MARKS] */
    struct launch_mark base;               /* an older one, that stays; at_ns 0: none */
    uint32_t marks;                        /* made so far */
};

struct launch_rank {
    int32_t rank;
    int32_t pid;
    int pidfd;  /* -1: not ours to see (another host), or gone before it was seen */
    bool local; /* a process of this machine */
    bool gone;
    uint64_t gone_ns;   /* CLOCK_MONOTONIC */
    uint32_t gone_look; /* the number of the look that found it gone; 0: not gone */
    bool status_known;
    int status;             /* as waitpid gives it */
    uint64_t still_ns;      /* since when nothing of it has moved */
    uint64_t progress_ns;   /* when a call of it last completed by which it got on with its
                               communication */
    uint64_t called_ns;     /* when any call of it did that was no poll in vain */
    uint32_t relay;         /* of another machine: number of the relay that tells of it; 0 none */
    uint8_t relay_standing; /* enum proof_standing, as that said last */
    struct ending_stand stand; /* evidence of the standing that was said of it last */
    struct launch_lane *lane;  /* in the order in which they were seen */
    uint32_t lane_count;
};

struct launch_world { /* one MPI job of the command: one folder of the spool */
    char *path;
    int folder_fd;
    struct launch_rank *rank; /* those that have a spool, by rank */
    uint32_t rank_count;
    struct proof_prover *prover; /* made when it is first asked */
    uint64_t moves;              /* looks in which a rank had moved */
    uint64_t relay_moves,
        relay_tick;  /* launch_relay_agrees: of the proof that is to be agreed to */
    uint64_t ask_ns; /* not before: when the next proof may be tried */
    bool quiet_said; /* that it seems to hang */
    bool quiet_long; /* some were seen in calls that may take long, for less than it has to be */
};

struct launch_leftover { /* launch_leftover.c: a file in shared memory */
    char *path;
    dev_t device;
    uint64_t inode;
};

struct launch {
    pid_t thread; /* that watches */
    const struct launch_options *options;
    struct launch_result *result;
    char *output;  /* absolute */
    char *spool;   /* absolute: output + ".spool" */
    char *library; /* absolute */
    bool spool_made;
    int lock_fd; /* the spool folder, locked; -1 */
    struct core_machine machine;

    pid_t child;
    bool child_gone;
    int child_status;
    uint64_t child_gone_ns;
    int signal_fd;
    int notify_fd; /* inotify: a file was made in the spool, or in a world's folder */
    bool soon;     /* a ring was seen before its header was whole: look again soon */
    uint32_t soon_count;
    sigset_t signal_before;
    int signal_passed;  /* the last one that came, other than SIGCHLD; 0 none */
    uint64_t signal_ns; /* when the first one came */
    bool snapshot;      /* SIGUSR1 came: one is wanted */
    pid_t witness;      /* launch_signal.c */
    pid_t *other;       /* children of this process that are none of the job */
    uint32_t other_count, other_room;
    int witness_fd;

    struct launch_world *world;
    uint32_t world_count;
    uint32_t ended_world; /* index of the one that result->ending speaks of */
    uint32_t look;        /* how many looks at the ranks there were */

    struct launch_relays *relays; /* launch_relay.c; NULL: all ranks are of this machine */

    uint64_t stuck_ns; /* since when the starter has not noticed that all its ranks are dead; 0: it
                          has */
    bool stuck;        /* it was ended for that */
    struct launch_leftover *leftover;
    uint32_t leftover_count;

    uint64_t end_ns; /* when we began to end the job; 0: we did not */
    uint64_t last_progress_ns;
    uint64_t all_gone_ns;
};

uint64_t launch_clock_ns(clockid_t clock);
uint64_t launch_now_ns(void); /* CLOCK_MONOTONIC */

/* library.c: what of ours is preloaded. */
enum core_status launch_library_find(struct launch *launch);

/* launch_trace.c: traces of the job as it is now. */
void launch_trace_snapshot(struct launch *launch);

/* launch_env.c */
enum core_status
launch_env_prepare(struct launch *launch); /* paths, library, folder; refuses what cannot work */
void launch_env_child(const struct launch *launch); /* in the child, before exec */
void launch_env_undo(struct launch *launch);        /* removes an empty spool folder */

/* launch_signal.c */
enum core_status launch_signal_take(struct launch *launch);
void launch_signal_give_back(struct launch *launch);
void launch_signal_pass(struct launch *launch);

/* launch_watch.c */
void launch_watch_start(struct launch *launch);
void launch_watch_scan(
    struct launch *launch); /* new worlds, ranks, lanes; reads all headers; who is gone */
bool launch_watch_killed(const struct launch *launch);    /* some rank, by a signal */
uint32_t launch_watch_alive(const struct launch *launch); /* ranks still running on this machine */
void launch_watch_reaped(struct launch *launch, pid_t pid, int status);
/* Fills fds for poll(2): one per living rank. Returns how many. */
struct pollfd;
uint32_t launch_watch_poll(const struct launch *launch, struct pollfd *fds, uint32_t room);
/* When a rank last completed a call that was no poll in vain; now, when none is between MPI_Init
 * and MPI_Finalize. */
uint64_t launch_watch_called(const struct launch *launch);
/* NULL: it has no spool yet. */
struct launch_rank *launch_watch_rank(const struct launch_world *world, int32_t number);
/* The rank has ended: in this look. */
void launch_watch_gone(struct launch *launch, struct launch_rank *rank);
int launch_status_as_shell(int status); /* of waitpid */
/* It is known to have died of SIGTERM: as starters end ranks because of another. */
bool launch_watch_termed(const struct launch_rank *rank);
int launch_watch_status(
    const struct launch *launch); /* of the ranks, as their starter would have passed it on */
void launch_watch_done(struct launch *launch);

/* launch_relay.c: ranks of other machines. Listens, before the job is started; what fails is
 * reported, and the job runs without. */
enum core_status launch_relay_open(struct launch *launch);
void launch_relay_env(const struct launch *launch); /* in the child */
void launch_relay_serve(struct launch *launch);     /* takes what came, asks for what is new */
uint32_t launch_relay_poll(const struct launch *launch, struct pollfd *fds, uint32_t room);
/* enum proof_standing of a rank whose relay is not 0. */
uint8_t launch_relay_standing(const struct launch *launch, const struct launch_rank *rank);
/* True if the proof holds at one moment on all machines: each of them was asked since, and nothing
 * has moved. Asks them the first time, and is false until then. */
bool launch_relay_agrees(struct launch *launch, struct launch_world *world);
/* Sends all ranks of other machines a signal, 0: none; returns how many are known to live. */
uint32_t launch_relay_signal(struct launch *launch, int signal);
void launch_relay_finish(struct launch *launch); /* the job is over: the last records */
void launch_relay_close(struct launch *launch);

/* launch_proof.c: true when a deadlock is proven; result->ending is set then. */
bool launch_proof_try(struct launch *launch);
void launch_proof_look(struct launch_rank *rank, bool moved);
/* This process was kept from looking for a while, and so may all others have been: the time does
 * not count. */
void launch_proof_again(struct launch *launch);
/* enum proof_standing of a rank of this machine, as of the last look; since_ns: when one of those
 * that stand has moved last. */
int launch_proof_standing(struct launch_rank *rank, uint64_t since_ns);
/* The state of a thread as /proc has it ('R', 'S', 'D', ...); '\0': there is no such thread. */
char launch_proof_task_state(pid_t pid, pid_t tid);
/* Whether the lane's thread lives, is outside of MPI, and may come back by itself. */
bool launch_proof_outside(const struct launch_rank *rank, const struct launch_lane *lane);
/* launch_handlers.c: caught: bits of signals that have a handler, as in a status file. */
bool launch_handlers_may_wake(const struct launch_rank *rank, uint64_t caught);

/* launch_stack.c: adds to result->ending the functions that led to its calls. */
void launch_stack_note(struct launch *launch);

/* launch_quiet.c: says once on stderr that a job which is not proven to hang seems to */
void launch_quiet_look(struct launch *launch);
/* Adds to result->ending who is in which call, and since when, as far as that can be said. */
void launch_quiet_seen(struct launch *launch);

/* launch_end.c */
enum { LAUNCH_STAT_BYTES = 1024 };
/* Reads /proc/PID/stat. Returns its fields from the state (the third) on; NULL: there is no such
 * process. */
const char *launch_stat(pid_t pid, char text[LAUNCH_STAT_BYTES]);
/* Before the command is started: the children that there are now, of the launcher's own or of who
 * runs the job, are none of it. */
enum core_status launch_end_begin(struct launch *launch);
uint32_t launch_end_signal(struct launch *launch, int signal,
                           bool ranks_too); /* returns how many processes live */
/* Only starters of ranks live, and what died below one was not noticed by it. */
bool launch_end_starter_stuck(const struct launch *launch);
/* An mpirun in the background, which may have ranks still to come. */
bool launch_end_has_starter(const struct launch *launch);

/* launch_leftover.c: before the ranks are ended, by us or a signal; when they are gone */
void launch_leftover_note(struct launch *launch);
void launch_leftover_remove(struct launch *launch);
void launch_leftover_done(struct launch *launch);

/* launch_trace.c */
enum core_status launch_trace_write(struct launch *launch);

#endif
