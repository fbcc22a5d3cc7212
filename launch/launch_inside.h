/* Declares what the files of the launcher share: launch.c (the flow), launch_env.c (before the
 * start), launch_signal.c, launch_watch.c (the spools of the ranks while they run), launch_quiet.c
 * (jobs that seem to hang), launch_end.c (ending processes), launch_leftover.c (their shared
 * memory), launch_relay.c (other machines), launch_trace.c (after the end).
 *
 * Invariants
 *  1. A rank's pidfd was opened while the process that maps the rank's ring held the pid: it never
 * names another process.
 *  2. The launcher opens the files of a lane when it first sees them and keeps them open: a removed
 *     spool folder loses nothing that it saw.
 *  3. struct launch is used by one thread only. */
#ifndef LAUNCH_LAUNCH_INSIDE_H
#define LAUNCH_LAUNCH_INSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/launch.h"
#include "store/store.h"
#include "core/machine.h"
#include "core/spool/spool.h"
#include "core/status.h"

enum {
    LAUNCH_TICK_MS = 50,   /* interval between looks at the spools */
    LAUNCH_SOON_MS = 2,    /* the same while a ring is being created */
    LAUNCH_STILL_MS = 400, /* without movement for this long: try to prove a deadlock */
    LAUNCH_AGAIN_MS = 150, /* and try again after this time */
    LAUNCH_TERM_GRACE_MS =
        1100, /* from TERM to KILL when the launcher ends the job; mpirun may take 1,020 */
    LAUNCH_TERM_SHORT_MS = 300, /* the same at least, */
    LAUNCH_KILL_MS = 1750,      /* and otherwise up to this time after the job's last progress */
    LAUNCH_EXEC_MS =
        300, /* what the command leaves in the background may take this time to start */
    LAUNCH_ORPHAN_GRACE_MS =
        3000,              /* ranks whose starter was killed get this time to end by themselves */
    LAUNCH_KEPT_MS = 1000, /* a sleep this much too long: the launcher was stopped */
    LAUNCH_STARTER_MS = 5000, /* a starter whose ranks are all dead gets this time to notice: mpirun
                                 may block itself */
    LAUNCH_POLL_WARN_MS =
        10000, /* after only vain polls for this time, while others wait: warn the user */
    LAUNCH_WAIT_WARN_MS = 30000, /* the same if all ranks are inside calls and nothing is proven */
    LAUNCH_OUTSIDE_WARN_MS = 60000, /* the same if some ranks are outside of MPI */
    LAUNCH_LONG_WARN_MS = 120000    /* or are in calls that may take long: files, MPI_Comm_spawn */
};

struct launch_mark { /* what a thread inside MPI had consumed at some time after its rank's still_ns
                      */
    uint64_t at_ns;  /* CLOCK_MONOTONIC */
    uint64_t cpu_ns; /* processor time */
    uint64_t runs;   /* how often it was scheduled, not counting reads from a disk */
};
enum { LAUNCH_MARKS = 40, LAUNCH_MARK_MS = 220 }; /* the newest; distance of two: 8.8 seconds */

struct launch_lane {
    int ring_fd, spool_fd;
    uint32_t lane;
    struct spool_header header;            /* as last read */
    struct launch_mark mark[LAUNCH_MARKS]; /* mark number `at` is in mark[at % LAUNCH_MARKS] */
    struct launch_mark base;               /* an older mark that stays; at_ns 0: none */
    uint32_t marks;                        /* made so far */
};

struct launch_rank {
    int32_t rank;
    int32_t pid;
    int pidfd;  /* -1: on another host, or gone before it was seen */
    bool local; /* a process of this machine */
    bool gone;
    uint64_t gone_ns;   /* CLOCK_MONOTONIC */
    uint32_t gone_look; /* number of the look that found it gone; 0: not gone */
    bool status_known;
    int status;                /* as waitpid gives it */
    uint64_t still_ns;         /* since when nothing of the rank has moved */
    uint64_t progress_ns;      /* when a call that advanced its communication last completed */
    uint64_t handler_ns;       /* since when it waits in the handler of the signal it dies of */
    uint64_t called_ns;        /* when any call except a vain poll last completed */
    uint32_t relay;            /* on another machine: number of its relay; 0: none */
    uint8_t relay_standing;    /* enum proof_standing, as the relay last said */
    struct ending_stand stand; /* evidence for the standing last computed */
    struct launch_lane *lane;  /* in the order in which they appeared */
    uint32_t lane_count;
};

struct launch_world { /* one MPI job of the command: one folder in the spool */
    char *path;
    int folder_fd;
    struct launch_rank *rank; /* ranks that have a spool, ascending */
    uint32_t rank_count;
    struct proof_prover *prover; /* created when first used */
    uint64_t moves;              /* number of looks in which a rank had moved */
    uint64_t relay_moves,
        relay_tick;  /* launch_relay_agrees: of the proof that has to be confirmed */
    uint64_t ask_ns; /* earliest time of the next proof */
    struct store_unreceived *unreceived; /* launch_jobs_unreceived */
    uint32_t unreceived_count, unreceived_room;
    struct ending ending; /* who waits in a hang that is proven for several jobs; the record of the
                             world ended_world is in the result */
    bool quiet_said;      /* the user was told that it seems to hang */
    bool quiet_long; /* some ranks are in calls that may take long, but not yet for the warning time
                      */
};

struct launch_leftover { /* launch_leftover.c: a file in shared memory */
    char *path;
    dev_t device;
    uint64_t inode;
};

struct launch {
    pid_t thread; /* the thread that watches */
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
    int notify_fd; /* inotify: a file was created in the spool or in a world's folder */
    bool soon;     /* a ring was seen before its header was complete: look again soon */
    uint32_t soon_count;
    sigset_t signal_before;
    int signal_passed;  /* the last signal received, other than SIGCHLD; 0: none */
    uint64_t signal_ns; /* when the first one was received */
    bool snapshot;      /* SIGUSR1 was received: take a snapshot */
    pid_t witness;      /* launch_signal.c, as the next one */
    struct launch_command *command;
    pid_t *other; /* children of this process that are not of the job */
    uint32_t other_count, other_room;
    int witness_fd;

    struct launch_world *world;
    uint32_t world_count;
    uint32_t ended_world; /* index of the world that result->ending describes */
    uint64_t ask_ns;      /* earliest time of the next proof about several jobs */
    uint32_t look;        /* number of looks at the ranks so far */

    struct launch_relays *relays; /* launch_relay.c; NULL: all ranks are on this machine */

    uint64_t stuck_ns; /* since when the starter has not noticed that all its ranks are dead; 0: not
                          so */
    bool stuck;        /* the launcher ended it for that */
    struct launch_leftover *leftover;
    uint32_t leftover_count;

    uint64_t end_ns; /* when the launcher began to end the job; 0: it did not */
    uint64_t last_progress_ns;
    uint64_t all_gone_ns;
};

uint64_t launch_clock_ns(clockid_t clock);
uint64_t launch_now_ns(void); /* CLOCK_MONOTONIC */

/* library.c: finds the library to preload. */
enum core_status launch_library_find(struct launch *launch);

/* launch_trace.c: writes traces of the running job. */
void launch_trace_snapshot(struct launch *launch);

/* launch_env.c */
enum core_status
launch_env_prepare(struct launch *launch); /* paths, library, folder; refuses what cannot work */
void launch_env_child(const struct launch *launch); /* called in the child, before exec */
void launch_env_undo(struct launch *launch);        /* removes an empty spool folder */

/* launch_signal.c */
enum core_status launch_signal_take(struct launch *launch);
void launch_signal_give_back(struct launch *launch);
void launch_signal_pass(struct launch *launch);
/* The command has been started: it is ended when the launcher is killed with SIGKILL. */
void launch_signal_command(struct launch *launch);

/* launch_watch.c */
void launch_watch_start(struct launch *launch);
void launch_watch_scan(
    struct launch *launch); /* finds worlds, ranks, lanes; reads all headers; who is gone */
bool launch_watch_killed(const struct launch *launch);    /* a signal killed some rank */
uint32_t launch_watch_alive(const struct launch *launch); /* ranks that run on this machine */
void launch_watch_reaped(struct launch *launch, pid_t pid, int status);
/* Fills fds for poll(2), one per living rank. Returns the number. */
struct pollfd;
uint32_t launch_watch_poll(const struct launch *launch, struct pollfd *fds, uint32_t room);
/* Returns when a rank last completed a call other than a vain poll; now, if no rank is between
 * MPI_Init and MPI_Finalize. */
uint64_t launch_watch_called(const struct launch *launch);
/* Returns NULL if the rank has no spool yet. */
struct launch_rank *launch_watch_rank(const struct launch_world *world, int32_t number);
/* Notes that the present look found the rank gone. */
void launch_watch_gone(struct launch *launch, struct launch_rank *rank);
int launch_status_as_shell(int status); /* converts a status of waitpid */
/* Tells whether the rank is known to have died of SIGTERM, by which starters end ranks because of
 * another rank. */
bool launch_watch_termed(const struct launch_rank *rank);
int launch_watch_status(
    const struct launch *launch); /* status of the ranks, as their starter would have reported it */
void launch_watch_done(struct launch *launch);

/* launch_relay.c: listens for relays of other machines, before the job starts. Reports a failure;
 * the job then runs without relays. */
enum core_status launch_relay_open(struct launch *launch);
void launch_relay_env(const struct launch *launch); /* called in the child */
void launch_relay_serve(struct launch *launch);     /* handles what arrived, asks for what is new */
uint32_t launch_relay_poll(const struct launch *launch, struct pollfd *fds, uint32_t room);
/* Returns the enum proof_standing of a rank whose relay is not 0. */
uint8_t launch_relay_standing(const struct launch *launch, const struct launch_rank *rank);
/* Tells whether the proof holds at one moment on all machines: each was asked after the proof, and
 * nothing has moved. The first call asks them and returns false. */
bool launch_relay_agrees(struct launch *launch, struct launch_world *world);
/* Sends a signal (0: none) to all ranks on other machines; returns how many are known to live. */
uint32_t launch_relay_signal(struct launch *launch, int signal);
void launch_relay_finish(struct launch *launch); /* fetches the last records after the job ended */
void launch_relay_close(struct launch *launch);

/* launch_proof.c: returns true if it proves a deadlock, and then sets result->ending. */
bool launch_proof_try(struct launch *launch);
/* Ends each rank that crashed and, in the handler of the signal, waits for a lock that only its own
 * thread could release: after damage to the heap Open MPI's handler waits for malloc's lock. */
void launch_proof_crashed(struct launch *launch);
void launch_proof_look(struct launch_rank *rank, bool moved);
/* Restarts the waiting times: something kept the launcher from looking, and maybe the ranks from
 * running. */
void launch_proof_again(struct launch *launch);
/* Returns the enum proof_standing of a rank on this machine, as of the last look. since_ns: when
 * any of the ranks that do not move last moved. */
int launch_proof_standing(struct launch_rank *rank, uint64_t since_ns);
/* Returns the state of a thread as in /proc ('R', 'S', 'D', ...); '\0': no such thread. */
char launch_proof_task_state(pid_t pid, pid_t tid);
/* Tells whether the lane's thread lives, is outside of MPI, and may return to MPI by itself. */
bool launch_proof_outside(const struct launch_rank *rank, const struct launch_lane *lane);
/* launch_handlers.c: tells whether a signal handler may wake a waiting thread. caught: bits of the
 * handled signals, as in a status file. */
bool launch_handlers_may_wake(const struct launch_rank *rank, uint64_t caught);

/* launch_stack.c: adds to result->ending the functions that led to its calls. */
void launch_stack_note(struct launch *launch);

/* launch_quiet.c: says once on stderr that a job seems to hang without a proof. */
void launch_quiet_look(struct launch *launch);
/* Adds to result->ending which rank is in which call, and since when, if known. */
void launch_quiet_seen(struct launch *launch);

/* launch_end.c */
enum { LAUNCH_STAT_BYTES = 1024 };
/* Reads /proc/PID/stat. Returns its fields from the third (state) on; NULL: no such process. */
const char *launch_stat(pid_t pid, char text[LAUNCH_STAT_BYTES]);
/* Notes the children that exist before the command starts: they are not of the job. */
enum core_status launch_end_begin(struct launch *launch);
uint32_t launch_end_signal(struct launch *launch, int signal,
                           bool ranks_too); /* returns how many processes live */
/* Tells whether only starters of ranks live, and one has not noticed that a process below it died.
 */
bool launch_end_starter_stuck(const struct launch *launch);
/* Tells whether an mpirun runs in the background, which may still start ranks. */
bool launch_end_has_starter(const struct launch *launch);

/* launch_leftover.c: called before the launcher or a signal ends the ranks, and when they are gone.
 */
void launch_leftover_note(struct launch *launch);
void launch_leftover_remove(struct launch *launch);
void launch_leftover_done(struct launch *launch);

/* launch_trace.c */
enum core_status launch_trace_write(struct launch *launch);

#endif
